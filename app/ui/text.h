#pragma once

#include "engine/timeline/run.h"

#include <QString>
#include <Qt>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

class QFont;
class QPainter;
class QRectF;

namespace profiler {
struct MeasureInfo;
struct Reading;
struct RunMetrics;
} // namespace profiler

namespace app {

// The number formats of the window: a true minus sign, narrow spaces between thousands and before
// %. Units are stated in column headers and not in each cell.
inline constexpr QChar kNarrowSpace(0x202F);    // lines never break here, as they can at U+2009
QString number(double value, int decimals);     // "-1 234.5" with U+2212 and U+202F
inline QString number(std::integral auto count) // "1 234"
{
    return number(static_cast<double>(count), 0);
}
QString signedNumber(double value, int decimals);        // "+4.0", "-0.4", "0" when it rounds to 0
QString percent(double share, int decimals = 1);         // 0.13 -> "13.0 %"
QString bubbleText(const profiler::RunMetrics& metrics); // the share of bubbles: "14.3 %"
QString bubbleNumber(const profiler::RunMetrics& metrics); // "14.3" for a column in percent
QString signedPercent(double share, int decimals = 1);     // 0.13 -> "+13.0 %"
QString factorText(double factor);                         // "1.35×"
QString remainingTime(double seconds);                     // "about 1.5 s left", "about 3 min left"
QString takesText(double seconds);                    // "about 12 s", "about 3 min", "about 2.5 h"
QString countOf(std::int64_t count, const char* one); // "1 device", "4 devices"
// Reads a number from 0 with a point or comma, "0.25" or "0,25"; nullopt: it is not one.
std::optional<double> decimal(QString text);

// The units in which the user wants to see times and memory. BySize selects a unit that suits the
// amount; the other values are fixed units.
enum class TimeUnits : int { BySize, Milliseconds };
enum class MemoryUnits : int { BySize, GiB };
struct Units
{
    TimeUnits times = TimeUnits::BySize;
    MemoryUnits memory = MemoryUnits::BySize;

    friend bool operator==(const Units&, const Units&) = default;
};
// The units of the process, initially BySize. Thread-safe. ThemeController::setUnits() sets them
// and repaints the window.
Units units();
void setUnits(Units units);

// The unit that all times (or all byte counts) of a view share. It is derived from the largest
// value and from units() whenever it is used, so a stored Scale follows later changes of units().
class Scale
{
public:
    enum class Of { Other, Times, Memory };

    // `perUnit` is the number of ticks or bytes per shown unit. `unit` is its name: "ms", "units",
    // "GiB".
    Scale() = default;
    Scale(double perUnit, int decimals, QString unit)
        : m_perUnit(perUnit)
        , m_decimals(decimals)
        , m_unit(std::move(unit))
    { }
    Scale(Of what, std::int64_t largest) // `largest` is in ns or bytes
        : m_what(what)
        , m_largest(largest)
        , m_decimals(0)
    { }

    double perUnit() const { return shown().m_perUnit; }
    int decimals() const { return shown().m_decimals; }
    QString unit() const { return shown().m_unit; }
    QString text(double value) const;
    QString withUnit(double value) const { return text(value) + QLatin1Char(' ') + unit(); }
    QString text(std::integral auto value) const { return text(static_cast<double>(value)); }
    QString withUnit(std::integral auto value) const
    {
        return withUnit(static_cast<double>(value));
    }
    QString difference(double value) const;
    Scale finer(int moreDecimals) const;

private:
    Scale shown() const;

    Of m_what = Of::Other;
    std::int64_t m_largest = 0;
    double m_perUnit = 1;
    // For times and memory: how many more decimals are shown than the amount needs.
    int m_decimals = 1;
    QString m_unit;
};

// The units that the window shows. All conversions to these units are in this file. Values are in
// nanoseconds, bytes or bytes per second.
enum class Unit : int { Microsecond, Millisecond, Second, KiB, MiB, GiB, MB, GB, GBPerSecond };
Scale scaleIn(Unit unit, int decimals = 1);
// Replaces %1 in a label by the name of the unit: "Each, %1" -> "Each, ms". Used for a column,
// whose values share a unit.
QString labelled(const QString& label, Unit unit);

// Returns the unit for ticks of a run's timeline. Times are shown in ms, or in µs or s if
// iterations are much shorter or longer and the user did not choose ms. A run in abstract units is
// shown in these units.
Scale timeScale(const engine::RunInfo& info, std::int64_t longest);
Scale timeScale(std::int64_t longest); // for times in ns that belong to no run
Scale byteScale(std::int64_t largest); // for memory: GiB with two decimals; MiB or KiB if small
Scale dataScale(std::int64_t largest); // for files and transfers: always by size
// A single amount in the unit that suits it: "115.3 ms", "6.45 GiB".
QString durationText(const engine::RunInfo& info, std::int64_t ticks);
QString bytesText(auto bytes)
{
    return byteScale(static_cast<std::int64_t>(bytes)).withUnit(static_cast<double>(bytes));
}

inline QString fromUtf8(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// The title of a scheme without the part in parentheses: "1F1B" for "1F1B (PipeDream-Flush)".
QString shortTitle(const QString& title);
QString schemeTitle(const QString& name); // "ZB-V" for "zb-v"; `name` if it is unknown

// Returns a tooltip that shows `text` literally, although Qt interprets HTML in tooltips. The text
// is cut after 4096 characters.
QString toolTipText(const QString& text);

QString capitalized(QString text); // capitalizes the first letter
// Returns the label of a setting for a sentence: "micro-batch size", "CUDA graphs".
QString uncapitalized(QString label);
QString withoutUnit(const QString& label); // "link latency"

QString quotedCell(const QString& text); // a CSV cell, quoted if necessary
// Escapes & for tabs and menus, which would hide it and underline the next letter.
QString menuText(QString text);
QString withoutMnemonic(QString menuText); // removes & and resolves the escapes

QString unitsText(double units); // cost units without the word "units": "14", "16.5"
// A time of a run with its unit: "14 units", "115.3 ms".
QString timeText(std::int64_t ticks, const engine::RunInfo& info);

// Short texts about a run. They omit what the traces of an imported run do not state.
QString shapeText(const engine::Run& run); // "D 4, N 8"
QString opName(const engine::Op& op);      // "1B5u", "1RC5" for a recompute
// Leaves out the parts that the run does not state.
QString opName(const engine::RunInfo& info, const engine::Op& op);
QString stagesText(const engine::Run& run, engine::DeviceId device); // "0, 3", "unknown"
QString deviceText(const engine::Run& run, engine::DeviceId device); // "stages 0, 3"

// Returns the width of a text in which the θ of "Mθ" is drawn as a subscript. (Unicode has a
// subscript a but no subscript θ.)
int subscriptedWidth(const QFont& font, const QString& text);
// Draws one line with the painter's font and pen, elided to the box.
void drawSubscripted(QPainter& painter, const QRectF& box, Qt::Alignment alignment,
                     const QString& text);

// Converts plain text to rich text with such subscripts.
QString subscriptedHtml(const QString& text);

// Returns the tooltip of a column or number with this title: title, formula, meaning and source
// from profiler::definitions(). Returns "" if the title has no definition. `value` is the number in
// the shown run, such as "10.8 %"; "" if unknown.
QString definitionText(const QString& title, const QString& value = {});

// Formats the value of a measure with its unit, as the user chose it; "unknown" if there is a
// reason.
QString measureText(const profiler::Reading& value, const profiler::MeasureInfo& of);

} // namespace app
