#include "profiler/figure/figure_style.h"

#include <fmt/format.h>

#include <cmath>

namespace profiler {

TimeUnit timeUnit(double longestNanoseconds)
{
    if (longestNanoseconds >= 10e9)
        return {"s", 1e9};
    if (longestNanoseconds >= 1e6)
        return {"ms", 1e6};
    if (longestNanoseconds >= 1e3)
        return {"\u00B5s", 1e3};
    return {"ns", 1};
}

// U+2009 is a thin space, U+2212 a minus sign.
std::string percentText(double share)
{
    return std::isfinite(share) ? fmt::format("{:.1f}\u2009%", 100 * share) : "unknown";
}

std::string signedPercentText(double share)
{
    return fmt::format("{}{:.1f}\u2009%", share < 0 ? "\u2212" : "+",
                       100 * (share < 0 ? -share : share));
}

std::string unitNumber(double value, int decimals)
{
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.')
            text.pop_back();
    }
    return text;
}

std::string pointText(double points)
{
    return unitNumber(std::round(points * 100) / 100 + 0.0, 2); // + 0.0: no "-0"
}

} // namespace profiler
