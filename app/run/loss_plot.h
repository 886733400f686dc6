#pragma once

#include "app/documents/loss_series.h"
#include "app/figures/scene_view.h"

namespace app {

// Draws the loss by iteration: dots for micro-batches, a line for the mean, another background for
// warm-up, and dashed lines for the two entropies of the training text.
profiler::MarkedScene lossChart(const LossSeries& series, const ChartLook& look);

} // namespace app
