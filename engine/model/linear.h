#pragma once

#include "engine/backend/kernels.h"

namespace engine {

// y = x weight + bias. weight: (in, out); the bias may be none.
template<class Real>
void linear(const Kernels<Real>& kernels, Matrix<const Real> x, const Real* weight,
            const Real* bias, Matrix<Real> y)
{
    kernels.matmul({.a = x, .b = {weight, x.columns, y.columns}, .c = y});
    if (bias != nullptr)
        kernels.addBias(y, bias);
}

// dx = dy weight^T: overwritten.
template<class Real>
void linearBackwardInput(const Kernels<Real>& kernels, Matrix<const Real> dy, const Real* weight,
                         Matrix<Real> dx)
{
    kernels.matmul(
        {.a = dy, .b = {weight, dx.columns, dy.columns}, .c = dx, .transposeB = Transpose::Yes});
}

// dWeight += x^T dy, dBias += the sum of dy over its rows; the bias may be none.
template<class Real>
void linearBackwardWeight(const Kernels<Real>& kernels, Matrix<const Real> x, Matrix<const Real> dy,
                          Wide<Real>* dWeight, Wide<Real>* dBias)
{
    kernels.matmulWide({.a = x,
                        .b = dy,
                        .c = {dWeight, x.columns, dy.columns},
                        .transposeA = Transpose::Yes,
                        .beta = 1});
    if (dBias != nullptr)
        kernels.addBiasGradient(dy, dBias);
}

} // namespace engine
