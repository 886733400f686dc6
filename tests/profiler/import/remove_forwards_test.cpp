#include "tests/profiler/import/frame_trace.h"

using namespace engine;
using namespace profiler;
using namespace tests;

// It was a further micro-batch.
TEST_CASE("kernels between the last backward and the end of an iteration are no forward")
{
    using enum OpKind;
    for (const bool withSteps : {false, true}) {
        CAPTURE(withSteps);
        FrameTrace trace;
        for (const int begin : {0, 100}) {
            if (withSteps)
                trace.add("user_annotation", fmt::format("ProfilerStep#{}", begin), 1, begin, 99);
            trace.kernel("gemm", 1, begin + 1);
            trace.backward(begin + 10);
            trace.kernel("clip", 1, begin + 30);
            trace.add("user_annotation", "Optimizer.step#SGD.step", 1, begin + 40, 9);
            trace.kernel("update", 1, begin + 42);
            if (withSteps)
                trace.kernel("accuracy", 1, begin + 60);
        }
        CHECK(kindsOf(classified(trace.text()))
              == std::vector{Forward, Backward, OptimizerStep, Forward, Backward, OptimizerStep});
    }
}

// The copy of the loss to the host was a forward.
TEST_CASE("a copy that no kernel follows is no forward")
{
    FrameTrace trace;
    trace.work("gpu_memcpy", "Memcpy HtoD", 1, 0);
    trace.kernel("gemm", 1, 4);
    trace.backward(10);
    trace.work("gpu_memcpy", "Memcpy DtoH", 1, 20);
    const ClassifiedRank rank = classified(trace.text());
    CHECK(kindsOf(rank) == std::vector{OpKind::Forward, OpKind::Backward});
    CHECK(rank.ofCopy == std::vector<std::uint32_t>{0, ClassifiedRank::kNoWork});
    CHECK(rank.leftOut
          == std::vector<ImportReport::LeftOut>{
              {"GPU work outside forwards and backwards", 1, 2000}});
}

// It was the first micro-batch.
TEST_CASE("kernels before the first activation that a rank receives are no forward")
{
    using enum OpKind;
    FrameTrace trace;
    for (const int begin : {0, 100}) {
        trace.kernel("fill", 1, begin + 1);
        trace.add("user_annotation",
                  "megatron.core.pipeline_parallel.p2p_communication.recv_forward", 1, begin + 10,
                  9);
        trace.kernel("ncclDevKernel_SendRecv", 1, begin + 12);
        trace.kernel("gemm", 1, begin + 30);
        trace.backward(begin + 40);
        trace.add("user_annotation", "Optimizer.step#SGD.step", 1, begin + 60, 9);
        trace.kernel("update", 1, begin + 62);
    }
    CHECK(kindsOf(classified(trace.text()))
          == std::vector{RecvActivation, Forward, Backward, OptimizerStep, RecvActivation, Forward,
                         Backward, OptimizerStep});
}
