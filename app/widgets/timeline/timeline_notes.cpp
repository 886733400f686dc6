// The strip of notes under the ruler of a timeline.
#include "app/widgets/timeline/timeline_impl.h"

#include <QPainter>

#include <utility>

namespace app {

NoteStrip TimelineWidget::Impl::noteStrip() const
{
    return {notes, axis(), areas.notes, widget.currentNote()};
}

void TimelineWidget::Impl::paintNotes(QPainter& painter) const
{
    if (notes.empty())
        return;
    painter.setFont(uiFont(11));
    painter.setPen(theme.theme().chrome.text2);
    painter.drawText(
        QRectF(0, areas.notes.top(), TimelineGeometry::kHeader - 8, areas.notes.height()),
        Qt::AlignRight | Qt::AlignVCenter, tr("notes"));
    paintNoteFlags(painter, noteStrip(), theme.theme());
}

bool TimelineWidget::Impl::chooseNote(QPointF at)
{
    const int note = noteAt(noteStrip(), at);
    if (note >= 0)
        goToNote(note);
    return note >= 0;
}

void TimelineWidget::Impl::goToNote(int note)
{
    if (isEmpty() || note < 0 || note >= static_cast<int>(notes.size()))
        return;
    const Selection what = selectionOf(*view, notes[static_cast<std::size_t>(note)]);
    const ViewWindow box{static_cast<double>(what.window.begin),
                         static_cast<double>(what.window.end)};
    if (box.duration() > window.duration())
        userShows(box.zoomed(1.25, box.centre()), Remember::Yes);
    else if (box.begin < window.begin || box.end > window.end)
        userShows(window.moved(box.centre() - window.centre()), Remember::Yes);
    widget.select(what);
}

void TimelineWidget::setNotes(std::vector<engine::Note> notes)
{
    const bool had = !m->notes.empty();
    m->notes = std::move(notes);
    if (had != !m->notes.empty())
        m->relayout();
    update();
}

void TimelineWidget::goToNote(int note)
{
    m->goToNote(note);
}

int TimelineWidget::currentNote() const
{
    if (m->isEmpty() || m->selection.kind == Selection::Kind::None)
        return -1;
    const Selection& selected = m->selection;
    for (std::size_t k = 0; k < m->notes.size(); ++k) {
        const engine::Note& note = m->notes[k];
        const bool isOfOp = selected.kind == Selection::Kind::Op && note.op == selected.op;
        if ((isOfOp || note.window == selected.window) // to look for the span of each is slow
            && selectionOf(*m->view, note) == selected)
            return static_cast<int>(k);
    }
    return -1;
}

} // namespace app
