#include "engine/backend/cuda/kernels/operations.h"
#include "engine/backend/cuda/kernels/row_group.h"

// Softmax of attention scores: many rows, head by head. The forward reads a row three times, the
// backward twice; all reads but the first hit a cache.
namespace engine::cuda {
namespace {

template<class Real>
__device__ inline int seenBy(const ScoreRows<Real>& scores, int row)
{
    if (scores.mask == AttentionMask::Bidirectional)
        return scores.columns;
    return scores.columns - scores.sequence + row % scores.sequence + 1;
}

template<int kCount, int kGroup, class Real>
__global__ void __launch_bounds__(kThreads) softmaxRows(ScoreRows<Real> scores)
{
    using Group = RowGroup<kGroup>;
    const int index = Group::row(), lane = Group::lane();
    if (index >= scores.rows)
        return;
    Real* row = scores.data + static_cast<std::ptrdiff_t>(index) * scores.stride;
    const int seen = seenBy(scores, index);
    auto largest = static_cast<float>(row[0]);
    for (int c = lane; c < seen; c += kGroup)
        largest = fmaxf(largest, static_cast<float>(row[c]));
    largest = Group::largest(largest); // also a barrier, after which row[0] may be overwritten
    float sum = 0;
    for (int c = lane; c < seen; c += kGroup)
        sum += expf(static_cast<float>(row[c]) - largest);
    const float inverse = 1.0F / Group::sum(sum);
    for (int c = lane; c < scores.columns; c += kGroup) {
        const float e = c < seen ? expf(static_cast<float>(row[c]) - largest) : 0.0F;
        row[c] = static_cast<Real>(e * inverse);
    }
}

template<class Real>
struct Softmax
{
    template<int kCount, int kGroup>
    static auto kernel()
    {
        return &softmaxRows<kCount, kGroup, Real>;
    }
};

template<class Real>
struct Backwards
{
    ScoreRows<Real> probabilities;
    Real* gradient; // with the layout of the probabilities
};

// Replaces dP by dS = P (dP - sum over columns of dP P). P is 0 in masked columns.
template<int kCount, int kGroup, class Real>
__global__ void __launch_bounds__(kThreads) softmaxBackwardRows(Backwards<Real> op)
{
    using Group = RowGroup<kGroup>;
    const ScoreRows<Real>& scores = op.probabilities;
    const int index = Group::row(), lane = Group::lane();
    if (index >= scores.rows)
        return;
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(index) * scores.stride;
    const Real* p = scores.data + first;
    Real* d = op.gradient + first;
    float sum = 0;
    for (int c = lane * kCount; c < scores.columns; c += kGroup * kCount) {
        const auto probability = load<kCount>(p + c), gradient = load<kCount>(d + c);
        for (int i = 0; i < kCount; ++i)
            sum += gradient.at[i] * probability.at[i];
    }
    sum = Group::sum(sum);
    for (int c = lane * kCount; c < scores.columns; c += kGroup * kCount) {
        const auto probability = load<kCount>(p + c);
        auto gradient = load<kCount>(d + c);
        for (int i = 0; i < kCount; ++i)
            gradient.at[i] = probability.at[i] * (gradient.at[i] - sum);
        store(d + c, gradient);
    }
}

template<class Real>
struct SoftmaxBackward
{
    template<int kCount, int kGroup>
    static auto kernel()
    {
        return &softmaxBackwardRows<kCount, kGroup, Real>;
    }
};

} // namespace

template<class Real>
void softmax(const OpStream& opStream, const ScoreRows<Real>& scores)
{
    CHECK(scores.columns >= scores.sequence && scores.rows % scores.sequence == 0);
    launchRows<Softmax<Real>, Real>(opStream.stream, scores.rows, scores.columns, false, scores);
}

template<class Real>
void softmaxBackward(const OpStream& opStream, const ScoreRows<Real>& probabilities, Real* gradient)
{
    const bool aligned = probabilities.columns % vectorOf<Real>() == 0
        && probabilities.stride % vectorOf<Real>() == 0
        && areAligned({probabilities.data, gradient});
    launchRows<SoftmaxBackward<Real>, Real>(opStream.stream, probabilities.rows,
                                            probabilities.columns, aligned,
                                            Backwards<Real>{probabilities, gradient});
}

template void softmax(const OpStream&, const ScoreRows<float>&);
template void softmax(const OpStream&, const ScoreRows<bfloat16>&);
template void softmaxBackward(const OpStream&, const ScoreRows<float>&, float*);
template void softmaxBackward(const OpStream&, const ScoreRows<bfloat16>&, bfloat16*);

} // namespace engine::cuda
