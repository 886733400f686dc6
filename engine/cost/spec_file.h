#pragma once

#include "engine/base/result.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// Parses TOML; an error names `source` and the line. Refuses text that would overflow the parser's
// stack: more than 1 MiB, or a key of more than 64 parts.
Result<toml::table> parseToml(std::string_view text, std::string_view source);

// Reads a preset of resources/ or the user's .toml file key by key. done() returns the first error;
// a key that was never read is an error, too.
class SpecFile
{
public:
    struct Range
    {
        double least = 0, most = 1e18;
    };

    // Prefixes of preset names, such as "models/".
    using Folders = std::span<const std::string_view>;

    // `what` names the kind of file in messages: "model" or "hardware".
    static Result<SpecFile> open(Folders folders, std::string_view nameOrFile,
                                 std::string_view what);
    static std::vector<std::string> names(Folders folders); // the names of all presets, sorted
    static Result<std::string> textOf(Folders folders, std::string_view nameOrFile,
                                      std::string_view what);

    // `key` is "key" or "table.key". If the key is missing, text() returns `byDefault`; flag(),
    // integer() and number() leave `value` unchanged.
    std::string text(const std::string& key, const std::string& byDefault);
    void flag(const std::string& key, bool& value);
    void integer(const std::string& key, int& value, Range range);
    void number(const std::string& key, double& value, Range range);
    // Accepts keys that other code reads, so that done() does not report them as unknown. "table."
    // stands for all keys of a table.
    void passOver(std::initializer_list<const char*> keys);
    // done() fails if one of the keys is missing: a number without which no result is right.
    void need(std::initializer_list<const char*> keys);
    // "FILE lacks width, heads"; "" if `table` has all keys.
    static std::string missing(const toml::table& table, std::initializer_list<const char*> keys,
                               std::string_view source);
    void require(bool condition, std::string_view key, std::string_view message);
    Result<void> done() const;

private:
    SpecFile(std::string_view source, toml::table table)
        : m_source(source)
        , m_table(std::move(table))
    { }
    toml::node_view<const toml::node> at(const std::string& key);
    void note(std::string message);
    void checkKnown(const toml::table& table, const std::string& prefix,
                    std::string& unknown) const;

    std::string m_source, m_error;
    toml::table m_table;
    std::set<std::string, std::less<>> m_asked, m_passedOver;
};

} // namespace engine
