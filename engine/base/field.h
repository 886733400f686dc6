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

// What the text of a field is. Memory: "16GiB" or a number of bytes. List: items, a line each.
enum class FieldKind : std::uint8_t { Flag, Integer, Real, Cost, Choice, Text, Memory, List };

// What is said of a setting, wherever it appears: command line, TOML, --help, form.
struct FieldFacts
{
    std::string flag = {};       // "--iterations", "-D,--devices"; "": no option sets it
    std::string table = {};      // of its file: [run]
    std::string key = {};        // "iterations"; "": not in a file
    std::string_view group = {}; // of --help and of the form
    std::string_view label = {}; // of the form: "Iterations"
    std::string_view help = {};  // "Measured iterations": no default, no full stop
    std::string_view value = {}; // of --help: "K"; "": what the kind says
    FieldKind kind = FieldKind::Text;
    double least = 0, most = 0; // Integer and Real, both included
    std::vector<std::string_view> names = {};
    int exponent = 0;            // Real: the file's number is the text's times ten to this power
    std::string_view usual = {}; // the default where it is no value of its own: "the model's"
    bool isOptional = false;     // Cost: "" stands for `usual`
    bool isEssential = false;    // a printed command says it although it is the default

    // For tables, one line a field.
    FieldFacts between(double low, double high) const;
    FieldFacts oneOf(std::vector<std::string_view> choices) const;
    FieldFacts usually(std::string_view text) const;
    FieldFacts essential() const;

    std::string longFlag() const { return flag.substr(flag.find("--")); }
    std::string name() const; // for messages: the long flag, else "table.key"
    // InvalidArgument says what the text must be.
    Result<void> check(std::string_view text) const;
    std::string range() const; // "a whole number from 1 to 8"
};
// An option that is kept under its own name, "--micro-batches" as micro_batches, in `table` of a
// file; "": in none.
FieldFacts option(std::string_view table, std::string_view flag, std::string_view label,
                  std::string_view help, std::string_view value = {});
FieldFacts inFileOnly(std::string_view table, std::string_view key);

// One setting of an Object, stated once. Values travel as text in the unit of the command line.
template<class Object>
struct Field : FieldFacts
{
    std::function<std::string(const Object&)> get;
    // Of a text that check() accepts. The object is unchanged where it fails.
    std::function<Result<void>(Object&, std::string_view)> set;
    // Why it has no effect: "only for runs on GPUs"; "": it has.
    std::function<std::string(const Object&)> off = [](const Object&) { return std::string(); };
};

template<class Object>
using Fields = std::span<const Field<Object>>;

std::string numberText(double value);                     // shortest that reads back: "0.1"
std::optional<double> parseNumber(std::string_view text); // a finite decimal number
// The number of a text times ten to `exponent`; decimals are shifted without rounding.
double scaled(std::string_view text, int exponent);
std::string scaledText(double value, int exponent);             // its inverse
std::string memoryText(std::int64_t bytes);                     // "16GiB", else the number
std::optional<std::int64_t> parseMemory(std::string_view text); // "16GiB", "64 MB", "1024"

std::vector<std::string_view> items(std::string_view text); // of a List

// The field of a member; its kind follows from the member's type where facts leave it at Text.
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

// A field of a part as a field of the whole.
template<class Whole, class Part>
Field<Whole> lifted(const Field<Part>& part, Part Whole::*member)
{
    return {part, [part, member](const Whole& whole) { return part.get(whole.*member); },
            [part, member](Whole& whole, std::string_view text) {
                return part.set(whole.*member, text);
            },
            [part, member](const Whole& whole) { return part.off(whole.*member); }};
}

// Sets the field from text as a user wrote it.
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

// The arguments that turn `usual` into `object`; what has no effect is left out.
template<class Object>
std::vector<std::string> arguments(Fields<Object> fields, const Object& object, const Object& usual)
{
    std::vector<std::string> words;
    for (const Field<Object>& each : fields) {
        const std::string text = each.get(object);
        if (each.flag.empty() || !each.off(object).empty()
            || (!each.isEssential && text == each.get(usual)))
            continue;
        if (each.kind == FieldKind::Flag)
            words.push_back(each.longFlag());
        else if (each.kind != FieldKind::List)
            words.insert(words.end(), {each.longFlag(), text});
        else
            for (const std::string_view item : items(text))
                words.insert(words.end(), {each.longFlag(), std::string(item)});
    }
    return words;
}

} // namespace engine
