#pragma once

#include "engine/backend/bfloat16.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {

// The maximum of a row, and the sum of exp(x - largest) over the row.
template<class Real>
struct SoftmaxSums
{
    Wide<Real> largest = 0, sum = 0;
};

template<class Real>
BS_INLINE SoftmaxSums<Real> softmaxSums(const Real* row, int n)
{
    using W = Wide<Real>;
    auto largest = W(row[0]), sum = W(0);
#pragma omp simd reduction(max : largest)
    for (int c = 0; c < n; ++c)
        largest = W(row[c]) > largest ? W(row[c]) : largest;
#pragma omp simd reduction(+ : sum)
    for (int c = 0; c < n; ++c)
        sum += exponential(W(row[c]) - largest);
    return {largest, sum};
}

// Applies the softmax in place. Computes each exponential twice instead of storing it in the narrow
// type, so that results are rounded only once.
template<class Real>
BS_INLINE SoftmaxSums<Real> softmax(Real* row, int n)
{
    using W = Wide<Real>;
    constexpr bool kIsWide = kPlacesOfWide<Real> == 1;
    auto largest = W(row[0]), sum = W(0);
#pragma omp simd reduction(max : largest)
    for (int c = 0; c < n; ++c)
        largest = W(row[c]) > largest ? W(row[c]) : largest;
#pragma omp simd reduction(+ : sum)
    for (int c = 0; c < n; ++c) {
        const W e = exponential(W(row[c]) - largest);
        if constexpr (kIsWide)
            row[c] = e;
        sum += e;
    }
    const W inverse = W(1) / sum;
#pragma omp simd
    for (int c = 0; c < n; ++c)
        row[c] = Real((kIsWide ? W(row[c]) : exponential(W(row[c]) - largest)) * inverse);
    return {largest, sum};
}

} // namespace engine::cpu
