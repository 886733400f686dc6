#pragma once

#include "engine/timeline/run.h"

#include <optional>
#include <vector>

namespace app {

// The losses of a run by iteration, without the median iteration, which has none.
struct LossPoint
{
    bool isWarmup = false;
    int number = 0; // within its kind
    double mean = 0;
    std::vector<float> microBatches; // may be empty
};

struct LossSeries
{
    std::vector<LossPoint> points;
    int planned = 0;                                   // planned iterations, including warm-up
    std::optional<double> unigramEntropy, entropyRate; // of the data, nats per token

    double highest() const; // of means, micro-batches and reference lines; 0 without any
};

LossSeries lossSeries(const engine::Run& run);

} // namespace app
