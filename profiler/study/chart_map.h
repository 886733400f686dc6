#pragma once

#include "profiler/study/chart_points.h"
#include "profiler/study/chart_sheet.h"

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

} // namespace profiler
