#pragma once

#include "engine/backend/kernels.h"

// One family of operations per file, for float and bfloat16 (training) and double (finite
// differences). Kernels (kernels.h) documents each operation.
namespace engine::cpu {

template<class Real, class Out = Real>
void matmul(const Matmul<Real, Out>& op);
template<class Real>
void addBias(Matrix<Real> y, const Real* bias);
template<class Real>
void addBiasGradient(Matrix<const Real> dy, Wide<Real>* dBias);
template<class Real>
void add(std::span<const Real> x, std::span<Real> y);

template<class Real>
void layerNorm(const LayerNorm<Real>& op);
template<class Real>
void layerNormBackward(const LayerNormBackward<Real>& op);
template<class Real>
void rmsNorm(const RmsNorm<Real>& op);
template<class Real>
void rmsNormBackward(const RmsNormBackward<Real>& op);
template<class Real>
void rotary(const Rotary<Real>& op);
template<class Real>
void attention(const Attention<Real>& op);
template<class Real>
void attentionBackward(const AttentionBackward<Real>& op);
template<class Real>
void gelu(std::span<const Real> x, std::span<Real> y);
template<class Real>
void geluBackward(std::span<const Real> dy, std::span<Real> x);
template<class Real>
void swiGlu(Matrix<const Real> x, Matrix<Real> y);
template<class Real>
void swiGluBackward(Matrix<const Real> dy, Matrix<Real> x);

template<class Real>
void embedding(std::span<const std::int32_t> tokens, const Real* tokenTable,
               Matrix<const Real> positionTable, Matrix<Real> out);
template<class Real>
void embeddingBackward(std::span<const std::int32_t> tokens, Matrix<const Real> dOut,
                       Wide<Real>* dTokenTable, Matrix<Wide<Real>> dPositionTable);

template<class Real>
void crossEntropy(const CrossEntropy<Real>& op);
template<class Real>
void crossEntropyBackward(Matrix<Real> logits, std::span<const std::int32_t> targets,
                          Wide<Real> scale);

template<class Real>
void adamW(const AdamW<Real>& op);
template<class Real>
void adamW(const AdamW<Real>& op, std::span<const DecayPart> parts);
template<class Number>
void addFixedPoint(std::span<const Number> x, std::span<std::int64_t> sums);
template<class Number>
void fromFixedPoint(std::span<const std::int64_t> sums, std::span<Number> x);

} // namespace engine::cpu
