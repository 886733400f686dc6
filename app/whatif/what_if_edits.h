#pragma once

#include "app/whatif/what_if.h"

namespace app {

// A change to a measured run, and all other changes.
struct WhatIfEdit
{
    QString text; // "F on device 3 × 1.5"
    WhatIfChanges without;
};
// Returns an entry for each change.
std::vector<WhatIfEdit> editsOf(const WhatIfChanges& changes, const engine::Run& run);

// "2F3", "F on device 1", "F", "Device 1", "Link 0–1", "All links within nodes".
QString selectionText(const profiler::RunEdit& edit);

// Returns the slow-down factor of the ops or links that `edit` selects; 1 if none is set.
double slowdown(const WhatIfChanges& changes, const profiler::RunEdit& edit);
// Sets the slow-down factor of the ops or links that `edit` selects, clamped to the limits of
// factors. A factor of 1 removes the slow-down.
void setSlowdown(WhatIfChanges& changes, profiler::RunEdit edit);

// Returns the links between devices over which messages pass, as edits with a factor of 1. If the
// run names several hosts, edits for all links within nodes and for all links between nodes come
// first.
std::vector<profiler::RunEdit> linksOf(const engine::Run& run);

} // namespace app
