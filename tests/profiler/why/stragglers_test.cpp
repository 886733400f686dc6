#include "engine/cost/cost_model.h"
#include "profiler/store/trace_store.h"
#include "profiler/whatif/own_replay.h"
#include "profiler/why/stragglers.h"
#include "profiler/why/why_text.h"
#include "tests/profiler/analysis/hand_made.h"
#include "tests/support/paths.h"

#include <array>
#include <functional>
#include <iterator>

using namespace analysis_test;
using namespace engine;
using namespace profiler;

namespace {

Run sample(const std::string& name)
{
    return readRun(tests::sourcePath("sample_runs/" + name)).value();
}

// The iterations of a run, each placed again with the ops of some device slowed, so that the other
// devices wait for it.
using Slow = std::function<double(int iteration, DeviceId device, OpKind kind)>;
Run slowed(const Run& run, const Slow& factor)
{
    Run all{run.info, run.schedule, {}};
    std::int64_t end = 0;
    int number = 0;
    for (int i = 0; i < std::ssize(run.timeline.iterations); ++i) {
        Iteration iteration = run.timeline.iterations[static_cast<std::size_t>(i)];
        if (iteration.kind == Iteration::Kind::Replay)
            continue;
        const auto replay = OwnReplay::create(run, i).value();
        const Run placed = replay
                               .placed([&](OwnReplay::Programs& programs) {
                                   for (const DeviceId device : programs.ids())
                                       for (OwnReplay::Step& step : programs[device])
                                           if (isCompute(step.op.kind))
                                               step.cost.duration = std::llround(
                                                   static_cast<double>(step.cost.duration)
                                                   * factor(number, device, step.op.kind));
                               })
                               .value();
        all.timeline.tracks.resize(placed.timeline.tracks.size());
        for (std::size_t t = 0; t < placed.timeline.tracks.size(); ++t) {
            const Track& from = placed.timeline.tracks[t];
            Track& to = all.timeline.tracks[t];
            to.device = from.device;
            to.kind = from.kind;
            for (Span span : from.spans) {
                span.begin += end;
                span.end += end;
                span.iteration = static_cast<std::uint32_t>(number);
                to.spans.push_back(span);
            }
        }
        const Window window = placed.timeline.iterations.front().window;
        iteration.window = {window.begin + end, window.end + end};
        all.timeline.iterations.push_back(iteration);
        end = iteration.window.end;
        ++number;
    }
    return all;
}

Run slowed(const Run& run, int slow, double factor)
{
    return slowed(run,
                  [=](int, DeviceId device, OpKind) { return device.value == slow ? factor : 1; });
}

std::vector<int> named(const Stragglers& found)
{
    std::vector<int> devices;
    for (const DevicePace& pace : found.devices)
        if (pace.isStraggler)
            devices.push_back(pace.device.value);
    return devices;
}

// A run of another program, which does not state its model.
Run imported(Run run)
{
    run.info.mode = Mode::Imported;
    run.info.experiment.clear();
    run.info.import.emplace();
    run.info.import->stagesKnown = run.info.import->microBatchesKnown = true;
    return run;
}

} // namespace

TEST_CASE("a recorded run has no straggler, although its last stage has the output layer")
{
    for (const char* name : {"1f1b-d4-n8.sqlite", "bitpipe-d4-n8.sqlite"}) {
        CAPTURE(name);
        const Run run = sample(name);
        const auto found = stragglers(run).value();
        CHECK(found.iterations == 5);
        CHECK(named(found).empty());
        CHECK_FALSE(found.isRotating);
        CHECK(stragglersText(run, found).front().starts_with("No device is a straggler: "));
        CHECK(stragglerFindings(run, found).empty());
    }
}

TEST_CASE("a device of an emulated run that is slowed by 10 % is named, and its victims are not")
{
    for (const char* name : {"1f1b-d4-n8.sqlite", "bitpipe-d4-n8.sqlite"})
        for (int slow = 0; slow < 4; ++slow) {
            CAPTURE(name, slow);
            const Run run = slowed(sample(name), slow, 1.1);
            const auto found = stragglers(run).value();
            CHECK(named(found) == std::vector{slow});
            const DevicePace& pace = found.devices[DeviceId{slow}];
            CHECK(pace.excess.spread == Spread::Interval);
            CHECK(pace.excess.least > 0);
            for (const DevicePace& other : found.devices)
                CHECK(other.waits >= pace.waits);
            REQUIRE(pace.cost);
            CHECK(pace.cost->value > 0);
            CHECK(pace.cost->least <= pace.cost->value);
            CHECK(pace.cost->most >= pace.cost->value);
            const auto findings = stragglerFindings(run, found);
            REQUIRE(findings.size() == 1);
            CHECK(findings.front().kind == "straggler");
            CHECK(findings.front().sentence.starts_with("Device " + std::to_string(slow)));
        }
}

TEST_CASE("the text of Why not faster names a straggler")
{
    const auto text = [](const Run& run) {
        return whyText(run, whyReport(run, -1, WhySchemes::LeaveOut).value());
    };
    const Run run = sample("1f1b-d4-n8.sqlite");
    CHECK(text(run).find("longer for its work") == std::string::npos);
    CHECK(text(slowed(run, 2, 1.1)).find("Device 2 takes ") != std::string::npos);
}

TEST_CASE("a simulated device with ops 10 % longer costs what its ops cost the iteration")
{
    UnitCosts costs;
    costs.stages = {{2, {11, 10}, {22, 10}}};
    const Run run = simulated("1f1b", 4, 8, costs);
    const auto found = stragglers(run).value();
    CHECK(named(found) == std::vector{2});
    const DevicePace& pace = found.devices[DeviceId{2}];
    CHECK(pace.excess.value == Approx(0.1));
    CHECK(pace.excess.spread == Spread::Exact);
    CHECK(pace.excessByKind.at("F") == Approx(0.1));
    CHECK(pace.excessByKind.at("B") == Approx(0.1));
    const double without = 33; // 3 (N + D - 1)
    REQUIRE(pace.cost);
    CHECK(pace.cost->value / static_cast<double>(run.info.ticksPerUnit)
          == Approx(units(run, run.timeline.extent().duration()) - without));
    CHECK(named(stragglers(simulated("1f1b", 4, 8)).value()).empty());
}

TEST_CASE("schemes whose devices have different ops have no straggler without a slow device")
{
    for (const char* scheme : {"gpipe", "interleaved-1f1b", "zb-h1", "dualpipe", "chimera",
                               "seq1f1b", "bpipe", "zb-v", "hanayo"}) {
        CAPTURE(scheme);
        const auto found = stragglers(simulated(scheme, 4, 8)).value();
        for (const DevicePace& pace : found.devices)
            CHECK(pace.excess.value == Approx(0).margin(1e-6));
    }
}

TEST_CASE("a slow device that changes from iteration to iteration is rotating")
{
    const Run run = slowed(sample("1f1b-d4-n8.sqlite"), [](int iteration, DeviceId device, OpKind) {
        return iteration % 4 == device.value ? 1.2 : 1.0;
    });
    const auto found = stragglers(run).value();
    CHECK(named(found).empty());
    CHECK(found.isRotating);
    const auto warmups
        = std::ranges::count(run.timeline.iterations, Iteration::Kind::Warmup, &Iteration::kind);
    for (std::size_t i = 0; i < found.numbers.size(); ++i) {
        const auto slow = (warmups + found.numbers[i]) % 4;
        for (const DevicePace& pace : found.devices)
            CHECK((pace.excesses[i] > 0.1) == (pace.device.value == slow));
    }
    CHECK(stragglersText(run, found).front().starts_with("The slowest device changes: "));
}

// Iterations in which no device was slow counted for the slowest by chance, and those of the ends
// of the pipeline for a device between them: "device 1 in 6, device 2 in 5 of 11 iterations".
TEST_CASE("a device counts as the slowest in the iterations in which it is slow")
{
    for (const bool isImported : {false, true}) {
        CAPTURE(isImported);
        const Run recorded
            = slowed(sample("1f1b-d4-n8.sqlite"), [](int iteration, DeviceId device, OpKind) {
                  return iteration % 4 == device.value ? 1.2 : 1.0;
              });
        const Run run = isImported ? imported(recorded) : recorded;
        const auto found = stragglers(run).value();
        CHECK(found.isRotating);
        for (const DevicePace& pace : found.devices)
            CHECK(pace.slowest
                  == std::ranges::count_if(pace.excesses, [](double e) { return e > 0.15; }));
        const auto none = stragglers(sample("1f1b-d4-n8.sqlite")).value();
        for (const DevicePace& pace : none.devices)
            CHECK(pace.slowest == 0);
    }
}

TEST_CASE("a device that is slow only in some iterations is named with their number")
{
    const Run run = slowed(sample("1f1b-d4-n8.sqlite"), [](int iteration, DeviceId device, OpKind) {
        return iteration % 2 == 0 && device.value == 2 ? 1.25 : 1.0;
    });
    const auto found = stragglers(run).value();
    CHECK(named(found).empty());
    const int slow = found.devices[DeviceId{2}].slowest;
    CHECK(stragglersText(run, found).front()
          == "Device 2 is slow in " + std::to_string(slow)
              + " of 5 iterations and not in the others.");
    CHECK(slow == 3);
}

// A live run on a busy machine had 20.5 % with an interval from 3.5 % on.
TEST_CASE("a device whose excess is mostly noise is not named")
{
    const Run run = slowed(sample("1f1b-d4-n8.sqlite"), [](int iteration, DeviceId device, OpKind) {
        constexpr std::array kFactors{1.0, 1.0, 1.06, 1.5, 1.2, 1.06, 1.4};
        return device.value == 1 ? kFactors[static_cast<std::size_t>(iteration)] : 1.0;
    });
    const auto found = stragglers(run).value();
    CHECK(found.devices[DeviceId{1}].excess.value > 0.15);
    CHECK(found.devices[DeviceId{1}].excess.least < 0);
    CHECK(named(found).empty());
}

// PyTorch on two cores: the others seemed to differ by more, because each was compared with the
// slow device, too.
TEST_CASE("a slow device is named beside few others that differ")
{
    const Run run = slowed(sample("1f1b-d4-n8.sqlite"), [](int, DeviceId device, OpKind) {
        return std::array{1.005, 1.1, 0.985, 1.035}[static_cast<std::size_t>(device.value)];
    });
    CHECK(named(stragglers(run).value()) == std::vector{1});
}

TEST_CASE("the last device is no straggler if only its forwards are longer, for it has the loss")
{
    const auto of = [](std::initializer_list<OpKind> kinds) {
        return named(
            stragglers(slowed(sample("1f1b-d4-n8.sqlite"), [&](int, DeviceId device, OpKind kind) {
                return device.value == 3 && std::ranges::count(kinds, kind) > 0 ? 1.2 : 1.0;
            })).value());
    };
    CHECK(of({OpKind::Forward}).empty());
    CHECK(of({OpKind::Forward, OpKind::Backward}) == std::vector{3});
}

// Emulated 1F1B with D = 4: device 0 was named in four of five runs without a slow device, because
// its inputs of backwards are out of the caches.
TEST_CASE("a device whose ops are as long as its stashes lead to expect is not named")
{
    const Run run = sample("1f1b-d4-n8.sqlite");
    const auto with = [&](std::array<double, 4> factors) {
        return stragglers(slowed(run,
                                 [=](int, DeviceId device, OpKind) {
                                     return factors[static_cast<std::size_t>(device.value)];
                                 }))
            .value();
    };
    const auto found = with({1.15, 1.1, 1.0, 0.98});
    CHECK(named(found).empty());
    CHECK_FALSE(found.isRotating);
    CHECK(named(with({1.15, 1.02, 1.0, 1.0})) == std::vector{0});
}

TEST_CASE("without the model, the ends of the pipeline are no stragglers, but other devices are")
{
    const Run run = sample("1f1b-d4-n8.sqlite");
    const Run last = imported(slowed(run, 3, 1.1)), inner = imported(slowed(run, 1, 1.1));
    const auto found = stragglers(last).value();
    CHECK(named(found).empty());
    CHECK(found.devices[DeviceId{3}].mayHaveMoreWork);
    CHECK(stragglersText(last, found).back().starts_with("Device 3 takes "));
    CHECK(named(stragglers(inner).value()) == std::vector{1});
}

TEST_CASE("which device is slow is unknown for a reason")
{
    Run run = imported(sample("1f1b-d4-n8.sqlite"));
    run.info.import->lack = "rank 3 has no trace";
    CHECK(stragglers(run).error().message == "rank 3 has no trace");
    run.info.import->lack.clear();
    run.info.import->workKnown = false;
    CHECK(stragglers(run).error().message == "the kernels of some ops are missing");
    Run live = sample("1f1b-d4-n8.sqlite");
    live.info.threads = 4;
    live.info.cores = 2;
    CHECK(stragglers(live).error().message
          == "the run had 4 threads on 2 cores, so its ops also waited for a core");
    live.info.cores = 4;
    live.info.cpuShare = 0.8;
    CHECK(stragglers(live).error().message == "other processes delayed the ops of the run");
    Run few = sample("1f1b-d4-n8.sqlite");
    for (std::size_t i = 0; i < 5; ++i)
        few.timeline.iterations[i].kind = Iteration::Kind::Warmup;
    CHECK(stragglers(few).error().message
          == "2 measured iterations after the first; record at least 3");
}

// The first iteration of a job loads its kernels and fills its caches.
TEST_CASE("the first iteration is left out even if it counts as measured")
{
    Run run = slowed(sample("1f1b-d4-n8.sqlite"), [](int iteration, DeviceId device, OpKind) {
        return iteration == 0 && device.value == 0 ? 3.0 : 1.0;
    });
    for (Iteration& iteration : run.timeline.iterations)
        iteration.kind = Iteration::Kind::Measured;
    const auto found = stragglers(run).value();
    CHECK(found.iterations == 6);
    CHECK(found.devices[DeviceId{0}].slowest < 6);
    CHECK(named(found).empty());
}

// The run shows one copy of the pipeline, and "No device is a straggler" was said of the whole job.
TEST_CASE("a slow rank of a copy of the pipeline that the run does not show is named")
{
    Run run = sample("1f1b-d4-n8.sqlite");
    run.info.import.emplace().stagesKnown = true;
    for (int rank = 0; rank < 16; ++rank) {
        auto& of = run.info.import->ranks.emplace_back();
        of.rank = rank;
        of.place = rank / 4; // stage 3 has more work than the others
        of.work = (of.place == 3 ? 1'500'000 : 1'000'000) + 1000 * (rank % 4);
        if (rank % 4 == 0)
            of.device = of.place;
    }
    CHECK(stragglers(run).value().ranks.empty());
    run.info.import->ranks[6].work = 1'100'000;
    const auto found = stragglers(run).value();
    REQUIRE(found.ranks.size() == 1);
    CHECK(found.ranks.front().rank == 6);
    CHECK(found.ranks.front().excess == Approx(0.098).margin(0.002));
    CHECK(stragglersText(run, found).front()
          == "Rank 6 takes 9.8 % longer for its ops than the other 3 ranks with the same stages, "
             "98.0 µs per iteration; the run shows another copy of the pipeline.");
    CHECK(stragglerFindings(run, found).front().sentence.starts_with("Rank 6"));
    // The run shows it, so its device is judged.
    run.info.import->ranks[6].device = 9;
    CHECK(stragglers(run).value().ranks.empty());
    // Three ranks do not show which of them is slow.
    run.info.import->ranks[6].device.reset();
    run.info.import->ranks[7].work = 0;
    CHECK(stragglers(run).value().ranks.empty());
}
