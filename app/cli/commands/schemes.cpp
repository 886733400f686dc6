#include "app/cli/commands/command.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/base/try.h"
#include "engine/schedules/scheme.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace cli {

using nlohmann::ordered_json;

namespace {
std::string joined(std::span<const std::string_view> words)
{
    std::string text;
    for (const std::string_view word : words)
        text += (text.empty() ? "" : ",") + std::string(word);
    return text;
}

// Adds "smallest" and "form" only for options that have them.
ordered_json toJson(const engine::SchemeOption& option)
{
    ordered_json json{{"key", option.key}, {"title", option.title}, {"values", option.values}};
    if (option.smallest)
        json["smallest"] = *option.smallest;
    if (option.accepts != nullptr)
        json["form"] = option.form;
    return json;
}

ordered_json toJson(const engine::Scheme& scheme)
{
    ordered_json options = ordered_json::array();
    for (const engine::SchemeOption& option : scheme.options)
        options.push_back(toJson(option));
    return {{"name", scheme.name},
            {"title", scheme.title},
            {"summary", scheme.summary},
            {"family", scheme.family},
            {"citation", scheme.citation},
            {"details", scheme.details},
            {"accepts", scheme.accepts},
            {"bubble", scheme.bubbleFormula},
            {"default_chunks", scheme.defaultChunks},
            {"chunks_fixed", scheme.chunksFixed},
            {"asynchronous", scheme.asynchronous},
            {"options", options}};
}

std::string asText()
{
    std::vector<std::vector<profiler::Reading>> rows;
    for (const engine::Scheme& scheme : engine::schemes()) {
        std::string options;
        for (const engine::SchemeOption& option : scheme.options)
            options += (options.empty() ? "" : " ") + std::string(option.key) + "="
                + joined(option.values) + (option.isOpen() ? ",any" : "");
        rows.push_back({scheme.name, scheme.title, scheme.accepts, profiler::textOrUnknown(options),
                        scheme.citation});
    }
    return profiler::Table({"name", "title", "accepts", "options", "citation"}, std::move(rows))
        .text();
}

// Describes one scheme with its rule, picture and closed forms.
std::string inFull(const engine::Scheme& scheme)
{
    std::string text = fmt::format("{}: {}\n{}\n\n", scheme.title, scheme.summary, scheme.citation);
    text += fmt::format("  accepts  {}\n", scheme.accepts);
    if (!scheme.bubbleFormula.empty())
        text += fmt::format("  bubble   {}\n", scheme.bubbleFormula);
    for (const engine::SchemeOption& option : scheme.options)
        text += fmt::format("  --set    {}={}: {}\n", option.key, joined(option.values),
                            option.help.empty() ? option.title : option.help);
    return text + std::string(scheme.details);
}

std::string asJson()
{
    ordered_json all = ordered_json::array();
    for (const engine::Scheme& scheme : engine::schemes())
        all.push_back(toJson(scheme));
    return jsonText(all);
}

engine::Result<std::string> described(const std::string& name, bool json)
{
    if (name.empty())
        return json ? asJson() : asText();
    if (const engine::Scheme* scheme = engine::findScheme(name))
        return json ? jsonText(toJson(*scheme)) : inFull(*scheme);
    engine::ScheduleRequest request;
    request.scheme = name;
    return wrongUsage(engine::checkRequest(request).error());
}

struct SchemesOptions
{
    std::string name;
    bool json = false;
};
} // namespace

Action prepareSchemes(CLI::App& app)
{
    const auto options = std::make_shared<SchemesOptions>();
    app.add_option("NAME", options->name, "Explain one scheme: rule, picture, closed forms");
    app.add_flag("--json", options->json, "Print JSON");
    return [options]() -> engine::Result<int> {
        const auto text = TRY(described(options->name, options->json));
        printText(text);
        return 0;
    };
}

} // namespace cli
