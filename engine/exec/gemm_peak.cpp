#include "engine/exec/gemm_peak.h"

#include "engine/base/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace engine {
namespace {

constexpr int kPeakSize = 512; // three matrices of 1 MiB; larger matrices are not faster
constexpr std::int64_t kPeakTime = 30'000'000; // ns

} // namespace

GemmPeak measureGemmPeak(const Kernels<float>& kernels)
{
    constexpr std::size_t kPeakCount = std::size_t{kPeakSize} * kPeakSize;
    const std::vector<float> a(kPeakCount, 0.5F), b(kPeakCount, 0.25F);
    std::vector<float> c(kPeakCount);
    std::int64_t best = kPeakTime;
    for (std::int64_t spent = 0; spent < kPeakTime;) {
        const std::int64_t begin = threadCpuTime();
        kernels.matmul({.a = {a.data(), kPeakSize, kPeakSize},
                        .b = {b.data(), kPeakSize, kPeakSize},
                        .c = {c.data(), kPeakSize, kPeakSize}});
        const std::int64_t took = std::max<std::int64_t>(1, threadCpuTime() - begin);
        best = std::min(best, took);
        spent += took;
    }
    return {2e9 * kPeakSize * kPeakSize * kPeakSize / static_cast<double>(best),
            fmt::format("measured: sgemm of {0} x {0} x {0}", kPeakSize)};
}

} // namespace engine
