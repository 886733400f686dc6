#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/metrics.h"
#include "profiler/analysis/run_measures.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profiler {

// A setting that differs between the compared runs.
struct Difference
{
    std::string title;               // "N", "model", "--learning-rate"
    std::vector<std::string> values; // one per run; "" if the run does not have the setting
};

// Returns the settings of a run that may differ between runs, with their titles: shape, mode,
// model, machine and links, followed by the given options of its command.
std::vector<std::pair<std::string, std::string>> settingsOf(const engine::Run& run);

// Returns the settings that differ, in the order of settingsOf().
std::vector<Difference> differences(const std::vector<const engine::Run*>& runs);

// Returns a unique label for each run. Equal labels are extended by the settings that differ, as in
// "1F1B, W = 2", or by a number if none with a short value differs.
std::vector<std::string> distinctLabels(const std::vector<const engine::Run*>& runs);

// The 95 % interval of the median of the measured iterations, in ticks; contains the duration of
// the median iteration. nullopt for simulated runs, which do not vary, for runs with fewer than
// three measured iterations, and if `iteration` is not the reported one.
std::optional<engine::Interval> iterationInterval(const engine::Run& run, int iteration);

// What is known about the spread of a number.
enum class Spread : std::uint8_t {
    Exact,    // the same in every iteration, or simulated
    Interval, // its 95 % interval is known
    Unknown   // fewer than three iterations were measured
};

struct Amount
{
    double value = 0;
    Spread spread = Spread::Unknown;
    double least = 0, most = 0; // the 95 % interval; only for Spread::Interval
};
// The mean of at least two values with its 95 % interval, by Student's distribution. Equal values
// are exact.
Amount meanAmount(const std::vector<double>& values);

// The difference of a number of a run from that of the baseline. Whatever a comparison colours,
// ranks or states in words asks isDistinguishable(), so that text, tables and figures agree.
struct Change
{
    double from = 0; // of the baseline
    Amount by;       // run - baseline

    double share() const { return from == 0 ? 0 : by.value / from; }
    // Whether the interval of the difference excludes 0. The intervals of the two runs may overlap.
    bool isDistinguishable() const;
    bool isMarked() const; // worth a colour: distinguishable, and over 1 % of the baseline
};
// The interval of the difference follows from the two intervals (MOVER; Zou and Donner, Statistics
// in Medicine 27, 2008). It needs no samples, so it holds for every number with an interval.
Change change(const Amount& from, const Amount& to);

// A run of a comparison, with the metrics of its reported iteration.
struct ComparedRun
{
    std::string label; // from distinctLabels()
    engine::Mode mode = engine::Mode::Simulate;
    bool isOversubscribed = false; // whether the run had more threads than cores
    bool hasOlderWeights = false;  // an asynchronous scheme, which is not ranked with others
    std::int64_t ticksPerUnit = 1;
    std::int64_t tokensPerIteration = 0; // 0: unknown
    RunMetrics metrics;
    std::optional<engine::Interval> interval; // result of iterationInterval()
    // By key: the known measures flagged with kDifference or kOperation. Times are in ticks of the
    // baseline, per 1000 tokens if Comparison::isPerToken.
    std::map<std::string_view, Amount> amounts;
    std::optional<std::int64_t> peakBytes; // largest peak memory of a device
    std::optional<double> peakStash; // in units of M_a; nullopt if the micro-batches are unknown
    // The median iteration of every round, in the unit of `amounts`, if the run took turns with the
    // others of its session; empty with fewer than three rounds.
    std::string session;
    std::vector<double> rounds;

    const Amount* amount(std::string_view key) const; // nullptr: unknown
    double time() const;                              // amount("iteration")
};

struct Comparison
{
    std::vector<ComparedRun> runs;
    std::vector<Difference> differences;
    std::size_t baseline = 0;
    bool comparable = true; // false: some runs are in abstract units, others in ns
    // Whether the token counts of the iterations are known and differ.
    bool isPerToken = false;
    std::string
        obstacle; // why results cannot be compared: "the runs train different models"; or ""
    // Whether the runs were measured without taking turns (RunRequest::session), so that intervals
    // leave out drift of the machine between them.
    bool isMeasuredApart = false;
    // Differences that make the comparison less meaningful: "the runs have different modes", ...
    std::vector<std::string> notes;
    std::vector<std::string> conditions; // those of the notes that a verdict names first

    const ComparedRun& base() const { return runs[baseline]; }
    // nullopt: the number is unknown, or the runs have no common unit. The interval of the
    // iteration of runs that took turns is that of the paired rounds: drift of the machine reaches
    // both runs of a round, and what differs between rounds is in the interval.
    std::optional<Change> change(std::string_view key, std::size_t run, std::size_t other) const;
    std::optional<Change> change(std::string_view key, std::size_t run) const
    {
        return change(key, run, baseline);
    }
    bool haveOneUnit(std::size_t run, std::size_t other) const
    {
        return (runs[run].ticksPerUnit == 1) == (runs[other].ticksPerUnit == 1);
    }
};

// All runs of one machine have the MFU of one peak, that of the baseline.
engine::Result<Comparison> compare(const std::vector<const engine::Run*>& runs,
                                   std::size_t baseline = 0);

// States in one sentence how a run differs from the baseline: the claim and the reasons of a
// Verdict (ranking.h).
std::string summarize(const Comparison& comparison, std::size_t run);

// A number of one run among the runs of a history, which are ordered by their start.
struct HistoryPoint
{
    std::optional<Amount> value; // in the unit of the measure, times in ticks; nullopt: unknown
    std::string whyUnknown;      // "" if it is known, or no run of this kind has it
    // From the run before; nullopt: this is the first run, a number is unknown, or see `conditions`
    std::optional<Change> change;
    // What else differs from the run before, so that the change is not that of the code: "scheme,
    // N". "": nothing.
    std::string conditions;
    bool isMeasuredApart = false; // from the run before, so that drift is not in the interval
};

// The measures of which a history can be made: those with differences in a comparison.
std::vector<const Measure<ReportedRun>*> historyMeasures();

// `before` is the run before, or nullptr. Fails as compare() does.
engine::Result<HistoryPoint> historyPoint(const engine::Run& run, const engine::Run* before,
                                          std::string_view key);

} // namespace profiler
