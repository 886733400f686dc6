#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {

template<class Real>
BS_VECTORIZED void adamW(const AdamW<Real>& op)
{
    const auto beta1 = Real(op.beta1), beta2 = Real(op.beta2), epsilon = Real(op.epsilon);
    const auto correction1 = Real(1 / (1 - std::pow(op.beta1, op.step)));
    const auto correction2 = Real(1 / (1 - std::pow(op.beta2, op.step)));
    const auto rate = Real(op.learningRate), keep = Real(1 - op.learningRate * op.weightDecay);
    Real *weights = op.weights, *m = op.firstMoment, *v = op.secondMoment;
    const Real* gradients = op.gradients;
#pragma omp simd
    for (std::size_t i = 0; i < op.count; ++i) {
        const Real g = gradients[i];
        m[i] = beta1 * m[i] + (Real(1) - beta1) * g;
        v[i] = beta2 * v[i] + (Real(1) - beta2) * g * g;
        const Real step = m[i] * correction1 / (std::sqrt(v[i] * correction2) + epsilon);
        weights[i] = keep * weights[i] - rate * step;
    }
}

template void adamW(const AdamW<float>&);
template void adamW(const AdamW<double>&);

} // namespace engine::cpu
