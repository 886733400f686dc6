#include "profiler/study/chart_canvas.h"

#include "profiler/study/metric_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace profiler {

namespace {

constexpr Colour kGrid{228, 232, 237};
// Okabe and Ito's colours, which colour-blind readers tell apart, without the yellow.
constexpr std::array<Colour, 8> kColours{{{0, 0, 0},
                                          {0, 114, 178},
                                          {213, 94, 0},
                                          {0, 158, 115},
                                          {204, 121, 167},
                                          {86, 180, 233},
                                          {230, 159, 0},
                                          {110, 110, 110}}};

// 1, 2 or 5 times a power of ten, so that `span` has four to ten steps.
double stepOf(double span)
{
    const double power = std::pow(10, std::floor(std::log10(span / 4)));
    for (const double times : {5.0, 2.0})
        if (span / (times * power) >= 4)
            return times * power;
    return power;
}

} // namespace

Colour seriesColour(std::size_t series)
{
    return kColours[series % kColours.size()];
}

ChartScale scaleOf(const std::vector<double>& values, double from, double to)
{
    const auto [low, high] = std::ranges::minmax(values);
    const double least = low < 0.5 * high ? std::min(0.0, low) : low;
    const double span = high > least ? high - least : std::max(std::abs(high), 1.0);
    const double step = stepOf(span);
    return {std::floor(least / step) * step, std::ceil((least + span) / step) * step, from, to,
            step};
}

void ChartCanvas::text(double x, double y, std::string label, Text::Anchor anchor, Colour colour)
{
    m_group.shapes.emplace_back(
        Text{x, y, kChartText, std::move(label), colour, anchor, false, ""});
}

void ChartCanvas::line(Point from, Point to, double width, Colour colour)
{
    m_group.shapes.emplace_back(
        Line{from.first, from.second, to.first, to.second, width, colour, false, ""});
}

void ChartCanvas::box(Rect rect, Colour fill)
{
    m_group.shapes.emplace_back(Box{rect, fill, 0, {}, 0, "", "", ""});
}

void ChartCanvas::marker(std::size_t series, double x, double y)
{
    // A polygon per shape: octagon, diamond, triangle, square.
    constexpr std::array<int, 4> kCorners{8, 4, 3, 4};
    const int corners = kCorners[series % kCorners.size()];
    const double turn = series % kCorners.size() == 3 ? 0.25 * M_PI : 0.5 * M_PI;
    Polygon polygon{{}, seriesColour(series), ""};
    for (int i = 0; i < corners; ++i) {
        const double angle = -turn + 2 * M_PI * i / corners;
        polygon.points.emplace_back(x + 4 * std::cos(angle), y + 4 * std::sin(angle));
    }
    m_group.shapes.emplace_back(std::move(polygon));
}

void ChartCanvas::drawValueAxis(const ChartScale& scale, std::string_view column,
                                const std::string& title)
{
    for (double value = scale.least; value <= scale.most + scale.step / 2; value += scale.step) {
        line({kPlotLeft, scale(value)}, {kChartWidth - kPlotRight, scale(value)}, 0.5, kGrid);
        text(kPlotLeft - 8, scale(value) + kChartText / 3, metricNumber(column, value),
             Text::Anchor::End);
    }
    text(kPlotLeft, kPlotTop - 4, title);
}

void ChartCanvas::drawNumberAxis(const ChartScale& scale, const std::string& title)
{
    const double bottom = kChartHeight - kPlotBottom;
    line({kPlotLeft, bottom}, {kChartWidth - kPlotRight, bottom}, 0.75, kChartGrey);
    for (double value = scale.least; value <= scale.most + scale.step / 2; value += scale.step) {
        line({scale(value), bottom}, {scale(value), bottom + 4}, 0.75, kChartGrey);
        text(scale(value), bottom + 17, fmt::format("{:.6g}", value), Text::Anchor::Middle);
    }
    text((kPlotLeft + kChartWidth - kPlotRight) / 2, bottom + 36, title, Text::Anchor::Middle);
}

// Names at the same distances below the plot.
void ChartCanvas::drawNames(const std::vector<std::string>& names, const std::string& title)
{
    const double bottom = kChartHeight - kPlotBottom;
    const double width = (kChartWidth - kPlotRight - kPlotLeft) / static_cast<double>(names.size());
    line({kPlotLeft, bottom}, {kChartWidth - kPlotRight, bottom}, 0.75, kChartGrey);
    for (std::size_t i = 0; i < names.size(); ++i)
        text(kPlotLeft + width * (static_cast<double>(i) + 0.5), bottom + 17, names[i],
             Text::Anchor::Middle);
    text((kPlotLeft + kChartWidth - kPlotRight) / 2, bottom + 36, title, Text::Anchor::Middle);
}

// The names of series at the ends of their lines, moved apart.
void ChartCanvas::drawLabels(std::vector<std::pair<double, std::size_t>> ends,
                             const std::vector<std::string>& names)
{
    std::ranges::sort(ends);
    double last = -1e9;
    constexpr double kLine = kChartText + 3;
    for (auto& [y, series] : ends)
        y = last = std::max(y, last + kLine);
    const double over = std::max(0.0, last - (kChartHeight - kPlotBottom));
    for (const auto& [y, series] : ends)
        text(kChartWidth - kPlotRight + 12, y - over + kChartText / 3, names[series],
             Text::Anchor::Start, seriesColour(series));
}

} // namespace profiler
