#include "profiler/figure/point_text.h"

#include <fmt/format.h>

#include <cmath>

namespace profiler {

std::string pointText(double points)
{
    const double rounded = std::round(points * 100) / 100;
    std::string text = fmt::format("{:.2f}", rounded == 0 ? 0 : rounded);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
        text.pop_back();
    return text;
}

} // namespace profiler
