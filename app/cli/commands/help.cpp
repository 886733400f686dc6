#include "app/cli/commands/command.h"
#include "app/cli/text/output.h"
#include "engine/base/text.h"
#include "profiler/report/guide.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace cli {

using namespace engine;

namespace {

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

Action prepareHelp(CLI::App& app)
{
    const auto topic = std::make_shared<std::string>();
    app.add_option("TOPIC", *topic, "Chapter of the guide, or a command");
    return [topic, program = app.get_parent()] { return help(*program, *topic); };
}

} // namespace cli
