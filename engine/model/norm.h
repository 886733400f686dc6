#pragma once

#include "engine/backend/kernels.h"

namespace engine {

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

} // namespace engine
