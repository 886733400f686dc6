#pragma once

#include "profiler/figure/scene.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profiler {

constexpr double kChartWidth = 720, kChartHeight = 320; // points
constexpr double kChartText = 11;
// Margins of the plot in points.
constexpr double kPlotLeft = 64, kPlotRight = 150, kPlotTop = 14, kPlotBottom = 46;
constexpr Colour kChartInk{29, 35, 43}, kChartGrey{74, 84, 98}, kChartWhite{255, 255, 255};

Colour seriesColour(std::size_t series);

struct ChartScale
{
    // Data values `least` and `most` are drawn at `from` and `to`, in points.
    double least = 0, most = 1, from = 0, to = 1;
    double step = 1; // distance of two ticks, in data values

    double operator()(double value) const
    {
        return from + (to - from) * (value - least) / (most - least);
    }
};

// Makes a scale that ends on ticks. It starts at 0 if the least value is below half of the
// greatest.
ChartScale scaleOf(const std::vector<double>& values, double from, double to);

// Collects the marks of a chart and returns them as one group of a scene.
class ChartCanvas
{
public:
    void text(double x, double y, std::string label, Text::Anchor anchor = Text::Anchor::Start,
              Colour colour = kChartGrey);
    using Point = std::pair<double, double>; // x, y
    void line(Point from, Point to, double width, Colour colour);
    void box(Rect rect, Colour fill);
    void marker(std::size_t series, double x, double y);

    void drawValueAxis(const ChartScale& scale, std::string_view column, const std::string& title);
    void drawNumberAxis(const ChartScale& scale, const std::string& title);
    // Draws names at equal distances below the plot.
    void drawNames(const std::vector<std::string>& names, const std::string& title);
    // Draws the names of series next to the ends (y, series) of their lines, moved apart where they
    // would overlap.
    void drawLabels(std::vector<std::pair<double, std::size_t>> ends,
                    const std::vector<std::string>& names);
    Group take() { return std::move(m_group); }

private:
    Group m_group{"chart", {}};
};

} // namespace profiler
