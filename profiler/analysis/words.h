#pragma once

#include <cstdint>
#include <string>

namespace profiler {

// Formats numbers for the command line and the window. Ticks are nanoseconds if ticksPerUnit is 1,
// otherwise parts of an abstract unit (RunInfo::ticksPerUnit).

std::string timeText(std::int64_t ticks, std::int64_t ticksPerUnit);   // "19.0 ms", "12.5 units"
std::string timeNumber(std::int64_t ticks, std::int64_t ticksPerUnit); // "19.0", "12.5"
std::string meanNumber(double ticks, std::int64_t ticksPerUnit);       // `ticks` may be fractional
std::string timeUnit(std::int64_t ticksPerUnit);                       // "ms", "units"
std::string unitNumber(double value);      // one to three decimals: "3.5", "4.0", "2.333"
std::string bytesText(std::int64_t bytes); // "512 B", "3.2 KiB", "17.4 MiB"
std::string shareText(double share);       // "14.3 %"

} // namespace profiler
