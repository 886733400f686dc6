#include "profiler/study/chart_canvas.h"

#include "profiler/study/metric_text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace profiler {

namespace {

// Returns the distance of two ticks: 1, 2 or 5 times a power of ten, so that `span` has four to ten
// steps.
double stepOf(double span)
{
    const double power = std::pow(10, std::floor(std::log10(span / 4)));
    for (const double times : {5.0, 2.0})
        if (span / (times * power) >= 4)
            return times * power;
    return power;
}

} // namespace

ChartScale scaleOf(const std::vector<double>& values, double from, double to)
{
    const auto [low, high] = std::ranges::minmax(values);
    const double least = low < 0.5 * high ? std::min(0.0, low) : low;
    // Values that differ by rounding only are equal: no step could divide their range.
    const double noise = 1e-9 * std::max(std::abs(low), std::abs(high));
    const double span = high - least > noise ? high - least : std::max(std::abs(high), 1.0);
    const double step = stepOf(span);
    return {std::floor(least / step) * step, std::ceil((least + span) / step) * step, from, to,
            step};
}

double textWidth(std::string_view utf8)
{
    const auto characters = std::ranges::count_if(utf8, [](char c) { return (c & 0xC0) != 0x80; });
    return 0.56 * kChartText * static_cast<double>(characters);
}

void ChartCanvas::text(double x, double y, std::string label, Text::Anchor anchor, Ink ink)
{
    m_group.shapes.emplace_back(
        Text{x, y, kChartText, std::move(label), ink.colour, anchor, ink.isBold, ""});
}

void ChartCanvas::line(Point from, Point to, double width, Colour colour, bool isDashed)
{
    m_group.shapes.emplace_back(
        Line{from.first, from.second, to.first, to.second, width, colour, isDashed, ""});
}

void ChartCanvas::box(Rect rect, Colour fill)
{
    m_group.shapes.emplace_back(Box{rect, fill, 0, {}, 0, "", "", ""});
}

void ChartCanvas::box(const Rect& rect, Colour fill, HatchLines lines)
{
    box(rect, fill);
    if (lines == HatchLines::None)
        return;
    Hatch over;
    over.rect = rect;
    over.line = m_style.ground;
    over.spacing = 4.5;
    over.width = 1;
    over.lines = lines;
    over.hasGround = false;
    m_group.shapes.emplace_back(std::move(over));
}

void ChartCanvas::frame(Rect rect, Colour fill)
{
    constexpr double kEdge = 1, kInside = 2.5;
    const Rect inner{rect.x + kInside, rect.y + kInside, rect.width - 2 * kInside,
                     rect.height - 2 * kInside};
    const bool isDim = contrast(fill, m_style.ink) < contrast(fill, m_style.ground);
    box(rect, fill);
    m_group.shapes.emplace_back(
        Box{inner, fill, kEdge, isDim ? m_style.ground : m_style.ink, 0, "", "", ""});
}

void ChartCanvas::outlined(Rect rect, Colour fill, bool isHatched)
{
    m_group.shapes.emplace_back(Box{{rect.x + 0.5, rect.y + 0.5, rect.width - 1, rect.height - 1},
                                    fill,
                                    1,
                                    m_style.text,
                                    0,
                                    "",
                                    "",
                                    ""});
    if (isHatched)
        hatch({rect.x + 1, rect.y + 1, rect.width - 2, rect.height - 2});
}

void ChartCanvas::hatch(Rect rect)
{
    Hatch lines;
    lines.rect = rect;
    lines.fill = m_style.ground;
    lines.line = mix(m_style.grid, m_style.text, 0.25);
    lines.spacing = 5;
    lines.width = 0.6;
    m_group.shapes.emplace_back(std::move(lines));
}

void ChartCanvas::polygon(std::vector<Point> points, Colour fill)
{
    m_group.shapes.emplace_back(Polygon{std::move(points), fill, ""});
}

void ChartCanvas::marker(const SeriesLook& look, double x, double y)
{
    struct Shape
    {
        int corners;
        double turn;     // direction of the first corner, in sixteenths of a circle
        double dent = 1; // below 1: a star, whose inner corners are at this share of its radius
    };
    // Circle, square, triangle, diamond, triangle downwards, two stars, pentagon.
    constexpr std::array<Shape, kSeriesMarkers> kShapes{
        {{12, 0}, {4, 2}, {3, 4}, {4, 4}, {3, -4}, {4, 4, 0.4}, {4, 2, 0.4}, {5, 4}}};
    const Shape& shape = kShapes[look.marker];
    const int steps = shape.dent < 1 ? 2 * shape.corners : shape.corners;
    std::vector<Point> points;
    for (int i = 0; i < steps; ++i) {
        const double angle = 2 * M_PI * (static_cast<double>(i) / steps - shape.turn / 16);
        const double radius = shape.dent < 1 ? i % 2 == 0 ? 5 : 5 * shape.dent : 4;
        points.emplace_back(x + radius * std::cos(angle), y + radius * std::sin(angle));
    }
    polygon(std::move(points), look.colour);
}

void ChartCanvas::dot(double x, double y, Colour edge, Colour fill)
{
    constexpr int kSides = 16;
    for (const auto& [radius, colour] : {std::pair(4.2, edge), std::pair(3.0, fill)}) {
        std::vector<Point> points;
        for (int i = 0; i < kSides; ++i) {
            const double angle = 2 * M_PI * i / kSides;
            points.emplace_back(x + radius * std::cos(angle), y + radius * std::sin(angle));
        }
        polygon(std::move(points), colour);
    }
}

bool ChartCanvas::label(double x, double y, const std::string& text, Ink ink)
{
    constexpr double kAway = 11, kHeight = kChartText + 1;
    const double width = textWidth(text);
    const std::array<Point, 6> corners{{{x + kAway, y - kHeight / 2},
                                        {x - kAway - width, y - kHeight / 2},
                                        {x - width / 2, y - kAway - kHeight},
                                        {x - width / 2, y + kAway},
                                        {x + kAway, y - kAway - kHeight},
                                        {x + kAway, y + kAway}}};
    for (const auto& [left, top] : corners) {
        const Rect place{left, top, width, kHeight};
        const auto isCrossed = [&place](const Rect& other) {
            return place.x < other.x + other.width && other.x < place.x + place.width
                && place.y < other.y + other.height && other.y < place.y + place.height;
        };
        if (left < kPlotLeft || left + width > m_style.width || top < 0
            || std::ranges::any_of(m_taken, isCrossed))
            continue;
        m_taken.push_back(place);
        this->text(left, top + kChartText - 1, text, Text::Anchor::Start, ink);
        return true;
    }
    return false;
}

void ChartCanvas::keepFree(Point from, Point to)
{
    constexpr double kPart = 4;
    const double width = to.first - from.first, height = to.second - from.second;
    const double parts = std::ceil(std::max(1.0, std::hypot(width, height) / kPart));
    for (double part = 0; part <= parts; ++part)
        keepFree(Rect{from.first + width * part / parts - 1,
                      from.second + height * part / parts - 1, 2, 2});
}

void ChartCanvas::drawValueAxis(const ChartScale& scale, const std::string& title)
{
    for (double value = scale.least; value <= scale.most + scale.step / 2; value += scale.step) {
        line({kPlotLeft, scale(value)}, {right(), scale(value)}, 0.5, m_style.grid);
        const bool isZero = std::abs(value) < scale.step / 2;
        text(kPlotLeft - 8, scale(value) + kChartText / 3,
             isZero ? "0" : fixedNumber(value, tickDecimals(scale.step)), Text::Anchor::End);
    }
    text(kPlotLeft, kPlotTop - 4, title);
}

void ChartCanvas::drawNumberAxis(const ChartScale& scale, const std::string& title)
{
    const double bottom = this->bottom();
    line({kPlotLeft, bottom}, {right(), bottom}, 0.75, m_style.text);
    for (double value = scale.least; value <= scale.most + scale.step / 2; value += scale.step) {
        line({scale(value), bottom}, {scale(value), bottom + 4}, 0.75, m_style.text);
        text(scale(value), bottom + 17, fixedNumber(value, tickDecimals(scale.step)),
             Text::Anchor::Middle);
    }
    text((kPlotLeft + right()) / 2, bottom + 36, title, Text::Anchor::Middle);
}

void ChartCanvas::drawNames(const std::vector<std::string>& names, const std::string& title)
{
    const double bottom = this->bottom();
    const double width = (right() - kPlotLeft) / static_cast<double>(names.size());
    line({kPlotLeft, bottom}, {right(), bottom}, 0.75, m_style.text);
    drawColumnNames(names, kPlotLeft, width, bottom + 17);
    text((kPlotLeft + right()) / 2, bottom + 36, title, Text::Anchor::Middle);
}

void ChartCanvas::drawColumnNames(const std::vector<std::string>& names, double left, double width,
                                  double baseline)
{
    double longest = 0;
    for (const std::string& name : names)
        longest = std::max(longest, textWidth(name) + 4);
    const auto step = static_cast<std::size_t>(std::max(1.0, std::ceil(longest / width)));
    for (std::size_t i = 0; i < names.size(); i += step)
        text(left + width * (static_cast<double>(i) + 0.5), baseline, names[i],
             Text::Anchor::Middle);
}

void ChartCanvas::drawLabels(std::vector<std::pair<double, std::size_t>> ends,
                             const std::vector<std::string>& names,
                             const std::vector<SeriesLook>& looks, Sample sample)
{
    std::ranges::sort(ends);
    constexpr double kLine = kChartText + 3, kSample = 18;
    double last = -1e9;
    for (auto& [y, series] : ends)
        y = last = std::max(y, last + kLine);
    double lowest = bottom();
    for (auto label = ends.rbegin(); label != ends.rend(); ++label) {
        label->first = std::min(label->first, lowest);
        lowest = label->first - kLine;
    }
    for (const auto& [y, series] : ends) {
        const SeriesLook& look = looks[series];
        const double x = right() + 12;
        if (sample == Sample::Line) {
            line({x, y}, {x + kSample, y}, look.width, look.colour, look.isDashed);
            marker(look, x + kSample / 2, y);
        } else {
            box({x + (kSample - kChartText) / 2, y - kChartText / 2, kChartText, kChartText},
                look.colour, look.hatch);
        }
        text(x + kSample + 5, y + kChartText / 3, names[series], Text::Anchor::Start, {look.text});
    }
}

MarkedScene ChartCanvas::finish(std::vector<SceneMark> marks)
{
    MarkedScene chart{{}, std::move(marks)};
    chart.scene.width = m_style.width;
    chart.scene.height = m_style.height;
    chart.scene.groups.push_back(std::move(m_group));
    return chart;
}

MarkedScene emptyChart(const ChartStyle& style, std::string reason)
{
    ChartCanvas canvas(style);
    canvas.text(style.width / 2, style.height / 2, std::move(reason), Text::Anchor::Middle);
    return canvas.finish();
}

} // namespace profiler
