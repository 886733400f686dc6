#pragma once

#include "engine/timeline/note.h"
#include "engine/timeline/run.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

namespace cli {

// Returns the notes of a run as the window lists them: subject, time, duration, text. Times are
// relative to the note's iteration.
std::string notesText(const engine::Run& run, std::span<const engine::Note> notes);
nlohmann::ordered_json notesJson(const engine::Run& run, std::span<const engine::Note> notes);

} // namespace cli
