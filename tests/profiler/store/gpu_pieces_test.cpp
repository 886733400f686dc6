#include "tests/support/gpu_run.h"
#include "tests/support/temporary_folder.h"

using namespace engine;
using namespace profiler;
using namespace tests;

TEST_CASE("the pieces of a trace are bounded and add up to it")
{
    const TemporaryFolder folder;
    GpuRun made = gpuRun();
    GpuKernel kernel = made.gpu.kernels[0];
    for (std::uint32_t i = 0; i < 150'000; ++i) {
        kernel.name = i % 2;
        kernel.place.correlation = 100'000 + i;
        made.gpu.kernels.push_back(kernel);
    }
    const auto file = folder / "run.sqlite";
    writeGpuRun(file, made);
    const auto whole = readGpuTrace(file);
    REQUIRE(whole);
    int pieces = 0;
    GpuTrace sum;
    std::vector<std::string> names;
    REQUIRE(readGpuPieces(file, [&](const GpuTrace& piece) {
        ++pieces;
        CHECK(piece.kernels.size() <= 100'000);
        for (const GpuKernel& each : piece.kernels) {
            names.push_back(piece.strings.at(each.name));
            sum.kernels.push_back(each);
        }
        std::ranges::copy(piece.waits, std::back_inserter(sum.waits));
        std::ranges::copy(piece.samples, std::back_inserter(sum.samples));
    }));
    CHECK(pieces == 2);
    CHECK(sum.waits == whole->waits);
    CHECK(sum.samples == whole->samples);
    REQUIRE(sum.kernels.size() == whole->kernels.size());
    bool isSame = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
        isSame = isSame && names[i] == whole->strings[whole->kernels[i].name];
        sum.kernels[i].name = whole->kernels[i].name; // each piece numbers its own strings
    }
    CHECK(isSame);
    CHECK(sum.kernels == whole->kernels);
}
