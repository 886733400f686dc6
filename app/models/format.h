#pragma once

#include "engine/timeline/run.h"

#include <QString>

namespace app {

// Numbers for people, the same everywhere in the window: one decimal for milliseconds and percent,
// a true minus sign, a thin space before %.
QString percentText(double ratio); // 0.1429: "14.3 %"
QString unitsText(double units);   // 14: "14", 16.5: "16.5"; no unit
// A time of a run with its unit: "14 units", "115.3 ms", "812 us" (micro sign), "2.31 s".
QString timeText(std::int64_t ticks, const engine::RunInfo& info);
QString bytesText(std::int64_t bytes); // "9.74 GiB", "812 KiB"
QString countText(std::int64_t count); // "12 288": thin spaces between thousands

// A scheme's title without the names in parentheses: "1F1B (PipeDream-Flush)" is "1F1B".
QString shortTitle(const QString& title);

inline QString fromUtf8(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace app
