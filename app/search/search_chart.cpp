#include "app/search/search_chart.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "profiler/study/chart_canvas.h"

#include <algorithm>

namespace app {
namespace {

using profiler::ChartCanvas;
using profiler::ChartScale;
using profiler::kPlotLeft;
using profiler::kPlotTop;

constexpr double kRight = 190; // for the names of the lines

struct Chart
{
    const SearchHistory& history;
    const profiler::ChartStyle& style;
    ChartCanvas canvas{style};
    ChartScale x{}, y{};
    std::vector<std::pair<double, std::size_t>> ends{};
    std::vector<std::string> names{};
    std::vector<profiler::SeriesLook> looks{};

    double at(double length) const { return y(length / lengthUnit(history.now.inUnits).first); }

    void makeScales()
    {
        const profiler::SearchProgress& now = history.now;
        canvas.setRightMargin(kRight);
        std::vector<double> lengths{now.bound, now.best, history.steps.front().second};
        if (!now.published.empty())
            lengths.push_back(now.publishedLength);
        const auto [unit, name] = lengthUnit(now.inUnits);
        for (double& length : lengths)
            length /= unit;
        x = profiler::scaleOf({0, std::max(history.budget, now.seconds)}, kPlotLeft,
                              canvas.right());
        y = profiler::scaleOf(lengths, canvas.bottom(), kPlotTop);
        canvas.box(
            {kPlotLeft, at(now.bound), canvas.right() - kPlotLeft, canvas.bottom() - at(now.bound)},
            style.shade);
        canvas.drawValueAxis(y, name.toStdString());
        canvas.drawNumberAxis(x, "search time, s");
    }
    void drawLevel(double length, const std::string& name, const profiler::SeriesLook& look)
    {
        canvas.line({kPlotLeft, at(length)}, {canvas.right(), at(length)}, look.width, look.colour,
                    look.isDashed);
        label(length, name, look);
    }
    void label(double length, const std::string& name, const profiler::SeriesLook& look)
    {
        ends.emplace_back(at(length), names.size());
        names.push_back(name + " "
                        + number(length / lengthUnit(history.now.inUnits).first, 2).toStdString());
        looks.push_back(look);
    }
    void drawSteps()
    {
        constexpr double kWidth = 2.4;
        ChartCanvas::Point last;
        for (const auto& [seconds, length] : history.steps) {
            const ChartCanvas::Point point{x(seconds), at(length)};
            if (&length != &history.steps.front().second) {
                canvas.line(last, {point.first, last.second}, kWidth, style.ink);
                canvas.line({point.first, last.second}, point, kWidth, style.ink);
            }
            last = point;
        }
        const ChartCanvas::Point end{x(history.now.seconds), last.second};
        canvas.line(last, end, kWidth, style.ink);
        canvas.line({end.first, kPlotTop}, {end.first, canvas.bottom()}, 1, style.text);
        canvas.dot(end.first, end.second, style.ink, style.ink);
        label(history.now.best, "best so far", {style.ink, style.ink, kWidth, false, 0, {}});
    }
};

} // namespace

void SearchHistory::add(const profiler::SearchProgress& progress)
{
    if (steps.empty() || progress.best < steps.back().second)
        steps.emplace_back(progress.seconds, progress.best);
    now = progress;
}

std::pair<double, QString> lengthUnit(bool inUnits)
{
    const Scale ms = scaleIn(Unit::Millisecond);
    return inUnits ? std::pair(1.0, QStringLiteral("units")) : std::pair(ms.perUnit(), ms.unit());
}

profiler::MarkedScene searchChart(const SearchHistory& history, const ChartLook& look)
{
    Chart chart{history, look.style};
    if (history.steps.empty()) {
        chart.canvas.text(look.style.width / 2, look.style.height / 2,
                          "The best length so far appears here while a search runs.",
                          profiler::Text::Anchor::Middle);
    } else {
        const profiler::SearchProgress& now = history.now;
        const profiler::Colour ink = look.style.ink, text = look.style.text;
        chart.makeScales();
        chart.drawLevel(now.bound, "bound", {ink, text, 1.5, false, 0, {}});
        if (!now.published.empty())
            chart.drawLevel(now.publishedLength,
                            schemeTitle(QString::fromStdString(now.published)).toStdString(),
                            {ink, text, 1.5, true, 0, {}});
        chart.drawSteps();
        chart.canvas.drawLabels(chart.ends, chart.names, chart.looks, ChartCanvas::Sample::Line);
    }
    profiler::MarkedScene scene;
    scene.scene.width = look.style.width;
    scene.scene.height = look.style.height;
    scene.scene.groups.push_back(chart.canvas.take());
    return scene;
}

} // namespace app
