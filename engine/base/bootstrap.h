#pragma once

#include "engine/base/units.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace engine {

// The 0.975 quantile of Student's distribution, expanded in 1 / degreesOfFreedom (Abramowitz and
// Stegun, 26.7.5); requires degreesOfFreedom >= 1.
double studentQuantile(double degreesOfFreedom);

// The interval from the 2.5th to the 97.5th percentile. Requires at least one value.
Interval middle95(std::vector<std::int64_t> values);

// The 95 % interval of the median of values, by bootstrap (Efron, 1979), widened for few values n,
// whose samples never leave their range: of three values, the range misses the median one time in
// four. The factor is the ratio of Student's quantile to the normal one, as for a mean (Hesterberg,
// The American Statistician 69, 2015), times sqrt(n / (n - 2)): of normal, skewed and uniform
// times, 92 to 98 % of the intervals then contain the median for n = 3 to 15. Values that are not
// negative keep an interval that is not. Equal arguments give equal intervals; nullopt with fewer
// than three values.
std::optional<Interval> medianInterval(const std::vector<std::int64_t>& values);

// The slope of the line of least squares through the points; 0 if all x are equal. Requires as many
// y as x.
double slopeOf(std::span<const double> x, std::span<const double> y);

} // namespace engine
