#include "engine/exec/executor.h"

#include "engine/base/check.h"
#include "engine/base/try.h"
#include "engine/exec/emulation.h"
#include "engine/exec/live.h"
#include "engine/sim/simulate.h"
#include "engine/timeline/timeline.h"

#include <algorithm>
#include <tuple>

namespace engine {

void appendFixedMemory(const ExecutionPlan& plan, Timeline& timeline)
{
    for (const DeviceId d : plan.devices.ids())
        for (const MemoryCategory category : Ids<MemoryCategory>(kMemoryCategories))
            if (const Bytes bytes = plan.devices[d].fixed[category]; bytes > 0)
                timeline.memory.push_back(
                    {0, bytes, MemoryEvent::kNoOp, static_cast<std::uint16_t>(d.value), category});
}

void divideStream(const Schedule& lowered, int measured, Timeline& timeline,
                  std::vector<OpTiming>& timings)
{
    if (lowered.shape.windows <= 1)
        return;
    divideIntoWindows(lowered, measured, timeline);
    const std::vector<std::uint32_t> iterationOf = iterationsOfOps(lowered, timeline);
    for (OpTiming& timing : timings)
        timing.iteration = iterationOf[timing.op];
}

std::unique_ptr<Executor> makeExecutor(const ExecutorSetup& setup, Run& run)
{
    if (setup.mode == Mode::Live) {
        ExecutorSetup live = setup;
        live.pipeline.blockingAllReduce = setup.rules.blockingAllReduce;
        return std::make_unique<Live>(live, run);
    }
    CHECK(setup.mode == Mode::Emulate);
    return std::make_unique<Emulation>(setup, run);
}

namespace {

// Orders ops that have no duration and the same time: a message is sent, then received, then used.
int rank(Track::Kind kind)
{
    switch (kind) {
    case Track::Kind::Send:
        return 0;
    case Track::Kind::Receive:
        return 1;
    case Track::Kind::AllReduce:
        return 2;
    default:
        return 3;
    }
}

struct Start
{
    Window window;
    int rank = 0;
    std::uint32_t op = 0;

    auto key() const { return std::tuple(window.begin, window.end, rank, op); }
};

// Keeps the EVICTs and LOADs of a device in program order, because they use the slots of the
// partner in this order. The simulation may start an EVICT or LOAD before an op of the other kind
// that precedes it in the program; the preceding op is then appended first.
class CopiesInOrder
{
public:
    explicit CopiesInOrder(const Schedule& lowered)
        : m_lowered(lowered)
        , m_next(lowered.program.size())
    { }

    void append(OpRef ref, std::vector<OpRef>& order)
    {
        std::uint32_t& next = m_next[ref.device];
        for (; next <= ref.position; ++next)
            if (isCopy(m_lowered.on(ref.device)[next].kind))
                order.push_back({ref.device, next, ref.op - ref.position + next});
    }

private:
    const Schedule& m_lowered;
    IdVector<DeviceId, std::uint32_t> m_next; // position after the last appended EVICT or LOAD
};

} // namespace

Result<std::vector<OpRef>> executionOrder(const Schedule& lowered, const OpCosts& costs)
{
    const auto timeline = TRY(simulate(lowered, costs));
    std::vector<Start> starts;
    for (const Track& track : timeline.tracks)
        for (const Span& span : track.spans)
            starts.push_back({span.window(), rank(track.kind), span.op});
    std::ranges::sort(starts, {}, &Start::key);

    const OpIndex index(lowered);
    std::vector<OpRef> order;
    order.reserve(starts.size());
    CopiesInOrder copies(lowered);
    for (const Start& start : starts) {
        const OpRef ref{index.deviceOf(start.op), index.positionOf(start.op), start.op};
        if (isCopy(lowered.on(ref.device)[ref.position].kind))
            copies.append(ref, order);
        else
            order.push_back(ref);
    }
    return order;
}

} // namespace engine
