#pragma once

#include "profiler/analysis/compare.h"
#include "profiler/analysis/measure.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace profiler {

// The criterion of a ranking. Iteration: the time of an iteration, or the time per token if the
// iterations process different numbers of tokens.
enum class RankBy { Iteration, Bubble, Peak, Messages, Name };
enum class RankOrder { BestFirst, WorstFirst };

// The runs of a comparison in order. Only runs with the same mode and unit are ranked against each
// other: they form one list. The list of the mode and unit of the baseline comes first. Schemes
// with older weights form lists of their own, after the others, and have no rank, because their
// shorter iteration is not worth the same.
struct Ranking
{
    // Consecutive runs at the positions `first` to `last` of `order` that share a rank.
    struct Tie
    {
        std::size_t first = 0, last = 0;
        friend bool operator==(const Tie&, const Tie&) = default;
    };

    std::vector<std::size_t> order; // indices of runs
    // The rank of each run in its list; 1 is the best. A run shares the rank of the first run of
    // its tie if it cannot be distinguished from it; the next rank counts the runs. 0: not ranked.
    std::vector<int> rank;
    std::vector<std::size_t> lists; // indices into `order` at which the lists begin
    std::vector<Tie> ties;

    std::string rankText(std::size_t run) const; // "1", "2=", "\u2013"
};
Ranking rankRuns(const Comparison& comparison, RankBy by, RankOrder order = RankOrder::BestFirst);

// Peak memory in bytes, or the peak stash in M_a if no bytes were recorded; nullopt if unknown.
std::optional<double> peakOf(const ComparedRun& run);

// Returns for each run whether it is on the Pareto front of iteration time and peak memory. For a
// run on the front, no other run is better in one of the two without being worse in the other. The
// result is false for runs of unknown memory, with older weights, or of another mode or unit than
// the baseline.
std::vector<bool> paretoFront(const Comparison& comparison);

// The parts of an iteration, as means over the devices of a run, in ticks. They add up to the
// iteration. ARCHITECTURE.md, "What every number means", defines them.
struct TimeParts
{
    double fill = 0, wait = 0, communication = 0, drain = 0; // `communication` is the exposed part
    double compute = 0, optimizer = 0;                       // `compute` excludes the optimizer

    double idle() const { return fill + wait + communication + drain; }
};
TimeParts timeParts(const ComparedRun& run);

// What a comparison says first: which run wins, by how much, and why.
struct Verdict
{
    enum class Kind : std::uint8_t { Better, Unclear, Worse, NotComparable };

    Kind kind = Kind::Unclear;
    std::size_t run = 0, other = 0; // that the claim compares
    std::string conditions;         // named before the result: "Conditions differ: ..."; may be ""
    std::string claim;              // "BitPipe is 19.0 % shorter than 1F1B"
    std::string reasons;            // " (-14.1 ms, 95 % interval ...): 15.1 ms less bubble; ..."
    std::optional<Change> iteration;

    std::string text() const; // all of them
};
// "Conditions differ: the runs have different modes; ..."; "" if nothing makes the comparison less
// meaningful.
std::string conditionsText(const Comparison& comparison);
// Of one run and another one.
Verdict verdict(const Comparison& comparison, std::size_t run, std::size_t other);
// Of all runs. With two runs it is about the run that is not the baseline, otherwise about the
// first run of the ranking by iteration time.
Verdict verdict(const Comparison& comparison);

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
