#pragma once

#include <string>

namespace profiler {

// A length for a text format, rounded to hundredths of a point, without trailing zeros: 12.5, 3, 0.
std::string pointText(double points);

} // namespace profiler
