#pragma once

#include "profiler/study/chart_points.h"
#include "profiler/study/chart_sheet.h"

namespace profiler {

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

} // namespace profiler
