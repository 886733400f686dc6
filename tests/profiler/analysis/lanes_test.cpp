#include "profiler/analysis/lanes.h"
#include "tests/catch.h"

using namespace profiler;

TEST_CASE("a union joins what touches and drops what is empty")
{
    CHECK(unite({{4, 6}, {0, 2}, {2, 3}, {5, 9}, {11, 11}}) == Windows{{0, 3}, {4, 9}});
    CHECK(unite(Windows{}).empty());
}

TEST_CASE("subtraction leaves what no hole covers")
{
    CHECK(subtract({{0, 10}}, {{2, 3}, {5, 12}}) == Windows{{0, 2}, {3, 5}});
    CHECK(subtract({{0, 4}, {6, 8}}, {{3, 7}}) == Windows{{0, 3}, {7, 8}});
    CHECK(subtract({{0, 4}}, {{0, 4}}).empty());
    CHECK(subtract({{0, 4}}, {}) == Windows{{0, 4}});
}

TEST_CASE("clipping keeps the part inside")
{
    CHECK(clip({{0, 4}, {6, 8}, {9, 12}}, {2, 7}) == Windows{{2, 4}, {6, 7}});
}

TEST_CASE("the length of a set is the sum of its windows")
{
    CHECK(length({{0, 4}, {6, 8}}) == 6);
}

TEST_CASE("a set contains the begin of a window and not its end")
{
    CHECK(contains({{0, 4}, {6, 8}}, 6));
    CHECK_FALSE(contains({{0, 4}, {6, 8}}, 4));
    CHECK_FALSE(contains({}, 0));
}
