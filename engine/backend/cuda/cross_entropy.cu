#include "engine/backend/cuda/operations.h"
#include "engine/backend/cuda/row_group.h"

// A block a row, since a row is a vocabulary. Forwards a row is read twice (its largest number and
// sum in one online pass, Milakov and Gimelshein, 2018) and written once.
namespace engine::cuda {
namespace {

struct LossRows
{
    Matrix<float> logits;
    const std::int32_t* targets;
    double* losses; // [rows]
};

__global__ void __launch_bounds__(kThreads) lossRows(LossRows op)
{
    using Group = RowGroup<kThreads>;
    const int index = static_cast<int>(blockIdx.x), n = op.logits.columns;
    const int lane = static_cast<int>(threadIdx.x);
    const std::int32_t target = op.targets[index];
    if (target < 0) { // for all threads of the block
        if (lane == 0)
            op.losses[index] = 0;
        return;
    }
    float* row = rowOf(op.logits, index);
    float largest = row[0], sum = 0; // of own columns, relative to the largest so far
    for (int c = lane; c < n; c += kThreads) {
        const float x = row[c];
        if (x > largest) {
            sum *= expf(largest - x);
            largest = x;
        }
        sum += expf(x - largest);
    }
    const float all = Group::largest(largest);
    sum = Group::sum(sum * expf(largest - all));
    const float distance = row[target] - all;
    __syncthreads(); // before the target's logit is overwritten
    const float inverse = 1.0F / sum;
    for (int c = lane; c < n; c += kThreads)
        row[c] = expf(row[c] - all) * inverse;
    if (lane == 0)
        op.losses[index] = log(static_cast<double>(sum)) - static_cast<double>(distance);
}

// One block: each thread its rows from the first to the last, then the threads in their order.
__global__ void __launch_bounds__(kThreads) sumLosses(const double* losses, int rows, double* loss)
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
    *loss = total;
}

struct LossBackward
{
    Matrix<float> probabilities;
    const std::int32_t* targets;
    float scale;
};

__global__ void __launch_bounds__(kThreads) lossBackwardRows(LossBackward op)
{
    const int index = static_cast<int>(blockIdx.x);
    const std::int32_t target = op.targets[index];
    float* row = rowOf(op.probabilities, index);
    for (int c = static_cast<int>(threadIdx.x); c < op.probabilities.columns; c += kThreads) {
        const float p = row[c] * op.scale;
        row[c] = target < 0 ? 0.0F : (c == target ? p - op.scale : p);
    }
}

} // namespace

double* crossEntropy(const Lane& lane, Matrix<float> logits, std::span<const std::int32_t> targets)
{
    CHECK(targets.size() >= static_cast<std::size_t>(logits.rows));
    CHECK((static_cast<std::size_t>(logits.rows) + 1) * sizeof(double) <= Lane::kScratch);
    auto* loss = reinterpret_cast<double*>(lane.scratch);
    launch(lane.stream, static_cast<unsigned>(logits.rows), lossRows,
           LossRows{logits, targets.data(), loss + 1});
    launch(lane.stream, 1U, sumLosses, loss + 1, logits.rows, loss);
    return loss;
}

void crossEntropyBackward(const Lane& lane, Matrix<float> probabilities,
                          std::span<const std::int32_t> targets, float scale)
{
    CHECK(targets.size() >= static_cast<std::size_t>(probabilities.rows));
    launch(lane.stream, static_cast<unsigned>(probabilities.rows), lossBackwardRows,
           LossBackward{probabilities, targets.data(), scale});
}

} // namespace engine::cuda
