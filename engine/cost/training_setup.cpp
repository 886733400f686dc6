#include "engine/cost/training_setup.h"

#include "engine/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

double tokens(const TransformerSpec& model, const TrainingSetup& setup)
{
    return static_cast<double>(model.sequence) * setup.microBatchSize;
}

// The activations of the formulas below have two bytes, except masks, log-sum-exps and logits.
double perTwoBytes(const TrainingSetup& setup)
{
    return setup.activationBytes / 2;
}

// Bytes of a GPT layer (Korthikanti et al., arXiv 2205.05198): s b h (10 + 24/t + 5 a s/(h t)). The
// last term applies only if scores are stored. The formula changes as follows:
//   Sequence parallelism: the 10 is divided by t, too.
//   Feed-forward width f other than 4 h: the 24 becomes 8 + 4 f/h.
//   g heads of keys and values for a heads: the 8 of attention becomes 4 + 4 g/a.
//   No dropout: 8 + 24/t + 2 a s/(h t). The two masks of the residual branches (2 of the 10), the
//   mask of the scores (1 of the 5) and the scores after dropout (2 of the 5) are missing.
double gptLayer(const TransformerSpec& model, const TrainingSetup& setup)
{
    const double h = model.width, t = setup.tensorParallel;
    const double split = setup.sequenceParallel ? t : 1;
    const double size = perTwoBytes(setup);
    const double norms = 8 * size + (model.dropout ? 2 : 0);
    const double scores = model.dropout ? 4 * size + 1 : 2 * size;
    const double attention = 4 * h * (1 + model.keyValueShare());
    double perToken = norms * h / split + size * (attention + 4 * model.feedForwardWidth()) / t;
    if (setup.attention == AttentionMode::Standard)
        perToken += scores * model.heads * model.sequence / t;
    if (setup.attention == AttentionMode::Flash)
        perToken += 4.0 * model.heads / t; // log-sum-exp
    return tokens(model, setup) * perToken;
}

// Bytes of a Llama layer with unfused SwiGLU. It keeps the inputs of two norms, of QKV and of the
// MLP. It also keeps QKV, the attention output, gate, up, silu(gate) and silu(gate) * up.
double llamaLayer(const TransformerSpec& model, const TrainingSetup& setup)
{
    const double h = model.width, t = setup.tensorParallel;
    const double split = setup.sequenceParallel ? t : 1;
    const double size = perTwoBytes(setup);
    double perToken = size
        * (8 * h / split
           + (2 * h * (1 + 2 * model.keyValueShare()) + 2 * h + 8 * model.feedForwardWidth()) / t);
    if (setup.attention == AttentionMode::Standard)
        perToken += 2 * size * model.heads * model.sequence / t;
    if (setup.attention == AttentionMode::Flash)
        perToken += 4.0 * model.heads / t;
    return tokens(model, setup) * perToken;
}

} // namespace

double headsPerRank(const TransformerSpec& model, const TrainingSetup& setup)
{
    return static_cast<double>(model.heads) * setup.microBatchSize / setup.tensorParallel;
}

AttentionKernels attentionKernels(const TransformerSpec& model, const TrainingSetup& setup)
{
    if (setup.attention == AttentionMode::Flash)
        return {"flash attention", 0, 0};
    constexpr int kShortest = 17, kLongest = 16'384, kGroup = 4;
    const bool isFused = std::fmod(headsPerRank(model, setup), kGroup) == 0
        && kShortest <= model.sequence && model.sequence <= kLongest
        && model.sequence % kGroup == 0;
    // Per score, dropout reads 2 bytes and writes 2 bytes and a mask of 1 byte; its backward reads
    // 3 bytes and writes 2.
    const double dropout = model.dropout ? 5 : 0;
    return isFused ? AttentionKernels{"fused softmax", 4 + dropout, 6 + dropout}
                   : AttentionKernels{"separate kernels", 36 + dropout, 40 + dropout};
}

TrainingSetup withoutRecompute(TrainingSetup setup)
{
    setup.recomputesAll = false;
    if (setup.attention == AttentionMode::Recompute)
        setup.attention = AttentionMode::Standard;
    return setup;
}

double boundaryBytes(const TransformerSpec& model, const TrainingSetup& setup)
{
    return setup.activationBytes * tokens(model, setup) * model.width
        / (setup.sequenceParallel ? setup.tensorParallel : 1);
}

double layerStashBytes(const TransformerSpec& model, const TrainingSetup& setup)
{
    if (setup.recomputesAll)
        return boundaryBytes(model, setup);
    return model.family == Family::Llama ? llamaLayer(model, setup) : gptLayer(model, setup);
}

double embeddingStashBytes(const TransformerSpec& model, const TrainingSetup& setup)
{
    const double inputs = model.isVit() ? setup.activationBytes * model.patchValues() : 8;
    return tokens(model, setup)
        * (inputs + (model.dropout ? static_cast<double>(model.width) / setup.tensorParallel : 0));
}

double headStashBytes(const TransformerSpec& model, const TrainingSetup& setup)
{
    const double h = model.width, transform = model.family == Family::Bert ? 6 * h : 0;
    const double predictions = model.isVit() ? setup.microBatchSize : tokens(model, setup);
    return (tokens(model, setup) * perTwoBytes(setup) * 2 * h
            + predictions * (perTwoBytes(setup) * (2 * h + transform) + 4.0 * model.vocabulary))
        / setup.tensorParallel;
}

int layersOf(const TransformerSpec& model, const TrainingSetup& setup, int stages, int stage)
{
    return setup.layout.count(model.layers, stages, stage);
}

double stageParameters(const TransformerSpec& model, const TrainingSetup& setup, int stages,
                       int stage)
{
    double parameters = layersOf(model, setup, stages, stage) * parametersPerLayer(model);
    if (stage == 0)
        parameters += embeddingParameters(model);
    if (stage == stages - 1)
        parameters += headParameters(model);
    if (stages == 1 && isTied(model))
        parameters -= embeddingParameters(model);
    return parameters / setup.tensorParallel;
}

double stageStashBytes(const TransformerSpec& model, const TrainingSetup& setup, int stages,
                       int stage)
{
    double bytes = layersOf(model, setup, stages, stage) * layerStashBytes(model, setup);
    if (stage == 0)
        bytes += embeddingStashBytes(model, setup);
    if (stage == stages - 1)
        bytes += headStashBytes(model, setup);
    return bytes;
}

Result<void> checkHeads(std::string_view model, int heads, int tensorParallel)
{
    if (tensorParallel >= 1 && heads % tensorParallel == 0)
        return {};
    int below = std::clamp(tensorParallel, 1, heads), above = below;
    while (heads % below != 0)
        --below;
    while (heads % above != 0)
        ++above;
    return invalid("--tensor-parallel {}: {} has {} attention heads, which {} devices "
                   "cannot share equally; use {}",
                   tensorParallel, model, heads, tensorParallel,
                   below == above ? fmt::format("{}", below)
                                  : fmt::format("{} or {}", below, above));
}

Result<void> checkParallel(const TransformerSpec& model, const TrainingSetup& setup, int stages)
{
    TRY(setup.layout.check(model.name, model.layers, stages));
    return checkHeads(model.name, model.heads, setup.tensorParallel);
}

Fields<TrainingSetup> trainingSetupFields()
{
    using S = TrainingSetup;
    static const std::vector<Field<S>> kFields = [] {
        constexpr double kMostBatch = 1 << 20, kMostDevices = 4096;
        std::vector<Field<S>> fields{
            field<S>(option("", "--micro-batch-size", "Micro-batch size",
                            "Sequences in a micro-batch of the model", "b")
                         .between(1, kMostBatch),
                     &S::microBatchSize),
            field<S>(option("", "--tensor-parallel", "Tensor-parallel",
                            "Devices that share each stage", "t")
                         .between(1, kMostDevices),
                     &S::tensorParallel),
            field<S>(
                option("", "--attention", "Attention",
                       "standard: stores the attention scores; recompute: computes them again in "
                       "the backward; flash: never stores them")
                    .oneOf({"standard", "recompute", "flash"}),
                &S::attention),
            field<S>(option("", "--no-sequence-parallel", "No sequence parallelism",
                            "Do not split norms and dropout over the devices of a stage"),
                     &S::sequenceParallel),
            field<S>(
                option("", "--recompute-all", "Recompute all", "Keep only the input of a layer"),
                &S::recomputesAll),
            field<S>(option("", "--allreduce-precision", "All-reduce precision",
                            "Precision in which all-reduces sum gradients: 4 or 2 bytes per "
                            "parameter")
                         .oneOf({"fp32", "bf16"}),
                     &S::allReducePrecision),
            layoutField(option("", "--layout", "Layers per stage", kLayoutHelp), &S::layout),
            field<S>(reserveOption(""), &S::reserve),
        };
        Field<S>& whole = fields[3]; // this option turns sequence parallelism off
        whole.get = [](const S& setup) { return setup.sequenceParallel ? "false" : "true"; };
        whole.set = [](S& setup, std::string_view text) -> Result<void> {
            setup.sequenceParallel = text == "false";
            return {};
        };
        for (Field<S>& each : fields)
            each.group = "Model on hardware";
        return fields;
    }();
    return kFields;
}

} // namespace engine
