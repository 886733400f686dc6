// Live training on GPUs: streams, events, copies between devices, all-reduces beside compute;
// emulated on the CPU in orders that no GPU would dare.
#include "engine/backend/cuda/runtime/device.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/passes/passes.h"
#include "tests/catch.h"
#include "tests/conformance/lanes/probe_training.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"
#include "tests/support/forwarding_transport.h"

using namespace engine;
using namespace lanes_test;
using Catch::Contains;
using Catch::StartsWith;
using cuda_on_cpu::Turns;

namespace {

// `count` devices on `gpus` GPUs.
Devices emulatedGpus(int count, int gpus = 1)
{
    cuda_on_cpu::plugIn({.count = gpus});
    Devices devices;
    for (auto& made : cuda::makeDevices(count))
        devices.push_back(std::move(made));
    return devices;
}

// Says that it waits for an arrival, and does not.
class HastyTransport final : public tests::ForwardingTransport
{
public:
    HastyTransport(std::unique_ptr<Transport> real, Fence::Kind skipped)
        : ForwardingTransport(std::move(real))
        , m_skipped(skipped)
    { }
    bool wait(DeviceId self, Fence fence) override
    {
        return fence.kind == m_skipped || ForwardingTransport::wait(self, fence);
    }

private:
    Fence::Kind m_skipped;
};

// Never sends one message.
class SilentTransport final : public tests::ForwardingTransport
{
public:
    using ForwardingTransport::ForwardingTransport;
    bool send(DeviceId self, std::uint32_t message) override
    {
        return message == 0 || ForwardingTransport::send(self, message);
    }
};

} // namespace

TEST_CASE("every scheme adds up live on partitions of one GPU what emulation adds up")
{
    const Turns turns = GENERATE(Turns::Newest, Turns::Random);
    cuda_on_cpu::takeTurns(turns);
    const Devices devices = emulatedGpus(4);
    forEachScheme(4, 8, [&](const Schedule& lowered) {
        const Trained live = trainLive(lowered, devices);
        if (!live.result)
            FAIL(live.result.error().message);
        CHECK(live.gradients == emulate(lowered).gradients);
    });
    cuda_on_cpu::takeTurns(Turns::Oldest);
}

TEST_CASE("a device each, or two on a GPU: the same sums, by copies between GPUs")
{
    const int gpus = GENERATE(2, 4);
    cuda_on_cpu::takeTurns(Turns::Random, 7);
    const Devices devices = emulatedGpus(4, gpus);
    CHECK(devices[3]->gpu() == gpus - 1);
    std::vector<Schedule> all;
    for (const char* scheme : {"1f1b", "chimera", "bitpipe", "bpipe"})
        all.push_back(scheduleOf(scheme, 4, 8));
    all.push_back(lower(*addOffload(keepOps(all[2], isPass), 3))); // copies to pinned memory
    CHECK(anyOp(all.back(), usesHost));
    for (const Schedule& lowered : all) {
        INFO(lowered.scheme);
        const Trained live = trainLive(lowered, devices);
        if (!live.result)
            FAIL(live.result.error().message);
        CHECK(live.gradients == emulate(lowered).gradients);
    }
    cuda_on_cpu::takeTurns(Turns::Oldest);
    cuda_on_cpu::plugIn({});
}

TEST_CASE("a wait that is left out is found")
{
    const auto [kind, scheme]
        = GENERATE(table<Fence::Kind, const char*>({{Fence::Kind::Arrived, "1f1b"},
                                                    {Fence::Kind::Reduced, "chimera"},
                                                    {Fence::Kind::Copied, "bpipe"}}));
    const Devices devices = emulatedGpus(4);
    const Schedule lowered = scheduleOf(scheme, 4, 8);
    const GradientsOfStages truth = emulate(lowered).gradients;
    cuda_on_cpu::takeTurns(Turns::Newest);
    const Trained live
        = trainLive(lowered, devices, {.wrapper = [kind = kind](std::unique_ptr<Transport> real) {
                        return std::make_unique<HastyTransport>(std::move(real), kind);
                    }});
    cuda_on_cpu::takeTurns(Turns::Oldest);
    const bool isRight = live.result && live.gradients == truth;
    CHECK_FALSE(isRight);
}

TEST_CASE("times are the GPU's: an op begins after what it consumes, one at a time on a device")
{
    const Devices devices = emulatedGpus(4);
    const Trained live = trainLive(scheduleOf("bitpipe", 4, 8), devices);
    REQUIRE(live.result);
    const Schedule& schedule = live.run.schedule;
    const OpIndex index(schedule);
    for (std::uint32_t k = 0; k < 2; ++k) {
        std::map<std::uint32_t, std::int64_t> madeAt; // [valueIndex]
        std::size_t spans = 0;
        for (const Track& track : live.run.timeline.tracks)
            for (const Span& span : track.spans) {
                spans += span.iteration == k ? 1 : 0;
                if (span.iteration == k)
                    for (const Value& value :
                         produces(opAt(schedule, index, span.op), schedule.shape))
                        madeAt[valueIndex(value, schedule.shape)] = span.end;
            }
        CHECK(spans == opCount(schedule));
        for (const Track& track : live.run.timeline.tracks) {
            std::int64_t before = 0;
            for (const Span& span : track.spans) {
                if (span.iteration != k || track.kind != Track::Kind::Compute)
                    continue;
                CHECK(span.begin >= before - 1000); // floats of milliseconds
                before = span.end;
                for (const Value& value : consumes(opAt(schedule, index, span.op), schedule.shape))
                    CHECK(span.begin >= madeAt[valueIndex(value, schedule.shape)] - 1000);
            }
        }
    }
}

TEST_CASE("everything that is launched belongs to an op, on the thread of its device")
{
    const Devices devices = emulatedGpus(2);
    const Schedule lowered = scheduleOf("1f1b", 2, 4);
    std::mutex mutex;
    std::map<std::thread::id, std::vector<OpOfIteration>> launched;
    std::size_t ended = 0;
    const LaunchHooks hooks{[&](OpOfIteration op) {
                                const std::lock_guard lock(mutex);
                                launched[std::this_thread::get_id()].push_back(op);
                            },
                            [&] {
                                const std::lock_guard lock(mutex);
                                ++ended;
                            }};
    REQUIRE(trainLive(lowered, devices, {.hooks = hooks}).result);
    CHECK(launched.size() == 2);
    CHECK(ended == 2 * opCount(lowered));
    for (const auto& [thread, ops] : launched)
        CHECK(ops.back().iteration == 1);
}

TEST_CASE("the work of an op is queued between its launch hooks, also as a graph")
{
    static thread_local int open = 0;
    std::atomic<int> outside{0}, inside{0};
    const LaunchHooks hooks{[&](OpOfIteration) { ++open; }, [&] { --open; }};
    const Devices devices = emulatedGpus(4);
    const Graphs graphs = GENERATE(Graphs::Off, Graphs::On);
    const auto count = [&] { cuda_on_cpu::watch([&] { ++(open > 0 ? inside : outside); }); };
    const Trained live = trainLive(scheduleOf("bitpipe", 4, 8), devices,
                                   {.iterations = 3,
                                    .graphs = graphs,
                                    .hooks = hooks,
                                    .begun = [&](int) { count(); },
                                    .ended = [](const ExecutionPlan&) { cuda_on_cpu::watch({}); }});
    REQUIRE(live.result);
    CHECK(inside > 3 * 4 * 8);
    // Beside ops there is no more than what an iteration begins and ends with: tokens, losses, and
    // the squares of gradients.
    CHECK(outside <= 3 * 4 * 6);
}

TEST_CASE("streams and contexts of a live run go by their device")
{
    const Devices devices = emulatedGpus(4, 2);
    std::vector<std::string> names;
    REQUIRE(trainLive(scheduleOf("bpipe", 4, 8), devices,
                      {.ended = [&](const ExecutionPlan&) { names = cuda_on_cpu::streamNames(); }})
                .result);
    const auto has = [&](const std::string& name) { return std::ranges::count(names, name) == 1; };
    for (const char* name :
         {"GPU 0: clock", "GPU 1: clock", "device 0: compute", "device 3: compute",
          "device 1: messages", "device 0: evicts and loads"})
        CHECK(has(name));
    CHECK_FALSE(has("device 0: all-reduces"));
    CHECK(cuda_on_cpu::contextNames()
          == std::vector<std::string>{"device 0: 64 of 132 SMs", "device 1: 64 of 132 SMs",
                                      "device 2: 64 of 132 SMs", "device 3: 64 of 132 SMs"});
    names.clear();
    REQUIRE(trainLive(scheduleOf("chimera", 4, 8), devices,
                      {.ended = [&](const ExecutionPlan&) { names = cuda_on_cpu::streamNames(); }})
                .result);
    CHECK(has("device 0: all-reduces"));
    cuda_on_cpu::plugIn({});
}

TEST_CASE("a message that is never sent on GPUs ends the run with the waiting devices")
{
    const Devices devices = emulatedGpus(4);
    const Trained live
        = trainLive(scheduleOf("1f1b", 4, 4), devices,
                    {.wrapper =
                         [](std::unique_ptr<Transport> real) {
                             return std::make_unique<SilentTransport>(std::move(real));
                         },
                     .patience = std::chrono::milliseconds(300)});
    REQUIRE_FALSE(live.result);
    CHECK(live.result.error().code == Error::Code::Device);
    CHECK_THAT(live.result.error().message, StartsWith("no device makes progress; device 0 at "));
    CHECK_THAT(live.result.error().message,
               Contains("1F0, waits for the activation of stage 0, micro-batch 0 from device 0"));
    CHECK(live.run.timeline.iterations.empty());
}

TEST_CASE("a live run on GPUs that is cancelled launches nothing more, and leaves nothing running")
{
    const Devices devices = emulatedGpus(4);
    std::atomic<bool> cancel{false};
    std::atomic<int> launched{0};
    const LaunchHooks hooks{[&](OpOfIteration) { cancel = ++launched >= 20; }, [] {}};
    const Trained live
        = trainLive(scheduleOf("1f1b", 4, 8), devices, {.hooks = hooks, .cancel = &cancel});
    REQUIRE_FALSE(live.result);
    CHECK(live.result.error().code == Error::Code::Cancelled);
    CHECK(launched < 20 + 4); // each device was at most on its way to one
    CHECK(live.run.timeline.iterations.empty());
}

TEST_CASE("a warm-up on parts of one GPU runs one op at a time, to which the others are compared")
{
    const Schedule lowered = scheduleOf("zb-h1", 4, 8);
    const Trained live = trainLive(lowered, emulatedGpus(4), {.warmup = 1});
    REQUIRE(live.result);
    CHECK(live.gradients == emulate(lowered).gradients);
    const Run& run = live.run;
    std::vector<Window> alone;
    for (const Track& track : run.timeline.tracks)
        for (const Span& span : track.spans)
            if (span.iteration == 0 && track.kind == Track::Kind::Compute)
                alone.push_back(span.window());
    std::ranges::sort(alone, {}, &Window::begin);
    for (std::size_t i = 1; i < alone.size(); ++i)
        CHECK(alone[i].begin >= alone[i - 1].end - 1000);

    std::vector<OpKind> kinds;
    for (const Interference& kind : run.info.interference) {
        kinds.push_back(kind.kind);
        CHECK(kind.alone > 0);
        CHECK(kind.concurrent > 0);
    }
    CHECK(kinds
          == std::vector{OpKind::Forward, OpKind::BackwardInput, OpKind::BackwardWeight,
                         OpKind::OptimizerStep});
    CHECK(run.info.iterationAlone > 0);
    CHECK(run.info.iterationAlone < run.timeline.iterations[0].window.duration());

    const Trained whole = trainLive(scheduleOf("1f1b", 2, 4), emulatedGpus(2, 2), {.warmup = 1});
    CHECK(whole.run.info.interference.empty()); // each has a GPU of its own
    cuda_on_cpu::plugIn({});
}

TEST_CASE("ops that are launched as graphs give the same sums, live and emulated")
{
    const Devices devices = emulatedGpus(4);
    const Schedule lowered = scheduleOf("bitpipe", 4, 8);
    const GradientsOfStages truth = emulate(lowered).gradients;
    int ops = 0; // without OPT
    for (const auto& program : lowered.program)
        for (const Op& op : program)
            ops += isCompute(op.kind) && op.kind != OpKind::OptimizerStep ? 1 : 0;

    const Trained live = trainLive(lowered, devices, {.graphs = Graphs::On});
    REQUIRE(live.result);
    CHECK(live.gradients == truth);
    CHECK(live.run.info.graphOps == ops);
    const Trained emulated = emulate(lowered, devices[0].get(), {.graphs = Graphs::On});
    CHECK(emulated.gradients == truth);
    CHECK(emulated.run.info.graphOps == ops);
    CHECK(emulate(lowered, devices[0].get(), {.graphs = Graphs::Off}).run.info.graphOps == 0);
}

TEST_CASE("emulation on a GPU queues its ops without waiting for any of them")
{
    const Devices devices = emulatedGpus(1);
    const auto waits = [&](int microBatches) {
        const std::uint64_t before = cuda_on_cpu::waitsForStreams();
        const Trained trained = emulate(scheduleOf("1f1b", 4, microBatches), devices[0].get());
        REQUIRE(trained.result);
        return cuda_on_cpu::waitsForStreams() - before;
    };
    CHECK(waits(8) == waits(16)); // at the ends of iterations, however many ops they have
}
