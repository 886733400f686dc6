#include "app/timeline/paint/ruler_painter.h"

#include "app/documents/run_document.h"
#include "app/timeline/paint/box_painter.h"
#include "app/timeline/view/iteration_times.h"
#include "app/timeline/view/translate.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace app {
namespace {

constexpr std::size_t kMost = 20; // visible iterations; with more, times count from the run's start

// Indices of the visible iterations, without those that are almost completely outside the view.
// Empty if more than kMost are visible.
std::vector<int> largeInSight(const RunView& view, const TimeAxis& axis)
{
    std::vector<int> shown;
    const auto& iterations = view.timeline().iterations;
    const auto inSight = iterationsInSight(iterations, axis);
    if (inSight.size() > kMost + 2)
        return shown;
    for (const auto& one : inSight) {
        const double begin = std::max(axis.begin, static_cast<double>(one.window.begin));
        const double end = std::min(axis.end, static_cast<double>(one.window.end));
        if (end - begin > (axis.end - axis.begin) / 20
            || 2 * (end - begin) > static_cast<double>(one.window.duration()))
            shown.push_back(static_cast<int>(&one - iterations.data()));
    }
    return shown;
}

QString originText(const RunView& view, const std::vector<int>& shown)
{
    if (shown.size() == 1)
        return tr("from iteration start");
    return shown.empty() || shown.front() == 0
        ? tr("from run start")
        : tr("from start of %1").arg(iterationName(view.timeline(), shown.front()));
}

} // namespace

profiler::Ticks rulerMarks(const TimeAxis& axis, double origin, double perUnit)
{
    constexpr double kSpacing = 60;
    return profiler::ticks((axis.begin - origin) / perUnit, (axis.end - origin) / perUnit,
                           kSpacing / axis.pixels(perUnit));
}

RulerScale rulerFrom(double origin, const TimeAxis& axis,
                     const std::function<Scale(double longest)>& unit)
{
    RulerScale scale;
    scale.origin = origin;
    scale.unit = unit(std::max(std::abs(axis.end - origin), axis.end - axis.begin));
    scale.marks = rulerMarks(axis, origin, scale.unit.perUnit());
    return scale;
}

RulerScale rulerScale(const RunView& view, const TimeAxis& axis,
                      std::optional<std::int64_t> planned)
{
    const auto shown = largeInSight(view, axis);
    const auto& iterations = view.timeline().iterations;
    const std::size_t base = shown.empty() ? 0 : static_cast<std::size_t>(shown.front());
    const std::int64_t first = iterations.empty() ? 0 : iterations[base].window.begin;
    const auto origin = static_cast<double>(planned.value_or(first));
    RulerScale scale = rulerFrom(origin, axis, [&](double longest) {
        return timeScale(view.run().info, static_cast<std::int64_t>(longest));
    });
    scale.title = scale.unit.unit() + QLatin1Char(' ')
        + (planned ? tr("from planned start") : originText(view, shown));
    return scale;
}

double markX(const RulerScale& scale, const TimeAxis& axis, double mark)
{
    return axis.snappedX(scale.origin + mark * scale.unit.perUnit());
}

void paintRuler(QPainter& painter, const RulerScale& scale, const TimeAxis& axis,
                const Theme& theme, const QRectF& area)
{
    const double pixel = axis.gap();
    for (const double mark : scale.marks.minor)
        painter.fillRect(QRectF(markX(scale, axis, mark), area.bottom() - 4, pixel, 4),
                         theme.chrome.lineStrong);
    painter.setFont(uiFont(11));
    for (const double mark : scale.marks.major) {
        const double x = markX(scale, axis, mark);
        painter.fillRect(QRectF(x, area.bottom() - 8, pixel, 8), theme.chrome.text3);
        const QString text = number(mark, scale.marks.decimals);
        const double end = x + 4 + QFontMetricsF(painter.font()).horizontalAdvance(text);
        const auto covers = [&](const std::pair<double, double>& taken) {
            return taken.first < end + 2 && x + 2 < taken.second;
        };
        if (end > axis.right() || std::ranges::any_of(scale.taken, covers))
            continue;
        painter.setPen(theme.chrome.text2);
        painter.drawText(QPointF(x + 4, area.bottom() - 9), text);
    }
}

void paintGrid(QPainter& painter, const RulerScale& scale, const TimeAxis& axis, const Theme& theme,
               const QRectF& area)
{
    for (const double mark : scale.marks.major)
        painter.fillRect(QRectF(markX(scale, axis, mark), area.top(), axis.gap(), area.height()),
                         theme.chrome.grid);
}

void paintIterationEdges(QPainter& painter, const RunView& view, const TimeAxis& axis,
                         const Theme& theme, const QRectF& area)
{
    const auto inSight = iterationsInSight(view.timeline().iterations, axis);
    if (!areEdgesDrawn(inSight, axis))
        return;
    for (const auto& iteration : inSight) {
        for (const std::int64_t edge : {iteration.window.begin, iteration.window.end}) {
            const double x = axis.snappedX(edge);
            if (x >= axis.left && x <= axis.right())
                painter.fillRect(QRectF(x - (edge == iteration.window.begin ? axis.gap() : 0),
                                        area.top(), axis.gap(), area.height()),
                                 theme.chrome.text2);
        }
    }
}

void paintTriangle(QPainter& painter, QPointF tip, QColor colour)
{
    fillPolygon(painter, {tip, tip + QPointF(-5, -7), tip + QPointF(5, -7)}, colour);
}

void paintEndTriangles(QPainter& painter, const RunView& view, const TimeAxis& axis,
                       const Theme& theme, double bottom)
{
    const auto inSight = iterationsInSight(view.timeline().iterations, axis);
    if (!areEdgesDrawn(inSight, axis))
        return;
    for (const auto& iteration : inSight) {
        const double x = axis.x(iteration.window.end);
        if (x >= axis.left && x <= axis.right())
            paintTriangle(painter, {axis.snap(x) + 0.5, bottom}, theme.chrome.text);
    }
}

} // namespace app
