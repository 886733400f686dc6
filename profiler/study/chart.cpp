#include "profiler/study/chart.h"

#include "profiler/study/chart_painter.h"
#include "profiler/study/metric_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace profiler {

using namespace engine;

std::size_t ChartPainter::indexOf(std::size_t point, std::string_view key) const
{
    const auto& values = m_study.axis(key)->values;
    const auto at = std::ranges::find(values, valueOf(point, key));
    return static_cast<std::size_t>(at - values.begin());
}

bool ChartPainter::isShown(std::size_t point) const
{
    return std::ranges::all_of(m_chart.where, [&](const auto& where) {
        return valueOf(point, where.first) == where.second;
    });
}

bool ChartPainter::hasNumbers(std::string_view key) const
{
    return std::ranges::all_of(m_study.axis(key)->values, [](const std::string& text) {
        char* end = nullptr;
        std::strtod(text.c_str(), &end);
        return !text.empty() && *end == '\0';
    });
}

std::vector<ChartPainter::Value> ChartPainter::values() const
{
    std::vector<Value> all;
    for (std::size_t i = 0; i < m_points.size(); ++i)
        if (isShown(i) && m_y[i] && (m_x.empty() || m_x[i]))
            all.push_back({i, m_x.empty() ? 0 : *m_x[i], *m_y[i]});
    return all;
}

std::optional<std::pair<double, double>> ChartPainter::interval(std::size_t point) const
{
    const auto of = intervalOf(m_study, m_points, m_results, m_chart.y, point);
    const double factor = of ? shownFactor(m_results, m_chart.y) : 1;
    return of ? std::optional(std::pair(of->first * factor, of->second * factor)) : of;
}

// A scale with room for all values and their intervals.
ChartScale ChartPainter::valueScale(const std::vector<Value>& all, bool fromZero) const
{
    std::vector<double> ys;
    if (fromZero)
        ys.push_back(0);
    for (const Value& value : all) {
        ys.push_back(value.y);
        if (const auto of = interval(value.point))
            ys.insert(ys.end(), {of->first, of->second});
    }
    return scaleOf(ys, m_canvas.bottom(), kPlotTop + 10);
}

void ChartPainter::drawInterval(std::size_t point, double x, const ChartScale& y, Colour colour)
{
    constexpr double kCap = 3.5, kWidth = 1;
    const auto of = interval(point);
    if (!of)
        return;
    m_canvas.line({x, y(of->first)}, {x, y(of->second)}, kWidth, colour);
    for (const double end : {of->first, of->second})
        m_canvas.line({x - kCap, y(end)}, {x + kCap, y(end)}, kWidth, colour);
}

std::vector<std::string> ChartPainter::titlesOf(std::string_view key) const
{
    std::vector<std::string> titles;
    for (const std::string& value : m_study.axis(key)->values)
        titles.push_back(valueTitle(key, value));
    return titles;
}

void ChartPainter::mark(std::size_t point, const Rect& rect, std::size_t row)
{
    m_marks.push_back({point, rect, row});
}

void ChartPainter::markAround(std::size_t point, double x, double y, std::size_t row)
{
    constexpr double kReach = 7;
    mark(point, {x - kReach, y - kReach, 2 * kReach, 2 * kReach}, row);
}

void ChartPainter::drawLines()
{
    const std::vector<Value> all = values();
    std::vector<double> xs;
    const auto& names = m_study.axis(m_chart.x)->values;
    const bool numbers = hasNumbers(m_chart.x);
    for (const std::string& name : names)
        xs.push_back(numbers ? std::strtod(name.c_str(), nullptr) : 0);
    const ChartScale y = valueScale(all, false);
    m_canvas.drawValueAxis(y, m_chart.y, columnTitle(m_study, m_results, m_chart.y));
    const double width = (m_canvas.right() - kPlotLeft) / static_cast<double>(names.size());
    const ChartScale number = numbers ? scaleOf(xs, kPlotLeft, m_canvas.right()) : ChartScale();
    if (numbers)
        m_canvas.drawNumberAxis(number, m_chart.x);
    else
        m_canvas.drawNames(titlesOf(m_chart.x), m_chart.x);
    const auto place = [&](std::size_t point) {
        const std::size_t index = indexOf(point, m_chart.x);
        return numbers ? number(xs[index]) : kPlotLeft + width * (static_cast<double>(index) + 0.5);
    };
    std::vector<std::vector<Value>> lines(m_series.size());
    for (const Value& value : all)
        lines[indexOf(value.point, m_chart.series)].push_back(
            {value.point, place(value.point), y(value.y)});
    std::vector<std::pair<double, std::size_t>> ends;
    for (std::size_t series = 0; series < lines.size(); ++series) {
        std::vector<Value>& line = lines[series];
        std::ranges::stable_sort(line, {}, &Value::x);
        for (std::size_t i = 1; i < line.size(); ++i)
            m_canvas.line({line[i - 1].x, line[i - 1].y}, {line[i].x, line[i].y}, 1.5,
                          seriesColour(series, m_style), isDashedSeries(series));
        for (const Value& at : line) {
            drawInterval(at.point, at.x, y, seriesColour(series, m_style));
            m_canvas.marker(series, at.x, at.y);
            markAround(at.point, at.x, at.y, series);
        }
        if (!line.empty())
            ends.emplace_back(line.back().y, series);
    }
    m_canvas.drawLabels(std::move(ends), m_series);
}

void ChartPainter::drawBars()
{
    const std::vector<Value> all = values();
    const ChartScale y = valueScale(all, true);
    m_canvas.drawValueAxis(y, m_chart.y, columnTitle(m_study, m_results, m_chart.y));
    const auto names = titlesOf(m_chart.x);
    m_canvas.drawNames(names, m_chart.x);
    const double group = (m_canvas.right() - kPlotLeft) / static_cast<double>(names.size());
    const bool isOneAxis = m_chart.x == m_chart.series; // a bar per value, which the axis names
    const double bar = 0.8 * group / static_cast<double>(isOneAxis ? 1 : m_series.size());
    for (const Value& value : all) {
        const std::size_t series = isOneAxis ? 0 : indexOf(value.point, m_chart.series);
        const double left = kPlotLeft
            + group * (static_cast<double>(indexOf(value.point, m_chart.x)) + 0.1)
            + bar * static_cast<double>(series);
        const Rect rect{left, y(value.y), 0.92 * bar, y(0) - y(value.y)};
        m_canvas.box(rect, seriesColour(series, m_style));
        drawInterval(value.point, left + rect.width / 2, y, m_style.text);
        mark(value.point, rect, series);
    }
    if (isOneAxis)
        return;
    std::vector<std::pair<double, std::size_t>> labels;
    for (std::size_t series = 0; series < m_series.size(); ++series)
        labels.emplace_back(kPlotTop + 20, series);
    m_canvas.drawLabels(std::move(labels), m_series);
}

// The device memory that all shown points share.
std::optional<double> ChartPainter::memoryLimit() const
{
    const auto limits
        = shownColumn(m_study, m_points, m_results, metricName(StudyMetric::DeviceMemory));
    std::optional<double> limit;
    for (const Value& value : values()) {
        const auto own = (*limits)[value.point];
        if (!own || (limit && *limit != *own))
            return std::nullopt;
        limit = own;
    }
    return limit;
}

void ChartPainter::drawLimit(const ChartScale& x, double limit)
{
    if (limit >= x.most)
        return;
    const double at = x(limit), top = kPlotTop + 10;
    m_canvas.box({at, top, m_canvas.right() - at, m_canvas.bottom() - top}, m_style.shade);
    m_canvas.line({at, top}, {at, m_canvas.bottom()}, 1, m_style.text, true);
    const std::string label
        = fmt::format("over {} GiB", metricNumber(metricName(StudyMetric::PeakBytes), limit));
    m_canvas.text(at + 5, top + kChartText, label);
    m_canvas.keepFree({at + 5, top, textWidth(label), kChartText + 2});
}

void ChartPainter::drawPareto()
{
    std::vector<Value> all = values();
    m_canvas.setRightMargin(28); // labels are next to the points
    std::vector<double> xs, ys;
    for (const Value& value : all) {
        xs.push_back(value.x);
        ys.push_back(value.y);
    }
    const ChartScale x = scaleOf(xs, kPlotLeft, m_canvas.right()),
                     y = scaleOf(ys, m_canvas.bottom(), kPlotTop + 10);
    if (const auto limit = memoryLimit(); limit && m_chart.x == metricName(StudyMetric::PeakBytes))
        drawLimit(x, *limit);
    m_canvas.drawValueAxis(y, m_chart.y, columnTitle(m_study, m_results, m_chart.y));
    m_canvas.drawNumberAxis(x, columnTitle(m_study, m_results, m_chart.x));
    const double towardsX = lessIsBetter(m_study, m_chart.x) ? 1 : -1;
    const double towardsY = lessIsBetter(m_study, m_chart.y) ? 1 : -1;
    std::ranges::stable_sort(all, {}, [&](const Value& value) {
        return std::pair(towardsX * value.x, towardsY * value.y);
    });
    double best = 1e300;
    std::vector<Value> front;
    for (const Value& value : all) {
        m_canvas.keepFree({x(value.x) - 6, y(value.y) - 6, 12, 12});
        if (towardsY * value.y >= best)
            continue;
        best = towardsY * value.y;
        if (!front.empty()) {
            const Value& before = front.back();
            m_canvas.line({x(before.x), y(before.y)}, {x(value.x), y(before.y)}, 1, m_style.text);
            m_canvas.line({x(value.x), y(before.y)}, {x(value.x), y(value.y)}, 1, m_style.text);
            const double low = std::min(x(before.x), x(value.x)),
                         top = std::min(y(before.y), y(value.y));
            m_canvas.keepFree({low, y(before.y) - 1, std::abs(x(value.x) - x(before.x)), 2});
            m_canvas.keepFree({x(value.x) - 1, top, 2, std::abs(y(value.y) - y(before.y))});
        }
        front.push_back(value);
    }
    const auto isFront = [&front](const Value& value) {
        return std::ranges::find(front, value.point, &Value::point) != front.end();
    };
    std::ranges::stable_partition(all, isFront); // their labels have the first choice of places
    for (const Value& value : all) {
        const Colour colour = isFront(value) ? m_style.ink : m_style.text;
        const std::size_t series = indexOf(value.point, m_chart.series);
        m_canvas.dot(x(value.x), y(value.y), colour, isFront(value) ? colour : m_style.ground);
        m_canvas.label(x(value.x), y(value.y), m_series[series], {colour, isFront(value)});
        markAround(value.point, x(value.x), y(value.y), series);
    }
}

void ChartPainter::drawNothing()
{
    const auto isOpen
        = [this](std::size_t point) { return isShown(point) && !m_results[point].isDone; };
    std::size_t open = 0;
    while (open < m_points.size() && !isOpen(open))
        ++open;
    m_height = m_style.fillsHeight ? m_style.height : 40;
    m_canvas.text(kPlotLeft, 24,
                  open < m_points.size()
                      ? "No results yet"
                      : "No point of this chart is possible; results.csv has the reasons");
}

void ChartPainter::drawPlot()
{
    if (values().empty())
        drawNothing();
    else if (m_chart.kind == StudyChart::Kind::Lines)
        drawLines();
    else if (m_chart.kind == StudyChart::Kind::Bars)
        drawBars();
    else
        drawPareto();
}

Result<DrawnChart> ChartPainter::draw()
{
    using Kind = StudyChart::Kind;
    auto y = shownColumn(m_study, m_points, m_results, m_chart.y);
    if (!y)
        return tl::unexpected(y.error());
    m_y = *std::move(y);
    if (m_chart.kind == Kind::Pareto) {
        auto x = shownColumn(m_study, m_points, m_results, m_chart.x);
        if (!x)
            return tl::unexpected(x.error());
        m_x = *std::move(x);
    }
    m_series = titlesOf(m_chart.series);
    if (m_chart.kind == Kind::HeatMap || m_chart.kind == Kind::PhaseMap)
        drawMap();
    else
        drawPlot();
    DrawnChart drawn;
    drawn.scene.width = m_style.width;
    drawn.scene.height = m_height;
    drawn.scene.title = m_chart.title;
    drawn.scene.groups.push_back(m_canvas.take());
    drawn.marks = std::move(m_marks);
    return drawn;
}

Result<DrawnChart> drawChart(const Study& study, const StudyChart& chart,
                             const std::vector<StudyPoint>& points,
                             const std::vector<StudyResult>& results, const ChartStyle& style)
{
    return ChartPainter(study, chart, points, results, style).draw();
}

} // namespace profiler
