#include "engine/model/transformer_shape.h"

namespace engine {
namespace {

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
                .mask = isBidirectional(model.family) ? AttentionMask::Bidirectional
                                                      : AttentionMask::Causal}
    , width(model.width)
    , inner(transformerSpec(model).feedForwardWidth())
    , vocabulary(model.vocabulary)
    , positions(model.family == Family::Llama ? 0 : model.sequence)
    , patchValues(transformerSpec(model).patchValues())
    , embedded(patchValues > 0 ? patchValues + 1 : vocabulary)
    , rmsNorm(model.family == Family::Llama)
    , biased(model.family != Family::Llama)
    , gated(model.family == Family::Llama)
    , transformed(model.family == Family::Bert)
    , decoderBias(isBidirectional(model.family))
{
    expanded = gated ? 2 * inner : inner;
}

} // namespace engine
