#include "app/timeline/paint/kernel_painter.h"

#include <QFontMetricsF>
#include <QPainter>

#include <cmath>
#include <limits>

namespace app {
namespace {

using engine::Span;
using engine::Window;

constexpr double kKernelNameFrom = 34; // least width of a box with a name, which may be elided
constexpr double kBoxesUpTo = 4;       // spans per pixel; denser spans are drawn as columns

// Whether a kernel only moves data. Such kernels have lower boxes, because some users cannot
// distinguish their hue from the grey of the others.
bool movesData(profiler::KernelKind kind)
{
    return kind == profiler::KernelKind::Copy || kind == profiler::KernelKind::Memset;
}
constexpr double kLowInset = 3;

QRectF inSight(const TimeAxis& axis, const QRectF& box)
{
    const double left = std::max(box.left(), axis.left),
                 right = std::min(box.right(), axis.right());
    return {left, box.top(), std::max(0.0, right - left), box.height()};
}

} // namespace

void paintKernelWait(QPainter& painter, const BoxColours& colours, const QRectF& part,
                     double origin, double edge)
{
    const QColor frame = colours.kernel(profiler::KernelKind::Nccl).fill;
    colours.bubble().fill(painter, part, origin);
    painter.fillRect(QRectF(part.left(), part.top(), part.width(), edge), frame);
    painter.fillRect(QRectF(part.left(), part.bottom() - edge, part.width(), edge), frame);
    painter.fillRect(QRectF(part.left(), part.top(), edge, part.height()), frame);
}

KernelPainter::KernelPainter(QPainter& painter, const KernelView& kernels, const TimeAxis& axis,
                             const BoxColours& colours)
    : m_painter(painter)
    , m_kernels(kernels)
    , m_axis(axis)
    , m_colours(colours)
{
    for (int kind = 0; kind < profiler::kKernelKinds; ++kind)
        m_columns.shares[static_cast<std::size_t>(kind)]
            = colours.kernel(static_cast<profiler::KernelKind>(kind)).fill;
    m_columns.shares[kWaitShare] = colours.bubbleSolid();
    m_columns.rest = Qt::transparent;
}

void KernelPainter::paint(engine::DeviceId device, const Lane& lane)
{
    m_painter.setFont(uiFont(10));
    for (int row = 0; row < lane.kernels; ++row)
        paintRow({device, row, lane.kernelTop(row), lane.kernel});
}

void KernelPainter::paintRow(const Row& row)
{
    const Window sight = m_axis.window();
    const auto spans = m_kernels.around(row.device, row.row, sight);
    if (spans.empty())
        return;
    if (static_cast<double>(spans.size()) > kBoxesUpTo * m_axis.width)
        paintColumnsOf(row, sight);
    else
        paintBoxes(row, spans);
}

// Adjacent kernels that are too narrow for boxes share one stretch of columns.
void KernelPainter::paintBoxes(const Row& row, std::span<const Span> spans)
{
    const double narrow = kCoverageBelow * m_axis.ticksPerPixel();
    constexpr Window kNothing{std::numeric_limits<std::int64_t>::max(), 0};
    Window dense = kNothing;
    const auto flush = [&] {
        if (dense.end > dense.begin)
            paintColumnsOf(row, dense);
        dense = kNothing;
    };
    for (const Span& span : spans) {
        if (static_cast<double>(span.end - span.begin) >= narrow) {
            flush();
            paintBox(row, span);
            continue;
        }
        // A gap of more than three pixels ends the stretch of columns.
        if (dense.end > 0 && static_cast<double>(span.begin - dense.end) > narrow)
            flush();
        dense = {std::min(dense.begin, span.begin), std::max(dense.end, span.end)};
    }
    flush();
}

void KernelPainter::paintBox(const Row& row, const Span& span)
{
    const auto& look = m_colours.kernel(m_kernels.kindOf(span.op));
    const bool isLow = movesData(m_kernels.kindOf(span.op));
    const double inset = isLow ? kLowInset : 0;
    const QRectF box = boxRect(m_axis, span.window(), row.top + inset, row.height - 2 * inset);
    m_painter.fillRect(box, look.fill);
    QRectF busy = box, waiting;
    if (const auto wait = m_kernels.waitOf(span.op); wait && wait->duration() > 0) {
        busy.setLeft(
            std::min(stretch(m_axis, *wait, box.top(), box.height()).right(), box.right()));
        waiting = QRectF(box.topLeft(), QPointF(busy.left(), box.bottom()));
        paintKernelWait(m_painter, m_colours, waiting, m_axis.snap(m_axis.x(0)), m_axis.gap());
    }
    busy = inSight(m_axis, busy);
    waiting = inSight(m_axis, waiting);
    if (isLow)
        return;
    if (busy.width() >= kKernelNameFrom)
        paintName(span.op, busy, look.ink);
    else if (waiting.width() >= kKernelNameFrom)
        paintName(span.op, waiting, {});
}

// Paints the name of a kernel. If `ink` is invalid, the box is hatched, so the name gets a plain
// background.
void KernelPainter::paintName(std::uint32_t work, const QRectF& within, QColor ink)
{
    const QFontMetricsF metrics(m_painter.font());
    const QString shown
        = metrics.elidedText(m_kernels.label(work), Qt::ElideRight, within.width() - 6);
    if (!ink.isValid()) {
        ink = m_colours.theme().chrome.text;
        m_painter.fillRect(QRectF(within.left() + 1, within.top() + m_axis.gap(),
                                  std::ceil(metrics.horizontalAdvance(shown)) + 4,
                                  within.height() - 2 * m_axis.gap()),
                           toQt(m_colours.theme().palette.bubble));
    }
    m_painter.setPen(ink);
    m_painter.drawText(
        QPointF(within.left() + 3, std::round(within.center().y() + metrics.capHeight() / 2)),
        shown);
}

void KernelPainter::paintColumnsOf(const Row& row, Window window)
{
    const Window sight = m_axis.window();
    const Window seen{std::max(window.begin, sight.begin), std::min(window.end, sight.end)};
    if (seen.end <= seen.begin)
        return;
    QRectF area = stretch(m_axis, seen, row.top, row.height);
    area.setWidth(std::max(area.width(), m_axis.devicePixel()));
    paintColumns(m_painter, m_axis, KernelColumns{area, seen, m_columns},
                 [busy = m_kernels.busy(row.device, row.row)](double time) mutable {
                     return busy.before(time);
                 });
}

} // namespace app
