#include "app/cli/commands/command.h"
#include "app/cli/text/output.h"
#include "engine/base/try.h"
#include "engine/cost/transformer.h"
#include "engine/model/model_spec.h"
#include "profiler/report/sheet.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {

struct Preset
{
    std::string name;
    TransformerSpec sizes;
    double parameters = 0;
    bool canTrain = false;
};

template<auto Member>
Reading size(const Preset& preset)
{
    return preset.sizes.*Member;
}

std::string countText(double parameters)
{
    return parameters < 1e9 ? fmt::format("{:.1f} M", parameters / 1e6)
                            : fmt::format("{:.1f} G", parameters / 1e9);
}

constexpr std::array kPresets{
    Measure(column("name"), Of<&Preset::name>()),
    Measure(column("family"),
            [](const Preset& p) {
                return p.sizes.family == TransformerSpec::Family::Llama ? "llama"
                    : p.sizes.transformedHead                           ? "bert"
                                                                        : "gpt";
            }),
    Measure(column("layers"), size<&TransformerSpec::layers>),
    Measure(column("width"), size<&TransformerSpec::width>),
    Measure(column("heads"), size<&TransformerSpec::heads>),
    Measure(column("sequence"), size<&TransformerSpec::sequence>),
    Measure(column("vocabulary"), size<&TransformerSpec::vocabulary>),
    Measure({"parameters"}, Of<&Preset::parameters>()),
    Measure(column("", "parameters", Unit::None, 1),
            [](const Preset& p) { return countText(p.parameters); }),
    Measure(column("can_train", "trains"), [](const Preset& p) { return p.canTrain; }),
};

Result<Preset> presetOf(const std::string& name)
{
    Preset preset{name, TRY(loadTransformer(name))};
    preset.parameters = parameterCount(preset.sizes);
    if (const auto trained = loadModel(name)) {
        preset.canTrain = true;
        preset.parameters = static_cast<double>(parameterCount(*trained));
    }
    return preset;
}

Result<int> list(const std::string& name, bool json)
{
    std::vector<Preset> presets;
    for (const std::string& one : name.empty() ? transformerNames() : std::vector{name})
        presets.push_back(TRY(presetOf(one)));
    Sheet sheet;
    sheet.table(Table(kPresets, presets), "models");
    if (name.empty())
        sheet.sentence("Models that do not train are for simulate, estimate and layout. "
                       "bscope models NAME prints a file that can be changed.");
    else
        sheet.lines(TRY(transformerText(name)));
    cli::print(sheet, json);
    return 0;
}

} // namespace

Action prepareModels(CLI::App& app)
{
    const auto name = std::make_shared<std::string>();
    const auto json = std::make_shared<bool>(false);
    app.add_option("NAME|FILE.toml", *name, "Show one model, and its file");
    app.add_flag("--json", *json, "Print JSON");
    return [name, json] { return list(*name, *json); };
}

} // namespace cli
