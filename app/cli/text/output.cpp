#include "app/cli/text/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

namespace cli {

using engine::Error;
using engine::fail;
using engine::Result;

namespace {
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File openFile(const std::string& path, const char* mode)
{
    return {std::fopen(path.c_str(), mode), [](std::FILE* file) { return std::fclose(file); }};
}
} // namespace

void printText(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

void printError(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stderr);
}

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

Result<void> writeOutput(const std::string& path, std::string_view text)
{
    if (path.empty() || path == "-") {
        printText(text);
        return {};
    }
    File file = openFile(path, "wb");
    const bool written = file && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size()
        && std::fclose(file.release()) == 0;
    if (!written)
        return fail(
            Error::Code::Io,
            fmt::format("cannot write {}: {}; check the folder, or choose another file with -o",
                        path, std::strerror(errno)));
    return {};
}

} // namespace cli
