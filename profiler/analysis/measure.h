#pragma once

#include "engine/timeline/run.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// We state every number that the program reports once, as a Measure: its name in JSON, its title,
// its unit, its definition and how it is computed. Text, JSON, HTML, tooltips and tables ask the
// measure, so that a new number is one entry of a table and appears everywhere under one name.
namespace profiler {

enum class Unit : std::uint8_t {
    None,         // a text, or a number without a unit
    Time,         // ticks of a run, shown in ms or cost units
    Microseconds, // nanoseconds, shown in µs
    Bytes,
    Share,       // from 0 to 1, shown in percent
    Change,      // a share with its sign
    Activations, // M_a
    Weights,     // M_theta
    Loss,        // nats
};
enum class Better : std::uint8_t { Neither, Less, More };

// A reported value: a number, a text, or unknown for the reason in `note`. Lists and fields occur
// only in JSON.
struct Reading
{
    using List = std::vector<Reading>;
    using Fields = std::vector<std::pair<std::string, Reading>>;
    struct Absent // the run cannot have the value, so JSON leaves its key out
    { };

    std::variant<std::monostate, Absent, bool, std::int64_t, double, std::string, List, Fields>
        data;
    std::int64_t ticksPerUnit = 1;            // for Unit::Time, see RunInfo::ticksPerUnit
    std::optional<engine::Interval> interval; // 95 %, in the unit of the value
    std::string note;                         // remark beside the value, "median of 5"

    // NOLINTBEGIN(google-explicit-constructor): a getter returns any value
    Reading() = default;
    template<class T>
    requires std::is_arithmetic_v<T> Reading(T number)
    {
        if constexpr (std::is_same_v<T, bool>)
            data = number;
        else if constexpr (std::is_integral_v<T>)
            data = static_cast<std::int64_t>(number);
        else
            setNumber(static_cast<double>(number));
    }
    Reading(std::string text)
        : data(std::move(text))
    { }
    Reading(std::string_view text)
        : data(std::string(text))
    { }
    Reading(const char* text)
        : data(std::string(text))
    { }
    template<class T>
    Reading(const std::optional<T>& value)
    {
        if (value)
            *this = Reading(*value);
    }
    Reading(List list)
        : data(std::move(list))
    { }
    Reading(Fields fields)
        : data(std::move(fields))
    { }
    template<std::ranges::input_range Values>
    requires(!std::convertible_to<const Values&, std::string_view>) Reading(const Values& values)
        : data(List(values.begin(), values.end()))
    { }
    // NOLINTEND(google-explicit-constructor)
    static Reading absent();
    static Reading unknown(std::string reason);
    static Reading time(auto ticks, const engine::RunInfo& info) // the mean of times is a double
    {
        Reading value(ticks);
        value.ticksPerUnit = info.ticksPerUnit;
        return value;
    }

    Reading&& with(std::string remark) &&
    {
        note = std::move(remark);
        return std::move(*this);
    }
    bool isKnown() const { return data.index() > 1; }
    bool isText() const // or yes and no
    {
        return std::holds_alternative<std::string>(data) || std::holds_alternative<bool>(data);
    }
    // A number as it is stored; nullopt for a text or an unknown value.
    std::optional<double> number() const;

private:
    void setNumber(double number); // a number that is not finite is unknown
};

// Returns `value` if it is known, and otherwise a value that is unknown for this reason.
Reading ifKnown(bool isKnown, Reading value, const char* reason);
Reading textOrUnknown(const std::string& text); // "" is unknown

// Where a measure is shown besides JSON.
inline constexpr int kData = 0;    // in JSON only
inline constexpr int kColumn = 1;  // as a column of a table
inline constexpr int kMemory = 2;  // as a column of the table of memory
inline constexpr int kSummary = 4; // in the summary of a run and among the large numbers of a page
inline constexpr int kIfAny = 8;   // its column is left out if every row is 0 or unknown
inline constexpr int kCompared = 16;   // as a column of compared runs
inline constexpr int kSimulated = 32;  // as a column of simulated schemes
inline constexpr int kDifference = 64; // with its difference from the baseline, in a comparison
inline constexpr int kOperation = 128; // likewise, in the table of operations

struct MeasureInfo
{
    // In JSON; a dot precedes the key of an inner object. "": not in JSON.
    std::string_view key = {};
    std::string_view title = {}; // without the unit; "": only in JSON
    Unit unit = Unit::None;
    int shown = kData;
    Better better = Better::Neither;
    std::string_view formula = {}, meaning = {}; // the definition; "": needs none
    std::string_view source = {};                // "": this program, as bscope help numbers prints
    int decimals = -1;                           // -1: as usual for the unit
    bool hasInterval = false;                    // JSON and tables also have the 95 % interval
};

// A column of a table; without a title, that of its key.
constexpr MeasureInfo column(std::string_view key, std::string_view title = {},
                             Unit unit = Unit::None, int decimals = -1)
{
    return {.key = key,
            .title = title.empty() ? key : title,
            .unit = unit,
            .shown = kColumn,
            .decimals = decimals};
}

template<class Subject>
struct Measure : MeasureInfo
{
    Reading (*get)(const Subject&);

    constexpr Measure(const MeasureInfo& info, Reading (*getter)(const Subject&))
        : MeasureInfo(info)
        , get(getter)
    { }
    template<class Getter> // a lambda without captures
    constexpr Measure(const MeasureInfo& info, Getter)
        : MeasureInfo(info)
        , get([](const Subject& subject) -> Reading { return Getter{}(subject); })
    { }
    // A subject without a recording has only its name.
    Reading operator()(const Subject& subject) const
    {
        if constexpr (requires { subject.isRecorded(); })
            if (!subject.isRecorded() && !isName())
                return Reading::unknown("no trace");
        return get(subject);
    }
    bool isName() const { return unit == Unit::None && shown == (kColumn | kMemory); }
};

// The getter of a member or of a function without arguments.
template<auto Member>
struct Of
{
    Reading operator()(const auto& subject) const { return std::invoke(Member, subject); }
};

// The subject of a getter, so that a table of measures names it once for each getter.
template<class Getter>
struct SubjectOf : SubjectOf<decltype(&Getter::operator())>
{ };
template<class Lambda, class Value, class Subject>
struct SubjectOf<Value (Lambda::*)(const Subject&) const>
{
    using Type = Subject;
};
template<class Subject>
struct SubjectOf<Reading (*)(const Subject&)>
{
    using Type = Subject;
};
template<class Subject, class Value, Value Subject::*Member>
struct SubjectOf<Of<Member>>
{
    using Type = Subject;
};
template<class Getter>
Measure(MeasureInfo, Getter) -> Measure<typename SubjectOf<Getter>::Type>;

// Formats a value for a table whose column has the unit, or with its unit: "14.3" and "14.3 %".
// Sizes in bytes always have their unit. Unknown values are "-".
std::string cellText(const Reading& value, const MeasureInfo& of);
std::string readingText(const Reading& value, const MeasureInfo& of);
// Formats the 95 % interval: "14.0 .. 19.0" in the unit of the column; "-" without one.
std::string intervalText(const Reading& value, const MeasureInfo& of);
std::string unitText(Unit unit, std::int64_t ticksPerUnit); // "ms", "%", "M_a"; "" without one
std::string_view sourceOf(const MeasureInfo& measure);      // of a definition
// Formula, meaning and source in one text; "" without a definition.
std::string definition(const MeasureInfo& measure);
std::string lowered(std::string_view title); // "peak stash", "MFU"

// Adds a field for JSON. Keys with a dot belong to an inner object.
void addField(const MeasureInfo& measure, Reading value, Reading::Fields& fields);

Reading withNulls(Reading::Fields fields); // inner objects of unknown values become null

// The measures of a subject that have keys, for JSON.
Reading fields(const auto& measures, const auto& subject)
{
    Reading::Fields all;
    for (const auto& measure : measures)
        if (!measure.key.empty())
            addField(measure, measure(subject), all);
    return withNulls(std::move(all));
}

// Formats of single numbers in sentences. Ticks are nanoseconds if ticksPerUnit is 1, otherwise
// parts of a cost unit (RunInfo::ticksPerUnit).
std::string timeText(std::int64_t ticks, std::int64_t ticksPerUnit);   // "19.0 ms", "12.5 units"
std::string timeNumber(std::int64_t ticks, std::int64_t ticksPerUnit); // "19.0", "12.5"
std::string meanNumber(double ticks, std::int64_t ticksPerUnit);       // `ticks` may be fractional
std::string timeUnit(std::int64_t ticksPerUnit);                       // "ms", "units"
std::string unitNumber(double value); // one to three decimals: "3.5", "4.0", "2.333"
using engine::bytesText;
std::string shareText(double share); // "14.3 %"

} // namespace profiler
