#include "profiler/analysis/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace profiler {

namespace {
// Unlike printf(), ignores the locale, which QCoreApplication sets to the user's.
std::string fixed(double value, int decimals)
{
    return fmt::format("{:.{}f}", value, decimals);
}
} // namespace

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
        return fixed(ticks * 1e-3, 1) + " µs";
    return timeNumber(ticks, ticksPerUnit) + " " + timeUnit(ticksPerUnit);
}

std::string bytesText(std::int64_t bytes)
{
    static constexpr std::array kNames{"B", "KiB", "MiB", "GiB", "TiB"};
    double value = bytes;
    std::size_t name = 0;
    while (std::fabs(value) >= 1024 && name + 1 < kNames.size()) {
        value /= 1024;
        ++name;
    }
    return fixed(value, name == 0 ? 0 : 1) + " " + kNames[name];
}

std::string shareText(double share)
{
    return fixed(100 * share, 1) + " %";
}

} // namespace profiler
