#pragma once

#include "engine/cost/hardware.h"
#include "engine/cost/op_prices.h"
#include "engine/cost/training_setup.h"

#include <array>

namespace engine {

// A model on hardware: what ops cost in nanoseconds and how much memory stages take, from closed
// forms. Not calibrated, so iteration times are good to about 15 %; the proportions of schedules on
// the same times are better.
struct ModelOnHardware
{
    TransformerSpec model;
    HardwareSpec hardware;
    TrainingSetup setup;
};

// Seconds of one micro-batch of one layer on one device.
struct LayerTimes
{
    double forward = 0, inputGradient = 0, weightGradient = 0, recompute = 0;
};
LayerTimes layerTimes(const ModelOnHardware& on);

// Where what TrainingSetup recomputes is repeated: in ops of its own, or by every backward.
enum class RecomputeIn : std::uint8_t { Backward, Ops };

// The roofline: an op takes its FLOPs over the share of the peak that is reached, or its bytes over
// the memory's, and a launch for each kernel. The all-reduce of a stage is a ring over
// replicas x data-parallel width. `rules` are taken over. A RECOMPUTE repeats what the setup says,
// and the whole forward where it says nothing.
Result<OpPrices> modelPrices(const Shape& shape, const ModelOnHardware& on,
                             const TimingRules& rules = {},
                             RecomputeIn recomputes = RecomputeIn::Backward);

// Bytes a device holds of a stage for the whole run, and of each micro-batch in flight: `stash`
// while its F or its backward runs, `kept` in between, which is less where something is recomputed.
struct StageBytes
{
    double weights = 0, gradients = 0, optimizer = 0, stash = 0, kept = 0;
};
std::vector<StageBytes> stageBytes(const ModelOnHardware& on, int stages);
// kept / stash of a layer: 1 where nothing is recomputed.
double keptShare(const ModelOnHardware& on);

} // namespace engine
