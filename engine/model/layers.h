#pragma once

#include "engine/backend/kernels.h"

#include <cmath>
#include <vector>

namespace engine {

// y = x weight + bias + residual. The weight is (in, out); bias and residual are optional.
template<class Real> // NOLINTNEXTLINE(readability-function-size)
void linear(const Kernels<Real>& kernels, Matrix<const Real> x, const Real* weight,
            const Real* bias, Matrix<Real> y, Matrix<const Real> residual = {})
{
    kernels.linear({.x = x,
                    .weight = {weight, x.columns, y.columns},
                    .bias = bias,
                    .residual = residual,
                    .y = y});
}

// dx = dy weight^T; dx is overwritten.
template<class Real>
void linearBackwardInput(const Kernels<Real>& kernels, Matrix<const Real> dy, const Real* weight,
                         Matrix<Real> dx)
{
    kernels.linearBackwardInput({.dy = dy, .weight = {weight, dx.columns, dy.columns}, .dx = dx});
}

// dWeight += x^T dy; dBias += sum of dy over its rows. The bias is optional.
template<class Real>
void linearBackwardWeight(const Kernels<Real>& kernels, Matrix<const Real> x, Matrix<const Real> dy,
                          Wide<Real>* dWeight, Wide<Real>* dBias)
{
    kernels.linearBackwardWeight(
        {.x = x, .dy = dy, .dWeight = {dWeight, x.columns, dy.columns}, .dBias = dBias});
}

// Runs a layer norm, or RMSNorm if op.mean is nullptr.
template<class Real>
void norm(const Kernels<Real>& kernels, const LayerNorm<Real>& op)
{
    if (op.mean != nullptr)
        kernels.layerNorm(op);
    else
        kernels.rmsNorm({op.x, op.gain, op.y, op.inverseDeviation});
}

template<class Real>
void normBackward(const Kernels<Real>& kernels, const LayerNormBackward<Real>& op)
{
    if (op.mean != nullptr)
        kernels.layerNormBackward(op);
    else
        kernels.rmsNormBackward(
            {op.x, op.dy, op.residual, op.gain, op.inverseDeviation, op.dx, op.dGain});
}

// The cosines and sines of the angles p / 10000^(2c / headSize) for position p and column c, as two
// (positions, headSize / 2) matrices. Empty for a model without rotary positions.
template<class Real>
class RotaryTable
{
public:
    // `kernels` must outlive the table.
    RotaryTable(int positions, int headSize, const Kernels<Real>& kernels)
        : m_half(headSize / 2)
    {
        for (int p = 0; p < positions; ++p)
            for (int c = 0; c < m_half; ++c) {
                const double angle = p * std::pow(1e4, -2.0 * c / headSize);
                m_cosines.push_back(std::cos(angle));
                m_sines.push_back(std::sin(angle));
            }
        m_deviceCosines = kernels.constants(m_cosines);
        m_deviceSines = kernels.constants(m_sines);
    }
    // Not copyable, because the device may read the vectors in place.
    RotaryTable(const RotaryTable&) = delete;
    RotaryTable& operator=(const RotaryTable&) = delete;

    using Direction = typename Rotary<Real>::Direction;
    // Rotates the queries and keys of one slice.
    void turn(const Kernels<Real>& kernels, const AttentionShape& shape, Matrix<Real> qkv,
              int slice, Direction direction) const
    {
        if (m_cosines.empty())
            return;
        const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(slice) * shape.sequence * m_half;
        kernels.rotary({.x = qkv,
                        .heads = shape.heads + shape.keyHeads,
                        .headSize = shape.headSize,
                        .sequence = shape.sequence,
                        .cosines = m_deviceCosines + first,
                        .sines = m_deviceSines + first,
                        .direction = direction});
    }

private:
    int m_half;
    std::vector<Wide<Real>> m_cosines, m_sines;
    const Wide<Real>* m_deviceCosines = nullptr;
    const Wide<Real>* m_deviceSines = nullptr;
};

} // namespace engine
