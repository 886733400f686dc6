#include "app/documents/op_work.h"

#include "engine/experiment/experiment.h"
#include "engine/model/transformer_shape.h"

#include <algorithm>

namespace app {

std::optional<engine::ModelSpec> modelOf(const engine::RunInfo& info)
{
    if (info.experiment.empty() || info.flopsPerIteration <= 0)
        return std::nullopt;
    const auto experiment = engine::experimentFromToml(info.experiment);
    return experiment ? std::optional(experiment->model) : std::nullopt;
}

std::optional<std::pair<int, int>> layersOf(const engine::ModelSpec& model,
                                            const engine::Shape& shape, engine::StageId stage)
{
    const int first = engine::firstLayer(model, shape.stages, stage.value);
    const int next = engine::firstLayer(model, shape.stages, stage.value + 1);
    return first < next ? std::optional(std::pair(first, next - 1)) : std::nullopt;
}

double modelFlopsOf(const engine::ModelSpec& model, const engine::Shape& shape,
                    const engine::Op& op)
{
    using enum engine::OpKind;
    const engine::TransformerShape sizes(model);
    const auto layers = layersOf(model, shape, op.stage);
    const double blocks = layers ? layers->second - layers->first + 1 : 0;
    const double tokens
        = static_cast<double>(model.microBatchSize) * model.sequence / std::max(1, shape.slices);
    const bool isLast = op.stage.value + 1 == shape.stages;
    const double matrices
        = tokens * (blocks * engine::blockFlops(sizes) + (isLast ? engine::headFlops(sizes) : 0));
    const double attention = tokens * blocks * 4.0 * model.width * model.sequence;
    switch (op.kind) {
    case Forward:
        return matrices + attention;
    case Backward:
        return 2 * (matrices + attention);
    case BackwardInput: // includes the gradients of the attention scores
        return matrices + 2 * attention;
    case BackwardWeight:
        return matrices;
    default:
        return 0;
    }
}

} // namespace app
