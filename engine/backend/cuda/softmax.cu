#include "engine/backend/cuda/operations.h"
#include "engine/backend/cuda/row_group.h"

// Of attention's scores, which are many rows of one head after the other. A row is read three times
// forwards and twice backwards, of which all but the first come from a cache.
namespace engine::cuda {
namespace {

// How many columns row `row` of the scores sees.
__device__ inline int seenBy(const ScoreRows& scores, int row)
{
    if (scores.mask == AttentionMask::Bidirectional)
        return scores.columns;
    return scores.columns - scores.sequence + row % scores.sequence + 1;
}

template<int kCount, int kGroup>
__global__ void __launch_bounds__(kThreads) softmaxRows(ScoreRows scores)
{
    using Group = RowGroup<kGroup>;
    const int index = Group::row(), lane = Group::lane();
    if (index >= scores.rows)
        return;
    float* row = scores.data + static_cast<std::ptrdiff_t>(index) * scores.stride;
    const int seen = seenBy(scores, index);
    float largest = row[0];
    for (int c = lane; c < seen; c += kGroup)
        largest = fmaxf(largest, row[c]);
    largest = Group::largest(largest); // a barrier: row[0] was read by all
    float sum = 0;
    for (int c = lane; c < seen; c += kGroup) {
        const float e = expf(row[c] - largest);
        row[c] = e;
        sum += e;
    }
    const float inverse = 1.0F / Group::sum(sum);
    for (int c = lane; c < scores.columns; c += kGroup)
        row[c] = c < seen ? row[c] * inverse : 0.0F;
}

struct Softmax
{
    template<int kCount, int kGroup>
    static auto kernel()
    {
        return &softmaxRows<kCount, kGroup>;
    }
};

struct Backwards
{
    ScoreRows probabilities;
    float* gradient; // as the probabilities lie
};

// dS = P (dP - sum over columns of dP P), in place of dP. Behind what a row sees P is 0.
template<int kCount, int kGroup>
__global__ void __launch_bounds__(kThreads) softmaxBackwardRows(Backwards op)
{
    using Group = RowGroup<kGroup>;
    const ScoreRows& scores = op.probabilities;
    const int index = Group::row(), lane = Group::lane();
    if (index >= scores.rows)
        return;
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(index) * scores.stride;
    const float* p = scores.data + first;
    float* d = op.gradient + first;
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

struct SoftmaxBackward
{
    template<int kCount, int kGroup>
    static auto kernel()
    {
        return &softmaxBackwardRows<kCount, kGroup>;
    }
};

} // namespace

void softmax(const Lane& lane, const ScoreRows& scores)
{
    CHECK(scores.columns >= scores.sequence && scores.rows % scores.sequence == 0);
    launchRows<Softmax>(lane.stream, scores.rows, scores.columns, false, scores);
}

void softmaxBackward(const Lane& lane, const ScoreRows& probabilities, float* gradient)
{
    const bool aligned = probabilities.columns % kVector == 0 && probabilities.stride % kVector == 0
        && areAligned({probabilities.data, gradient});
    launchRows<SoftmaxBackward>(lane.stream, probabilities.rows, probabilities.columns, aligned,
                                Backwards{probabilities, gradient});
}

} // namespace engine::cuda
