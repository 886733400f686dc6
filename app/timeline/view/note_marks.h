#pragma once

#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/theme.h"
#include "engine/timeline/note.h"

#include <span>
#include <vector>

class QPainter;

namespace app {

// Returns what a note is about as a selection: its op if the timeline has that op, otherwise its
// time.
Selection selectionOf(const RunView& view, const engine::Note& note);
// A note without text on an op, bubble, kernel or range.
engine::Note noteOn(const Selection& selection);
bool canBeNoted(const Selection& selection);

// The strip of notes: a numbered flag with elided text for each note, and a dotted line down over
// the lanes.
struct NoteStrip
{
    std::span<const engine::Note> notes; // sorted by time
    TimeAxis axis;
    QRectF area; // area of the strip
    int current = -1;
};
void paintNoteFlags(QPainter& painter, const NoteStrip& strip, const Theme& theme);
void paintNoteLines(QPainter& painter, const NoteStrip& strip, const QRectF& lanes,
                    const Theme& theme);
int noteAt(const NoteStrip& strip, QPointF at); // -1: no note

} // namespace app
