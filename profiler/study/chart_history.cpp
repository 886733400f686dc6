#include "profiler/study/chart_history.h"

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

} // namespace profiler
