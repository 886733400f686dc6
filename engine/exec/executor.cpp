#include "engine/exec/executor.h"

#include "engine/timeline/stream.h"

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

} // namespace engine
