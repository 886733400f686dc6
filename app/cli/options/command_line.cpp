#include "app/cli/options/command_line.h"

#include "engine/base/text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <ctime>

namespace cli {

namespace {
constexpr std::array kNotStored{"--output", "--force",  "--progress",
                                "--json",   "--detach", "--help"};

bool isStored(const CLI::Option& option)
{
    return std::ranges::none_of(kNotStored,
                                [&](const char* name) { return option.check_name(name); });
}

void add(const CLI::Option& option, std::string& line)
{
    const std::string name = option.get_positional() ? "" : " " + option.get_name(false, false);
    if (option.get_items_expected_max() == 0) { // a flag
        line += name;
        return;
    }
    for (const std::string& value : option.results())
        line += name + " " + engine::shellQuoted(value);
}
} // namespace

std::string commandLine(const CLI::App& command)
{
    std::string line = "bscope " + command.get_name();
    for (const CLI::Option* option : command.get_options())
        if (option->count() > 0 && isStored(*option))
            add(*option, line);
    return line;
}

std::string utcNow()
{
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

} // namespace cli
