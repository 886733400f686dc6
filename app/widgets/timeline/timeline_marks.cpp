#include "app/timeline/view/navigation.h"
#include "app/widgets/timeline/timeline_widget.h"

#include <utility>

// The part of TimelineWidget that is about what is drawn over its lanes: notes and the critical
// path.

namespace app {

void TimelineWidget::setNotes(std::vector<engine::Note> notes)
{
    const bool had = !m_scene.notes.empty();
    m_scene.notes = std::move(notes);
    if (had != !m_scene.notes.empty())
        relayout();
    update();
}

void TimelineWidget::goToNote(int note)
{
    if (isEmpty() || note < 0 || note >= static_cast<int>(m_scene.notes.size()))
        return;
    const Selection what
        = selectionOf(*m_scene.view, m_scene.notes[static_cast<std::size_t>(note)]);
    if (const auto to = bringIn(what.window, inSight()))
        userMovesTo(*to, Remember::Yes);
    select(what);
}

void TimelineWidget::setPath(PathMarksPointer path)
{
    m_scene.path = std::move(path);
    m_scene.reason = -1;
    contentChanged();
}

void TimelineWidget::setReason(int reason)
{
    m_scene.reason = reason;
    update();
}

void TimelineWidget::revealReason(int reason)
{
    setReason(reason);
    const auto at = static_cast<std::size_t>(reason);
    if (isEmpty() || !m_scene.path || reason < 0 || at >= m_scene.path->why.reasons.size())
        return;
    const profiler::WhyReason& of = m_scene.path->why.reasons[at];
    Selection piece;
    piece.kind = Selection::Kind::Op;
    piece.iteration = m_scene.path->why.path.iteration;
    piece.device = of.device;
    piece.window = of.window;
    reveal(piece);
}

// The first Esc closes the path, the next one clears the selection.
void TimelineWidget::clearSelection()
{
    if (m_scene.path)
        Q_EMIT pathClosed();
    else
        setSelection({});
}

} // namespace app
