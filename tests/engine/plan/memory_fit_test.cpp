#include "engine/backend/cpu/cpu_device.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/model/transformer.h"
#include "engine/plan/memory_fit.h"
#include "engine/plan/token_batches.h"
#include "engine/transport/queued.h"
#include "tests/catch.h"

#include <algorithm>

using namespace engine;

namespace {

Experiment gpipe()
{
    Experiment experiment;
    experiment.schedule.scheme = "gpipe";
    experiment.schedule.devices = 4;
    experiment.schedule.microBatches = 8;
    return experiment;
}

// An experiment planned, as a run does it.
struct Planned
{
    explicit Planned(Experiment wanted)
        : experiment(std::move(wanted))
        , lowered(scheduleOf(experiment).value())
        , pass(passSpec(experiment.model, lowered).value())
        , model(makeTransformer(pass.model, lowered.shape.stages, *device, pass.slices))
        , plan(planExecution(
              {lowered, *model, experiment.accumulate,
               TokenBatches::bytes(experiment.model, lowered.shape.allMicroBatches())}))
    { }

    Bytes fullest() const
    {
        return std::ranges::max_element(plan.devices, {}, &DevicePlan::arena)->arena;
    }
    Result<void> check(Bytes available = 0) const { return check(MemorySpaces{{available}}); }
    Result<void> check(const MemorySpaces& spaces) const
    {
        return checkFits({experiment, lowered, plan, spaces}, *device);
    }

    std::shared_ptr<const CpuDevice> device = openCpuDevice().value();
    Experiment experiment;
    Schedule lowered;
    PassSpec pass;
    std::unique_ptr<PipelineModel<float>> model;
    ExecutionPlan plan;
};

} // namespace

TEST_CASE("an activation that is recomputed ahead needs memory from then on")
{
    Experiment experiment;
    experiment.model.recompute = Recompute::Full;
    const Bytes before = Planned(experiment).fullest();
    experiment.model.recomputeAhead = Fraction{};
    CHECK(Planned(experiment).fullest() == before);
    experiment.model.recomputeAhead = Fraction{4};
    const Planned ahead(experiment);
    CHECK(ahead.fullest() > before);
    experiment.deviceMemory = before;
    experiment.reserve = 0;
    const auto remedies = remediesFor(experiment, {{}}, *ahead.device);
    CHECK(std::ranges::count(remedies, "--recompute-ahead off", &Remedy::option) == 1);
}

TEST_CASE("an activation in host memory needs none on its device")
{
    Experiment experiment;
    experiment.schedule.scheme = "1f1b";
    const Planned before(experiment);
    experiment.model.offload = Fraction{3};
    const Planned after(experiment);
    // Device 0 holds three of four activations, and at most two are on the host: one that leaves
    // and one that is loaded.
    const DevicePlan &own = before.plan.devices[{0}], &offloaded = after.plan.devices[{0}];
    const Bytes activation = own.stashPeak / 4;
    CHECK(offloaded.stashPeak == 3 * activation);
    CHECK(offloaded.arena == own.arena - activation);
    CHECK(offloaded.host == 2 * activation);
    CHECK(own.host == 0);
    CHECK(after.plan.total() == before.plan.total() + static_cast<double>(activation));
    experiment.model.offload.reset();
    experiment.deviceMemory = after.fullest();
    experiment.reserve = 0;
    const auto remedies = remediesFor(experiment, {{}}, *before.device);
    CHECK(std::ranges::count(remedies, "--offload 3", &Remedy::option) == 1);
}

TEST_CASE("a device that holds its arena and no byte more is large enough")
{
    Planned planned(gpipe());
    planned.experiment.reserve = 0;
    planned.experiment.deviceMemory = planned.fullest();
    CHECK(planned.check());
    planned.experiment.deviceMemory = planned.fullest() - 1;
    CHECK(planned.check().error().code == Error::Code::Device);
    planned.experiment.deviceMemory = 2 * planned.fullest();
    planned.experiment.reserve = 49;
    CHECK(planned.check());
    planned.experiment.reserve = 51; // all of the memory was used
    CHECK(planned.check().error().code == Error::Code::Device);
}

TEST_CASE("a memory error names device, op, missing bytes and a setting that fits")
{
    Planned planned(gpipe());
    planned.experiment.reserve = 0;
    planned.experiment.deviceMemory = planned.fullest() - (3 << 20);
    const std::string message = planned.check().error().message;
    CHECK_THAT(message, Catch::StartsWith("device 3 needs "));
    CHECK_THAT(message, Catch::Contains(" at 3F7, 3.0 MiB more than --device-memory allows ("));
    CHECK_THAT(message, Catch::Contains(": reserve 0 %); these would fit: "));
    CHECK_THAT(message, Catch::Contains("--scheme 1f1b ("));
    CHECK_THAT(message, Catch::Contains("--micro-batches 4 ("));
}

TEST_CASE("every suggestion fits, and the largest of several halves is suggested")
{
    Planned planned(gpipe());
    Experiment tight = planned.experiment;
    tight.deviceMemory = planned.fullest() * 6 / 10;
    const auto remedies = remediesFor(tight, {MemorySpace{}}, *planned.device);
    CHECK(remedies.size() >= 3);
    for (const Remedy& remedy : remedies) {
        INFO(remedy.option);
        const Planned changed(remedy.experiment);
        CHECK(tight.memory().holds(static_cast<double>(changed.fullest())));
        CHECK(changed.fullest() == remedy.need.fullest);
        CHECK(changed.check());
    }
    const auto fewer = std::ranges::find_if(
        remedies, [](const Remedy& r) { return r.option.starts_with("--micro-batches"); });
    REQUIRE(fewer != remedies.end());
    Experiment twice = fewer->experiment;
    twice.schedule.microBatches *= 2;
    CHECK_FALSE(tight.memory().holds(static_cast<double>(Planned(twice).fullest())));
}

TEST_CASE("the machine is a limit for all devices together")
{
    const Planned planned(gpipe());
    const auto total = static_cast<Bytes>(planned.plan.total());
    CHECK(planned.check(2 * total));
    const std::string message = planned.check(total).error().message; // a tenth is left to others
    CHECK_THAT(message, Catch::StartsWith("this run needs "));
    CHECK_THAT(message, Catch::Contains(" device 3 needs the most, "));
}

// More devices were suggested although the memory of the machine holds all of them.
TEST_CASE("if nothing fits, more devices are suggested only where each has its own memory")
{
    const auto hint = [](const Planned& planned, const MemorySpaces& spaces) {
        const std::string message = planned.check(spaces).error().message;
        return message.substr(message.rfind("; ") + 2);
    };
    const std::string fewer = "use a smaller model, fewer --micro-batches or fewer --devices";
    const std::string more = "use a smaller model or more --devices";
    Planned planned(gpipe());
    CHECK(hint(planned, {{1}}) == fewer);
    CHECK(hint(planned, {{1, 0}, {1, 1}}) == fewer);
    CHECK(hint(planned, {{1, 0}, {1, 1}, {1, 2}, {1, 3}}) == more);
    planned.experiment.deviceMemory = 1;
    CHECK(hint(planned, {{}}) == more);
}

TEST_CASE("each GPU is a limit for its own devices: which one it is, how much, and what would fit")
{
    Experiment experiment = gpipe();
    experiment.schedule.dataParallel = 2;
    const Planned planned(experiment);
    // Of 8 devices on 4 GPUs two are on each: those of the last two stages on the second and last.
    const auto on = [&](int gpu) {
        return planned.plan.devices[{2 * gpu % 4}].arena
            + planned.plan.devices[{2 * gpu % 4 + 1}].arena
            + Bytes{2 * QueuedTransport::kStaged}; // all-reduces between GPUs
    };
    constexpr Bytes kPlenty = Bytes{1} << 40;
    const auto with = [&](Bytes last) {
        return MemorySpaces{{kPlenty, 0}, {kPlenty, 1}, {kPlenty, 2}, {last, 5}};
    };
    CHECK(planned.check(with(kPlenty)));
    CHECK(planned.check(with(on(3) * 10 / 9 + 10)));
    CHECK_FALSE(planned.check(with(on(3) * 10 / 9 - 10)));
    CHECK(on(2) != on(3)); // else one GPU's number could stand for another's
    const std::string message = planned.check(with(on(3) / 2)).error().message;
    CHECK_THAT(message, Catch::StartsWith("GPU 5 needs "));
    CHECK_THAT(message, Catch::Contains(" of memory for 2 of 8 devices but can use "));
    CHECK_THAT(message, Catch::Contains("; device 3 needs the most, "));
    CHECK_THAT(message, Catch::Contains("; these would fit: "));
}

TEST_CASE("memory for NCCL is reserved on each GPU and reported, and copies need none")
{
    Experiment experiment = gpipe();
    experiment.schedule.dataParallel = 2;
    experiment.backend = Backend::Cuda;
    experiment.mode = Mode::Live;
    experiment.transport = TransportChoice::Nccl;
    const Planned planned(experiment);
    // Device 1 of a copy has messages in both directions with two neighbours and one sum of two.
    constexpr Bytes kCommunicators = (Bytes{4 * 2 + 8} * 12) << 20, kPlenty = Bytes{1} << 40;
    const Bytes needed = planned.plan.devices[{1}].arena + kCommunicators;
    const auto with = [&](Bytes fifth) {
        MemorySpaces spaces;
        for (int gpu = 0; gpu < 8; ++gpu)
            spaces.push_back({gpu == 5 ? fifth : kPlenty, gpu}); // device 1 of copy 1
        return spaces;
    };
    CHECK(planned.check(with(needed * 10 / 9 + 10)));
    const auto refused = planned.check(with(needed * 10 / 9 - 10));
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message,
               Catch::StartsWith("GPU 5 needs ")
                   && Catch::Contains(" of memory for 1 of 8 devices, 192.0 MiB of it for NCCL's "
                                      "communicators, but can use ")
                   && Catch::Contains("--transport peer ("));
    experiment.transport = TransportChoice::Peer;
    CHECK(Planned(experiment).check(with(needed * 10 / 9 - 10)));
    for (const Remedy& remedy :
         remediesFor(planned.experiment, with(needed * 10 / 9 - 10), *planned.device))
        CHECK(Planned(remedy.experiment).check(with(needed * 10 / 9 - 10)));
}

TEST_CASE(
    "one GPU that emulates all devices is a limit for all of them, and the record is not on it")
{
    const Planned planned(gpipe());
    const double total = planned.plan.total();
    const auto free = static_cast<Bytes>(total * 10 / 9);
    CHECK(planned.check(MemorySpaces{{free + 10, 0}}));
    CHECK_FALSE(planned.check(MemorySpaces{{free - 10, 0}}));
    CHECK_FALSE(planned.check(MemorySpaces{{free + 10}})); // of a machine, which keeps the record
    CHECK_THAT(planned.check(MemorySpaces{{free / 2, 0}}).error().message,
               Catch::StartsWith("GPU 0 needs ") && Catch::Contains(" of memory but can use "));
}

TEST_CASE("a tenth of a GPU's memory is reserved, at most a gigabyte, and 3 % of large GPUs")
{
    const auto kept = [](double free) {
        const MemorySpace space{static_cast<Bytes>(free), 0};
        return free - space.usable();
    };
    CHECK(kept(4e9) == Approx(0.4e9));
    CHECK(kept(20e9) == Approx(1e9));
    CHECK(kept(140e9) == Approx(4.2e9));
}

// The clocks that order the ops, one per op and device, were not counted.
TEST_CASE("a run of many devices needs memory for the order of its ops before it is planned")
{
    Experiment experiment = gpipe();
    experiment.schedule.devices = 256;
    experiment.schedule.microBatches = 1;
    const Schedule lowered = lower(buildSchedule(experiment.schedule).value());
    const double record
        = recordBytes(opCount(lowered), experiment.warmup + experiment.iterations + 1);
    const double order = 4.0 * 256 * static_cast<double>(opCount(lowered));
    const auto checked = [&](double usable) {
        return checkRecordFits(experiment, lowered, static_cast<Bytes>(usable / 0.9) + 10);
    };
    CHECK(checked(record + order));
    CHECK_THAT(checked(record + 0.9 * order).error().message,
               Catch::StartsWith("this run needs ") && Catch::Contains("; the recording needs ")
                   && Catch::Contains(" and the order of the ops "));
}
