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

namespace {

constexpr double kOne = 1LL << kFixedPointBits;
// Values are clamped to this limit, just within int64, so that the conversion is defined even if
// the model has diverged.
constexpr double kLimit = 9.0e18;

} // namespace

// Each x is rounded once. The sum wraps in two's complement, so it does not depend on the order.
template<class Number>
BS_VECTORIZED void addFixedPoint(std::span<const Number> x, std::span<std::int64_t> sums)
{
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const double scaled = std::nearbyint(static_cast<double>(x.data()[i]) * kOne);
        const double bounded = std::max(-kLimit, std::min(kLimit, scaled));
        const auto fixed = static_cast<std::uint64_t>(static_cast<std::int64_t>(bounded));
        sums.data()[i]
            = static_cast<std::int64_t>(static_cast<std::uint64_t>(sums.data()[i]) + fixed);
    }
}

template<class Number>
BS_VECTORIZED void fromFixedPoint(std::span<const std::int64_t> sums, std::span<Number> x)
{
    for (std::size_t i = 0; i < x.size(); ++i)
        x.data()[i] = static_cast<Number>(static_cast<double>(sums.data()[i]) / kOne);
}

template void addFixedPoint(std::span<const float>, std::span<std::int64_t>);
template void addFixedPoint(std::span<const double>, std::span<std::int64_t>);
template void fromFixedPoint(std::span<const std::int64_t>, std::span<float>);
template void fromFixedPoint(std::span<const std::int64_t>, std::span<double>);

} // namespace engine::cpu
