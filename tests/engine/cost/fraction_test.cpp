#include "engine/cost/cost_model.h"
#include "tests/catch.h"

using namespace engine;

TEST_CASE("a cost is read exactly")
{
    CHECK(parseFraction("1") == Fraction{1, 1});
    CHECK(parseFraction("0") == Fraction{0, 1});
    CHECK(parseFraction("0.5") == Fraction{1, 2});
    CHECK(parseFraction("2.25") == Fraction{9, 4});
    CHECK(parseFraction("1/3") == Fraction{1, 3});
    CHECK(parseFraction("4/6") == Fraction{2, 3});
    CHECK(parseFraction("0.000000001") == Fraction{1, 1'000'000'000});
    CHECK(parseFraction("123456789.000") == Fraction{123456789, 1});
}

TEST_CASE("text that is not a cost is refused")
{
    for (const std::string text :
         {"", "-1", "+1", "1e3", "nan", "inf", ".", "1.", ".5", "1/0", "1/", "/2", "1/-2", "1.0/2",
          "1 ", "0.0000000001", "1234567890", "0x1", "1,5"}) {
        INFO(text);
        const auto cost = parseFraction(text);
        REQUIRE_FALSE(cost);
        CHECK_THAT(cost.error().message, Catch::StartsWith("'" + text + "' is not a cost"));
    }
}

TEST_CASE("a fraction is in lowest terms")
{
    CHECK(reduced(6, 4) == Fraction{3, 2});
    CHECK(reduced(0, 7) == Fraction{0, 1});
}

TEST_CASE("a link is busy for its bytes over its bandwidth, rounded up to nanoseconds")
{
    CHECK(LinkCost{Nanoseconds(5000), 50e9}.busy(50'000) == 1000);
    CHECK(LinkCost{Nanoseconds(0), 3e9}.busy(1) == 1);
    CHECK(LinkCost{Nanoseconds(0), 1e9}.busy(0) == 0);
    CHECK(LinkCost{Nanoseconds(5000), 0}.busy(50'000) == 0);
}

// The duration was negative.
TEST_CASE("a message on a very slow link takes longer than a timeline can be")
{
    for (const double bandwidth : {1e-7, 1e-300})
        CHECK_FALSE(
            checkTicks(static_cast<double>(LinkCost{{}, bandwidth}.busy(50'000)), TimingRules()));
}
