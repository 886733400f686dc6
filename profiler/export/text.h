#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace profiler {

// Ticks in the printed unit as a JSON number: exact, or with nine decimals (for thirds of a unit).
std::string ticksText(std::int64_t ticks, std::int64_t ticksPerUnit);

// A JSON string with quotes; invalid UTF-8 is replaced.
std::string jsonText(std::string_view text);

} // namespace profiler
