#include "engine/base/id_vector.h"
#include "tests/catch.h"

using namespace engine;

TEST_CASE("an IdVector visits ids in order and has() finds its ids")
{
    const IdVector<DeviceId, int> squares{0, 1, 4};
    int sum = 0;
    for (const DeviceId d : squares.ids()) {
        CHECK(squares[d] == d.value * d.value);
        sum += d.value;
    }
    CHECK(sum == 3);
    CHECK(squares.has(DeviceId{2}));
    CHECK_FALSE(squares.has(DeviceId{3}));
    CHECK_FALSE(squares.has(DeviceId{}));
    static_assert(sizeof(squares) == sizeof(std::vector<int>));
}

TEST_CASE("an array of enumerators finds the one with a value")
{
    enum class Colour { Red, Green };
    constexpr EnumArray<Colour, std::string_view, 2> kNames{"red", "green"};
    static_assert(kNames[Colour::Green] == "green");
    CHECK(kNames.find("green") == Colour::Green);
    CHECK_FALSE(kNames.find("blue").has_value());
}
