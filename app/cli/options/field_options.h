#pragma once

#include "engine/base/field.h"
#include "engine/experiment/experiment.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace cli {

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
        return engine::fail(engine::Error::Code::InvalidArgument,
                            each.longFlag() + " is " + reason + "; leave it out");
    }
    return {};
}

} // namespace cli
