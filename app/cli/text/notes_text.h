#pragma once

#include "engine/timeline/note.h"
#include "profiler/report/sheet.h"

namespace cli {

// Adds the notes of a run as the window lists them: subject, time, duration, text. Shown times are
// relative to the note's iteration.
void addNotes(const engine::Run& run, std::span<const engine::Note> notes, profiler::Sheet& sheet);

} // namespace cli
