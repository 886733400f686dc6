#include "engine/cost/estimate.h"

#include <algorithm>
#include <vector>

namespace engine {
namespace {

double devices(const EstimateInput& input)
{
    const TrainingSetup& setup = input.on.setup;
    return static_cast<double>(input.stages) * setup.tensorParallel * setup.dataParallel;
}

// Returns the FLOPs of recomputation: the forward of all layers if everything is recomputed, or
// `times` x the attention of all layers if only attention is recomputed.
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

// Bytes of one device. `stash` is the stash of one micro-batch in all stages of the device;
// `layers` is `stash` without embedding and head.
struct DeviceMemory
{
    double state = 0, stash = 0, layers = 0;
};

DeviceMemory memoryOf(const EstimateInput& input, int device)
{
    const auto& [model, hardware, setup] = input.on;
    const int stages = input.stages * input.chunks;
    DeviceMemory memory;
    for (int stage = device; stage < stages; stage += input.stages) {
        memory.state += stageParameters(model, setup, stages, stage) * setup.stateBytes();
        memory.stash += stageStashBytes(model, setup, stages, stage);
        memory.layers += layersOf(model, stages, stage) * layerStashBytes(model, setup);
    }
    return memory;
}

// The largest number of micro-batches whose stashes a device holds at once in 1F1B. With one chunk
// it is D - d. With v chunks a device holds the stashes of 2 (D-1-d) + (v-1) D warm-up forwards
// (Megatron-LM) and of one more forward; each is a v-th of a micro-batch. The result is at most the
// number of micro-batches.
double heldBy1F1B(const EstimateInput& input, int device)
{
    const double p = input.stages, v = input.chunks, left = p - device;
    return std::min(microBatchesOf(input), v == 1 ? left : (2 * (left - 1) + (v - 1) * p + 1) / v);
}

// Each device keeps at most ceil((D+2)/2) stashes. Device d < D/2 evicts the rest to device D-1-d.
double bpipeMemory(const EstimateInput& input, const std::vector<DeviceMemory>& devices)
{
    const auto bound = static_cast<double>((input.stages + 3) / 2);
    double most = 0;
    for (int d = 0; d < input.stages; ++d) {
        const int partner = input.stages - 1 - d;
        const double own = std::min(heldBy1F1B(input, d), bound);
        const double guests = std::max(0.0, heldBy1F1B(input, partner) - bound);
        most = std::max(most,
                        devices[d].state + own * devices[d].stash
                            + (partner < d ? guests * devices[partner].stash : 0));
    }
    return most;
}

} // namespace

MemoryEstimate estimateMemory(const EstimateInput& input)
{
    std::vector<DeviceMemory> devices;
    for (int d = 0; d < input.stages; ++d)
        devices.push_back(memoryOf(input, d));
    MemoryEstimate memory;
    for (int d = 0; d < input.stages; ++d) {
        const double held = devices[d].state + heldBy1F1B(input, d) * devices[d].stash;
        if (held <= memory.oneFOneB)
            continue;
        memory.device = d;
        memory.state = devices[d].state;
        memory.stash = devices[d].layers;
        memory.oneFOneB = held;
    }
    if (input.chunks == 1)
        memory.bpipe = bpipeMemory(input, devices);
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
    // The papers count the attention of F three times: once for F and twice for B.
    constexpr double kPublished = 3;
    const double model = modelFlops(input.on.model, input.globalBatch);
    const double could = devices(input) * input.on.hardware.peakFlops * iterationSeconds;
    return {model / could, (model + recomputedFlops(input, kPublished)) / could,
            (model + recomputedFlops(input, 1)) / could};
}

} // namespace engine
