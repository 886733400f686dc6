#pragma once

#include "engine/backend/kernels.h"

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

} // namespace engine
