#include "engine/model/hidden_tokens.h"
#include "engine/model/model_fields.h"
#include "engine/model/toml_fields.h"
#include "resources/resources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <sstream>

namespace engine {
namespace {

constexpr std::string_view kFolder = "models/", kEnding = ".toml";

constexpr std::int64_t kMostTokens = 1 << 20; // of a micro-batch

Result<ModelSpec> parse(std::string_view text, std::string_view source)
{
    try {
        auto model = modelFromTable(toml::parse(text));
        if (!model)
            model.error().message = fmt::format("{}: {}", source, model.error().message);
        return model;
    } catch (const toml::parse_error& error) {
        return fail(
            Error::Code::Corrupt,
            fmt::format("{}: line {}: {}", source, error.source().begin.line, error.description()));
    }
}

auto invalidModel(std::string message)
{
    return fail(Error::Code::InvalidArgument, "model: " + std::move(message));
}

// Checks values that may be valid separately but not together.
Result<void> checkCombination(const ModelSpec& model)
{
    if (model.width % model.heads != 0)
        return invalidModel(
            fmt::format("width {} is not a multiple of heads {}", model.width, model.heads));
    if (model.kvHeads > 0 && model.heads % model.kvHeads != 0)
        return invalidModel(
            fmt::format("heads {} are not a multiple of kv_heads {}", model.heads, model.kvHeads));
    if (model.family == Family::Llama && model.width / model.heads % 2 != 0)
        return invalidModel(fmt::format(
            "width {} / heads {} is odd, but rotary embeddings rotate pairs; change width or heads",
            model.width, model.heads));
    if (model.family == Family::Bert && model.vocabulary <= kHiddenToken)
        return invalidModel(
            fmt::format("vocabulary must be at least {} for family = \"bert\", which hides tokens",
                        kHiddenToken + 1));
    if (std::int64_t{model.microBatchSize} * model.sequence > kMostTokens)
        return invalidModel(fmt::format(
            "micro_batch_size x sequence exceeds {} tokens: use a smaller --micro-batch-size",
            kMostTokens));
    return {};
}

} // namespace

Result<void> checkFields(const ModelSpec& model)
{
    for (const Field<ModelSpec>& each : modelFields())
        if (!each.check(each.get(model)))
            return invalidModel(fmt::format("{}{}{} must be {}", each.table,
                                            each.table.empty() ? "" : ".", each.key, each.range()));
    return checkCombination(model);
}

Result<ModelSpec> modelFromTable(const toml::table& table)
{
    ModelSpec model;
    toml::table top = table;
    for (const std::string_view name : {"optimizer", "init"}) {
        const auto* nested = top[name].as_table();
        if (nested == nullptr)
            continue;
        if (auto done = readFields(modelFields(), name, *nested, model); !done)
            return invalidModel(done.error().message);
        top.erase(name);
    }
    if (auto done = readFields(modelFields(), "", top, model); !done)
        return invalidModel(done.error().message);
    if (auto done = checkFields(model); !done)
        return tl::unexpected(done.error());
    return model;
}

toml::table tableOf(const ModelSpec& model)
{
    toml::table table;
    insertFields(modelFields(), model, table);
    return table;
}

std::vector<std::string> modelNames()
{
    std::vector<std::string> names;
    for (const auto& resource : resources::all())
        if (resource.path.starts_with(kFolder) && resource.path.ends_with(kEnding))
            names.emplace_back(resource.path.substr(
                kFolder.size(), resource.path.size() - kFolder.size() - kEnding.size()));
    return names;
}

Result<ModelSpec> loadModel(std::string_view nameOrFile)
{
    const auto preset = resources::find(fmt::format("{}{}{}", kFolder, nameOrFile, kEnding));
    if (!preset.empty())
        return parse(preset, nameOrFile);
    if (!nameOrFile.ends_with(kEnding))
        return fail(Error::Code::NotFound,
                    fmt::format("unknown model '{}'; use one of {}, or a .toml file", nameOrFile,
                                fmt::join(modelNames(), ", ")));
    std::ifstream file{std::string(nameOrFile)};
    std::ostringstream text;
    if (!(file && text << file.rdbuf()))
        return fail(Error::Code::Io, fmt::format("cannot read the model file '{}'", nameOrFile));
    return parse(text.view(), nameOrFile);
}

} // namespace engine
