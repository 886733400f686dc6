#include "profiler/why/why.h"

#include "engine/base/try.h"
#include "engine/schedule/transfers.h"

#include <algorithm>
#include <numeric>

namespace profiler {

using namespace engine;

namespace {

PathShares sharesOf(const Run& run, const CriticalPath& path)
{
    PathShares shares;
    const OpIndex index(run.schedule);
    for (const PathPart& part : path.parts) {
        const std::int64_t time = part.window.duration();
        const OpKind kind = opAt(run.schedule, index, part.op).kind;
        if (part.kind == PathPart::Kind::Wait) {
            shares.waits += time;
        } else if (part.kind == PathPart::Kind::Work) {
            shares.work[kind] += time;
            ++shares.ops;
        } else if (isTransfer(kind)) {
            shares.messages += time;
            ++shares.messageCount;
        } else {
            shares.otherTransfers += time;
        }
    }
    return shares;
}

// Removes the reasons with the least time until kMostReasons are left. The order is kept.
void keepLargest(Why& why)
{
    while (why.reasons.size() > Why::kMostReasons) {
        const auto least = std::ranges::min_element(why.reasons, {}, &WhyReason::time);
        ++why.smaller;
        why.smallerTime += least->time;
        why.reasons.erase(least);
    }
}

} // namespace

std::int64_t PathShares::total() const
{
    return std::accumulate(work.begin(), work.end(), messages + otherTransfers + waits);
}

IdVector<DeviceId, std::int64_t> Why::workOnPath(const Run& run) const
{
    IdVector<DeviceId, std::int64_t> work(run.schedule.program.size(), 0);
    for (const PathPart& part : path.parts)
        if (part.kind == PathPart::Kind::Work)
            work[part.device] += part.window.duration();
    return work;
}

Result<Why> whyNotFaster(const Run& run, int iteration)
{
    auto path = TRY(criticalPath(run, iteration));
    const IterationTimes times(run, path.iteration);
    Why why;
    why.shares = sharesOf(run, path);
    why.bound = lowerBound(run, times);
    why.reasons = whyReasons(run, path, times);
    why.path = std::move(path);
    keepLargest(why);
    return why;
}

} // namespace profiler
