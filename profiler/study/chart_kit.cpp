#include "profiler/study/chart_kit.h"

#include "engine/schedules/scheme.h"
#include "profiler/study/metric_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace profiler {

MarkedScene drawHistory(const std::vector<HistoryMark>& runs, const std::string& title,
                        const ChartStyle& style)
{
    constexpr double kMargin = 20, kRadius = 4;
    if (runs.empty())
        return emptyChart(style, "Nothing to show");
    ChartCanvas canvas(style);
    canvas.setRightMargin(kMargin);
    std::vector<double> values;
    std::vector<std::string> names;
    for (const HistoryMark& run : runs) {
        values.insert(values.end(), {run.value, run.least, run.most});
        names.push_back(run.name);
    }
    const ChartScale y = scaleOf(values, canvas.bottom(), kPlotTop);
    const double column = (canvas.right() - kPlotLeft) / static_cast<double>(runs.size());
    const auto x
        = [&](std::size_t run) { return kPlotLeft + column * (static_cast<double>(run) + 0.5); };
    canvas.drawValueAxis(y, title);
    canvas.drawColumnNames(names, kPlotLeft, column, canvas.bottom() + kChartText + 5);
    std::vector<SceneMark> marks;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const HistoryMark& run = runs[r];
        if (run.continues && r > 0)
            canvas.line({x(r - 1), y(runs[r - 1].value)}, {x(r), y(run.value)}, 1, style.text);
        if (run.least < run.most)
            canvas.line({x(r), y(run.least)}, {x(r), y(run.most)}, 1, style.ink);
        canvas.dot(x(r), y(run.value), run.isChanged ? style.alert : style.ink,
                   run.isChanged ? style.alert : style.ground);
        marks.push_back({r, {x(r) - kRadius, y(run.value) - kRadius, 2 * kRadius, 2 * kRadius}});
    }
    return canvas.finish(std::move(marks));
}

MarkedScene drawWaterfall(const std::vector<WaterfallBar>& bars, const ChartStyle& style)
{
    constexpr double kTop = 18, kNames = 32, kLine = 13, kGap = 15, kLeast = 2;
    if (bars.empty())
        return emptyChart(style, "Nothing to show");
    ChartCanvas canvas(style);
    std::vector<SceneMark> marks;
    const double column = (style.width + kGap) / static_cast<double>(bars.size());
    const double bottom = style.height - kNames;
    double end = 0, most = 1e-9, named = -1; // named: the right end of the names in the first line
    for (const WaterfallBar& bar : bars)
        most = std::max(most, end = bar.isTotal ? bar.size : end + bar.size);
    const auto y
        = [&](double value) { return std::round(bottom - (bottom - kTop) * value / most); };
    canvas.line({0, bottom + 0.5}, {style.width, bottom + 0.5}, 1, style.grid);
    end = 0;
    for (std::size_t k = 0; k < bars.size(); ++k) {
        const WaterfallBar& bar = bars[k];
        const double left = std::round(column * static_cast<double>(k)),
                     right = std::round(column * static_cast<double>(k + 1)) - kGap,
                     middle = (left + right) / 2, from = bar.isTotal ? 0 : end;
        if (k > 0)
            canvas.line({left - kGap, y(end) + 0.5}, {left, y(end) + 0.5}, 1, style.text);
        end = from + bar.size;
        const double height = std::max(kLeast, y(from) - y(end));
        const Rect box{left, y(from) - height, right - left, height};
        if (bar.isTotal)
            canvas.box(box, bar.fill);
        else
            canvas.outlined(box, bar.fill, bar.isHatched);
        canvas.text(middle, box.y - 5, bar.value, Text::Anchor::Middle, {style.ink, true});
        const std::size_t split = bar.name.find('\n');
        const auto name = [&](int row, const std::string& words) {
            const double half = textWidth(words) / 2; // inside of the chart
            const double x = std::clamp(middle, half, std::max(half, style.width - half));
            if (row == 1 && split == std::string::npos && x - half < named + kLeast)
                row = 2; // below the name before it
            named = row == 1 ? x + half : named;
            canvas.text(x, bottom + row * kLine, words, Text::Anchor::Middle);
        };
        name(1, bar.name.substr(0, split));
        if (split != std::string::npos)
            name(2, bar.name.substr(split + 1));
        if (bar.point)
            marks.push_back({*bar.point, {left - kGap / 2, 0, right - left + kGap, style.height}});
    }
    return canvas.finish(std::move(marks));
}

namespace {

struct KnownScheme
{
    std::string_view name;
    Colour colour;
    std::size_t marker = 0;
};
constexpr std::array<KnownScheme, 5> kKnown{{{"1f1b", {125, 135, 149}, 1},
                                             {"interleaved-1f1b", {106, 85, 200}, 2},
                                             {"chimera", {192, 86, 26}, 3},
                                             {"zb-v", {21, 131, 174}, 4},
                                             {"dualpipe", {115, 138, 28}, 5}}};
constexpr std::array<Colour, 8> kOthers{{{0, 158, 115},
                                         {204, 121, 167},
                                         {86, 180, 233},
                                         {230, 159, 0},
                                         {168, 36, 60},
                                         {0, 76, 148},
                                         {120, 75, 40},
                                         {150, 30, 150}}};

constexpr std::array kHatches{HatchLines::None,    HatchLines::Rising,     HatchLines::Falling,
                              HatchLines::Crossed, HatchLines::Horizontal, HatchLines::Vertical};

SeriesLook lookOf(Colour colour, const ChartStyle& style)
{
    constexpr double kLeastContrast = 3; // minimum of WCAG for graphics
    const bool isDark = contrast(style.ground, {255, 255, 255}) > contrast(style.ground, {0, 0, 0});
    SeriesLook look;
    look.colour = isDark && contrast(colour, style.ground) < kLeastContrast
        ? mix(colour, style.ink, 0.35)
        : colour;
    look.text = look.colour;
    while (contrast(look.text, style.ground) < kSmallestInk)
        look.text = mix(look.text, style.ink, 0.15);
    return look;
}

std::optional<SeriesLook> knownLook(std::string_view scheme, const ChartStyle& style)
{
    if (scheme == "bitpipe") {
        SeriesLook look = lookOf(style.ink, style);
        look.width = 2.4;
        return look;
    }
    const auto* const known = std::ranges::find(kKnown, scheme, &KnownScheme::name);
    if (known == kKnown.end())
        return std::nullopt;
    SeriesLook look = lookOf(known->colour, style);
    look.marker = known->marker;
    return look;
}

// The preferred index into kOthers. For a scheme it is the scheme's number in engine::schemes(), so
// that the scheme tends to have the same colour in all studies. For other values it is `index`.
std::size_t firstChoice(std::string_view key, std::string_view value, std::size_t index)
{
    const auto all = engine::schemes();
    const auto found = std::ranges::find(all, value, &engine::Scheme::name);
    return key != "scheme" || found == all.end() ? index
                                                 : static_cast<std::size_t>(found - all.begin());
}

} // namespace

std::vector<SeriesLook> seriesLooks(std::string_view key, const std::vector<std::string>& values,
                                    const ChartStyle& style)
{
    std::vector<SeriesLook> looks;
    std::array<std::size_t, kOthers.size()> uses{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (const auto known = key == "scheme" ? knownLook(values[i], style) : std::nullopt) {
            looks.push_back(*known);
            continue;
        }
        std::size_t slot = firstChoice(key, values[i], i) % kOthers.size();
        while (uses[slot] > *std::ranges::min_element(uses))
            slot = (slot + 1) % kOthers.size();
        const std::size_t round = uses[slot]++;
        SeriesLook look = lookOf(kOthers[slot], style);
        look.isDashed = round % 2 == 1;
        look.marker = (slot + round) % kSeriesMarkers;
        look.hatch = kHatches[std::min(round, kHatches.size() - 1)];
        looks.push_back(look);
    }
    return looks;
}

namespace {

// The distance of two ticks: 1, 2 or 5 times a power of ten, so that `span` has four to ten steps.
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

namespace {

// Draws one sample and name per part, from `x` on and on more lines if they need them. Returns the
// height of these additional lines.
double drawLegend(ChartCanvas& canvas, const std::vector<BarPart>& parts, double x)
{
    constexpr double kSample = 16, kLine = kChartText + 5, kFirst = 12;
    double below = 0;
    for (const BarPart& part : parts) {
        const double width = kSample + textWidth(part.name);
        if (x + width > canvas.style().width && x > kFirst) {
            x = kFirst;
            below += kLine;
        }
        canvas.box({x, 10 + below, kChartText, kChartText - 1}, part.fill);
        canvas.text(x + kSample, 10 + below + kChartText - 2, part.name);
        x += width + kSample;
    }
    return below;
}

} // namespace

std::string shortenedTitle(std::string_view title, double width)
{
    const std::size_t number = title.rfind(" #");
    const std::string end(number == std::string_view::npos ? "" : title.substr(number));
    std::string start(title.substr(0, title.size() - end.size())), whole(title);
    while (textWidth(whole) > width && start.size() > 2) {
        while ((start.back() & 0xC0) == 0x80) // the last bytes of a character
            start.pop_back();
        start.pop_back();
        whole = start + "\u2026" + end;
    }
    return whole;
}

double BarRow::total() const
{
    double sum = 0;
    for (const BarPart& part : parts)
        sum += part.value;
    return sum;
}

MarkedScene drawBars(const BarTexts& texts, const std::vector<BarRow>& rows,
                     const ChartStyle& style, const Palette& palette)
{
    constexpr double kAxis = 22, kLeast = 14, kMost = 30, kMostName = 170, kTotal = 64;
    if (rows.empty())
        return emptyChart(style, "No run to show");
    ChartCanvas canvas(style);
    std::vector<SceneMark> marks;
    double name = 0, longest = 1e-9;
    std::vector<BarPart> legend;
    for (const BarRow& row : rows) {
        name = std::max(name, textWidth(row.title));
        longest = std::max(longest, row.total());
        for (const BarPart& part : row.parts)
            if (std::ranges::count(legend, part.name, &BarPart::name) == 0)
                legend.push_back(part);
    }
    const double left = std::min(kMostName, name) + 24;
    ChartScale scale = scaleOf({0, longest}, left, style.width - kTotal);
    scale.most = longest;
    const std::string what = texts.unit + ", mean of devices";
    const double legendAt = 24 + textWidth(texts.title) * 1.1;
    canvas.text(12, 10 + kChartText - 2, texts.title, Text::Anchor::Start, {style.ink, true});
    canvas.text(legendAt, 10 + kChartText - 2, what);
    const double top = 30 + drawLegend(canvas, legend, legendAt + textWidth(what) + 20);
    const double room = (style.height - top - kAxis) / static_cast<double>(rows.size());
    const double step = std::clamp(std::floor(room), kLeast, kMost);
    const double bottom = top + step * static_cast<double>(rows.size());
    for (double at = 0; at <= scale.most * (1 + 1e-9); at += scale.step) {
        canvas.line({scale(at), top}, {scale(at), bottom}, 0.5, style.grid);
        canvas.text(scale(at), bottom + 15, texts.number(at, scale.step < 1 ? texts.decimals : 0),
                    Text::Anchor::Middle);
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const BarRow& row = rows[r];
        const double upper = top + step * static_cast<double>(r),
                     base = upper + step / 2 + kChartText / 3;
        if (row.isApart)
            canvas.line({0, upper}, {style.width, upper}, 0.75, style.text);
        canvas.text(left - 12, base, shortenedTitle(row.title, kMostName), Text::Anchor::End,
                    {style.ink});
        double before = 0;
        for (const BarPart& part : row.parts) {
            const Rect box{scale(before), upper + 2, scale(before + part.value) - scale(before) - 1,
                           step - 4};
            before += part.value;
            if (box.width < 0.5)
                continue;
            canvas.box(box, part.fill, part.isBubble ? HatchLines::Rising : HatchLines::None);
            const std::string text = texts.number(part.value, texts.decimals);
            const Colour ink = palette.inkOn(part.fill);
            if (textWidth(text) + 6 < box.width && contrast(ink, part.fill) >= kSmallestInk)
                canvas.text(box.x + box.width / 2, base, text, Text::Anchor::Middle, {ink});
        }
        canvas.text(scale(before) + 6, base, texts.number(before, texts.decimals),
                    Text::Anchor::Start, {style.ink});
        marks.push_back({row.run, {0, upper, style.width, step}, r});
    }
    return canvas.finish(std::move(marks));
}

namespace {

void drawFront(ChartCanvas& canvas, const std::vector<ParetoPoint>& points, const ChartScale& x,
               const ChartScale& y, FrontEnds ends)
{
    const auto line = [&](ChartCanvas::Point from, ChartCanvas::Point to) {
        canvas.line(from, to, 1, canvas.style().text);
        canvas.keepFree(from, to);
    };
    const auto height = [&](const ParetoPoint& point) { return y(std::min(point.y, y.most)); };
    const bool isOpen = ends == FrontEnds::AtEdges;
    const ParetoPoint* before = nullptr;
    for (const ParetoPoint& point : points) {
        if (!point.isOnFront)
            continue;
        const double top = before == nullptr ? kPlotTop + 10 : height(*before);
        if (before != nullptr)
            line({x(before->x), top}, {x(point.x), top});
        if (before != nullptr || isOpen)
            line({x(point.x), top}, {x(point.x), height(point)});
        before = &point;
    }
    if (before != nullptr && isOpen)
        line({x(before->x), height(*before)}, {canvas.right(), height(*before)});
}

} // namespace

std::vector<SceneMark> drawPareto(ChartCanvas& canvas, std::vector<ParetoPoint> points,
                                  const ChartScale& x, const ChartScale& y, FrontEnds ends)
{
    const ChartStyle& style = canvas.style();
    const auto height = [&](double value) { return y(std::min(value, y.most)); };
    const auto ink = [&](const ParetoPoint& of) { return of.isOnFront ? style.ink : style.text; };
    std::vector<SceneMark> marks;
    drawFront(canvas, points, x, y, ends);
    for (const ParetoPoint& point : points) {
        const double left = x(point.x), top = height(point.y);
        const Colour edge = ink(point);
        if (point.most > point.least)
            canvas.line({left, height(point.least)}, {left, height(point.most)}, 1, style.text);
        if (point.isSquare) {
            canvas.box({left - 4, top - 4, 8, 8}, edge);
            canvas.box({left - 3, top - 3, 6, 6}, style.ground);
        } else {
            canvas.dot(left, top, edge,
                       point.isFilled.value_or(point.isOnFront) ? edge : style.ground);
        }
        if (point.y > y.most)
            canvas.marker({.colour = edge, .text = edge, .marker = 2}, left, top - 10);
        canvas.keepFree(Rect{left - 6, top - 6, 12, 12});
        marks.push_back({point.point, {left - 7, top - 7, 14, 14}, point.row});
    }
    std::ranges::stable_partition(points, &ParetoPoint::isOnFront);
    std::ranges::stable_partition(points, &ParetoPoint::isBold);
    for (const ParetoPoint& point : points)
        if (!point.label.empty())
            canvas.label(x(point.x), height(point.y), point.label, {ink(point), point.isBold});
    return marks;
}

} // namespace profiler
