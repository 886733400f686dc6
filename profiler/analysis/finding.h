#pragma once

#include "profiler/analysis/compare.h"
#include "profiler/analysis/measure.h"
#include "profiler/analysis/ranking.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace profiler {

// One result of an analysis, a comparison or a prediction, for a program that reads --json.
struct Finding
{
    std::string kind;           // "fill", "straggler", "longer", "faster_scheme"
    std::optional<Amount> time; // in ticks; nullopt: unknown
    std::string evidence;       // how `time` was obtained: "recorded, from ops"
    std::string sentence;
    std::string todo; // what to do, as an instruction; "": nothing
};

// The JSON of findings. `ms` and `interval` are in ms; in a run in abstract units `ms` is null and
// `units` and `interval` are in units. `interval` is null if it is unknown or the time is exact.
Reading findingsData(std::span<const Finding> findings, std::int64_t ticksPerUnit);

// "shorter" or "longer" if the change is distinguishable, otherwise "unclear".
std::string changeKind(const Change& change);
// How the iteration of every other run differs from that of the baseline: a "shorter", "longer",
// "unclear" or "not_comparable" finding for each.
std::vector<Finding> comparisonFindings(std::span<const engine::Run* const> runs,
                                        const Comparison& comparison);

// "recorded, from kernels, incomplete": the evidence of the numbers of a run.
std::string evidenceText(const engine::Run& run);

} // namespace profiler
