#include "profiler/study/chart_map.h"

#include "profiler/study/metric_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace profiler {

namespace {
constexpr double kWidestCell = 70, kColumnNames = 18, kCaption = 22;
// Heights of rows in points: kRowHeight in reports; kLowestRow and kHighestRow limit the rows of a
// map that fills its height.
constexpr double kRowHeight = 22, kLowestRow = 18, kHighestRow = 35;
// The colour bar of a heat map, in points: its distance from the cells, its width, and its smallest
// height.
constexpr double kBarGap = 14, kBarWidth = 10, kLeastBar = 3 * kChartText;
} // namespace

// Returns the colour of a cell of a heat map. `share` is 0 for the least value and 1 for the
// greatest one. The square root makes differences of small values visible.
Colour ChartMap::heatColour(double share) const
{
    return mix(m_style.low, m_style.high, std::sqrt(share));
}

// Returns the colour of those cells of a phase map in which a series is the best.
Colour ChartMap::winnerColour(std::size_t series) const
{
    return mix(m_looks[series].colour, m_style.ground, 0.35);
}

std::string ChartMap::textOf(double value) const
{
    return fixedNumber(value, m_decimals);
}

// Draws the colour bar: `least` is at its bottom and `most` at its top. Returns its lower end.
double ChartMap::drawColourBar(const Cells& cells, double least, double most)
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
// `below` and `right` are the widths of the free margins below and to the right of the cells, in
// points.
ChartMap::Cells ChartMap::layCells(const std::vector<std::string>& rows, double below,
                                   double right) const
{
    Cells cells;
    cells.columns = m_of.study.axis(m_of.chart.x)->values.size();
    cells.rows = rows.size();
    double names = textWidth(optionTitle(m_of.chart.x));
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

void ChartMap::drawCell(const Rect& cell, Colour fill, const std::string& text, bool isBest)
{
    isBest ? m_canvas.frame(cell, fill) : m_canvas.box(cell, fill);
    drawNumber(cell, fill, text);
}

void ChartMap::drawNumber(const Rect& cell, Colour fill, const std::string& text)
{
    if (textWidth(text) > cell.width)
        return;
    constexpr Colour kWhite{255, 255, 255}, kBlack{14, 17, 22};
    m_canvas.text(cell.x + cell.width / 2, cell.y + cell.height / 2 + kChartText / 3, text,
                  Text::Anchor::Middle,
                  {contrast(fill, kWhite) > contrast(fill, kBlack) ? kWhite : kBlack});
}

void ChartMap::drawHeatMap()
{
    double least = 1e300, most = -1e300;
    for (const ChartValue& value : m_of.values()) {
        least = std::min(least, value.y);
        most = std::max(most, value.y);
    }
    const bool hasBar = most >= least;
    const double labels = !hasBar ? 0 : std::max(textWidth(textOf(least)), textWidth(textOf(most)));
    const Cells cells
        = layCells(m_of.series, kCaption + 4, hasBar ? kBarGap + kBarWidth + 5 + labels + 2 : 12);
    m_canvas.text(cells.left - 8, kPlotTop + 10, optionTitle(m_of.chart.x), Text::Anchor::End);
    m_canvas.drawColumnNames(m_of.titlesOf(m_of.chart.x), cells.left, cells.width, kPlotTop + 10);
    for (std::size_t row = 0; row < cells.rows; ++row) {
        const Rect first = cells.at(0, row);
        m_canvas.text(cells.left - 8, first.y + first.height / 2 + kChartText / 3, m_of.series[row],
                      Text::Anchor::End, {m_style.ink});
    }
    const double towards = lessIsBetter(m_of.study, m_of.chart.y) ? 1 : -1;
    std::vector<double> best(cells.columns, 1e300); // best value of each column, times `towards`
    for (const ChartValue& value : m_of.values()) {
        double& of = best[m_of.indexOf(value.point, m_of.chart.x)];
        of = std::min(of, towards * value.y);
    }
    std::vector<std::size_t> hatched;
    for (std::size_t i = 0; i < m_of.points.size(); ++i) {
        if (!m_of.isShown(i))
            continue;
        const std::size_t column = m_of.indexOf(i, m_of.chart.x),
                          row = m_of.indexOf(i, m_of.chart.series);
        const Rect cell = cells.at(column, row);
        m_sheet.mark(i, cell, row);
        if (!m_of.y[i] && !m_of.results[i].isDone) {
            m_canvas.box(cell, mix(m_style.ground, m_style.grid, 0.5));
        } else if (!m_of.y[i]) {
            m_canvas.hatch(cell);
            hatched.push_back(i);
        } else {
            const double share = most > least ? (*m_of.y[i] - least) / (most - least) : 0;
            drawCell(cell, heatColour(share), textOf(*m_of.y[i]),
                     cells.rows > 1 && towards * *m_of.y[i] <= best[column]);
        }
    }
    m_sheet.height = cells.top + cells.height * static_cast<double>(cells.rows) + kCaption;
    if (hasBar)
        m_sheet.height = std::max(m_sheet.height, drawColourBar(cells, least, most) + kCaption);
    m_canvas.text(cells.left, m_sheet.height - 6,
                  fmt::format("{}{}{}", columnTitle(m_of.study, m_of.results, m_of.chart.y),
                              cells.rows > 1 ? "; framed: the best of a column" : "",
                              hatched.empty() ? "" : "; hatched: " + m_of.reasonOf(hatched)));
}

void ChartMap::drawPhaseMap()
{
    const std::vector<std::string> rows = m_of.titlesOf(m_of.chart.rows);
    const Cells cells = layCells(rows, kCaption + 4, kPlotRight);
    const double towards = lessIsBetter(m_of.study, m_of.chart.y) ? 1 : -1;
    const auto cellOf = [&](std::size_t point) {
        return m_of.indexOf(point, m_of.chart.rows) * cells.columns
            + m_of.indexOf(point, m_of.chart.x);
    };
    std::vector<std::optional<ChartValue>> best(cells.columns * cells.rows);
    for (const ChartValue& value : m_of.values())
        if (auto& cell = best[cellOf(value.point)]; !cell || towards * value.y < towards * cell->y)
            cell = value;
    std::vector<std::vector<std::size_t>> all(best.size()); // by cell: its points
    for (std::size_t i = 0; i < m_of.points.size(); ++i)
        if (m_of.isShown(i))
            all[cellOf(i)].push_back(i);
    std::vector<bool> wins(m_of.series.size(), false);
    std::vector<std::size_t> hatched;
    for (std::size_t i = 0; i < best.size(); ++i) {
        const std::size_t row = i / cells.columns, column = i % cells.columns;
        const Rect cell = cells.at(column, row);
        if (all[i].empty())
            continue;
        m_sheet.mark(best[i] ? best[i]->point : all[i].front(), cell, row);
        if (!best[i] && m_of.results[all[i].front()].isDone) {
            m_canvas.hatch(cell);
            hatched.insert(hatched.end(), all[i].begin(), all[i].end());
        } else if (best[i]) {
            const std::size_t series = m_of.indexOf(best[i]->point, m_of.chart.series);
            wins[series] = true;
            drawWin(cell, series, textOf(best[i]->y));
        }
    }
    for (std::size_t row = 0; row < cells.rows; ++row) {
        const Rect first = cells.at(0, row);
        m_canvas.text(cells.left - 8, first.y + first.height / 2 + kChartText / 3, rows[row],
                      Text::Anchor::End);
    }
    m_canvas.drawColumnNames(m_of.titlesOf(m_of.chart.x), cells.left, cells.width, kPlotTop + 10);
    m_sheet.height = cells.top + cells.height * static_cast<double>(cells.rows) + kCaption;
    m_canvas.text(cells.left, m_sheet.height - 6, phaseCaption());
    drawWinners(wins, hatched, cells.left + cells.width * static_cast<double>(cells.columns) + 16);
}

void ChartMap::drawWin(const Rect& cell, std::size_t series, const std::string& text)
{
    const Colour fill = winnerColour(series);
    m_canvas.box(cell, fill, m_looks[series].hatch);
    const double width = std::min(textWidth(text) + 4, cell.width);
    if (m_looks[series].hatch != HatchLines::None)
        m_canvas.box({cell.x + (cell.width - width) / 2,
                      cell.y + (cell.height - kChartText - 3) / 2, width, kChartText + 3},
                     fill);
    drawNumber(cell, fill, text);
}

// Returns the caption of a phase map: "Iteration of the best scheme, units; devices down,
// micro-batches across".
std::string ChartMap::phaseCaption() const
{
    const std::string metric = columnTitle(m_of.study, m_of.results, m_of.chart.y);
    const std::size_t unit = std::min(metric.find(','), metric.size());
    return fmt::format("{} of the best {}{}; {} down, {} across", metric.substr(0, unit),
                       optionWord(m_of.chart.series), metric.substr(unit),
                       optionWord(m_of.chart.rows), optionWord(m_of.chart.x));
}

void ChartMap::drawWinners(const std::vector<bool>& wins, const std::vector<std::size_t>& hatched,
                           double x)
{
    double y = kPlotTop + kColumnNames + kChartText;
    const auto entry = [&](const std::string& name) {
        m_canvas.text(x + kChartText + 6, y, name, Text::Anchor::Start, {m_style.ink});
        y += kChartText + 7;
        return Rect{x, y - 2 * kChartText - 6, kChartText, kChartText};
    };
    for (std::size_t series = 0; series < m_of.series.size(); ++series)
        if (wins[series])
            m_canvas.box(entry(m_of.series[series]), winnerColour(series), m_looks[series].hatch);
    if (const std::string reason = m_of.reasonOf(hatched); !hatched.empty()) {
        const std::size_t line = std::min(reason.find(" over"), reason.size());
        m_canvas.hatch(entry(reason.substr(0, line)));
        if (line < reason.size())
            entry(reason.substr(line + 1));
    }
    m_sheet.height = std::max(m_sheet.height, y);
}

void ChartMap::draw()
{
    double greatest = 0;
    for (const ChartValue& value : m_of.values())
        greatest = std::max(greatest, std::abs(value.y));
    m_decimals = metricDecimals(m_of.chart.y, greatest);
    m_of.chart.kind == StudyChart::Kind::HeatMap ? drawHeatMap() : drawPhaseMap();
}

} // namespace profiler
