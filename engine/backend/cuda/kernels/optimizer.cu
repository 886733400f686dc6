#include "engine/backend/cuda/kernels/elements.h"
#include "engine/backend/cuda/kernels/operations.h"
#include "engine/backend/cuda/kernels/ordered_sum.h"

#include <cmath>

namespace engine::cuda {
namespace {

// The largest number of parts (DecayPart) per launch, which the size of kernel arguments limits.
// Parts with and without weight decay alternate.
constexpr int kMostParts = 256;

// One AdamW step for all tensors of a stage in one launch, because most tensors are small. Per
// parameter, a step reads 16 bytes and writes 12, or 14 with rounded weights.
template<class Real>
struct Step
{
    float *weights, *firstMoment, *secondMoment;
    Real* rounded; // optional
    const float* gradients;
    float beta1, beta2, epsilon, correction1, correction2, rate, keep;
    int parts = 0;
    bool firstDecays = false; // whether the first part has weight decay; the parts alternate
    std::size_t ends[kMostParts] = {};

    __device__ int partOf(std::size_t number) const
    {
        int low = 0, high = parts - 1;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (number < ends[middle])
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        auto w = load<kCount>(weights + first), m = load<kCount>(firstMoment + first),
             v = load<kCount>(secondMoment + first);
        const auto gradient = load<kCount>(gradients + first);
        int part = partOf(first);
        for (int i = 0; i < kCount; ++i) {
            if (first + i >= ends[part])
                ++part; // parts are not empty
            const float g = gradient.at[i];
            m.at[i] = beta1 * m.at[i] + (1.0F - beta1) * g;
            v.at[i] = beta2 * v.at[i] + (1.0F - beta2) * g * g;
            const float step = m.at[i] * correction1 / (sqrtf(v.at[i] * correction2) + epsilon);
            const float kept = (part % 2 == 0) == firstDecays ? keep : 1.0F;
            w.at[i] = kept * w.at[i] - rate * step;
        }
        store(weights + first, w);
        store(firstMoment + first, m);
        store(secondMoment + first, v);
        if (rounded != nullptr)
            store(rounded + first, w);
    }
};

constexpr double kOne = 1LL << kFixedPointBits;
// Values are clamped to this limit, just within int64, so that the conversion is defined even if
// the model has diverged.
constexpr double kLimit = 9.0e18;

// Rounds to nearest even, as the CPU does, so the bits are the same.
struct ToFixedPoint
{
    const float* x;
    std::int64_t* sums;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        for (std::size_t i = first; i < first + kCount; ++i) {
            const double scaled = rint(static_cast<double>(x[i]) * kOne);
            const double bounded = fmax(-kLimit, fmin(kLimit, scaled));
            const auto fixed = static_cast<std::uint64_t>(static_cast<std::int64_t>(bounded));
            sums[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sums[i]) + fixed);
        }
    }
};

struct FromFixedPoint
{
    const std::int64_t* sums;
    float* x;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        for (std::size_t i = first; i < first + kCount; ++i)
            x[i] = static_cast<float>(static_cast<double>(sums[i]) / kOne);
    }
};

struct AddIntegers
{
    const std::int64_t* x;
    std::int64_t* y;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        for (std::size_t i = first; i < first + kCount; ++i)
            y[i] += x[i];
    }
};

// For the gradient norm, in double.
template<int kCount>
struct Squares
{
    const float* x;

    __device__ void operator()(std::size_t pack, double& sum) const
    {
        const auto values = load<kCount>(x + pack * kCount);
        for (int k = 0; k < kCount; ++k)
            sum += static_cast<double>(values.at[k]) * static_cast<double>(values.at[k]);
    }
};

} // namespace

template<class Real>
void adamW(const OpStream& opStream, const AdamW<Real>& op, std::span<const DecayPart> parts)
{
    Step<Real> step{.weights = op.weights,
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
    std::size_t count = 0;
    const auto launchSoFar = [&] {
        forEach<vectorOf<float>()>(opStream.stream, count,
                                   areAligned({step.weights, step.firstMoment, step.secondMoment,
                                               step.gradients, step.rounded}),
                                   step);
        for (float** array : {&step.weights, &step.firstMoment, &step.secondMoment})
            *array += count;
        step.gradients += count;
        step.rounded += step.rounded != nullptr ? count : 0;
        step.parts = 0;
        count = 0;
    };
    for (const DecayPart& part : parts) {
        if (part.count == 0)
            continue;
        const bool sameAsLast
            = step.parts > 0 && ((step.parts - 1) % 2 == 0) == (step.firstDecays == part.decays);
        if (!sameAsLast && step.parts == kMostParts)
            launchSoFar();
        if (step.parts == 0)
            step.firstDecays = part.decays;
        step.parts += sameAsLast ? 0 : 1;
        count += part.count;
        step.ends[step.parts - 1] = count;
    }
    if (count > 0)
        launchSoFar();
}

template void adamW(const OpStream&, const AdamW<float>&, std::span<const DecayPart>);
template void adamW(const OpStream&, const AdamW<bfloat16>&, std::span<const DecayPart>);

void addIntegers(const OpStream& opStream, std::span<const std::int64_t> x,
                 std::span<std::int64_t> y)
{
    CHECK(x.size() >= y.size());
    forEach<1>(opStream.stream, y.size(), false, AddIntegers{x.data(), y.data()});
}

void addFixedPoint(const OpStream& opStream, std::span<const float> x, std::span<std::int64_t> sums)
{
    CHECK(x.size() >= sums.size());
    forEach<1>(opStream.stream, sums.size(), false, ToFixedPoint{x.data(), sums.data()});
}

void fromFixedPoint(const OpStream& opStream, std::span<const std::int64_t> sums,
                    std::span<float> x)
{
    CHECK(sums.size() >= x.size());
    forEach<1>(opStream.stream, x.size(), false, FromFixedPoint{sums.data(), x.data()});
}

void addSquares(const OpStream& opStream, std::span<const float> x, double* sum)
{
    constexpr int kPack = vectorOf<float>();
    if (areAligned({x.data()}) && x.size() % kPack == 0)
        addOrderedSum(opStream, x.size() / kPack, Squares<kPack>{x.data()}, sum);
    else
        addOrderedSum(opStream, x.size(), Squares<1>{x.data()}, sum);
}

} // namespace engine::cuda
