#include "profiler/study/chart_bars.h"

#include <algorithm>
#include <cmath>

namespace profiler {

namespace {

// Draws one sample and name per part, as far as they fit.
void drawLegend(ChartCanvas& canvas, const std::vector<BarPart>& parts, double x,
                const ChartStyle& style)
{
    for (const BarPart& part : parts) {
        const double width = 16 + textWidth(part.name);
        if (x + width > style.width)
            return;
        canvas.box({x, 10, kChartText, kChartText - 1}, part.fill);
        canvas.text(x + 16, 10 + kChartText - 2, part.name);
        x += width + 16;
    }
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
    constexpr double kTop = 30, kAxis = 22, kLeast = 14, kMost = 30, kMostName = 170, kTotal = 64;
    if (rows.empty())
        return emptyChart(style, "No run to show");
    ChartCanvas canvas(style);
    std::vector<SceneMark> marks;
    const double room = (style.height - kTop - kAxis) / static_cast<double>(rows.size());
    const double step = std::clamp(std::floor(room), kLeast, kMost);
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
    drawLegend(canvas, legend, legendAt + textWidth(what) + 20, style);
    const double bottom = kTop + step * static_cast<double>(rows.size());
    for (double at = 0; at <= scale.most * (1 + 1e-9); at += scale.step) {
        canvas.line({scale(at), kTop}, {scale(at), bottom}, 0.5, style.grid);
        canvas.text(scale(at), bottom + 15, texts.number(at, scale.step < 1 ? texts.decimals : 0),
                    Text::Anchor::Middle);
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const BarRow& row = rows[r];
        const double top = kTop + step * static_cast<double>(r),
                     base = top + step / 2 + kChartText / 3;
        if (row.isApart)
            canvas.line({0, top}, {style.width, top}, 0.75, style.text);
        canvas.text(left - 12, base, shortenedTitle(row.title, kMostName), Text::Anchor::End,
                    {style.ink});
        double before = 0;
        for (const BarPart& part : row.parts) {
            const Rect box{scale(before), top + 2, scale(before + part.value) - scale(before) - 1,
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
        marks.push_back({row.run, {0, top, style.width, step}, r});
    }
    return canvas.finish(std::move(marks));
}

} // namespace profiler
