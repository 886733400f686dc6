#pragma once

#include "engine/base/id_vector.h"
#include "engine/base/memory_capacity.h"
#include "engine/base/result.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/measure.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace profiler {

// An axis of a study. A study is a grid of simulations or runs, and the charts of its report, as
// read from the TOML file of `bscope study`. The keys of [fixed] and [grid] are long options of
// `bscope simulate` without the dashes.
struct StudyAxis
{
    std::string key;                 // "micro-batches"
    std::vector<std::string> values; // option values as text: "8"; for a flag "true" or "false"
    friend bool operator==(const StudyAxis&, const StudyAxis&) = default;
};

enum class StudyMetric : std::uint8_t {
    Iteration, // in ns or cost units
    Bubble,    // share of the time of all devices, from 0 to 1
    PeakStash, // largest stash of a device, in M_a
    Weights,   // largest weights of a device, in M_theta
    PeakBytes, // largest memory of a device in bytes; only if it is predicted or recorded
    Messages,
    TokensPerSecond,
    Mfu,
    Fits, // 1 if PeakBytes is at most UsableMemory, else 0
    DeviceMemory,
    UsableMemory, // DeviceMemory without the reserve
    Loss,         // loss of the last measured iteration in nats per token; only for runs
    // The time of the ops of one kind in an iteration: mean over the devices, in ns or cost units.
    Forward,
    Backward,
    BackwardInput,
    BackwardWeight,
    Optimizer,
    CpuShare, // CPU time / wall time of ops; only for live runs
    // The time of an iteration in which a transfer or all-reduce runs and no op computes: mean over
    // the devices, in ns or cost units. Bubble includes it if it is unknown.
    Exposed,
    LocalCopies,
    MemoryBalance, // largest over mean PeakBytes of the devices
    TrainingTime,  // of all trained iterations, in ns
    Tokens,        // that all copies trained on
    // What the run needed until its loss was Study::targetLoss; unknown if it never was.
    TimeToLoss,
    TokensToLoss,
};
constexpr std::size_t kStudyMetrics = 25;
const MeasureInfo& metricInfo(StudyMetric metric); // key, title, unit and better direction
std::string_view metricName(StudyMetric metric);   // "tokens_per_second", a column of the results
std::optional<StudyMetric> metricNamed(std::string_view name);
// Whether the results of every study have a column of this name: a metric, an end of its interval
// ("iteration_low"), point, unit, mapping, error or arguments.
bool isResultColumn(std::string_view name);

// The ratio of a metric at a point to the same metric at another point, the baseline. `baseline`
// has the values of the axes in which the two points differ.
struct StudyRatio
{
    std::string name; // name of the column in the results
    StudyMetric metric = StudyMetric::Iteration;
    bool inverse = false; // whether the ratio is baseline / point, as for a speed-up
    std::map<std::string, std::string> baseline;
    friend bool operator==(const StudyRatio&, const StudyRatio&) = default;
};

struct StudyChart
{
    enum class Kind : std::uint8_t {
        Lines,
        Bars,
        HeatMap, // one cell for each value of x and of series
        // Both axes are metrics. A line joins the points on the Pareto front.
        Pareto,
        // One cell for each value of x and of rows. It shows the value of `series` with the best y.
        PhaseMap,
    };
    static constexpr std::array<std::string_view, 5> kKinds{"lines", "bars", "heat-map", "pareto",
                                                            "phase-map"}; // names in files
    Kind kind = Kind::Lines;
    std::string title;
    // `x` is an axis of the grid (for Pareto: a metric); `y` is a metric or a ratio. Lines may have
    // a metric as `x`: each then joins the points of its series along the axis `along`.
    std::string x, y, along;
    std::string bestOver;                     // see StudyAnswer
    std::string series = "scheme", rows;      // names of axes
    std::map<std::string, std::string> where; // the values at which the other axes are fixed
    friend bool operator==(const StudyChart&, const StudyChart&) = default;
};

// A question about the values of a column, which study_answer.h answers in one sentence. Values of
// the compared axis are named `of` and `against`; the axis `along` gives one value after another.
struct StudyAnswer
{
    enum class Kind : std::uint8_t {
        Best,     // which compared value has the best y, along an axis or in how many set-ups
        Crossing, // where along an axis y of `of` falls below or rises above that of `against`
        Parts,    // how the iterations of both differ in compute, exposed communication and bubble
        Ratio,    // y of `of` over that of `against` ("": the best other value), or a [[ratio]]
    };
    static constexpr std::array<std::string_view, 4> kKinds{"best", "crossing", "parts", "ratio"};
    Kind kind = Kind::Best;
    std::string y = "iteration"; // a metric or a ratio
    std::string compare;         // the compared axis; "": that of the study
    std::string along, of, against;
    std::string bestOver; // an axis of which every point has the value with the best y
    std::map<std::string, std::string> where; // the values at which other axes are fixed
    friend bool operator==(const StudyAnswer&, const StudyAnswer&) = default;
};

struct Study
{
    using Mode = engine::Mode; // never Imported

    std::string title, question, limits;
    Mode mode = Mode::Simulate; // mode of points that have no option `mode`
    std::vector<StudyAxis> fixed, grid;
    // Additional arguments for each scheme, and the arguments for each value of the axis `case`.
    // The axis `case` is not an option itself.
    std::map<std::string, std::vector<std::string>> schemeArguments, caseArguments;
    // Files that the points refer to. Each is mapped to the arguments of the command (`bscope
    // devices` or `bscope run`) that writes it. The files are written into the folder of the study
    // before its points are evaluated.
    std::map<std::string, std::vector<std::string>> files;
    // Whether charts and answers ignore points that do not fit in memory.
    bool onlyFitting = false;
    std::vector<StudyRatio> ratios;
    std::vector<StudyChart> charts;
    std::vector<StudyAnswer> answers; // empty: the best iteration
    // The axis whose values are compared; "": `scheme`, `case` or else the first axis, whichever
    // is the first with several values.
    std::string compare;
    // The axis whose values repeat a measurement, such as `seed`. Charts and answers that do not
    // name it show means over it with their 95 % intervals. It varies slowest, so that what is
    // compared is measured within a short time.
    std::string repeat;
    std::optional<double> targetLoss; // of StudyMetric::TimeToLoss, in nats per token

    const StudyAxis* axis(std::string_view key) const;
    std::size_t place(std::string_view key) const;        // of an axis in the grid
    const StudyRatio* ratio(std::string_view name) const; // nullptr if there is none
    // The axis whose values are compared; nullptr if the grid is empty.
    const StudyAxis* comparedAxis() const;
    // Whether the study needs a run on this machine, for a point or for a file.
    bool isMeasured() const;
    double size() const; // number of points
    friend bool operator==(const Study&, const Study&) = default;
};

struct StudyPoint
{
    std::vector<std::string> values; // by axis of the grid
    Study::Mode mode = Study::Mode::Simulate;
    // Options of the command that evaluates the point, without the mode. The command is `bscope
    // simulate` or `bscope run`, depending on the mode.
    std::vector<std::string> arguments;
    // Of reducedData(): the point of the original data that it stands for, and the value of
    // StudyAnswer::bestOver.
    std::size_t source = 0;
    std::string best = {};
};
// All combinations of axis values; the last axis varies fastest.
std::vector<StudyPoint> pointsOf(const Study& study);
// The index of the point with these values; nullopt if the grid lacks one of them.
std::optional<std::size_t> pointAt(const Study& study, const std::vector<std::string>& values);

// The metrics of a point. A metric is nullopt if it is unknown.
struct StudyValues
{
    using Numbers = engine::EnumArray<StudyMetric, std::optional<double>, kStudyMetrics>;
    Numbers of;
    Numbers low, high; // ends of 95 % intervals; only of times of runs with several iterations
    std::string unit;  // unit of Iteration: "ns" or "units"
    // "replicas-together on 4 nodes, 8 slots per node"; "" if the devices have no nodes.
    std::string mapping = {};

    engine::MemoryCapacity memory() const; // of a device; unknown if the point has none
};

struct StudyResult
{
    StudyValues values;
    std::string error; // why the point is not possible; "" if it is possible
    bool isDone = false;
    std::vector<StudyValues::Numbers> repeats = {}; // the values of a mean over Study::repeat
};

// A study with its points and their results so far. Every chart, table and sentence asks it for
// values, so that all of them leave out the same points: those that do not fit in memory, if
// Study::onlyFitting is set.
struct StudyData
{
    explicit StudyData(Study of); // without results

    // The value of a point in a column, which is a metric or a ratio; nullopt if it is unknown.
    std::optional<double> value(std::string_view column, std::size_t point) const;
    // value() and its spread. The interval of a ratio is that of quotient(). What is predicted or
    // counted is the same in every iteration, so it is exact.
    std::optional<Amount> amount(std::string_view column, std::size_t point) const;
    engine::Result<std::vector<std::optional<double>>> column(std::string_view name) const;
    const std::string& valueOf(std::size_t point, std::string_view key) const; // of an axis
    bool isTooLarge(std::size_t point) const; // left out, because it does not fit in memory
    // Why a point has no values: "does not fit: needs 90 GiB; ..."; "" if it has values.
    std::string whyUnknown(std::size_t point) const;
    std::size_t done() const, refused() const; // points with a result; impossible points

    Study study;
    std::vector<StudyPoint> points;
    std::vector<StudyResult> results; // one per point
};

// The quotient of two amounts. Its interval spans all quotients of values in their intervals.
Amount quotient(const Amount& of, const Amount& by);

// The data as a chart or an answer sees them. A point is the mean over Study::repeat, unless
// `named` has this axis, and has the best `y` of all values of `bestOver`. nullopt if this changes
// nothing.
std::optional<StudyData> reducedData(const StudyData& data, const std::vector<std::string>& named,
                                     const std::string& bestOver, const std::string& y);
// The axes that a chart or an answer names.
template<class T>
std::vector<std::string> namedAxes(const T& of)
{
    std::vector<std::string> named{of.along, of.bestOver};
    for (const auto& [key, value] : of.where)
        named.push_back(key);
    if constexpr (std::is_same_v<T, StudyChart>)
        named.insert(named.end(), {of.x, of.series, of.rows});
    else
        named.push_back(of.compare);
    return named;
}

} // namespace profiler
