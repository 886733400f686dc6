#pragma once

#include "engine/timeline/note.h"
#include "profiler/figure/figure_content.h"
#include "profiler/figure/figure_style.h"

#include <span>
#include <string>
#include <vector>

namespace profiler {

// Returns the notes that begin within the drawn part of the iteration, in the order of `notes`.
std::vector<engine::Note> notesOf(const FigureRun& run, std::span<const engine::Note> notes);

// The strip above the rows of a run in which its notes are drawn. Positions are in points.
struct NotePlace
{
    FigureScale scale;
    double top = 0, rows = 0, bottom = 0; // top of the strip; top and bottom of the rows
    double right = 0;                     // right end of the texts
    std::string prefix;                   // prefix of the group's id
};
double noteStripHeight(const FigureStyle& style);

// Draws for each note a flag with its number, as much of its text as fits before the next flag, and
// a dashed line through the rows. A note without text gets only the flag.
Group layoutNotes(std::span<const engine::Note> notes, const FigureStyle& style,
                  const NotePlace& place);

} // namespace profiler
