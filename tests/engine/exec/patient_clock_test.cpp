#include "engine/exec/patient_clock.h"
#include "tests/catch.h"

using namespace engine;

namespace {

constexpr std::int64_t kMillisecond = 1'000'000, kLong = PatientClock::kLongestStep;

} // namespace

TEST_CASE("a clock that is read often follows the wall clock")
{
    PatientClock clock(500);
    CHECK(clock.look(500) == 0);
    CHECK(clock.look(500 + 20 * kMillisecond) == 20 * kMillisecond);
    CHECK(clock.look(500 + 20 * kMillisecond + kLong) == 20 * kMillisecond + kLong);
}

TEST_CASE("a long gap between two reads counts as a short one")
{
    constexpr std::int64_t kHour = 3'600'000 * kMillisecond;
    PatientClock clock(0);
    CHECK(clock.look(kLong + 1) == kLong);
    CHECK(clock.look(kHour) == 2 * kLong);
    CHECK(clock.look(kHour + kMillisecond) == 2 * kLong + kMillisecond);
}
