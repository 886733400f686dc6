#include "app/cli/options/manual.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>
#include <string_view>
#include <vector>

namespace cli {

namespace {

std::string escaped(std::string_view text)
{
    std::string escaped;
    for (const char c : text)
        escaped += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    return escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" + escaped : escaped;
}

std::string entry(const CLI::Option& option, const CLI::Formatter& formatter)
{
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames())
        names.push_back(R"(\fB\-)" + escaped(name) + R"(\fR)");
    for (const std::string& name : option.get_lnames())
        names.push_back(R"(\fB\-\-)" + escaped(name) + R"(\fR)");
    const std::string type = formatter.make_option_opts(&option); // " FILE"
    return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "),
                       type.empty() ? ""
                                    : (names.empty() ? "" : " ")
                               + ("\\fI" + escaped(type.substr(1)) + "\\fR"),
                       escaped(option.get_description()));
}

std::string entriesOf(const CLI::App& command, const std::string& group,
                      const CLI::Formatter& formatter)
{
    std::string entries;
    for (const CLI::Option* option : command.get_options())
        if (option->get_group() == group && option != command.get_help_ptr())
            entries += entry(*option, formatter);
    return entries;
}

} // namespace

std::string manualOptions(const CLI::App& program)
{
    const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(program.get_formatter());
    std::string text;
    // Maps help entries to the first command that has them.
    std::map<std::string, std::string> commandOf;
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
        text += fmt::format(".SS {}\n", command->get_name());
        for (const std::string& group : command->get_groups()) {
            const std::string entries = entriesOf(*command, group, *formatter);
            if (group.empty() || entries.empty())
                continue;
            const auto [first, isNew] = commandOf.emplace(entries, command->get_name());
            if (group != "Options")
                text += fmt::format(".PP\n.B {}\n", group);
            text += isNew ? entries : fmt::format(".PP\nAs for \\fB{}\\fR.\n", first->second);
        }
    }
    return text;
}

} // namespace cli
