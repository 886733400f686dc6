#include "app/cli/commands/command.h"
#include "app/cli/text/output.h"
#include "engine/base/text.h"
#include "engine/cost/hardware.h"
#include "engine/cost/spec_file.h"
#include "engine/cost/transformer.h"
#include "engine/schedules/scheme.h"
#include "profiler/report/guide.h"
#include "resources/resources.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <sstream>

// The scripts of the shells ask this program, so that they know each option and value that it has.
namespace cli {

using namespace engine;

namespace {

using Names = std::vector<std::string>;

Names schemeNames()
{
    Names names;
    for (const Scheme& scheme : schemes())
        names.emplace_back(scheme.name);
    return names;
}

// The choices of a type such as "{eager,late}" or "{cpu,cuda}|FILE".
Names choicesIn(const std::string& type)
{
    Names choices;
    const std::size_t begin = type.find('{'), end = type.find('}');
    if (begin == std::string::npos || end == std::string::npos)
        return choices;
    std::istringstream names(type.substr(begin + 1, end - begin - 1));
    for (std::string name; std::getline(names, name, ',');)
        choices.push_back(name);
    return choices;
}

Names valuesOf(const CLI::Option& option)
{
    if (option.check_lname("scheme"))
        return schemeNames();
    if (option.check_lname("model"))
        return transformerNames();
    if (option.check_lname("hardware"))
        return hardwareNames();
    return choicesIn(option.get_type_name());
}

Names namesFor(std::string_view command)
{
    Names names;
    if (command == "schemes")
        return schemeNames();
    if (command == "models" || command == "layout")
        return transformerNames();
    if (command == "study")
        return SpecFile::names(std::array<std::string_view, 1>{"studies/"});
    if (command == "completion")
        return {"bash", "zsh", "fish"};
    if (command == "help")
        for (const profiler::Chapter& chapter : profiler::guide())
            names.emplace_back(chapter.name);
    return names;
}

// What can follow: commands, the values of the last option, or what the command takes.
Names candidatesAfter(const CLI::App& program, const Names& before)
{
    Names candidates;
    if (before.empty()) {
        for (const Command& command : commands())
            candidates.emplace_back(command.name);
        return candidates;
    }
    const auto found = program.get_subcommands(
        [&before](const CLI::App* one) { return one->get_name() == before.front(); });
    if (found.empty())
        return candidates;
    const CLI::App* app = found.front();
    const auto* last
        = before.back().starts_with('-') ? app->get_option_no_throw(before.back()) : nullptr;
    if (last != nullptr && last->get_items_expected_max() > 0)
        return valuesOf(*last);
    candidates = namesFor(before.front());
    for (const CLI::Option* option : app->get_options())
        for (const std::string& name : option->get_lnames())
            candidates.push_back("--" + name);
    return candidates;
}

struct CompletionOptions
{
    Names arguments; // a shell, or with `after` the arguments so far
    bool after = false;
};

Result<int> complete(const CLI::App& program, const CompletionOptions& options)
{
    if (options.after) {
        printText(
            fmt::format("{}\n", fmt::join(candidatesAfter(program, options.arguments), "\n")));
        return 0;
    }
    const std::string shell
        = options.arguments.size() == 1 ? options.arguments.front() : std::string();
    const std::string_view script = resources::find("completion/" + shell);
    if (script.empty())
        return invalid("name the shell: bash, zsh or fish");
    printText(script);
    return 0;
}

std::string contents(const std::vector<profiler::Chapter>& chapters)
{
    std::string text = "Chapters of the guide; bscope help TOPIC prints one:\n\n";
    for (const profiler::Chapter& chapter : chapters)
        text += fmt::format("  {:22}{}\n", chapter.name, chapter.title);
    return text
        + "\nbscope help COMMAND prints the options of a command; bscope --help lists the "
          "commands.\n";
}

int shown(const std::string& text)
{
    printText(text);
    return 0;
}

// Prints the chapter or the help of the command that `topic` names.
Result<int> help(const CLI::App& program, const std::string& topic)
{
    const auto chapters = profiler::guide();
    std::vector<std::string_view> known;
    if (topic.empty())
        return shown(contents(chapters));
    for (const profiler::Chapter& chapter : chapters) {
        if (chapter.name == topic)
            return shown(chapter.text);
        known.push_back(chapter.name);
    }
    for (const Command& command : commands()) {
        if (command.name == topic)
            return shown(program.get_subcommand(topic)->help(program.get_name()));
        known.push_back(command.name);
    }
    return invalid("no chapter or command {}; {}", topic, didYouMean(topic, known));
}

} // namespace

Action prepareCompletion(CLI::App& app)
{
    const auto options = std::make_shared<CompletionOptions>();
    app.add_option("SHELL", options->arguments, "bash, zsh or fish");
    app.add_flag("--after", options->after, "Print the candidates after these arguments");
    return [options, program = app.get_parent()] { return complete(*program, *options); };
}

Action prepareHelp(CLI::App& app)
{
    const auto topic = std::make_shared<std::string>();
    app.add_option("TOPIC", *topic, "Chapter of the guide, or a command");
    return [topic, program = app.get_parent()] { return help(*program, *topic); };
}

} // namespace cli
