#include "engine/base/try.h"
#include "engine/cost/spec_file.h"
#include "engine/experiment/check_experiment.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/model/model_toml.h"

namespace engine {
namespace {

// [model] has either all keys of a model or, in files written by hand, only preset = "tiny".
Result<void> readModel(const toml::table& table, Experiment& experiment)
{
    const auto preset = table["preset"].value<std::string>();
    if (preset && table.size() > 1)
        return invalid("experiment: [model] has a preset; remove its other keys, or the preset");
    auto model = preset ? loadModel(*preset) : modelFromTable(table);
    if (!model)
        return invalid("experiment: {}", model.error().message);
    experiment.model = std::move(*model);
    return {};
}

Result<void> readTable(std::string_view name, const toml::node& node, Experiment& experiment)
{
    const toml::table* table = node.as_table();
    if (table == nullptr
        || (name != "schedule" && name != "run" && name != "model" && name != "link"))
        return invalid(
            "experiment: unknown table '{}'; the tables are schedule, run, model and link", name);
    if (name == "model")
        return readModel(*table, experiment);
    if (auto done = readFields(experimentFields(), name, *table, experiment); !done)
        return invalid("experiment: {}", done.error().message);
    return {};
}

} // namespace

std::string toToml(const Experiment& experiment)
{
    toml::table root;
    insertFields(experimentFields(), experiment, root);
    root.insert("model", tableOf(experiment.model));
    return tomlText(root);
}

Result<Experiment> experimentFromToml(std::string_view text)
{
    const auto tables = TRY(parseToml(text, "experiment"));
    Experiment experiment;
    for (const auto& [name, node] : tables)
        TRY(readTable(name.str(), node, experiment));
    TRY(checkExperiment(experiment));
    return experiment;
}

} // namespace engine
