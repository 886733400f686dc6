#include "engine/base/try.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/device_times.h"
#include "profiler/analysis/lanes.h"
#include "profiler/analysis/metrics.h"
#include "profiler/analysis/range_metrics.h"
#include "profiler/figure/figure_parts.h"
#include "profiler/figure/figure_style.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
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

std::int64_t longestOp(const engine::Run& run)
{
    std::int64_t longest = 1;
    for (const engine::Track& track : run.timeline.tracks)
        if (track.kind == engine::Track::Kind::Compute)
            for (const engine::Span& span : track.spans)
                longest = std::max(longest, span.window().duration());
    return longest;
}

// Sets the iteration, the part of it that is drawn, and the bubble ratio of this part.
Result<void> setWindow(FigureRun& content, const FigureRange& range)
{
    const engine::Run& run = *content.run;
    content.whole = content.window = run.timeline.iterations[content.iteration].window;
    if (range.isWhole())
        return {};
    const double ticks = run.info.inUnits() ? static_cast<double>(run.info.ticksPerUnit) : 1e6;
    const auto at = [&](double time) {
        return content.whole.begin + static_cast<std::int64_t>(std::llround(time * ticks));
    };
    content.window = overlap(content.whole, {at(range.begin), at(range.end)});
    if (content.window.duration() > 0)
        return {};
    return fail(Error::Code::InvalidArgument,
                fmt::format("{} has nothing to draw from {} to {} {}: its iteration lasts {}; use "
                            "a range within it",
                            runTitle(run), unitNumber(range.begin, 3), unitNumber(range.end, 3),
                            run.info.inUnits() ? "F" : "ms",
                            unitNumber(static_cast<double>(content.whole.duration()) / ticks, 3)));
}

// The bubble ratio of the drawn part over all devices, and the share of each device.
struct BubbleShares
{
    double ratio = 0;
    engine::IdVector<engine::DeviceId, double> of;
};

Result<BubbleShares> sharesOf(const FigureRun& content, const RunMetrics& whole,
                              const FigureOptions& options)
{
    BubbleShares shares{whole.bubbleRatio, {}};
    if (options.range.isWhole()) {
        for (const DeviceMetrics& device : whole.devices)
            shares.of.push_back(whole.duration > 0 ? engine::ratio(device.bubble, whole.duration)
                                                   : 0);
        return shares;
    }
    const auto part = TRY(rangeMetrics(*content.run, content.window));
    shares.ratio = part.bubbleRatio;
    for (const RangeDevice& device : part.devices)
        shares.of.push_back(engine::ratio(device.times.bubble, content.window.duration()));
    return shares;
}

void split(FigureOp& one, FigureOp& other)
{
    const bool isFirstAbove = one.op.kind == engine::OpKind::Forward;
    one.half = isFirstAbove ? FigureOp::Half::Upper : FigureOp::Half::Lower;
    other.half = isFirstAbove ? FigureOp::Half::Lower : FigureOp::Half::Upper;
}

// Gaps that are shorter than this cannot be seen.
std::int64_t shortestGap(const FigureRun& content)
{
    constexpr std::int64_t kParts = 1000;
    return content.window.duration() / kParts;
}

// The parts of an op that are drawn. Without a pipeline, an op is only the time between the first
// and the last of many kernels, so its kernels are drawn.
Windows drawnParts(const FigureRun& content, const Lanes& lanes, engine::DeviceId device,
                   engine::Window op)
{
    if (!lanes.haveKernels() || engine::knowsStages(content.run->info))
        return {op};
    Windows parts;
    for (const engine::Window kernel : clip(lanes.compute(device), op))
        if (!parts.empty() && kernel.begin - parts.back().end <= shortestGap(content))
            parts.back().end = kernel.end;
        else
            parts.push_back(kernel);
    return parts;
}

// Adds the messages, all-reduces and copies of a row.
void addTransfers(const FigureRun& content, FigureRow& row)
{
    const engine::Run& run = *content.run;
    const engine::OpIndex index(run.schedule);
    for (const engine::Track& track : run.timeline.tracks) {
        if (track.device != row.device || track.kind == engine::Track::Kind::Compute)
            continue;
        for (const engine::Span& span : track.spans)
            if (const auto part = overlap(span.window(), content.window); part.duration() > 0
                && span.iteration == static_cast<std::uint32_t>(content.iteration))
                row.transfers.push_back({.window = part,
                                         .op = engine::opAt(run.schedule, index, span.op),
                                         .position = index.positionOf(span.op),
                                         .isCut = !(part == span.window())});
    }
}

FigureRow rowOf(const FigureRun& content, engine::DeviceId device)
{
    const engine::Run& run = *content.run;
    FigureRow row{.device = device,
                  .ops = {},
                  .transfers = {},
                  .exposed = {},
                  .bubbles = {},
                  .bubbleShare = {}};
    for (const engine::Window window : exposedCommunication(run, content.iteration, device))
        if (const auto part = overlap(window, content.window); part.duration() > 0)
            row.exposed.push_back(part);
    const auto* track = run.timeline.track(device, engine::Track::Kind::Compute);
    if (!track)
        return row;
    const engine::OpIndex index(run.schedule);
    const int devices = std::max(1, run.schedule.shape.devices);
    const Lanes lanes(run, content.iteration);
    const auto add = [&](const engine::Span& span, engine::Window whole) {
        const engine::Window part = overlap(whole, content.window);
        if (part.duration() <= 0)
            return;
        const engine::Op& op = engine::opAt(run.schedule, index, span.op);
        row.ops.push_back({.window = part,
                           .op = op,
                           .position = index.positionOf(span.op),
                           .chunk = op.stage.value / devices,
                           .length = engine::ratio(span.window().duration(), content.longestOp),
                           .isCut = !(part == whole)});
        if (const auto next = row.ops.rbegin() + 1;
            next != row.ops.rend() && next->window == row.ops.back().window)
            split(*next, row.ops.back());
    };
    for (const engine::Span& span : track->spans)
        if (span.iteration == static_cast<std::uint32_t>(content.iteration))
            for (const engine::Window part : drawnParts(content, lanes, device, span.window()))
                add(span, part);
    return row;
}

std::string titleWith(const std::string& label, const engine::Run& run)
{
    const auto& shape = run.schedule.shape;
    std::string title = fmt::format("{}, D {}", label, shape.devices);
    if (engine::knowsMicroBatches(run.info))
        title += fmt::format(", N {}", shape.microBatches);
    if (engine::knowsStages(run.info) && shape.chunks() > 1)
        title += fmt::format(", v {}", shape.chunks());
    return title;
}

} // namespace

bool FigureRun::has(engine::Track::Kind lane) const
{
    return std::ranges::any_of(rows, [lane](const FigureRow& row) {
        return std::ranges::any_of(row.transfers, [lane](const FigureOp& transfer) {
            return engine::laneOf(transfer.op.kind) == lane;
        });
    });
}

std::string runTitle(const engine::Run& run)
{
    return titleWith(run.info.label.empty() ? run.info.scheme : run.info.label, run);
}

std::vector<std::string> runTitles(std::span<const engine::Run* const> runs)
{
    std::map<std::string, std::vector<const engine::Run*>> equal; // runs by title
    std::vector<std::string> titles;
    for (const engine::Run* run : runs)
        equal[runTitle(*run)].push_back(run);
    for (const engine::Run* run : runs) {
        const auto& group = equal[runTitle(*run)];
        const auto place = std::ranges::find(group, run) - group.begin();
        titles.push_back(titleWith(distinctLabels(group)[static_cast<std::size_t>(place)], *run));
    }
    return titles;
}

Result<FigureRun> figureContent(const engine::Run& run, const FigureOptions& options)
{
    const auto devices = TRY(chosenDevices(run, options));
    const int iterations = run.timeline.iterations.size();
    if (options.iteration >= iterations)
        return fail(Error::Code::InvalidArgument,
                    fmt::format("{} has no iteration {}; it has 0 to {}", runTitle(run),
                                options.iteration, iterations - 1));
    const auto numbers = TRY(metrics(run, options.iteration));

    FigureRun content;
    content.run = &run;
    content.iteration = numbers.iteration;
    content.longestOp = longestOp(run);
    TRY(setWindow(content, options.range));
    const auto shares = TRY(sharesOf(content, numbers, options));
    content.bubbleRatio = shares.ratio;
    const auto all = bubbles(run, content.iteration);
    std::size_t boxes = 0;
    for (const int d : devices) {
        FigureRow row = rowOf(content, engine::DeviceId{d});
        if (options.communication)
            addTransfers(content, row);
        for (const Bubble& bubble : all) {
            const engine::Window part = overlap(bubble.window, content.window);
            const bool isHidden = bubble.within
                && (engine::knowsStages(run.info) || part.duration() <= shortestGap(content));
            if (bubble.device == row.device && part.duration() > 0 && !isHidden)
                row.bubbles.emplace_back(bubble).window = part;
        }
        if (hasTrace(run, row.device))
            row.bubbleShare
                = percentText(std::isfinite(shares.ratio) ? shares.of[row.device] : shares.ratio);
        boxes += row.ops.size() + row.transfers.size();
        content.rows.push_back(std::move(row));
    }
    if (boxes > kMaxBoxes)
        return fail(Error::Code::Unsupported,
                    fmt::format("{} has {} ops in one iteration, too many for a page; draw fewer "
                                "rows with bubblescope figure --rows",
                                runTitle(run), boxes));
    return content;
}

} // namespace profiler
