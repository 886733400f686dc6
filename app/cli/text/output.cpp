#include "app/cli/text/output.h"

#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace cli {

bool errorIsTerminal()
{
    return isatty(STDERR_FILENO) != 0;
}

bool outputHasColours()
{
    return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
}

std::size_t outputColumns()
{
    constexpr std::size_t kPiped = 160;
    winsize size{};
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : kPiped;
}

std::string jsonText(const nlohmann::ordered_json& json)
{
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print(const profiler::Sheet& sheet, bool json)
{
    printText(json ? jsonText(sheet.json()) : sheet.text());
}

} // namespace cli
