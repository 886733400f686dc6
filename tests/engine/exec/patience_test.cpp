#include "engine/exec/patience.h"
#include "tests/catch.h"

using engine::Watchdog;
using namespace engine;

using Kind = Watchdog::Verdict::Kind;
using Running = std::vector<Watchdog::RunningOp>;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::chrono::seconds kPatience{5};

} // namespace

TEST_CASE("a run in which all threads wait and no GPU computes stands still after the patience")
{
    Watchdog watchdog(kPatience, false);
    CHECK(watchdog.hasMoved(1, 0)); // the run has begun
    CHECK(watchdog.hasMoved(2 * kSecond, 7));
    CHECK_FALSE(watchdog.hasMoved(3 * kSecond, 7));
    const Running idle(2);
    CHECK(watchdog.judge(7 * kSecond, true, idle).kind == Kind::GoOn);
    CHECK(watchdog.judge(7 * kSecond + 1, true, idle).kind == Kind::Standstill);
}

TEST_CASE("a thread or a GPU that computes keeps a run from standing still")
{
    Watchdog watchdog(kPatience, false);
    watchdog.hasMoved(1, 0);
    CHECK(watchdog.judge(20 * kSecond, false, Running(1)).kind == Kind::GoOn); // a long op
    CHECK(watchdog.judge(24 * kSecond, true, Running(1)).kind == Kind::GoOn);
    CHECK(watchdog.judge(24 * kSecond, true, Running{{3, 0}}).kind == Kind::GoOn);
    CHECK(watchdog.judge(29 * kSecond, true, Running(1)).kind == Kind::GoOn);
    CHECK(watchdog.judge(30 * kSecond, true, Running(1)).kind == Kind::Standstill);
}

TEST_CASE("an op is endless after 20 times its time, the patience, or 12 times that if it is new")
{
    const auto after = [](std::int64_t before, std::int64_t time) {
        Watchdog watchdog(kPatience, true);
        watchdog.hasMoved(1, 0);
        watchdog.judge(kSecond, true, Running{{}, {4, before}});
        return watchdog.judge(kSecond + time, true, Running{{}, {4, before}});
    };
    CHECK(after(kSecond / 10, 5 * kSecond).kind == Kind::GoOn);
    CHECK(after(kSecond / 10, 5 * kSecond + 1).kind == Kind::EndlessOp);
    CHECK(after(kSecond, 20 * kSecond).kind == Kind::GoOn);
    CHECK(after(kSecond, 20 * kSecond + 1).kind == Kind::EndlessOp);
    CHECK(after(0, 60 * kSecond).kind == Kind::GoOn);
    const Watchdog::Verdict verdict = after(0, 61 * kSecond);
    CHECK(verdict.kind == Kind::EndlessOp);
    CHECK(verdict.worker == 1);
    CHECK(verdict.time == 61 * kSecond);
}

TEST_CASE("the time of an op begins when it is first observed")
{
    Watchdog watchdog(kPatience, true);
    watchdog.hasMoved(1, 0);
    watchdog.judge(10 * kSecond, true, Running{{4, 0}});
    watchdog.judge(60 * kSecond, true, Running{{5, 0}});
    CHECK(watchdog.judge(80 * kSecond, true, Running{{5, 0}}).kind == Kind::GoOn);
}

TEST_CASE("only on GPUs a thread that does not return for long is in a silent driver")
{
    Watchdog gpus(kPatience, true), cpus(kPatience, false);
    for (Watchdog* watchdog : {&gpus, &cpus})
        watchdog->hasMoved(1, 0);
    CHECK(gpus.judge(60 * kSecond, false, Running(1)).kind == Kind::GoOn);
    CHECK(gpus.judge(61 * kSecond, false, Running(1)).kind == Kind::SilentDriver);
    CHECK(cpus.judge(61 * kSecond, false, Running(1)).kind == Kind::GoOn);
}

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
