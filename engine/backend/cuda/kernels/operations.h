#pragma once

#include "engine/backend/cuda/kernels/op_stream.h"
#include "engine/backend/kernels.h"

// One family of kernels per file, for float and bfloat16, documented in backend/kernels.h. Calls
// queue work on the stream and return at once. The host checks shapes and alignment.
namespace engine::cuda {

template<class Real>
void addBias(const OpStream& opStream, Matrix<Real> y, const Real* bias);
template<class Real>
void addBiasGradient(const OpStream& opStream, Matrix<const Real> dy, float* dBias);
template<class Real>
void add(const OpStream& opStream, std::span<const Real> x, std::span<Real> y);
template<class Real>
void roundRows(const OpStream& opStream, Matrix<const float> x, Matrix<Real> y);

template<class Real>
void layerNorm(const OpStream& opStream, const LayerNorm<Real>& op);
template<class Real>
void layerNormBackward(const OpStream& opStream, const LayerNormBackward<Real>& op);
template<class Real>
void rmsNorm(const OpStream& opStream, const RmsNorm<Real>& op);
template<class Real>
void rmsNormBackward(const OpStream& opStream, const RmsNormBackward<Real>& op);
template<class Real>
void rotary(const OpStream& opStream, const Rotary<Real>& op);

template<class Real>
void gelu(const OpStream& opStream, std::span<const Real> x, std::span<Real> y);
template<class Real>
void geluBackward(const OpStream& opStream, std::span<const Real> dy, std::span<Real> x);
template<class Real>
void swiGlu(const OpStream& opStream, Matrix<const Real> x, Matrix<Real> y);
template<class Real>
void swiGluBackward(const OpStream& opStream, Matrix<const Real> dy, Matrix<Real> x);

template<class Real>
void embedding(const OpStream& opStream, std::span<const std::int32_t> tokens,
               const Real* tokenTable, Matrix<const Real> positionTable, Matrix<Real> out);
template<class Real>
void embeddingBackward(const OpStream& opStream, std::span<const std::int32_t> tokens,
                       Matrix<const Real> dOut, float* dTokenTable, Matrix<float> dPositionTable);

template<class Real>
void crossEntropy(const OpStream& opStream, const CrossEntropy<Real>& op);
template<class Real>
void crossEntropyBackward(const OpStream& opStream, Matrix<Real> logits,
                          std::span<const std::int32_t> targets, float scale);

template<class Real>
void adamW(const OpStream& opStream, const AdamW<Real>& op, std::span<const DecayPart> parts);
// The order of the additions depends only on the size and the alignment of `x`.
void addSquares(const OpStream& opStream, std::span<const float> x, double* sum);
void addFixedPoint(const OpStream& opStream, std::span<const float> x,
                   std::span<std::int64_t> sums);
void addIntegers(const OpStream& opStream, std::span<const std::int64_t> x,
                 std::span<std::int64_t> y);
void fromFixedPoint(const OpStream& opStream, std::span<const std::int64_t> sums,
                    std::span<float> x);

// Synchronizes the stream to read the count of lines (kLine bytes).
std::int64_t linesUnlike(const OpStream& opStream, std::byte value,
                         std::span<const std::byte> memory);

// The scores of several consecutive heads, `sequence` rows each. A row has `stride` numbers, of
// which the first `columns` are used. With the causal mask the last row of a head attends to all of
// these columns.
template<class Real>
struct ScoreRows
{
    Real* data = nullptr;
    int rows = 0, columns = 0, stride = 0, sequence = 0;
    AttentionMask mask = AttentionMask::Causal;
};
// Applies the softmax in place; masked columns become 0.
template<class Real>
void softmax(const OpStream& opStream, const ScoreRows<Real>& scores);
// On entry `gradient` is the gradient of the probabilities, in the same layout. It is replaced by
// the gradient of the scores.
template<class Real>
void softmaxBackward(const OpStream& opStream, const ScoreRows<Real>& probabilities,
                     Real* gradient);

} // namespace engine::cuda
