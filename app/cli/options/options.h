#pragma once

#include "engine/base/field.h"
#include "engine/base/new_file.h"
#include "engine/base/result.h"
#include "engine/experiment/experiment.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What commands state their options with: validators, options from tables of fields, and the output
// file. We describe an option by a field wherever the window has it, too, so that both accept the
// same.
namespace cli {

// Turns an error, for example about an unknown name, into a usage error (exit status 2).
inline auto wrongUsage(engine::Error error)
{
    return engine::invalid(std::move(error.message));
}

// The options of a list such as "--model --hardware".
std::vector<std::string> flags(std::string_view list);

// A validator for CLI::Option::transform() that maps names to values.
template<class Value>
CLI::Validator choice(std::vector<std::pair<std::string, Value>> names)
{
    return {[names = std::move(names)](std::string& text) {
                const auto named = [&](const auto& pair) { return pair.first == text; };
                const auto known = std::ranges::find_if(names, named);
                if (known == names.end())
                    return fmt::format("{} is not one of {}", text,
                                       fmt::join(names | std::views::keys, ", "));
                text = std::to_string(static_cast<int>(known->second));
                return std::string();
            },
            ""};
}

inline CLI::Validator oneOf(std::vector<std::string> names)
{
    return {[names = std::move(names)](std::string& text) {
                return std::ranges::count(names, text) > 0
                    ? std::string()
                    : fmt::format("{} is not one of {}", text, fmt::join(names, ", "));
            },
            ""};
}

template<class Number>
CLI::Validator between(Number least, Number most)
{
    return {[least, most](std::string& text) {
                Number number{};
                const bool fits
                    = CLI::detail::lexical_cast(text, number) && least <= number && number <= most;
                return fits ? std::string()
                            : fmt::format("{} is not a number from {} to {}", text, least, most);
            },
            ""};
}

inline CLI::Validator positive()
{
    return {[](std::string& text) {
                double number = 0;
                const bool fits = CLI::detail::lexical_cast(text, number) && number > 0
                    && std::isfinite(number);
                return fits ? std::string() : text + " is not a number above 0";
            },
            ""};
}

// Adds an option whose value has a name in --help: "--iteration K".
template<class Value>
CLI::Option* addOption(CLI::App& app, const std::string& flagAndValue, Value& value,
                       const std::string& help)
{
    const std::size_t space = flagAndValue.find(' ');
    return app.add_option(flagAndValue.substr(0, space), value, help)
        ->type_name(flagAndValue.substr(space + 1));
}

// Sets a field from the argument of its option. In the argument of a List, newlines separate the
// items.
using TakeText = std::function<engine::Result<void>(std::string_view text)>;

// Adds the option of a field, with the default in its help. After all arguments are parsed, CLI11
// calls `take` in the order in which the options were added.
CLI::Option* addFieldOption(CLI::App& app, const engine::FieldFacts& facts,
                            std::string_view defaultText, TakeText take);

// Adds the options for a table of fields, except those for which `isLeftOut` is true. Parsing sets
// the fields of `object`, which must outlive `app`.
template<class Object>
void addFieldOptions(
    CLI::App& app, engine::Fields<Object> fields, Object& object,
    const std::function<bool(std::string_view flag)>& isLeftOut = [](auto) { return false; })
{
    for (const engine::Field<Object>& each : fields)
        if (!each.flag.empty() && !isLeftOut(each.flag))
            addFieldOption(app, each, each.get(object), [&each, &object](std::string_view text) {
                return each.set(object, text);
            });
}

// Adds the option of one setting of an experiment. `take` gets an experiment with the typed value.
CLI::Option* addExperimentOption(CLI::App& app, const engine::FieldFacts& facts,
                                 std::string_view defaultText,
                                 std::function<void(const engine::Experiment&)> take);

// Fails with Error::Code::InvalidArgument if an option was given that has no effect in combination
// with the other options.
template<class Object>
engine::Result<void> checkEffect(const CLI::App& app, engine::Fields<Object> fields,
                                 const Object& object)
{
    for (const engine::Field<Object>& each : fields) {
        const std::string reason = each.off(object);
        if (each.flag.empty() || reason.empty() || app.count(each.longFlag()) == 0)
            continue;
        return engine::invalid(each.longFlag() + " is " + reason + "; leave it out");
    }
    return {};
}

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

std::string utcNow(); // "2026-11-21T03:41:51Z"

} // namespace cli
