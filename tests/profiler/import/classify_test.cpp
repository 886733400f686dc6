#include "profiler/analysis/gpu_activity.h"
#include "tests/profiler/import/frame_trace.h"
#include "tests/profiler/import/traces.h"

using namespace engine;
using namespace profiler;
using namespace tests;

TEST_CASE("kernels belong to the range that encloses their launch, on any thread")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.onGpu = true;
    const Run run = simulatedRun("1f1b", 2, 4);
    writeTorchTraces(folder.path(), run, options);
    const ImportedRun result = imported(folder);
    const ImportReport& report = *result.run.info.import;
    CHECK(report.onGpu);
    CHECK(report.kernels == static_cast<std::int64_t>(result.gpu.kernels.size()));
    CHECK(report.classified() == 1);
    CHECK(orderOf(result.run.schedule) == orderOf(run.schedule));
    CHECK(result.run.info.deviceName == "NVIDIA H100");
    for (const GpuKernel& kernel : result.gpu.kernels)
        CHECK(kernel.of.isKnown());
    const GpuActivity activity(result.run, result.gpu);
    CHECK(activity.withoutPlace() == 0);
    CHECK(activity.streams(DeviceId{1}).size() == 2); // compute and NCCL
}

TEST_CASE("without ranges, backward kernels are those of the autograd engine's threads")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.onGpu = true;
    options.name = [](const Op&) { return std::string(); };
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 1, 1), options);
    const ImportedRun result = imported(folder);
    CHECK_FALSE(result.run.info.import->stagesKnown);
    CHECK(orderOf(result.run.schedule) == std::vector<std::vector<std::string>>{{"0F0", "0B0"}});
    CHECK(result.run.info.import->classified() == 1);
}

TEST_CASE("a rule for kernels gives the kind that it names")
{
    const TemporaryFolder folder;
    TorchTraceOptions options;
    options.onGpu = true;
    options.name = [](const Op&) { return std::string(); };
    writeTorchTraces(folder.path(), simulatedRun("1f1b", 1, 1), options);
    const auto rules = Rules::parse("[[rule]]\nname='mine'\nkernel='gemm'\nkind='F'", "a.toml");
    REQUIRE(rules);
    const auto result = importTraces({folder.path()}, *rules);
    REQUIRE(result);
    CHECK(orderOf(result->run.schedule) == std::vector<std::vector<std::string>>{{"0F0"}});
    CHECK(result->run.info.import->rules.front().name == "mine");
}

// Their host time was -1, before every iteration.
TEST_CASE("NCCL kernels without a launching call belong to the iteration in which they run")
{
    const TemporaryFolder folder;
    std::string events;
    const auto add = [&](int ts, int duration, const std::string& rest) {
        events += fmt::format(R"({}{{"ph":"X","ts":{},"dur":{},{}}})", events.empty() ? "" : ",",
                              ts, duration, rest);
    };
    for (const int step : {0, 1}) {
        const int begin = 100 * step + 100;
        add(begin, 90,
            fmt::format(R"("name":"ProfilerStep#{}","cat":"user_annotation","pid":1,"tid":1)",
                        step));
        for (const int op : {0, 1}) {
            const int at = begin + 20 * op + 10;
            const std::string call = fmt::format(R"("correlation":{})", 2 * step + op + 1);
            add(at, 9,
                fmt::format(R"("name":"PP:0{}0","cat":"user_annotation","pid":1,"tid":1)",
                            op == 0 ? 'F' : 'B'));
            add(at + 1, 1,
                R"("name":"cudaLaunchKernel","cat":"cuda_runtime","pid":1,"tid":1,"args":{)" + call
                    + "}");
            add(at + 5, 4,
                R"("name":"gemm","cat":"kernel","pid":0,"tid":7,"args":{"device":0,"stream":7,)"
                    + call + "}");
        }
        add(begin + 60, 10,
            R"("name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","cat":"kernel","pid":0,"tid":9,)"
            R"("args":{"device":0,"stream":9})");
    }
    writeText(folder / "a.json", "[" + events + "]");
    const ImportedRun result = imported(folder);
    const Track* sums = result.run.timeline.track(DeviceId{0}, Track::Kind::AllReduce);
    REQUIRE(sums);
    REQUIRE(sums->spans.size() == 2);
    CHECK(sums->spans[0].iteration == 0);
    CHECK(sums->spans[1].iteration == 1);
}

// They were ops, so such traces had no iterations, and their other ops were nested in an op.
TEST_CASE("annotations that Kineto before 2022 wrote as ops are annotations")
{
    const TemporaryFolder folder;
    std::string events;
    const auto add = [&](const std::string& name, int ts, int duration) {
        events += fmt::format(R"({}{{"ph":"X","cat":"Operator","name":"{}","pid":"1","tid":"1",)"
                              R"("ts":{},"dur":{}}})",
                              events.empty() ? "" : ",", name, ts, duration);
    };
    for (const int step : {0, 1}) {
        const int begin = 100 * step;
        add(fmt::format("ProfilerStep#{}", step), begin, 99);
        add("## forward ##", begin + 10, 20);
        add("aten::addmm", begin + 15, 10);
        add("## backward ##", begin + 40, 40);
        add("AddmmBackward", begin + 50, 30);
    }
    writeText(folder / "a.json", R"({"schemaVersion":1,"traceEvents":[)" + events + "]}");
    const ImportedRun result = imported(folder);
    CHECK(result.run.timeline.iterations.size() == 2);
    CHECK(result.run.info.import->iterationsFrom == "ranges of iterations");
    CHECK(orderOf(result.run.schedule) == std::vector<std::vector<std::string>>{{"0F0", "0B0"}});
    CHECK(result.run.info.import->classified() == 1);
}

// All forwards of a warm-up became one op.
TEST_CASE("joint messages of Megatron-LM separate the forwards between them")
{
    const TemporaryFolder folder;
    std::string events;
    for (int i = 0; i < 3; ++i)
        events += fmt::format(
            R"({0}{{"ph":"X","name":"cudaLaunchKernel","cat":"cuda_runtime","pid":1,"tid":1,)"
            R"("ts":{1},"dur":1,"args":{{"correlation":{2}}}}},)"
            R"({{"ph":"X","name":"gemm","cat":"kernel","pid":0,"tid":7,"ts":{3},"dur":9,)"
            R"("args":{{"device":0,"stream":7,"correlation":{2}}}}},)"
            R"({{"ph":"X","name":"megatron/core/pipeline_parallel/p2p_communication.py(372): )"
            R"(send_forward_recv_backward","cat":"python_function","pid":1,"tid":1,"ts":{4},"dur":2}})",
            i == 0 ? "" : ",", 10 * i, i + 1, 10 * i + 1, 10 * i + 5);
    writeText(folder / "a.json", "[" + events + "]");
    CHECK(orderOf(imported(folder).run.schedule)
          == std::vector<std::vector<std::string>>{{"0F0", "0F1", "0F2"}});
}

// The times of NCCL's messages were added behind those of all ranges, and searched as if sorted.
TEST_CASE("a message of NCCL separates forwards although a joint message follows")
{
    const TemporaryFolder folder;
    std::string events;
    const auto launch = [&](const char* kernel, int ts, const char* more) {
        events += fmt::format(
            R"({{"ph":"X","name":"cudaLaunchKernel","cat":"cuda_runtime","pid":1,"tid":1,)"
            R"("ts":{0},"dur":1,"args":{{"correlation":{1}}}}},)"
            R"({{"ph":"X","name":"{2}","cat":"kernel","pid":0,"tid":7,"ts":{3},"dur":5,)"
            R"("args":{{"device":0,"stream":7,"correlation":{1}{4}}}}},)",
            ts, ts + 1, kernel, ts + 2, more);
    };
    launch("gemm", 0, "");
    launch("ncclDevKernel_SendRecv", 10, R"(,"Collective name":"send","Src Rank":0,"Dst Rank":1)");
    launch("gemm", 20, "");
    writeText(
        folder / "a.json",
        "[" + events
            + R"({"ph":"X","name":"megatron/core/pipeline_parallel/p2p_communication.py(372): )"
              R"(send_forward","cat":"python_function","pid":1,"tid":1,"ts":40,"dur":2}])");
    CHECK(orderOf(imported(folder).run.schedule)
          == std::vector<std::vector<std::string>>{{"0F0", "0F1"}});
}

namespace {
// One forward, then one backward that the thread `backward` launches. The main thread, 1, also runs
// the root of the backward.
std::string trainingTrace(int backward, bool withStep)
{
    std::string events;
    const auto add = [&](const char* category, const char* name, int thread, int ts, int duration,
                         int correlation) {
        events += fmt::format(R"({}{{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":{},"ts":{},)"
                              R"("dur":{},"args":{{"device":0,"correlation":{}}}}})",
                              events.empty() ? "" : ",", category, name, thread, ts, duration,
                              correlation);
    };
    constexpr const char* kEvaluate = "autograd::engine::evaluate_function: ";
    if (withStep)
        add("user_annotation", "ProfilerStep#0", 1, 0, 100, 0);
    add("cpu_op", "aten::linear", 1, 10, 9, 0);
    add("cpu_op", "aten::addmm", 1, 11, 7, 0);
    add("cuda_runtime", "cudaLaunchKernel", 1, 12, 1, 1);
    add("kernel", "gemm", 7, 13, 9, 1);
    add("cpu_op", (std::string(kEvaluate) + "GraphRoot").c_str(), 1, 30, 1, 0);
    add("cpu_op", (std::string(kEvaluate) + "AddmmBackward0").c_str(), backward, 40, 9, 0);
    add("cuda_runtime", "cudaLaunchKernel", backward, 42, 1, 2);
    add("kernel", "gemm", 7, 43, 9, 2);
    return "[" + events + "]";
}
} // namespace

// One function of the autograd engine made a thread one of its own, unless it had the iterations.
TEST_CASE("functions of the autograd engine on the main thread leave its forwards alone")
{
    const TemporaryFolder folder;
    for (const std::string& trace : {trainingTrace(2, false), trainingTrace(1, true)}) {
        writeText(folder / "a.json", trace);
        CHECK(orderOf(imported(folder).run.schedule)
              == std::vector<std::vector<std::string>>{{"0F0", "0B0"}});
    }
}

// Forwards without a message between them were one forward.
TEST_CASE("Python frames of DeepSpeed and Megatron-LM are their forwards and backwards")
{
    const std::string deepspeed = "deepspeed/runtime/pipe/engine.py(641): _exec_";
    const std::string megatron = "megatron/core/pipeline_parallel/schedules.py(289): ";
    for (const auto& [forward, backward] :
         {std::pair(deepspeed + "forward_pass", deepspeed + "backward_pass"),
          std::pair(megatron + "forward_step", megatron + "backward_step")}) {
        const TemporaryFolder folder;
        FrameTrace trace;
        for (const int i : {0, 1}) {
            trace.frame(forward, 10 * i, 9);
            trace.kernel("gemm", 1, 10 * i + 2);
            trace.frame(backward, 20 + 10 * i, 9);
            trace.kernel("scale", 1, 20 + 10 * i + 1);
            trace.kernel("gemm", 2, 20 + 10 * i + 4); // from a thread of the autograd engine
        }
        writeText(folder / "a.json", trace.text());
        const ImportedRun result = imported(folder);
        CHECK(orderOf(result.run.schedule)
              == std::vector<std::vector<std::string>>{{"0F0", "0F1", "0B0", "0B1"}});
        CHECK(result.run.info.import->classified() == 1);
    }
}

// A forward of PyTorch's ScheduleGPipe took 84 of its 128 ms to wait for the message that its first
// op asks for, and that time was compute.
TEST_CASE("an op on the host begins after the message that it receives and ends before it sends")
{
    FrameTrace trace;
    trace.add("user_annotation", "Forward 0", 1, 0, 100);
    trace.add("cpu_op", "c10d::recv_", 1, 1, 2);
    trace.add("cpu_op", "aten::linear", 1, 60, 10);
    trace.add("cpu_op", "aten::gelu", 1, 70, 10);
    trace.add("cpu_op", "c10d::send", 1, 85, 2);
    const ClassifiedRank rank = classified(trace.text());
    REQUIRE(rank.works.size() == 1);
    CHECK(rank.works[0].window == Window{60000, 85000});
}

// PyTorch's Schedule1F1B had "no complete iteration with forward or backward ops".
TEST_CASE("frames of PyTorch's stages are ops if no range names them")
{
    const std::string stage = "torch/distributed/pipelining/stage.py(949): ";
    const TemporaryFolder folder;
    for (const int rank : {0, 1}) {
        FrameTrace trace;
        trace.add("user_annotation", "ProfilerStep#0", 1, 0, 200);
        for (const int i : {0, 1}) {
            trace.frame(stage + "forward_one_chunk", 10 + 20 * i + 10 * rank, 9);
            trace.add("cpu_op", "aten::linear", 1, 11 + 20 * i + 10 * rank, 5);
            trace.frame(stage + "backward_one_chunk", 110 + 20 * i - 10 * rank, 9);
            trace.add("cpu_op", "autograd::engine::evaluate_function: MmBackward0", 1,
                      111 + 20 * i - 10 * rank, 5);
        }
        writeText(folder / fmt::format("rank{}.json", rank), trace.text());
    }
    const ImportedRun result = imported(folder);
    CHECK(orderOf(result.run.schedule)
          == std::vector<std::vector<std::string>>{{"0F0", "0F1", "0B0", "0B1"},
                                                   {"1F0", "1F1", "1B0", "1B1"}});

    FrameTrace named;
    named.add("user_annotation", "PP:1F0", 1, 0, 20);
    named.frame(stage + "forward_one_chunk", 5, 10);
    named.add("cpu_op", "aten::linear", 1, 6, 5);
    CHECK(classified(named.text()).works.size() == 1);
}

// Such a kernel was an all-reduce.
TEST_CASE("a kernel of NCCL in a send of DeepSpeed is that message")
{
    FrameTrace trace;
    trace.frame("deepspeed/runtime/pipe/engine.py(641): _exec_forward_pass", 0, 9);
    trace.kernel("gemm", 1, 2);
    trace.frame("deepspeed/runtime/pipe/engine.py(980): _exec_send_activations", 10, 9);
    trace.kernel("ncclDevKernel_SendRecv(ncclDevKernelArgs)", 1, 12);
    const ClassifiedRank rank = classified(trace.text());
    REQUIRE(rank.works.size() == 2);
    CHECK(rank.works[1].op.kind == OpKind::SendActivation);
}

// They were two steps, and without ranges of iterations the second one was in an iteration that has
// no other op.
TEST_CASE("an optimizer step within the range of an optimizer step is one step")
{
    FrameTrace trace;
    trace.add("user_annotation", "## optimizer ##", 1, 0, 20);
    trace.kernel("norm", 1, 2);
    trace.add("user_annotation", "Optimizer.step#SGD.step", 1, 10, 9);
    trace.kernel("update", 1, 12);
    trace.add("user_annotation", "Optimizer.step#SGD.step", 1, 30, 9);
    trace.kernel("update", 1, 32);
    const ClassifiedRank rank = classified(trace.text());
    REQUIRE(rank.works.size() == 2);
    CHECK(rank.works[0].window == Window{3000, 15000});
}

namespace {
// The kind of a message between a rank of a group of three ranks and `peer`, which is the only rank
// that PyTorch's profiler states.
OpKind kindOfMessage(int rank, const std::string& name, int peer)
{
    const ClassifiedRank found = classified(fmt::format(
        R"({{"distributedInfo":{{"backend":"nccl","rank":{},"world_size":3}},"traceEvents":[)"
        R"({{"ph":"X","cat":"kernel","name":"ncclDevKernel_SendRecv","pid":0,)"
        R"("tid":9,"ts":1,"dur":1,"args":{{"device":0,"Collective name":"{}","{} Rank":{},)"
        R"("Process Group Ranks":"[0, 1, 2]"}}}}]}})",
        rank, name, name == "send" ? "Dst" : "Src", peer));
    REQUIRE(found.works.size() == 1);
    return found.works.front().op.kind;
}
} // namespace

// Both ranks had to be stated, so all messages were all-reduces.
TEST_CASE("the ranks of a message are that of the trace and the one that its kernel states")
{
    CHECK(kindOfMessage(0, "send", 1) == OpKind::SendActivation);
    CHECK(kindOfMessage(1, "send", 0) == OpKind::SendGradient);
    CHECK(kindOfMessage(1, "recv", 0) == OpKind::RecvActivation);
    CHECK(kindOfMessage(1, "recv", 2) == OpKind::RecvGradient);
}

// They were gradients and activations of the neighbours of these ranks.
TEST_CASE("messages between the last and the first rank are those of the next chunk")
{
    CHECK(kindOfMessage(2, "send", 0) == OpKind::SendActivation);
    CHECK(kindOfMessage(0, "recv", 2) == OpKind::RecvActivation);
    CHECK(kindOfMessage(0, "send", 2) == OpKind::SendGradient);
    CHECK(kindOfMessage(2, "recv", 0) == OpKind::RecvGradient);
}

// All kernels were of forwards.
TEST_CASE("a thread that runs functions of autograd is one of the engine in old traces, too")
{
    const TemporaryFolder folder;
    std::string events;
    const auto launch = [&](const char* op, int thread, int ts) {
        events += fmt::format(
            R"({0}{{"ph":"X","cat":"Operator","name":"{1}","pid":1,"tid":"{2}","ts":{3},"dur":9}},)"
            R"({{"ph":"X","cat":"Operator","name":"aten::addmm","pid":1,"tid":"{2}","ts":{4},)"
            R"("dur":5}},{{"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":1,"tid":"{2}",)"
            R"("ts":{5},"dur":1,"args":{{"correlation":{4}}}}},{{"ph":"X","cat":"Kernel",)"
            R"("name":"gemm","pid":0,"tid":"stream 7","ts":{6},"dur":2,)"
            R"("args":{{"device":0,"stream":7,"correlation":{4}}}}})",
            events.empty() ? "" : ",", op, thread, ts, ts + 1, ts + 2, ts + 4);
    };
    launch("aten::linear", 1, 10);
    launch("aten::linear", 1, 20);
    launch("AddmmBackward", 2, 30);
    launch("MulBackward0", 2, 40);
    writeText(folder / "a.json", R"({"schemaVersion":1,"traceEvents":[)" + events + "]}");
    CHECK(orderOf(imported(folder).run.schedule)
          == std::vector<std::vector<std::string>>{{"0F0", "0B0"}});
}

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
