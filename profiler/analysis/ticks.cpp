#include "profiler/analysis/ticks.h"

#include <algorithm>
#include <cmath>

namespace profiler {
namespace {

struct Spacing
{
    double size = 1;
    int parts = 5; // number of intervals between two labelled marks
    int decimals = 0;
};

Spacing stepAtLeast(double wanted)
{
    const double power = std::floor(std::log10(wanted));
    const double base = std::pow(10.0, power);
    for (const double mantissa : {1.0, 2.0, 5.0}) {
        if (mantissa * base >= wanted * (1 - 1e-9))
            return {mantissa * base, mantissa == 2.0 ? 4 : 5,
                    std::max(0, -static_cast<int>(power))};
    }
    return {10 * base, 5, std::max(0, -static_cast<int>(power) - 1)};
}

std::vector<double> marks(double begin, double end, double step)
{
    std::vector<double> at;
    const long long first = std::ceil(begin / step - 1e-9);
    const long long last = std::floor(end / step + 1e-9);
    for (long long k = first; k <= last; ++k)
        at.push_back(static_cast<double>(k) * step);
    return at;
}

} // namespace

Ticks ticks(double begin, double end, double closest)
{
    if (end <= begin || closest <= 0)
        return {};
    const Spacing step = stepAtLeast(closest);
    return {step.size, marks(begin, end, step.size), marks(begin, end, step.size / step.parts),
            step.decimals};
}

} // namespace profiler
