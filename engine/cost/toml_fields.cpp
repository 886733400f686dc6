#include "engine/cost/toml_fields.h"

#include "engine/base/text.h"

#include <fmt/format.h>

#include <sstream>

namespace engine {
namespace {

// Converts lines of "key=value" to a table of strings.
toml::table tableOf(std::string_view text)
{
    toml::table table;
    for (const std::string_view item : items(text)) {
        const std::size_t equals = std::min(item.find('='), item.size());
        table.insert(item.substr(0, equals),
                     std::string(item.substr(std::min(equals + 1, item.size()))));
    }
    return table;
}

std::optional<std::string> textOfTable(const toml::table* table)
{
    if (table == nullptr)
        return std::nullopt;
    std::string text;
    for (const auto& [key, node] : *table) {
        const auto value = node.value<std::string>();
        if (!value)
            return std::nullopt;
        text += fmt::format("{}{}={}", text.empty() ? "" : "\n", key.str(), *value);
    }
    return text;
}

// toml++ would write 0.9 as 0.90000000000000002.
std::string realText(double value)
{
    const std::string text = numberText(value);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

void write(std::ostream& stream, const toml::table& table, const std::string& path)
{
    for (const auto& [key, node] : table)
        if (const auto real = node.as_floating_point())
            stream << key.str() << " = " << realText(real->get()) << '\n';
        else if (!node.is_table())
            stream << toml::table{{key, node}} << '\n';
    for (const auto& [key, node] : table)
        if (const auto* nested = node.as_table(); nested != nullptr && !nested->empty()) {
            const std::string name = (path.empty() ? "" : path + '.') + std::string(key.str());
            stream << (stream.tellp() > 0 ? "\n" : "") << '[' << name << "]\n";
            write(stream, *nested, name);
        }
}

} // namespace

Error unknownKey(std::string_view name, std::string_view key,
                 std::span<const std::string_view> known)
{
    return {Error::Code::InvalidArgument,
            fmt::format("{}unknown key '{}'; {}", name.empty() ? "" : fmt::format("[{}]: ", name),
                        excerpt(key), didYouMean(key, known))};
}

void insertField(const FieldFacts& facts, std::string_view text, toml::table& table)
{
    const auto whole
        = facts.kind == FieldKind::Memory ? parseMemory(text) : parseInteger<std::int64_t>(text);
    if (facts.kind == FieldKind::Flag)
        table.insert(facts.key, text == "true");
    else if (facts.kind == FieldKind::Real)
        table.insert(facts.key, scaled(text, facts.exponent));
    else if (facts.kind == FieldKind::List)
        table.insert(facts.key, tableOf(text));
    else if ((facts.kind == FieldKind::Integer || facts.kind == FieldKind::Memory) && whole)
        table.insert(facts.key, *whole);
    else // also seeds that exceed TOML's integers
        table.insert(facts.key, std::string(text));
}

std::optional<std::string> textOf(const FieldFacts& facts, const toml::node& node)
{
    switch (facts.kind) {
    case FieldKind::Flag:
        if (const auto value = node.value_exact<bool>())
            return fmt::format("{}", *value);
        return std::nullopt;
    case FieldKind::Real:
        if (const auto value = node.value<double>())
            return scaledText(*value, facts.exponent);
        return std::nullopt;
    case FieldKind::List:
        return textOfTable(node.as_table());
    case FieldKind::Integer:
    case FieldKind::Memory:
        if (const auto value = node.value_exact<std::int64_t>()) // bytes
            return facts.kind == FieldKind::Memory ? memoryText(*value) : std::to_string(*value);
        return node.value_exact<std::string>();
    default:
        return node.value_exact<std::string>();
    }
}

std::string tomlText(const toml::table& table)
{
    std::ostringstream stream;
    write(stream, table, "");
    return std::move(stream).str();
}

} // namespace engine
