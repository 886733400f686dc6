#include "app/cli/options/options.h"

#include "app/cli/text/output.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/experiment/experiment_fields.h"

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ctime>
#include <iterator>
#include <sstream>

namespace cli {

using namespace engine;

namespace {

std::string valueName(const FieldFacts& facts)
{
    if (!facts.value.empty())
        return std::string(facts.value);
    return facts.kind == FieldKind::Choice ? fmt::format("{{{}}}", fmt::join(facts.names, ","))
                                           : "";
}

std::string helpOf(const FieldFacts& facts, std::string_view defaultText)
{
    const std::string_view shown = facts.defaultText.empty() ? defaultText : facts.defaultText;
    return shown.empty() ? std::string(facts.help)
                         : fmt::format("{} (default: {})", facts.help, shown);
}

void takeOrThrow(const TakeText& take, std::string_view text)
{
    if (const auto done = take(text); !done)
        throw CLI::ValidationError(done.error().message);
}

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

} // namespace

std::vector<std::string> flags(std::string_view list)
{
    std::istringstream words{std::string(list)};
    return {std::istream_iterator<std::string>(words), {}};
}

CLI::Option* addFieldOption(CLI::App& app, const FieldFacts& facts, std::string_view defaultText,
                            TakeText take)
{
    const std::string flag(facts.flag), group(facts.group);
    if (facts.kind == FieldKind::Flag)
        return app
            .add_flag_callback(
                flag, [take = std::move(take)] { takeOrThrow(take, "true"); },
                std::string(facts.help))
            ->group(group);
    CLI::Option* option = app.add_option_function<std::vector<std::string>>(
        flag,
        [take = std::move(take)](const std::vector<std::string>& typed) {
            takeOrThrow(take, fmt::format("{}", fmt::join(typed, "\n")));
        },
        helpOf(facts, defaultText));
    option->type_name(valueName(facts))->allow_extra_args(false)->group(group);
    if (facts.kind != FieldKind::List)
        option->expected(1);
    return option->check(CLI::Validator(
        [facts](std::string& text) {
            // A file says 0 for the memory of the machine; here, leaving the option out does.
            const bool isEmpty
                = facts.kind == FieldKind::Memory && engine::parseMemory(text).value_or(1) <= 0;
            return facts.check(text) && !isEmpty
                ? std::string()
                : fmt::format("{} is not {}", engine::excerpt(text), facts.range());
        },
        ""));
}

CLI::Option* addExperimentOption(CLI::App& app, const FieldFacts& facts,
                                 std::string_view defaultText,
                                 std::function<void(const engine::Experiment&)> take)
{
    const auto& field = engine::experimentField(facts.longFlag());
    return addFieldOption(app, facts, defaultText,
                          [&field, take = std::move(take)](std::string_view text) {
                              engine::Experiment experiment;
                              auto done = field.set(experiment, text);
                              take(experiment);
                              return done;
                          });
}

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
        return invalid("-o -: this output is not text, so it cannot go to standard output; name a "
                       "file or folder");
    return {};
}

Result<NewFile> createOutput(const OutputOptions& options, Paths inputs)
{
    TRY(checkIsNoText(options.file));
    const Paths arguments = argumentsOf(*options.app);
    inputs.insert(inputs.end(), arguments.begin(), arguments.end());
    return NewFile::beside(options.file, options.force ? IfExists::Replace : IfExists::Refuse,
                           inputs);
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

std::string utcNow()
{
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

} // namespace cli
