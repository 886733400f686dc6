#include "app/timeline/paint/range_painter.h"

#include "engine/timeline/span_index.h"

#include <QFontMetricsF>
#include <QPainter>

#include <cmath>

namespace app {
namespace {

constexpr double kRangeTextFrom = 24; // least width of a box with text, which may be elided

void paintRangeText(QPainter& painter, const HostRange& range, const QRectF& box)
{
    const QFontMetricsF metrics(painter.font());
    const QString text
        = metrics.elidedText(QString::fromStdString(range.text), Qt::ElideRight, box.width() - 6);
    painter.drawText(
        QPointF(box.left() + 3, std::round(box.center().y() + metrics.capHeight() / 2)), text);
}

// Draws adjacent boxes as one rectangle and skips boxes in pixels that are already drawn, so the
// cost depends on the number of pixels.
void paintRow(QPainter& painter, std::span<const HostRange> ranges, const TimeAxis& axis,
              const Theme& theme, double top)
{
    QRectF fill;
    const auto flush = [&] {
        if (!fill.isEmpty())
            painter.fillRect(fill, theme.chrome.pressed);
        fill = {};
    };
    double drawnTo = axis.left - 1;
    for (std::size_t k = 0;; ++k) {
        const BoxesUpTo passed(axis, drawnTo);
        k = engine::gallop(k, ranges.size(),
                           [&](std::size_t at) { return passed.has(ranges[at].window); });
        if (k >= ranges.size())
            break;
        const QRectF whole = boxRect(axis, ranges[k].window, top, Lane::kKernel);
        const double left = std::max(whole.left(), axis.left);
        const QRectF box(left, top, std::min(whole.right(), axis.right()) - left, Lane::kKernel);
        drawnTo = whole.right();
        if (box.left() > fill.right())
            flush();
        fill = fill.isEmpty() ? box : fill.united(box);
        if (box.width() < kRangeTextFrom)
            continue;
        flush(); // before the text
        paintRangeText(painter, ranges[k], box);
    }
    flush();
}

} // namespace

void paintRanges(QPainter& painter, const RangeRows& rows, const TimeAxis& axis, const Theme& theme)
{
    painter.setFont(uiFont(10));
    painter.setPen(theme.chrome.text);
    for (int row = 0; row < rows.lane.ranges; ++row)
        paintRow(painter, rows.ranges.around(rows.device, row, axis.window()), axis, theme,
                 rows.lane.rangeTop(row));
}

} // namespace app
