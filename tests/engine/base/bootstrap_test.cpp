#include "engine/base/bootstrap.h"
#include "tests/catch.h"

#include <numeric>

using namespace engine;

TEST_CASE("a bootstrap interval has 95 % of the samples' means and repeats")
{
    std::vector<std::int64_t> times(100);
    std::iota(times.begin(), times.end(), 1); // mean 50.5, standard error of the mean 2.9
    const auto mean = [&](std::span<const std::size_t> drawn) {
        std::int64_t sum = 0;
        for (const std::size_t i : drawn)
            sum += times[i];
        return sum / std::ssize(drawn);
    };
    const auto interval = bootstrapInterval(times.size(), 2000, mean);
    REQUIRE(interval);
    CHECK(std::abs(interval->least - 45) <= 1); // 50.5 - 1.96 * 2.9
    CHECK(std::abs(interval->most - 56) <= 1);
    CHECK(interval == bootstrapInterval(times.size(), 2000, mean));
}

TEST_CASE("two measurements have no bootstrap interval, equal ones an empty one")
{
    const auto seven = [](auto) { return 7; };
    CHECK_FALSE(bootstrapInterval(2, 100, seven));
    CHECK(bootstrapInterval(3, 100, seven) == Interval{7, 7});
}

TEST_CASE("the middle 95 % leave out a fortieth of the values at each end")
{
    std::vector<std::int64_t> values(200);
    std::iota(values.rbegin(), values.rend(), 1);
    CHECK(middle95(values) == Interval{6, 195});
    CHECK(middle95({8, 3}) == Interval{3, 8});
}
