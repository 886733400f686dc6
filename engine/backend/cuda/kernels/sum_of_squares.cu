#include "engine/backend/cuda/kernels/elements.h"
#include "engine/backend/cuda/kernels/operations.h"
#include "engine/backend/cuda/kernels/ordered_sum.h"

// The sum of squares for the gradient norm, in double.
namespace engine::cuda {
namespace {

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

void addSquares(const OpStream& opStream, std::span<const float> x, double* sum)
{
    constexpr int kPack = vectorOf<float>();
    if (areAligned({x.data()}) && x.size() % kPack == 0)
        addOrderedSum(opStream, x.size() / kPack, Squares<kPack>{x.data()}, sum);
    else
        addOrderedSum(opStream, x.size(), Squares<1>{x.data()}, sum);
}

} // namespace engine::cuda
