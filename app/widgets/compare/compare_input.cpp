#include "app/timeline/details/tool_tip.h"
#include "app/timeline/paint/compare_memory.h"
#include "app/timeline/view/hit_test.h"
#include "app/widgets/compare/compare_impl.h"

#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

namespace app {
namespace {
constexpr double kDragFrom = 4; // pixels
constexpr double kNotch = 120;  // of a wheel
} // namespace

// The device beside whose lane, or in whose memory bar, a point lies.
int CompareWidget::Impl::deviceAt(const CompareRow& row, QPointF at) const
{
    if (at.x() < rowsArea().right()) {
        const int device = static_cast<int>(std::floor((at.y() - row.lanesTop) / row.pitch));
        return device < row.view->devices() ? device : -1;
    }
    const QRectF area = compareMemoryArea(row, columnOf(row));
    for (int d = 0; d < row.view->devices() && !area.isEmpty(); ++d) {
        if (compareMemorySlot(row, area, d).contains(at))
            return d;
    }
    return -1;
}

// `at`: within the rows, unscrolled.
Selection CompareWidget::Impl::hitIn(const CompareRow& row, QPointF at) const
{
    const int device = deviceAt(row, at);
    if (device < 0 || row.iteration < 0)
        return {};
    const engine::DeviceId id{device};
    if (at.x() >= kHeader && at.x() < rowsArea().right()) {
        const auto time = static_cast<std::int64_t>(std::floor(axisOf(row).time(at.x())));
        return row.window().contains(time)
            ? pieceSelection(*row.view, id, pieceAt(*row.view, id, time))
            : Selection{};
    }
    Selection whole;
    whole.kind = Selection::Kind::Device;
    whole.device = id;
    whole.iteration = row.iteration;
    whole.window = row.window();
    return whole;
}

CompareWidget::Impl::Mark CompareWidget::Impl::hit(QPointF at) const
{
    const QRectF area = rowsArea();
    if (at.y() < area.top() || at.y() >= area.bottom())
        return {};
    const QPointF inRows(at.x(), at.y() - kRuler + scrollBar->value());
    for (std::size_t k = 0; k < layout.rows.size(); ++k) {
        const CompareRow& row = layout.rows[k];
        if (inRows.y() < row.top || inRows.y() >= row.top + row.height)
            continue;
        const Selection found = hitIn(row, inRows);
        return found.kind == Selection::Kind::None ? Mark{} : Mark{static_cast<int>(k), found};
    }
    return {};
}

void CompareWidget::Impl::drag(QPointF to)
{
    const QRectF area = rowsArea();
    const double ticks = window.duration() / area.width();
    if (dragging == Drag::Pan) {
        show(pressedWindow.moved((pressedAt.x() - to.x()) * ticks), Remember::No);
        return;
    }
    if (dragging == Drag::Press && std::abs(to.x() - pressedAt.x()) >= kDragFrom)
        dragging = Drag::Range;
    if (dragging != Drag::Range)
        return;
    const double y = pressedAt.y() - kRuler + scrollBar->value();
    for (std::size_t k = 0; k < layout.rows.size(); ++k) {
        const CompareRow& row = layout.rows[k];
        const bool isLast = k + 1 == layout.rows.size();
        if (row.iteration < 0 || (y >= row.top + row.height && !isLast))
            continue;
        const TimeAxis axis = axisOf(row);
        const double a = axis.time(pressedAt.x());
        const double b = axis.time(std::clamp(to.x(), axis.left, axis.right()));
        Mark range{static_cast<int>(k), {}};
        range.selection.kind = Selection::Kind::Range;
        range.selection.iteration = row.iteration;
        range.selection.window = {std::llround(std::min(a, b)), std::llround(std::max(a, b))};
        setSelected(range);
        return;
    }
}

void CompareWidget::Impl::hoverAt(QPointF at)
{
    pointer = at;
    const Mark under = hit(at);
    if (under == hover)
        return;
    hover = under;
    QToolTip::hideText();
    toolTipTimer.stop();
    if (hover.row >= 0)
        toolTipTimer.start();
    widget.update();
}

void CompareWidget::Impl::showToolTip()
{
    if (hover.row < 0 || hover.row >= static_cast<int>(layout.rows.size()))
        return;
    const auto& view = *layout.rows[static_cast<std::size_t>(hover.row)].view;
    QToolTip::showText(widget.mapToGlobal(pointer.toPoint() + QPoint(8, 8)),
                       toolTipText(view, hover.selection), &widget);
}

void CompareWidget::Impl::wheel(QWheelEvent& event)
{
    const QPoint delta = event.angleDelta();
    const double notches = (delta.y() != 0 ? delta.y() : delta.x()) / kNotch;
    const QRectF area = rowsArea();
    const QPointF at = event.position();
    const bool isSideways = event.modifiers() & Qt::ShiftModifier || delta.y() == 0;
    if (at.x() < area.left() || at.x() > area.right()) {
        scrollBar->setValue(scrollBar->value() - static_cast<int>(notches * 60));
    } else if (isSideways) {
        show(window.moved(-notches * window.duration() / 10), Remember::No);
    } else {
        const double about
            = window.begin + (at.x() - area.left()) * window.duration() / area.width();
        const double step = event.modifiers() & Qt::ControlModifier ? 1.05 : 1.25;
        show(window.zoomed(std::pow(step, -notches), about), Remember::Yes);
    }
    hoverAt(at);
}

void CompareWidget::mousePressEvent(QMouseEvent* event)
{
    const bool pans = event->button() == Qt::MiddleButton
        || (event->button() == Qt::LeftButton && event->modifiers() & Qt::ShiftModifier);
    m->toolTipTimer.stop();
    QToolTip::hideText();
    m->pressedAt = event->position();
    m->pressedWindow = m->window;
    m->dragging = pans ? Impl::Drag::Pan : Impl::Drag::Press;
    if (pans)
        m->history.push(m->window);
}

void CompareWidget::mouseMoveEvent(QMouseEvent* event)
{
    if (m->dragging != Impl::Drag::None)
        m->drag(event->position());
    else
        m->hoverAt(event->position());
}

void CompareWidget::mouseReleaseEvent(QMouseEvent* event)
{
    if (m->dragging == Impl::Drag::Press)
        m->setSelected(m->hit(event->position()));
    m->dragging = Impl::Drag::None;
}

void CompareWidget::mouseDoubleClickEvent(QMouseEvent* event)
{
    const Impl::Mark mark = m->hit(event->position());
    if (mark.row < 0)
        return;
    const CompareRow& row = m->layout.rows[static_cast<std::size_t>(mark.row)];
    const ViewWindow box = m->shareOf(row, mark.selection.window);
    m->setSelected(mark);
    m->show(box.zoomed(1.25, box.centre()), Impl::Remember::Yes);
}

void CompareWidget::wheelEvent(QWheelEvent* event)
{
    if (!m->layout.rows.empty())
        m->wheel(*event);
    event->accept();
}

void CompareWidget::leaveEvent(QEvent*)
{
    m->toolTipTimer.stop();
    m->hover = {};
    update();
}

} // namespace app
