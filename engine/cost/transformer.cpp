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
        return invalid("{}: width {} is not a multiple of heads {}", source, model.width,
                       model.heads);
    if (model.keyValueHeads > 0 && model.heads % model.keyValueHeads != 0)
        return invalid("{}: heads {} are not a multiple of kv_heads {}", source, model.heads,
                       model.keyValueHeads);
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

namespace {

Fields<TransformerSpec> transformerFields()
{
    using T = TransformerSpec;
    constexpr std::string_view kBert = "bert";
    static const std::vector<Field<T>> kFields = [=] {
        std::vector<Field<T>> fields{
            field<T>(inFileOnly("", "name"), &T::name),
            field<T>(inFileOnly("", "family").oneOf({"gpt", "llama", kBert}), &T::family),
            field<T>(inFileOnly("", "dropout"), &T::dropout)};
        Field<T>& family = fields[1]; // BERT is a GPT with another head
        family.get = [=, name = family.get](const T& model) {
            return model.transformedHead ? std::string(kBert) : name(model);
        };
        family.set = [=, store = family.set](T& model, std::string_view text) {
            model.transformedHead = text == kBert;
            return store(model, model.transformedHead ? "gpt" : text);
        };
        constexpr double kMost = 1 << 24;
        const auto add = [&](std::string_view key, double least, int T::*member) {
            fields.push_back(field<T>(inFileOnly("", key).between(least, kMost), member));
        };
        add("layers", 1, &T::layers);
        add("width", 1, &T::width);
        add("heads", 1, &T::heads);
        add("kv_heads", 0, &T::keyValueHeads);
        add("ffn_width", 0, &T::feedForward);
        add("sequence", 1, &T::sequence);
        add("vocabulary", 1, &T::vocabulary);
        return fields;
    }();
    return kFields;
}

} // namespace

Result<TransformerSpec> loadTransformer(std::string_view nameOrFile)
{
    auto table = TRY(SpecFile::open(kFolders, nameOrFile, "model"));
    TRY(SpecFile::need(table, kNeededModelKeys, nameOrFile));
    if (!table["layout"].value_or(std::string_view()).empty())
        return invalid("{}: layout must be given as --layout; remove it from the file", nameOrFile);
    for (const std::string_view key : {"micro_batch_size", "tied", "attention", "recompute",
                                       "precision", "layout", "optimizer", "init"})
        table.erase(key); // of training
    TransformerSpec model;
    model.name = nameOrFile;
    TRY(readSpec(transformerFields(), table, nameOrFile, model));
    if (model.dropout && model.family == TransformerSpec::Family::Llama)
        return invalid("{}: dropout must be false for llama", nameOrFile);
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
