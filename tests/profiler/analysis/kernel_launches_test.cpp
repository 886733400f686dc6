#include "profiler/analysis/gpu_activity.h"
#include "tests/profiler/analysis/hand_made.h"

using namespace engine;
using namespace profiler;
using namespace analysis_test;

namespace {

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

} // namespace

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
