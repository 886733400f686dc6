#pragma once

#include "engine/base/id_vector.h"
#include "engine/base/result.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// A grid of simulations or runs, and the charts of its report, as read from the TOML file of
// `bscope study`. The keys of [fixed] and [grid] are long options of `bscope simulate` without the
// dashes.
struct StudyAxis
{
    std::string key;                 // "micro-batches"
    std::vector<std::string> values; // "8"; for a flag: "true" or "false"
    friend bool operator==(const StudyAxis&, const StudyAxis&) = default;
};

enum class StudyMetric : std::uint8_t {
    Iteration, // in ns or cost units
    Bubble,    // share of the devices' time, 0 to 1
    PeakStash, // largest stash of a device, in M_a
    Weights,   // largest weights of a device, in M_theta
    PeakBytes, // largest memory of a device, in bytes, if predicted or recorded
    Messages,
    TokensPerSecond,
    Mfu,
    Fits, // 1 if PeakBytes is at most DeviceMemory, else 0
    DeviceMemory,
    IterationLow, // the 95 % interval of Iteration; only for runs with several iterations
    IterationHigh,
    Loss, // of the last measured iteration, in nats per token; only for runs
    // Time of the ops of one kind in an iteration, mean over the devices, in ns or cost units;
    // each with its 95 % interval, as Iteration has.
    Forward,
    ForwardLow,
    ForwardHigh,
    Backward,
    BackwardLow,
    BackwardHigh,
    BackwardInput,
    BackwardInputLow,
    BackwardInputHigh,
    BackwardWeight,
    BackwardWeightLow,
    BackwardWeightHigh,
    Optimizer,
    OptimizerLow,
    OptimizerHigh,
    CpuShare, // CPU time / wall time of ops; only for live runs
};
constexpr std::size_t kStudyMetrics = 29;
std::string_view metricName(StudyMetric metric);  // "tokens_per_second", a column of the results
std::string_view metricTitle(StudyMetric metric); // "Tokens per second"
std::optional<StudyMetric> metricNamed(std::string_view name);

// "iteration_low" and "iteration_high" of "iteration"; nullopt if the metric has no interval.
std::optional<std::pair<StudyMetric, StudyMetric>> intervalOf(StudyMetric metric);

// The ratio of a metric to its value at the point that differs only in the axes of `baseline`.
struct StudyRatio
{
    std::string name; // name of a column of the results
    StudyMetric metric = StudyMetric::Iteration;
    bool inverse = false; // true: baseline / point, as for a speed-up
    std::map<std::string, std::string> baseline;
    friend bool operator==(const StudyRatio&, const StudyRatio&) = default;
};

struct StudyChart
{
    enum class Kind : std::uint8_t {
        Lines,
        Bars,
        HeatMap,  // a cell per value of x and series
        Pareto,   // both axes are metrics; points that no other point beats in both are joined
        PhaseMap, // the value of `series` with the best y, for each pair of values of x and rows
    };
    static constexpr std::array<std::string_view, 5> kKinds{"lines", "bars", "heat-map", "pareto",
                                                            "phase-map"}; // names in files
    Kind kind = Kind::Lines;
    std::string title;
    std::string x, y; // x: an axis (for Pareto: a metric); y: a metric or a ratio
    std::string series = "scheme", rows;      // names of axes
    std::map<std::string, std::string> where; // the values at which the other axes are fixed
    friend bool operator==(const StudyChart&, const StudyChart&) = default;
};

// A sentence of the report about a column: which compared value has the best metric, or the median
// of a ratio for each compared value.
struct StudyAnswer
{
    std::string y;                            // a metric or a ratio
    std::map<std::string, std::string> where; // the values at which other axes are fixed
    friend bool operator==(const StudyAnswer&, const StudyAnswer&) = default;
};

struct Study
{
    enum class Mode : std::uint8_t { Simulate, Emulate, Live };
    static constexpr std::array<std::string_view, 3> kModes{"simulate", "emulate", "live"};

    std::string title, question, limits;
    Mode mode = Mode::Simulate; // of points without the option `mode`
    std::vector<StudyAxis> fixed, grid;
    // Additional arguments of each scheme, and the arguments of each value of the axis `case`,
    // which has no option of its own.
    std::map<std::string, std::vector<std::string>> schemeArguments, caseArguments;
    // Files that points name, each with the arguments of the `bscope devices` or `bscope run` that
    // writes it. They are written into the folder of the study before its points.
    std::map<std::string, std::vector<std::string>> files;
    // Whether charts and the answer ignore points that do not fit in memory.
    bool onlyFitting = false;
    std::vector<StudyRatio> ratios;
    std::vector<StudyChart> charts;
    std::vector<StudyAnswer> answers; // empty: about the iteration
    std::string compare; // the axis whose values the answer ranks; "": scheme, else the first

    // Returns the axis with this key; nullptr if the grid does not have it.
    const StudyAxis* axis(std::string_view key) const;
    // The axis whose values are compared; nullptr if the grid is empty.
    const StudyAxis* comparedAxis() const;
    // Whether a point or a file needs a run on this machine.
    bool isMeasured() const;
    friend bool operator==(const Study&, const Study&) = default;
};

// Errors name `source` and the key or line.
engine::Result<Study> readStudy(std::string_view toml, std::string_view source);

struct StudyPoint
{
    std::vector<std::string> values; // [axis of the grid]
    Study::Mode mode = Study::Mode::Simulate;
    // Options of `bscope simulate` or `bscope run`, depending on the mode, without the mode.
    std::vector<std::string> arguments;
};
// All combinations of axis values; the last axis varies fastest.
std::vector<StudyPoint> pointsOf(const Study& study);
// The index of the point with these values; nullopt if the grid lacks one of them.
std::optional<std::size_t> pointAt(const Study& study, const std::vector<std::string>& values);

// The metrics of a point; nullopt if unknown.
struct StudyValues
{
    engine::EnumArray<StudyMetric, std::optional<double>, kStudyMetrics> of;
    std::string unit; // unit of Iteration: "ns" or "units"
};
struct StudyResult
{
    StudyValues values;
    std::string error; // why the point is not possible; "" if it is possible
    bool isDone = false;
};

// The value of a column, which is a metric or a ratio. nullopt if the value or the column is
// unknown, or if onlyFitting leaves out the point.
std::optional<double> valueOf(const Study& study, const std::vector<StudyPoint>& points,
                              const std::vector<StudyResult>& results, std::string_view column,
                              std::size_t point);
// The 95 % interval of valueOf() as (low, high); nullopt if it has none. The interval of a ratio
// contains all ratios of values in both intervals; predictions have no interval and count as exact.
std::optional<std::pair<double, double>> intervalOf(const Study& study,
                                                    const std::vector<StudyPoint>& points,
                                                    const std::vector<StudyResult>& results,
                                                    std::string_view column, std::size_t point);
// Returns the value of each point in a column. Fails if the column is unknown.
engine::Result<std::vector<std::optional<double>>> columnOf(const Study& study,
                                                            const std::vector<StudyPoint>& points,
                                                            const std::vector<StudyResult>& results,
                                                            std::string_view name);

} // namespace profiler
