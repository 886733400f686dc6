#include "app/cli/options/field_options.h"

#include "engine/experiment/experiment_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cli {

using engine::FieldFacts;
using engine::FieldKind;

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

} // namespace

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

} // namespace cli
