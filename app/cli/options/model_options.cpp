#include "app/cli/options/model_options.h"

#include "app/cli/options/choice.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cli {

using namespace engine;

namespace {
constexpr const char* kGroup = "Model on hardware";
}

void addModelOptions(CLI::App& app, ModelOptions& options)
{
    app.add_option("--model", options.model,
                   fmt::format("{}, or a .toml file", fmt::join(transformerNames(), ", ")))
        ->type_name("NAME|FILE")
        ->group(kGroup);
    app.add_option("--hardware", options.hardware,
                   fmt::format("{}, or a .toml file", fmt::join(hardwareNames(), ", ")))
        ->type_name("NAME|FILE")
        ->group(kGroup);
    app.add_option("--tensor-parallel", options.setup.tensorParallel,
                   "Devices that share each stage [1]")
        ->type_name("t")
        ->group(kGroup)
        ->check(between(1, 4096));
    app.add_flag("--no-sequence-parallel", options.noSequenceParallel,
                 "Norms and dropout are not split over them")
        ->group(kGroup);
    app.add_option("--attention", options.setup.attention,
                   "Scores are stored, made again for the backward, or never stored [flash]")
        ->type_name("standard|recompute|flash")
        ->group(kGroup)
        ->transform(choice<AttentionMode>({{"standard", AttentionMode::Standard},
                                           {"recompute", AttentionMode::Recompute},
                                           {"flash", AttentionMode::Flash}}));
    app.add_flag("--recompute-all", options.recomputesAll, "Only the input of a layer is kept")
        ->group(kGroup);
}

Result<ModelOnHardware> modelOnHardware(const ModelOptions& options)
{
    auto model = loadTransformer(options.model);
    if (!model)
        return tl::unexpected(model.error());
    auto hardware = loadHardware(options.hardware);
    if (!hardware)
        return tl::unexpected(hardware.error());
    TrainingSetup setup = options.setup;
    setup.sequenceParallel = !options.noSequenceParallel;
    setup.recomputesAll = options.recomputesAll;
    return ModelOnHardware{*std::move(model), *std::move(hardware), setup};
}

} // namespace cli
