#include "engine/backend/cuda/elements.h"
#include "engine/backend/cuda/operations.h"

#include <cmath>

namespace engine::cuda {
namespace {

// 16 bytes read and 12 written a parameter, and 2 more where the passes read rounded weights.
template<class Real>
struct Step
{
    float *weights, *firstMoment, *secondMoment;
    Real* rounded; // none
    const float* gradients;
    float beta1, beta2, epsilon, correction1, correction2, rate, keep;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        auto w = load<kCount>(weights + first), m = load<kCount>(firstMoment + first),
             v = load<kCount>(secondMoment + first);
        const auto gradient = load<kCount>(gradients + first);
        for (int i = 0; i < kCount; ++i) {
            const float g = gradient.at[i];
            m.at[i] = beta1 * m.at[i] + (1.0F - beta1) * g;
            v.at[i] = beta2 * v.at[i] + (1.0F - beta2) * g * g;
            const float step = m.at[i] * correction1 / (sqrtf(v.at[i] * correction2) + epsilon);
            w.at[i] = keep * w.at[i] - rate * step;
        }
        store(weights + first, w);
        store(firstMoment + first, m);
        store(secondMoment + first, v);
        if (rounded != nullptr)
            store(rounded + first, w);
    }
};

} // namespace

template<class Real>
void adamW(const Lane& lane, const AdamW<Real>& op)
{
    const Step<Real> step{.weights = op.weights,
                          .firstMoment = op.firstMoment,
                          .secondMoment = op.secondMoment,
                          .rounded = op.rounded,
                          .gradients = op.gradients,
                          .beta1 = static_cast<float>(op.beta1),
                          .beta2 = static_cast<float>(op.beta2),
                          .epsilon = static_cast<float>(op.epsilon),
                          .correction1 = static_cast<float>(1 / (1 - std::pow(op.beta1, op.step))),
                          .correction2 = static_cast<float>(1 / (1 - std::pow(op.beta2, op.step))),
                          .rate = static_cast<float>(op.learningRate),
                          .keep = static_cast<float>(1 - op.learningRate * op.weightDecay)};
    forEach<vectorOf<float>()>(
        lane.stream, op.count,
        areAligned({op.weights, op.firstMoment, op.secondMoment, op.gradients, op.rounded}), step);
}

template void adamW(const Lane&, const AdamW<float>&);
template void adamW(const Lane&, const AdamW<bfloat16>&);

} // namespace engine::cuda
