#include "profiler/analysis/compare_expected.h"

#include "engine/base/median.h"
#include "engine/base/try.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"
#include "profiler/analysis/calibrate.h"
#include "profiler/analysis/link_loads.h"
#include "profiler/analysis/metrics.h"

#include <algorithm>
#include <map>

namespace profiler {

using namespace engine;

namespace {
constexpr OpKind kComputeKinds[]{OpKind::Forward,        OpKind::Backward,  OpKind::BackwardInput,
                                 OpKind::BackwardWeight, OpKind::Recompute, OpKind::OptimizerStep};

// Returns the mean over the devices that compute. A device without a trace does not compute.
double meanOver(const RunMetrics& metrics, const auto& timeOf)
{
    double sum = 0;
    int count = 0;
    for (const DeviceMetrics& device : metrics.devices)
        if (device.compute > 0) {
            sum += static_cast<double>(timeOf(device));
            ++count;
        }
    return count > 0 ? sum / count : 0;
}

// Adds the times of a run to `table`, whose rows are the same for every run.
void addKinds(const Run& run, const RunMetrics& metrics, std::vector<KindTimes>& table)
{
    std::size_t row = 0;
    const auto add = [&](std::string title, std::optional<OpKind> op, double time) {
        if (row == table.size())
            table.push_back({std::move(title), op, {}});
        table[row++].times.push_back(time);
    };
    for (const OpKind kind : kComputeKinds)
        add(std::string(kindName(kind)), kind,
            meanOver(metrics, [kind](const auto& device) { return device.byKind[kind]; }));
    const ExposedTime exposed = exposedByKind(run, metrics.iteration);
    const double all = metrics.devices.size();
    const double recorded = std::ranges::count_if(
        metrics.devices, [](const auto& device) { return device.compute > 0; });
    const double scale = recorded > 0 ? all / recorded : 1; // exposedByKind(): mean of all devices
    add("messages, exposed", {}, exposed.messages * scale);
    add("copies, exposed", {}, exposed.copies * scale);
    add("all-reduces, exposed", {}, exposed.allReduces * scale);
    add("bubble", {}, meanOver(metrics, [](const auto& device) { return device.bubble; }));
}

std::vector<DeviceTimes> devicesOf(const RunMetrics& expected, const RunMetrics& measured)
{
    std::vector<DeviceTimes> devices;
    std::vector<double> ratios;
    for (const DeviceMetrics& device : measured.devices) {
        const double before = expected.devices[device.device].compute;
        const double compute = device.compute;
        if (before <= 0 || compute <= 0)
            continue;
        devices.push_back({device.device, compute, compute / before});
        ratios.push_back(compute / before);
    }
    const double median = medianOf(ratios);
    for (DeviceTimes& device : devices) {
        device.factor /= median;
        device.isSlow = device.factor >= kSlowFactor;
    }
    return devices;
}

using Pair = std::pair<DeviceId, DeviceId>;

std::map<Pair, std::vector<double>> messagesOf(const Run& run)
{
    const RecordedTimes times = recordedTimes(run);
    std::map<Pair, std::vector<double>> messages;
    std::size_t number = 0;
    for (const DeviceId d : run.schedule.program.ids())
        for (const Op& op : run.schedule.program[d]) {
            const auto& cost = times[number++];
            if (isSend(op.kind) && op.peer != Op::kNoPeer && cost)
                messages[{d, DeviceId{op.peer}}].push_back(
                    static_cast<double>(cost->duration + cost->latency));
        }
    return messages;
}

std::vector<LinkTimes> linksOf(const Run& expected, const Run& measured)
{
    auto before = messagesOf(expected);
    std::vector<LinkTimes> links;
    for (auto& [ends, times] : messagesOf(measured)) {
        const auto known = before.find(ends);
        if (known != before.end())
            links.push_back({ends.first, ends.second, static_cast<int>(times.size()),
                             medianOf(known->second), medianOf(times)});
    }
    std::ranges::stable_sort(links, std::ranges::greater(),
                             [](const LinkTimes& link) { return link.measured - link.expected; });
    return links;
}
} // namespace

Result<ExpectedComparison> compareExpected(std::span<const Run* const> runs)
{
    if (runs.size() < 2)
        return invalid("the comparison needs an expected and a measured run");
    ExpectedComparison comparison;
    std::vector<RunMetrics> all;
    for (const Run* run : runs) {
        if (run->info.inUnits())
            return invalid("{} is in abstract units and has no times to compare", run->info.label);
        auto numbers = TRY(metrics(*run));
        comparison.iterations.push_back(static_cast<double>(numbers.duration));
        addKinds(*run, numbers, comparison.kinds);
        all.push_back(std::move(numbers));
    }
    std::erase_if(comparison.kinds, [](const KindTimes& kind) {
        return std::ranges::all_of(kind.times, [](double time) { return time == 0; });
    });
    if (all.front().devices.size() == all.back().devices.size()) {
        comparison.devices = devicesOf(all.front(), all.back());
        comparison.links = linksOf(*runs.front(), *runs.back());
    }
    return comparison;
}

} // namespace profiler
