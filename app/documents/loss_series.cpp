#include "app/documents/loss_series.h"

#include "app/documents/run_document.h"

#include <algorithm>
#include <cmath>

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
    double highest = 0;
    const auto take = [&highest](double loss) {
        if (std::isfinite(loss))
            highest = std::max(highest, loss);
    };
    take(unigramEntropy.value_or(0));
    take(entropyRate.value_or(0));
    for (const LossPoint& point : points) {
        take(point.mean);
        std::ranges::for_each(point.microBatches, take);
    }
    return highest;
}

} // namespace app
