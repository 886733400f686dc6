#pragma once

#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <optional>

namespace app {

// The keys that go from the selected box to another: , . [ ] J K, up, down and Enter.
bool isWalkKey(int key);
// Where `key` leads; none: nowhere, the selection stays. Where neither op nor bubble is selected,
// to the first op of `iteration`.
std::optional<Selection> walked(const RunView& view, const Selection& from, int iteration, int key);

} // namespace app
