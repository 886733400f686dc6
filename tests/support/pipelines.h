#pragma once

#include "engine/cost/cost_model.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/simulate.h"
#include "tests/catch.h"

#include <algorithm>
#include <map>
#include <string>

// Schedules and timelines for tests, in one line each.
namespace tests {

inline engine::ScheduleRequest requestOf(const std::string& scheme, int devices, int microBatches)
{
    engine::ScheduleRequest request;
    request.scheme = scheme;
    request.devices = devices;
    request.microBatches = microBatches;
    return request;
}

// `options` as in --set: {{"backward", "lifo"}}.
inline engine::Schedule scheduleOf(const std::string& scheme, int devices, int microBatches,
                                   std::map<std::string, std::string, std::less<>> options = {})
{
    engine::ScheduleRequest request = requestOf(scheme, devices, microBatches);
    request.options = std::move(options);
    auto schedule = engine::buildSchedule(request);
    INFO(scheme << " D=" << devices << " N=" << microBatches);
    REQUIRE(schedule);
    return *std::move(schedule);
}

inline engine::OpCosts costsOf(const engine::Schedule& lowered, const engine::UnitCosts& costs = {})
{
    auto resolved = engine::unitOpCosts(lowered, costs);
    REQUIRE(resolved);
    return *std::move(resolved);
}

// One simulated iteration and how to read it in units.
struct Simulated
{
    engine::Schedule schedule; // lowered
    engine::Timeline timeline;
    std::int64_t ticksPerUnit = 1;

    double units(std::int64_t ticks) const
    {
        return static_cast<double>(ticks) / static_cast<double>(ticksPerUnit);
    }
    double iteration() const { return units(timeline.iterations.back().window.duration()); }
    // Own first start to own last end of a device.
    double span(int device) const
    {
        const auto* track = timeline.track(engine::DeviceId{device}, engine::Track::Kind::Compute);
        REQUIRE(track != nullptr);
        REQUIRE_FALSE(track->spans.empty());
        std::int64_t end = 0;
        for (const engine::Span& span : track->spans)
            if (span.begin < span.end)
                end = std::max(end, span.end);
        return units(end - track->spans.front().begin);
    }
};

inline Simulated simulated(const engine::Schedule& schedule, const engine::UnitCosts& costs = {})
{
    Simulated result;
    result.schedule = engine::lower(schedule);
    const engine::OpCosts resolved = costsOf(result.schedule, costs);
    auto timeline = engine::simulate(result.schedule, resolved);
    REQUIRE(timeline);
    result.timeline = *std::move(timeline);
    result.ticksPerUnit = resolved.ticksPerUnit;
    return result;
}

} // namespace tests
