#pragma once

#include "engine/timeline/note.h"
#include "profiler/figure/figure_content.h"
#include "profiler/figure/figure_style.h"

#include <span>
#include <string>
#include <vector>

namespace profiler {

// Those that begin within the drawn iteration, by time.
std::vector<engine::Note> notesOf(const FigureRun& run, std::span<const engine::Note> notes);

// Where the notes of one run stand: a strip above its rows.
struct NotePlace
{
    FigureScale scale;
    double top = 0, rows = 0, bottom = 0; // of the strip; of the rows below it
    double right = 0;                     // where words end
    std::string prefix;                   // of the group's id
};
double noteStripHeight(const FigureStyle& style);

// A flag each with its number, as many of its words as stand beside it before the next one, and a
// dashed line through the rows. A bookmark has a flag alone.
Group layoutNotes(std::span<const engine::Note> notes, const FigureStyle& style,
                  const NotePlace& place);

} // namespace profiler
