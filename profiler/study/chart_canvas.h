#pragma once

#include "profiler/figure/scene.h"
#include "profiler/study/chart_style.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profiler {

constexpr double kChartText = 11;
// Margins of the plot in points.
constexpr double kPlotLeft = 64, kPlotRight = 150, kPlotTop = 14, kPlotBottom = 46;

struct ChartScale
{
    // The data value `least` is drawn at the position `from` and `most` at `to`; both positions are
    // in points.
    double least = 0, most = 1, from = 0, to = 1;
    double step = 1; // distance of two ticks, in data values

    double operator()(double value) const
    {
        return from + (to - from) * (value - least) / (most - least);
    }
};

// Makes a scale that ends on ticks. It includes 0 if the least value is below half of the greatest.
ChartScale scaleOf(const std::vector<double>& values, double from, double to);

double textWidth(std::string_view utf8); // an estimate, for texts of a chart

// Collects the marks of a chart and returns them as one group of a scene.
class ChartCanvas
{
public:
    explicit ChartCanvas(const ChartStyle& style)
        : m_style(style)
    { }
    const ChartStyle& style() const { return m_style; }
    // The edges of the plot in points.
    double right() const { return m_style.width - m_rightMargin; }
    double bottom() const { return m_style.height - kPlotBottom; }
    void setRightMargin(double margin) { m_rightMargin = margin; }

    struct Ink
    {
        Colour colour;
        bool isBold = false;
    };
    void text(double x, double y, std::string label, Text::Anchor anchor, Ink ink);
    void text(double x, double y, std::string label, Text::Anchor anchor = Text::Anchor::Start)
    {
        text(x, y, std::move(label), anchor, {m_style.text});
    }
    using Point = std::pair<double, double>; // x, y
    void line(Point from, Point to, double width, Colour colour, bool isDashed = false);
    void box(Rect rect, Colour fill);
    void box(const Rect& rect, Colour fill, HatchLines lines); // with a hatch over it
    void frame(Rect rect, Colour fill); // a filled box with a thin line inside its edge
    void outlined(Rect rect, Colour fill, bool isHatched); // a box with an edge
    void hatch(Rect rect);                                 // marks a cell without a value
    void marker(const SeriesLook& look, double x, double y);
    void dot(double x, double y, Colour edge, Colour fill);
    // Writes a label at the first free place next to (x, y), between the y axis and the right edge
    // of the chart and below its top edge. Returns false if there is no such place.
    bool label(double x, double y, const std::string& text, Ink ink);
    // Keeps labels out of a rectangle, or away from a line.
    void keepFree(const Rect& rect) { m_taken.push_back(rect); }
    void keepFree(Point from, Point to);

    void drawValueAxis(const ChartScale& scale, const std::string& title);
    void drawNumberAxis(const ChartScale& scale, const std::string& title);
    // Draws names at equal distances below the plot.
    void drawNames(const std::vector<std::string>& names, const std::string& title);
    // Writes the names below columns that begin at `left`, each centred on its column. Names that
    // would overlap are omitted.
    void drawColumnNames(const std::vector<std::string>& names, double left, double width,
                         double baseline);
    enum class Sample : std::uint8_t { Line, Box };
    // Draws the names of series to the right of the plot, each after a sample of the series' look.
    // An element of `ends` has the height (y) at which the line of a series ends, and the number of
    // the series. Names that would overlap are moved apart.
    void drawLabels(std::vector<std::pair<double, std::size_t>> ends,
                    const std::vector<std::string>& names, const std::vector<SeriesLook>& looks,
                    Sample sample);
    // The chart with everything drawn so far, in the size of the style.
    MarkedScene finish(std::vector<SceneMark> marks = {});

private:
    void polygon(std::vector<Point> points, Colour fill);

    const ChartStyle& m_style;
    double m_rightMargin = kPlotRight;
    std::vector<Rect> m_taken; // areas of labels and markers
    Group m_group{"chart", {}};
};

// A chart that states why it has nothing to show.
MarkedScene emptyChart(const ChartStyle& style, std::string reason);

} // namespace profiler
