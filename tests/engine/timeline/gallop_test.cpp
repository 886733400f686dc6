#include "engine/timeline/span_index.h"
#include "tests/catch.h"

using engine::gallop;

TEST_CASE("from anywhere before it a gallop finds the first place that is not before")
{
    for (std::size_t size = 0; size < 34; ++size)
        for (std::size_t answer = 0; answer <= size; ++answer)
            for (std::size_t from = 0; from <= answer; ++from)
                CHECK(gallop(from, size, [&](std::size_t at) { return at < answer; }) == answer);
}

TEST_CASE("a galloping search starts near its begin and stays within the range")
{
    std::size_t looks = 0, furthest = 0;
    const auto upTo = [&](std::size_t answer) {
        return [&, answer](std::size_t at) {
            ++looks;
            furthest = std::max(furthest, at);
            return at < answer;
        };
    };
    CHECK(gallop(1'000, 1'000'000, upTo(1'003)) == 1'003);
    CHECK(looks <= 6);
    CHECK(furthest <= 1'007);
    looks = 0;
    CHECK(gallop(0, 1'000'000, upTo(500'000)) == 500'000); // far: two binary searches
    CHECK(looks <= 42);
    furthest = 0;
    CHECK(gallop(0, 10, upTo(10)) == 10);
    CHECK(furthest < 10);
    CHECK(gallop(10, 10, upTo(10)) == 10);
    CHECK(gallop(0, 0, upTo(5)) == 0);
}
