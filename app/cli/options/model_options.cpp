#include "app/cli/options/model_options.h"

#include "app/cli/options/field_options.h"
#include "engine/base/try.h"
#include "engine/cost/training_setup.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cli {

using namespace engine;

namespace {
constexpr const char* kModelGroup = "Model on hardware";

// Whether only simulations have the option. `bscope estimate` lacks these options, because it has
// its own list of micro-batch sizes and its closed forms have no all-reduces.
bool isOfSimulation(std::string_view flag)
{
    return flag == "--micro-batch-size" || flag == "--allreduce-precision";
}
} // namespace

void addModelOptions(CLI::App& app, ModelOptions& options)
{
    app.add_option("--model", options.model,
                   fmt::format("{}, or a .toml file", fmt::join(transformerNames(), ", ")))
        ->type_name("NAME|FILE")
        ->group(kModelGroup);
    app.add_option("--hardware", options.hardware,
                   fmt::format("{}, or a .toml file", fmt::join(hardwareNames(), ", ")))
        ->type_name("NAME|FILE")
        ->group(kModelGroup);
    addFieldOptions(app, trainingSetupFields(), options.setup, isOfSimulation);
}

void addSimulationOptions(CLI::App& app, ModelOptions& options)
{
    addFieldOptions(app, trainingSetupFields(), options.setup,
                    [](std::string_view flag) { return !isOfSimulation(flag); });
}

Result<ModelOnHardware> modelOnHardware(const ModelOptions& options)
{
    auto model = TRY(loadTransformer(options.model));
    auto hardware = TRY(loadHardware(options.hardware));
    return ModelOnHardware{std::move(model), std::move(hardware), options.setup};
}

} // namespace cli
