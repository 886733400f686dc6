#include "profiler/study/chart_plot.h"

#include "engine/base/field.h"
#include "profiler/study/chart_pareto.h"
#include "profiler/study/metric_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace profiler {

// Returns a scale on which all values and their intervals have space.
ChartScale ChartPlot::valueScale(const std::vector<ChartValue>& all, bool fromZero) const
{
    std::vector<double> ys;
    if (fromZero)
        ys.push_back(0);
    for (const ChartValue& value : all) {
        ys.push_back(value.y);
        if (const auto of = m_of.interval(value.point))
            ys.insert(ys.end(), {of->first, of->second});
    }
    return scaleOf(ys, m_canvas.bottom(), kPlotTop + 10);
}

void ChartPlot::drawInterval(std::size_t point, double x, const ChartScale& y, Colour colour)
{
    constexpr double kCap = 3.5, kWidth = 1;
    const auto of = m_of.interval(point);
    if (!of)
        return;
    m_canvas.line({x, y(of->first)}, {x, y(of->second)}, kWidth, colour);
    for (const double end : {of->first, of->second})
        m_canvas.line({x - kCap, y(end)}, {x + kCap, y(end)}, kWidth, colour);
}

void ChartPlot::drawLines()
{
    const std::vector<ChartValue> all = m_of.values();
    std::vector<double> xs;
    const auto& names = m_of.study.axis(m_of.chart.x)->values;
    const bool numbers = m_of.hasNumbers(m_of.chart.x);
    for (const std::string& name : names)
        xs.push_back(engine::parseNumber(name).value_or(0));
    const ChartScale y = valueScale(all, false);
    m_canvas.drawValueAxis(y, columnTitle(m_of.study, m_of.results, m_of.chart.y));
    const double width = (m_canvas.right() - kPlotLeft) / static_cast<double>(names.size());
    const ChartScale number = numbers ? scaleOf(xs, kPlotLeft, m_canvas.right()) : ChartScale();
    if (numbers)
        m_canvas.drawNumberAxis(number, optionTitle(m_of.chart.x));
    else
        m_canvas.drawNames(m_of.titlesOf(m_of.chart.x), optionTitle(m_of.chart.x));
    const auto place = [&](std::size_t point) {
        const std::size_t index = m_of.indexOf(point, m_of.chart.x);
        return numbers ? number(xs[index]) : kPlotLeft + width * (static_cast<double>(index) + 0.5);
    };
    std::vector<LinePoints> lines(m_of.series.size());
    for (const ChartValue& value : all)
        lines[m_of.indexOf(value.point, m_of.chart.series)].push_back(
            {value.point, place(value.point), y(value.y)});
    for (std::size_t series = 0; series < lines.size(); ++series) {
        const SeriesLook& look = m_looks[series];
        LinePoints& line = lines[series];
        std::ranges::stable_sort(line, {}, &ChartValue::x);
        for (std::size_t i = 1; i < line.size(); ++i)
            m_canvas.line({line[i - 1].x, line[i - 1].y}, {line[i].x, line[i].y}, look.width,
                          look.colour, look.isDashed);
        for (const ChartValue& at : line) {
            drawInterval(at.point, at.x, y, look.colour);
            m_canvas.marker(look, at.x, at.y);
            m_sheet.markAround(at.point, at.x, at.y, series);
        }
    }
    nameLines(lines);
}

// Names each line at the right of the plot. If a line ends before the right edge, its name is next
// to its last point.
void ChartPlot::nameLines(const std::vector<LinePoints>& lines)
{
    constexpr double kAway = kChartText + 2;
    double last = 0; // greatest x of all points
    for (const LinePoints& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i) {
            last = std::max(last, line[i].x);
            m_canvas.keepFree({line[i].x - 6, line[i].y - 6, 12, 12});
            if (i > 0)
                m_canvas.keepFree({line[i - 1].x, line[i - 1].y}, {line[i].x, line[i].y});
        }
    m_canvas.keepFree({0, m_canvas.bottom() - 1, m_style.width, kPlotBottom});
    m_canvas.keepFree({m_canvas.right() + 8, 0, kPlotRight, m_style.height});
    std::vector<std::pair<double, std::size_t>> ends;
    for (std::size_t series = 0; series < lines.size(); ++series) {
        if (lines[series].empty())
            continue;
        const ChartValue& end = lines[series].back();
        const auto isFree = [&](double steps) {
            return m_canvas.label(end.x, end.y + steps * kAway, m_of.series[series],
                                  {m_looks[series].text});
        };
        if (end.x > last - 1
            || std::ranges::none_of(std::array{0., 1., -1., 2., -2., 3., -3.}, isFree))
            ends.emplace_back(end.y, series);
    }
    m_canvas.drawLabels(std::move(ends), m_of.series, m_looks, ChartCanvas::Sample::Line);
}

void ChartPlot::drawBars()
{
    const std::vector<ChartValue> all = m_of.values();
    const ChartScale y = valueScale(all, true);
    m_canvas.drawValueAxis(y, columnTitle(m_of.study, m_of.results, m_of.chart.y));
    const auto names = m_of.titlesOf(m_of.chart.x);
    m_canvas.drawNames(names, optionTitle(m_of.chart.x));
    const double group = (m_canvas.right() - kPlotLeft) / static_cast<double>(names.size());
    // If the chart uses the same axis as x and as series, each value has only one bar, which is
    // named on the x axis.
    const bool isOneAxis = m_of.chart.x == m_of.chart.series;
    const double bar = 0.8 * group / static_cast<double>(isOneAxis ? 1 : m_of.series.size());
    for (const ChartValue& value : all) {
        const std::size_t series = isOneAxis ? 0 : m_of.indexOf(value.point, m_of.chart.series);
        const double left = kPlotLeft
            + group * (static_cast<double>(m_of.indexOf(value.point, m_of.chart.x)) + 0.1)
            + bar * static_cast<double>(series);
        const Rect rect{left, y(value.y), 0.92 * bar, y(0) - y(value.y)};
        if (isOneAxis)
            m_canvas.box(rect, m_style.ink);
        else
            m_canvas.box(rect, m_looks[series].colour, m_looks[series].hatch);
        drawInterval(value.point, left + rect.width / 2, y, m_style.text);
        m_sheet.mark(value.point, rect, series);
    }
    if (isOneAxis)
        return;
    std::vector<std::pair<double, std::size_t>> labels;
    for (std::size_t series = 0; series < m_of.series.size(); ++series)
        labels.emplace_back(kPlotTop + 20, series);
    m_canvas.drawLabels(std::move(labels), m_of.series, m_looks, ChartCanvas::Sample::Box);
}

void ChartPlot::drawLimit(const ChartScale& x, double limit)
{
    if (limit >= x.most)
        return;
    const double at = x(limit), top = kPlotTop + 10;
    m_canvas.box({at, top, m_canvas.right() - at, m_canvas.bottom() - top}, m_style.shade);
    m_canvas.line({at, top}, {at, m_canvas.bottom()}, 1, m_style.text, true);
    const std::string label = fmt::format("over {} GiB usable",
                                          metricNumber(metricName(StudyMetric::PeakBytes), limit));
    m_canvas.text(at + 5, top + kChartText, label);
    m_canvas.keepFree({at + 5, top, textWidth(label), kChartText + 2});
}

void ChartPlot::drawPareto()
{
    std::vector<ChartValue> all = m_of.values();
    m_canvas.setRightMargin(28); // narrow, because labels are next to the points
    std::vector<double> xs, ys;
    for (const ChartValue& value : all) {
        xs.push_back(value.x);
        ys.push_back(value.y);
    }
    const double pad = 0.05 * (m_canvas.right() - kPlotLeft); // keeps points away from the axis
    const ChartScale x = scaleOf(xs, kPlotLeft + pad, m_canvas.right()),
                     y = scaleOf(ys, m_canvas.bottom(), kPlotTop + 10);
    if (const auto limit = m_of.memoryLimit();
        limit && m_of.chart.x == metricName(StudyMetric::PeakBytes))
        drawLimit(x, *limit);
    m_canvas.drawValueAxis(y, columnTitle(m_of.study, m_of.results, m_of.chart.y));
    m_canvas.drawNumberAxis(x, columnTitle(m_of.study, m_of.results, m_of.chart.x));
    const double towardsX = lessIsBetter(m_of.study, m_of.chart.x) ? 1 : -1;
    const double towardsY = lessIsBetter(m_of.study, m_of.chart.y) ? 1 : -1;
    std::ranges::stable_sort(all, {}, [&](const ChartValue& value) {
        return std::pair(towardsX * value.x, towardsY * value.y);
    });
    double best = 1e300;
    std::vector<ParetoPoint> points;
    for (const ChartValue& value : all) {
        const bool isOnFront = towardsY * value.y < best;
        const std::size_t series = m_of.indexOf(value.point, m_of.chart.series);
        best = std::min(best, towardsY * value.y);
        points.push_back({.point = value.point,
                          .row = series,
                          .x = value.x,
                          .y = value.y,
                          .isOnFront = isOnFront,
                          .label = m_of.series[series],
                          .isBold = isOnFront});
    }
    for (const SceneMark& mark :
         profiler::drawPareto(m_canvas, std::move(points), x, y, FrontEnds::AtPoints))
        m_sheet.mark(mark.point, mark.rect, mark.row);
}

void ChartPlot::draw()
{
    if (m_of.chart.kind == StudyChart::Kind::Lines)
        drawLines();
    else if (m_of.chart.kind == StudyChart::Kind::Bars)
        drawBars();
    else
        drawPareto();
}

} // namespace profiler
