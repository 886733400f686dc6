#include "engine/base/try.h"
#include "engine/cost/spec_file.h"
#include "engine/cost/transformer.h"
#include "engine/model/model_toml.h"
#include "engine/model/text_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace engine {
namespace {

constexpr std::string_view kFolders[] = {"models/"};

// Per micro-batch. Positions in a matrix are int.
constexpr std::int64_t kMostTokens = 1 << 20, kMostNumbers = 1 << 30;

// Checks combinations of values that are valid separately.
Result<void> checkCombination(const ModelSpec& model)
{
    TRY(checkSizes(transformerSpec(model), "model"));
    if (model.family == Family::Llama && model.width / model.heads % 2 != 0)
        return invalid("model: width {} / heads {} is odd, but rotary embeddings rotate pairs; "
                       "change width or heads",
                       model.width, model.heads);
    const bool isVit = model.family == Family::Vit;
    const int least = model.family == Family::Bert ? kHiddenToken + 1 : isVit ? 2 : kHiddenToken;
    if (model.vocabulary < least)
        return invalid("model: vocabulary must be at least {} for family = \"{}\"{}", least,
                       nameIn(kFamilyNames, model.family),
                       model.family == Family::Bert ? ", which hides tokens" : "");
    if (isVit && model.tied)
        return invalid("model: tied must be false for family = \"vit\", which reads pixels");
    if (std::int64_t{model.microBatchSize} * model.sequence > kMostTokens)
        return invalid("model: micro_batch_size x sequence exceeds {} tokens: use a smaller "
                       "--micro-batch-size",
                       kMostTokens);
    const std::int64_t numbers = std::max(model.width, transformerSpec(model).patchValues());
    if (isVit && numbers * model.microBatchSize * model.sequence > kMostNumbers)
        return invalid(
            "model: the images or the activations of a micro-batch exceed {} numbers: use a "
            "smaller --micro-batch-size",
            kMostNumbers);
    return {};
}

} // namespace

Result<void> checkFields(const ModelSpec& model)
{
    for (const Field<ModelSpec>& each : modelFields())
        if (!each.check(each.get(model)))
            return invalid("model: {}{}{} must be {}", each.table, each.table.empty() ? "" : ".",
                           each.key, each.range());
    return checkCombination(model);
}

Result<ModelSpec> modelFromTable(const toml::table& table)
{
    ModelSpec model;
    toml::table top = table;
    if (top["dropout"].is_boolean()) // only for the closed forms of memory (engine/cost)
        top.erase("dropout");
    if (auto done = readFields(modelFields(), "", top, model); !done)
        return invalid("model: {}", done.error().message);
    TRY(checkFields(model));
    return model;
}

toml::table tableOf(const ModelSpec& model)
{
    toml::table table;
    insertFields(modelFields(), model, table);
    if (model.layout.isDefault())
        table.erase("layout");
    if (!model.recomputeAhead)
        table.erase("recompute_ahead");
    if (model.patch == 0)
        table.erase("patch");
    if (!model.offload)
        table.erase("offload");
    return table;
}

std::vector<std::string> modelNames()
{
    return SpecFile::names(kFolders);
}

Result<ModelSpec> loadModel(std::string_view nameOrFile)
{
    if (std::ranges::count(transformerNames(), nameOrFile)
        > std::ranges::count(modelNames(), nameOrFile))
        return fail(
            Error::Code::NotFound,

            "model '{}' cannot be trained, because it has no optimizer settings and no initial "
            "weights (bscope simulate and estimate support it); use one of {}, or a .toml file",
            nameOrFile, fmt::join(modelNames(), ", "));
    const auto table = TRY(SpecFile::open(kFolders, nameOrFile, "model"));
    TRY(SpecFile::need(table, kNeededModelKeys, nameOrFile));
    return inContext(nameOrFile, modelFromTable(table));
}

} // namespace engine
