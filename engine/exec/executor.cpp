#include "engine/exec/executor.h"

namespace engine {

void appendFixedMemory(const ExecutionPlan& plan, Timeline& timeline)
{
    for (const DeviceId d : plan.devices.ids())
        for (const MemoryCategory category : Ids<MemoryCategory>(kMemoryCategories))
            if (const Bytes bytes = plan.devices[d].fixed[category]; bytes > 0)
                timeline.memory.push_back(
                    {0, bytes, MemoryEvent::kNoOp, static_cast<std::uint16_t>(d.value), category});
}

} // namespace engine
