#include "profiler/import/readers/readers.h"
#include "tests/catch.h"
#include "tests/profiler/import/frame_trace.h"

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {
// Rank 1 of three ranks sends an activation and receives a gradient with one kernel, then sums.
std::string batchTrace(bool isBatched)
{
    const std::string group = R"(,"Process Group Ranks":"[0, 1, 2]")";
    const std::string send = R"(,"Collective name":"send","Dst Rank":2)" + group;
    FrameTrace trace;
    trace.add("cpu_op", "record_param_comms", 1, 10, 1, send);
    if (isBatched)
        trace.add("cpu_op", "record_param_comms", 1, 12, 1,
                  R"(,"Collective name":"recv","Src Rank":2)" + group);
    trace.work("kernel", "ncclDevKernel_SendRecv(ncclDevKernelArgs)", 1, 14, isBatched ? "" : send);
    if (isBatched) // NCCL divides large batches
        trace.kernel("ncclDevKernel_SendRecv(ncclDevKernelArgs)", 1, 17);
    trace.add("cpu_op", "record_param_comms", 1, 20, 1, R"(,"Collective name":"allreduce")");
    trace.work("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", 1, 20);
    return R"({"distributedInfo":{"backend":"nccl","rank":1,"world_size":3},"traceEvents":)"
        + trace.text() + "}";
}
} // namespace

// PyTorch states them only on the host, and their kernel was an all-reduce.
TEST_CASE("the kernels of batch_isend_irecv execute the messages that precede their launch")
{
    const ClassifiedRank rank = classified(batchTrace(true));
    CHECK(kindsOf(rank)
          == std::vector{OpKind::SendActivation, OpKind::RecvGradient, OpKind::AllReduce});
    CHECK(rank.works[0].window == rank.works[1].window);
    CHECK(rank.works[0].window.duration() == 5000); // of two kernels
    CHECK(rank.ofKernel == std::vector<std::uint32_t>{0, 0, 2});
    CHECK(rank.leftOut.empty());
}

TEST_CASE("a message that its kernel states is one message")
{
    CHECK(kindsOf(classified(batchTrace(false)))
          == std::vector{OpKind::SendActivation, OpKind::AllReduce});
}

// It was an all-reduce, and its wait for the other rank was no bubble.
TEST_CASE("the kernel of a message whose ranks are unknown is left out")
{
    FrameTrace trace;
    trace.kernel("ncclDevKernel_SendRecv(ncclDevKernelArgs)", 1, 10);
    const ClassifiedRank rank = classified(trace.text());
    CHECK(rank.works.empty());
    CHECK(rank.leftOut
          == std::vector<ImportReport::LeftOut>{{"Messages whose ranks are unknown", 1, 2000}});

    trace.add("user_annotation", "nccl:all_to_all", 1, 19, 5);
    trace.kernel("ncclDevKernel_SendRecv(ncclDevKernelArgs)", 1, 20);
    CHECK(kindsOf(classified(trace.text())) == std::vector{OpKind::AllReduce});
}

// Nsight Systems and older versions of PyTorch record no ranks of kernels, so they were
// all-reduces.
TEST_CASE("PyTorch's range of a message states its ranks")
{
    using enum OpKind;
    for (const auto& [range, kind] : {std::pair("nccl:send 0->1", SendActivation),
                                      {"nccl:send 2->1, op_id = 7", SendGradient},
                                      {"nccl:recv 1<-0", RecvActivation},
                                      {"nccl:recv 1<-2", RecvGradient}}) {
        CAPTURE(range);
        FrameTrace trace;
        trace.add("user_annotation", range, 1, 9, 5);
        trace.kernel("ncclDevKernel_SendRecv(ncclDevKernelArgs)", 1, 10);
        CHECK(kindsOf(classified(trace.text())) == std::vector{kind});
    }
}

namespace {

std::size_t ranksOf(std::uint32_t threads, const std::string& program = "")
{
    RankTrace trace;
    trace.program = program;
    trace.texts
        = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"", "PP:0F0"});
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
        trace.threads.push_back(std::to_string(thread));
        trace.ranges.push_back({{0, 1}, 1, thread});
    }
    const std::vector<std::string> processes(threads, "1");
    return splitRanks(std::move(trace), processes, [](std::string_view) { return true; }).size();
}

} // namespace

TEST_CASE("threads with named ranges are ranks, up to 1024")
{
    CHECK(ranksOf(2) == 2);
    CHECK(ranksOf(1024) == 1024);
    CHECK(ranksOf(1025) == 1);
}

// Compute and all-reduces of a run with one device became two devices.
TEST_CASE("the lanes of a device of an exported run are one rank")
{
    CHECK(ranksOf(2, std::string(kOwnProgram)) == 1);
}

// A process that trains on a CPU became a rank for each thread with ranges of collectives.
TEST_CASE("a process in a trace of PyTorch's profiler is one rank")
{
    CHECK(ranksOf(2, std::string(kKineto)) == 1);
}

// Copies of other GPUs than NVIDIA's had no direction.
TEST_CASE("the name of a copy gives its direction on any GPU")
{
    for (const auto& [name, kind] : {std::pair("Memcpy HtoD (Pinned -> Device)", 1),
                                     {"Memcpy DtoD (Device -> Device)", 8},
                                     {"CopyDeviceToHost", 2},
                                     {"Memcpy M2D", 1},
                                     {"Memcpy", 0}}) {
        CAPTURE(name);
        FrameTrace trace;
        trace.work("gpu_memcpy", name, 1, 10);
        const RankTrace rank = rankOf(trace.text());
        REQUIRE(rank.gpu.copies.size() == 1);
        CHECK(rank.gpu.copies.front().kind == kind);
    }
}

// They were ranges, so kernels of these GPUs had no launch and were not classified.
TEST_CASE("calls of the runtimes of other GPUs are calls")
{
    FrameTrace trace;
    for (const char* category : {"cuda_runtime", "xpu_runtime", "xpu_driver", "mtia_runtime",
                                 "privateuse1_runtime", "privateuse1_driver"})
        trace.add(category, "launch", 1, 10, 1);
    const RankTrace rank = rankOf(trace.text());
    CHECK(rank.gpu.calls.size() == 6);
    CHECK(rank.ranges.empty());
}

// Ring attention made stages of the ranks of its group. Pipelines of a DeviceMesh whose dimensions
// have no names had no messages.
TEST_CASE("a group that is described as one of another parallelism is not a pipeline's")
{
    const auto mayBePipeline = [](const std::string& group) {
        FrameTrace trace;
        trace.work(
            "kernel", "ncclDevKernel_SendRecv", 1, 10,
            fmt::format(R"(,"Collective name":"send","Process Group Description":"{}")", group));
        const RankTrace rank = rankOf(trace.text());
        REQUIRE(rank.nccl.size() == 1);
        return rank.nccl.begin()->second.mayBePipeline;
    };
    for (const char* name : {"", "default_pg", "undefined", "mesh_default", "mesh_dim_0",
                             "PIPELINE_MODEL_PARALLEL_GROUP", "mesh_pp"})
        CHECK(mayBePipeline(name));
    for (const char* name : {"CONTEXT_PARALLEL_GROUP", "EXPERT_MODEL_PARALLEL_GROUP", "mesh_cp"})
        CHECK_FALSE(mayBePipeline(name));
}

TEST_CASE("a name with a damaged escape stays as it is")
{
    FrameTrace trace;
    trace.add("user_annotation", R"(Forward \uD8 0)", 1, 10, 1);
    trace.add("user_annotation", R"(a\"b\\c\u00e4\n)", 1, 20, 1);
    const RankTrace rank = rankOf(trace.text());
    REQUIRE(rank.ranges.size() == 2);
    CHECK(rank.text(rank.ranges[0].name) == R"(Forward \uD8 0)");
    CHECK(rank.text(rank.ranges[1].name) == "a\"b\\c\u00e4\n");
}
