#pragma once

#include "engine/timeline/run.h"

#include <QString>

namespace app {

// What a number on the screen is in: abstract units, or s, ms, us by size.
struct TimeUnit
{
    double ticks = 1; // per unit
    QString name;     // "ms", "units"
    int decimals = 1;
};

// The unit that suits a stretch of `ticks`: one for a whole ruler or a whole panel.
TimeUnit timeUnit(const engine::RunInfo& info, double ticks);

QString number(double value, int decimals);                        // true minus sign
QString inUnit(double ticks, const TimeUnit& unit);                // "3.3"
QString withUnit(double ticks, const TimeUnit& unit);              // "3.3 ms"
QString percent(double share, int decimals = 1);                   // "81.2 %", thin space
QString bytesText(double bytes);                                   // "9.7 GiB"
QString range(engine::Window window, double origin, const TimeUnit& unit); // "103.6 – 107.5"
// "0, 3, 4, 7": of one device, both directions.
QString stagesText(const engine::Schedule& schedule, engine::DeviceId device);
QString microBatchText(const engine::Op& op); // "5", "5.1" for a slice

} // namespace app
