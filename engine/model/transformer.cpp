#include "engine/model/transformer.h"

#include "engine/base/check.h"
#include "engine/base/units.h"
#include "engine/model/random.h"
#include "engine/model/text_data.h"
#include "engine/model/typed_passes.h"

#include <algorithm>
#include <utility>

namespace engine {
namespace {

// Initializes the weights of a stage. The initial values depend only on the seed and the tensor
// names, so they are the same for every scheme, stage split and precision.
template<class Number>
void initializeWeights(const ModelSpec& spec, std::span<const Parameter> parameters,
                       std::uint64_t seed, std::span<Number> weights)
{
    for (const Parameter& parameter : parameters) {
        const std::span<Number> own = weights.subspan(parameter.offset, parameter.count);
        const bool copied = spec.tied && parameter.name == "head.weight";
        switch (parameter.init) {
        case Parameter::Init::Zero:
            std::ranges::fill(own, Number(0));
            break;
        case Parameter::Init::One:
            std::ranges::fill(own, Number(1));
            break;
        case Parameter::Init::Normal:
            fillNormal(Random::combine(seed, copied ? "embedding.token" : parameter.name),
                       spec.initStd, own);
            break;
        }
    }
}

template<class Real>
TransformerShape shapeFor(const ModelSpec& spec, int slices, const Kernels<Real>& kernels)
{
    TransformerShape shape(spec, slices);
    shape.attention.headsAtOnce = kernels.headsAtOnce(shape.attention);
    return shape;
}

// The pixels of the bytes 0 to 255, which are exact in every precision; empty if tokens are no
// images.
template<class Real>
std::vector<Real> pixelOfBytes(Family family)
{
    constexpr int kMiddle = 128;
    std::vector<Real> pixels;
    for (int byte = 0; byte < 2 * kMiddle && family == Family::Vit; ++byte)
        pixels.push_back(Real(Wide<Real>(byte - kMiddle) / kMiddle));
    return pixels;
}

} // namespace

template<class Real>
Transformer<Real>::Transformer(const ModelSpec& spec, int stages, const Kernels<Real>& kernels,
                               int slices)
    : m_spec(spec)
    , m_kernels(kernels)
    , m_block(shapeFor(spec, slices, kernels), spec.sequence, kernels)
    , m_head(shapeFor(spec, slices, kernels), spec.tied, kernels)
    , m_bytes(pixelOfBytes<Real>(spec.family))
    , m_deviceBytes(kernels.constants(m_bytes))
{
    CHECK(spec.sequence % slices == 0);
    for (int s = 0; s < stages; ++s) {
        m_layouts.emplace_back(spec, stages, s, slices).shape = shapeFor(spec, slices, kernels);
        std::vector<DecayPart>& parts = m_decayParts.emplace_back();
        for (const Parameter& each : m_parameters.emplace_back(m_layouts.back().describe()))
            parts.push_back({each.count, each.decays});
    }
}

template<class Real>
StageSizes Transformer<Real>::sizes(StageId stage) const
{
    const StageLayout<Real>& own = layout(stage);
    const Parameter& last = parameters(stage).back();
    const bool full = m_spec.recompute == Recompute::Full;
    return {.parameters = last.offset + last.count,
            .stash = full ? own.shape.state() : own.stash(),
            .recomputed = full ? own.stash() : 0,
            .weightStash = own.weightStash(),
            .input = own.first ? 0 : own.shape.state(),
            .output = own.last ? 0 : own.shape.state(),
            .workspace = workspaceCount(own),
            .headKept = own.headKept(),
            .headRest = own.headRest(),
            .numberBytes = sizeof(Real),
            .masters = kHasMasters ? last.offset + last.count : 0};
}

// Suffices for a forward and for a backward. With full recomputation, a forward also needs two
// states and the stash of one block or of the head.
template<class Real>
std::size_t Transformer<Real>::workspaceCount(const StageLayout<Real>& own) const
{
    const TransformerShape& shape = own.shape;
    std::size_t forward = Block::forwardWorkspace(shape);
    if (m_spec.recompute == Recompute::Full) {
        const std::size_t block
            = BlockStash<Real>::keptCount(shape) + BlockStash<Real>::restCount(shape) + forward;
        const std::size_t head = HeadStash<Real>::keptCount(shape)
            + HeadStash<Real>::restCount(shape) + Head::forwardWorkspace(shape);
        forward = wholePlaces<Real>(2 * shape.state()) + std::max(block, own.last ? head : 0);
    }
    const std::size_t pixels = own.first ? shape.times(shape.patchValues) : 0;
    const std::size_t head = own.last ? Head::backwardWorkspace(shape) : 0;
    return wholePlaces<Real>(std::max({forward, Block::backwardWorkspace(shape), pixels, head}));
}

// A backward needs twice as many FLOPs as a forward. Attention has no weights, so its backward
// belongs to I, as does that of the embedding. With slices, these are averages.
template<class Real>
StageFlops Transformer<Real>::flops(StageId stage) const
{
    const StageLayout<Real>& own = layout(stage);
    const TransformerSpec sizes = transformerSpec(m_spec);
    const double sequences = ratio(own.shape.rows(), m_spec.sequence);
    const double attention = own.blocks * attentionFlops(sizes, sequences);
    const double matrices
        = own.blocks * layerFlops(sizes, sequences) + (own.last ? headFlops(sizes, sequences) : 0);
    const double embedding = own.first ? embeddingFlops(sizes, sequences) : 0;
    const bool scoresAgain = own.shape.attention.kind != AttentionKind::Standard;
    return {.forward = matrices + attention + embedding,
            .backwardInput = matrices + attention * (scoresAgain ? 2.5 : 2) + embedding,
            .backwardWeight = matrices,
            .recompute = m_spec.recompute == Recompute::Full ? matrices + attention : 0};
}

// The tied matrix, (V, C), is the first parameter of the first stage and the matrix of the head.
template<class Real>
std::optional<TiedParameters> Transformer<Real>::tied() const
{
    if (!m_spec.tied)
        return {};
    const StageLayout<Real>& last = m_layouts.back();
    return TiedParameters{.first = StageId{0},
                          .last = StageId{stages() - 1},
                          .firstOffset = 0,
                          .lastOffset = last.headWeight(),
                          .count = static_cast<std::size_t>(m_spec.vocabulary) * m_spec.width};
}

// The objective is the mean over predicted tokens. forward() adds this mean times the number of all
// tokens to the loss.
template<class Real>
Wide<Real> Transformer<Real>::lossScale(double tokens) const
{
    return 1 / (tokens * predictedShare());
}

template<class Real>
double Transformer<Real>::predictedShare() const
{
    const int predicted = m_spec.family == Family::Bert ? hiddenTokens(m_spec.sequence)
        : m_spec.family == Family::Vit                  ? 1
                                                        : m_spec.sequence;
    return ratio(predicted, m_spec.sequence);
}

template<class Real>
std::span<const Parameter> Transformer<Real>::parameters(StageId stage) const
{
    return m_parameters[stage];
}

template<class Real>
void Transformer<Real>::initialize(StageId stage, std::uint64_t seed, std::span<std::byte> weights,
                                   [[maybe_unused]] std::span<Gradient> masters) const
{
    const std::span<Real> own = numbersIn<Real>(weights);
    if constexpr (kHasMasters) {
        initializeWeights(m_spec, parameters(stage), seed, masters);
        std::ranges::transform(masters, own.begin(), [](Gradient x) { return Real(x); });
    } else
        initializeWeights(m_spec, parameters(stage), seed, own);
}

template<class Real>
template<class Number>
Matrix<Number> Transformer<Real>::positionTable(Number* embedding, int slice) const
{
    const TransformerShape& shape = m_layouts.front().shape;
    if (shape.positions == 0)
        return {};
    const auto row = shape.embedded + static_cast<std::ptrdiff_t>(slice) * shape.attention.sequence;
    return {embedding + row * shape.width, shape.attention.sequence, shape.width};
}

template<class Real>
Matrix<const Real> Transformer<Real>::pixels(const TokenBatch& tokens,
                                             std::span<Real> workspace) const
{
    const TransformerShape& shape = m_layouts.front().shape;
    const auto pixels = shape.matrix(workspace.data(), shape.patchValues);
    m_kernels.embedding(tokens.inputs, m_deviceBytes, {},
                        {pixels.data, pixels.rows * pixels.columns, 1});
    return pixels;
}

template<class Real>
void Transformer<Real>::embed(const ForwardPass<Real>& pass, Matrix<Real> x) const
{
    const Real* embedding = pass.weights.data();
    const auto positions = positionTable(embedding, pass.slice.index);
    if (m_spec.family != Family::Vit)
        return m_kernels.embedding(pass.tokens.inputs, embedding, positions, x);
    const auto patches = pixels(pass.tokens, pass.workspace);
    linear<Real>(m_kernels, patches, embedding,
                 embedding + static_cast<std::ptrdiff_t>(patches.columns) * x.columns, x);
    m_kernels.addBias(samplesOf(x), positions.data);
}

template<class Real>
void Transformer<Real>::enter(const StageLayout<Real>& own, const ForwardPass<Real>& pass,
                              Matrix<Real> x) const
{
    if (own.first)
        embed(pass, x);
    else
        m_kernels.copy(pass.input, all(x));
}

template<class Real>
void Transformer<Real>::forward(StageId stage, const ForwardPass<std::byte>& memory) const
{
    const auto pass = numbersIn<Real>(memory);
    const StageLayout<Real>& own = layout(stage);
    if (m_spec.recompute == Recompute::Full)
        return forwardOnce(own, pass);
    const StageStash<Real> stash(pass.stash.data(), own, pass.pieces);
    enter(own, pass, stash.x(0));
    for (int b = 0; b < own.blocks; ++b) {
        const bool toNext = b == own.blocks - 1 && !own.last;
        m_block.forward({.weights = {pass.weights.data() + own.blockParameters(b), own.shape},
                         .stash = stash.block(b),
                         .x = stash.x(b),
                         .out = toNext ? own.shape.stateOf(pass.output.data()) : stash.x(b + 1),
                         .earlier = stash.earlier(b, pass.slice),
                         .workspace = pass.workspace.data()});
    }
    if (own.last)
        m_head.forward({.weights = {pass.weights.data() + own.headParameters(), own.shape},
                        .stash = stash.head(),
                        .x = stash.x(own.blocks),
                        .targets = pass.tokens.targets,
                        .loss = pass.loss,
                        .share = predictedShare(),
                        .workspace = pass.workspace.data()});
}

// Runs F with full recomputation: keeps only the input of the stage and computes blocks and head in
// the workspace.
template<class Real>
void Transformer<Real>::forwardOnce(const StageLayout<Real>& own,
                                    const ForwardPass<Real>& pass) const
{
    const TransformerShape& shape = own.shape;
    Matrix<Real> x = shape.stateOf(pass.stash.data());
    enter(own, pass, x);
    Real* scratch = pass.workspace.data() + wholePlaces<Real>(2 * shape.state());
    Real* rest = scratch + BlockStash<Real>::keptCount(shape);
    Real* ofHead = scratch + HeadStash<Real>::keptCount(shape);
    for (int b = 0; b < own.blocks; ++b) {
        const bool toNext = b == own.blocks - 1 && !own.last;
        const Matrix<Real> out = shape.stateOf(
            toNext ? pass.output.data() : pass.workspace.data() + (b % 2) * shape.state());
        m_block.forward({.weights = {pass.weights.data() + own.blockParameters(b), shape},
                         .stash = {scratch, rest, shape},
                         .x = x,
                         .out = out,
                         .earlier = {},
                         .workspace = rest + BlockStash<Real>::restCount(shape)});
        x = out;
    }
    if (own.last)
        m_head.forward({.weights = {pass.weights.data() + own.headParameters(), shape},
                        .stash = {scratch, ofHead, shape},
                        .x = x,
                        .targets = pass.tokens.targets,
                        .loss = pass.loss,
                        .share = predictedShare(),
                        .workspace = ofHead + HeadStash<Real>::restCount(shape)});
}

// Runs forward() without its output, so the last block omits its last matrix product.
template<class Real>
void Transformer<Real>::recompute(StageId stage, const RecomputePass<std::byte>& memory) const
{
    const auto pass = numbersIn<Real>(memory);
    const StageLayout<Real>& own = layout(stage);
    const StageStash<Real> stash(pass.recomputed.data(), own, pass.pieces);
    m_kernels.copy(pass.stash, all(stash.x(0)));
    for (int b = 0; b < own.blocks; ++b) {
        const bool toNext = b == own.blocks - 1 && !own.last;
        m_block.forward({.weights = {pass.weights.data() + own.blockParameters(b), own.shape},
                         .stash = stash.block(b),
                         .x = stash.x(b),
                         .out = toNext ? Matrix<Real>() : stash.x(b + 1),
                         .earlier = {},
                         .workspace = pass.workspace.data()});
    }
    if (own.last)
        m_head.forward({.weights = {pass.weights.data() + own.headParameters(), own.shape},
                        .stash = stash.head(),
                        .x = stash.x(own.blocks),
                        .targets = pass.tokens.targets,
                        .workspace = pass.workspace.data()});
}

// Runs I and W block by block, so that the input of W is still in the cache.
template<class Real>
void Transformer<Real>::backward(StageId stage,
                                 const BackwardPass<std::byte, Gradient>& memory) const
{
    const auto pass = numbersIn<Real>(memory);
    const StageLayout<Real>& own = layout(stage);
    const WeightPass<Real> weight{pass.stash, pass.gradients, pass.pieces.headKept};
    if (own.last) {
        headBackwardInput(own, pass);
        headBackwardWeight(own, weight);
    }
    for (int b = own.blocks; b-- > 0;) {
        blockBackwardInput(own, pass, b);
        const bool fromNext = b == own.blocks - 1 && !own.last;
        blockBackwardWeight(own, weight, b,
                            fromNext ? own.shape.stateOf(pass.outputGradient.data())
                                     : StageStash<const Real>(pass.stash.data(), own).dOut(b));
    }
    if (own.first)
        embeddingBackward(own, pass);
}

template<class Real>
void Transformer<Real>::backwardInput(StageId stage,
                                      const BackwardPass<std::byte, Gradient>& memory) const
{
    const auto pass = numbersIn<Real>(memory);
    const StageLayout<Real>& own = layout(stage);
    if (own.last)
        headBackwardInput(own, pass);
    for (int b = own.blocks; b-- > 0;)
        blockBackwardInput(own, pass, b);
    if (own.first)
        embeddingBackward(own, pass);
    if (!own.last) // W reads dOut of the last block after the message's slot is freed
        m_kernels.copy(pass.outputGradient,
                       all(StageStash<Real>(pass.stash.data(), own).dOut(own.blocks - 1)));
}

template<class Real>
void Transformer<Real>::backwardWeight(StageId stage,
                                       const WeightPass<std::byte, Gradient>& memory) const
{
    const auto pass = numbersIn<Real>(memory);
    const StageLayout<Real>& own = layout(stage);
    if (own.last)
        headBackwardWeight(own, pass);
    for (int b = own.blocks; b-- > 0;)
        blockBackwardWeight(own, pass, b, StageStash<const Real>(pass.stash.data(), own).dOut(b));
}

template<class Real>
void Transformer<Real>::blockBackwardInput(const StageLayout<Real>& own,
                                           const BackwardPass<Real>& pass, int block) const
{
    const StageStash<Real> stash(pass.stash.data(), own, pass.pieces);
    const bool fromNext = block == own.blocks - 1 && !own.last;
    const bool toPrevious = block == 0 && !own.first;
    const std::size_t weights = own.blockParameters(block);
    m_block.backwardInput(
        {.weights = {pass.weights.data() + weights, own.shape},
         .gradients = {pass.gradients.data() + weights, own.shape},
         .stash = stash.block(block),
         .x = stash.x(block),
         .dOut = fromNext ? own.shape.stateOf(pass.outputGradient.data()) : stash.dOut(block),
         .dx = toPrevious ? own.shape.stateOf(pass.inputGradient.data()) : stash.x(block),
         .earlier = stash.earlier(block, pass.slice),
         .workspace = pass.workspace.data()});
}

template<class Real>
void Transformer<Real>::blockBackwardWeight(const StageLayout<Real>& own,
                                            const WeightPass<Real>& pass, int block,
                                            Matrix<const Real> dOut) const
{
    m_block.backwardWeight(
        {.gradients = {pass.gradients.data() + own.blockParameters(block), own.shape},
         .stash = StageStash<const Real>(pass.stash.data(), own).block(block),
         .dOut = dOut});
}

template<class Real>
void Transformer<Real>::headBackwardInput(const StageLayout<Real>& own,
                                          const BackwardPass<Real>& pass) const
{
    const StageStash<Real> stash(pass.stash.data(), own, pass.pieces);
    m_head.backwardInput({.weights = {pass.weights.data() + own.headParameters(), own.shape},
                          .stash = stash.head(),
                          .x = stash.x(own.blocks),
                          .targets = pass.tokens.targets},
                         {.gradients = {pass.gradients.data() + own.headParameters(), own.shape},
                          .lossScale = pass.lossScale,
                          .workspace = pass.workspace.data()});
}

template<class Real>
void Transformer<Real>::headBackwardWeight(const StageLayout<Real>& own,
                                           const WeightPass<Real>& pass) const
{
    const StashPieces<const Real> pieces{.headKept = pass.headKept};
    m_head.backwardWeight(StageStash<const Real>(pass.stash.data(), own, pieces).head(),
                          {pass.gradients.data() + own.headParameters(), own.shape});
}

template<class Real>
void Transformer<Real>::embeddingBackward(const StageLayout<Real>& own,
                                          const BackwardPass<Real>& pass) const
{
    Wide<Real>* embedding = pass.gradients.data();
    const auto positions = positionTable(embedding, pass.slice.index);
    const Matrix<Real> dx = StageStash<Real>(pass.stash.data(), own, pass.pieces).x(0);
    if (m_spec.family != Family::Vit)
        return m_kernels.embeddingBackward(pass.tokens.inputs, dx, embedding, positions);
    const auto patches = pixels(pass.tokens, pass.workspace);
    linearBackwardWeight<Real>(m_kernels, patches, dx, embedding,
                               embedding
                                   + static_cast<std::ptrdiff_t>(patches.columns) * dx.columns);
    m_kernels.addBiasGradient(samplesOf(dx), positions.data);
}

template<class Real>
void Transformer<Real>::update(StageId stage, std::span<std::byte> weights,
                               std::span<const Gradient> gradients, std::span<Gradient> optimizer,
                               int step) const
{
    const std::size_t count = gradients.size();
    Real* stored = numbersIn<Real>(weights).data();
    Gradient *trained = nullptr, *moments = optimizer.data();
    if constexpr (kHasMasters)
        trained = std::exchange(moments, moments + count);
    else
        trained = stored;
    m_kernels.adamW({.weights = trained,
                     .rounded = kHasMasters ? stored : nullptr,
                     .firstMoment = moments,
                     .secondMoment = moments + count,
                     .gradients = gradients.data(),
                     .count = count,
                     .learningRate = m_spec.learningRate,
                     .beta1 = m_spec.beta1,
                     .beta2 = m_spec.beta2,
                     .epsilon = m_spec.epsilon,
                     .weightDecay = m_spec.weightDecay,
                     .step = step},
                    m_decayParts[stage]);
}

template class Transformer<float>;
template class Transformer<double>;
template class Transformer<bfloat16>;

std::unique_ptr<PipelineModel<float>> makeTransformer(const ModelSpec& spec, int stages,
                                                      const Device& device, int slices)
{
    CHECK(checkPrecision(spec.precision, device));
    switch (spec.precision) {
    case Precision::Bf16:
        return std::make_unique<Transformer<bfloat16>>(spec, stages, *device.bfloat16Kernels(),
                                                       slices);
    case Precision::Tf32:
        return std::make_unique<Transformer<float>>(spec, stages, *device.tf32Kernels(), slices);
    case Precision::Fp32:
        break;
    }
    return std::make_unique<Transformer<float>>(spec, stages, device.kernels(), slices);
}

Result<void> checkPrecision(Precision precision, const Device& device)
{
    if (precision == Precision::Fp32
        || (precision == Precision::Bf16 && device.bfloat16Kernels() != nullptr)
        || (precision == Precision::Tf32 && device.tf32Kernels() != nullptr))
        return {};
    return fail(Error::Code::Unsupported, "{} does not support {} training: use --precision fp32{}",
                device.info().name, nameIn(kPrecisionNames, precision),
                precision == Precision::Tf32 ? ", or --backend cuda" : "");
}

} // namespace engine
