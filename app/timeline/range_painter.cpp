#include "app/timeline/range_painter.h"

#include "engine/timeline/gallop.h"

#include <QFontMetricsF>
#include <QPainter>

#include <cmath>

namespace app {
namespace {

constexpr double kRangeReach = 3;      // pixels around the pointer
constexpr double kRangeWordsFrom = 24; // width of a box with its words, elided if need be

void paintWords(QPainter& painter, const HostRange& range, const QRectF& box)
{
    const QFontMetricsF metrics(painter.font());
    const QString words
        = metrics.elidedText(QString::fromStdString(range.text), Qt::ElideRight, box.width() - 6);
    painter.drawText(
        QPointF(box.left() + 3, std::round(box.center().y() + metrics.capHeight() / 2)), words);
}

// Boxes that touch are filled as one, and those of a pixel that has its box are passed over: the
// cost is of the pixels.
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
        if (box.width() < kRangeWordsFrom)
            continue;
        flush(); // before the words
        paintWords(painter, ranges[k], box);
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

bool isOnRanges(const Lane& lane, double y)
{
    return lane.ranges > 0 && y >= lane.rangeTop(0) - 1
        && y <= lane.rangeTop(lane.ranges - 1) + Lane::kKernel + 1;
}

const HostRange* rangeAt(const RangeView& ranges, engine::DeviceId device, const TimeAxis& axis,
                         const Lane& lane, QPointF at)
{
    const double time = axis.time(at.x()), reach = kRangeReach * axis.ticksPerPixel();
    const engine::Window near{static_cast<std::int64_t>(std::floor(time - reach)),
                              static_cast<std::int64_t>(std::ceil(time + reach))};
    const HostRange* nearest = nullptr;
    double least = reach;
    for (int row = 0; row < lane.ranges; ++row) {
        if (at.y() < lane.rangeTop(row) - 1 || at.y() > lane.rangeTop(row) + Lane::kKernel + 1)
            continue;
        for (const HostRange& range : ranges.around(device, row, near)) {
            const double away = std::max({static_cast<double>(range.window.begin) - time,
                                          time - static_cast<double>(range.window.end), 0.0});
            if (away <= least) {
                least = away;
                nearest = &range;
            }
        }
    }
    return nearest;
}

} // namespace app
