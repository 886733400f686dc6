// Which kernel belongs to which op.
#include "tests/catch.h"
#include "tests/profiler/capture/fake_cupti.h"

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

constexpr OpOfIteration kLinkedOp{12, 3};

} // namespace

TEST_CASE("a kernel is linked to the op that was pushed when it was launched")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    capture->push(kLinkedOp);
    REQUIRE(cupti.pushed.size() == 1);
    cupti.launchKernel(5, cupti.pushed[0], "_Z4normPf", 1000, 1500);
    capture->pop();
    CHECK(cupti.pushed.empty());
    const GpuTrace trace = capture->finish();
    REQUIRE(trace.kernels.size() == 1);
    const GpuKernel& kernel = trace.kernels[0];
    CHECK(kernel.of == kLinkedOp);
    CHECK(kernel.window == Window{1000, 1500});
    CHECK(kernel.place == GpuPlace{0, 1, 7, 5});
    CHECK(trace.strings.at(kernel.name) == "_Z4normPf");
    CHECK(kernel.grid == std::array{16, 1, 1});
    CHECK(kernel.block == std::array{256, 1, 1});
    CHECK(kernel.registers == 32);
    CHECK(kernel.staticShared == 1024);
    CHECK(kernel.dynamicShared == 2048);
    CHECK(trace.health.isComplete());
}

TEST_CASE("a kernel whose launch is reported later is kept for one more take")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    cupti.kernelOnly(5, "late", 1000, 1500);
    CHECK(capture->take().kernels.empty());
    cupti.linkOnly(5, externalId(kLinkedOp));
    const GpuTrace trace = capture->take();
    REQUIRE(trace.kernels.size() == 1);
    CHECK(trace.kernels[0].of == kLinkedOp);
    CHECK(trace.health.withoutOp == 0);
}

TEST_CASE("a kernel that no op launched is kept, and counted")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    cupti.kernelOnly(5, "of nobody", 1000, 1500);
    CHECK(capture->take().kernels.empty());
    const GpuTrace trace = capture->take();
    REQUIRE(trace.kernels.size() == 1);
    CHECK(!trace.kernels[0].of.isKnown());
    CHECK(trace.health.withoutOp == 1);
    CHECK(!trace.health.isComplete());
}

TEST_CASE(
    "what a graph launches belongs to the op that launched the graph, anew in every iteration")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    // One launch has one number, which all that its nodes run has, too.
    for (std::uint32_t iteration = 0; iteration < 3; ++iteration) {
        const std::uint32_t launch = 100 + iteration;
        cupti.linkOnly(launch, externalId({12, iteration}));
        cupti.kernelOnly(launch, "norm", 1000 * iteration + 10, 1000 * iteration + 20, 0x300000001);
        cupti.kernelOnly(launch, "gemm", 1000 * iteration + 20, 1000 * iteration + 90, 0x300000002);
        cupti::CopyRecord copy{};
        copy.kind = cupti::Kind::Memcpy;
        copy.correlationId = launch;
        copy.graphNodeId = 0x300000003;
        cupti.deliver(copy);
        cupti::MemsetRecord set{};
        set.kind = cupti::Kind::Memset;
        set.correlationId = launch;
        set.graphNodeId = 0x300000004;
        cupti.deliver(set);
    }
    const GpuTrace trace = capture->finish();
    REQUIRE(trace.kernels.size() == 6);
    for (std::uint32_t i = 0; i < 6; ++i) {
        CHECK(trace.kernels[i].of == OpOfIteration{12, i / 2});
        CHECK(trace.kernels[i].graphNode == 0x300000001UL + i % 2);
    }
    REQUIRE(trace.copies.size() == 3);
    REQUIRE(trace.memsets.size() == 3);
    for (std::uint32_t i = 0; i < 3; ++i) {
        CHECK(trace.copies[i].of == OpOfIteration{12, i});
        CHECK(trace.copies[i].graphNode == 0x300000003);
        CHECK(trace.memsets[i].of == OpOfIteration{12, i});
        CHECK(trace.memsets[i].graphNode == 0x300000004);
    }
    CHECK(trace.health.isComplete());
}

TEST_CASE("a kernel of a graph that no op launched is counted as any other")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    cupti.kernelOnly(5, "norm", 10, 20, 0x300000001);
    cupti.launchKernel(6, externalId(kLinkedOp), "gemm", 20, 30);
    CHECK(capture->finish().health.withoutOp == 1);
}

TEST_CASE("launches of graphs are among the calls that are recorded with kernels")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    CHECK(cupti.runtimeCalls.contains(cupti::runtime_call::cudaGraphLaunch_v10000));
    CHECK(cupti.driverCalls.contains(cupti::driver_call::cuGraphLaunch));
    CHECK(cupti.runtimeCalls.contains(cupti::runtime_call::cudaLaunchKernelExC_v11060));
    CHECK(cupti.driverCalls.contains(cupti::driver_call::cuLaunchKernelEx));
}

TEST_CASE("launches of other pipeline copies are neither kept nor counted as missing")
{
    FakeCupti cupti;
    const auto capture = started(cupti, TraceLevel::All);
    const std::uint64_t other = externalId({OpOfIteration::kOtherCopy, 2});
    cupti.launchKernel(5, other, "k", 1, 2);
    cupti.launchKernel(6, externalId(kLinkedOp), "k", 3, 4);
    cupti::CallRecord call{};
    call.kind = cupti::Kind::Runtime;
    call.cbid = cupti::runtime_call::cudaLaunchKernel_v7000;
    call.correlationId = 5;
    cupti.deliver(call);
    const GpuTrace trace = capture->finish();
    REQUIRE(trace.kernels.size() == 1);
    CHECK(trace.kernels[0].of == kLinkedOp);
    CHECK(trace.calls.empty());
    CHECK(trace.health.isComplete());
}

TEST_CASE("another library's numbers are not taken for ours")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    cupti::ExternalCorrelationRecord link{};
    link.kind = cupti::Kind::ExternalCorrelation;
    link.externalKind = cupti::ExternalKind::OpenAcc;
    link.externalId = externalId(kLinkedOp);
    link.correlationId = 5;
    cupti.deliver(link);
    cupti.kernelOnly(5, "k", 1, 2);
    CHECK(capture->finish().health.withoutOp == 1);
}
