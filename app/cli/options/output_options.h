#pragma once

#include "engine/base/new_file.h"

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace cli {

// The options -o FILE and --force, which needs -o.
struct OutputOptions
{
    const CLI::App* app = nullptr; // the command; its arguments may name input files
    std::string file;              // "" without -o
    bool force = false;
};

// `help` and `type` are the help text and the value name of -o.
void addOutputOptions(CLI::App& app, OutputOptions& options, const std::string& help,
                      const std::string& type = "FILE", const std::string& group = "Options");

// Fails with Error::Code::InvalidArgument if `output`, which is no text, is "-" (standard output).
engine::Result<void> checkIsNoText(const std::string& output);
// Creates and locks the file given by -o. Fails with Error::Code::InvalidArgument if another option
// or an entry of `inputs` names the same file.
engine::Result<engine::NewFile> createOutput(const OutputOptions& options,
                                             std::vector<std::filesystem::path> inputs = {});
// Writes to the file of -o, or to standard output if there is no -o or its file is "-". Fails as
// saveFile() and the text source do.
engine::Result<void> writeOutput(const OutputOptions& options, const engine::TextSource& text);
engine::Result<void> writeOutput(const OutputOptions& options, std::string_view text);

} // namespace cli
