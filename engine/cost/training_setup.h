#pragma once

#include "engine/base/field.h"
#include "engine/base/memory_capacity.h"
#include "engine/cost/layer_layout.h"
#include "engine/cost/transformer.h"

namespace engine {

enum class AttentionMode : std::uint8_t {
    Standard,  // all scores are stored, and their masks if the model has dropout
    Recompute, // the scores are recomputed before the backward (selective recomputation)
    Flash,     // scores are never stored (Dao et al., 2022)
};

// The precision in which all-reduces sum gradients; gradients are accumulated in fp32 in both
// cases. Megatron-LM: --accumulate-allreduce-grads-in-fp32.
enum class GradientPrecision : std::uint8_t { Fp32, Bf16 };

// The setup of a transformer's training. The closed forms for memory and time take it as input.
struct TrainingSetup
{
    int microBatchSize = 1, tensorParallel = 1, dataParallel = 1;
    LayerLayout layout;
    bool sequenceParallel = true; // activations of norms and dropout are divided by t, too
    AttentionMode attention = AttentionMode::Flash;
    bool recomputesAll = false; // only the input of each layer is kept
    GradientPrecision allReducePrecision = GradientPrecision::Fp32;
    // Bytes per parameter in Megatron-LM: bf16 weight 2, fp32 gradient 4, fp32 master weight 4 and
    // Adam 8.
    double weightBytes = 2, gradientBytes = 4, optimizerBytes = 12;
    double activationBytes = 2;                       // of a number in a stash or a message
    double reserve = MemoryCapacity::kDefaultReserve; // in percent, see MemoryCapacity

    double stateBytes() const { return weightBytes + gradientBytes + optimizerBytes; }
    friend bool operator==(const TrainingSetup&, const TrainingSetup&) = default;
};

// The kernels between the two matrix products of attention, and their memory traffic in bytes per
// 16-bit attention score. Megatron-LM uses its fused softmax (fused_softmax.py) if heads x
// sequences on a rank is a multiple of 4, and the sequence length is a multiple of 4 from 17 to
// 16,384. Otherwise separate kernels scale, mask, convert and normalise. Without dropout, both
// variants move 5 bytes less.
struct AttentionKernels
{
    std::string_view name; // "fused softmax"
    double forwardTraffic = 0, backwardTraffic = 0;
};
AttentionKernels attentionKernels(const TransformerSpec& model, const TrainingSetup& setup);
// Heads x sequences of a micro-batch on one tensor-parallel rank.
double headsPerRank(const TransformerSpec& model, const TrainingSetup& setup);

TrainingSetup withoutRecompute(TrainingSetup setup);

// Bytes that a layer keeps from forward to backward, per micro-batch and tensor-parallel rank. The
// formula for Gpt with 16-bit activations is from Korthikanti et al., arXiv 2205.05198, Table 2;
// that for Llama is derived by the same method.
double layerStashBytes(const TransformerSpec& model, const TrainingSetup& setup);
// Bytes that the first stage (token ids or pixels, and the mask of dropout) and the last stage
// (norm, head input, logits) keep in addition to their layers.
double embeddingStashBytes(const TransformerSpec& model, const TrainingSetup& setup);
double headStashBytes(const TransformerSpec& model, const TrainingSetup& setup);
// Bytes of a message between two stages: 2 s b h in 16 bits, divided by t with sequence
// parallelism.
double boundaryBytes(const TransformerSpec& model, const TrainingSetup& setup);

// The number of layers of a stage, and its parameters on one tensor-parallel rank including
// embedding and head.
int layersOf(const TransformerSpec& model, const TrainingSetup& setup, int stages, int stage);
double stageParameters(const TransformerSpec& model, const TrainingSetup& setup, int stages,
                       int stage);
double stageStashBytes(const TransformerSpec& model, const TrainingSetup& setup, int stages,
                       int stage);
// Fails if the heads of `model` cannot be divided among the devices of a stage.
Result<void> checkHeads(std::string_view model, int heads, int tensorParallel);
// Fails as LayerLayout::check() and checkHeads() do.
Result<void> checkParallel(const TransformerSpec& model, const TrainingSetup& setup, int stages);

// The options of `bscope simulate --model --hardware` and of `bscope estimate`, and the fields of
// the set-up page for costs of a model on hardware.
Fields<TrainingSetup> trainingSetupFields();

} // namespace engine
