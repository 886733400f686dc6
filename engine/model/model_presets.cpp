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

constexpr std::int64_t kMostTokens = 1 << 20; // per micro-batch

// Checks combinations of values that are valid separately.
Result<void> checkCombination(const ModelSpec& model)
{
    if (model.width % model.heads != 0)
        return invalid("model: width {} is not a multiple of heads {}; the nearest width is {}",
                       model.width, model.heads,
                       std::max(1, (model.width + model.heads / 2) / model.heads) * model.heads);
    if (model.kvHeads > 0 && model.heads % model.kvHeads != 0)
        return invalid("model: heads {} are not a multiple of kv_heads {}", model.heads,
                       model.kvHeads);
    if (model.family == Family::Llama && model.width / model.heads % 2 != 0)
        return invalid("model: width {} / heads {} is odd, but rotary embeddings rotate pairs; "
                       "change width or heads",
                       model.width, model.heads);
    if (model.family == Family::Bert && model.vocabulary <= kHiddenToken)
        return invalid(
            "model: vocabulary must be at least {} for family = \"bert\", which hides tokens",
            kHiddenToken + 1);
    if (std::int64_t{model.microBatchSize} * model.sequence > kMostTokens)
        return invalid("model: micro_batch_size x sequence exceeds {} tokens: use a smaller "
                       "--micro-batch-size",
                       kMostTokens);
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
