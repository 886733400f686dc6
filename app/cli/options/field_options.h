#pragma once

#include "engine/base/field.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace cli {

// Sets the object from the argument; a List's items have a line each.
using TakeText = std::function<engine::Result<void>(std::string_view text)>;

// Adds one option as its facts describe it, with the default in its help. CLI11 calls `take` after
// parsing, in the order in which the options were added.
CLI::Option* addFieldOption(CLI::App& app, const engine::FieldFacts& facts, std::string_view usual,
                            TakeText take);

// Adds the options of a table of fields, except those for which `isLeftOut` holds. `object` is set
// during parsing and must outlive `app`.
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

// InvalidArgument: an option that has no effect with the others was given.
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
