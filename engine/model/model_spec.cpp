#include "engine/model/model_spec.h"

#include "engine/base/try.h"
#include "engine/model/transformer_head.h"
#include "engine/model/transformer_layout.h"

#include <algorithm>

namespace engine {

int firstLayer(const ModelSpec& model, int stages, int stage)
{
    return model.layout.first(model.layers, stages, stage);
}

Result<void> checkModel(const ModelSpec& model, int stages)
{
    TRY(checkFields(model));
    if (model.attention == AttentionKind::Flash && model.recompute == Recompute::Attention)
        return invalid("flash attention stores no scores, so there are none to recompute; use "
                       "--attention standard or --recompute none");
    if (model.layout.isDefault() && model.layers < stages)
        return invalid("{} layers cannot be divided into {} stages: use --layers {} or "
                       "more, or fewer devices or chunks",
                       model.layers, stages, stages);
    TRY(model.layout.check(model.name, model.layers, stages));
    const auto layers = model.layout.counts(model.layers, stages);
    if (const auto empty = std::ranges::find(layers, 0); empty != layers.end())
        return fail(Error::Code::Unsupported,
                    "--layout {}: stage {} has no layer and cannot be trained; give "
                    "it one, or use bscope simulate",
                    model.layout.text(), empty - layers.begin());
    return {};
}

int ModelSpec::inputs() const
{
    const TransformerShape shape(*this);
    return shape.rows() * std::max(1, shape.patchValues);
}

int ModelSpec::targets() const
{
    return TransformerShape(*this).predictions();
}

TransformerSpec transformerSpec(const ModelSpec& model)
{
    TransformerSpec sizes{model.name,  model.family,   model.layers,     model.width,
                          model.heads, model.sequence, model.vocabulary, model.patch};
    sizes.keyValueHeads = model.kvHeads;
    sizes.feedForward = model.ffnWidth;
    return sizes;
}

std::int64_t parameterCount(const ModelSpec& model)
{
    const TransformerShape shape(model);
    const std::int64_t width = model.width;
    const std::int64_t tied = model.tied ? model.vocabulary * width : 0;
    const std::int64_t block = BlockWeights<float>::count(shape);
    const auto head = static_cast<std::int64_t>(HeadWeights<float>::count(shape));
    return model.layers * block + (shape.embedded + shape.positions) * width + head - tied;
}

double flopsPerIteration(const ModelSpec& model, int microBatches)
{
    return modelFlops(transformerSpec(model),
                      static_cast<double>(model.microBatchSize) * microBatches);
}

double executedFlopsPerIteration(const ModelSpec& model, int microBatches, double recomputed)
{
    const double tokens = static_cast<double>(model.microBatchSize) * microBatches * model.sequence;
    const double once = flopsPerIteration(model, microBatches);
    const bool scoresAgain = TransformerShape(model).attention.kind != AttentionKind::Standard;
    const double scores = scoresAgain ? 2.0 * model.width * model.sequence * model.layers : 0;
    return once * (1 + recomputed / 3) + tokens * scores;
}

} // namespace engine
