#include "app/cli/options/output_options.h"

#include "app/cli/text/output.h"
#include "engine/base/try.h"

#include <CLI/CLI.hpp>

namespace cli {

using namespace engine;

namespace {

using Paths = std::vector<std::filesystem::path>;

// Returns the values of all options except -o. Any of them may be the name of an input file.
Paths argumentsOf(const CLI::App& app)
{
    Paths inputs;
    for (const CLI::Option* option : app.get_options())
        if (!option->check_name("--output"))
            inputs.insert(inputs.end(), option->results().begin(), option->results().end());
    return inputs;
}

IfExists ifExists(const OutputOptions& options)
{
    return options.force ? IfExists::Replace : IfExists::Refuse;
}

} // namespace

void addOutputOptions(CLI::App& app, OutputOptions& options, const std::string& help,
                      const std::string& type, const std::string& group)
{
    options.app = &app;
    auto* output = app.add_option("-o,--output", options.file, help);
    output->type_name(type)->group(group);
    app.add_flag("--force", options.force, "Replace the file if it exists")
        ->group(group)
        ->needs(output);
}

Result<void> checkIsNoText(const std::string& output)
{
    if (output == "-")
        return fail(Error::Code::InvalidArgument,
                    "-o -: this output is not text, so it cannot go to standard output; name a "
                    "file or folder");
    return {};
}

Result<NewFile> createOutput(const OutputOptions& options, Paths inputs)
{
    TRY(checkIsNoText(options.file));
    const Paths arguments = argumentsOf(*options.app);
    inputs.insert(inputs.end(), arguments.begin(), arguments.end());
    return NewFile::beside(options.file, ifExists(options), inputs);
}

Result<void> writeOutput(const OutputOptions& options, std::string_view text)
{
    return writeOutput(options, [text](const TextSink& sink) -> Result<void> {
        sink(text);
        return {};
    });
}

Result<void> writeOutput(const OutputOptions& options, const TextSource& text)
{
    if (options.file.empty() || options.file == "-")
        return text(printText);
    return createOutput(options).and_then(
        [&](NewFile file) { return saveFile(std::move(file), text); });
}

} // namespace cli
