#include "engine/sim/memory_events.h"
#include "profiler/analysis/metrics.h"
#include "tests/engine/sim/spans.h"
#include "tests/support/text_schedule.h"

#include <algorithm>
#include <tuple>

using namespace engine;
using namespace tests;

namespace {

// Bytes of stash on device 0 at the peak, of stages that keep 30 of 100.
std::int64_t peakBytes(const Schedule& schedule, double kept)
{
    Simulated simulation = simulated(schedule);
    Run run;
    run.schedule = std::move(simulation.schedule);
    run.timeline = std::move(simulation.timeline);
    const StageBytes stage{1, 2, 3, 100, kept};
    const IdVector<StageId, StageBytes> stages(run.schedule.shape.stages, stage);
    run.timeline.memory = simulatedMemory(run.schedule, run.timeline, stages);
    std::int64_t left = 0;
    for (const MemoryEvent& event : run.timeline.memory)
        left += event.category == MemoryCategory::Stash ? event.bytes : 0;
    CHECK(left == 0);
    // At one time frees come first, behind what is held from the start.
    CHECK(std::ranges::is_sorted(run.timeline.memory, {}, [](const MemoryEvent& event) {
        return std::tuple(event.time, event.op != MemoryEvent::kNoOp,
                          event.op != MemoryEvent::kNoOp && event.bytes > 0);
    }));
    return profiler::metrics(run)->devices[{0}].peakStashBytes.value();
}

} // namespace

TEST_CASE("a stage that keeps less than its stash holds all of it only during its ops")
{
    const Schedule gpipe = scheduleOf("gpipe", 4, 8), steady = scheduleOf("1f1b", 4, 8);
    CHECK(peakBytes(gpipe, 100) == 800);
    CHECK(peakBytes(gpipe, 30) == 7 * 30 + 100); // rebuilt by the backward itself
    CHECK(peakBytes(addRecompute(gpipe), 30) == 7 * 30 + 100);
    CHECK(peakBytes(addRecompute(gpipe), 100) == 800);
    CHECK(peakBytes(steady, 30) == 3 * 30 + 100);
    CHECK(peakBytes(scheduleOf("zb-h1", 4, 8), 30) >= 3 * 30 + 100); // whole until its W
    CHECK(peakBytes(scheduleOf("bpipe", 4, 8), 30) == 2 * 30 + 100);
    CHECK(peakBytes(scheduleOf("seq1f1b", 4, 8), 100) == 5 * 50);
}

TEST_CASE("a copy of a sharded stage holds its share, and everything from UNSHARD to RESHARD")
{
    Schedule schedule = scheduleFrom({"0UNSHARD 0F0 0B0 0RESHARD 0ALLREDUCE"});
    schedule.shape.dataParallel = 4;
    const Simulated run = simulatedAsIs(lower(schedule));
    const IdVector<StageId, StageBytes> stages(1, {400, 800, 1200, 100, 100});
    std::vector<std::tuple<double, MemoryCategory, std::int64_t>> events;
    for (const MemoryEvent& event : simulatedMemory(run.schedule, run.timeline, stages))
        if (event.category != MemoryCategory::Stash)
            events.emplace_back(run.units(event.time), event.category, event.bytes);
    using enum MemoryCategory;
    CHECK(events
          == decltype(events){{0, Weights, 100},
                              {0, Gradients, 200},
                              {0, Optimizer, 300},
                              {0, Weights, 300},
                              {1, Gradients, 600},
                              {3, Weights, -300},
                              {3, Gradients, -600}});
}
