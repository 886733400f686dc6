#include "tests/profiler/import/traces.h"

#include <algorithm>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

// A trace with an iteration per list; each op takes 2 of every 3 us.
std::string traceOf(const std::vector<std::vector<std::string>>& iterations)
{
    std::string events;
    const auto add = [&](const std::string& name, std::size_t begin, std::size_t duration) {
        events += fmt::format(R"({}{{"ph":"X","name":"{}","pid":1,"tid":1,"ts":{},"dur":{}}})",
                              events.empty() ? "" : ",", name, begin, duration);
    };
    for (std::size_t step = 0; step < iterations.size(); ++step) {
        add(fmt::format("ProfilerStep#{}", step), 1000 * step, 900);
        for (std::size_t i = 0; i < iterations[step].size(); ++i)
            add(iterations[step][i], 1000 * step + 10 + 3 * i, 2);
    }
    return "[" + events + "]";
}

ImportedRun imported(const std::vector<std::vector<std::string>>& iterations)
{
    const TemporaryFolder folder;
    writeText(folder / "a.json", traceOf(iterations));
    return tests::imported(folder);
}

} // namespace

// The spans kept the numbers of iterations that the run does not have, and the calibration read
// past the end of its iterations.
TEST_CASE("an iteration without an op whose stage is known is left out")
{
    const std::vector<std::string> whole{"PP:0F0", "PP:1F0", "PP:1B0", "PP:0B0"};
    const ImportedRun result
        = imported({whole, {"Forward 0", "Backward 0", "Forward 1", "Backward 1"}, whole});
    const Timeline& timeline = result.run.timeline;
    CHECK(result.run.info.plannedIterations == 2);
    REQUIRE(timeline.iterations.size() == 2);
    CHECK(timeline.iterations[1].number == 1);
    CHECK(timeline.iterations[1].window == Window{2'000'000, 2'011'000});
    REQUIRE(timeline.tracks.size() == 1);
    REQUIRE(timeline.tracks[0].spans.size() == 8);
    CHECK(timeline.tracks[0].spans[3].iteration == 0);
    CHECK(timeline.tracks[0].spans[4].iteration == 1);
}

// If the first of the two had been seen alone, the import threw; if the second, it was twice in the
// program.
TEST_CASE("two joint ops of which one also ran alone are once in the program")
{
    const std::string joint = "PP:(0F0;0B0)OVERLAP_F_B";
    for (const char* alone : {"PP:0F0", "PP:0B0"}) {
        CAPTURE(alone);
        const ImportedRun result = imported({{alone}, {joint}});
        auto& program = result.run.schedule.program[DeviceId{0}];
        std::vector<std::string> ops;
        for (const Op& op : program) {
            ops.push_back("PP:" + toString(op));
            CHECK(op.flags == OpFlag::None);
        }
        std::ranges::sort(ops);
        CHECK(ops == std::vector<std::string>{"PP:0B0", "PP:0F0"});
        CHECK(result.run.timeline.tracks.at(0).spans.size() == 3);
    }
}
