#pragma once

#include "app/figures/scene_view.h"
#include "engine/timeline/run.h"

#include <optional>
#include <vector>

namespace app {

// The losses of one iteration. The Replay has no LossPoint, because it was not executed.
struct LossPoint
{
    bool isWarmup = false;
    int number = 0; // number among the iterations of its kind
    double mean = 0;
    std::vector<float> microBatches; // losses of the micro-batches; empty if unknown
};

struct LossSeries
{
    std::vector<LossPoint> points;
    int planned = 0; // planned iterations, including warm-up
    // Entropies of the training text in nats per token, drawn as reference lines.
    std::optional<double> unigramEntropy, entropyRate;

    // The largest finite mean, micro-batch loss or reference line; 0 if there is none.
    double highest() const;
};

LossSeries lossSeries(const engine::Run& run);

// Draws the loss by iteration: dots for micro-batches, a line for the mean, another background for
// warm-up, and dashed lines for the two entropies of the training text.
profiler::MarkedScene lossChart(const LossSeries& series, const ChartLook& look);

} // namespace app
