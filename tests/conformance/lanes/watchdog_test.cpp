// GPUs that do not end what they were given, and some that only take their time; emulated on the
// CPU.
#include "engine/backend/cuda/runtime/device.h"
#include "tests/catch.h"
#include "tests/conformance/lanes/probe_training.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"

#include <algorithm>
#include <memory>
#include <thread>

using namespace engine;
using namespace lanes_test;
using Catch::Contains;
using Catch::Matchers::Matches;

namespace {

// The limit of an op that has not run yet: 1.8 s. Long enough for a thread to get its turn on a
// machine that has much else to do, or nothing would seem to move where nothing hangs.
constexpr std::chrono::milliseconds kPatience{150};

Devices emulatedGpus(int count, int gpus = 1)
{
    cuda_on_cpu::plugIn({.count = gpus});
    Devices devices;
    for (auto& made : cuda::makeDevices(count))
        devices.push_back(std::move(made));
    return devices;
}

// The n-th piece of work of an iteration does not end before all is over.
LiveOptions hanging(int iteration, int n, int warmup = 0)
{
    return {.iterations = iteration + 1,
            .warmup = warmup,
            .patience = kPatience,
            .begun =
                [=](int k) {
                    if (k == iteration)
                        cuda_on_cpu::hangAt(n);
                },
            .ended = [](const ExecutionPlan&) { cuda_on_cpu::wakeUp(); }};
}

enum class Hangs : std::uint8_t { BeforeOpt, InOpt };

// The first kernel of such an op, which has been seen once, does not end before all is over.
LiveOptions hangingAt(const Schedule& lowered, Hangs hangs, int warmup = 0)
{
    const auto isIt = [&lowered, hangs, index = OpIndex(lowered)](std::uint32_t op) {
        const std::span<const Op> program = lowered.on(index.deviceOf(op));
        auto at = program.begin() + index.positionOf(op);
        if (hangs == Hangs::InOpt)
            return at->kind == OpKind::OptimizerStep && index.deviceOf(op) == DeviceId{0};
        if (!isCompute(at->kind) || at->kind == OpKind::OptimizerStep)
            return false;
        at = std::find_if(at + 1, program.end(), [](const Op& o) { return isCompute(o.kind); });
        return at != program.end() && at->kind == OpKind::OptimizerStep;
    };
    LiveOptions options = hanging(1, 0, warmup);
    const auto hasHung = std::make_shared<std::atomic<bool>>(false);
    options.hooks = {[=](OpOfIteration op) {
                         if (op.iteration == 1 && isIt(op.op) && !hasHung->exchange(true))
                             cuda_on_cpu::hangHere();
                     },
                     [] {}};
    return options;
}

void checkLost(const Trained& trained)
{
    REQUIRE_FALSE(trained.result);
    CHECK(trained.devicesWereLost);
    CHECK(trained.result.error().code == Error::Code::Device);
    // Within an op, or in what lies between two: then the others say what they wait for.
    CHECK_THAT(trained.result.error().message,
               Matches("device \\d, index \\d+, \\d[A-Z]\\S*: (it|the work queued \\w+ it) has "
                       "been running for \\d+\\.\\d s without completing")
                   || Matches("no device makes progress; device .*\\d[A-Z]\\S*, (has not started "
                              "this op|waits for the .*)"));
}

// An op of the first iteration whose first kernel ends after so long.
class SlowOp
{
public:
    SlowOp(std::uint32_t op, std::chrono::milliseconds time)
        : m_op(op)
        , m_time(time)
    { }
    ~SlowOp()
    {
        if (m_thread.joinable())
            m_thread.join();
    }
    SlowOp(const SlowOp&) = delete;
    SlowOp& operator=(const SlowOp&) = delete;

    LaunchHooks hooks()
    {
        return {[this](OpOfIteration op) {
                    if (op.op == m_op && op.iteration == 0)
                        begin();
                },
                [] {}};
    }

private:
    void begin()
    {
        cuda_on_cpu::hangHere();
        m_thread = std::thread([time = m_time] {
            std::this_thread::sleep_for(time);
            cuda_on_cpu::wakeUp();
        });
    }

    std::uint32_t m_op;
    std::chrono::milliseconds m_time;
    std::thread m_thread;
};

} // namespace

TEST_CASE("a kernel that hangs ends a live run with its op, and nothing waits for it")
{
    const auto [iteration, gpus] = GENERATE(table<int, int>({{0, 1}, {1, 1}, {1, 4}}));
    CAPTURE(iteration, gpus);
    const Devices devices = emulatedGpus(4, gpus);
    const Trained live = trainLive(scheduleOf("1f1b", 4, 8), devices, hanging(iteration, 60));
    checkLost(live);
    CHECK(live.run.timeline.iterations.size() == static_cast<std::size_t>(iteration));
    cuda_on_cpu::plugIn({});
}

TEST_CASE("a kernel that hangs ends a warm-up of single ops and an emulated run with its op")
{
    const Schedule lowered = scheduleOf("zb-h1", 4, 8);
    const Devices devices = emulatedGpus(4);
    checkLost(trainLive(lowered, devices, hanging(1, 60, 2)));
    checkLost(emulate(lowered, devices[0].get(), hanging(0, 60)));
    checkLost(emulate(lowered, devices[0].get(), hanging(1, 60)));
}

TEST_CASE("a kernel that hangs is also detected while gradients are read")
{
    // The last op before an OPT, in which its gradient is read; and what an OPT does before that:
    // it keeps a version of its weights.
    const auto [scheme, hangsIn] = GENERATE(table<const char*, Hangs>(
        {{"1f1b", Hangs::BeforeOpt}, {"chimera", Hangs::BeforeOpt}, {"pipedream", Hangs::InOpt}}));
    const int gpus = GENERATE(1, 4);
    CAPTURE(scheme, gpus);
    const Schedule lowered = scheduleOf(scheme, 4, 8);
    const Devices devices = emulatedGpus(4, gpus);
    checkLost(trainLive(lowered, devices, hangingAt(lowered, hangsIn)));
    checkLost(emulate(lowered, devices[0].get(), hangingAt(lowered, hangsIn)));
    if (gpus == 1) // one op at a time
        checkLost(trainLive(lowered, devices, hangingAt(lowered, hangsIn, 2)));
    cuda_on_cpu::plugIn({});
}

TEST_CASE("a driver call that does not return ends a live run and leaves its thread")
{
    const Devices devices = emulatedGpus(4, 4);
    const Schedule lowered = scheduleOf("1f1b", 4, 8);
    const std::uint32_t last = OpIndex(lowered).of(DeviceId{3}, 0) + 5;
    REQUIRE(isCompute(lowered.on(DeviceId{3})[5].kind));
    LiveOptions options = hanging(1, 0);
    options.hooks.begin = [last](OpOfIteration op) {
        if (op.op == last && op.iteration == 1)
            cuda_on_cpu::stallThisThread();
    };
    options.hooks.end = [] {};
    const Trained live = trainLive(lowered, devices, options);
    REQUIRE_FALSE(live.result);
    CHECK(live.devicesWereLost);
    CHECK(live.result.error().code == Error::Code::Device);
    CHECK_THAT(live.result.error().message,
               Matches("the CUDA driver has not responded for \\d+\\.\\d s"));
    CHECK(live.run.timeline.iterations.size() == 1);
    cuda_on_cpu::plugIn({});
}

TEST_CASE("an op that takes longer than the patience is waited for while its GPU is at it")
{
    const Schedule lowered = scheduleOf("1f1b", 4, 8);
    const GradientsOfStages truth = emulate(lowered).gradients;
    const Devices devices = emulatedGpus(4);
    const std::span<const Op> program = lowered.on(DeviceId{2});
    const auto position
        = std::ranges::find_if(program, [](const Op& op) { return op.kind == OpKind::Backward; });
    REQUIRE(position != program.end());
    const std::uint32_t op = OpIndex(lowered).of(DeviceId{2}, 0)
        + static_cast<std::uint32_t>(position - program.begin());
    const auto slowly = [op](const auto& train, int warmup) {
        SlowOp slow(op, 2 * kPatience);
        return train(LiveOptions{.warmup = warmup, .patience = kPatience, .hooks = slow.hooks()});
    };
    const auto check = [&truth](const Trained& trained) {
        if (!trained.result)
            FAIL(trained.result.error().message);
        CHECK(trained.gradients == truth);
    };
    for (const int warmup : {0, 1}) {
        const Trained live = slowly(
            [&](const LiveOptions& options) { return trainLive(lowered, devices, options); },
            warmup);
        check(live);
        CHECK(live.run.timeline.iterations[0].window.duration()
              > std::chrono::nanoseconds(kPatience).count());
    }
    check(slowly(
        [&](const LiveOptions& options) { return emulate(lowered, devices[0].get(), options); },
        0));
}

TEST_CASE("a run that is cancelled while a kernel hangs ends")
{
    std::atomic<bool> cancel{false};
    LiveOptions options = hanging(0, 60);
    options.cancel = &cancel;
    int queued = 0;
    cuda_on_cpu::watch([&] { cancel = ++queued > 120; });
    const Devices devices = emulatedGpus(4);
    const Trained live = trainLive(scheduleOf("1f1b", 4, 8), devices, options);
    cuda_on_cpu::watch({});
    checkLost(live);
}
