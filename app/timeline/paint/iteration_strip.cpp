#include "app/timeline/paint/iteration_strip.h"

#include "app/timeline/paint/overview_painter.h"
#include "app/timeline/view/translate.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QFontMetricsF>
#include <QPainter>

namespace app {
namespace {

constexpr double kLabelFrom = 20; // pixels; an iteration that is narrower has no label

Scale stripScale(const RunView& view, std::int64_t greatest)
{
    return timeScale(view.run().info, greatest);
}

QString fromTo(const Scale& scale, std::int64_t least, std::int64_t greatest)
{
    const QString from = scale.text(static_cast<double>(least));
    const QString to = scale.withUnit(static_cast<double>(greatest));
    return least == greatest ? to : tr("%1 to %2").arg(from, to);
}

void paintLabel(QPainter& painter, const QRectF& cell, const QString& text)
{
    if (QFontMetricsF(painter.font()).horizontalAdvance(text) + 8 <= cell.width())
        painter.drawText(cell, Qt::AlignCenter | Qt::TextSingleLine, text);
}

} // namespace

void paintIterationStrip(QPainter& painter, const RunView& view, const IterationStrip& strip,
                         const Theme& theme)
{
    const auto inSight = iterationsInSight(strip.iterations, strip.axis);
    const auto columns = iterationColumns(inSight, strip.axis);
    std::int64_t top = 1;
    for (const IterationColumn& column : columns)
        top = std::max(top, column.greatest);
    const QRectF plot = strip.area.adjusted(0, 3, 0, -1);
    const double pixel = strip.axis.gap();
    const auto y = [&](std::int64_t time) {
        return strip.axis.snap(
            plot.bottom() - plot.height() * static_cast<double>(time) / static_cast<double>(top));
    };
    for (const IterationColumn& one : columns) {
        const double width
            = one.right - one.left - (one.count == 1 && one.right - one.left > 3 ? pixel : 0);
        const double median = y(one.median), least = y(one.least), greatest = y(one.greatest);
        painter.fillRect(QRectF(one.left, median, width, plot.bottom() - median),
                         theme.chrome.selected);
        painter.fillRect(QRectF(one.left, greatest, width, least - greatest),
                         theme.chrome.lineStrong);
        painter.fillRect(QRectF(one.left, median, width, pixel), theme.chrome.text2);
    }
    painter.setFont(uiFont(10));
    painter.setPen(theme.chrome.text2);
    for (const IterationColumn& one : columns) {
        if (one.count != 1 || one.right - one.left < kLabelFrom)
            continue;
        const QRectF seen
            = QRectF(one.left, y(one.median), one.right - one.left, plot.bottom() - y(one.median))
                  .intersected(plot);
        if (seen.height() >= QFontMetricsF(painter.font()).capHeight() + 6)
            paintLabel(painter, seen,
                       stripScale(view, top).withUnit(static_cast<double>(one.median)));
    }
}

QString iterationRange(const RunView& view, const TimeAxis& axis)
{
    const auto inSight = iterationsInSight(view.timeline().iterations, axis);
    if (inSight.empty())
        return {};
    const auto [least, greatest] = std::ranges::minmax_element(
        inSight, {}, [](const engine::Iteration& one) { return one.window.duration(); });
    const std::int64_t to = greatest->window.duration();
    return fromTo(stripScale(view, to), least->window.duration(), to);
}

QString iterationToolTip(const RunView& view, const IterationStrip& strip, QPointF at)
{
    const IterationColumn column = columnAt(strip, at);
    if (column.count == 0)
        return {};
    const Scale scale = stripScale(view, column.greatest);
    const auto title = [&](std::size_t k) { return iterationTitle(strip.iterations[k]); };
    if (column.count == 1)
        return tr("%1: %2").arg(capitalized(title(column.first)),
                                scale.withUnit(static_cast<double>(column.median)));
    return tr("%1 to %2: %3, median %4")
        .arg(capitalized(title(column.first)), title(column.first + column.count - 1),
             fromTo(scale, column.least, column.greatest),
             scale.withUnit(static_cast<double>(column.median)));
}

} // namespace app
