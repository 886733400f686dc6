#pragma once

#include "engine/schedule/notation.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/simulate.h"
#include "engine/timeline/run.h"
#include "tests/catch.h"

#include <string>
#include <vector>

// Runs for the tests of analysis: written down by hand, one line an op, or simulated in units.
namespace analysis_test {

struct Row
{
    int device = 0;
    std::string op; // notation.h
    std::int64_t begin = 0, end = 0;
};

inline engine::Track::Kind trackOf(engine::OpKind kind)
{
    using engine::OpKind;
    using Kind = engine::Track::Kind;
    if (engine::isCompute(kind))
        return Kind::Compute;
    if (kind == OpKind::SendActivation || kind == OpKind::SendGradient)
        return Kind::Send;
    if (kind == OpKind::AllReduce)
        return Kind::AllReduce;
    return kind == OpKind::Evict || kind == OpKind::Load ? Kind::Copy : Kind::Receive;
}

// One iteration in nanoseconds. Rows by device, each device's in order; the window is given, since
// a timeline says it too.
inline engine::Run handMade(engine::Shape shape, engine::Window window,
                            const std::vector<Row>& rows)
{
    using namespace engine;
    Run run;
    run.schedule.shape = shape;
    run.schedule.program.resize(static_cast<std::size_t>(shape.devices));
    run.schedule.deviceOf.assign(1, {});
    for (int s = 0; s < shape.stages; ++s)
        run.schedule.deviceOf[0].push_back(DeviceId{s % shape.devices});
    for (DeviceId d{0}; d.value < shape.devices; ++d.value)
        for (int kind = 0; kind < 5; ++kind)
            run.timeline.tracks.push_back({d, static_cast<Track::Kind>(kind), {}});
    for (std::uint32_t number = 0; number < rows.size(); ++number) {
        const Row& row = rows[number];
        const auto device = static_cast<std::size_t>(row.device);
        const Op op = parseOp(row.op).value();
        run.schedule.program[{row.device}].push_back(op);
        const auto track = device * 5 + static_cast<std::size_t>(trackOf(op.kind));
        run.timeline.tracks[track].spans.push_back({row.begin, row.end, number, 0});
    }
    run.timeline.iterations.push_back({0, Iteration::Kind::Measured, window, {}, {}, {}});
    return run;
}

// One micro-batch through two devices; a message takes 1, then 1 more of nothing before 1F0.
//
//   time      0 1 2 3 4 5 6 7 8 9 . . 12  . . 16
//   device 0  F F s                    r B B B B
//   device 1      r . . F F B B B B  s            r, s: a transfer under way
inline engine::Run pingPong(std::int64_t ticksPerUnit = 1)
{
    std::vector<Row> rows{{0, "0F0", 0, 2},   {0, "0SEND_F0", 2, 3},  {0, "0RECV_B0", 11, 12},
                          {0, "0B0", 12, 16}, {1, "1RECV_F0", 2, 3},  {1, "1F0", 5, 7},
                          {1, "1B0", 7, 11},  {1, "1SEND_B0", 11, 12}};
    for (Row& row : rows) {
        row.begin *= ticksPerUnit;
        row.end *= ticksPerUnit;
    }
    return handMade({.devices = 2, .stages = 2, .microBatches = 1}, {0, 16 * ticksPerUnit}, rows);
}

inline engine::Run simulated(const engine::ScheduleRequest& request,
                             const engine::UnitCosts& costs = {}, int iterations = 1)
{
    using namespace engine;
    Run run;
    run.info.scheme = request.scheme;
    run.schedule = lower(buildSchedule(request).value());
    const OpCosts times = unitOpCosts(run.schedule, costs).value();
    run.info.ticksPerUnit = times.ticksPerUnit;
    run.timeline = simulate(run.schedule, times, {.iterations = iterations}).value();
    return run;
}

inline engine::Run simulated(const std::string& scheme, int devices, int microBatches,
                             const engine::UnitCosts& costs = {})
{
    engine::ScheduleRequest request;
    request.scheme = scheme;
    request.devices = devices;
    request.microBatches = microBatches;
    return simulated(request, costs);
}

inline double units(const engine::Run& run, std::int64_t ticks)
{
    return static_cast<double>(ticks) / static_cast<double>(run.info.ticksPerUnit);
}

} // namespace analysis_test
