#pragma once

#include "engine/base/result.h"
#include "engine/base/text.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace engine {

// The type of a field's value, which is stored as text. Memory is "16GiB", or 0 if it is not set. A
// List has one item per line.
enum class FieldKind : std::uint8_t { Flag, Integer, Real, Cost, Choice, Text, Memory, List };

// The description of a setting. Its command-line option, TOML key, --help and form row are derived
// from it.
struct FieldFacts
{
    std::string flag = {};       // "--iterations" or "-D,--devices"; "" if no option sets it
    std::string table = {};      // TOML table: "run"
    std::string key = {};        // "iterations"; "" if not stored in a file
    std::string_view group = {}; // heading in --help and in the form
    std::string_view label = {}; // "Iterations"
    std::string_view help = {};  // "Measured iterations"; without default and full stop
    std::string_view value = {}; // name of the value in --help: "K"; "": default for `kind`
    FieldKind kind = FieldKind::Text;
    double least = 0, most = 0; // bounds of Integer and Real, both included
    std::vector<std::string_view> names = {};
    int exponent = 0; // Real: number in the file = number in the text * 10^exponent
    std::string_view defaultText = {}; // text for a default that is not a value: "the model's"
    bool isOptional = false;           // Cost: "" is accepted and means `defaultText`
    bool isEssential = false;          // printed commands include it even at its default

    // These return a changed copy, so that a field is one expression in a table.
    FieldFacts between(double low, double high) const;
    FieldFacts oneOf(std::vector<std::string_view> choices) const;
    FieldFacts withDefault(std::string_view text) const;
    FieldFacts essential() const;

    std::string longFlag() const { return flag.substr(flag.find("--")); }
    std::string name() const; // for messages: the long flag, otherwise "table.key"
    // Fails with Error::Code::InvalidArgument if `text` is not a valid value; the message lists or
    // describes the valid ones.
    Result<void> check(std::string_view text) const;
    std::string range() const; // "a whole number from 1 to 8"
};
// A setting whose flag and TOML key have the same name: "--micro-batches" is `micro_batches` of
// `table`. With an empty `table` it is not stored in files.
FieldFacts option(std::string_view table, std::string_view flag, std::string_view label,
                  std::string_view help, std::string_view value = {});
FieldFacts inFileOnly(std::string_view table, std::string_view key);

// One setting of an Object. Values are passed as text, in the unit of the command line.
template<class Object>
struct Field : FieldFacts
{
    std::function<std::string(const Object&)> get;
    // Requires a text that check() accepts. On failure the object is unchanged.
    std::function<Result<void>(Object&, std::string_view)> set;
    // The reason why the setting has no effect: "only for runs on GPUs"; "" if it has an effect.
    std::function<std::string(const Object&)> off = [](const Object&) { return std::string(); };
};

template<class Object>
using Fields = std::span<const Field<Object>>;

std::string numberText(double value); // the shortest text that parses to `value`: "0.1"
std::optional<double> parseNumber(std::string_view text); // finite decimal numbers only
// `text` times 10^exponent. If `text` has no exponent, 10^exponent is appended to it before
// parsing, so that the result is correctly rounded.
double scaled(std::string_view text, int exponent);
std::string scaledText(double value, int exponent);             // inverse of scaled()
std::string memoryText(std::int64_t bytes);                     // "16GiB", "0"
std::optional<std::int64_t> parseMemory(std::string_view text); // "16GiB", "64 MB", "0"

std::vector<std::string_view> items(std::string_view text); // the items of a List
// The items KEY=VALUE of a List. Fails if two have one key, of which only one can apply.
Result<std::vector<std::string_view>> itemsByKey(std::string_view flag, std::string_view text);

// The field of a data member. The kind follows from the member's type; for a std::string and for
// Memory the kind of `facts` is kept.
template<class Object, class Value>
Field<Object> field(FieldFacts facts, Value Object::*member)
{
    Field<Object> result{std::move(facts), {}, {}};
    const auto store = [member](auto read) {
        return [member, read](Object& object, std::string_view text) -> Result<void> {
            object.*member = static_cast<Value>(read(text));
            return {};
        };
    };
    if constexpr (std::is_same_v<Value, std::string>) {
        result.get = [member](const Object& object) { return object.*member; };
        result.set = store([](std::string_view text) { return std::string(text); });
    } else if constexpr (std::is_same_v<Value, bool>) {
        result.kind = FieldKind::Flag;
        result.get = [member](const Object& o) { return o.*member ? "true" : "false"; };
        result.set = store([](std::string_view text) { return text == "true"; });
    } else if constexpr (std::is_enum_v<Value>) {
        result.kind = FieldKind::Choice;
        result.get = [member, names = result.names](const Object& object) {
            return std::string(names[static_cast<std::size_t>(object.*member)]);
        };
        result.set = store([names = result.names](std::string_view text) {
            return std::ranges::find(names, text) - names.begin();
        });
    } else if constexpr (std::is_floating_point_v<Value>) {
        result.kind = FieldKind::Real;
        result.get = [member](const Object& object) { return numberText(object.*member); };
        result.set = store([](std::string_view text) { return parseNumber(text).value_or(0); });
    } else if (result.kind == FieldKind::Memory) {
        result.get = [member](const Object& object) {
            return memoryText(static_cast<std::int64_t>(object.*member));
        };
        result.set = store([](std::string_view text) { return parseMemory(text).value_or(0); });
    } else {
        result.kind = FieldKind::Integer;
        result.get = [member](const Object& object) { return std::to_string(object.*member); };
        result.set
            = store([](std::string_view text) { return parseInteger<Value>(text).value_or(0); });
    }
    return result;
}

// Converts a field of Part to a field of Whole, which has a Part as its `member`.
template<class Whole, class Part>
Field<Whole> lifted(const Field<Part>& part, Part Whole::*member)
{
    return {part, [part, member](const Whole& whole) { return part.get(whole.*member); },
            [part, member](Whole& whole, std::string_view text) {
                return part.set(whole.*member, text);
            },
            [part, member](const Whole& whole) { return part.off(whole.*member); }};
}

template<class Object>
Result<void> setChecked(const Field<Object>& field, Object& object, std::string_view text)
{
    if (auto good = field.check(text); !good)
        return good;
    return field.set(object, text);
}

template<class Object>
const Field<Object>* findField(Fields<Object> fields, std::string_view longFlag)
{
    const auto found = std::ranges::find_if(
        fields, [&](const Field<Object>& each) { return each.flag.ends_with(longFlag); });
    return found == fields.end() ? nullptr : &*found;
}

// The command-line arguments that turn `defaults` into `object`, without settings that have no
// effect.
template<class Object>
std::vector<std::string> arguments(Fields<Object> fields, const Object& object,
                                   const Object& defaults)
{
    std::vector<std::string> result;
    for (const Field<Object>& each : fields) {
        const std::string text = each.get(object);
        if (each.flag.empty() || !each.off(object).empty()
            || (!each.isEssential && text == each.get(defaults)))
            continue;
        if (each.kind == FieldKind::Flag)
            result.push_back(each.longFlag());
        else if (each.kind != FieldKind::List)
            result.insert(result.end(), {each.longFlag(), text});
        else
            for (const std::string_view item : items(text))
                result.insert(result.end(), {each.longFlag(), std::string(item)});
    }
    return result;
}

} // namespace engine
