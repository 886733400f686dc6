#include "profiler/analysis/measure.h"

#include "engine/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace profiler {

namespace {

// Unlike printf(), ignores the locale, which QCoreApplication sets to the user's.
std::string fixed(double value, int decimals)
{
    return fmt::format("{:.{}f}", value, decimals);
}

// With more decimals if a number that is not 0 would read as 0.
std::string visible(double value, int decimals)
{
    constexpr int kMost = 6;
    const double least = std::abs(value);
    while (least > 0 && decimals < kMost && least * std::pow(10, decimals) < 0.5)
        ++decimals;
    return fixed(value, decimals);
}

std::string timeCell(double ticks, std::int64_t ticksPerUnit, int decimals)
{
    return ticksPerUnit == 1 ? visible(ticks * 1e-6, decimals < 0 ? 1 : decimals)
                             : meanNumber(ticks, ticksPerUnit);
}

std::string numberText(double number, std::int64_t ticksPerUnit, const MeasureInfo& of)
{
    const auto decimals = [&of](int usual) { return of.decimals < 0 ? usual : of.decimals; };
    switch (of.unit) {
    case Unit::Time:
        return timeCell(number, ticksPerUnit, of.decimals);
    case Unit::Microseconds:
        return visible(number * 1e-3, decimals(1));
    case Unit::Bytes:
        return bytesText(std::llround(number));
    case Unit::Share:
        return fixed(100 * number, decimals(1));
    case Unit::Change:
        return fmt::format("{:+.{}f}", 100 * number, decimals(1));
    case Unit::Activations:
    case Unit::Weights:
        return unitNumber(number);
    case Unit::Loss:
        return fixed(number, decimals(3));
    case Unit::None:
        break;
    }
    return of.decimals < 0 ? fmt::format("{:.4g}", number) : fixed(number, of.decimals);
}

// Another value in the unit of `value`.
Reading at(const Reading& value, std::int64_t ticks)
{
    Reading other(ticks);
    other.ticksPerUnit = value.ticksPerUnit;
    return other;
}

} // namespace

Reading Reading::absent()
{
    Reading value;
    value.data = Absent{};
    return value;
}

Reading Reading::unknown(std::string reason)
{
    return Reading().with(std::move(reason));
}

std::optional<double> Reading::number() const
{
    if (const auto* whole = std::get_if<std::int64_t>(&data))
        return static_cast<double>(*whole);
    if (const auto* number = std::get_if<double>(&data))
        return *number;
    return std::nullopt;
}

void Reading::setNumber(double number)
{
    if (std::isfinite(number))
        data = number;
}

Reading ifKnown(bool isKnown, Reading value, const char* reason)
{
    return isKnown ? value : Reading::unknown(reason);
}

Reading textOrUnknown(const std::string& text)
{
    return text.empty() ? Reading() : Reading(text);
}

std::string cellText(const Reading& value, const MeasureInfo& of)
{
    if (const auto* text = std::get_if<std::string>(&value.data))
        return engine::oneLine(*text);
    if (const auto* is = std::get_if<bool>(&value.data))
        return *is ? "yes" : "no";
    if (const auto* whole = std::get_if<std::int64_t>(&value.data); whole && of.unit == Unit::None)
        return std::to_string(*whole);
    const auto number = value.number();
    return number ? numberText(*number, value.ticksPerUnit, of) : "-";
}

std::string readingText(const Reading& value, const MeasureInfo& of)
{
    if (!value.isKnown() && !value.note.empty())
        return "unknown";
    if (const auto* ticks = std::get_if<std::int64_t>(&value.data);
        ticks && of.unit == Unit::Time && of.decimals < 0)
        return timeText(*ticks, value.ticksPerUnit);
    const std::string unit = unitText(of.unit, value.ticksPerUnit);
    return cellText(value, of) + (value.number() && !unit.empty() ? " " + unit : "");
}

std::string intervalText(const Reading& value, const MeasureInfo& of)
{
    if (!value.interval)
        return "-";
    const auto end = [&](std::int64_t at) {
        return numberText(static_cast<double>(at), value.ticksPerUnit, of);
    };
    return fmt::format("{} .. {}", end(value.interval->least), end(value.interval->most));
}

std::string unitText(Unit unit, std::int64_t ticksPerUnit)
{
    constexpr std::array<const char*, 9> kTexts{"",  "",    "µs",      "",    "%",
                                                "%", "M_a", "M_theta", "nats"};
    return unit == Unit::Time ? timeUnit(ticksPerUnit) : kTexts[static_cast<std::size_t>(unit)];
}

std::string_view sourceOf(const MeasureInfo& measure)
{
    return measure.source.empty() ? "Bubblescope, What every number means (bscope help numbers)"
                                  : measure.source;
}

std::string definition(const MeasureInfo& measure)
{
    return measure.formula.empty()
        ? std::string()
        : fmt::format("{} = {}. {} Source: {}", measure.title, measure.formula, measure.meaning,
                      sourceOf(measure));
}

std::string lowered(std::string_view title)
{
    std::string text(title);
    if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])))
        text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
}

void addField(const MeasureInfo& measure, Reading value, Reading::Fields& fields)
{
    // A simulation without spans does not know the times of operations, and has the same JSON.
    if (std::holds_alternative<Reading::Absent>(value.data) || (measure.shown & kOperation) != 0)
        return;
    const std::string key(measure.key);
    if (const std::size_t dot = key.find('.'); dot != std::string::npos) {
        const std::string outer = key.substr(0, dot);
        auto found = std::ranges::find(fields, outer, &Reading::Fields::value_type::first);
        if (found == fields.end())
            found = fields.insert(fields.end(), {outer, Reading(Reading::Fields())});
        std::get<Reading::Fields>(found->second.data)
            .emplace_back(key.substr(dot + 1), std::move(value));
        return;
    }
    Reading interval;
    if (value.interval)
        interval = Reading::List{at(value, value.interval->least), at(value, value.interval->most)};
    fields.emplace_back(key, std::move(value));
    if (measure.hasInterval)
        fields.emplace_back(key + "_interval", std::move(interval));
}

Reading withNulls(Reading::Fields fields)
{
    for (auto& [key, reading] : fields)
        if (const auto* inner = std::get_if<Reading::Fields>(&reading.data); inner != nullptr
            && std::ranges::none_of(*inner, [](const auto& one) { return one.second.isKnown(); }))
            reading = Reading();
    return fields;
}

std::string unitNumber(double value)
{
    std::string text = fixed(value, 3);
    const auto lastKept = text.find_last_not_of('0');
    const auto firstDecimal = text.find('.') + 1;
    text.resize(std::max(lastKept, firstDecimal) + 1);
    return text;
}

std::string timeNumber(std::int64_t ticks, std::int64_t ticksPerUnit)
{
    return meanNumber(ticks, ticksPerUnit);
}

std::string meanNumber(double ticks, std::int64_t ticksPerUnit)
{
    return ticksPerUnit == 1 ? fixed(ticks * 1e-6, 1) : unitNumber(ticks / ticksPerUnit);
}

std::string timeUnit(std::int64_t ticksPerUnit)
{
    return ticksPerUnit == 1 ? "ms" : "units";
}

std::string timeText(std::int64_t ticks, std::int64_t ticksPerUnit)
{
    const bool tiny = ticksPerUnit == 1 && ticks != 0 && std::llabs(ticks) < 1'000'000;
    if (tiny)
        return visible(ticks * 1e-3, 1) + " µs";
    return timeNumber(ticks, ticksPerUnit) + " " + timeUnit(ticksPerUnit);
}

std::string shareText(double share)
{
    return fixed(100 * share, 1) + " %";
}

} // namespace profiler
