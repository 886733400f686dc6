#pragma once

#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/simulate.h"
#include "engine/timeline/run.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

// Runs for tests of what draws them: real schedules, placed by the simulator.
namespace sample {

struct Wish
{
    std::string scheme = "bitpipe";
    int devices = 4, microBatches = 8, iterations = 1;
    double forward = 1, p2p = 0; // abstract units
    std::map<std::string, std::string, std::less<>> options = {};
};

// Without CHECK, because some tests make runs before main().
inline engine::Run lowered(const Wish& wish)
{
    engine::ScheduleRequest request;
    request.scheme = wish.scheme;
    request.devices = wish.devices;
    request.microBatches = wish.microBatches;
    request.options = wish.options;
    const auto schedule = engine::buildSchedule(request);
    engine::Run run;
    run.schedule = engine::lower(schedule.value());
    run.info.scheme = wish.scheme;
    run.info.label = wish.scheme;
    run.info.outcome = engine::Outcome::Finished;
    return run;
}

// In abstract units: F 1, B 2, free links.
inline std::shared_ptr<const engine::Run> units(const Wish& wish = {})
{
    engine::Run run = lowered(wish);
    const engine::OpCosts costs = engine::unitOpCosts(run.schedule, engine::UnitCosts{}).value();
    run.info.ticksPerUnit = costs.ticksPerUnit;
    run.timeline = engine::simulate(run.schedule, costs, {wish.iterations}).value();
    return std::make_shared<const engine::Run>(std::move(run));
}

// A deterministic jitter of a few per cent.
inline std::int64_t jittered(std::int64_t time, std::uint32_t& state)
{
    state = state * 1664525U + 1013904223U;
    return time + time * static_cast<std::int64_t>(state >> 24) / 2048;
}

inline engine::OpCosts measuredCosts(const engine::Schedule& schedule)
{
    engine::OpCosts costs;
    std::uint32_t state = 7;
    const std::int64_t chunks = std::max(1, schedule.shape.chunks());
    for (const auto& program : schedule.program) {
        auto& row = costs.of.emplace_back();
        for (const auto& op : program) {
            using enum engine::OpKind;
            const std::int64_t time = op.kind == Forward ? 3'700'000 / chunks
                : op.kind == Backward                    ? 7'500'000 / chunks
                : op.kind == AllReduce                   ? 1'500'000
                : op.kind == OptimizerStep               ? 900'000 / chunks
                                                         : 340'000;
            row.push_back({jittered(time, state), 0});
        }
    }
    return costs;
}

// Weights and the like from the start, a stash from each F to its B.
inline void addMemory(engine::Run& run)
{
    const engine::OpIndex index(run.schedule);
    constexpr std::int64_t kMiB = 1 << 20;
    auto& memory = run.timeline.memory;
    using enum engine::MemoryCategory;
    const std::int64_t start = run.timeline.iterations.front().window.begin;
    for (const auto& track : run.timeline.tracks) {
        const auto device = static_cast<std::uint16_t>(track.device.value);
        if (track.kind != engine::Track::Kind::Compute)
            continue;
        memory.push_back({start, 700 * kMiB, engine::MemoryEvent::kNoOp, device, Weights});
        memory.push_back({start, 700 * kMiB, engine::MemoryEvent::kNoOp, device, Gradients});
        memory.push_back({start, 1400 * kMiB, engine::MemoryEvent::kNoOp, device, Optimizer});
        memory.push_back({start, 200 * kMiB, engine::MemoryEvent::kNoOp, device, Buffers});
        for (const auto& span : track.spans) {
            const auto kind = engine::opAt(run.schedule, index, span.op).kind;
            if (kind == engine::OpKind::Forward)
                memory.push_back({span.begin, 900 * kMiB, span.op, device, Stash});
            if (kind == engine::OpKind::Backward)
                memory.push_back({span.end, -900 * kMiB, span.op, device, Stash});
        }
    }
    std::stable_sort(memory.begin(), memory.end(),
                     [](const engine::MemoryEvent& a, const engine::MemoryEvent& b) {
                         return a.time != b.time ? a.time < b.time : a.bytes < b.bytes;
                     });
}

// As an emulated run looks: nanoseconds, jitter, exposed transfers, memory.
inline std::shared_ptr<const engine::Run> measured(const Wish& wish = {})
{
    engine::Run run = lowered(wish);
    run.info.mode = engine::Mode::Emulate;
    run.timeline
        = engine::simulate(run.schedule, measuredCosts(run.schedule), {wish.iterations}).value();
    addMemory(run);
    return std::make_shared<const engine::Run>(std::move(run));
}

} // namespace sample
