#include "app/cli/commands/command.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/base/try.h"
#include "engine/cost/transformer.h"
#include "engine/model/model_spec.h"
#include "engine/schedules/scheme.h"
#include "profiler/report/sheet.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <memory>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {

std::string joined(std::span<const std::string_view> words)
{
    return fmt::format("{}", fmt::join(words, ","));
}

constexpr std::array kOption{
    Measure({"key"}, Of<&SchemeOption::key>()),
    Measure({"title"}, Of<&SchemeOption::title>()),
    Measure({"values"}, [](const SchemeOption& o) { return Reading(o.values); }),
    Measure({"smallest"},
            [](const SchemeOption& o) {
                return o.smallest ? Reading(*o.smallest) : Reading::absent();
            }),
    Measure({"form"},
            [](const SchemeOption& o) { return o.accepts ? Reading(o.form) : Reading::absent(); }),
};

std::string optionsText(const Scheme& scheme)
{
    std::string text;
    for (const SchemeOption& option : scheme.options)
        text += fmt::format("{}{}={}{}", text.empty() ? "" : " ", option.key, joined(option.values),
                            option.isOpen() ? ",any" : "");
    return text;
}

constexpr std::array kScheme{
    Measure(column("name"), Of<&Scheme::name>()),
    Measure(column("title"), Of<&Scheme::title>()),
    Measure({"summary"}, Of<&Scheme::summary>()),
    Measure({"family"}, Of<&Scheme::family>()),
    Measure({"citation"}, Of<&Scheme::citation>()),
    Measure({"details"}, Of<&Scheme::details>()),
    Measure(column("accepts"), Of<&Scheme::accepts>()),
    Measure({"bubble"}, Of<&Scheme::bubbleFormula>()),
    Measure({"default_chunks"}, Of<&Scheme::defaultChunks>()),
    Measure({"chunks_fixed"}, Of<&Scheme::chunksFixed>()),
    Measure({"asynchronous"}, Of<&Scheme::asynchronous>()),
    Measure({"options"}, [](const Scheme& s) { return Table(kOption, s.options).json(); }),
    Measure(column("", "options"), [](const Scheme& s) { return textOrUnknown(optionsText(s)); }),
    Measure(column("", "citation"), Of<&Scheme::citation>()),
};

// Describes one scheme with its rule, picture and closed forms.
std::string inFull(const Scheme& scheme)
{
    std::string text = fmt::format("{}: {}\n{}\n\n", scheme.title, scheme.summary, scheme.citation);
    text += fmt::format("  accepts  {}\n", scheme.accepts);
    if (!scheme.bubbleFormula.empty())
        text += fmt::format("  bubble   {}\n", scheme.bubbleFormula);
    for (const SchemeOption& option : scheme.options)
        text += fmt::format("  --set    {}={}: {}\n", option.key, joined(option.values),
                            option.help.empty() ? option.title : option.help);
    return text + std::string(scheme.details);
}

Result<std::string> described(const std::string& name, bool json)
{
    const Table all(kScheme, schemes());
    if (name.empty())
        return json ? jsonText(all.json()) : all.text();
    if (const Scheme* scheme = findScheme(name))
        return json ? jsonText(fields(kScheme, *scheme)) : inFull(*scheme);
    ScheduleRequest request;
    request.scheme = name;
    return wrongUsage(checkRequest(request).error());
}

struct SchemesOptions
{
    std::string name;
    bool json = false;
};

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
            [](const Preset& p) { return std::string(nameIn(kFamilyNames, p.sizes.family)); }),
    Measure(column("layers"), size<&TransformerSpec::layers>),
    Measure(column("width"), size<&TransformerSpec::width>),
    Measure(column("heads"), size<&TransformerSpec::heads>),
    Measure(column("sequence"), size<&TransformerSpec::sequence>),
    Measure(column("vocabulary"), size<&TransformerSpec::vocabulary>),
    Measure({"parameters"}, Of<&Preset::parameters>()),
    Measure(column("", "parameters", Unit::None, 1),
            [](const Preset& p) { return countText(p.parameters); }),
    Measure(column("can_train", "trains"), Of<&Preset::canTrain>()),
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
    if (!name.empty() && !json) { // a file, which can be changed
        printText(fmt::format("# {} parameters{}\n{}", countText(presets.front().parameters),
                              presets.front().canTrain ? "" : ", cannot be trained",
                              TRY(transformerText(name))));
        return 0;
    }
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

Action prepareSchemes(CLI::App& app)
{
    const auto options = std::make_shared<SchemesOptions>();
    app.add_option("NAME", options->name, "Explain one scheme: rule, picture, closed forms");
    app.add_flag("--json", options->json, "Print JSON");
    return [options]() -> Result<int> {
        const auto text = TRY(described(options->name, options->json));
        printText(text);
        return 0;
    };
}

Action prepareModels(CLI::App& app)
{
    const auto name = std::make_shared<std::string>();
    const auto json = std::make_shared<bool>(false);
    app.add_option("NAME|FILE.toml", *name, "Show one model, and its file");
    app.add_flag("--json", *json, "Print JSON");
    return [name, json] { return list(*name, *json); };
}

} // namespace cli
