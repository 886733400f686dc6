#include "app/compare/time_shares.h"

namespace app {

std::vector<TimeShare> timeShares(const profiler::ComparedRun& run)
{
    using engine::OpKind;
    using Kind = TimeShare::Kind;
    std::vector<TimeShare> shares;
    for (const OpKind op : {OpKind::Forward, OpKind::Recompute, OpKind::Backward,
                            OpKind::BackwardInput, OpKind::BackwardWeight}) {
        const double ticks = run.metrics.mean(
            [op](const profiler::DeviceMetrics& device) { return device.byKind[op]; });
        if (ticks > 0)
            shares.push_back({Kind::Compute, op, ticks});
    }
    const auto add = [&shares](Kind kind, OpKind op, double ticks) {
        if (ticks > 0)
            shares.push_back({kind, op, ticks});
    };
    add(Kind::Exposed, OpKind::SendActivation, run.meanExposed);
    add(Kind::Optimizer, OpKind::OptimizerStep, run.meanOptimizer);
    add(Kind::Bubble, OpKind::Forward, run.meanBubble);
    return shares;
}

} // namespace app
