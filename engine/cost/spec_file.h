#pragma once

#include "engine/cost/toml_fields.h"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// Parses TOML; an error names `source` and the line. Refuses text that would overflow the parser's
// stack: more than 1 MiB, or a key of more than 64 parts.
Result<toml::table> parseToml(std::string_view text, std::string_view source);

// A preset of resources/ or the user's .toml file.
struct SpecFile
{
    // Prefixes of preset names, such as "models/".
    using Folders = std::span<const std::string_view>;
    // `what` names the kind of file in messages: "model" or "hardware".
    static Result<toml::table> open(Folders folders, std::string_view nameOrFile,
                                    std::string_view what);
    static std::vector<std::string> names(Folders folders); // the names of all presets, sorted
    static Result<std::string> textOf(Folders folders, std::string_view nameOrFile,
                                      std::string_view what);
    // Fails if `table` lacks one of the keys, without which no result is right.
    static Result<void> need(const toml::table& table, std::initializer_list<const char*> keys,
                             std::string_view source);
};

// Reads the fields of an object from a file, `source`.
template<class Object>
Result<void> readSpec(Fields<Object> fields, const toml::table& table, std::string_view source,
                      Object& object)
{
    return inContext(source, readFields(fields, "", table, object));
}

} // namespace engine
