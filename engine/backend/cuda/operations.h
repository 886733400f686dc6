#pragma once

#include "engine/backend/cuda/lane.h"
#include "engine/backend/kernels.h"

// One family of kernels a file, for float. What each computes is said at Kernels; all are queued on
// the lane and return at once. Shapes and alignment are checked here, not on the device.
namespace engine::cuda {

void addBias(const Lane& lane, Matrix<float> y, const float* bias);
void addBiasGradient(const Lane& lane, Matrix<const float> dy, float* dBias);
void add(const Lane& lane, std::span<const float> x, std::span<float> y);

void layerNorm(const Lane& lane, const LayerNorm<float>& op);
void layerNormBackward(const Lane& lane, const LayerNormBackward<float>& op);
void rmsNorm(const Lane& lane, const RmsNorm<float>& op);
void rmsNormBackward(const Lane& lane, const RmsNormBackward<float>& op);
void rotary(const Lane& lane, const Rotary<float>& op);

void gelu(const Lane& lane, std::span<const float> x, std::span<float> y);
void geluBackward(const Lane& lane, std::span<const float> dy, std::span<float> x);
void swiGlu(const Lane& lane, Matrix<const float> x, Matrix<float> y);
void swiGluBackward(const Lane& lane, Matrix<const float> dy, Matrix<float> x);

void embedding(const Lane& lane, std::span<const std::int32_t> tokens, const float* tokenTable,
               Matrix<const float> positionTable, Matrix<float> out);
void embeddingBackward(const Lane& lane, std::span<const std::int32_t> tokens,
                       Matrix<const float> dOut, float* dTokenTable, Matrix<float> dPositionTable);

// Where on the device the sum will be, until the lane's next op.
double* crossEntropy(const Lane& lane, Matrix<float> logits, std::span<const std::int32_t> targets);
void crossEntropyBackward(const Lane& lane, Matrix<float> probabilities,
                          std::span<const std::int32_t> targets, float scale);

void adamW(const Lane& lane, const AdamW<float>& op);
void addFixedPoint(const Lane& lane, std::span<const float> x, std::span<std::int64_t> sums);
void addIntegers(const Lane& lane, std::span<const std::int64_t> x, std::span<std::int64_t> y);
void fromFixedPoint(const Lane& lane, std::span<const std::int64_t> sums, std::span<float> x);

// Scores of several heads, one after the other, `sequence` rows each. The first `columns` of
// `stride` exist; with the causal mask the last row of a head sees all of them.
struct ScoreRows
{
    float* data = nullptr;
    int rows = 0, columns = 0, stride = 0, sequence = 0;
    AttentionMask mask = AttentionMask::Causal;
};
// To probabilities in place; 0 where nothing is seen.
void softmax(const Lane& lane, const ScoreRows& scores);
// dS takes the place of dP, which lies as the probabilities do.
void softmaxBackward(const Lane& lane, const ScoreRows& probabilities, float* gradient);

} // namespace engine::cuda
