#pragma once

#include "engine/timeline/run.h"

#include <optional>
#include <vector>

namespace app {

// The losses of a run, iteration by iteration; the replay has none and is left out.
struct LossPoint
{
    bool isWarmup = false;
    int number = 0; // of its kind
    double mean = 0;
    std::vector<float> microBatches; // may be empty
};

struct LossSeries
{
    std::vector<LossPoint> points;
    int planned = 0; // iterations that the run was to have, warm-up ones included
    std::optional<double> unigramEntropy, entropyRate; // of the data, nats per token

    double highest() const; // of means, micro-batches and the reference lines; 0 when empty
};

LossSeries lossSeries(const engine::Run& run);

} // namespace app
