#include "engine/base/bootstrap.h"
#include "tests/catch.h"

#include <cmath>
#include <numeric>
#include <random>

using namespace engine;

TEST_CASE("the interval of a median has 95 % of the medians of few and of many values")
{
    const int count = GENERATE(3, 4, 5, 7, 30);
    std::mt19937 random(7);
    std::lognormal_distribution<double> times(0, 0.5); // its median is 1
    int covered = 0;
    constexpr int kTrials = 1000;
    for (int trial = 0; trial < kTrials; ++trial) {
        std::vector<std::int64_t> values(count);
        for (std::int64_t& value : values)
            value = std::llround(1e6 * times(random));
        const auto interval = medianInterval(values);
        REQUIRE(interval);
        covered += interval->least <= 1'000'000 && 1'000'000 <= interval->most ? 1 : 0;
    }
    CHECK(covered >= 0.92 * kTrials);
}

TEST_CASE("an interval of a median repeats and is not negative if no value is")
{
    const std::vector<std::int64_t> values{1, 50, 60};
    const auto interval = medianInterval(values);
    REQUIRE(interval);
    CHECK(interval == medianInterval(values));
    CHECK(interval->least == 0);
    CHECK(interval->most == 87); // 3.7 times as far from 50 as the values reach
}

TEST_CASE("two values have no interval, equal ones an empty one")
{
    CHECK_FALSE(medianInterval({7, 7}));
    CHECK(medianInterval({7, 7, 7}) == Interval{7, 7});
}

TEST_CASE("the middle 95 % leave out a fortieth of the values at each end")
{
    std::vector<std::int64_t> values(200);
    std::iota(values.rbegin(), values.rend(), 1);
    CHECK(middle95(values) == Interval{6, 195});
    CHECK(middle95({8, 3}) == Interval{3, 8});
}
