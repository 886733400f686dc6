#pragma once

#include "profiler/figure/scene.h"
#include "profiler/study/chart_points.h"
#include "profiler/study/chart_sheet.h"
#include "profiler/study/chart_style.h"
#include "profiler/study/study.h"

namespace profiler {

// Draws the points of a chart as a heat map or a phase map.
class ChartMap
{
public:
    ChartMap(const ChartPoints& of, const ChartStyle& style, ChartSheet& sheet)
        : m_of(of)
        , m_style(style)
        , m_sheet(sheet)
        , m_canvas(sheet.canvas)
        , m_looks(seriesLooks(of.chart.series, of.study.axis(of.chart.series)->values, style))
    { }

    void draw();

private:
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
    Cells layCells(const std::vector<std::string>& rows, double below, double right) const;
    void drawCell(const Rect& cell, Colour fill, const std::string& text, bool isBest);
    void drawNumber(const Rect& cell, Colour fill, const std::string& text);
    void drawWin(const Rect& cell, std::size_t series, const std::string& text);
    void drawHeatMap();
    void drawPhaseMap();
    std::string phaseCaption() const;
    void drawWinners(const std::vector<bool>& wins, const std::vector<std::size_t>& hatched,
                     double x);
    std::string textOf(double value) const; // formats a value of the shown metric
    Colour heatColour(double share) const;
    Colour winnerColour(std::size_t series) const;
    double drawColourBar(const Cells& cells, double least, double most);

    const ChartPoints& m_of;
    const ChartStyle& m_style;
    ChartSheet& m_sheet;
    ChartCanvas& m_canvas;
    std::vector<SeriesLook> m_looks; // by series
    int m_decimals = 0;              // decimals of all numbers of the map
};

// Draws the points of a chart as lines, bars or a Pareto front.
class ChartPlot
{
public:
    ChartPlot(const ChartPoints& of, const ChartStyle& style, ChartSheet& sheet)
        : m_of(of)
        , m_style(style)
        , m_sheet(sheet)
        , m_canvas(sheet.canvas)
        , m_looks(seriesLooks(of.chart.series, of.study.axis(of.chart.series)->values, style))
    { }

    void draw();

private:
    ChartScale valueScale(const std::vector<ChartValue>& all, bool fromZero) const;
    void drawInterval(std::size_t point, double x, const ChartScale& y, Colour colour);
    void drawLines();
    using LinePoints = std::vector<ChartValue>; // the points of one line
    void nameLines(const std::vector<LinePoints>& lines);
    void drawBars();
    void drawPareto();
    // Shades the part of the plot where x exceeds `limit`, the memory of a device.
    void drawLimit(const ChartScale& x, double limit);

    const ChartPoints& m_of;
    const ChartStyle& m_style;
    ChartSheet& m_sheet;
    ChartCanvas& m_canvas;
    std::vector<SeriesLook> m_looks; // by series
};

// Where a point of the study is drawn in a chart.
struct ChartMark
{
    std::size_t point = 0;
    Rect rect;           // area of the cell, the bar or the marker
    std::size_t row = 0; // number of the row or the line to which the mark belongs
};

struct DrawnChart
{
    Scene scene;
    std::vector<ChartMark> marks;
};

// Draws a chart of a study. Points without a value are hatched in maps and left out elsewhere. A
// chart with nothing to draw states why. Fails if the chart names a column that does not exist.
engine::Result<DrawnChart> drawChart(const Study& study, const StudyChart& chart,
                                     const std::vector<StudyPoint>& points,
                                     const std::vector<StudyResult>& results,
                                     const ChartStyle& style = {});

} // namespace profiler
