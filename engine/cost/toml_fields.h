#pragma once

#include "engine/base/field.h"
#include "engine/base/try.h"

#include <toml++/toml.h>

#include <span>
#include <string_view>
#include <vector>

namespace engine {

// Convert the text of a field to a TOML value and back. textOf() returns nullopt if the value has
// another type.
void insertField(const FieldFacts& facts, std::string_view text, toml::table& table);
std::optional<std::string> textOf(const FieldFacts& facts, const toml::node& node);

// The error for a key that table `name` ("": the top level) does not have; `known` lists its keys.
Error unknownKey(std::string_view name, std::string_view key,
                 std::span<const std::string_view> known);

// Writes each field into the table FieldFacts::table below `root`. A field whose table is "" is
// written into `root` itself.
template<class Object>
void insertFields(Fields<Object> fields, const Object& object, toml::table& root)
{
    for (const Field<Object>& each : fields) {
        if (each.key.empty())
            continue;
        toml::table* table = &root;
        if (!each.table.empty())
            table = root.insert(each.table, toml::table()).first->second.as_table();
        insertField(each, each.get(object), *table);
    }
}

// Sets the fields of `object` from all keys of `table`, which is called `name` in the file; from
// the top level ("") it also reads the tables that fields have. Fails with
// Error::Code::InvalidArgument; the message names the unknown key, or a key and its valid values.
template<class Object>
Result<void> readFields(Fields<Object> fields, std::string_view name, const toml::table& table,
                        Object& object)
{
    for (const auto& [tomlKey, node] : table) {
        const std::string_view key = tomlKey.str();
        const bool isTable = name.empty() && node.is_table()
            && std::ranges::any_of(fields, [&](const auto& each) { return each.table == key; });
        if (isTable) {
            TRY(readFields(fields, key, *node.as_table(), object));
            continue;
        }
        const auto found = std::ranges::find_if(
            fields, [&](const auto& each) { return each.table == name && each.key == key; });
        if (found == fields.end()) {
            std::vector<std::string_view> known;
            for (const Field<Object>& each : fields)
                if (each.table == name && !each.key.empty())
                    known.push_back(each.key);
            return tl::unexpected(unknownKey(name, key, known));
        }
        const auto text = textOf(*found, node);
        if (!text || !found->check(*text))
            return invalid(std::string(name) + (name.empty() ? "" : ".") + std::string(key)
                           + " must be " + found->range());
        TRY(found->set(object, *text));
    }
    return {};
}

std::string tomlText(const toml::table& table); // ends with a newline

} // namespace engine
