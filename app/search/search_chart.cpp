#include "app/search/search_chart.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "profiler/study/chart_kit.h"

#include <algorithm>

namespace app {
namespace {

using profiler::ChartCanvas;
using profiler::ChartScale;
using profiler::kPlotLeft;
using profiler::kPlotTop;

constexpr double kRight = 160; // for the names of the lines

struct Chart
{
    const SearchHistory& history;
    const profiler::ChartStyle& style;
    ChartCanvas canvas{style};
    ChartScale x{}, y{};
    struct Label
    {
        double y = 0;
        std::string name, hint; // `hint` is on a second line; "": none
    };
    std::vector<Label> labels{};

    double at(double length) const { return y(length / lengthUnit(history.now.inUnits).first); }

    double timeAt(double seconds) const { return x(std::min(seconds, history.budget)); }

    void makeScales()
    {
        const profiler::SearchProgress& now = history.now;
        canvas.setRightMargin(kRight);
        std::vector<double> lengths{now.best, history.steps.front().second};
        if (now.bound > 0)
            lengths.push_back(now.bound);
        if (!now.published.empty())
            lengths.push_back(now.publishedLength);
        const auto [unit, name] = lengthUnit(now.inUnits);
        for (double& length : lengths)
            length /= unit;
        x = profiler::scaleOf({0, history.budget}, kPlotLeft, canvas.right());
        y = profiler::scaleOf(lengths, canvas.bottom(), kPlotTop);
        if (now.bound > 0)
            canvas.box({kPlotLeft, at(now.bound), canvas.right() - kPlotLeft,
                        canvas.bottom() - at(now.bound)},
                       style.shade);
        canvas.drawValueAxis(y, name.toStdString());
        canvas.drawNumberAxis(x, "search time, s");
    }
    void drawLevel(double length, const std::string& name, const std::string& hint, bool isDashed)
    {
        canvas.line({kPlotLeft, at(length)}, {canvas.right(), at(length)}, 1.5, style.ink,
                    isDashed);
        label(length, name, hint);
    }
    void label(double length, const std::string& name, const std::string& hint = {})
    {
        labels.push_back(
            {at(length),
             name + " " + number(length / lengthUnit(history.now.inUnits).first, 2).toStdString(),
             hint});
    }
    // To the right of the plot, moved apart where they would overlap.
    void drawLabels()
    {
        constexpr double kLine = profiler::kChartText + 3, kGap = 4;
        const double left = canvas.right() + 8;
        const auto height = [](const Label& one) { return one.hint.empty() ? kLine : 2 * kLine; };
        std::ranges::stable_sort(labels, {}, &Label::y);
        double free = 0;
        for (Label& one : labels) {
            one.y = std::max(one.y, free);
            free = one.y + height(one) + kGap;
        }
        double below = canvas.bottom();
        for (auto one = labels.rbegin(); one != labels.rend(); ++one) {
            one->y = std::min(one->y, below - height(*one) + kLine);
            below = one->y - kLine - kGap;
        }
        for (const Label& one : labels) {
            const double baseline = one.y + profiler::kChartText / 3;
            canvas.text(left, baseline, one.name, profiler::Text::Anchor::Start, {style.ink, true});
            canvas.text(left, baseline + kLine, one.hint);
        }
    }
    void drawSteps()
    {
        constexpr double kWidth = 2.4;
        ChartCanvas::Point last;
        for (const auto& [seconds, length] : history.steps) {
            const ChartCanvas::Point point{timeAt(seconds), at(length)};
            if (&length != &history.steps.front().second) {
                canvas.line(last, {point.first, last.second}, kWidth, style.ink);
                canvas.line({point.first, last.second}, point, kWidth, style.ink);
            }
            last = point;
        }
        const ChartCanvas::Point end{timeAt(history.now.seconds), last.second};
        canvas.line(last, end, kWidth, style.ink);
        canvas.line({end.first, kPlotTop}, {end.first, canvas.bottom()}, 1, style.text);
        canvas.dot(end.first, end.second, style.ink, style.ink);
        label(history.now.best, "best so far");
    }
};

} // namespace

void SearchHistory::add(const profiler::SearchProgress& progress)
{
    if (steps.empty() || progress.best < steps.back().second)
        steps.emplace_back(progress.seconds, progress.best);
    now = progress;
    now.schemes = {};
}

std::pair<double, QString> lengthUnit(bool inUnits)
{
    const Scale ms = scaleIn(Unit::Millisecond);
    return inUnits ? std::pair(1.0, QStringLiteral("units")) : std::pair(ms.perUnit(), ms.unit());
}

profiler::MarkedScene searchChart(const SearchHistory& history, const ChartLook& look)
{
    if (history.steps.empty())
        return profiler::emptyChart(look.style,
                                    "The best length so far appears here while a search runs.");
    Chart chart{history, look.style};
    const profiler::SearchProgress& now = history.now;
    chart.makeScales();
    if (now.bound > 0)
        chart.drawLevel(now.bound, "bound", "no order of these ops is shorter", false);
    if (!now.published.empty())
        chart.drawLevel(now.publishedLength,
                        schemeTitle(QString::fromStdString(now.published)).toStdString(),
                        "best published that fits", true);
    chart.drawSteps();
    chart.drawLabels();
    return chart.canvas.finish();
}

} // namespace app
