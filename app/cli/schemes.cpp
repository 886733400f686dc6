#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/table.h"
#include "engine/schedules/scheme.h"

#include <CLI/CLI.hpp>
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

// "smallest" only where any integer from it on is a value.
ordered_json toJson(const engine::SchemeOption& option)
{
    ordered_json json{{"key", option.key}, {"title", option.title}, {"values", option.values}};
    if (option.smallest)
        json["smallest"] = *option.smallest;
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
            {"accepts", scheme.accepts},
            {"bubble", scheme.bubbleFormula},
            {"default_chunks", scheme.defaultChunks},
            {"chunks_fixed", scheme.chunksFixed},
            {"options", options}};
}

std::string asText()
{
    Table table({{"name", Table::Align::Left},
                 {"title", Table::Align::Left},
                 {"accepts", Table::Align::Left},
                 {"options", Table::Align::Left},
                 {"citation", Table::Align::Left}});
    for (const engine::Scheme& scheme : engine::schemes()) {
        std::string options;
        for (const engine::SchemeOption& option : scheme.options)
            options += (options.empty() ? "" : " ") + std::string(option.key) + "="
                + joined(option.values) + (option.smallest ? ",any" : "");
        table.add({std::string(scheme.name), std::string(scheme.title), std::string(scheme.accepts),
                   options.empty() ? "-" : options, std::string(scheme.citation)});
    }
    return table.text();
}

std::string asJson()
{
    ordered_json all = ordered_json::array();
    for (const engine::Scheme& scheme : engine::schemes())
        all.push_back(toJson(scheme));
    return all.dump(2) + "\n";
}
} // namespace

Action prepareSchemes(CLI::App& app)
{
    const auto json = std::make_shared<bool>(false);
    app.add_flag("--json", *json, "Print JSON");
    return [json]() -> engine::Result<int> {
        printText(*json ? asJson() : asText());
        return 0;
    };
}

} // namespace cli
