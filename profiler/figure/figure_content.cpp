#include "profiler/figure/figure_content.h"

#include "profiler/analysis/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace profiler {
namespace {

using engine::Error;
using engine::fail;
using engine::Result;

// With more boxes a page is a grey area, and the file is too large to open.
constexpr std::size_t kMaxBoxes = 200'000;

Result<std::vector<int>> chosenDevices(const engine::Run& run, const FigureOptions& options)
{
    const int count = run.schedule.shape.devices;
    std::vector<int> devices = options.devices;
    if (devices.empty()) {
        devices.resize(count);
        std::iota(devices.begin(), devices.end(), 0);
    }
    for (const int device : devices)
        if (device < 0 || device >= count)
            return fail(Error::Code::InvalidArgument,
                        fmt::format("{} has no device {}; rows are 0 to {}", runTitle(run), device,
                                    count - 1));
    return devices;
}

FigureRow rowOf(const engine::Run& run, int iteration, engine::DeviceId device)
{
    FigureRow row{.device = device,
                  .ops = {},
                  .exposed = exposedCommunication(run, iteration, device),
                  .bubbles = {}};
    const auto* track = run.timeline.track(device, engine::Track::Kind::Compute);
    if (!track)
        return row;
    const engine::OpIndex index(run.schedule);
    const int devices = std::max(1, run.schedule.shape.devices);
    for (const engine::Span& span : track->spans) {
        if (span.iteration != static_cast<std::uint32_t>(iteration) || span.end <= span.begin)
            continue;
        const engine::Op& op = engine::opAt(run.schedule, index, span.op);
        row.ops.push_back({span.window(), op, index.positionOf(span.op), op.stage.value / devices});
    }
    return row;
}

} // namespace

std::string runTitle(const engine::Run& run)
{
    const auto& shape = run.schedule.shape;
    std::string title = fmt::format(
        "{}, D {}", run.info.label.empty() ? run.info.scheme : run.info.label, shape.devices);
    if (engine::knowsMicroBatches(run.info))
        title += fmt::format(", N {}", shape.microBatches);
    if (engine::knowsStages(run.info) && shape.chunks() > 1)
        title += fmt::format(", v {}", shape.chunks());
    return title;
}

Result<FigureRun> figureContent(const engine::Run& run, const FigureOptions& options)
{
    const auto devices = chosenDevices(run, options);
    if (!devices)
        return tl::unexpected(devices.error());
    const int iterations = run.timeline.iterations.size();
    if (options.iteration >= iterations)
        return fail(Error::Code::InvalidArgument,
                    fmt::format("{} has no iteration {}; it has 0 to {}", runTitle(run),
                                options.iteration, iterations - 1));
    const auto numbers = metrics(run, options.iteration);
    if (!numbers)
        return tl::unexpected(numbers.error());

    FigureRun content;
    content.run = &run;
    content.iteration = numbers->iteration;
    content.window = run.timeline.iterations[content.iteration].window;
    content.bubbleRatio = numbers->bubbleRatio;
    const auto all = bubbles(run, content.iteration);
    std::size_t boxes = 0;
    for (const int d : *devices) {
        FigureRow row = rowOf(run, content.iteration, engine::DeviceId{d});
        std::ranges::copy_if(all, std::back_inserter(row.bubbles),
                             [&](const Bubble& b) { return b.device == row.device; });
        const auto& device = numbers->devices[row.device];
        if (numbers->duration > 0)
            row.bubbleShare = engine::ratio(device.bubble, numbers->duration);
        boxes += row.ops.size();
        content.rows.push_back(std::move(row));
    }
    if (boxes > kMaxBoxes)
        return fail(
            Error::Code::Unsupported,
            fmt::format(
                "{} has {} ops in one iteration, too many for a page; draw fewer rows with --rows",
                runTitle(run), boxes));
    return content;
}

} // namespace profiler
