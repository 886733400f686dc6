#pragma once

#include "app/figures/scene_view.h"
#include "app/shell/page.h"

#include <vector>

namespace app {

// A number of every device, before and now.
struct DeviceBars
{
    std::string title, unit;
    std::vector<double> before, now; // empty: unknown
    double limit = 0;                // drawn as a line; 0: none
    int decimals = 1;
};
profiler::MarkedScene deviceBars(const DeviceBars& bars, const profiler::ChartStyle& style);

// The page that divides the layers of a model among the stages of a pipeline: by hand, as a text in
// Megatron-LM's form, or balanced for the shortest iteration within memory. Every change is
// simulated on another thread.
Page* makeLayout(const ThemeController& theme);

} // namespace app
