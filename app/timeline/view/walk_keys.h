#pragma once

#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <optional>

namespace app {

// The keys that move from the selected box to another: , . [ ] J K, Up, Down and Enter.
bool isWalkKey(int key);
// Returns what `key` selects; nullopt if the selection stays. If no op or bubble is selected, the
// key selects the first op of `iteration`.
std::optional<Selection> walked(const RunView& view, const Selection& from, int iteration, int key);

} // namespace app
