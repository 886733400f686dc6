#include "profiler/study/chart.h"

#include "profiler/study/chart_canvas.h"
#include "profiler/study/metric_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace profiler {

using namespace engine;

namespace {

class ChartPainter
{
public:
    ChartPainter(const Study& study, const StudyChart& chart, const std::vector<StudyPoint>& points,
                 const std::vector<StudyResult>& results)
        : m_study(study)
        , m_chart(chart)
        , m_points(points)
        , m_results(results)
    { }

    Result<Scene> draw();

private:
    struct Value
    {
        std::size_t point = 0;
        double x = 0, y = 0;
    };
    std::size_t axisIndex(std::string_view key) const
    {
        return static_cast<std::size_t>(m_study.axis(key) - m_study.grid.data());
    }
    const std::string& valueOf(std::size_t point, std::string_view key) const
    {
        return m_points[point].values[axisIndex(key)];
    }
    std::size_t indexOf(std::size_t point, std::string_view key) const
    {
        const auto& values = m_study.axis(key)->values;
        const auto at = std::ranges::find(values, valueOf(point, key));
        return static_cast<std::size_t>(at - values.begin());
    }
    bool isShown(std::size_t point) const
    {
        return std::ranges::all_of(m_chart.where, [&](const auto& where) {
            return valueOf(point, where.first) == where.second;
        });
    }
    bool hasNumbers(std::string_view key) const;
    void drawLines();
    void drawBars();
    void drawHeatMap();
    void drawPareto();
    void drawPhaseMap();
    std::vector<Value> values() const;

    const Study& m_study;
    const StudyChart& m_chart;
    const std::vector<StudyPoint>& m_points;
    const std::vector<StudyResult>& m_results;
    std::vector<std::optional<double>> m_y, m_x;
    std::vector<std::string> m_series;
    ChartCanvas m_canvas;
    double m_height = kChartHeight;
};

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

void ChartPainter::drawLines()
{
    const std::vector<Value> all = values();
    std::vector<double> ys, xs;
    for (const Value& value : all)
        ys.push_back(value.y);
    const auto& names = m_study.axis(m_chart.x)->values;
    const bool numbers = hasNumbers(m_chart.x);
    for (const std::string& name : names)
        xs.push_back(numbers ? std::strtod(name.c_str(), nullptr) : 0);
    const ChartScale y = scaleOf(ys, kChartHeight - kPlotBottom, kPlotTop + 10);
    m_canvas.drawValueAxis(y, m_chart.y, columnTitle(m_study, m_results, m_chart.y));
    const double width = (kChartWidth - kPlotRight - kPlotLeft) / static_cast<double>(names.size());
    const ChartScale number
        = numbers ? scaleOf(xs, kPlotLeft, kChartWidth - kPlotRight) : ChartScale();
    if (numbers)
        m_canvas.drawNumberAxis(number, m_chart.x);
    else
        m_canvas.drawNames(names, m_chart.x);
    const auto place = [&](std::size_t point) {
        const std::size_t index = indexOf(point, m_chart.x);
        return numbers ? number(xs[index]) : kPlotLeft + width * (static_cast<double>(index) + 0.5);
    };
    std::vector<std::pair<double, std::size_t>> ends;
    for (std::size_t series = 0; series < m_series.size(); ++series) {
        std::vector<std::pair<double, double>> line;
        for (const Value& value : all)
            if (indexOf(value.point, m_chart.series) == series)
                line.emplace_back(place(value.point), y(value.y));
        std::ranges::sort(line);
        for (std::size_t i = 1; i < line.size(); ++i)
            m_canvas.line(line[i - 1], line[i], 1.5, seriesColour(series));
        for (const auto& [px, py] : line)
            m_canvas.marker(series, px, py);
        if (!line.empty())
            ends.emplace_back(line.back().second, series);
    }
    m_canvas.drawLabels(std::move(ends), m_series);
}

void ChartPainter::drawBars()
{
    const std::vector<Value> all = values();
    std::vector<double> ys{0};
    for (const Value& value : all)
        ys.push_back(value.y);
    const ChartScale y = scaleOf(ys, kChartHeight - kPlotBottom, kPlotTop + 10);
    m_canvas.drawValueAxis(y, m_chart.y, columnTitle(m_study, m_results, m_chart.y));
    const auto& names = m_study.axis(m_chart.x)->values;
    m_canvas.drawNames(names, m_chart.x);
    const double group = (kChartWidth - kPlotRight - kPlotLeft) / static_cast<double>(names.size());
    const double bar = 0.8 * group / static_cast<double>(m_series.size());
    for (const Value& value : all) {
        const std::size_t series = indexOf(value.point, m_chart.series);
        const double left = kPlotLeft
            + group * (static_cast<double>(indexOf(value.point, m_chart.x)) + 0.1)
            + bar * static_cast<double>(series);
        m_canvas.box({left, y(value.y), 0.92 * bar, y(0) - y(value.y)}, seriesColour(series));
    }
    std::vector<std::pair<double, std::size_t>> labels;
    for (std::size_t series = 0; series < m_series.size(); ++series)
        labels.emplace_back(kPlotTop + 20, series);
    m_canvas.drawLabels(std::move(labels), m_series);
}

void ChartPainter::drawHeatMap()
{
    const std::vector<Value> all = values();
    const auto& columns = m_study.axis(m_chart.x)->values;
    constexpr double kRow = 22, kNames = 150;
    const double width
        = std::min(64.0, (kChartWidth - kNames) / static_cast<double>(columns.size()));
    m_height = kPlotTop + kRow * static_cast<double>(m_series.size() + 1) + 24;
    m_canvas.text(kNames - 8, kPlotTop + 10, m_chart.x, Text::Anchor::End);
    for (std::size_t i = 0; i < columns.size(); ++i)
        m_canvas.text(kNames + width * (static_cast<double>(i) + 0.5), kPlotTop + 10, columns[i],
                      Text::Anchor::Middle);
    double least = 1e300, most = -1e300;
    for (const Value& value : all) {
        least = std::min(least, value.y);
        most = std::max(most, value.y);
    }
    for (std::size_t row = 0; row < m_series.size(); ++row)
        m_canvas.text(kNames - 8, kPlotTop + kRow * static_cast<double>(row + 1) + 11,
                      m_series[row], Text::Anchor::End, kChartInk);
    for (const Value& value : all) {
        const double share = most > least ? (value.y - least) / (most - least) : 0;
        const Colour fill = mix({238, 241, 246}, {38, 50, 72}, share);
        const double x = kNames + width * static_cast<double>(indexOf(value.point, m_chart.x));
        const double y
            = kPlotTop + 18 + kRow * static_cast<double>(indexOf(value.point, m_chart.series));
        m_canvas.box({x + 0.5, y + 0.5, width - 1, kRow - 1}, fill);
        m_canvas.text(x + width / 2, y + kRow / 2 + kChartText / 3,
                      metricNumber(m_chart.y, value.y), Text::Anchor::Middle,
                      contrast(fill, kChartWhite) > contrast(fill, kChartInk) ? kChartWhite
                                                                              : kChartInk);
    }
    m_canvas.text(kNames, m_height - 6, columnTitle(m_study, m_results, m_chart.y));
}

void ChartPainter::drawPareto()
{
    std::vector<Value> all = values();
    std::vector<double> xs, ys;
    for (const Value& value : all) {
        xs.push_back(value.x);
        ys.push_back(value.y);
    }
    const ChartScale x = scaleOf(xs, kPlotLeft, kChartWidth - kPlotRight),
                     y = scaleOf(ys, kChartHeight - kPlotBottom, kPlotTop + 10);
    m_canvas.drawValueAxis(y, m_chart.y, columnTitle(m_study, m_results, m_chart.y));
    m_canvas.drawNumberAxis(x, columnTitle(m_study, m_results, m_chart.x));
    const double towardsX = lessIsBetter(m_study, m_chart.x) ? 1 : -1;
    const double towardsY = lessIsBetter(m_study, m_chart.y) ? 1 : -1;
    std::ranges::stable_sort(all, {}, [&](const Value& value) {
        return std::pair(towardsX * value.x, towardsY * value.y);
    });
    double best = 1e300;
    std::optional<Value> before;
    for (const Value& value : all) {
        if (towardsY * value.y >= best)
            continue;
        best = towardsY * value.y;
        if (before) {
            m_canvas.line({x(before->x), y(before->y)}, {x(value.x), y(before->y)}, 1, kChartGrey);
            m_canvas.line({x(value.x), y(before->y)}, {x(value.x), y(value.y)}, 1, kChartGrey);
        }
        before = value;
    }
    for (const Value& value : all) {
        const std::size_t series = indexOf(value.point, m_chart.series);
        m_canvas.marker(series, x(value.x), y(value.y));
        m_canvas.text(x(value.x) + 8, y(value.y) - 5, m_series[series], Text::Anchor::Start,
                      seriesColour(series));
    }
}

void ChartPainter::drawPhaseMap()
{
    const auto& columns = m_study.axis(m_chart.x)->values;
    const auto& rows = m_study.axis(m_chart.rows)->values;
    constexpr double kRow = 24, kNames = 90;
    const double width
        = std::min(56.0, (kChartWidth - kNames - kPlotRight) / static_cast<double>(columns.size()));
    m_height = kPlotTop + kRow * static_cast<double>(rows.size()) + 44;
    const double towards = lessIsBetter(m_study, m_chart.y) ? 1 : -1;
    std::vector<std::optional<Value>> best(columns.size() * rows.size());
    for (const Value& value : values()) {
        auto& cell = best[indexOf(value.point, m_chart.rows) * columns.size()
                          + indexOf(value.point, m_chart.x)];
        if (!cell || towards * value.y < towards * cell->y)
            cell = value;
    }
    std::vector<bool> wins(m_series.size(), false);
    for (std::size_t i = 0; i < best.size(); ++i) {
        if (!best[i])
            continue;
        const std::size_t series = indexOf(best[i]->point, m_chart.series);
        wins[series] = true;
        const Colour fill = mix(seriesColour(series), kChartWhite, 0.35);
        const std::size_t row = i / columns.size(), column = i % columns.size();
        const double x = kNames + width * static_cast<double>(column);
        const double y = kPlotTop + kRow * static_cast<double>(row);
        m_canvas.box({x + 0.5, y + 0.5, width - 1, kRow - 1}, fill);
        m_canvas.text(x + width / 2, y + kRow / 2 + kChartText / 3,
                      metricNumber(m_chart.y, best[i]->y), Text::Anchor::Middle,
                      contrast(fill, kChartWhite) > contrast(fill, kChartInk) ? kChartWhite
                                                                              : kChartInk);
    }
    for (std::size_t row = 0; row < rows.size(); ++row)
        m_canvas.text(kNames - 8,
                      kPlotTop + kRow * (static_cast<double>(row) + 0.5) + kChartText / 3,
                      rows[row], Text::Anchor::End);
    const double bottom = kPlotTop + kRow * static_cast<double>(rows.size());
    for (std::size_t i = 0; i < columns.size(); ++i)
        m_canvas.text(kNames + width * (static_cast<double>(i) + 0.5), bottom + 15, columns[i],
                      Text::Anchor::Middle);
    m_canvas.text(kNames, bottom + 34,
                  fmt::format("{} across, {} down; {} of the best", m_chart.x, m_chart.rows,
                              columnTitle(m_study, m_results, m_chart.y)));
    double y = kPlotTop + kChartText;
    for (std::size_t series = 0; series < m_series.size(); ++series)
        if (wins[series]) {
            const double x = kNames + width * static_cast<double>(columns.size()) + 16;
            m_canvas.box({x, y - kChartText + 1, kChartText, kChartText},
                         mix(seriesColour(series), kChartWhite, 0.35));
            m_canvas.text(x + kChartText + 6, y, m_series[series], Text::Anchor::Start, kChartInk);
            y += kChartText + 7;
        }
}

Result<Scene> ChartPainter::draw()
{
    auto y = shownColumn(m_study, m_points, m_results, m_chart.y);
    if (!y)
        return tl::unexpected(y.error());
    m_y = *std::move(y);
    if (m_chart.kind == StudyChart::Kind::Pareto) {
        auto x = shownColumn(m_study, m_points, m_results, m_chart.x);
        if (!x)
            return tl::unexpected(x.error());
        m_x = *std::move(x);
    }
    m_series = m_study.axis(m_chart.series)->values;
    if (values().empty()) {
        m_height = 40;
        m_canvas.text(kPlotLeft, 24,
                      "No point of this chart is possible; results.csv has the reasons");
    } else {
        using Kind = StudyChart::Kind;
        switch (m_chart.kind) {
        case Kind::Lines:
            drawLines();
            break;
        case Kind::Bars:
            drawBars();
            break;
        case Kind::HeatMap:
            drawHeatMap();
            break;
        case Kind::Pareto:
            drawPareto();
            break;
        case Kind::PhaseMap:
            drawPhaseMap();
            break;
        }
    }
    Scene scene;
    scene.width = kChartWidth;
    scene.height = m_height;
    scene.title = m_chart.title;
    scene.groups.push_back(m_canvas.take());
    return scene;
}

} // namespace

Result<Scene> drawChart(const Study& study, const StudyChart& chart,
                        const std::vector<StudyPoint>& points,
                        const std::vector<StudyResult>& results)
{
    return ChartPainter(study, chart, points, results).draw();
}

} // namespace profiler
