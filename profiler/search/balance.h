#pragma once

#include "engine/base/result.h"
#include "engine/cost/layer_layout.h"
#include "profiler/search/search.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace profiler {

// How good a layout is; the smallest is the best.
struct LayoutScore
{
    double excess = 0; // bytes above the limit on the device with the most
    std::int64_t iteration = 0;
    // The sum of the squared compute times of the devices. Of two layouts with equal iterations,
    // the more even one is nearer to a shorter one.
    double unevenness = 0;

    static LayoutScore of(const RunMetrics& metrics, const MemoryLimit& limit); // in bytes
    friend auto operator<=>(const LayoutScore&, const LayoutScore&) = default;
};
using ScoreLayout = std::function<engine::Result<LayoutScore>(const engine::LayerLayout&)>;

// A pipeline whose layers are divided among its stages, at the costs of a model on hardware or of a
// recorded run. Thread-safe.
struct LayoutTask
{
    engine::Schedule schedule;
    std::string costs;       // "gpt3-96b on A100 SXM 80 GB"
    std::vector<int> before; // layers of every stage: of the request, or of the run
    MemoryLimit limit;       // in bytes; `of` is empty: no limit
    std::function<engine::Result<PredictedRun>(const engine::LayerLayout&, bool needsSpans)>
        predict;

    // `memory` is a text of MemoryLimit; "": the memory of the hardware. Fails with
    // Error::Code::InvalidArgument if the costs are units or the limit is in stashes, and with
    // Error::Code::Unsupported if the run does not state its layers.
    static engine::Result<LayoutTask> create(const PredictionRequest& request,
                                             engine::Schedule schedule, const std::string& memory);
    engine::Result<LayoutScore> score(const engine::LayerLayout& layout) const;
    int layers() const { return std::accumulate(before.begin(), before.end(), 0); } // of the model
};

// Moves single layers between stages, and between two pairs of stages at a time in small pipelines,
// while the score improves. `layers` are those of every stage at the start; every stage keeps at
// least one. Fails as `score` does.
engine::Result<std::vector<int>> balancedLayers(std::vector<int> layers, const ScoreLayout& score);

} // namespace profiler
