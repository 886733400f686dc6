#pragma once

#include "engine/cost/transformer.h"

namespace engine {

enum class AttentionMode : std::uint8_t {
    Standard,  // every score and its dropout mask are stored
    Recompute, // the scores are made again before the backward (selective recomputation)
    Flash,     // never stored (Dao et al., 2022)
};

// How a transformer is trained: what the closed forms of memory and time need beside it.
struct TrainingSetup
{
    int microBatchSize = 1, tensorParallel = 1, dataParallel = 1;
    bool sequenceParallel = true; // activations of norms and dropout are split over t as well
    AttentionMode attention = AttentionMode::Flash;
    bool recomputesAll = false; // only a layer's input is kept
    // bf16 weight 2, fp32 gradient 4, fp32 master 4, Adam 8 (Megatron-LM)
    double weightBytes = 2, gradientBytes = 4, optimizerBytes = 12;

    double stateBytes() const { return weightBytes + gradientBytes + optimizerBytes; }
    friend bool operator==(const TrainingSetup&, const TrainingSetup&) = default;
};

// The same training with everything kept that is recomputed.
TrainingSetup withoutRecompute(TrainingSetup setup);

// Bytes of one micro-batch that a layer keeps from its forward to its backward, per tensor-parallel
// rank, 16-bit. Gpt: Korthikanti et al., arXiv 2205.05198, Table 2; Llama: counted the same way.
double layerStashBytes(const TransformerSpec& model, const TrainingSetup& setup);
// What the first stage (dropout mask, token ids) and the last one (norm, head input, logits) keep
// beside their layers.
double embeddingStashBytes(const TransformerSpec& model, const TrainingSetup& setup);
double headStashBytes(const TransformerSpec& model, const TrainingSetup& setup);
// A message between two stages: 2 s b h, split over t with sequence parallelism.
double boundaryBytes(const TransformerSpec& model, const TrainingSetup& setup);

// Stage `stage` of `stages` holds so many of the layers, as the trained models do; its parameters
// on one tensor-parallel rank, embedding and head included.
int layersOf(const TransformerSpec& model, int stages, int stage);
double stageParameters(const TransformerSpec& model, const TrainingSetup& setup, int stages,
                       int stage);
double stageStashBytes(const TransformerSpec& model, const TrainingSetup& setup, int stages,
                       int stage);
// Where there are fewer layers than stages: says so.
Result<void> checkStages(const TransformerSpec& model, int stages);

} // namespace engine
