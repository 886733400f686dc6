#pragma once

#include "profiler/study/chart.h"
#include "profiler/study/chart_canvas.h"

#include <optional>

namespace profiler {

// Lays out one chart; see drawChart().
class ChartPainter
{
public:
    ChartPainter(const Study& study, const StudyChart& chart, const std::vector<StudyPoint>& points,
                 const std::vector<StudyResult>& results, const ChartStyle& style)
        : m_study(study)
        , m_chart(chart)
        , m_points(points)
        , m_results(results)
        , m_style(style)
        , m_canvas(style)
        , m_height(style.height)
    { }

    engine::Result<DrawnChart> draw();

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
    std::size_t indexOf(std::size_t point, std::string_view key) const;
    bool isShown(std::size_t point) const;
    bool hasNumbers(std::string_view key) const;
    std::vector<Value> values() const;
    // The interval of y at a point as (low, high); nullopt if y has none.
    std::optional<std::pair<double, double>> interval(std::size_t point) const;
    ChartScale valueScale(const std::vector<Value>& all, bool fromZero) const;
    void drawInterval(std::size_t point, double x, const ChartScale& y, Colour colour);
    std::vector<std::string> titlesOf(std::string_view key) const;
    void mark(std::size_t point, const Rect& rect, std::size_t row);
    void markAround(std::size_t point, double x, double y, std::size_t row);
    void drawNothing();
    void drawPlot();
    void drawLines();
    void drawBars();
    void drawPareto();
    // Shades values of x over the memory of a device.
    void drawLimit(const ChartScale& x, double limit);
    std::optional<double> memoryLimit() const;

    // The cells of a map: where they begin, their size and their number.
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
    void drawMap();
    void drawHeatMap();
    void drawPhaseMap();
    void drawWinners(const std::vector<bool>& wins, bool hasHatch, double x);
    Colour heatColour(double share) const;
    Colour winnerColour(std::size_t series) const;
    double drawColourBar(const Cells& cells, double least, double most);

    const Study& m_study;
    const StudyChart& m_chart;
    const std::vector<StudyPoint>& m_points;
    const std::vector<StudyResult>& m_results;
    const ChartStyle& m_style;
    std::vector<std::optional<double>> m_y, m_x;
    std::vector<std::string> m_series; // titles
    std::vector<ChartMark> m_marks;
    ChartCanvas m_canvas;
    double m_height;
};

} // namespace profiler
