#include "app/editor/schedule_grid_paint.h"

#include "app/timeline/paint/lane_painter.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <vector>

namespace app {
namespace {

TimeAxis axisFor(const QPainter& painter)
{
    TimeAxis axis; // only its pixel ratio is used
    axis.dpr = painter.device()->devicePixelRatioF();
    return axis;
}

struct WaitArrow
{
    QPainterPath line;
    QPolygonF head;
};

WaitArrow arrowOf(const QRect& awaited, const QRect& waiting)
{
    // Rows are close, so the arrow ends within the boxes.
    constexpr double kHead = 6, kHalf = 3.5, kInside = 4;
    const bool isOwn = waiting.top() == awaited.top(); // in one row: the arrow is drawn below it
    const double direction = waiting.top() > awaited.top() ? 1 : -1;
    const auto edge = [](const QRect& box, double side) {
        return box.center().y() + side * (box.height() / 2.0 - kInside);
    };
    const double arrive = isOwn ? -1 : direction; // direction of the arrow head
    const QPointF from(awaited.center().x(), edge(awaited, isOwn ? 1 : direction));
    const QPointF tip(waiting.center().x(), edge(waiting, -arrive));
    const QPointF to(tip.x(), tip.y() - kHead * arrive);
    const double bend = std::max(isOwn ? 16.0 : 6.0, std::abs(to.y() - from.y()) * 0.4);
    QPainterPath line(from);
    line.cubicTo(from + QPointF(0, (isOwn ? 1 : direction) * bend), to - QPointF(0, arrive * bend),
                 to);
    return {line, QPolygonF({tip, to + QPointF(-kHalf, 0), to + QPointF(kHalf, 0)})};
}

} // namespace

GridPainter::GridPainter(QPainter& painter, const EditedSchedule& schedule,
                         const ScheduleCheck* check, const Theme& theme)
    : m_painter(painter)
    , m_schedule(schedule)
    , m_check(check)
    , m_theme(theme)
    , m_axis(axisFor(painter))
    , m_colours(theme, m_axis.dpr)
    , m_boxes(painter, m_axis, m_colours)
{ }

void GridPainter::paint(const QSize& size, const QPoint& scroll)
{
    const int devices = static_cast<int>(m_schedule.schedule().program.size());
    const int first = std::max(0, scroll.y() / kGridRow);
    const int last = std::min(devices - 1, (scroll.y() + size.height()) / kGridRow);
    m_painter.save();
    m_painter.setClipRect(kGridHead, kGridRuler, size.width(), size.height());
    for (int device = first; device <= last; ++device)
        paintRow(device, size, scroll);
    m_painter.restore();
    paintRuler(size, scroll);
    paintHead(size, scroll);
}

void GridPainter::paintRow(int device, const QSize& size, const QPoint& scroll)
{
    const int count = static_cast<int>(m_schedule.schedule().program[{device}].size());
    const int first = std::max(0, scroll.x() / kGridCell);
    const int last = std::min(count - 1, (scroll.x() + size.width()) / kGridCell);
    const int top = kGridRuler + device * kGridRow - scroll.y();
    m_painter.fillRect(QRect(kGridHead, top + kGridRow - 1, size.width(), 1), m_theme.chrome.grid);
    for (int index = first; index <= last; ++index)
        paintOp({device, index},
                QRect(kGridHead + index * kGridCell - scroll.x(), top + 4, kGridCell, kGridBox));
}

void GridPainter::paintOp(OpPlace place, const QRect& box)
{
    const engine::Op& op = m_schedule.at(place);
    const engine::Shape& shape = m_schedule.schedule().shape;
    const int chunk = std::max(0, op.stage.value) / std::max(1, shape.devices);
    const bool runs = m_check == nullptr || place.index < m_check->reached[{place.device}];
    const bool waits = !runs && place.index == m_check->reached[{place.device}];
    const auto emphasis
        = runs || waits ? BoxColours::Emphasis::Normal : BoxColours::Emphasis::Dimmed;
    m_boxes.draw(box, m_colours.look(op.kind, chunk, emphasis), boxText(op, box.width()));
    if (op.flags == engine::OpFlag::JointWithNext) // a line below both joint ops
        m_painter.fillRect(QRect(box.left() + 8, box.bottom() + 2, kGridCell, 2),
                           m_theme.chrome.text2);
    const bool isMarked = waits || (m_check != nullptr && m_check->messages.contains(place));
    if (!isMarked)
        return;
    m_painter.setPen(QPen(m_theme.chrome.error, 2));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRect(QRect(box.left(), box.top(), box.width() - 2, box.height() - 1));
}

void GridPainter::paintRuler(const QSize& size, const QPoint& scroll)
{
    m_painter.fillRect(QRect(0, 0, size.width(), kGridRuler), m_theme.chrome.surface);
    m_painter.fillRect(QRect(0, kGridRuler - 1, size.width(), 1), m_theme.chrome.line);
    m_painter.setFont(uiFont(11));
    m_painter.setPen(m_theme.chrome.text2);
    std::size_t most = 0;
    for (const auto& ops : m_schedule.schedule().program)
        most = std::max(most, ops.size());
    for (int index = scroll.x() / kGridCell; index < static_cast<int>(most); ++index) {
        const QRect box(kGridHead + index * kGridCell - scroll.x(), 0, kGridCell - 1,
                        kGridRuler - 2);
        if (box.left() > size.width())
            break;
        if (box.left() >= kGridHead)
            m_painter.drawText(box, Qt::AlignCenter, QString::number(index));
    }
}

void GridPainter::paintHead(const QSize& size, const QPoint& scroll)
{
    m_painter.save();
    m_painter.setClipRect(0, kGridRuler, kGridHead, size.height());
    m_painter.fillRect(QRect(0, kGridRuler, kGridHead - 1, size.height()), m_theme.chrome.surface);
    m_painter.setFont(uiFont(12));
    m_painter.setPen(m_theme.chrome.text2);
    const int devices = static_cast<int>(m_schedule.schedule().program.size());
    for (int device = scroll.y() / kGridRow; device < devices; ++device) {
        const QRect box(14, kGridRuler + device * kGridRow - scroll.y() + 4, kGridHead - 18,
                        kGridBox);
        if (box.top() > size.height())
            break;
        m_painter.drawText(box, Qt::AlignVCenter | Qt::AlignLeft,
                           QObject::tr("device %1").arg(device));
    }
    m_painter.restore();
}

void GridPainter::paintSelection(const QRect& cell, bool hasFocus)
{
    m_painter.save();
    m_painter.setClipRect(kGridHead - 4, kGridRuler, 1 << 20, 1 << 20);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(QPen(m_theme.chrome.text, 2));
    m_painter.drawRect(cell.adjusted(-1, -1, 0, 1));
    if (hasFocus) {
        m_painter.setPen(QPen(m_theme.chrome.text, 1, Qt::DashLine));
        m_painter.drawRect(cell.adjusted(-4, -3, 2, 2));
    }
    m_painter.restore();
}

void GridPainter::paintWaits(std::span<const WaitBoxes> waits, const QSize& size)
{
    std::vector<WaitArrow> arrows;
    for (const WaitBoxes& wait : waits)
        arrows.push_back(arrowOf(wait.awaited, wait.waiting));
    m_painter.save();
    m_painter.setClipRect(kGridHead, kGridRuler, size.width(), size.height());
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(QPen(m_theme.chrome.surface, 4));
    for (const WaitArrow& arrow : arrows) // all light outlines first, so that they cover no line
        m_painter.drawPath(arrow.line);
    m_painter.setPen(QPen(m_theme.chrome.error, 1.6));
    for (const WaitArrow& arrow : arrows)
        m_painter.drawPath(arrow.line);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(m_theme.chrome.error);
    for (const WaitArrow& arrow : arrows)
        m_painter.drawPolygon(arrow.head);
    m_painter.restore();
}

void GridPainter::paintDrop(int x, int top)
{
    m_painter.fillRect(QRect(x - 2, top - 3, 3, kGridBox + 6), m_theme.chrome.text);
    m_painter.fillRect(QRect(x - 5, top - 4, 9, 2), m_theme.chrome.text);
    m_painter.fillRect(QRect(x - 5, top + kGridBox + 2, 9, 2), m_theme.chrome.text);
}

} // namespace app
