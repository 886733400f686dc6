#include "engine/backend/cuda/kernels/operations.h"
#include "engine/backend/cuda/kernels/row_group.h"

// Cross-entropy with one block per row, because a row has the length of the vocabulary. One online
// pass computes the maximum and sum of a row (Milakov and Gimelshein, 2018). The forward writes
// only the loss of the row; the second read of the backward hits a cache.
namespace engine::cuda {
namespace {

// The threads of a block call work<n>(column) for all columns of a row: with n = kCount for whole
// packs of kCount columns, and with n = 1 for the remaining columns.
template<int kCount, class Work>
__device__ inline void eachOfRow(int columns, const Work& work)
{
    const int lane = static_cast<int>(threadIdx.x), whole = columns / kCount * kCount;
    for (int c = lane * kCount; c < whole; c += kThreads * kCount)
        work.template operator()<kCount>(c);
    for (int c = whole + lane; c < columns; c += kThreads)
        work.template operator()<1>(c);
}

template<class Real>
bool hasAlignedRows(const Matrix<Real>& matrix)
{
    return isAligned(static_cast<const void*>(matrix.data))
        && matrix.stride % vectorOf<Real>() == 0;
}

// The maximum of a row and the sum of exp(x - largest), the same on all threads of the block. After
// its last read of the row, sumsOf() has a barrier, so the caller may overwrite the row.
struct RowSums
{
    float largest, sum;
};
template<int kCount, class Real>
__device__ inline RowSums sumsOf(const Real* row, int columns)
{
    using Group = RowGroup<kThreads>;
    // The maximum and the sum over this thread's columns; the sum is relative to the maximum so
    // far.
    float largest = static_cast<float>(row[0]), sum = 0;
    eachOfRow<kCount>(columns, [&]<int kPack>(int c) {
        const auto x = load<kPack>(row + c);
        float most = largest;
        for (int i = 0; i < kPack; ++i)
            most = fmaxf(most, x.at[i]);
        sum *= expf(largest - most);
        largest = most;
        for (int i = 0; i < kPack; ++i)
            sum += expf(x.at[i] - largest);
    });
    const float all = Group::largest(largest);
    return {all, Group::sum(sum * expf(largest - all))};
}

template<class Real>
struct LossRows
{
    Matrix<const Real> logits;
    const std::int32_t* targets;
    double* losses; // [rows]
};

template<int kCount, class Real>
__global__ void __launch_bounds__(kThreads) lossRows(LossRows<Real> op)
{
    const int index = static_cast<int>(blockIdx.x);
    const std::int32_t target = op.targets[index];
    if (target < 0) { // all threads of the block return
        if (threadIdx.x == 0)
            op.losses[index] = 0;
        return;
    }
    const Real* row = rowOf(op.logits, index);
    const RowSums sums = sumsOf<kCount>(row, op.logits.columns);
    if (threadIdx.x == 0) {
        const float distance = static_cast<float>(row[target]) - sums.largest;
        op.losses[index] = log(static_cast<double>(sums.sum)) - static_cast<double>(distance);
    }
}

// Runs as one block: each thread adds its rows in order, then the threads' sums are added in order.
__global__ void __launch_bounds__(kThreads)
    addLosses(const double* losses, int rows, double share, double* loss)
{
    __shared__ double sums[kThreads];
    double sum = 0;
    for (int row = static_cast<int>(threadIdx.x); row < rows; row += kThreads)
        sum += losses[row];
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    double total = 0;
    for (int thread = 0; thread < kThreads; ++thread)
        total += sums[thread];
    *loss += total / share;
}

template<class Real>
struct LossBackward
{
    Matrix<Real> logits;
    const std::int32_t* targets;
    float scale;
};

// Works in place: after sumsOf() a thread reads and writes only its own columns.
template<int kCount, class Real>
__global__ void __launch_bounds__(kThreads) lossBackwardRows(LossBackward<Real> op)
{
    const int index = static_cast<int>(blockIdx.x), columns = op.logits.columns;
    const std::int32_t target = op.targets[index];
    Real* row = rowOf(op.logits, index);
    if (target < 0) {
        eachOfRow<kCount>(columns, [&]<int kPack>(int c) { store(row + c, Pack<kPack>{}); });
        return;
    }
    const RowSums sums = sumsOf<kCount>(row, columns);
    const float inverse = 1.0F / sums.sum;
    eachOfRow<kCount>(columns, [&]<int kPack>(int c) {
        auto x = load<kPack>(row + c);
        for (int i = 0; i < kPack; ++i) {
            const float d = expf(x.at[i] - sums.largest) * inverse * op.scale;
            x.at[i] = c + i == target ? d - op.scale : d;
        }
        store(row + c, x);
    });
}

} // namespace

template<class Real>
void crossEntropy(const OpStream& opStream, const CrossEntropy<Real>& op)
{
    if (op.loss == nullptr)
        return;
    const int rows = op.logits.rows;
    CHECK(op.targets.size() >= static_cast<std::size_t>(rows));
    CHECK(static_cast<std::size_t>(rows) * sizeof(double) <= OpStream::kScratch);
    auto* losses = reinterpret_cast<double*>(opStream.scratch);
    launch(opStream.stream, static_cast<unsigned>(rows),
           hasAlignedRows(op.logits) ? lossRows<vectorOf<Real>(), Real> : lossRows<1, Real>,
           LossRows<Real>{op.logits, op.targets.data(), losses});
    launch(opStream.stream, 1U, addLosses, losses, rows, op.share, op.loss);
}

template<class Real>
void crossEntropyBackward(const OpStream& opStream, Matrix<Real> logits,
                          std::span<const std::int32_t> targets, float scale)
{
    CHECK(targets.size() >= static_cast<std::size_t>(logits.rows));
    launch(opStream.stream, static_cast<unsigned>(logits.rows),
           hasAlignedRows(logits) ? lossBackwardRows<vectorOf<Real>(), Real>
                                  : lossBackwardRows<1, Real>,
           LossBackward<Real>{logits, targets.data(), scale});
}

template void crossEntropy(const OpStream&, const CrossEntropy<float>&);
template void crossEntropy(const OpStream&, const CrossEntropy<bfloat16>&);
template void crossEntropyBackward(const OpStream&, Matrix<float>, std::span<const std::int32_t>,
                                   float);
template void crossEntropyBackward(const OpStream&, Matrix<bfloat16>, std::span<const std::int32_t>,
                                   float);

} // namespace engine::cuda
