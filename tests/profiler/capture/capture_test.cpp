#include "profiler/capture/capture.h"
#include "profiler/capture/cupti/cupti_capture.h"
#include "tests/catch.h"
#include "tests/profiler/capture/fake_cupti.h"

#include <ctime>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

std::string refusal(const FakeCupti& cupti)
{
    const auto capture = CuptiCapture::start(cupti.api(), TraceLevel::Kernels);
    REQUIRE(!capture);
    CHECK(capture.error().code == Error::Code::Device);
    return capture.error().message;
}

constexpr OpOfIteration kOp{12, 3};

} // namespace

TEST_CASE("copies, calls, waits, allocations and contexts are stored unchanged")
{
    FakeCupti cupti;
    const auto capture = started(cupti, TraceLevel::All);
    cupti::ContextRecord context{};
    context.kind = cupti::Kind::Context;
    context.contextId = 9;
    context.deviceId = 2;
    context.isGreenContext = 1;
    context.parentContextId = 1;
    context.numMultiprocessors = 16;
    cupti.deliver(context);
    cupti::PeerCopyRecord copy{};
    copy.kind = cupti::Kind::PeerMemcpy;
    copy.bytes = 4096;
    copy.start = 10;
    copy.end = 30;
    copy.srcDeviceId = 1;
    copy.dstDeviceId = 2;
    copy.srcKind = copy.dstKind = cupti::kDeviceMemory;
    cupti.deliver(copy);
    cupti::CallRecord call{};
    call.kind = cupti::Kind::Runtime;
    call.cbid = cupti::runtime_call::cudaLaunchKernel_v7000;
    call.start = 5;
    call.end = 8;
    call.threadId = 77;
    cupti.deliver(call);
    cupti::SynchronizationRecord wait{};
    wait.kind = cupti::Kind::Synchronization;
    wait.type = cupti::kStreamWaitEvent;
    wait.contextId = 9;
    cupti.deliver(wait);
    cupti::MemoryRecord memory{};
    memory.kind = cupti::Kind::Memory;
    memory.memoryOperationType = cupti::kMemoryRelease;
    memory.bytes = 512;
    memory.timestamp = 44;
    cupti.deliver(memory);
    const GpuTrace trace = capture->finish();
    REQUIRE(trace.contexts.size() == 1);
    CHECK(trace.contexts[0] == GpuContext{9, 2, 1, 16, true});
    REQUIRE(trace.copies.size() == 1);
    CHECK(trace.copies[0].bytes == 4096);
    CHECK(trace.copies[0].kind == cupti::kMemcpyPeer);
    CHECK(trace.copies[0].sourceDevice == 1);
    CHECK(trace.copies[0].targetDevice == 2);
    REQUIRE(trace.calls.size() == 1);
    CHECK(trace.strings.at(trace.calls[0].name) == "cudaLaunchKernel_v7000");
    CHECK(trace.calls[0].thread == 77);
    REQUIRE(trace.waits.size() == 1);
    CHECK(trace.waits[0].type == 2);
    CHECK(trace.waits[0].place.device == 2); // its context's
    REQUIRE(trace.allocations.size() == 1);
    CHECK(trace.allocations[0].isFree);
    CHECK(trace.allocations[0].time == 44);
}

TEST_CASE("a stream goes by the name it was given, if CUPTI knows it")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    capture->nameStream(nullptr, "device 3: compute");
    GpuTrace trace = capture->take();
    REQUIRE(trace.streamNames.size() == 1);
    CHECK(trace.strings.at(trace.streamNames[0].name) == "device 3: compute");
    CHECK(trace.streamNames[0].stream == 7);
    CHECK(trace.streamNames[0].context == 9);
    CHECK(trace.streamNames[0].device == 2);
    CHECK(capture->take().streamNames.empty()); // told once
    cupti.streamResult = cupti::DriverStatus::InvalidHandle;
    capture->nameStream(nullptr, "of nobody");
    CHECK(capture->take().streamNames.empty());
}

TEST_CASE("lost records, lost times and unknown kinds are counted")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    cupti.dropped = 3;
    cupti.launchKernel(5, externalId(kOp), "k", 0, 0);
    cupti::Record unknown{cupti::Kind::Nvlink};
    cupti.deliver(unknown);
    const GpuTrace trace = capture->finish();
    CHECK(trace.health == GpuTraceHealth{3, 0, 1, 1, 0});
    CHECK(capture->take().health.isComplete()); // told once
}

TEST_CASE("when memory for records is full they are declined, and the trace counts them")
{
    BufferPool pool({64, 2});
    std::uint8_t* first = pool.take();
    REQUIRE(first != nullptr);
    REQUIRE(pool.take() != nullptr);
    CHECK(pool.take() == nullptr);
    CHECK(pool.declined() == 1);
    std::memset(first, 0xAB, 40);
    pool.complete(first, 40);
    const auto full = pool.completed();
    REQUIRE(full.size() == 1);
    pool.recycle(full[0]);
    std::uint8_t* again = pool.take();
    CHECK(again == first);
    CHECK(std::all_of(again, again + 64, [](std::uint8_t byte) { return byte == 0; }));
}

TEST_CASE("buffers come to CUPTI zeroed, used ones too")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    for (std::uint32_t i = 1; i < 50; ++i) {
        cupti.launchKernel(i, externalId(kOp), "k", i, i + 1);
        (void)capture->take();
    }
    CHECK(cupti.wasZero);
}

TEST_CASE("the clock is the host's, and is registered before anything is recorded")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    CHECK(cupti.clockCameFirst);
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double gap = static_cast<double>(cupti.clock()) * 1e-9
        - (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9);
    CHECK(gap >= 0);
    CHECK(gap < 60);
}

TEST_CASE("kernels alone record launches, all records every call")
{
    FakeCupti cupti;
    {
        const auto capture = started(cupti, TraceLevel::Kernels);
        CHECK(cupti.enabled.contains(cupti::Kind::ConcurrentKernel));
        CHECK(!cupti.enabled.contains(cupti::Kind::Kernel)); // would serialise them
        CHECK(!cupti.enabled.contains(cupti::Kind::Runtime));
        CHECK(cupti.calls > 10);
    }
    CHECK(cupti.enabled.empty());
    CHECK(cupti.calls == 0);
    const auto capture = started(cupti, TraceLevel::All);
    CHECK(cupti.enabled.contains(cupti::Kind::Runtime));
    CHECK(cupti.enabled.contains(cupti::Kind::Memory));
    CHECK(cupti.calls == 0);
}

TEST_CASE("finish() also returns incomplete records and releases CUPTI")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    CHECK(cupti.subscribed);
    (void)capture->finish();
    CHECK(cupti.flushes == std::vector<std::uint32_t>{0, cupti::kFlushForced});
    CHECK(cupti.enabled.empty());
    CHECK(!cupti.subscribed);
}

TEST_CASE("a second capture at the same time is refused")
{
    FakeCupti cupti;
    {
        const auto capture = started(cupti);
        CHECK_THAT(refusal(cupti), Catch::Contains("only one capture"));
    }
    CHECK(started(cupti) != nullptr);
}

TEST_CASE("the reason why CUPTI cannot start is one sentence that says what to do")
{
    FakeCupti cupti;
    cupti.subscribeResult = cupti::Status::MultipleSubscribersNotSupported;
    cupti.otherTool = "Nsight Systems";
    CHECK(refusal(cupti)
          == "another profiler is attached (Nsight Systems): run without it, or with --trace ops");
    cupti.subscribeResult = cupti::Status::InsufficientPrivileges;
    CHECK_THAT(refusal(cupti), Catch::Contains("NVreg_RestrictProfilingToAdminUsers=0"));
    cupti.subscribeResult = cupti::Status::MigDeviceNotSupported;
    CHECK_THAT(refusal(cupti), Catch::Contains("MIG"));
    cupti.subscribeResult = cupti::Status::WslDeviceNotSupported;
    CHECK_THAT(refusal(cupti), Catch::Contains("WSL"));
    cupti.subscribeResult = cupti::Status::NotCompatible;
    CHECK_THAT(refusal(cupti), Catch::Contains("older than CUPTI"));
    cupti.subscribeResult = cupti::Status::NotInitialized;
    CHECK_THAT(refusal(cupti), Catch::Contains("older than CUPTI"));
    cupti.subscribeResult = cupti::Status::VirtualizedDeviceNotSupported;
    CHECK_THAT(refusal(cupti), Catch::Contains("virtual GPU"));
    cupti.subscribeResult = cupti::Status::VirtualizedDeviceInsufficientPrivileges;
    CHECK_THAT(refusal(cupti), Catch::Contains("an administrator can grant it"));
    cupti.subscribeResult = cupti::Status::ConfidentialComputingNotSupported;
    CHECK_THAT(refusal(cupti), Catch::Contains("confidential computing"));
    cupti.subscribeResult = cupti::Status::Disabled;
    CHECK_THAT(refusal(cupti), Catch::Contains("disabled on this machine"));
    cupti.otherTool.clear();
    cupti.subscribeResult = cupti::Status::MultipleSubscribersNotSupported;
    CHECK(refusal(cupti) == "another profiler is attached: run without it, or with --trace ops");
    cupti.subscribeResult = cupti::Status::Unknown;
    CHECK_THAT(refusal(cupti), Catch::Contains("cupti::Status::Unknown (999)"));
    cupti.subscribeResult = cupti::Status::Success;
    cupti.enableResult = cupti::Status::MigDeviceNotSupported;
    CHECK_THAT(refusal(cupti), Catch::Contains("MIG"));
    CHECK(!cupti.subscribed); // nothing stays behind
    cupti.version = 22;
    CHECK_THAT(refusal(cupti), Catch::Contains("older than CUDA 12.9"));
}

TEST_CASE("where there is no GPU, recording kernels is refused in one sentence")
{
    const auto capture = profiler::startCapture(profiler::TraceLevel::Kernels);
    if (capture) {
        WARN("SKIPPED: this machine has a GPU that CUPTI traces");
        return;
    }
    CHECK(capture.error().code == engine::Error::Code::Device);
    CHECK(!capture.error().message.empty());
}
