#include "app/cli/commands/command.h"
#include "app/cli/text/output.h"
#include "engine/backend/cpu/cpu_device.h"
#include "engine/base/hidden_file.h"
#include "engine/base/process.h"
#include "engine/base/text.h"
#include "engine/base/version.h"
#include "engine/exec/run_experiment.h"
#include "profiler/store/query.h"
#include "resources/resources.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <string>
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

constexpr int kSuccess = 0, kFailed = 1, kUsage = 2;

constexpr std::string_view kWelcome =
    R"(bscope simulates, measures and compares pipeline-parallel training. Examples:

  bscope simulate --scheme gpipe --scheme 1f1b --scheme bitpipe   compare three schemes
  bscope run --scheme bitpipe                                     train a small GPT on four devices
  bscope schedule --format text                                   print the order of operations

bscope --help lists all commands. bubblescope is the window.
)";

std::string versionText(bool json)
{
    if (!json)
        return fmt::format("bscope {}\n", engine::version());
    const auto cpu = engine::openCpuDevice();
    return nlohmann::ordered_json{{"program", "bscope"},
                                  {"version", std::string(engine::version())},
                                  {"build", std::string(engine::buildId())},
                                  {"compiler", __VERSION__},
                                  {"sqlite", std::string(profiler::sqliteVersion())},
                                  {"blas", cpu ? (*cpu)->info().library : cpu.error().message}}
               .dump()
        + "\n";
}

std::string examplesOf(std::string_view command)
{
    const std::string_view all = resources::find("help/examples.txt");
    const auto heading = all.find(fmt::format("# {}\n", command));
    const auto begin = all.find("\n  ", heading) + 1;
    const std::string_view lines = all.substr(begin, all.find("\n#", begin) - begin);
    return std::string(lines.substr(0, lines.find_last_not_of('\n') + 1));
}

int complain(const std::string& message, int status)
{
    printError("bscope: " + engine::oneLine(message) + "\n");
    return status;
}

int exitStatus(engine::Error::Code code, bool isPoint)
{
    using Code = engine::Error::Code;
    return code == Code::InvalidArgument ? kUsage
        : code == Code::Io && isPoint    ? kIoStatus
                                         : kFailed;
}

// Formats --help. Lines have at most 80 columns, and exclusions are not shown. CLI11 would append
// the descriptions of validators to type names, but ours (options.h) have none.
class HelpFormatter : public CLI::Formatter
{
public:
    HelpFormatter()
    {
        column_width(kNameWidth);
        label("SUBCOMMAND", "COMMAND");
    }
    std::string make_option_opts(const CLI::Option* option) const override
    {
        const std::string type
            = option->get_positional() ? option->get_name(true) : option->get_type_name();
        return type.empty() ? "" : " " + type;
    }
    std::string make_option_name(const CLI::Option* option, bool positional) const override
    {
        return positional ? "" : CLI::Formatter::make_option_name(option, false);
    }
    std::string make_option_usage(const CLI::Option* option) const override
    {
        const std::string type = make_option_opts(option);
        const std::string name = (type.empty() ? "NAME" : type.substr(1))
            + (option->get_expected_max() > 2 ? " ..." : "");
        return option->get_required() ? name : '[' + name + ']';
    }
    std::string make_subcommand(const CLI::App* command) const override
    {
        return fmt::format("  {:<12}{}\n", command->get_name(), command->get_description());
    }
    std::string make_option_desc(const CLI::Option* option) const override
    {
        return engine::wrapped(option->get_description(), kHelpWidth - kNameWidth);
    }

private:
    static constexpr std::size_t kHelpWidth = 80, kNameWidth = 30;
};

struct Program
{
    CLI::App app{"Simulate, measure and compare pipeline-parallel training.", "bscope"};
    bool version = false, json = false, manual = false;
    std::vector<std::pair<CLI::App*, Action>> actions;

    Program()
    {
        app.require_subcommand(0, 1);
        app.add_flag("--version", version,
                     "Print the version (with --json also the build and libraries)");
        app.add_flag("--json", json)->group("");
        app.add_flag("--manual", manual)->group(""); // for packaging/man/bscope.1
        app.formatter(std::make_shared<HelpFormatter>());
        app.footer("\nbscope COMMAND --help prints the options of a command, with examples.");
        for (const Command& command : commands()) {
            CLI::App* sub
                = app.add_subcommand(std::string(command.name), std::string(command.summary));
            sub->group("Commands");
            sub->footer("\nExamples:\n" + examplesOf(command.name));
            actions.emplace_back(sub, command.prepare(*sub));
        }
    }
};

// Returns `status`. If a GPU no longer responds, exits the process instead, because destructors
// would wait for the GPU.
int leave(int status)
{
    if (!engine::devicesAreLost())
        return status;
    std::fflush(nullptr);
    std::_Exit(status);
}

// The name of an option that was given an empty value; "" without one. An empty value would be
// taken for the default.
std::string emptyOption(const CLI::App& command)
{
    for (const CLI::Option* option : command.get_options())
        if (option->get_items_expected_max() > 0
            && std::ranges::count(option->results(), std::string()) > 0)
            return option->get_name();
    return {};
}

// `isPoint`: whether a study started this process.
int runChosen(Program& program, bool isPoint)
{
    for (auto& [sub, action] : program.actions) {
        if (!sub->parsed())
            continue;
        if (const std::string empty = emptyOption(*sub); !empty.empty())
            return complain(empty + " has an empty value; give a value, or leave it out", kUsage);
        const auto result = action();
        return leave(
            result ? *result
                   : complain(result.error().message, exitStatus(result.error().code, isPoint)));
    }
    if (program.manual)
        printText(manualOptions(program.app));
    else if (program.version)
        printText(versionText(program.json));
    else if (program.json)
        return complain("--json needs a command, for example: bscope schemes --json", kUsage);
    else
        printText(kWelcome);
    return kSuccess;
}

std::vector<std::string> namesOfCommands()
{
    std::vector<std::string> names;
    for (const Command& command : commands())
        names.emplace_back(command.name);
    return names;
}

// Of the command that was given.
std::vector<std::string> namesOfOptions(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands())
        for (const CLI::Option* option : command->get_options())
            for (const std::string& name : option->get_lnames())
                names.push_back("--" + name);
    return names;
}

// "; did you mean '--devices'?", or "" if no name is similar.
std::string similarTo(const std::string& name, const std::vector<std::string>& known)
{
    const std::vector<std::string_view> views(known.begin(), known.end());
    const std::string_view nearest = engine::nearestName(name, views);
    return nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest);
}

// Rephrases an error of CLI11. The text names the argument and states what is wrong with it.
std::string errorText(const CLI::App& app, const CLI::ParseError& error)
{
    constexpr std::string_view kConversion = "Could not convert: ";
    constexpr std::string_view kTooMany = ": At Most 1 required but received ";
    constexpr std::string_view kLeast = "At least ", kGiven = " required but received ";
    std::string what = error.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
        const auto extras = app.remaining(true);
        const std::string first = extras.empty() ? what : extras.front();
        const bool command = app.get_subcommands().empty() && !first.starts_with('-');
        if (command && first == "figure")
            return "bscope draws no figures; use bubblescope figure RUN.sqlite -o FILE.pdf";
        return (command ? "unknown command " : "unknown argument ") + first
            + similarTo(first, command ? namesOfCommands() : namesOfOptions(app));
    }
    if (what.starts_with(kConversion))
        return what.substr(kConversion.size()) + " is not a valid number";
    if (const auto end = what.find(kTooMany); end != std::string::npos)
        return what.substr(0, end) + " can be given only once";
    what.resize(std::min(what.size(), what.find('\n')));
    const auto least = what.find(kLeast), given = what.find(kGiven);
    if (least == std::string::npos || given == std::string::npos || given < least)
        return what;
    const auto number = least + kLeast.size();
    return fmt::format("{}at least {} are needed, but {} was given", what.substr(0, least),
                       what.substr(number, given - number), what.substr(given + kGiven.size()));
}

int complainOfUsage(const CLI::App& app, const CLI::ParseError& error)
{
    std::string help = "bscope ";
    for (const CLI::App* sub : app.get_subcommands())
        help += sub->get_name() + " ";
    return complain(errorText(app, error) + "; see " + help + "--help", kUsage);
}

int parseAndRun(int argc, const char* const* argv)
{
    try {
        Program program;
        try {
            program.app.parse(argc, argv);
        } catch (const CLI::CallForHelp&) {
            printText(program.app.help());
            return kSuccess;
        } catch (const CLI::ParseError& error) {
            return complainOfUsage(program.app, error);
        }
        return runChosen(program, argc > 0 && argv[0] == kPointProcess);
    } catch (const std::exception& error) { // thrown by a library
        return complain(engine::limitReached(error).value_or(std::string(error.what())
                                                             + "; this is a bug, please report it"),
                        kFailed);
    }
}

// Parses the arguments and executes one command. Returns the exit status.
int runBscope(int argc, const char* const* argv)
{
    const int status = parseAndRun(argc, argv);
    const int failed = engine::flushOutput();
    if (failed == 0 || status != kSuccess)
        return status;
    if (failed == EPIPE) // the reader has closed the pipe and needs no message
        return kFailed;
    return complain(fmt::format("cannot write to standard output: {}", std::strerror(failed)),
                    kFailed);
}

// CLI11 looks up options in noexcept functions that allocate, so that a lack of memory does not
// reach the handlers of runBscope().
[[noreturn]] void endAtLimit()
{
    try {
        if (const auto error = std::current_exception())
            std::rethrow_exception(error);
    } catch (const std::exception& error) {
        if (const auto limit = engine::limitReached(error)) {
            std::fprintf(stderr, "bscope: %s\n", limit->c_str());
            engine::removeHiddenFiles();
            std::_Exit(EXIT_FAILURE);
        }
    } catch (...) { }
    std::abort();
}
} // namespace

} // namespace cli

int main(int argc, char** argv)
{
    engine::prepareProcess();
    std::set_terminate(cli::endAtLimit);
    return cli::runBscope(argc, argv);
}
