#include "engine/model/model_spec.h"

#include "engine/model/block_layout.h"

#include <fmt/format.h>

namespace engine {

int firstLayer(const ModelSpec& model, int stages, int stage)
{
    return static_cast<int>(static_cast<std::int64_t>(stage) * model.layers / stages);
}

Result<void> checkModel(const ModelSpec& model, int stages)
{
    if (auto fields = checkFields(model); !fields)
        return fields;
    if (model.layers < stages)
        return fail(Error::Code::InvalidArgument,
                    fmt::format("{} layers cannot be cut into {} stages: use --layers {} or more, "
                                "or fewer devices or chunks",
                                model.layers, stages, stages));
    if (model.tied)
        return fail(Error::Code::Unsupported,
                    "tied embeddings cannot be trained by this version: set tied = false");
    return {};
}

std::int64_t parameterCount(const ModelSpec& model)
{
    const TransformerShape shape(model);
    const std::int64_t width = model.width;
    const auto block = static_cast<std::int64_t>(BlockWeights<float>::count(shape));
    const std::int64_t embedding = (model.vocabulary + model.sequence) * width;
    const std::int64_t head = 2 * width + (model.tied ? 0 : model.vocabulary * width);
    return model.layers * block + embedding + head;
}

// 72 B L s h^2 (1 + s / 6h + v / 12hL) (Narayanan et al., 2021, without recomputation).
double flopsPerIteration(const ModelSpec& model, int microBatches)
{
    const double sequences = static_cast<double>(model.microBatchSize) * microBatches;
    const double layers = model.layers, s = model.sequence, h = model.width, v = model.vocabulary;
    return sequences * s * (72 * layers * h * h + 12 * layers * s * h + 6 * h * v);
}

} // namespace engine
