#include "profiler/capture/capture.h"
#include "tests/catch.h"

#ifdef BS_WITH_CUPTI
#include "profiler/capture/cupti/cupti_capture.h"
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

TEST_CASE("copies, calls, waits, allocations and contexts come as they are")
{
    FakeCupti cupti;
    const auto capture = started(cupti, TraceLevel::All);
    CUpti_ActivityContext3 context{};
    context.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
    context.contextId = 9;
    context.deviceId = 2;
    context.isGreenContext = 1;
    context.parentContextId = 1;
    context.numMultiprocessors = 16;
    cupti.deliver(context);
    CUpti_ActivityMemcpyPtoP4 copy{};
    copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
    copy.bytes = 4096;
    copy.start = 10;
    copy.end = 30;
    copy.srcDeviceId = 1;
    copy.dstDeviceId = 2;
    copy.srcKind = copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    cupti.deliver(copy);
    CUpti_ActivityAPI call{};
    call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
    call.cbid = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
    call.start = 5;
    call.end = 8;
    call.threadId = 77;
    cupti.deliver(call);
    CUpti_ActivitySynchronization2 wait{};
    wait.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
    wait.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
    wait.contextId = 9;
    cupti.deliver(wait);
    CUpti_ActivityMemory4 memory{};
    memory.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
    memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
    memory.bytes = 512;
    memory.timestamp = 44;
    cupti.deliver(memory);
    const GpuTrace trace = capture->finish();
    REQUIRE(trace.contexts.size() == 1);
    CHECK(trace.contexts[0] == GpuContext{9, 2, 1, 16, true});
    REQUIRE(trace.copies.size() == 1);
    CHECK(trace.copies[0].bytes == 4096);
    CHECK(trace.copies[0].kind == CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
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
    cupti.streamResult = CUDA_ERROR_INVALID_HANDLE;
    capture->nameStream(nullptr, "of nobody");
    CHECK(capture->take().streamNames.empty());
}

TEST_CASE("lost records, lost times and unknown kinds are counted")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    cupti.dropped = 3;
    cupti.launchKernel(5, externalId(kOp), "k", 0, 0);
    CUpti_Activity unknown{CUPTI_ACTIVITY_KIND_NVLINK};
    cupti.deliver(unknown);
    const GpuTrace trace = capture->finish();
    CHECK(trace.health == GpuTraceHealth{3, 0, 1, 1, 0});
    CHECK(capture->take().health.isComplete()); // told once
}

TEST_CASE("when memory for records is full they are declined, and the trace says so")
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
        CHECK(cupti.enabled.contains(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
        CHECK(!cupti.enabled.contains(CUPTI_ACTIVITY_KIND_KERNEL)); // would serialise them
        CHECK(!cupti.enabled.contains(CUPTI_ACTIVITY_KIND_RUNTIME));
        CHECK(cupti.calls > 10);
    }
    CHECK(cupti.enabled.empty());
    CHECK(cupti.calls == 0);
    const auto capture = started(cupti, TraceLevel::All);
    CHECK(cupti.enabled.contains(CUPTI_ACTIVITY_KIND_RUNTIME));
    CHECK(cupti.enabled.contains(CUPTI_ACTIVITY_KIND_MEMORY2));
    CHECK(cupti.calls == 0);
}

TEST_CASE("the end takes what is incomplete, too, and lets go of CUPTI")
{
    FakeCupti cupti;
    const auto capture = started(cupti);
    CHECK(cupti.subscribed);
    (void)capture->finish();
    CHECK(cupti.flushes == std::vector<std::uint32_t>{0, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED});
    CHECK(cupti.enabled.empty());
    CHECK(!cupti.subscribed);
}

TEST_CASE("there is one capture at a time")
{
    FakeCupti cupti;
    {
        const auto capture = started(cupti);
        CHECK_THAT(refusal(cupti), Catch::Matchers::Contains("one capture at a time"));
    }
    CHECK(started(cupti) != nullptr);
}

TEST_CASE("what is in CUPTI's way is one sentence, and says what to do")
{
    FakeCupti cupti;
    cupti.subscribeResult = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    cupti.otherTool = "Nsight Systems";
    CHECK(refusal(cupti)
          == "another profiler is attached (Nsight Systems): run without it, or with --trace ops");
    cupti.subscribeResult = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    CHECK_THAT(refusal(cupti), Catch::Matchers::Contains("NVreg_RestrictProfilingToAdminUsers=0"));
    cupti.subscribeResult = CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED;
    CHECK_THAT(refusal(cupti), Catch::Matchers::Contains("MIG"));
    cupti.subscribeResult = CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED;
    CHECK_THAT(refusal(cupti), Catch::Matchers::Contains("WSL"));
    cupti.subscribeResult = CUPTI_ERROR_NOT_COMPATIBLE;
    CHECK_THAT(refusal(cupti), Catch::Matchers::Contains("older than CUPTI"));
    cupti.subscribeResult = CUPTI_ERROR_NOT_INITIALIZED;
    CHECK_THAT(refusal(cupti), Catch::Matchers::Contains("older than CUPTI"));
    cupti.subscribeResult = CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED;
    CHECK_THAT(refusal(cupti), Catch::Matchers::Contains("virtual GPU"));
    cupti.subscribeResult = CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES;
    CHECK_THAT(refusal(cupti), Catch::Matchers::Contains("an administrator allows it"));
    cupti.subscribeResult = CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED;
    CHECK_THAT(refusal(cupti), Catch::Matchers::Contains("confidential computing"));
    cupti.subscribeResult = CUPTI_ERROR_DISABLED;
    CHECK_THAT(refusal(cupti), Catch::Matchers::Contains("disabled on this machine"));
    cupti.otherTool.clear();
    cupti.subscribeResult = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    CHECK(refusal(cupti) == "another profiler is attached: run without it, or with --trace ops");
    cupti.subscribeResult = CUPTI_ERROR_UNKNOWN;
    CHECK_THAT(refusal(cupti), Catch::Matchers::Contains("CUPTI_ERROR_UNKNOWN (999)"));
    cupti.subscribeResult = CUPTI_SUCCESS;
    cupti.enableResult = CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED;
    CHECK_THAT(refusal(cupti), Catch::Matchers::Contains("MIG"));
    CHECK(!cupti.subscribed); // nothing stays behind
    cupti.version = 22;
    CHECK_THAT(refusal(cupti), Catch::Matchers::Contains("older than CUDA 12.9"));
}
#endif

TEST_CASE("levels have names")
{
    using profiler::TraceLevel;
    for (const auto level :
         {TraceLevel::Off, TraceLevel::Ops, TraceLevel::Kernels, TraceLevel::All})
        CHECK(profiler::traceLevelNamed(profiler::traceLevelName(level)) == level);
    CHECK(profiler::traceLevelName(TraceLevel::Kernels) == "kernels");
    CHECK(!profiler::traceLevelNamed("most"));
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
