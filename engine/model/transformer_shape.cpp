#include "engine/model/transformer_shape.h"

#include "engine/cost/transformer.h"

namespace engine {
namespace {

int ffnWidthOf(const ModelSpec& model)
{
    using Closed = TransformerSpec::Family;
    return model.ffnWidth > 0
        ? model.ffnWidth
        : TransformerSpec::defaultFeedForward(
            model.family == Family::Llama ? Closed::Llama : Closed::Gpt, model.width);
}

AttentionKind kindOf(const ModelSpec& model)
{
    const bool dropsScores = model.recompute == Recompute::Attention;
    return dropsScores && model.attention == AttentionKind::Standard ? AttentionKind::Recompute
                                                                     : model.attention;
}

} // namespace

TransformerShape::TransformerShape(const ModelSpec& model, int slices)
    : attention{.samples = model.microBatchSize,
                .sequence = model.sequence / slices,
                .heads = model.heads,
                .keyHeads = model.kvHeads > 0 ? model.kvHeads : model.heads,
                .headSize = model.width / model.heads,
                .slices = slices,
                .kind = kindOf(model),
                .mask = model.family == Family::Bert ? AttentionMask::Bidirectional
                                                     : AttentionMask::Causal}
    , width(model.width)
    , inner(ffnWidthOf(model))
    , vocabulary(model.vocabulary)
    , positions(model.family == Family::Llama ? 0 : model.sequence)
    , rmsNorm(model.family == Family::Llama)
    , biased(model.family != Family::Llama)
    , gated(model.family == Family::Llama)
    , transformed(model.family == Family::Bert)
{
    expanded = gated ? 2 * inner : inner;
}

double blockFlops(const TransformerShape& shape)
{
    const double c = shape.width, qkv = shape.attention.qkvWidth();
    return 2 * c * (qkv + c + shape.expanded + shape.inner);
}

double headFlops(const TransformerShape& shape)
{
    const double c = shape.width;
    return 2 * c * shape.vocabulary + (shape.transformed ? 2 * c * c : 0);
}

} // namespace engine
