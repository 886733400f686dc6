#include "engine/model/random.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace engine;

TEST_CASE("numbers made side by side are those that Random gives one after the other")
{
    constexpr std::size_t kCount = 100'003; // no multiple of any vector
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        std::vector<float> numbers(kCount);
        fillNormal<float>(seed, 0.02, numbers);
        Random random(seed);
        std::size_t different = 0;
        for (const float number : numbers) {
            const auto expected = static_cast<float>(random.normal() * 0.02);
            REQUIRE(std::abs(number - expected) <= 1.2e-7F * std::abs(expected)); // a last bit
            different += number != expected ? 1 : 0;
        }
        CHECK(different <= 1); // of 1e8 by expectation
    }
}

TEST_CASE("in double they are the same floats")
{
    std::vector<float> floats(1000);
    std::vector<double> doubles(floats.size());
    fillNormal<float>(3, 1, floats);
    fillNormal<double>(3, 1, doubles);
    CHECK(std::ranges::equal(floats, doubles));
}
