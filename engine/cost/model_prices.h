#pragma once

#include "engine/cost/hardware.h"
#include "engine/cost/op_prices.h"
#include "engine/cost/training_setup.h"

#include <array>

namespace engine {

// A model on hardware: the input of the closed forms for the durations of ops and the bytes of
// stages. Uncalibrated iteration times are accurate to about 15 %; ratios between schedules are
// more accurate.
struct ModelOnHardware
{
    TransformerSpec model;
    HardwareSpec hardware;
    TrainingSetup setup;

    MemoryCapacity memory() const;
};

// Seconds that one layer takes for one micro-batch on one device.
struct LayerTimes
{
    double forward = 0, inputGradient = 0, weightGradient = 0, recompute = 0;
};
LayerTimes layerTimes(const ModelOnHardware& on);

// Bytes that an all-reduce sums, on one tensor-parallel rank.
double allReduceBytes(const ModelOnHardware& on, int stages, int stage);

// The part of them, for the first and the last stage, that is the gradient of tied embeddings.
double tiedBytes(const ModelOnHardware& on);

// Where recomputation happens: in every backward, or in separate RECOMPUTE ops.
enum class RecomputeIn : std::uint8_t { Backward, Ops };

// Prices from the roofline model. The duration of an op is the sum of its matrix products at the
// attained peak, its memory traffic at the attained bandwidth, a launch per kernel and its
// tensor-parallel all-reduces. A message uses the slowest link between its two devices, over all
// data-parallel copies. An all-reduce over all devices that hold a stage is a ring with the slowest
// link between them; across nodes it may be hierarchical (HardwareSpec). Transfers share the links
// of the hardware unless all devices are in one node of unknown size. `rules` are copied to the
// result. A RECOMPUTE repeats the part chosen in on.setup, by default the whole forward.
Result<OpPrices> modelPrices(const Shape& shape, const ModelOnHardware& on, Mapping mapping = {},
                             const TimingRules& rules = {},
                             RecomputeIn recomputes = RecomputeIn::Backward);

// How much recomputation rebuilds at a time. LayerByLayer: a backward recomputes one layer in
// working memory, then frees it. WholeStage: a RECOMPUTE, or an I whose W needs all recomputed
// activations, recomputes the whole stage.
enum class Rebuilt : std::uint8_t { LayerByLayer, WholeStage };
Rebuilt rebuiltBy(const Schedule& schedule, const TrainingSetup& setup);

// Bytes of a stage on a device. The weights, gradients and optimizer state stay for the whole run.
// A micro-batch holds `stash` bytes during F and from its RECOMPUTE or backward on, and `kept`
// bytes in between. `kept` is smaller than `stash` if the whole stage is recomputed. Working memory
// is not included.
struct StageBytes
{
    double weights = 0, gradients = 0, optimizer = 0, stash = 0, kept = 0;
};
IdVector<StageId, StageBytes> stageBytes(const ModelOnHardware& on, int stages, Rebuilt rebuilt);
// kept / stash of a layer; 1 if nothing is recomputed.
double keptShare(const ModelOnHardware& on);

} // namespace engine
