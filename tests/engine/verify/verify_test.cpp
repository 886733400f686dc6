#include "engine/verify/verify.h"
#include "tests/catch.h"

#include <limits>
#include <vector>

using namespace engine;

// NaN gradients passed, and so did -0 instead of 0 in schemes that round nothing.
TEST_CASE("gradients pass if they are equal bit for bit, or finite and within a tolerance above 0")
{
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    struct Row
    {
        std::vector<float> expected, actual;
        double tolerance;
        bool passes;
    };
    const std::vector<Row> rows{
        {{3, 4}, {3, 4}, 0, true},
        {{3, 4}, {3, 4.5F}, 0, false},
        {{3, 4}, {3, 4.5F}, 0.11, true},
        {{3, 4}, {3, 4.5F}, 0.09, false},
        {{0, 4}, {-0.F, 4}, 0, false},
        {{0, 4}, {-0.F, 4}, 0.1, true},
        {{0, 0}, {-0.F, 0}, 0, false},
        {{3, 4}, {3, kNan}, 0, false},
        {{3, 4}, {3, kNan}, 0.1, false},
        {{3, 4}, {3, kInfinity}, 0.1, false},
        {{3, kNan}, {3, 4}, 0.1, false},
        {{0, 0}, {kNan, 0}, 0.1, false},
        {{}, {}, 0, false},
        {{}, {}, 0.1, false},
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        INFO("row " << i);
        GradientCheck check;
        check.tolerance = rows[i].tolerance;
        compareGradients(rows[i].expected, rows[i].actual, check);
        if (!rows[i].actual.empty())
            compareGradients(std::vector<float>{1}, std::vector<float>{1}, check);
        CHECK(check.passed() == rows[i].passes);
    }
}
