#include "profiler/study/chart_kit.h"
#include "tests/catch.h"

#include <cmath>

using namespace profiler;

// The step of the axis was too small to change the value that it was added to.
TEST_CASE("values that differ by rounding only have an axis")
{
    const ChartScale scale = scaleOf({1.0, std::nextafter(1.0, 2.0)}, 0, 100);
    CHECK(scale.step > 0.01);
    CHECK(scale.least <= 1);
    CHECK(scale.most >= 1);
}
