#pragma once

#include "engine/base/new_file.h"

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace cli {

// -o FILE and --force.
struct OutputOptions
{
    const CLI::App* app = nullptr; // whose options name the inputs
    std::string file;              // "" without -o
    bool force = false;
};

// `help` and `type` describe -o.
void addOutputOptions(CLI::App& app, OutputOptions& options, const std::string& help,
                      const std::string& type = "FILE", const std::string& group = "Options");

// Locks the file of -o. InvalidArgument: it is a file that another option or `inputs` names.
engine::Result<engine::NewFile> createOutput(const OutputOptions& options,
                                             std::vector<std::filesystem::path> inputs = {});
// Writes to the file, or to standard output without -o and with "-o -". The errors of saveFile().
engine::Result<void> writeOutput(const OutputOptions& options, std::string_view text);

} // namespace cli
