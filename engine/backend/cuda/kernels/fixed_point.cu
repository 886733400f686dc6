#include "engine/backend/cuda/kernels/elements.h"
#include "engine/backend/cuda/kernels/operations.h"

namespace engine::cuda {
namespace {

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

} // namespace

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

} // namespace engine::cuda
