#pragma once

#include "profiler/study/study.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profiler {

// A point of the study with its position on the axes of the chart.
struct ChartValue
{
    std::size_t point = 0;
    double x = 0, y = 0; // x is 0 unless the chart draws two metrics
};

// The points of a study that a chart shows, with their values. The referenced objects must outlive
// this object.
struct ChartPoints
{
    // Fails if the chart names a column that does not exist.
    static engine::Result<ChartPoints> of(const Study& study, const StudyChart& chart,
                                          const std::vector<StudyPoint>& points,
                                          const std::vector<StudyResult>& results);

    const Study& study;
    const StudyChart& chart;
    const std::vector<StudyPoint>& points;
    const std::vector<StudyResult>& results;
    // Indexed by point of the study: the value on the y axis, and the value on the x axis if x is a
    // metric. If x is an axis of the grid, `x` is empty.
    std::vector<std::optional<double>> y, x;
    std::vector<std::string> series; // titles of the series

    bool isShown(std::size_t point) const;
    std::vector<ChartValue> values() const;
    // Returns the index of the point's value among the values of the axis `key`.
    std::size_t indexOf(std::size_t point, std::string_view key) const;
    bool hasNumbers(std::string_view key) const;
    std::vector<std::string> titlesOf(std::string_view key) const;
    // The interval of y at a point as (low, high); nullopt if y has none.
    std::optional<std::pair<double, double>> interval(std::size_t point) const;
    std::optional<double> memoryLimit() const;
    // Returns why the hatched points have no value: "not possible", "over memory" or "not possible
    // or over memory".
    std::string reasonOf(const std::vector<std::size_t>& hatched) const;

private:
    const std::string& valueOf(std::size_t point, std::string_view key) const
    {
        return points[point].values[static_cast<std::size_t>(study.axis(key) - study.grid.data())];
    }
};

} // namespace profiler
