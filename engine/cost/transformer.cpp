#include "engine/cost/transformer.h"

#include "engine/base/try.h"
#include "engine/cost/spec_file.h"

#include <array>

namespace engine {
namespace {

// The second folder has models that can be trained; their files have more keys.
constexpr std::array<std::string_view, 2> kFolders{"transformers/", "models/"};

Result<void> checkWidths(const TransformerSpec& model, std::string_view source)
{
    if (model.width % model.heads != 0)
        return fail(Error::Code::InvalidArgument,
                    fmt::format("{}: width {} is not a multiple of heads {}", source, model.width,
                                model.heads));
    if (model.keyValueHeads > 0 && model.heads % model.keyValueHeads != 0)
        return fail(Error::Code::InvalidArgument,
                    fmt::format("{}: heads {} are not a multiple of kv_heads {}", source,
                                model.heads, model.keyValueHeads));
    return {};
}

} // namespace

int TransformerSpec::defaultFeedForward(Family family, int width)
{
    constexpr int kMultiple = 256; // as in LLaMA
    if (family != Family::Llama)
        return 4 * width;
    return (8 * width / 3 + kMultiple - 1) / kMultiple * kMultiple;
}

Result<TransformerSpec> loadTransformer(std::string_view nameOrFile)
{
    auto file = TRY(SpecFile::open(kFolders, nameOrFile, "model"));
    TransformerSpec model;
    constexpr double kMost = 1 << 24;
    model.name = file.text("name", std::string(nameOrFile));
    const std::string family = file.text("family", "gpt");
    model.family
        = family == "llama" ? TransformerSpec::Family::Llama : TransformerSpec::Family::Gpt;
    model.transformedHead = family == "bert";
    file.require(family == "llama" || family == "gpt" || family == "bert", "family",
                 "must be gpt, bert or llama");
    file.flag("dropout", model.dropout);
    file.require(!model.dropout || family != "llama", "dropout", "must be false for llama");
    file.need(kNeededModelKeys);
    file.integer("layers", model.layers, {1, kMost});
    file.integer("width", model.width, {1, kMost});
    file.integer("heads", model.heads, {1, kMost});
    file.integer("kv_heads", model.keyValueHeads, {0, kMost});
    file.integer("ffn_width", model.feedForward, {0, kMost});
    file.integer("sequence", model.sequence, {1, kMost});
    file.integer("vocabulary", model.vocabulary, {1, kMost});
    file.passOver(
        {"micro_batch_size", "tied", "attention", "recompute", "precision", "optimizer.", "init."});
    file.require(file.text("layout", "").empty(), "layout",
                 "must be given as --layout; remove it from the file");
    TRY(file.done());
    TRY(checkWidths(model, nameOrFile));
    return model;
}

Result<std::string> transformerText(std::string_view nameOrFile)
{
    return SpecFile::textOf(kFolders, nameOrFile, "model");
}

std::vector<std::string> transformerNames()
{
    return SpecFile::names(kFolders);
}

// GPT: 2 h^2 + 2 h^2 g/a + 2 h f + f + 7 h + 2 h g/a (12 h^2 + 13 h at f = 4 h and g = a).
// Llama: 2 h^2 + 2 h^2 g/a + 3 h f + 2 h.
double parametersPerLayer(const TransformerSpec& model)
{
    const double h = model.width, f = model.feedForwardWidth();
    const double attention = 2 * h * h * (1 + model.keyValueShare());
    if (model.family == TransformerSpec::Family::Llama)
        return attention + 3 * h * f + 2 * h;
    // Biases: h + 2 h g/a of QKV, h after attention, f and h of the MLP. Norms: 4 h.
    return attention + 2 * h * f + f + 7 * h + 2 * h * model.keyValueShare();
}

double embeddingParameters(const TransformerSpec& model)
{
    return static_cast<double>(model.vocabulary) * model.width;
}

double headTransformParameters(const TransformerSpec& model)
{
    const double h = model.width;
    return model.transformedHead ? h * h + 3 * h + model.vocabulary : 0;
}

double parameterCount(const TransformerSpec& model)
{
    const double h = model.width;
    const double layers = model.layers * parametersPerLayer(model);
    if (model.family == TransformerSpec::Family::Llama)
        return layers + 2 * embeddingParameters(model) + h;
    return layers + embeddingParameters(model) + model.sequence * h + 2 * h
        + headTransformParameters(model);
}

double layerFlops(const TransformerSpec& model, double sequences)
{
    const double h = model.width, f = model.feedForwardWidth();
    const double matrices = model.family == TransformerSpec::Family::Llama ? 3 : 2;
    return 2 * sequences * model.sequence
        * (2 * h * h * (1 + model.keyValueShare()) + matrices * h * f);
}

double attentionFlops(const TransformerSpec& model, double sequences)
{
    return 4 * sequences * model.sequence * model.sequence * model.width;
}

double headFlops(const TransformerSpec& model, double sequences)
{
    const double h = model.width, transform = model.transformedHead ? h * h : 0;
    return 2 * sequences * model.sequence * (embeddingParameters(model) + transform);
}

double modelFlops(const TransformerSpec& model, double sequences)
{
    return 3
        * (model.layers * (layerFlops(model, sequences) + attentionFlops(model, sequences))
           + headFlops(model, sequences));
}

} // namespace engine
