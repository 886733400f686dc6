#pragma once

#include "engine/backend/kernels.h"

namespace engine {

// y = x weight + bias. weight: (in, out)
template<class Real>
void linear(const Kernels<Real>& kernels, Matrix<const Real> x, const Real* weight,
            const Real* bias, Matrix<Real> y)
{
    kernels.matmul({.a = x, .b = {weight, x.columns, y.columns}, .c = y});
    if (bias != nullptr)
        kernels.addBias(y, bias);
}

template<class Real>
struct LinearBackward
{
    Matrix<const Real> x, dy;
    const Real* weight = nullptr;
    Real *dWeight = nullptr, *dBias = nullptr; // added to; dBias may be none
    Matrix<Real> dx;                           // overwritten
};

template<class Real>
void linearBackward(const Kernels<Real>& kernels, const LinearBackward<Real>& op)
{
    const int in = op.x.columns, out = op.dy.columns;
    kernels.matmul(
        {.a = op.dy, .b = {op.weight, in, out}, .c = op.dx, .transposeB = Transpose::Yes});
    kernels.matmul({.a = op.x,
                    .b = op.dy,
                    .c = {op.dWeight, in, out},
                    .transposeA = Transpose::Yes,
                    .beta = 1});
    if (op.dBias != nullptr)
        kernels.addBiasGradient(op.dy, op.dBias);
}

} // namespace engine
