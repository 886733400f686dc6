#pragma once

#include "profiler/figure/palette.h"
#include "profiler/figure/scene.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profiler {

// Size and colours of a chart. The defaults are those of reports and figures, on white paper.
struct ChartStyle
{
    double width = 720, height = 320; // points
    // Whether the rows of a map share `height`. Otherwise each row is 22 points high.
    bool fillsHeight = false;
    Colour ground{255, 255, 255}, ink{29, 35, 43}, text{74, 84, 98}, grid{228, 232, 237};
    Colour shade{243, 244, 246}; // background of values over the memory of a device
    Colour alert{176, 42, 36};   // amounts above a limit
    // The colours of the least and of the greatest value in a heat map.
    Colour low{238, 241, 246}, high{43, 52, 66};

    friend bool operator==(const ChartStyle&, const ChartStyle&) = default;
};

struct SeriesLook
{
    // Both contrast with the background; the contrast of `text` is sufficient for letters.
    Colour colour, text;
    double width = 1.5; // width of the line
    bool isDashed = false;
    std::size_t marker = 0; // shape of the marker
    // Hatch over boxes; set if another series has the same colour.
    HatchLines hatch = HatchLines::None;

    friend bool operator==(const SeriesLook&, const SeriesLook&) = default;
};
constexpr std::size_t kSeriesMarkers = 8;

// Returns a look for each value of the axis `key`; no two looks are equal. BitPipe, and the schemes
// that it is usually compared with, have the same look in all studies. Other values get the
// remaining colours.
std::vector<SeriesLook> seriesLooks(std::string_view key, const std::vector<std::string>& values,
                                    const ChartStyle& style);

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

struct BarPart
{
    std::string name;
    Colour fill;
    double value = 0;      // in the unit of the chart
    bool isBubble = false; // hatched
};
struct BarRow
{
    std::size_t run = 0; // the point of its mark
    std::string title;
    std::vector<BarPart> parts; // from the left
    bool isApart = false;       // a line above separates the run from the others

    double total() const;
};
struct BarTexts
{
    std::string title, unit;
    int decimals = 1;
    std::function<std::string(double value, int decimals)> number;
};
// Draws one bar per run, with the values of its parts where they fit.
MarkedScene drawBars(const BarTexts& texts, const std::vector<BarRow>& rows,
                     const ChartStyle& style, const Palette& palette);

// Shortens the title of a run to a width, but not the "#3" at its end, which distinguishes runs.
std::string shortenedTitle(std::string_view title, double width);

// A point of a chart of two numbers, in the units of its axes.
struct ParetoPoint
{
    std::size_t point = 0, row = 0; // of its mark
    double x = 0, y = 0;            // a y beyond the axis is drawn at its end, with a marker
    double least = 0, most = 0;     // the 95 % interval of y; equal: none
    bool isOnFront = false, isSquare = false;
    std::string label = {};
    bool isBold = false;               // bold labels are placed first, then those of the front
    std::optional<bool> isFilled = {}; // nullopt: if it is on the front
};
enum class FrontEnds : std::uint8_t { AtPoints, AtEdges };

// Draws the points with their labels, and the front as steps through its points in their order. The
// ends of the front are its points, or the top and the right edge of the plot.
std::vector<SceneMark> drawPareto(ChartCanvas& canvas, std::vector<ParetoPoint> points,
                                  const ChartScale& x, const ChartScale& y, FrontEnds ends);

struct WaterfallBar
{
    std::string name{}, value{}; // below and above the bar; `name` may have two lines
    double size = 0;
    Colour fill{};
    // Whether it starts at zero and not where the bar before it ends.
    bool isTotal = false;
    bool isHatched = false;
    std::optional<std::size_t> point{}; // of its mark; nullopt: it cannot be chosen
};
// Draws bars from left to right, each of which starts where the one before it ends.
MarkedScene drawWaterfall(const std::vector<WaterfallBar>& bars, const ChartStyle& style);

// A run of a history, in the unit of the chart.
struct HistoryMark
{
    std::string name;                      // below the axis
    double value = 0, least = 0, most = 0; // with its interval; equal: none
    // Whether a line connects it with the mark before, because their conditions are the same.
    bool continues = false;
    bool isChanged = false; // whether its change is distinguishable
};
// Draws a number of many runs from left to right. Each is the point of its mark.
MarkedScene drawHistory(const std::vector<HistoryMark>& runs, const std::string& title,
                        const ChartStyle& style = {});

} // namespace profiler
