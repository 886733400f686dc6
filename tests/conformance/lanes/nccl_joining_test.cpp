// How ranks of NCCL are joined before a run, and what happens if one is missing or the run is
// cancelled; emulated between GPUs that are emulated on the CPU.
#include "engine/backend/cuda/runtime/device.h"
#include "engine/backend/cuda/runtime/nccl.h"
#include "engine/base/result.h"
#include "engine/exec/run_experiment.h"
#include "tests/catch.h"
#include "tests/conformance/lanes/nccl_machine.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"
#include "tests/support/small_training.h"

#include <thread>

using namespace engine;
using namespace lanes_test;
using Catch::Contains;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kSoon{300};
constexpr std::chrono::seconds kLong{60}, kEarly{20};

// Cancels after this time.
class Impatient
{
public:
    explicit Impatient(std::chrono::milliseconds time = std::chrono::milliseconds(50))
        : m_thread([this, time] {
            std::this_thread::sleep_for(time);
            cancel = true;
            m_since = Clock::now();
        })
    { }
    ~Impatient() { m_thread.join(); }
    Impatient(const Impatient&) = delete;
    Impatient& operator=(const Impatient&) = delete;

    Clock::duration waited() const { return Clock::now() - m_since.load(); }

    std::atomic<bool> cancel{false};

private:
    std::atomic<Clock::time_point> m_since{Clock::now()};
    std::thread m_thread;
};

Result<Run> runByNccl(const Machine& machine, const RunObserver& observer,
                      const std::atomic<bool>& cancel)
{
    Experiment experiment;
    experiment.model = tests::narrowModel(8);
    experiment.schedule.scheme = "1f1b";
    experiment.schedule.devices = 4;
    experiment.schedule.microBatches = 4;
    experiment.backend = Backend::Cuda;
    experiment.mode = Mode::Live;
    experiment.transport = TransportChoice::Nccl;
    const auto open = [&](int) {
        return RunDevices{machine.devices, Mode::Live, {}, byNccl(kLong, cancel)};
    };
    return runOnDevices(experiment, open, observer, cancel);
}

} // namespace

TEST_CASE("a rank that never joins ends the run with a sentence, and leaves nothing behind")
{
    const Machine machine(4);
    cuda_on_cpu::emulateNccl({.absentGpu = 2});
    const Schedule lowered = scheduleOf("1f1b", 4, 4);
    CHECK_THROWS_WITH(trainLive(lowered, machine.devices, {.communicators = byNccl(kSoon)}),
                      Contains("joining did not end within 300 ms; another rank does not respond"));
    CHECK(cuda_on_cpu::liveCommunicators() == 0);
}

TEST_CASE("two ranks on one GPU are refused before anything is joined")
{
    cuda_on_cpu::plugIn({.count = 2});
    {
        Devices devices;
        for (auto& made : cuda::makeDevices(4))
            devices.push_back(std::move(made));
        CHECK_THROWS_WITH(trainLive(scheduleOf("1f1b", 4, 4), devices, {.communicators = byNccl()}),
                          "NCCL supports one rank per GPU, but devices 0 and 1 are both on GPU 0");
    }
    cuda_on_cpu::plugIn({});
}

TEST_CASE("cancelling while ranks join takes effect early, and no rank stays joined")
{
    const Machine machine(4);
    cuda_on_cpu::emulateNccl({.absentGpu = 2});
    const Impatient user;
    CHECK_THROWS_AS(trainLive(scheduleOf("bitpipe", 4, 4), machine.devices,
                              {.communicators = byNccl(kLong, user.cancel)}),
                    Cancelled);
    CHECK(user.cancel);
    CHECK(user.waited() < kEarly);
    CHECK(cuda_on_cpu::liveCommunicators() == 0);
}

// Joined, but no byte goes through: the first message of a communicator is under way.
TEST_CASE("cancelling while ranks connect takes effect early, and no rank stays joined")
{
    const Machine machine(2);
    cuda_on_cpu::emulateNccl({.failingCall = 0, .looksBefore = 1'000'000'000});
    const Impatient user;
    CHECK_THROWS_AS(trainLive(scheduleOf("1f1b", 2, 4), machine.devices,
                              {.communicators = byNccl(kLong, user.cancel)}),
                    Cancelled);
    CHECK(user.waited() < kEarly);
    CHECK(cuda_on_cpu::liveCommunicators() == 0);
}

// What is aborted ends as if its bytes had been exchanged; here there is nothing to exchange.
TEST_CASE("joining that was cancelled before throws, although no rank reports it")
{
    const Machine machine(2);
    const std::atomic<bool> cancel{true};
    IdVector<DeviceId, const Device*> devices;
    for (const auto& device : machine.devices)
        devices.push_back(device.get());
    CHECK_THROWS_AS(byNccl(kLong, cancel)(devices, {}), Cancelled);
}

TEST_CASE("a run that is cancelled while ranks join says so and has begun nothing")
{
    const Machine machine(4);
    cuda_on_cpu::emulateNccl({.absentGpu = 1});
    const Impatient user;
    RunObserver observer;
    bool began = false;
    observer.started = [&](const Run&) {
        began = true;
        return Result<void>();
    };
    const auto run = runByNccl(machine, observer, user.cancel);
    REQUIRE_FALSE(run);
    CHECK(run.error().code == Error::Code::Cancelled);
    CHECK(run.error().message == "cancelled while the GPUs joined NCCL communicators");
    CHECK(user.waited() < kEarly);
    CHECK_FALSE(began);
    CHECK(cuda_on_cpu::liveCommunicators() == 0);
}

TEST_CASE("each GPU's memory has NCCL's memory and the reserved bytes")
{
    constexpr std::int64_t kMega = 1 << 20, kTaken = 6 * kMega, kKept = 24 * kMega; // of a rank
    const Machine machine(4);
    cuda_on_cpu::emulateNccl({.memory = static_cast<std::size_t>(kTaken)});
    const auto run = runByNccl(machine, {}, kGoesOn);
    if (!run)
        FAIL(run.error().message);
    REQUIRE(run->info.gpuMemory.size() == 4);
    for (const GpuMemory& memory : run->info.gpuMemory) {
        const std::int64_t ranks = memory.gpu == 0 || memory.gpu == 3 ? 2 : 4;
        CHECK(memory[GpuMemoryOwner::Communicators] == ranks * kTaken);
        CHECK(memory.reserved == ranks * kKept);
        CHECK(memory.difference() == 0);
    }
    CHECK(sumOf(run->info.gpuMemory).reserved == 12 * kKept);
}
