#include "profiler/study/chart_waterfall.h"

#include <algorithm>
#include <cmath>

namespace profiler {

MarkedScene drawWaterfall(const std::vector<WaterfallBar>& bars, const ChartStyle& style)
{
    constexpr double kTop = 18, kNames = 32, kLine = 13, kGap = 15, kLeast = 2;
    if (bars.empty())
        return emptyChart(style, "Nothing to show");
    ChartCanvas canvas(style);
    std::vector<SceneMark> marks;
    const double column = (style.width + kGap) / static_cast<double>(bars.size());
    const double bottom = style.height - kNames;
    double end = 0, most = 1e-9;
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
        canvas.text(middle, bottom + kLine, bar.name.substr(0, split), Text::Anchor::Middle);
        if (split != std::string::npos)
            canvas.text(middle, bottom + 2 * kLine, bar.name.substr(split + 1),
                        Text::Anchor::Middle);
        if (bar.point)
            marks.push_back({*bar.point, {left - kGap / 2, 0, right - left + kGap, style.height}});
    }
    return canvas.finish(std::move(marks));
}

} // namespace profiler
