#include "profiler/analysis/predicted_info.h"

#include <fmt/format.h>

#include <cmath>

namespace profiler {

using namespace engine;

namespace {
double microBatches(const Shape& shape)
{
    return static_cast<double>(shape.microBatches) * shape.dataParallel;
}
// Returns the FLOPs of the forward that the backward recomputes.
double recomputedFlops(const ModelOnHardware& on, double sequences)
{
    const double attention = attentionFlops(on.model, sequences);
    const double perLayer = on.setup.recomputesAll ? layerFlops(on.model, sequences) + attention
        : on.setup.attention == AttentionMode::Recompute ? attention
                                                         : 0;
    return on.model.layers * perLayer;
}
} // namespace

void describeModel(const ModelOnHardware& on, const Shape& shape, RunInfo& info)
{
    const double sequences = microBatches(shape) * on.setup.microBatchSize;
    info.model = on.model.name;
    info.deviceName = on.setup.tensorParallel == 1
        ? on.hardware.name
        : fmt::format("{} x {}", on.setup.tensorParallel, on.hardware.name);
    info.link = fmt::format("{:.4g} GB/s within a node, {:.4g} GB/s between nodes (assumed)",
                            on.hardware.node.bandwidth * on.hardware.linkShare / 1e9,
                            on.hardware.network.bandwidth * on.hardware.linkShare / 1e9);
    info.tokensPerIteration = std::llround(sequences * on.model.sequence);
    info.flopsPerIteration = modelFlops(on.model, sequences);
    info.executedFlops = info.flopsPerIteration + recomputedFlops(on, sequences);
    info.peakFlops = on.hardware.peakFlops * on.setup.tensorParallel;
    info.memory = on.memory();
}

void describeRecorded(const Run& recorded, std::string_view file, const Shape& shape, RunInfo& info)
{
    const RunInfo& of = recorded.info;
    const double part = microBatches(shape) / microBatches(recorded.schedule.shape);
    info.timing = fmt::format("medians of {} ({})", file, modeDescription(of));
    info.link = of.link;
    info.model = of.model;
    info.deviceName = of.deviceName;
    info.tokensPerIteration = std::llround(static_cast<double>(of.tokensPerIteration) * part);
    info.flopsPerIteration = of.flopsPerIteration * part;
    info.executedFlops = of.executedFlops * part;
    info.peakFlops = of.peakFlops;
}

} // namespace profiler
