#include "engine/timeline/run.h"
#include "engine/timeline/timeline.h"
#include "tests/catch.h"

#include <set>

using namespace engine;

namespace {

Iteration iteration(Iteration::Kind kind, Window window)
{
    Iteration iteration;
    iteration.kind = kind;
    iteration.window = window;
    return iteration;
}

constexpr Window kFirst{0, 10}, kSecond{10, 25}, kThird{25, 40};

} // namespace

TEST_CASE("windows are half-open")
{
    CHECK(Window{2, 5}.duration() == 3);
    CHECK(Window{2, 5}.contains(2));
    CHECK_FALSE(Window{2, 5}.contains(5));
    CHECK_FALSE(Window{2, 5}.intersects({5, 7}));
    CHECK(Window{2, 5}.intersects({4, 7}));
}

TEST_CASE("the extent leaves a replay out unless it is all there is")
{
    Timeline timeline;
    CHECK(timeline.extent() == Window{0, 0});
    timeline.iterations = {iteration(Iteration::Kind::Warmup, kFirst),
                           iteration(Iteration::Kind::Measured, kSecond),
                           iteration(Iteration::Kind::Replay, kThird)};
    CHECK(timeline.extent() == Window{0, 25});
    timeline.iterations = {iteration(Iteration::Kind::Replay, kThird)};
    CHECK(timeline.extent() == kThird);
}

TEST_CASE("the measured iteration of median duration is reported, else the last")
{
    Timeline timeline;
    CHECK(reportedIteration(timeline) == -1);
    timeline.iterations.push_back(iteration(Iteration::Kind::Warmup, kFirst));
    timeline.iterations.push_back(iteration(Iteration::Kind::Warmup, kFirst));
    CHECK(reportedIteration(timeline) == 1);
    timeline.iterations.push_back(iteration(Iteration::Kind::Measured, {20, 50}));
    CHECK(reportedIteration(timeline) == 2);
    timeline.iterations.push_back(iteration(Iteration::Kind::Measured, {50, 60}));
    CHECK(reportedIteration(timeline) == 3); // the shorter of two
    timeline.iterations.push_back(iteration(Iteration::Kind::Measured, {60, 80}));
    CHECK(reportedIteration(timeline) == 4);
    timeline.iterations.push_back(iteration(Iteration::Kind::Replay, kThird));
    CHECK(reportedIteration(timeline) == 4); // a Replay is not recorded
}

TEST_CASE("a track is found by device and kind")
{
    Timeline timeline;
    timeline.tracks
        = {{DeviceId{0}, Track::Kind::Compute, {}}, {DeviceId{1}, Track::Kind::Send, {}}};
    CHECK(timeline.track(DeviceId{1}, Track::Kind::Send) == &timeline.tracks[1]);
    CHECK(timeline.track(DeviceId{1}, Track::Kind::Compute) == nullptr);
}

TEST_CASE("every mode, outcome and memory category has a distinct name")
{
    std::set<std::string_view> words;
    for (const Mode mode : {Mode::Simulate, Mode::Emulate, Mode::Live, Mode::Imported})
        words.insert({modeName(mode)});
    CHECK(words == std::set<std::string_view>{"simulate", "emulate", "live", "imported"});
    CHECK(modeAdjective(Mode::Emulate) == "emulated");
    CHECK(outcomeName(Outcome::Cancelled) == "cancelled");
    CHECK(memoryCategoryName(MemoryCategory::Optimizer) == "optimizer state");
}
