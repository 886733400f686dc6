#pragma once

#include "engine/timeline/run.h"

#include <QString>

#include <cstdint>

namespace app {

// The number formats of the window: a true minus sign, thin spaces between thousands and before %.
// Units are stated in headers and not in each cell.
QString number(double value, int decimals);           // "-1 234.5" with U+2212 and U+2009
QString signedNumber(double value, int decimals);     // "+4.0", "-0.4", "0" when it rounds to 0
QString percent(double share, int decimals = 1);      // 0.13 -> "13.0 %"
QString remainingTime(double seconds);                // "about 1.5 s left", "about 3 min left"
QString takesText(double seconds);                    // "about 12 s", "about 3 min"
QString countOf(std::int64_t count, const char* one); // "1 device", "4 devices"

// The unit that all times (or all byte counts) of a view share. It follows from the largest value.
struct Scale
{
    double perUnit = 1; // ticks or bytes per shown unit
    int decimals = 1;
    QString unit; // "ms", "units", "GiB"

    QString text(double value) const { return number(value / perUnit, decimals); }
    QString withUnit(double value) const;
    QString difference(double value) const { return signedNumber(value / perUnit, decimals); }
    Scale finer(int moreDecimals) const;
};

// The units of the window and their names. Nothing else divides by them. Values are in nanoseconds,
// bytes or bytes per second.
enum class Unit : int { Microsecond, Millisecond, Second, KiB, MiB, GiB, MB, GB, GBPerSecond };
Scale scaleIn(Unit unit, int decimals = 1);
// A label, and its unit in place of %1: "Each, %1" -> "Each, ms". For values that share a column.
QString labelled(const QString& label, Unit unit);

// Returns the unit for ticks of a run's timeline: ms (us or s for much shorter or longer
// iterations), or abstract units.
Scale timeScale(const engine::RunInfo& info, std::int64_t longest);
Scale timeScale(std::int64_t longest); // of times in ns that belong to no run
Scale byteScale(std::int64_t largest); // GiB with two decimals; MiB or KiB for small amounts

} // namespace app
