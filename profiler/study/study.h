#pragma once

#include "engine/base/id_vector.h"
#include "engine/base/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// A grid of simulations or runs, and the charts of its report. FILE.toml of `bscope study`; the
// keys of its tables [fixed] and [grid] are long options of `bscope simulate` without the dashes.
struct StudyAxis
{
    std::string key;                 // "micro-batches"
    std::vector<std::string> values; // "8"; of a flag: "true" or "false"
};

enum class StudyMetric : std::uint8_t {
    Iteration, // ns, or cost units
    Bubble,    // share of the devices' time
    PeakStash, // M_a, of the device with the most
    Weights,   // M_theta, of that device
    PeakBytes, // of the device with the most; only of models on hardware
    Messages,
    TokensPerSecond,
    Mfu,
    Fits, // 1 or 0: whether PeakBytes is at most the device's memory
};
constexpr std::size_t kStudyMetrics = 9;
std::string_view metricName(StudyMetric metric);  // "tokens_per_second", a column of the results
std::string_view metricTitle(StudyMetric metric); // "Tokens per second"
std::optional<StudyMetric> metricNamed(std::string_view name);

// A metric relative to that of the point that differs only in the axes of `baseline`.
struct StudyRatio
{
    std::string name; // a column of the results
    StudyMetric metric = StudyMetric::Iteration;
    bool inverse = false; // baseline / point: a speed-up
    std::map<std::string, std::string> baseline;
};

struct StudyChart
{
    enum class Kind : std::uint8_t {
        Lines,
        Bars,
        HeatMap,  // a cell per value of x and series
        Pareto,   // both axes are metrics; points that no other point beats in both are joined
        PhaseMap, // the value of `series` with the best y, per value of x and rows
    };
    Kind kind = Kind::Lines;
    std::string title;
    std::string x, y;                    // x: an axis (Pareto: a metric); y: a metric or a ratio
    std::string series = "scheme", rows; // axes
    std::map<std::string, std::string> where; // values of all other axes of the grid
};

struct Study
{
    enum class Mode : std::uint8_t { Simulate, Emulate, Live };

    std::string title, question, limits;
    Mode mode = Mode::Simulate;
    std::vector<StudyAxis> fixed, grid;
    std::map<std::string, std::vector<std::string>> schemeArguments; // by scheme
    bool onlyFitting = false; // charts and answer ignore points that do not fit
    std::vector<StudyRatio> ratios;
    std::vector<StudyChart> charts;

    const StudyAxis* axis(std::string_view key) const; // of the grid; nullptr: not in it
};

// Errors name `source` and the key or line.
engine::Result<Study> readStudy(std::string_view toml, std::string_view source);

struct StudyPoint
{
    std::vector<std::string> values;    // [axis of the grid]
    std::vector<std::string> arguments; // of `bscope simulate` or `bscope run`
};
// All combinations, the last axis fastest.
std::vector<StudyPoint> pointsOf(const Study& study);

// The metrics of a point; nullopt: not known for it.
struct StudyValues
{
    engine::EnumArray<StudyMetric, std::optional<double>, kStudyMetrics> of;
    std::string unit; // of Iteration: "ns" or "units"
};
struct StudyResult
{
    StudyValues values;
    std::string error; // why the point is not possible; "" if it is
    bool isDone = false;
};

// [point] The values of a column: a metric or a ratio. nullopt: unknown, or left out by
// onlyFitting.
engine::Result<std::vector<std::optional<double>>> columnOf(const Study& study,
                                                            const std::vector<StudyPoint>& points,
                                                            const std::vector<StudyResult>& results,
                                                            std::string_view name);

} // namespace profiler
