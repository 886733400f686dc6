#include "app/timeline/details/details.h"
#include "app/ui/text.h"
#include "tests/app/gpu_sample.h"
#include "tests/app/timeline/details/details_row.h"
#include "tests/catch.h"

#include <cmath>
#include <limits>

using namespace app;

TEST_CASE("the largest numbers that a file can have do not overflow in the details of a GPU")
{
    constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
    const auto run = sample::measured({"1f1b", 2, 2, 1});
    engine::GpuTrace trace = sample::launches(*run);
    for (engine::GpuKernel& kernel : trace.kernels) {
        kernel.block.fill(kMost);
        kernel.staticShared = kernel.dynamicShared = kMost;
    }
    trace.allocations.assign(4, {0, {0, 1, 0, 0}, 0, std::uint64_t{1} << 62, 3, false});
    const RunView view(run);
    const KernelView kernels(*run, profiler::GpuActivity(*run, trace));

    const Details kernel = detailsOf(view, kernels.select(0), &kernels);
    CHECK(row(kernel, "Block, threads")
              .startsWith(QString::fromUtf8("2147483647 × 2147483647 × 2147483647 = "
                                            "99035203004479")));
    CHECK(row(kernel, "Shared memory per block")
          == number(2.0 * kMost, 0) + QStringLiteral(" bytes"));
    Selection device;
    device.kind = Selection::Kind::Device;
    device.iteration = 0;
    device.device = engine::DeviceId{0};
    CHECK(row(detailsOf(view, device, &kernels), "Memory reported by the driver, peak")
          == byteScale(1'000'000'000'000'000'000).withUnit(std::ldexp(1.0, 64)));
}
