#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace profiler {

// Ticks in the printed unit: exact, or to nine decimals where the unit has a third. A JSON number.
std::string ticksText(std::int64_t ticks, std::int64_t ticksPerUnit);

// A JSON string with its quotes; what is no UTF-8 is replaced.
std::string jsonText(std::string_view text);

} // namespace profiler
