#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {
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
