#include "app/models/loss_series.h"

#include "app/models/run_document.h"

#include <algorithm>

namespace app {

LossSeries lossSeries(const engine::Run& run)
{
    LossSeries series;
    series.planned = allIterations(run.info);
    series.unigramEntropy = run.info.unigramEntropy;
    series.entropyRate = run.info.entropyRate;
    for (const engine::Iteration& iteration : run.timeline.iterations)
        if (iteration.loss && iteration.kind != engine::Iteration::Kind::Replay)
            series.points.push_back({iteration.kind == engine::Iteration::Kind::Warmup,
                                     iteration.number, *iteration.loss, iteration.microBatchLoss});
    series.planned = std::max(series.planned, static_cast<int>(series.points.size()));
    return series;
}

double LossSeries::highest() const
{
    double highest = std::max(unigramEntropy.value_or(0), entropyRate.value_or(0));
    for (const LossPoint& point : points) {
        highest = std::max(highest, point.mean);
        for (const float loss : point.microBatches)
            highest = std::max(highest, static_cast<double>(loss));
    }
    return highest;
}

} // namespace app
