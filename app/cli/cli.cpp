#include "app/cli/cli.h"

#include "app/cli/commands/command.h"
#include "app/cli/text/output.h"
#include "engine/base/version.h"
#include "engine/exec/run_experiment.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace cli {

namespace {
constexpr int kSuccess = 0, kFailed = 1, kUsage = 2;

constexpr std::string_view kWelcome =
    R"(bscope sees, measures and compares pipeline-parallel training. Try first:

  bscope simulate --scheme gpipe --scheme 1f1b --scheme bitpipe   three schemes side by side, at once
  bscope run --scheme bitpipe                                     train a small GPT on four devices and record it
  bscope schedule --format text                                   the order of operations, device by device

All commands: bscope --help. The window: bubblescope.
)";

std::string versionText(bool json)
{
    if (!json)
        return fmt::format("bscope {}\n", engine::version());
    return nlohmann::ordered_json{{"program", "bscope"},
                                  {"version", std::string(engine::version())},
                                  {"build", std::string(engine::buildId())}}
               .dump()
        + "\n";
}

// "  one\n  two" of "one\ntwo".
std::string indented(std::string_view lines)
{
    std::string text = "  ";
    for (const char c : lines)
        text += c == '\n' ? std::string("\n  ") : std::string(1, c);
    return text;
}

int complain(const std::string& message, int status)
{
    printError("bscope: " + message + "\n");
    return status;
}

int exitStatus(engine::Error::Code code)
{
    return code == engine::Error::Code::InvalidArgument ? kUsage : kFailed;
}

// Options by name and value only: CLI11 adds checks and exclusions, which nobody reads.
class HelpFormatter : public CLI::Formatter
{
public:
    HelpFormatter()
    {
        column_width(34);
        label("SUBCOMMAND", "COMMAND");
    }
    std::string make_option_opts(const CLI::Option* option) const override
    {
        return option->get_type_name().empty() ? "" : " " + option->get_type_name();
    }
    std::string make_option_name(const CLI::Option* option, bool positional) const override
    {
        return positional ? "" : CLI::Formatter::make_option_name(option, false);
    }
};

struct Program
{
    CLI::App app{"See, measure and compare pipeline-parallel training.", "bscope"};
    bool version = false, json = false;
    std::vector<std::pair<CLI::App*, Action>> actions;

    Program()
    {
        app.require_subcommand(0, 1);
        app.add_flag("--version", version, "Version, and with --json the build");
        app.add_flag("--json", json)->group("");
        app.formatter(std::make_shared<HelpFormatter>());
        app.footer("\nbscope COMMAND --help explains a command, with examples.");
        for (const Command& command : commands()) {
            CLI::App* sub
                = app.add_subcommand(std::string(command.name), std::string(command.summary));
            sub->group("Commands");
            sub->footer("\nExamples:\n" + indented(command.examples));
            actions.emplace_back(sub, command.prepare(*sub));
        }
    }
};

// A GPU that does not end what it was given would be waited for.
int leave(int status)
{
    if (!engine::devicesAreLost())
        return status;
    std::fflush(nullptr);
    std::_Exit(status);
}

int runChosen(Program& program)
{
    for (auto& [sub, action] : program.actions) {
        if (!sub->parsed())
            continue;
        const auto result = action();
        return leave(result ? *result
                            : complain(result.error().message, exitStatus(result.error().code)));
    }
    if (program.version)
        printText(versionText(program.json));
    else if (program.json)
        return complain(
            "--json says how to print; name a command, for example: bscope schemes --json", kUsage);
    else
        printText(kWelcome);
    return kSuccess;
}

// CLI11's words made plain: what is wrong with which argument.
std::string plainWords(const CLI::App& app, const CLI::ParseError& error)
{
    constexpr std::string_view kConversion = "Could not convert: ";
    constexpr std::string_view kTooMany = ": At Most 1 required but received ";
    std::string what = error.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
        const auto extras = app.remaining(true);
        const std::string first = extras.empty() ? what : extras.front();
        const bool command = app.get_subcommands().empty() && !first.starts_with('-');
        if (command && first == "figure")
            return "figures are drawn by the other program: bubblescope figure RUN.sqlite -o F.pdf";
        return (command ? "unknown command " : "unknown argument ") + first;
    }
    if (what.starts_with(kConversion))
        return what.substr(kConversion.size()) + " is not a number it can use";
    if (const auto end = what.find(kTooMany); end != std::string::npos)
        return what.substr(0, end) + " can be given only once";
    return what.substr(0, what.find('\n'));
}

int complainOfUsage(const CLI::App& app, const CLI::ParseError& error)
{
    std::string help = "bscope ";
    for (const CLI::App* sub : app.get_subcommands())
        help += sub->get_name() + " ";
    return complain(plainWords(app, error) + "; see " + help + "--help", kUsage);
}
} // namespace

int runBscope(int argc, const char* const* argv)
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
        return runChosen(program);
    } catch (const std::bad_alloc&) {
        return complain("out of memory; try fewer devices, micro-batches or layers", kFailed);
    } catch (const std::exception& error) { // of a library: never a stack trace
        return complain(std::string(error.what()) + "; this should not happen, please report it",
                        kFailed);
    }
}

} // namespace cli
