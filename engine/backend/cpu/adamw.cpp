#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {

template<class Real>
BS_VECTORIZED void adamW(const AdamW<Real>& op)
{
    using W = Wide<Real>;
    const auto beta1 = W(op.beta1), beta2 = W(op.beta2), epsilon = W(op.epsilon);
    const auto correction1 = W(1 / (1 - std::pow(op.beta1, op.step)));
    const auto correction2 = W(1 / (1 - std::pow(op.beta2, op.step)));
    const auto rate = W(op.learningRate), keep = W(1 - op.learningRate * op.weightDecay);
    W *weights = op.weights, *m = op.firstMoment, *v = op.secondMoment;
    const W* gradients = op.gradients;
#pragma omp simd
    for (std::size_t i = 0; i < op.count; ++i) {
        const W g = gradients[i];
        m[i] = beta1 * m[i] + (W(1) - beta1) * g;
        v[i] = beta2 * v[i] + (W(1) - beta2) * g * g;
        const W step = m[i] * correction1 / (std::sqrt(v[i] * correction2) + epsilon);
        weights[i] = keep * weights[i] - rate * step;
    }
    for (std::size_t i = 0; op.rounded != nullptr && i < op.count; ++i)
        op.rounded[i] = Real(weights[i]);
}

template<class Real>
void adamW(const AdamW<Real>& op, std::span<const DecayPart> parts)
{
    AdamW<Real> part = op;
    for (const DecayPart& each : parts) {
        part.count = each.count;
        part.weightDecay = each.decays ? op.weightDecay : 0;
        adamW(part);
        for (Wide<Real>** array : {&part.weights, &part.firstMoment, &part.secondMoment})
            *array += each.count;
        part.gradients += each.count;
        part.rounded += part.rounded != nullptr ? each.count : 0;
    }
}

template void adamW(const AdamW<float>&);
template void adamW(const AdamW<float>&, std::span<const DecayPart>);
template void adamW(const AdamW<double>&);
template void adamW(const AdamW<double>&, std::span<const DecayPart>);
template void adamW(const AdamW<bfloat16>&);
template void adamW(const AdamW<bfloat16>&, std::span<const DecayPart>);

} // namespace engine::cpu
