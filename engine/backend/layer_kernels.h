#pragma once

#include "engine/backend/attention.h"
#include "engine/backend/matrix.h"

#include <cstdint>

namespace engine {

// For each row: y = (x - mean) / deviation * gain + bias. mean and 1 / deviation are kept for the
// backward.
template<class Real>
struct LayerNorm
{
    Matrix<const Real> x;
    const Real *gain = nullptr, *bias = nullptr;
    Matrix<Real> y;
    Wide<Real>* mean = nullptr; // [rows]
    Wide<Real>* inverseDeviation = nullptr;
};

// dx = residual + the gradient of the norm with respect to x.
template<class Real>
struct LayerNormBackward
{
    Matrix<const Real> x, dy, residual; // the residual is optional
    const Real* gain = nullptr;
    const Wide<Real>* mean = nullptr;
    const Wide<Real>* inverseDeviation = nullptr;
    Matrix<Real> dx;             // may alias x or the residual
    Wide<Real>* dGain = nullptr; // accumulated
    Wide<Real>* dBias = nullptr;
};

// Like LayerNorm, but without mean and bias (Zhang and Sennrich, 2019): y = x / root mean square *
// gain.
template<class Real>
struct RmsNorm
{
    Matrix<const Real> x;
    const Real* gain = nullptr;
    Matrix<Real> y;
    Wide<Real>* inverse = nullptr; // [rows]
};

template<class Real>
struct RmsNormBackward
{
    Matrix<const Real> x, dy, residual; // as in LayerNormBackward
    const Real* gain = nullptr;
    const Wide<Real>* inverse = nullptr;
    Matrix<Real> dx;
    Wide<Real>* dGain = nullptr; // accumulated
};

// Rotary position embedding (Su et al., 2021): in each head, columns c and c + size / 2 are rotated
// by an angle that depends on position and c. The backward rotates in the opposite direction.
template<class Real>
struct Rotary
{
    Matrix<Real> x; // the first heads * headSize columns are rotated in place
    int heads = 0, headSize = 0, sequence = 0;
    const Wide<Real>* cosines = nullptr; // (sequence, headSize / 2)
    const Wide<Real>* sines = nullptr;
    enum class Direction : std::uint8_t { Forward, Backward } direction = Direction::Forward;
};

// Norms, rotary positions, attention and SwiGLU.
template<class Real>
class LayerKernels
{
public:
    virtual void layerNorm(const LayerNorm<Real>& op) const = 0;
    virtual void layerNormBackward(const LayerNormBackward<Real>& op) const = 0;
    virtual void rmsNorm(const RmsNorm<Real>& op) const = 0;
    virtual void rmsNormBackward(const RmsNormBackward<Real>& op) const = 0;
    virtual void rotary(const Rotary<Real>& op) const = 0;
    // Returns the number of attention heads processed at once: AttentionShape::headsAtOnce.
    virtual int headsAtOnce(const AttentionShape& /*shape*/) const { return 1; }
    virtual void attention(const Attention<Real>& op) const = 0;
    virtual void attentionBackward(const AttentionBackward<Real>& op) const = 0;

    // SwiGLU (Shazeer, 2020): y = silu(gate) * up. x is (rows, 2F): F gate columns, then F up
    // columns; y is (rows, F). swiGluBackward() overwrites x with dx.
    virtual void swiGlu(Matrix<const Real> x, Matrix<Real> y) const = 0;
    virtual void swiGluBackward(Matrix<const Real> dy, Matrix<Real> x) const = 0;

protected:
    ~LayerKernels() = default;
};

} // namespace engine
