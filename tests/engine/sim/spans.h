#pragma once

#include "engine/schedule/notation.h"
#include "tests/support/pipelines.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace tests {

using Spans = std::vector<std::string>;

// "0F0 0-1": the spans of a track with their times in units.
inline Spans spansOf(const Simulated& run, int device, engine::Track::Kind kind)
{
    const engine::Track* track = run.timeline.track(engine::DeviceId{device}, kind);
    REQUIRE(track != nullptr);
    const engine::OpIndex index(run.schedule);
    Spans texts;
    for (const engine::Span& span : track->spans)
        texts.push_back(fmt::format("{} {}-{}", toString(opAt(run.schedule, index, span.op)),
                                    run.units(span.begin), run.units(span.end)));
    return texts;
}

// Simulates a schedule that is lowered already.
inline Simulated simulatedAsIs(const engine::Schedule& lowered, const engine::UnitCosts& costs = {})
{
    const engine::OpCosts resolved = costsOf(lowered, costs);
    auto timeline = engine::simulate(lowered, resolved);
    REQUIRE(timeline);
    return {lowered, *std::move(timeline), resolved.ticksPerUnit};
}

} // namespace tests
