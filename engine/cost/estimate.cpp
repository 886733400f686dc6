#include "engine/cost/estimate.h"

#include <algorithm>

namespace engine {
namespace {

double devices(const EstimateInput& input)
{
    const TrainingSetup& setup = input.on.setup;
    return static_cast<double>(input.stages) * setup.tensorParallel * setup.dataParallel;
}

// FLOPs of recomputation: the forward of all layers, or `times` the attention of all layers.
double recomputedFlops(const EstimateInput& input, double times)
{
    const ModelOnHardware& on = input.on;
    if (on.setup.recomputesAll)
        return on.model.layers
            * (layerFlops(on.model, input.globalBatch)
               + attentionFlops(on.model, input.globalBatch));
    if (on.setup.attention == AttentionMode::Recompute)
        return times * on.model.layers * attentionFlops(on.model, input.globalBatch);
    return 0;
}

} // namespace

MemoryEstimate estimateMemory(const EstimateInput& input)
{
    const ModelOnHardware& on = input.on;
    MemoryEstimate memory;
    memory.state = stageParameters(on.model, on.setup, input.stages, 0) * on.setup.stateBytes();
    memory.stash = layersOf(on.model, input.stages, 0) * layerStashBytes(on.model, on.setup);
    const double n = microBatchesOf(input), p = input.stages;
    const double interleaved = input.chunks > 1 ? (p - 1) / input.chunks : 0;
    const double bound = (input.stages + 3) / 2; // ceil((D+2)/2)
    const double stash = memory.stash + embeddingStashBytes(on.model, on.setup);
    memory.oneFOneB = memory.state + std::min(n, p + interleaved) * stash;
    if (input.chunks == 1)
        memory.bpipe = memory.state + std::min({n, p, bound}) * stash;
    return memory;
}

double microBatchesOf(const EstimateInput& input)
{
    return input.globalBatch / (input.on.setup.dataParallel * input.on.setup.microBatchSize);
}

double rooflineStageMfu(const EstimateInput& input)
{
    const ModelOnHardware& on = input.on;
    const LayerTimes layer = layerTimes(on);
    const double b = on.setup.microBatchSize;
    const double flops = 3 * (layerFlops(on.model, b) + attentionFlops(on.model, b));
    const double seconds
        = layer.forward + layer.inputGradient + layer.weightGradient + layer.recompute;
    return flops / (on.setup.tensorParallel * on.hardware.peakFlops * seconds);
}

double pipelineMfu(const EstimateInput& input, double stageMfu)
{
    const double n = microBatchesOf(input);
    return stageMfu * n / (n + (input.stages - 1.0) / input.chunks);
}

double breakEven(const EstimateInput& input, int from, int to)
{
    const auto slots = [&](int size) {
        return input.globalBatch
            + input.on.setup.dataParallel * size * (input.stages - 1.0) / input.chunks;
    };
    return slots(to) / slots(from);
}

UtilisationEstimate utilisation(const EstimateInput& input, double iterationSeconds)
{
    // The papers count three attention forwards: F once, and B as twice F.
    constexpr double kPublished = 3;
    const double model = modelFlops(input.on.model, input.globalBatch);
    const double could = devices(input) * input.on.hardware.peakFlops * iterationSeconds;
    return {model / could, (model + recomputedFlops(input, kPublished)) / could,
            (model + recomputedFlops(input, 1)) / could};
}

} // namespace engine
