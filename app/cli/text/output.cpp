#include "app/cli/text/output.h"

#include "engine/base/process.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "profiler/store/trace_store.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <sstream>

namespace cli {

using namespace engine;

bool errorIsTerminal()
{
    return isatty(STDERR_FILENO) != 0;
}

bool outputHasColours()
{
    return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
}

std::optional<std::size_t> outputColumns()
{
    const char* columns = std::getenv("COLUMNS");
    const auto wanted = parseInteger<std::size_t>(columns == nullptr ? "" : columns);
    if (wanted && *wanted > 0)
        return wanted;
    winsize size{};
    const bool isKnown = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return isKnown ? std::optional<std::size_t>(size.ws_col) : std::nullopt;
}

std::string terminalText(const profiler::Sheet& sheet)
{
    return sheet.text(outputColumns().value_or(std::string::npos));
}

void print(const profiler::Sheet& sheet, bool json)
{
    printText(json ? sheet.json() : terminalText(sheet));
}

namespace {
namespace fs = std::filesystem;

// Returns the program of that name in the first folder of PATH that has it; empty if none has it.
fs::path onPath(const std::string& program)
{
    const char* variable = std::getenv("PATH");
    std::istringstream folders(variable == nullptr ? "" : variable);
    for (std::string folder; std::getline(folders, folder, ':');)
        if (fs::path file = fs::path(folder) / program; access(file.c_str(), X_OK) == 0)
            return file;
    return {};
}

} // namespace

std::string openCommand(const std::string& file)
{
    std::error_code ignored;
    const fs::path own = programFolder() / "bubblescope";
    const fs::path found = onPath("bubblescope");
    const bool isOwn = access(own.c_str(), X_OK) == 0;
    if (!isOwn && found.empty())
        return {};
    const bool isFound = !isOwn || fs::equivalent(own, found, ignored);
    return (isFound ? "bubblescope" : shellQuoted(own.string())) + " " + shellQuoted(file);
}

std::string runFileStem(const Experiment& experiment)
{
    const ScheduleRequest& schedule = experiment.schedule;
    return experiment.scheduleFile.empty()
        ? fmt::format("{}-D{}-N{}", schedule.scheme, schedule.devices, schedule.microBatches)
        : "file-" + std::filesystem::path(experiment.scheduleFile).stem().string();
}

Result<NewFile> createRunFile(const std::string& what)
{
    const std::string name
        = fmt::format("{:%Y%m%d-%H%M%S}-{}", fmt::localtime(std::time(nullptr)), what);
    const std::string stem = (dataFolder() / "runs" / name).string();
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(stem).parent_path(), error);
    if (error)
        return fail(Error::Code::Io, "cannot create the folder of {}: {}; choose a file with -o",
                    stem, error.message());
    return NewFile::firstFree([&stem](int i) {
        return i == 1 ? stem + ".sqlite" : fmt::format("{}-{}.sqlite", stem, i);
    });
}

Result<Run> openRun(const std::string& file)
{
    std::string warning;
    auto run = profiler::readRun(file, &warning);
    if (run && !warning.empty())
        printError("note: " + oneLine(warning) + "\n");
    if (run)
        TRY(profiler::checkHasOps(*run, file));
    return run;
}

Result<std::vector<std::string>> recordedFiles(const std::vector<std::string>& inputs)
{
    std::vector<std::string> files;
    for (const std::string& input : inputs) {
        std::error_code error;
        if (!std::filesystem::is_directory(input, error)) {
            files.push_back(input);
            continue;
        }
        const std::size_t before = files.size();
        for (std::filesystem::directory_iterator at(input, error), end; !error && at != end;
             at.increment(error))
            if (at->path().extension() == ".sqlite")
                files.push_back(at->path().string());
        if (error)
            return fail(Error::Code::Io, "{} cannot be read: {}", input, error.message());
        if (files.size() == before)
            return fail(Error::Code::NotFound,
                        input + " has no .sqlite files; give a folder with runs");
    }
    return files;
}

std::string missingText(std::size_t kernels, const engine::GpuTraceHealth& health)
{
    std::string text;
    const auto add = [&text](std::int64_t count, std::string words) {
        if (count > 0)
            text += (text.empty() ? "" : ", ") + std::move(words);
    };
    add(health.withoutOp,
        fmt::format("{} of {} kernels belong to no op", health.withoutOp, kernels));
    add(health.dropped, fmt::format("{} records were lost", health.dropped));
    add(health.withoutTime, fmt::format("{} kernels have no times", health.withoutTime));
    add(health.unknown, fmt::format("{} records have unknown kinds", health.unknown));
    add(health.declinedBuffers,
        fmt::format("{} buffers for records could not be allocated", health.declinedBuffers));
    return text;
}

} // namespace cli
