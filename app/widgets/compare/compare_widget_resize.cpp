#include "app/widgets/compare/compare_widget.h"

#include <QMouseEvent>

#include <cmath>

// Ops whose ends the user drags.

namespace app {
namespace {

constexpr double kNear = 4; // pixels from the end of an op

} // namespace

void CompareWidget::setEditable(int run)
{
    m_editable = run;
    unsetCursor();
}

std::optional<CompareScene::Mark> CompareWidget::endAt(QPointF at) const
{
    if (m_editable < 0 || isCompact())
        return std::nullopt;
    for (const double left : {kNear, 0.0}) {
        const CompareScene::Mark mark = m_scene.hit(at - QPointF(left, 0));
        if (mark.row >= 0 && mark.selection.kind == Selection::Kind::Op
            && mark.selection.window.duration() > 0
            && std::abs(m_scene.boxOf(mark).right() - at.x()) <= kNear && editableOf(mark))
            return mark;
    }
    return std::nullopt;
}

std::optional<CompareScene::Mark> CompareWidget::editableOf(const CompareScene::Mark& mark) const
{
    const CompareRow& from = m_scene.row(mark.row);
    const CompareRow* to = m_scene.rows.rowOf(static_cast<std::size_t>(m_editable));
    if (to == nullptr || to->iteration < 0 || from.view->run().schedule != to->view->run().schedule)
        return std::nullopt;
    CompareScene::Mark same{static_cast<int>(to - m_scene.rows.rows.data()), mark.selection};
    const auto span = to->view->spanOf(same.selection.op, to->iteration);
    if (!span)
        return std::nullopt;
    same.selection.iteration = to->iteration;
    same.selection.window = span->window();
    return same;
}

bool CompareWidget::ownPress(QMouseEvent& event)
{
    const auto mark = event.button() == Qt::LeftButton && event.modifiers() == Qt::NoModifier
        ? endAt(event.position())
        : std::nullopt;
    if (!mark)
        return false;
    const CompareScene::Mark edited = *editableOf(*mark);
    setSelected(edited);
    const TimeAxis axis = m_scene.axisOf(m_scene.row(mark->row));
    m_resize = {axis.ticksPerPixel(), mark->selection.window.duration(),
                edited.selection.window.duration()};
    return true;
}

// The scale of the press applies until the release, although the picture may be fitted again.
void CompareWidget::ownDrag(QPointF from, QPointF to)
{
    if (!m_resize)
        return;
    const double duration
        = static_cast<double>(m_resize->before) + (to.x() - from.x()) * m_resize->ticksPerPixel;
    const std::int64_t least = std::max<std::int64_t>(1, m_resize->before / 100);
    const std::int64_t now = std::max<std::int64_t>(least, std::llround(duration));
    if (now == m_resize->now)
        return;
    const double ratio = static_cast<double>(now) / static_cast<double>(m_resize->now);
    m_resize->now = now;
    Q_EMIT opScaled(ratio, false);
}

void CompareWidget::mouseReleaseEvent(QMouseEvent* event)
{
    TimeCanvas::mouseReleaseEvent(event);
    if (!m_resize)
        return;
    m_resize.reset();
    Q_EMIT opScaled(1, true);
}

} // namespace app
