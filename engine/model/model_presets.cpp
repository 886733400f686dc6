#include "engine/model/hidden_tokens.h"
#include "engine/model/model_toml.h"
#include "engine/model/toml_text.h"
#include "resources/resources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace engine {
namespace {

constexpr std::string_view kFolder = "models/", kEnding = ".toml";

// One key of a preset and the field it fills.
struct Key
{
    std::string_view table, name; // table "": top level
    int ModelSpec::*integer = nullptr;
    double ModelSpec::*real = nullptr;
    double least = 0, most = 1;
};

constexpr double kMost = 1 << 16;
constexpr std::int64_t kMostTokens = 1 << 20; // per micro-batch
constexpr Key kKeys[] = {
    {"", "layers", &ModelSpec::layers, nullptr, 1, kMost},
    {"", "width", &ModelSpec::width, nullptr, 1, kMost},
    {"", "heads", &ModelSpec::heads, nullptr, 1, kMost},
    {"", "sequence", &ModelSpec::sequence, nullptr, 1, kMost},
    {"", "micro_batch_size", &ModelSpec::microBatchSize, nullptr, 1, kMost},
    {"", "vocabulary", &ModelSpec::vocabulary, nullptr, 256, kMost},
    {"", "kv_heads", &ModelSpec::kvHeads, nullptr, 0, kMost},
    {"", "ffn_width", &ModelSpec::ffnWidth, nullptr, 0, kMost},
    {"optimizer", "learning_rate", nullptr, &ModelSpec::learningRate, 0, 1e3},
    {"optimizer", "beta1", nullptr, &ModelSpec::beta1, 0, 0.999999},
    {"optimizer", "beta2", nullptr, &ModelSpec::beta2, 0, 0.999999},
    {"optimizer", "epsilon", nullptr, &ModelSpec::epsilon, 1e-30, 1},
    {"optimizer", "weight_decay", nullptr, &ModelSpec::weightDecay, 0, 1e3},
    {"init", "std", nullptr, &ModelSpec::initStd, 0, 1e3},
};

std::string spelled(const Key& key)
{
    return key.table.empty() ? std::string(key.name) : fmt::format("{}.{}", key.table, key.name);
}

auto outOfRange(const Key& key)
{
    return fail(Error::Code::InvalidArgument,
                fmt::format("model: {} must be {} from {} to {}", spelled(key),
                            key.integer ? "a whole number" : "a number", key.least, key.most));
}

bool inRange(const Key& key, double value)
{
    return value >= key.least && value <= key.most; // also false for NaN
}

Result<void> read(const Key& key, const toml::node& node, ModelSpec& model)
{
    const auto value = key.integer ? std::optional<double>(node.value_exact<std::int64_t>())
                                   : node.value<double>();
    if (!value || !inRange(key, *value))
        return outOfRange(key);
    if (key.integer)
        model.*key.integer = static_cast<int>(*value);
    else
        model.*key.real = *value;
    return {};
}

// A key with named values, in the order of its enumeration.
struct Choice
{
    std::string_view name;
    Names names;
    std::size_t (*get)(const ModelSpec&);
    void (*set)(ModelSpec&, std::size_t);
};

template<auto Field>
constexpr Choice choiceOf(std::string_view name, Names names)
{
    return {name, names,
            [](const ModelSpec& model) { return static_cast<std::size_t>(model.*Field); },
            [](ModelSpec& model, std::size_t value) {
                using Enum = std::remove_reference_t<decltype(model.*Field)>;
                model.*Field = static_cast<Enum>(value);
            }};
}

constexpr Choice kChoices[] = {
    choiceOf<&ModelSpec::family>("family", kFamilyNames),
    choiceOf<&ModelSpec::attention>("attention", kAttentionNames),
    choiceOf<&ModelSpec::recompute>("recompute", kRecomputeNames),
    choiceOf<&ModelSpec::precision>("precision", kPrecisionNames),
};

Result<void> readChoice(const Choice& choice, const toml::node& node, ModelSpec& model)
{
    const auto word = node.value_or(std::string());
    const auto found = std::ranges::find(choice.names, word);
    if (found == choice.names.end())
        return fail(
            Error::Code::InvalidArgument,
            fmt::format("model: {} must be one of {}", choice.name, fmt::join(choice.names, ", ")));
    choice.set(model, static_cast<std::size_t>(found - choice.names.begin()));
    return {};
}

// The keys that are not numbers.
Result<void> readWord(std::string_view name, const toml::node& node, ModelSpec& model)
{
    if (name == "name" && node.is_string()) {
        model.name = node.value_or(std::string());
        return {};
    }
    if (name == "tied" && node.is_boolean()) {
        model.tied = node.value_or(false);
        return {};
    }
    const auto* choice = std::ranges::find(kChoices, name, &Choice::name);
    if (choice != std::end(kChoices))
        return readChoice(*choice, node, model);
    return fail(Error::Code::InvalidArgument,
                fmt::format("model: '{}' is unknown or has the wrong type", name));
}

Result<void> readTable(std::string_view tableName, const toml::table& table, ModelSpec& model)
{
    for (const auto& [name, node] : table) {
        const auto* key = std::ranges::find_if(kKeys, [&, n = name.str()](const Key& k) {
            return k.table == tableName && k.name == n;
        });
        const bool nested = tableName.empty() && node.is_table()
            && (name.str() == "optimizer" || name.str() == "init");
        auto done = key != std::end(kKeys) ? read(*key, node, model)
            : nested                       ? readTable(name.str(), *node.as_table(), model)
            : tableName.empty()
            ? readWord(name.str(), node, model)
            : readWord(fmt::format("{}.{}", tableName, name.str()), node, model);
        if (!done)
            return done;
    }
    return {};
}

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

// Values that are valid separately but not together.
Result<void> checkCombination(const ModelSpec& model)
{
    if (model.width % model.heads != 0)
        return invalidModel(
            fmt::format("width {} is not a multiple of heads {}", model.width, model.heads));
    if (model.kvHeads > 0 && model.heads % model.kvHeads != 0)
        return invalidModel(
            fmt::format("heads {} are not a multiple of kv_heads {}", model.heads, model.kvHeads));
    if (model.family == Family::Llama && model.width / model.heads % 2 != 0)
        return invalidModel(
            fmt::format("width {} / heads {} is odd, but rotary positions need pairs", model.width,
                        model.heads));
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
    for (const Key& key : kKeys)
        if (!inRange(key, key.integer ? model.*key.integer : model.*key.real))
            return outOfRange(key);
    return checkCombination(model);
}

Result<ModelSpec> modelFromTable(const toml::table& table)
{
    ModelSpec model;
    if (auto done = readTable("", table, model); !done)
        return tl::unexpected(done.error());
    if (auto done = checkFields(model); !done)
        return tl::unexpected(done.error());
    return model;
}

std::string modelToToml(const ModelSpec& model, const std::string& prefix)
{
    std::string text = prefix.empty() ? "" : fmt::format("[{}]\n", prefix);
    text += fmt::format("name = {}\ntied = {}\n", tomlString(model.name), model.tied);
    for (const Choice& choice : kChoices)
        text += fmt::format("{} = \"{}\"\n", choice.name, choice.names[choice.get(model)]);
    std::string_view table;
    for (const Key& key : kKeys) {
        if (key.table != table)
            text += fmt::format("\n[{}{}{}]\n", prefix, prefix.empty() ? "" : ".", key.table);
        table = key.table;
        text += key.integer ? fmt::format("{} = {}\n", key.name, model.*key.integer)
                            : fmt::format("{} = {}\n", key.name, tomlReal(model.*key.real));
    }
    return text;
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
