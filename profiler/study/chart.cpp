#include "profiler/study/chart.h"

#include "engine/base/field.h"
#include "engine/base/try.h"
#include "profiler/study/chart_kit.h"
#include "profiler/study/metric_text.h"
#include "profiler/study/study_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

namespace profiler {
namespace {

// A point of the study with its position on the axes of the chart.
struct ChartValue
{
    std::size_t point = 0;
    double x = 0, y = 0; // x is 0 unless the chart draws two metrics
};

bool isMap(const StudyChart& chart)
{
    return chart.kind == StudyChart::Kind::HeatMap || chart.kind == StudyChart::Kind::PhaseMap;
}

constexpr double kWidestCell = 70, kColumnNames = 18, kCaption = 22;
// Heights of rows in points: kRowHeight in reports; kLowestRow and kHighestRow limit the rows of a
// map that fills its height.
constexpr double kRowHeight = 22, kLowestRow = 18, kHighestRow = 35;
// The colour bar of a heat map, in points: its distance from the cells, its width, and its smallest
// height.
constexpr double kBarGap = 14, kBarWidth = 10, kLeastBar = 3 * kChartText;

// Draws the points of a chart: lines, bars and Pareto fronts on axes, and maps as cells.
class ChartDrawing
{
public:
    // `y` and `x` are columns of the study; `x` is empty if the x axis is one of the grid.
    using Column = std::vector<std::optional<double>>;
    ChartDrawing(const StudyData& data, const StudyChart& chart, const ChartStyle& style, Column y,
                 Column x)
        : m_data(data)
        , m_chart(chart)
        , m_style(style)
        , m_y(std::move(y))
        , m_x(std::move(x))
        , m_series(titles(chart.series))
        , m_canvas(style)
        , m_height(style.height)
        , m_looks(seriesLooks(chart.series, data.study.axis(chart.series)->values, style))
    {
        // The names of the series are never cut: a longer name gets a wider margin, and a name that
        // would leave no plot is shortened.
        constexpr double kSample = 38;
        const double widest = 0.45 * style.width - kSample;
        double names = 0;
        for (std::string& name : m_series) {
            name = hasNumbers(chart.series) ? settingText(chart.series, name) : name;
            name = textWidth(name) > widest ? shortenedTitle(name, widest) : name;
            names = std::max(names, textWidth(name));
        }
        m_canvas.setRightMargin(
            std::max(std::min(kPlotRight, 0.25 * style.width), kSample + names));
    }

    MarkedScene draw()
    {
        double greatest = 0;
        for (const ChartValue& value : values())
            greatest = std::max(greatest, std::abs(value.y));
        m_decimals = metricDecimals(m_chart.y, greatest);
        using Kind = StudyChart::Kind;
        static constexpr std::array kDraw{&ChartDrawing::drawLines, &ChartDrawing::drawBars,
                                          &ChartDrawing::drawHeatMap, &ChartDrawing::drawPareto,
                                          &ChartDrawing::drawPhaseMap};
        static_assert(kDraw.size() == StudyChart::kKinds.size() && Kind::PhaseMap == Kind(4));
        if (!drawNothing())
            (this->*kDraw[static_cast<std::size_t>(m_chart.kind)])();
        MarkedScene drawn = m_canvas.finish(std::move(m_marks));
        drawn.scene.height = m_height;
        drawn.scene.title = m_chart.title;
        return drawn;
    }

private:
    std::size_t indexOf(std::size_t point, std::string_view key) const
    {
        const auto& values = m_data.study.axis(key)->values;
        const auto at = std::ranges::find(values, m_data.valueOf(point, key));
        return static_cast<std::size_t>(at - values.begin());
    }

    bool isShown(std::size_t point) const
    {
        return std::ranges::all_of(m_chart.where, [&](const auto& where) {
            return m_data.valueOf(point, where.first) == where.second;
        });
    }

    bool hasNumbers(std::string_view key) const
    {
        return std::ranges::all_of(m_data.study.axis(key)->values, [](const std::string& text) {
            return axisNumber(text).has_value();
        });
    }

    // Whether each value of an axis is twice the one before, so that they are drawn equally spaced.
    bool doubles(std::string_view key) const
    {
        const auto& values = m_data.study.axis(key)->values;
        const auto isOther = [](const std::string& before, const std::string& after) {
            return 2 * axisNumber(before).value_or(0) != axisNumber(after).value_or(1);
        };
        return values.size() > 2 && std::ranges::adjacent_find(values, isOther) == values.end();
    }

    std::vector<ChartValue> values() const
    {
        std::vector<ChartValue> all;
        for (std::size_t i = 0; i < m_data.points.size(); ++i)
            if (isShown(i) && m_y[i] && (m_x.empty() || m_x[i]))
                all.push_back({i, m_x.empty() ? 0 : *m_x[i], *m_y[i]});
        return all;
    }

    std::vector<std::string> titles(std::string_view key) const
    {
        return titlesOf(*m_data.study.axis(key));
    }

    // Returns the usable memory if it is the same for all points that the chart shows.
    std::optional<double> memoryLimit() const
    {
        const auto limits = shownColumn(m_data, metricName(StudyMetric::UsableMemory));
        std::optional<double> limit;
        for (const ChartValue& value : values()) {
            const auto own = (*limits)[value.point];
            if (!own || (limit && *limit != *own))
                return std::nullopt;
            limit = own;
        }
        return limit;
    }

    // Explains the marks of points without a value: those that do not fit in memory, and others.
    std::string marksText(const std::vector<std::size_t>& points, const std::string& tooLarge,
                          const std::string& other) const
    {
        const auto large = static_cast<std::size_t>(std::ranges::count_if(
            points, [this](std::size_t point) { return m_data.isTooLarge(point); }));
        return fmt::format("{}{}{}", large > 0 ? tooLarge + " out of memory" : "",
                           large > 0 && large < points.size() ? "; " : "",
                           large < points.size() ? other + " not possible" : "");
    }

    // Marks a cell without a value.
    void drawNoValue(const Rect& cell, bool isTooLarge)
    {
        if (!isTooLarge)
            return m_canvas.hatch(cell);
        const Colour fill = mix(m_style.ground, m_style.grid, 0.5);
        m_canvas.box(cell, fill);
        drawNumber(cell, fill, "OOM");
    }

    void mark(std::size_t point, const Rect& rect, std::size_t row)
    {
        m_marks.push_back({point, rect, row});
    }
    void markAround(std::size_t point, double x, double y, std::size_t row)
    {
        constexpr double kReach = 7;
        mark(point, {x - kReach, y - kReach, 2 * kReach, 2 * kReach}, row);
    }
    using LinePoints = std::vector<ChartValue>; // the points of one line

    // The grid of cells of a map: position, size of a cell, and number of cells.
    struct Cells
    {
        double left = 0, top = 0, width = 0, height = 0;
        std::size_t columns = 0, rows = 0;

        Rect at(std::size_t column, std::size_t row) const
        {
            return {left + width * static_cast<double>(column) + 0.5,
                    top + height * static_cast<double>(row) + 0.5, width - 1, height - 1};
        }
    };

    std::optional<Amount> interval(std::size_t point) const // nullopt if y has none
    {
        const auto of = shownAmount(m_data, m_chart.y, point);
        return of && of->spread == Spread::Interval ? of : std::nullopt;
    }

    // Returns a scale on which all values and their intervals have space.
    ChartScale valueScale(const std::vector<ChartValue>& all, bool fromZero) const
    {
        std::vector<double> ys;
        if (fromZero)
            ys.push_back(0);
        for (const ChartValue& value : all) {
            ys.push_back(value.y);
            if (const auto of = interval(value.point))
                ys.insert(ys.end(), {of->least, of->most});
        }
        return scaleOf(ys, m_canvas.bottom(), kPlotTop + 10);
    }

    void drawInterval(std::size_t point, double x, const ChartScale& y, Colour colour)
    {
        constexpr double kCap = 3.5, kWidth = 1;
        const auto of = interval(point);
        if (!of)
            return;
        m_canvas.line({x, y(of->least)}, {x, y(of->most)}, kWidth, colour);
        m_canvas.keepFree({x - kCap, y(of->most), 2 * kCap, y(of->least) - y(of->most)});
        for (const double end : {of->least, of->most})
            m_canvas.line({x - kCap, y(end)}, {x + kCap, y(end)}, kWidth, colour);
    }

    // Marks the points without a value at the foot of the plot, so that none looks forgotten: an
    // open square if the point does not fit in memory, otherwise a cross. The caption lists those
    // that have no place, because their x is unknown.
    void drawMissing(const std::function<double(std::size_t point)>& place)
    {
        constexpr double kArm = 3, kWidth = 1.5;
        std::vector<std::size_t> missing, unplaced;
        for (std::size_t i = 0; i < m_y.size(); ++i) {
            const bool hasX = m_x.empty() || m_x[i];
            if (isShown(i) && m_data.results[i].isDone && (!m_y[i] || !hasX))
                (hasX ? missing : unplaced).push_back(i);
        }
        const double y = m_canvas.bottom() - kArm - 2;
        for (const std::size_t point : missing) {
            const std::size_t series = indexOf(point, m_chart.series);
            const double x = place(point);
            const Colour colour = m_looks[series].colour;
            for (const double way : {-kArm, kArm})
                if (m_data.isTooLarge(point)) {
                    m_canvas.line({x - kArm, y + way}, {x + kArm, y + way}, kWidth, colour);
                    m_canvas.line({x + way, y - kArm}, {x + way, y + kArm}, kWidth, colour);
                } else {
                    m_canvas.line({x - kArm, y - way}, {x + kArm, y + way}, kWidth, colour);
                }
            markAround(point, x, y, series);
        }
        const std::string marks = missing.empty() ? "" : marksText(missing, "\u25a1", "\u00d7");
        const std::string text
            = marks + (marks.empty() || unplaced.empty() ? "" : "; ") + unplacedText(unplaced);
        if (!text.empty())
            m_canvas.text(m_canvas.right(), kPlotTop, text, Text::Anchor::End);
    }

    // "no peak memory: BitPipe at 4, BitPipe at 8", or the number of points if that is too long
    std::string unplacedText(const std::vector<std::size_t>& points) const
    {
        if (points.empty())
            return "";
        const std::string metric = asWord(columnTitle(m_data, m_chart.x));
        std::vector<std::string> names;
        for (const std::size_t point : points)
            names.push_back(m_series[indexOf(point, m_chart.series)] + " at "
                            + valueTitle(m_chart.along, m_data.valueOf(point, m_chart.along)));
        const std::string text = fmt::format("no {}: {}", metric, fmt::join(names, ", "));
        return textWidth(text) < 0.6 * (m_canvas.right() - kPlotLeft)
            ? text
            : fmt::format("{} points without {}", points.size(), metric);
    }

    void drawLines()
    {
        const std::vector<ChartValue> all = values();
        const bool isCurve = !m_x.empty(); // over a metric, along an axis
        const StudyAxis& axis = *m_data.study.axis(isCurve ? m_chart.along : m_chart.x);
        const auto& names = axis.values;
        const bool isDoubled = !isCurve && doubles(m_chart.x);
        const bool numbers = isCurve || (hasNumbers(m_chart.x) && !isDoubled);
        std::vector<double> xs;
        for (const std::string& name : names)
            xs.push_back(axisNumber(name).value_or(0));
        if (isCurve) {
            xs.clear();
            for (const ChartValue& value : all)
                xs.push_back(value.x);
        }
        const ChartScale y = valueScale(all, false);
        m_canvas.drawValueAxis(y, columnTitle(m_data, m_chart.y));
        const double width = (m_canvas.right() - kPlotLeft) / static_cast<double>(names.size());
        const ChartScale number = numbers ? scaleOf(xs, kPlotLeft, m_canvas.right()) : ChartScale();
        if (numbers)
            m_canvas.drawNumberAxis(
                number, isCurve ? columnTitle(m_data, m_chart.x) : optionTitle(m_chart.x));
        else
            m_canvas.drawNames(titles(m_chart.x),
                               optionTitle(m_chart.x) + (isDoubled ? ", each step doubles" : ""));
        const auto place = [&](std::size_t point) {
            if (isCurve)
                return number(*m_x[point]);
            const std::size_t index = indexOf(point, m_chart.x);
            return numbers ? number(xs[index])
                           : kPlotLeft + width * (static_cast<double>(index) + 0.5);
        };
        std::vector<LinePoints> lines(m_series.size());
        for (const ChartValue& value : all)
            lines[indexOf(value.point, m_chart.series)].push_back(
                {value.point, place(value.point), y(value.y)});
        for (std::size_t series = 0; series < lines.size(); ++series) {
            const SeriesLook& look = m_looks[series];
            LinePoints& line = lines[series];
            std::ranges::stable_sort(line, {}, [&](const ChartValue& at) {
                return isCurve ? static_cast<double>(indexOf(at.point, m_chart.along)) : at.x;
            });
            for (std::size_t i = 1; i < line.size(); ++i)
                m_canvas.line({line[i - 1].x, line[i - 1].y}, {line[i].x, line[i].y}, look.width,
                              look.colour, look.isDashed);
            for (const ChartValue& at : line) {
                drawInterval(at.point, at.x, y, look.colour);
                m_canvas.marker(look, at.x, at.y);
                markAround(at.point, at.x, at.y, series);
            }
        }
        drawMissing([&](std::size_t point) { // side by side, not one on the other
            const double series = indexOf(point, m_chart.series);
            return place(point) + 7 * (series - static_cast<double>(m_series.size() - 1) / 2);
        });
        nameLines(lines);
    }

    // Names each line at the right of the plot. If a line ends before the right edge, its name is
    // next to its rightmost point.
    void nameLines(const std::vector<LinePoints>& lines)
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
            const ChartValue& end = *std::ranges::max_element(lines[series], {}, &ChartValue::x);
            const auto isFree = [&](double steps) {
                return m_canvas.label(end.x, end.y + steps * kAway, m_series[series],
                                      {m_looks[series].text});
            };
            if (end.x > last - 1
                || std::ranges::none_of(std::array{0., 1., -1., 2., -2., 3., -3.}, isFree))
                ends.emplace_back(end.y, series);
        }
        m_canvas.drawLabels(std::move(ends), m_series, m_looks, ChartCanvas::Sample::Line);
    }

    void drawBars()
    {
        const std::vector<ChartValue> all = values();
        const ChartScale y = valueScale(all, true);
        m_canvas.drawValueAxis(y, columnTitle(m_data, m_chart.y));
        const auto names = titles(m_chart.x);
        m_canvas.drawNames(names, optionTitle(m_chart.x));
        const double group = (m_canvas.right() - kPlotLeft) / static_cast<double>(names.size());
        // If the chart uses the same axis as x and as series, each value has only one bar, which is
        // named on the x axis.
        const bool isOneAxis = m_chart.x == m_chart.series;
        const double bar = 0.8 * group / static_cast<double>(isOneAxis ? 1 : m_series.size());
        const auto seriesOf
            = [&](std::size_t point) { return isOneAxis ? 0 : indexOf(point, m_chart.series); };
        const auto leftOf = [&](std::size_t point) {
            return kPlotLeft + group * (static_cast<double>(indexOf(point, m_chart.x)) + 0.1)
                + bar * static_cast<double>(seriesOf(point));
        };
        drawMissing([&](std::size_t point) { return leftOf(point) + 0.46 * bar; });
        for (const ChartValue& value : all) {
            const std::size_t series = seriesOf(value.point);
            const double left = leftOf(value.point);
            const Rect rect{left, y(value.y), 0.92 * bar, y(0) - y(value.y)};
            if (isOneAxis)
                m_canvas.box(rect, m_style.ink);
            else
                m_canvas.box(rect, m_looks[series].colour, m_looks[series].hatch);
            drawInterval(value.point, left + rect.width / 2, y, m_style.text);
            mark(value.point, rect, series);
        }
        if (isOneAxis)
            return;
        std::vector<std::pair<double, std::size_t>> labels;
        for (std::size_t series = 0; series < m_series.size(); ++series)
            labels.emplace_back(kPlotTop + 20, series);
        m_canvas.drawLabels(std::move(labels), m_series, m_looks, ChartCanvas::Sample::Box);
    }

    // Shades the part of the plot where x exceeds `limit`, the memory of a device.
    void drawLimit(const ChartScale& x, double limit)
    {
        if (limit >= x.most)
            return;
        const double at = x(limit), top = kPlotTop + 10;
        m_canvas.box({at, top, m_canvas.right() - at, m_canvas.bottom() - top}, m_style.shade);
        m_canvas.line({at, top}, {at, m_canvas.bottom()}, 1, m_style.text, true);
        const std::string label = fmt::format(
            "over {} GiB usable", metricNumber(metricName(StudyMetric::PeakBytes), limit));
        m_canvas.text(at + 5, top + kChartText, label);
        m_canvas.keepFree({at + 5, top, textWidth(label), kChartText + 2});
    }

    void drawPareto()
    {
        std::vector<ChartValue> all = values();
        m_canvas.setRightMargin(28); // narrow, because labels are next to the points
        std::vector<double> xs, ys;
        for (const ChartValue& value : all) {
            xs.push_back(value.x);
            ys.push_back(value.y);
        }
        const double pad = 0.05 * (m_canvas.right() - kPlotLeft); // keeps points away from the axis
        const ChartScale x = scaleOf(xs, kPlotLeft + pad, m_canvas.right()),
                         y = scaleOf(ys, m_canvas.bottom(), kPlotTop + 10);
        if (const auto limit = memoryLimit();
            limit && m_chart.x == metricName(StudyMetric::PeakBytes))
            drawLimit(x, *limit);
        m_canvas.drawValueAxis(y, columnTitle(m_data, m_chart.y));
        m_canvas.drawNumberAxis(x, columnTitle(m_data, m_chart.x));
        const double towardsX = lessIsBetter(m_data.study, m_chart.x) ? 1 : -1;
        const double towardsY = lessIsBetter(m_data.study, m_chart.y) ? 1 : -1;
        std::ranges::stable_sort(all, {}, [&](const ChartValue& value) {
            return std::pair(towardsX * value.x, towardsY * value.y);
        });
        double best = 1e300;
        std::vector<ParetoPoint> points;
        for (const ChartValue& value : all) {
            const bool isOnFront = towardsY * value.y < best;
            const std::size_t series = indexOf(value.point, m_chart.series);
            best = std::min(best, towardsY * value.y);
            points.push_back({.point = value.point,
                              .row = series,
                              .x = value.x,
                              .y = value.y,
                              .isOnFront = isOnFront,
                              .label = m_series[series],
                              .isBold = isOnFront});
        }
        m_canvas.text(m_canvas.right(), kPlotTop, notDrawnText(), Text::Anchor::End);
        m_marks = profiler::drawPareto(m_canvas, std::move(points), x, y, FrontEnds::AtPoints);
    }

    // "not drawn: 2 out of memory, 1 without peak memory"
    std::string notDrawnText() const
    {
        std::map<std::string, int> reasons;
        for (std::size_t i = 0; i < m_y.size(); ++i)
            if (isShown(i) && m_data.results[i].isDone && (!m_y[i] || !m_x[i]))
                ++reasons[m_data.isTooLarge(i)                   ? "out of memory"
                              : !m_data.results[i].error.empty() ? "not possible"
                                                                 : "without "
                                  + asWord(columnTitle(m_data, m_x[i] ? m_chart.y : m_chart.x))];
        std::string text;
        for (const auto& [reason, count] : reasons)
            text += fmt::format("{}{} {}", text.empty() ? "not drawn: " : ", ", count, reason);
        return text;
    }

    // Returns the colour of a cell of a heat map. `share` is 0 for the least value and 1 for the
    // greatest one. The square root makes differences of small values visible.
    Colour heatColour(double share) const
    {
        return mix(m_style.low, m_style.high, std::sqrt(share));
    }

    std::string textOf(double value) const { return fixedNumber(value, m_decimals); }

    // Draws the colour bar: `least` is at its bottom and `most` at its top. Returns its lower end.
    double drawColourBar(const Cells& cells, double least, double most)
    {
        constexpr int kSteps = 32;
        const double x = cells.left + cells.width * static_cast<double>(cells.columns) + kBarGap;
        const double height = std::max(cells.height * static_cast<double>(cells.rows), kLeastBar);
        const double step = height / kSteps;
        for (int i = 0; i < kSteps; ++i)
            m_canvas.box({x, cells.top + step * i, kBarWidth, step + (i + 1 < kSteps ? 0.5 : 0)},
                         heatColour(most > least ? 1 - static_cast<double>(i) / (kSteps - 1) : 0));
        const double text = x + kBarWidth + 5;
        m_canvas.text(text, cells.top + kChartText - 2, textOf(most));
        if (most > least)
            m_canvas.text(text, cells.top + height - 1, textOf(least));
        return cells.top + height;
    }

    // Lays out the cells, with the names of rows at their left and the names of columns above them.
    // `below` and `right` are the widths of the free margins below and to the right of the cells,
    // in points.
    Cells layCells(const std::vector<std::string>& rows, double below, double right) const
    {
        Cells cells;
        cells.columns = m_data.study.axis(m_chart.x)->values.size();
        cells.rows = rows.size();
        double names = textWidth(optionTitle(m_chart.x));
        for (const std::string& row : rows)
            names = std::max(names, textWidth(row));
        cells.left = std::min(names, m_style.width / 3) + 16;
        cells.top = kPlotTop + kColumnNames;
        cells.width = std::min(
            kWidestCell, (m_style.width - cells.left - right) / static_cast<double>(cells.columns));
        const double high = (m_style.height - cells.top - below) / static_cast<double>(cells.rows);
        cells.height = m_style.fillsHeight ? std::clamp(high, kLowestRow, kHighestRow) : kRowHeight;
        return cells;
    }

    void nameCells(const Cells& cells, const std::vector<std::string>& rows)
    {
        m_canvas.drawColumnNames(titles(m_chart.x), cells.left, cells.width, cells.top - 8);
        for (std::size_t row = 0; row < cells.rows; ++row) {
            const Rect first = cells.at(0, row);
            m_canvas.text(cells.left - 8, first.y + first.height / 2 + kChartText / 3, rows[row],
                          Text::Anchor::End, {m_style.ink});
        }
    }

    void drawCell(const Rect& cell, Colour fill, const std::string& text, bool isBest)
    {
        isBest ? m_canvas.frame(cell, fill) : m_canvas.box(cell, fill);
        drawNumber(cell, fill, text);
    }

    void drawNumber(const Rect& cell, Colour fill, const std::string& text, bool isBold = false)
    {
        if (textWidth(text) > cell.width)
            return;
        constexpr Colour kWhite{255, 255, 255}, kBlack{14, 17, 22};
        m_canvas.text(cell.x + cell.width / 2, cell.y + cell.height / 2 + kChartText / 3, text,
                      Text::Anchor::Middle,
                      {contrast(fill, kWhite) > contrast(fill, kBlack) ? kWhite : kBlack, isBold});
    }

    void drawHeatMap()
    {
        const std::vector<ChartValue> all = values();
        const bool hasBar = !all.empty();
        const double least = hasBar ? std::ranges::min(all, {}, &ChartValue::y).y : 0,
                     most = hasBar ? std::ranges::max(all, {}, &ChartValue::y).y : 0;
        const double labels
            = !hasBar ? 0 : std::max(textWidth(textOf(least)), textWidth(textOf(most)));
        const Cells cells
            = layCells(m_series, kCaption + 4, hasBar ? kBarGap + kBarWidth + 5 + labels + 2 : 12);
        m_canvas.text(cells.left - 8, kPlotTop + 10, optionTitle(m_chart.x), Text::Anchor::End);
        nameCells(cells, m_series);
        const double towards = lessIsBetter(m_data.study, m_chart.y) ? 1 : -1;
        std::vector<double> best(cells.columns,
                                 1e300); // best value of each column, times `towards`
        for (const ChartValue& value : all) {
            double& of = best[indexOf(value.point, m_chart.x)];
            of = std::min(of, towards * value.y);
        }
        std::vector<std::size_t> unknown;
        for (std::size_t i = 0; i < m_data.points.size(); ++i) {
            if (!isShown(i))
                continue;
            const std::size_t column = indexOf(i, m_chart.x), row = indexOf(i, m_chart.series);
            const Rect cell = cells.at(column, row);
            mark(i, cell, row);
            if (!m_y[i] && !m_data.results[i].isDone) {
                m_canvas.box(cell, mix(m_style.ground, m_style.grid, 0.5));
            } else if (!m_y[i]) {
                drawNoValue(cell, m_data.isTooLarge(i));
                unknown.push_back(i);
            } else {
                const double share = most > least ? (*m_y[i] - least) / (most - least) : 0;
                drawCell(cell, heatColour(share), textOf(*m_y[i]),
                         cells.rows > 1 && towards * *m_y[i] <= best[column]);
            }
        }
        m_height = cells.top + cells.height * static_cast<double>(cells.rows) + kCaption;
        if (hasBar)
            m_height = std::max(m_height, drawColourBar(cells, least, most) + kCaption);
        drawCaption(cells.left,
                    {columnTitle(m_data, m_chart.y),
                     cells.rows > 1 ? "framed: the best of a column" : "", valuesText(unknown)});
    }

    // The best point of a cell of a phase map, and how many times its value the second best has
    // (0: there is none).
    struct Win
    {
        std::optional<ChartValue> best;
        double second = 0;            // value
        std::vector<std::size_t> all; // points of the cell

        double lead(double towards) const
        {
            if (!best || second == 0 || best->y == 0)
                return 0;
            return towards > 0 ? second / best->y : best->y / second;
        }
    };

    std::vector<Win> winsOf(const Cells& cells, double towards) const
    {
        std::vector<Win> wins(cells.columns * cells.rows);
        const auto cellOf = [&](std::size_t point) {
            return indexOf(point, m_chart.rows) * cells.columns + indexOf(point, m_chart.x);
        };
        for (std::size_t i = 0; i < m_data.points.size(); ++i)
            if (isShown(i))
                wins[cellOf(i)].all.push_back(i);
        for (const ChartValue& value : values()) {
            Win& cell = wins[cellOf(value.point)];
            const bool isBest = !cell.best || towards * value.y < towards * cell.best->y;
            const double other = !cell.best ? 0 : isBest ? cell.best->y : value.y;
            if (cell.best && (cell.second == 0 || towards * other < towards * cell.second))
                cell.second = other;
            if (isBest)
                cell.best = value;
        }
        return wins;
    }

    // Draws a map with the name of the best series in each cell: darker, the larger its lead over
    // the second. Thick lines separate cells of different winners.
    void drawPhaseMap()
    {
        const std::vector<std::string> rows = titles(m_chart.rows);
        const double towards = lessIsBetter(m_data.study, m_chart.y) ? 1 : -1;
        const Cells cells = layPhases(rows);
        const std::vector<Win> wins = winsOf(cells, towards);
        double most = 1, greatest = 0;
        for (const Win& win : wins) {
            most = std::max(most, win.lead(towards));
            greatest = std::max(greatest, win.best ? win.best->y : 0);
        }
        if (greatest < 1000) // a cell has room for a decimal, which separates winners
            m_decimals = std::max(1, m_decimals);
        std::vector<std::size_t> unknown;
        for (std::size_t i = 0; i < wins.size(); ++i) {
            const Win& win = wins[i];
            const Rect cell = cells.at(i % cells.columns, i / cells.columns);
            if (win.all.empty())
                continue;
            mark(win.best ? win.best->point : win.all.front(), cell, i / cells.columns);
            if (!win.best && m_data.results[win.all.front()].isDone) {
                drawNoValue(cell, std::ranges::all_of(win.all, [this](std::size_t point) {
                                return m_data.isTooLarge(point);
                            }));
                unknown.insert(unknown.end(), win.all.begin(), win.all.end());
            } else if (win.best) {
                const double lead = win.lead(towards);
                drawWin(cell, *win.best, lead,
                        heatColour(most > 1 ? std::max(0.0, lead - 1) / (most - 1) : 0));
            }
        }
        drawBorders(cells, wins);
        m_canvas.text(cells.left - 8, cells.top - 8, optionTitle(m_chart.rows), Text::Anchor::End);
        m_canvas.text(cells.left + cells.width * static_cast<double>(cells.columns) / 2, kPlotTop,
                      optionTitle(m_chart.x), Text::Anchor::Middle);
        nameCells(cells, rows);
        m_height = cells.top + cells.height * static_cast<double>(cells.rows) + kCaption;
        drawCaption(
            cells.left,
            {bestTitle(), "shade and \u00d7: the lead over the second", valuesText(unknown)});
    }

    Cells layPhases(const std::vector<std::string>& rows) const
    {
        constexpr double kWidest = 150, kLowest = 32, kHighest = 76, kAxisTitle = 16;
        Cells cells = layCells(rows, kCaption + 4, 12);
        cells.left = std::max(cells.left, textWidth(optionTitle(m_chart.rows)) + 16);
        cells.top += kAxisTitle;
        cells.width = std::min(
            kWidest, (m_style.width - cells.left - 12) / static_cast<double>(cells.columns));
        const double high
            = (m_style.height - cells.top - kCaption - 4) / static_cast<double>(cells.rows);
        cells.height = m_style.fillsHeight ? std::clamp(high, kLowest, kHighest) : kLowest;
        return cells;
    }

    // Writes the name of the winner and below it its value and its lead, as far as they fit.
    void drawWin(const Rect& cell, const ChartValue& best, double lead, Colour fill)
    {
        constexpr double kLine = kChartText + 4, kPadding = 6;
        m_canvas.box(cell, fill);
        const std::string value = textOf(best.y);
        const std::string brief = lead > 0 ? fmt::format("{}, {:.2f} \u00d7", value, lead) : value;
        const std::string all = lead > 0 ? brief + " to second" : value;
        const auto fits
            = [&](const std::string& text) { return textWidth(text) + kPadding <= cell.width; };
        const std::string& name = m_series[indexOf(best.point, m_chart.series)];
        const Rect upper{cell.x, cell.y + cell.height / 2 - kLine, cell.width, kLine};
        const Rect lower{cell.x, upper.y + kLine, cell.width, kLine};
        drawNumber(upper, fill, shortenedTitle(name, cell.width - kPadding), true);
        drawNumber(lower, fill, fits(all) ? all : fits(brief) ? brief : value);
    }

    void drawBorders(const Cells& cells, const std::vector<Win>& wins)
    {
        constexpr double kBorder = 1.5;
        const auto winner = [&](std::size_t i) {
            return wins[i].best ? indexOf(wins[i].best->point, m_chart.series) : m_series.size();
        };
        for (std::size_t i = 0; i < wins.size(); ++i) {
            const std::size_t row = i / cells.columns, column = i % cells.columns;
            const Rect cell = cells.at(column, row);
            if (column > 0 && winner(i) != winner(i - 1))
                m_canvas.line({cell.x, cell.y}, {cell.x, cell.y + cell.height}, kBorder,
                              m_style.ink);
            if (row > 0 && winner(i) != winner(i - cells.columns))
                m_canvas.line({cell.x, cell.y}, {cell.x + cell.width, cell.y}, kBorder,
                              m_style.ink);
        }
    }

    std::string bestTitle() const // "Iteration of the best scheme, units"
    {
        const std::string metric = columnTitle(m_data, m_chart.y);
        const std::size_t unit = std::min(metric.find(','), metric.size());
        return fmt::format("{} of the best {}{}", metric.substr(0, unit),
                           optionWord(m_chart.series), metric.substr(unit));
    }
    std::string valuesText(const std::vector<std::size_t>& unknown) const
    {
        return unknown.empty() ? "" : marksText(unknown, "OOM:", "hatched:");
    }

    // Writes the parts of the caption below a map, on as many lines as they need.
    void drawCaption(double left, const std::vector<std::string>& parts)
    {
        std::string line;
        const auto write = [&] {
            const double free = std::max(0.0, m_style.width - textWidth(line));
            m_canvas.text(std::min(free, left), m_height - 6, line);
        };
        for (const std::string& part : parts) {
            if (part.empty())
                continue;
            const std::string longer = line.empty() ? part : line + "; " + part;
            if (!line.empty() && left + textWidth(longer) > m_style.width) {
                write();
                m_height += kChartText + 3;
                line = part;
            } else {
                line = longer;
            }
        }
        write();
    }

    // Draws why there is nothing to draw; returns whether that is so.
    bool drawNothing()
    {
        const auto isOpen = [](const StudyResult& result) { return !result.isDone; };
        const auto& results = m_data.results;
        if (!values().empty() || (isMap(m_chart) && !std::ranges::all_of(results, isOpen)))
            return false;
        std::string reason = "No point of this chart is possible";
        for (std::size_t i = results.size(); i-- > 0;)
            if (isShown(i))
                reason = isOpen(results[i]) ? "No results yet"
                                            : "No point of this chart has a value: "
                        + (m_data.whyUnknown(i).empty() ? "its metric is unknown"
                                                        : m_data.whyUnknown(i));
        m_height = m_style.fillsHeight ? m_style.height : 40;
        m_canvas.text(kPlotLeft, 24, reason);
        return true;
    }

    const StudyData& m_data;
    const StudyChart& m_chart;
    const ChartStyle& m_style;
    Column m_y, m_x;                   // in the units in which they are shown
    std::vector<std::string> m_series; // titles
    ChartCanvas m_canvas;
    double m_height;
    std::vector<SceneMark> m_marks;
    std::vector<SeriesLook> m_looks; // by series
    int m_decimals = 0;              // decimals of all numbers of a map
};

} // namespace

engine::Result<Scene> drawPrintedChart(const StudyData& data, const StudyChart& chart,
                                       const PrintSize& size)
{
    constexpr double kAspect = 0.62;              // height over width
    const double by = size.fontSize / kChartText; // a chart has one size of texts
    ChartStyle style;
    style.width = size.width / by;
    style.height
        = size.height > 0 ? size.height / by : std::min(style.height, kAspect * style.width);
    style.fillsHeight = size.height > 0;
    Scene scene = TRY(drawChart(data, chart, style)).scene;
    transform(scene, by, 0, 0);
    scene.description = answersText(data);
    return scene;
}

engine::Result<MarkedScene> drawChart(const StudyData& data, const StudyChart& chart,
                                      const ChartStyle& style)
{
    const auto reduced = reducedData(data, namedAxes(chart), chart.bestOver, chart.y);
    const StudyData& shown = reduced ? *reduced : data;
    auto y = TRY(shownColumn(shown, chart.y));
    ChartDrawing::Column x;
    if (chart.kind == StudyChart::Kind::Pareto || !chart.along.empty())
        x = TRY(shownColumn(shown, chart.x));
    MarkedScene drawn = ChartDrawing(shown, chart, style, std::move(y), std::move(x)).draw();
    for (SceneMark& mark : drawn.marks)
        mark.point = reduced ? shown.points[mark.point].source : mark.point;
    return drawn;
}

} // namespace profiler
