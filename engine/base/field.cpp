#include "engine/base/field.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>

namespace engine {
namespace {

struct Unit
{
    std::string_view name;
    double bytes;
};
constexpr double kKilo = 1000, kKibi = 1024;
constexpr std::array kUnits{Unit{"TiB", kKibi* kKibi* kKibi* kKibi},
                            Unit{"GiB", kKibi* kKibi* kKibi},
                            Unit{"MiB", kKibi* kKibi},
                            Unit{"KiB", kKibi},
                            Unit{"TB", kKilo* kKilo* kKilo* kKilo},
                            Unit{"GB", kKilo* kKilo* kKilo},
                            Unit{"MB", kKilo* kKilo},
                            Unit{"KB", kKilo},
                            Unit{"B", 1}};

bool equalsIgnoringCase(std::string_view a, std::string_view b)
{
    return std::ranges::equal(a, b, [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x))
            == std::tolower(static_cast<unsigned char>(y));
    });
}

// Accepts integers from -2^63 to 2^64 - 1.
bool isIntegerBetween(std::string_view text, double least, double most)
{
    if (const auto value = parseInteger<std::int64_t>(text))
        return *value >= least && *value <= most;
    const auto large = parseInteger<std::uint64_t>(text);
    return large && *large <= most;
}

bool isNumberBetween(std::string_view text, double least, double most)
{
    const auto value = parseNumber(text);
    return value && *value >= least && *value <= most;
}

std::string limit(double value)
{
    constexpr double kSeeds = 18446744073709551615.0;
    return value == kSeeds ? "18446744073709551615" : numberText(value);
}

} // namespace

FieldFacts FieldFacts::between(double low, double high) const
{
    FieldFacts facts = *this;
    facts.least = low;
    facts.most = high;
    return facts;
}

FieldFacts FieldFacts::oneOf(std::vector<std::string_view> choices) const
{
    FieldFacts facts = *this;
    facts.kind = FieldKind::Choice;
    facts.names = std::move(choices);
    return facts;
}

FieldFacts FieldFacts::withDefault(std::string_view text) const
{
    FieldFacts facts = *this;
    facts.defaultText = text;
    return facts;
}

FieldFacts FieldFacts::essential() const
{
    FieldFacts facts = *this;
    facts.isEssential = true;
    return facts;
}

FieldFacts option(std::string_view table, std::string_view flag, std::string_view label,
                  std::string_view help, std::string_view value)
{
    FieldFacts facts{.flag = std::string(flag), .label = label, .help = help, .value = value};
    if (table.empty())
        return facts;
    facts.table = table;
    facts.key = facts.longFlag().substr(2);
    std::ranges::replace(facts.key, '-', '_');
    return facts;
}

FieldFacts inFileOnly(std::string_view table, std::string_view key)
{
    return {.table = std::string(table), .key = std::string(key)};
}

std::string FieldFacts::name() const
{
    return flag.empty() ? fmt::format("{}.{}", table, key) : longFlag();
}

std::string FieldFacts::range() const
{
    switch (kind) {
    case FieldKind::Flag:
        return "true or false";
    case FieldKind::Integer:
        return fmt::format("a whole number from {} to {}", limit(least), limit(most));
    case FieldKind::Real:
        return fmt::format("a number from {} to {}", limit(least), limit(most));
    case FieldKind::Choice:
        return "one of " + joined(names);
    case FieldKind::Memory:
        return "an amount of memory with its unit, as in 16GiB";
    default:
        return "text";
    }
}

Result<void> FieldFacts::check(std::string_view text) const
{
    const bool isGood = kind == FieldKind::Flag ? text == "true" || text == "false"
        : kind == FieldKind::Integer            ? isIntegerBetween(text, least, most)
        : kind == FieldKind::Real               ? isNumberBetween(text, least, most)
        : kind == FieldKind::Choice             ? std::ranges::find(names, text) != names.end()
        : kind == FieldKind::Memory             ? parseMemory(text).has_value()
                                                : true;
    if (isGood)
        return {};
    return invalid("{} must be {}, not '{}'", name(), range(), excerpt(text));
}

std::string numberText(double value)
{
    // The format {} writes 1e+15 for large whole numbers, which a spin box cannot read.
    constexpr double kWhole = 1e18;
    return std::abs(value) < kWhole && std::floor(value) == value ? fmt::format("{:.0f}", value)
                                                                  : fmt::format("{}", value);
}

std::optional<double> parseNumber(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()
        || !std::isfinite(value))
        return std::nullopt;
    return value;
}

double scaled(std::string_view text, int exponent)
{
    if (text.find_first_of("eE") == std::string_view::npos)
        return parseNumber(fmt::format("{}e{}", text, exponent)).value_or(0);
    return parseNumber(text).value_or(0) * std::pow(10, exponent);
}

std::string scaledText(double value, int exponent)
{
    return numberText(value / std::pow(10, exponent));
}

std::string memoryText(std::int64_t bytes)
{
    for (const Unit& unit : kUnits) {
        const std::int64_t size = unit.bytes;
        if (bytes >= size && bytes % size == 0)
            return fmt::format("{}{}", bytes / size, unit.name);
    }
    return std::to_string(bytes);
}

std::optional<std::int64_t> parseMemory(std::string_view text)
{
    constexpr double kMost = 9.2e18;
    if (text == "0")
        return 0;
    const std::size_t end = text.find_last_of("0123456789.") + 1; // 0 if there is no digit
    std::string_view unitName = text.substr(end);
    unitName.remove_prefix(std::min(unitName.find_first_not_of(' '), unitName.size()));
    const auto number = parseNumber(text.substr(0, end));
    const auto* unit = std::ranges::find_if(
        kUnits, [&](const Unit& each) { return equalsIgnoringCase(each.name, unitName); });
    if (!number || *number < 0 || unit == kUnits.end() || *number * unit->bytes > kMost)
        return std::nullopt;
    if (const auto whole = parseInteger<std::int64_t>(text.substr(0, end)))
        return *whole * static_cast<std::int64_t>(unit->bytes);
    return std::llround(*number * unit->bytes);
}

std::vector<std::string_view> items(std::string_view text)
{
    std::vector<std::string_view> all;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        all.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}

Result<std::vector<std::string_view>> itemsByKey(std::string_view flag, std::string_view text)
{
    std::vector<std::string_view> all = items(text);
    std::set<std::string_view> keys;
    for (const std::string_view item : all)
        if (const std::string_view key = item.substr(0, item.find('=')); !keys.insert(key).second)
            return invalid("{} {}: {} is given twice; give it once", flag, excerpt(item),
                           excerpt(key));
    return all;
}

} // namespace engine
