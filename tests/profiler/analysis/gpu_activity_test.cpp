#include "engine/schedule/passes/passes.h"
#include "profiler/analysis/gpu_activity.h"
#include "tests/profiler/analysis/hand_made.h"
#include "tests/support/text_schedule.h"

#include <algorithm>

using namespace analysis_test;
using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

constexpr std::uint32_t kGemm = 0, kNorm = 1, kReduce = 2;

GpuKernel kernel(std::uint32_t op, std::uint32_t iteration, Window window, std::uint32_t name,
                 std::uint32_t stream = 7)
{
    GpuKernel one;
    one.window = window;
    one.place = {0, 1, stream, static_cast<std::uint32_t>(window.begin) + 1};
    one.of = {op, iteration};
    one.name = name;
    return one;
}

// One device: 0F0 from 0 to 100 and 0B0 from 100 to 300. F runs two matmuls and a norm with 20 ns
// of gaps, B one matmul of half its time.
Run oneDevice()
{
    Shape shape;
    shape.devices = shape.stages = shape.microBatches = 1;
    return handMade(shape, {0, 300}, {{0, "0F0", 0, 100}, {0, "0B0", 100, 300}});
}

GpuTrace trace()
{
    GpuTrace trace;
    trace.strings = {"nvjet_tst_64x64_NNT", "_ZN6engine4cuda12_GLOBAL__N_19layerNormIfLi4EEEvPKfPf",
                     "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"};
    trace.kernels = {kernel(0, 0, {0, 30}, kGemm), kernel(0, 0, {40, 50}, kNorm),
                     kernel(0, 0, {60, 100}, kGemm), kernel(1, 0, {100, 200}, kGemm)};
    return trace;
}

const KernelRow* rowOf(const KernelTable& table, OpKind op, std::uint32_t name)
{
    for (const KernelRow& row : table.rows)
        if (row.op == op && row.name == name)
            return &row;
    return nullptr;
}

// Two devices, an op each (0F0, then 1F0), and iterations: a warm-up, two that were measured, the
// replay.
Run twoDevices()
{
    Shape shape;
    shape.devices = shape.stages = 2;
    shape.microBatches = 1;
    Run run = handMade(shape, {0, 100}, {{0, "0F0", 0, 50}, {1, "1F0", 50, 100}});
    run.timeline.iterations.resize(4, run.timeline.iterations.front());
    using enum Iteration::Kind;
    std::size_t i = 0;
    for (const Iteration::Kind kind : {Warmup, Measured, Measured, Replay})
        run.timeline.iterations[i++].kind = kind;
    return run;
}

GpuTrace launched(const std::vector<OpOfIteration>& each)
{
    GpuTrace trace;
    for (const OpOfIteration& of : each)
        trace.kernels.emplace_back().of = of;
    return trace;
}

// Two devices; SEND_F of micro-batch 0 is op 1, its RECV_F op 5; two replicas sum stage 0 as well.
const Schedule& schedule()
{
    static const Schedule kSchedule
        = scheduleFrom({"0F0 0SEND_F0 0B0 0ALLREDUCE 0OPT", "1RECV_F0 1F0 0F1u 0ALLREDUCEu"});
    return kSchedule;
}

constexpr std::uint32_t kSend = 1, kReceive = 5, kSum = 3, kOtherSum = 8;

GpuTrace traceOf(std::initializer_list<std::pair<std::uint32_t, Window>> kernels)
{
    GpuTrace trace;
    trace.strings = {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "layerNorm"};
    for (const auto& [op, window] : kernels) {
        GpuKernel kernel;
        kernel.of = {op, 0};
        kernel.window = window;
        trace.kernels.push_back(kernel);
    }
    return trace;
}

using By = NcclSplit::By;

} // namespace

TEST_CASE("kernels before the start of their op count in its times, not in its share")
{
    const Run run = oneDevice();
    GpuTrace early = trace();
    early.kernels = {kernel(1, 0, {20, 200}, kReduce, 9)}; // 0B0 begins at 100
    const GpuActivity activity(run, early);
    const KernelTable table = kernelTable(run, activity);
    REQUIRE(table.rows.size() == 1);
    CHECK(table.rows[0].total == 180);
    CHECK(table.rows[0].share == Approx(0.5));
    const auto work = opWork(activity, {1, 0}, {100, 300});
    REQUIRE(work);
    CHECK(work->byKind[KernelKind::Nccl] == 100);
}

// An all-reduce of an imported trace has a span per call. Every span counted the kernels of all.
TEST_CASE("kernels of an op with several spans are counted once")
{
    Run run = oneDevice();
    auto& spans = run.timeline.tracks.front().spans;
    Span second = spans[1]; // 0B0 from 100 to 300, now in two calls
    spans[1].end = 150;
    second.begin = 200;
    spans.push_back(second);
    GpuTrace calls = trace();
    calls.kernels = {kernel(1, 0, {100, 150}, kReduce, 9), kernel(1, 0, {210, 300}, kReduce, 9)};
    const GpuActivity activity(run, calls);
    const KernelTable table = kernelTable(run, activity);
    REQUIRE(table.rows.size() == 1);
    CHECK(table.rows[0].count == 2);
    CHECK(table.rows[0].total == 140);
    CHECK(table.rows[0].share == Approx(140.0 / 150));
    CHECK(table.ops[0].works == 2);
    CHECK(table.ops[0].time == 150);
    CHECK(opWork(activity, {1, 0}, {200, 300})->works == 1);
}

TEST_CASE("a table has every kernel of a kind of op with its times and its share")
{
    const Run run = oneDevice();
    const GpuActivity activity(run, trace());
    const KernelTable table = kernelTable(run, activity);
    REQUIRE(table.rows.size() == 3);
    const KernelRow* gemm = rowOf(table, OpKind::Forward, kGemm);
    REQUIRE(gemm != nullptr);
    CHECK(gemm->count == 2);
    CHECK(gemm->total == 70);
    CHECK(gemm->mean() == 35);
    CHECK(gemm->shortest == 30);
    CHECK(gemm->longest == 40);
    CHECK(gemm->share == Approx(0.70));
    CHECK(&table.rows.front() == gemm); // F first, and the longest of it
    REQUIRE(table.ops.size() == 2);
    CHECK(table.ops[0].busy == 80);
    CHECK(table.ops[0].gapShare() == Approx(0.2));
    CHECK(table.ops[1].gapShare() == Approx(0.5));
}

TEST_CASE("kernels that run at the same time fill a gap once")
{
    const Run run = oneDevice();
    GpuTrace both = trace();
    both.kernels.push_back(kernel(0, 0, {0, 40}, kNorm, 8)); // over a matmul and a gap of 10
    const KernelTable table = kernelTable(run, GpuActivity(run, std::move(both)));
    CHECK(table.ops[0].busy == 90);
    CHECK(rowOf(table, OpKind::Forward, kNorm)->total == 50);
}

TEST_CASE("a filter leaves a kind of op, a device, an iteration, a stretch of time")
{
    const Run run = oneDevice();
    const GpuActivity activity(run, trace());
    KernelFilter filter;
    filter.op = OpKind::Backward;
    CHECK(kernelTable(run, activity, filter).rows.size() == 1);
    filter = {};
    filter.device = DeviceId{1};
    CHECK(kernelTable(run, activity, filter).rows.empty());
    filter = {};
    filter.iteration = 1;
    CHECK(kernelTable(run, activity, filter).rows.empty());
    filter = {};
    filter.begun = Window{50, 150}; // F has begun before
    const KernelTable late = kernelTable(run, activity, filter);
    REQUIRE(late.rows.size() == 1);
    CHECK(late.rows[0].op == OpKind::Backward);
}

TEST_CASE("the work of an op has its gaps, the longest gap and the time by kind of kernel")
{
    const Run run = oneDevice();
    const GpuActivity activity(run, trace());
    const auto work = opWork(activity, {0, 0}, {0, 100});
    REQUIRE(work);
    CHECK(work->works == 3);
    CHECK(work->busy == 80);
    CHECK(work->longestGap == 10);
    CHECK(work->byKind[KernelKind::Matmul] == 70);
    CHECK(work->byKind[KernelKind::Norm] == 10);
    CHECK(work->isLaunchBound()); // a fifth is gaps between kernels of 27 ns
    CHECK_FALSE(opWork(activity, {1, 0}, {100, 300})->isLaunchBound()); // one launch alone
    CHECK_FALSE(opWork(activity, {0, 7}, {0, 100}));
}

TEST_CASE("work is laid out by device and stream, and streams are named by what they do")
{
    const Run run = oneDevice();
    GpuTrace all = trace();
    all.kernels.push_back(kernel(1, 0, {210, 220}, kReduce, 3));
    GpuCopy copy;
    copy.window = {250, 260};
    copy.place = {0, 1, 1, 900};
    copy.of = {1, 0};
    copy.bytes = 4096;
    copy.kind = 10;
    all.copies = {copy};
    const GpuActivity activity(run, std::move(all));
    const auto streams = activity.streams(DeviceId{0});
    REQUIRE(streams.size() == 3);
    CHECK(streams[0].role == DeviceStream::Role::Compute);
    CHECK(activity.on(streams[0]).size() == 4);
    CHECK(streams[1].role == DeviceStream::Role::Copy);
    CHECK(activity.nameOf(activity.on(streams[1]).front()).label == "copy peer to peer");
    CHECK(activity.bytesOf(activity.on(streams[1]).front()) == 4096);
    CHECK(streams[2].role == DeviceStream::Role::Nccl);
}

// The kernels of a trace whose program has one stream were in a row named "NCCL", because the
// stream also has a few NCCL kernels.
TEST_CASE("a stream that runs NCCL between the kernels of its ops is a compute stream")
{
    const Run run = oneDevice();
    GpuTrace all = trace();
    all.kernels.push_back(kernel(1, 0, {210, 220}, kReduce));
    const GpuActivity activity(run, std::move(all));
    const auto streams = activity.streams(DeviceId{0});
    REQUIRE(streams.size() == 1);
    CHECK(streams[0].role == DeviceStream::Role::Compute);
    CHECK(activity.on(streams[0]).size() == 5);
}

TEST_CASE("work of no known op goes to the device whose context it ran in, or is counted")
{
    Run run = oneDevice();
    run.info.mode = Mode::Imported;
    GpuTrace all = trace();
    // The window aborted on the work of other copies, which an import had stored.
    all.kernels.push_back(kernel(OpOfIteration::kOtherCopy, 0, {210, 220}, kNorm));
    all.kernels.push_back(kernel(0, 1, {230, 240}, kNorm)); // the run has one iteration
    all.kernels.push_back(kernel(OpOfIteration::kNone, 0, {250, 260}, kNorm));
    all.kernels.push_back(kernel(OpOfIteration::kNone, 0, {270, 280}, kNorm));
    all.kernels.back().place.context = 99;
    all.contexts = {{1, 0}, {99, 7}}; // the run has one device
    const GpuActivity activity(run, std::move(all));
    CHECK(activity.streams(DeviceId{0}).front().count == 7);
    CHECK(std::ranges::count(activity.work(), OpOfIteration(), &GpuWork::of) == 3);
    CHECK(activity.withoutPlace() == 1);
}

TEST_CASE("the replay shows an op's work as it was when the op took nearly as long")
{
    Shape shape;
    shape.devices = shape.stages = shape.microBatches = 1;
    Run run = handMade(shape, {0, 100}, {{0, "0F0", 0, 100}});
    auto& spans = run.timeline.tracks[0].spans;
    spans.push_back({100, 180, 0, 1});
    spans.push_back({1000, 1082, 0, 2}); // of 100 and 80, 80 is nearer
    run.timeline.iterations.push_back({1, Iteration::Kind::Measured, {100, 180}, {}, {}, {}});
    run.timeline.iterations.push_back({0, Iteration::Kind::Replay, {1000, 1082}, {}, {}, {}});
    GpuTrace both;
    both.strings = {"nvjet_tst_64x64_NNT"};
    both.kernels = {kernel(0, 0, {0, 90}, kGemm), kernel(0, 1, {105, 175}, kGemm)};
    const GpuActivity activity(run, std::move(both));
    const auto replayed = activity.of({0, 2});
    REQUIRE(replayed.size() == 1);
    CHECK(activity.work()[replayed[0]].window == Window{1005, 1077});
    CHECK(activity.takenFrom({0, 2}) == 1);
    CHECK(activity.takenFrom({0, 0}) == 0);
    // A table of all that happened leaves it out.
    CHECK(kernelTable(run, activity).rows[0].count == 2);
}

TEST_CASE("a kernel's kind is read from its name")
{
    CHECK(kernelKindOf("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT") == KernelKind::Matmul);
    CHECK(kernelKindOf("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128>")
          == KernelKind::Matmul);
    CHECK(kernelKindOf("Cijk_Ailk_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x128x16")
          == KernelKind::Matmul);
    CHECK(kernelKindOf("void engine::cuda::flashForwardRows<64>(int)") == KernelKind::Attention);
    CHECK(kernelKindOf("void engine::cuda::(anonymous namespace)::softmaxRows(int)")
          == KernelKind::Attention);
    for (const char* norm :
         {"void engine::cuda::(anonymous namespace)::forwardRows<32>(LayerNorm<float>)",
          "void engine::cuda::(anonymous namespace)::normBackwardRows<8, 256, Rms>(Backward)",
          "void engine::cuda::sumChunks<1, (anonymous namespace)::NormGradients<Rms, float> >"})
        CHECK(kernelKindOf(norm) == KernelKind::Norm);
    CHECK(kernelKindOf("void engine::cuda::eachPack<4, engine::cuda::(anonymous namespace)::Gelu>")
          == KernelKind::Elementwise);
    CHECK(kernelKindOf("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)")
          == KernelKind::Nccl);
    CHECK(kernelKindOf("somethingElse") == KernelKind::Other);
}

TEST_CASE("a run without kernels gives the reason")
{
    RunInfo info;
    CHECK(whyNoKernels(info).find("simulated") != std::string::npos);
    info.mode = Mode::Emulate;
    CHECK(whyNoKernels(info).find("used the CPU") != std::string::npos);
    info.experiment = "[run]\nbackend = \"cuda\"\n";
    info.timing = "CUDA events";
    CHECK(whyNoKernels(info).find("--trace kernels") != std::string::npos);
}

TEST_CASE("kernels that take long do not wait for their launches")
{
    const auto times = [](std::int64_t factor) {
        Shape shape;
        shape.devices = shape.stages = shape.microBatches = 1;
        const Run run = handMade(shape, {0, 100 * factor}, {{0, "0F0", 0, 100 * factor}});
        GpuTrace two;
        two.strings = trace().strings;
        two.kernels = {kernel(0, 0, {0, 40 * factor}, kGemm),
                       kernel(0, 0, {60 * factor, 100 * factor}, kGemm)};
        return opWork(GpuActivity(run, std::move(two)), {0, 0}, {0, 100 * factor})->isLaunchBound();
    };
    CHECK(times(400));       // 16 us each
    CHECK_FALSE(times(600)); // 24 us
}

TEST_CASE("a kernel that outlasts its op fills no more than the op, executions are counted")
{
    Shape shape;
    shape.devices = shape.stages = 1;
    shape.microBatches = 2;
    const Run run = handMade(shape, {0, 200}, {{0, "0F0", 0, 100}, {0, "0F1", 100, 200}});
    GpuTrace late;
    late.strings = trace().strings;
    late.kernels = {kernel(0, 0, {60, 130}, kGemm), kernel(1, 0, {130, 200}, kGemm)};
    const KernelTable table = kernelTable(run, GpuActivity(run, std::move(late)));
    REQUIRE(table.ops.size() == 1);
    CHECK(table.ops[0].executions == 2);
    CHECK(table.ops[0].busy == 40 + 70);
    CHECK(table.rows[0].total == 70 + 70);
}

TEST_CASE("within a kind of op the kernels that take longest come first")
{
    const Run run = oneDevice();
    GpuTrace one = trace();
    one.kernels = {kernel(0, 0, {0, 10}, kGemm), kernel(0, 0, {10, 60}, kNorm),
                   kernel(1, 0, {100, 200}, kGemm)};
    const KernelTable table = kernelTable(run, GpuActivity(run, one));
    REQUIRE(table.rows.size() == 3);
    CHECK(table.rows[0].name == kNorm);
    CHECK(table.rows[1].name == kGemm);
    CHECK(table.rows[2].op == OpKind::Backward);
}

TEST_CASE("a call without a correlation id launched nothing")
{
    const Run run = oneDevice();
    GpuTrace one = trace();
    one.kernels[0].place.correlation = 0;
    one.calls.resize(2); // of the number 0, and
    one.calls[1].correlation = one.kernels[1].place.correlation;
    const GpuActivity activity(run, one);
    const auto callAt = [&](std::int64_t begin) {
        const auto work = std::ranges::find(activity.work(), begin,
                                            [](const GpuWork& each) { return each.window.begin; });
        return activity.callOf(*work);
    };
    CHECK(callAt(0) == nullptr);
    CHECK(callAt(40) == &activity.trace().calls[1]);
}

TEST_CASE("work without an op in a shared context belongs to no device")
{
    const Run run = handMade({.devices = 2, .stages = 2, .microBatches = 1}, {0, 200},
                             {{0, "0F0", 0, 100}, {1, "1F0", 100, 200}});
    GpuTrace one = trace();
    one.kernels = {kernel(0, 0, {0, 30}, kGemm), kernel(1, 0, {100, 130}, kGemm),
                   kernel(OpOfIteration::kNone, 0, {40, 50}, kNorm)};
    const GpuActivity activity(run, one);
    CHECK(activity.withoutPlace() == 1);
    CHECK(activity.work().size() == 2);
}

TEST_CASE("kernels of measured iterations are counted by the device of their op")
{
    const Run run = twoDevices();
    CHECK(kernelsPerIteration(run, launched({{0, 1}, {0, 1}, {1, 1}, {0, 2}, {0, 2}, {1, 2}}))
          == std::vector<double>{2, 1});
    CHECK(kernelsPerIteration(run, launched({{0, 1}, {0, 1}, {0, 2}}))
          == std::vector<double>{1.5, 0});
}

TEST_CASE("work without an op, of other copies, warm-up or no iteration does not count")
{
    const Run run = twoDevices();
    const GpuTrace others = launched(
        {{OpOfIteration::kNone, 1}, {OpOfIteration::kOtherCopy, 1}, {0, 0}, {0, 3}, {1, 99}});
    CHECK(kernelsPerIteration(run, others).empty());
    CHECK(kernelsPerIteration(run, {}).empty());
    GpuTrace trace = others;
    trace.kernels.emplace_back().of = {1, 2}; // the only measured one with kernels
    CHECK(kernelsPerIteration(run, trace) == std::vector<double>{0, 1});
}

TEST_CASE("a message is under way from when the later of its two kernels has begun")
{
    const auto splits
        = splitNccl(traceOf({{kReceive, {100, 1300}}, {kSend, {1000, 1290}}}), schedule());
    CHECK(splits
          == std::vector<NcclSplit>{{0, {100, 1000}, {1000, 1300}, By::Ranks},
                                    {1, {1000, 1000}, {1000, 1290}, By::Ranks}});
}

TEST_CASE("a sum begins with the last of its ranks")
{
    const auto splits = splitNccl(traceOf({{kSum, {0, 900}}, {kOtherSum, {500, 910}}}), schedule());
    CHECK(splits
          == std::vector<NcclSplit>{{0, {0, 500}, {500, 900}, By::Ranks},
                                    {1, {500, 500}, {500, 910}, By::Ranks}});
}

// The kernels of the first copy counted as those of all ranks.
TEST_CASE("a sum over data-parallel copies is not split, because a trace has only the first copy")
{
    Schedule copies = schedule();
    copies.shape.dataParallel = 2;
    const GpuTrace trace = traceOf({{kSum, {0, 900}}, {kOtherSum, {500, 910}}});
    const auto sums = splitNccl(trace, copies);
    REQUIRE(sums.size() == 2);
    CHECK(sums[0].by == By::None);
    const auto messages
        = splitNccl(traceOf({{kReceive, {100, 1300}}, {kSend, {1000, 1290}}}), copies);
    REQUIRE(messages.size() == 2);
    CHECK(messages[0].by == By::Ranks);
}

TEST_CASE("the transfer time of a rank without a trace comes from the link, or is unknown")
{
    const GpuTrace trace = traceOf({{kReceive, {100, 1300}}});
    CHECK(splitNccl(trace, schedule())
          == std::vector<NcclSplit>{{0, {100, 100}, {100, 1300}, By::None}});
    const LinkTime link = [](const Op& op) { return isTransfer(op.kind) ? 250 : 0; };
    CHECK(splitNccl(trace, schedule(), link)
          == std::vector<NcclSplit>{{0, {100, 1050}, {1050, 1300}, By::Link}});
    const LinkTime slow = [](const Op&) { return 5000; };
    CHECK(splitNccl(trace, schedule(), slow)
          == std::vector<NcclSplit>{{0, {100, 100}, {100, 1300}, By::Link}});
}

TEST_CASE("the two ends of a message are of one iteration")
{
    GpuTrace trace = traceOf({{kReceive, {100, 1300}}, {kSend, {1000, 1290}}});
    trace.kernels[1].of.iteration = 1;
    for (const NcclSplit& split : splitNccl(trace, schedule()))
        CHECK(split.by == By::None);
}

TEST_CASE("other kernels, and those of no op, are not split")
{
    GpuTrace trace = traceOf({{kReceive, {100, 1300}}, {kSend, {1000, 1290}}});
    trace.kernels[0].name = 1;
    trace.kernels[1].of = {};
    CHECK(splitNccl(trace, schedule()).empty());
}
