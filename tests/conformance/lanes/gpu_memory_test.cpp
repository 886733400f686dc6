// Memory of a GPU by owner, compared with the driver's value: on GPUs that are emulated on the CPU,
// whose driver gives memory in pieces of 2 MiB and takes some for itself.
#include "engine/backend/cuda/kernels/op_stream.h"
#include "engine/backend/cuda/runtime/device.h"
#include "engine/pipeline/run_devices.h"
#include "engine/transport/queued.h"
#include "tests/catch.h"
#include "tests/conformance/lanes/probe_training.h"
#include "tests/support/cuda_on_cpu/cuda_runtime.h"

using namespace engine;
using namespace lanes_test;
using Catch::Contains;

namespace {

constexpr Bytes kMega = Bytes{1} << 20;

RunDevices emulatedGpus(int count, int gpus, Mode mode = Mode::Live)
{
    cuda_on_cpu::plugIn({.count = gpus, .context = 300 * kMega});
    Devices devices;
    for (auto& made : cuda::makeDevices(count))
        devices.push_back(std::move(made));
    return {devices, mode, {}};
}

// What happens beside the program, at which step.
struct Beside
{
    Bytes opening = 0, making = 0, running = 0; // bytes of the last GPU that the driver takes
};

std::vector<GpuMemory> accountOf(const Schedule& lowered, const RunDevices& on, ExecutionPlan& plan,
                                 const Beside& beside = {})
{
    const int last = on.devices.back()->gpu();
    const auto take
        = [last](Bytes bytes) { cuda_on_cpu::useMemory(last, static_cast<std::size_t>(bytes)); };
    take(beside.opening);
    GpuMemoryLedger ledger(on);
    std::vector<GpuMemory> account;
    const Trained trained = trainLive(lowered, on.devices,
                                      {.made =
                                           [&](const ExecutionPlan&) {
                                               take(beside.making);
                                               ledger.step(std::nullopt);
                                               take(beside.running);
                                           },
                                       .ended =
                                           [&](const ExecutionPlan& planned) {
                                               plan = planned;
                                               ledger.step(GpuMemoryOwner::Running);
                                               account = ledger.account(planned);
                                           }});
    REQUIRE(trained.result);
    return account;
}

Bytes sum(const ExecutionPlan& plan, int first, int end, MemoryCategory category)
{
    Bytes bytes = 0;
    for (int d = first; d < end; ++d)
        bytes += plan.devices[{d}].full[category];
    return bytes;
}

} // namespace

TEST_CASE("memory of a GPU by owner adds up to the value of the driver")
{
    const int gpus = GENERATE(1, 2, 4);
    CAPTURE(gpus);
    const RunDevices on = emulatedGpus(4, gpus);
    ExecutionPlan plan;
    const auto account = accountOf(scheduleOf("chimera", 4, 8), on, plan,
                                   {.opening = 30 * kMega, .running = 50 * kMega});
    REQUIRE(account.size() == static_cast<std::size_t>(gpus));
    const std::size_t each = 4 / account.size();
    for (std::size_t g = 0; g < account.size(); ++g) {
        CAPTURE(g);
        const GpuMemory& memory = account[g];
        CHECK(memory.gpu == static_cast<int>(g));
        CHECK(memory[GpuMemoryOwner::Weights]
              == sum(plan, g * each, (g + 1) * each, MemoryCategory::Weights));
        CHECK(memory[GpuMemoryOwner::Stash]
              == sum(plan, g * each, (g + 1) * each, MemoryCategory::Stash));
        CHECK(memory[GpuMemoryOwner::Weights] > 0);
        CHECK(memory[GpuMemoryOwner::Stash] > 0);
        CHECK(memory[GpuMemoryOwner::Idle] >= 0);
        CHECK(memory[GpuMemoryOwner::Workspaces]
              == static_cast<Bytes>(each * cuda::OpStream::kScratch));
        CHECK(memory[GpuMemoryOwner::Losses] > 0);
        CHECK(memory[GpuMemoryOwner::Contexts] == 300 * kMega);
        const bool isLast = g + 1 == account.size();
        CHECK(memory[GpuMemoryOwner::Partitions] == (isLast ? 30 * kMega : 0));
        CHECK(memory[GpuMemoryOwner::Running] == (isLast ? 50 * kMega : 0));
        CHECK(memory[GpuMemoryOwner::Rounding] > 0); // 33 MiB are 34
        CHECK(memory.difference() == 0);
    }
    Bytes staged = 0;
    for (const GpuMemory& memory : account)
        staged += memory[GpuMemoryOwner::Staging];
    CHECK(staged % static_cast<Bytes>(QueuedTransport::kStaged) == 0);
    CHECK((staged > 0) == (gpus > 1)); // within a GPU a sum reads where the gradients lie
    CHECK(memoryNote(account).empty());
    cuda_on_cpu::plugIn({});
}

TEST_CASE("memory without an owner is a difference, and reported with its GPU above 2 %")
{
    const RunDevices on = emulatedGpus(4, 2);
    ExecutionPlan plan;
    const Schedule lowered = scheduleOf("1f1b", 4, 8);
    auto account = accountOf(lowered, on, plan, {.making = 4 * kMega});
    CHECK(account[1].difference() == 4 * kMega);
    CHECK(memoryNote(account).empty());
    account = accountOf(lowered, on, plan, {.making = 40 * kMega});
    CHECK(account[0].difference() == 0);
    CHECK(account[1].difference() == 40 * kMega);
    CHECK(account[1].differenceShare() > 0.05);
    CHECK_THAT(memoryNote(account),
               Contains("GPU 1: the driver reports ") && Contains(" % more memory (40 MiB)")
                   && !Contains("GPU 0"));
    cuda_on_cpu::plugIn({});
    GpuMemory less;
    less[GpuMemoryOwner::Weights] = 110 * kMega;
    less.used = 100 * kMega;
    CHECK_THAT(memoryNote({&less, 1}),
               Contains("GPU 0: the driver reports 10.0 % less memory (10 MiB)"));
}

TEST_CASE("a GPU that emulates all devices has the arenas of all of them")
{
    const RunDevices on = emulatedGpus(1, 1, Mode::Emulate);
    GpuMemoryLedger ledger(on);
    const Schedule lowered = scheduleOf("1f1b", 4, 4);
    const auto model = std::make_unique<ProbeModel>(lowered.shape.stages, ProbeModel::Size{},
                                                    on.first().kernels());
    ExecutionPlan plan = planExecution({lowered, *model});
    plan.devices[{2}].arena += 4096; // a hole
    std::vector<DeviceMemory> arenas;
    for (const DevicePlan& device : plan.devices)
        arenas.push_back(on.first().allocate(device.arena, MemoryFor::Arena));
    ledger.step(std::nullopt);
    const auto account = ledger.account(plan);
    REQUIRE(account.size() == 1);
    CHECK(account[0][GpuMemoryOwner::Optimizer] == sum(plan, 0, 4, MemoryCategory::Optimizer));
    CHECK(account[0][GpuMemoryOwner::Idle] == 4096);
    CHECK(account[0].difference() == 0);
    arenas.clear();
    CHECK(on.first().memoryUse().taken[MemoryFor::Arena] == 0);
    const GpuMemoryUse left = on.first().memoryUse(); // with the constants of the model
    CHECK(left.all() == left.used - left.before);
    cuda_on_cpu::plugIn({});
}

TEST_CASE("an allocation fails if a GPU is full, and a later one that fits succeeds")
{
    const RunDevices on = emulatedGpus(1, 1);
    cuda_on_cpu::useMemory(0, (std::size_t{16} << 30) - cuda_on_cpu::usedMemory(0) - (8 << 20));
    CHECK_THROWS_AS(on.first().allocate(9 * kMega), std::bad_alloc);
    CHECK(on.first().allocate(8 * kMega) != nullptr);
    CHECK(on.spaces().size() == 1);
    CHECK(on.spaces()[0].free == 8 * kMega);
    cuda_on_cpu::plugIn({});
}
