#include "engine/sim/order_facts.h"

#include "engine/schedule/dataflow.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"

#include <fmt/format.h>

namespace engine::sim {
namespace {

bool fits(const Schedule& schedule, DeviceId device, const Op& op)
{
    return exists(op, schedule.shape) && schedule.device(op.replica, op.stage) == device
        && ((!isTransfer(op.kind) && !isCopy(op.kind)) || op.peer < schedule.program.size());
}

auto misfit(DeviceId device, std::size_t index, const Op& op)
{
    return fail(Error::Code::InvalidArgument,
                fmt::format("device {}, index {}: {} is not valid in this schedule; run bscope "
                            "validate for the reason",
                            device.value, index, toString(op)));
}

} // namespace

Result<OrderFacts> orderFacts(const Schedule& schedule)
{
    OrderFacts facts;
    for (const DeviceId d : schedule.program.ids())
        for (std::size_t i = 0; i < schedule.program[d].size(); ++i) {
            const Op& op = schedule.program[d][i];
            if (!fits(schedule, d, op))
                return misfit(d, i, op);
            facts.hasTransfers = facts.hasTransfers || isTransfer(op.kind);
            facts.hasCopies = facts.hasCopies || isCopy(op.kind);
            facts.hasRecomputes = facts.hasRecomputes || op.kind == OpKind::Recompute;
        }
    for (const auto& callers : allReduceCallers(schedule))
        facts.allReduceCalls.push_back(static_cast<int>(callers.size()));
    return facts;
}

} // namespace engine::sim
