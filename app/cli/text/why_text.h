#pragma once

#include "profiler/analysis/measure.h"
#include "profiler/why/why.h"

#include <string>

namespace cli {

// The contents of `analyze --why`: the path of an iteration, its reasons and their effects, and the
// next scheme.
struct WhyReport
{
    profiler::Why why;
    // For each reason in `why`, the simulated effect of its change, in ticks; nullopt if the reason
    // has no change or the change cannot be simulated.
    std::vector<std::optional<std::int64_t>> effects;
    engine::Result<double> accuracy; // see WhyEffects::accuracy()
    engine::Result<std::optional<profiler::NextScheme>> next;
};

// Fails as whyNotFaster() does.
engine::Result<WhyReport> whyReport(const engine::Run& run, int iteration);

std::string whyText(const engine::Run& run, const WhyReport& report);
profiler::Reading whyData(const engine::Run& run, const WhyReport& report); // for JSON

} // namespace cli
