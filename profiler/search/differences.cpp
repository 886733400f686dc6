#include "profiler/search/differences.h"

#include "engine/schedule/notation.h"
#include "profiler/analysis/measure.h"
#include "profiler/analysis/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace profiler {

using namespace engine;

namespace {

struct Placed
{
    DeviceId device;
    std::int64_t begin = 0;
};
using Starts = std::map<Op, Placed>;

// [micro-batch] its number in the order in which stage 0 starts the micro-batches of a direction.
std::map<std::pair<int, int>, int> numbers(const Schedule& schedule)
{
    std::map<std::pair<int, int>, int> numbers;
    for (int replica = 0; replica < schedule.shape.replicas; ++replica) {
        int next = 0;
        for (const Op& op : schedule.on(schedule.device(replica, StageId{0})))
            if (op.kind == OpKind::Forward && op.replica == replica && op.stage.value == 0
                && numbers.try_emplace({replica, op.microBatch.value}, next).second)
                ++next;
    }
    return numbers;
}

// When every compute op of the reported iteration starts, with renumbered micro-batches.
Starts startsOf(const Run& run)
{
    Starts starts;
    const auto number = numbers(run.schedule);
    const OpIndex index(run.schedule);
    const auto reported = static_cast<std::uint32_t>(reportedIteration(run.timeline));
    const std::int64_t zero = run.timeline.iterations[reported].window.begin;
    for (const Track& track : run.timeline.tracks) {
        if (track.kind != Track::Kind::Compute)
            continue;
        for (const Span& span : track.spans) {
            Op op = opAt(run.schedule, index, span.op);
            if (!op.microBatch.isValid() || span.iteration != reported)
                continue;
            op.flags = OpFlag::None;
            op.microBatch = MicroBatchId{number.at({op.replica, op.microBatch.value})};
            starts[op] = {track.device, span.begin - zero};
        }
    }
    return starts;
}

std::string stagesOf(const Schedule& schedule, DeviceId device)
{
    std::string stages;
    for (const auto& deviceOf : schedule.deviceOf)
        for (const StageId stage : deviceOf.ids())
            if (deviceOf[stage] == device)
                stages += fmt::format("{}{}", stages.empty() ? "" : ", ", stage.value);
    return stages;
}

// The device whose idle time changes most.
std::string idleSentence(const Run& published, const Run& found)
{
    const auto before = metrics(published), after = metrics(found);
    if (!before || !after)
        return {};
    const double scale = static_cast<double>(found.info.ticksPerUnit)
        / static_cast<double>(published.info.ticksPerUnit);
    double most = 0;
    std::string sentence;
    for (const DeviceId d : after->devices.ids()) {
        const double was = scale * static_cast<double>(before->devices[d].bubble);
        const auto is = after->devices[d].bubble;
        if (std::abs(static_cast<double>(is) - was) <= most)
            continue;
        most = std::abs(static_cast<double>(is) - was);
        sentence = fmt::format("device {} is idle for {} instead of {}", d.value,
                               timeText(is, found.info.ticksPerUnit),
                               timeText(std::llround(was), found.info.ticksPerUnit));
    }
    return sentence;
}

} // namespace

std::vector<std::string> differences(const Run& published, const Run& found)
{
    std::vector<std::string> all;
    if (const std::string idle = idleSentence(published, found); !idle.empty())
        all.push_back(idle);
    const DeviceId first{0};
    if (published.schedule.deviceOf != found.schedule.deviceOf) {
        all.push_back(
            fmt::format("the stages are placed differently: device 0 has {} instead of {}",
                        stagesOf(found.schedule, first), stagesOf(published.schedule, first)));
        return all;
    }
    const double scale = static_cast<double>(found.info.ticksPerUnit)
        / static_cast<double>(published.info.ticksPerUnit);
    const Starts before = startsOf(published), after = startsOf(found);
    std::size_t moved = 0;
    bool onlyWeights = true;
    double most = 0;
    std::string sentence;
    for (const auto& [op, placed] : after) {
        const auto was = before.find(op);
        if (was == before.end())
            continue;
        const auto begin = std::llround(scale * static_cast<double>(was->second.begin));
        if (begin == placed.begin)
            continue;
        ++moved;
        onlyWeights = onlyWeights && op.kind == OpKind::BackwardWeight;
        const double by = std::abs(static_cast<double>(placed.begin - begin));
        if (by <= most)
            continue;
        most = by;
        sentence
            = fmt::format("{} on device {} starts at {} instead of {}", toString(op),
                          placed.device.value, timeNumber(placed.begin, found.info.ticksPerUnit),
                          timeText(begin, found.info.ticksPerUnit));
    }
    if (moved > 0) {
        all.push_back(sentence);
        all.push_back(fmt::format("{} of {} ops start at another time{}", moved, after.size(),
                                  onlyWeights ? ", all of them W" : ""));
    }
    return all;
}

} // namespace profiler
