#pragma once

#include "engine/schedule/transfers.h"
#include "tests/profiler/analysis/hand_made.h"

namespace why_test {

// With both ends of every message, which the simulator needs.
inline engine::Run connected(engine::Run run)
{
    for (auto& program : run.schedule.program)
        for (engine::Op& op : program)
            if (engine::isTransfer(op.kind))
                op.peer = static_cast<std::uint16_t>(engine::otherDevice(run.schedule, op).value);
    return run;
}

} // namespace why_test
