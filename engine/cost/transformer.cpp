#include "engine/cost/transformer.h"

#include "engine/base/try.h"
#include "engine/cost/spec_file.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace engine {
namespace {

// The second folder has models that can be trained; their files have more keys.
constexpr std::array<std::string_view, 2> kFolders{"transformers/", "models/"};

} // namespace

Result<void> checkSizes(const TransformerSpec& model, std::string_view source)
{
    if (model.width % model.heads != 0)
        return invalid("{}: width {} is not a multiple of heads {}; the nearest width is {}",
                       source, model.width, model.heads,
                       std::max(1, (model.width + model.heads / 2) / model.heads) * model.heads);
    if (model.keyValueHeads > 0 && model.heads % model.keyValueHeads != 0)
        return invalid("{}: heads {} are not a multiple of kv_heads {}", source, model.heads,
                       model.keyValueHeads);
    if (model.isVit() && model.patch == 0)
        return invalid("{}: family = \"vit\" needs patch, the side of a patch in pixels", source);
    if (!model.isVit() && model.patch > 0)
        return invalid("{}: patch is only for family = \"vit\"; remove it", source);
    const int side = std::lround(std::sqrt(model.sequence));
    if (model.isVit() && side * side != model.sequence)
        return invalid(
            "{}: sequence {} is not the number of patches of a square image; the nearest is "
            "{}",
            source, model.sequence, side * side);
    return {};
}

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
    static const std::vector<Field<T>> kFields = [] {
        std::vector<Field<T>> fields{
            field<T>(inFileOnly("", "name"), &T::name),
            field<T>(inFileOnly("", "family").oneOf({kFamilyNames.begin(), kFamilyNames.end()}),
                     &T::family),
            field<T>(inFileOnly("", "dropout"), &T::dropout)};
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
        fields.push_back(field<T>(inFileOnly("", "patch").between(0, T::kMostPatch), &T::patch));
        return fields;
    }();
    return kFields;
}

} // namespace

Result<TransformerSpec> loadTransformer(std::string_view nameOrFile)
{
    auto table = TRY(SpecFile::open(kFolders, nameOrFile, "model"));
    TRY(SpecFile::need(table, kNeededModelKeys, nameOrFile));
    for (const std::string_view key : {"layout", "offload", "recompute_ahead"}) {
        const auto value = table[key].value_or(std::string_view());
        if (!value.empty() && value != "off")
            return invalid("{}: {} must be given as an option; remove it from the file", nameOrFile,
                           key);
    }
    for (const std::string_view key :
         {"micro_batch_size", "tied", "attention", "recompute", "precision", "layout", "offload",
          "recompute_ahead", "optimizer", "init"})
        table.erase(key); // of training
    TransformerSpec model;
    model.name = nameOrFile;
    TRY(readSpec(transformerFields(), table, nameOrFile, model));
    if (model.dropout && model.family == Family::Llama)
        return invalid("{}: dropout must be false for llama", nameOrFile);
    TRY(checkSizes(model, nameOrFile));
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
    if (model.family == Family::Llama)
        return attention + 3 * h * f + 2 * h;
    // Biases: h + 2 h g/a of QKV, h after attention, f and h of the MLP. Norms: 4 h.
    return attention + 2 * h * f + f + 7 * h + 2 * h * model.keyValueShare();
}

double embeddingParameters(const TransformerSpec& model)
{
    return (model.isVit() ? model.patchValues() + 1.0 : model.vocabulary) * model.width;
}

double headParameters(const TransformerSpec& model)
{
    const double h = model.width, v = model.vocabulary;
    const double bias = model.isVit() ? v : 0;
    return v * h + (model.family == Family::Bert ? h * h + 3 * h + v : bias);
}

bool isTied(const TransformerSpec& model)
{
    return model.family == Family::Gpt || model.family == Family::Bert;
}

double parameterCount(const TransformerSpec& model)
{
    const double h = model.width;
    const double ends = embeddingParameters(model) + headParameters(model)
        - (isTied(model) ? embeddingParameters(model) : 0);
    const double others = model.family == Family::Llama ? h : model.sequence * h + 2 * h;
    return model.layers * parametersPerLayer(model) + ends + others;
}

double layerFlops(const TransformerSpec& model, double sequences)
{
    const double h = model.width, f = model.feedForwardWidth();
    const double matrices = model.family == Family::Llama ? 3 : 2;
    return 2 * sequences * model.sequence
        * (2 * h * h * (1 + model.keyValueShare()) + matrices * h * f);
}

double attentionFlops(const TransformerSpec& model, double sequences)
{
    return 4 * sequences * model.sequence * model.sequence * model.width;
}

double headFlops(const TransformerSpec& model, double sequences)
{
    const double h = model.width, v = model.vocabulary;
    const double predictions = model.isVit() ? sequences : sequences * model.sequence;
    return 2 * predictions * (v * h + (model.family == Family::Bert ? h * h : 0));
}

double embeddingFlops(const TransformerSpec& model, double sequences)
{
    return 2 * sequences * model.sequence * model.patchValues() * model.width;
}

double modelFlops(const TransformerSpec& model, double sequences)
{
    return 3
        * (model.layers * (layerFlops(model, sequences) + attentionFlops(model, sequences))
           + headFlops(model, sequences))
        + 2 * embeddingFlops(model, sequences);
}

} // namespace engine
