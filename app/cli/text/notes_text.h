#pragma once

#include "engine/timeline/note.h"
#include "engine/timeline/run.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>

namespace cli {

// The notes that people made in a run, as the window lists them: what each is about, when, how
// long, its words. Times count from the start of the note's iteration.
std::string notesText(const engine::Run& run, std::span<const engine::Note> notes);
nlohmann::ordered_json notesJson(const engine::Run& run, std::span<const engine::Note> notes);

} // namespace cli
