#include "engine/exec/executor.h"

namespace engine {

void appendFixedMemory(const ExecutionPlan& plan, Timeline& timeline)
{
    for (std::size_t d = 0; d < plan.devices.size(); ++d)
        for (std::size_t category = 0; category < kMemoryCategories; ++category)
            if (const Bytes bytes = plan.devices[d].fixed[category]; bytes > 0)
                timeline.memory.push_back({0, bytes, MemoryEvent::kNoOp,
                                           static_cast<std::uint16_t>(d),
                                           static_cast<MemoryCategory>(category)});
}

} // namespace engine
