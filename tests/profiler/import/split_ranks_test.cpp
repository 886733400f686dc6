#include "profiler/import/split_ranks.h"
#include "tests/catch.h"

using namespace profiler;

namespace {

std::size_t ranksOf(std::uint32_t threads, const std::string& program = "")
{
    RankTrace trace;
    trace.program = program;
    trace.texts
        = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"", "PP:0F0"});
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
        trace.threads.push_back(std::to_string(thread));
        trace.ranges.push_back({{0, 1}, 1, thread});
    }
    const std::vector<std::string> processes(threads, "1");
    return splitRanks(std::move(trace), processes, [](std::string_view) { return true; }).size();
}

} // namespace

TEST_CASE("threads with named ranges are ranks, up to 1024")
{
    CHECK(ranksOf(2) == 2);
    CHECK(ranksOf(1024) == 1024);
    CHECK(ranksOf(1025) == 1);
}

// Compute and all-reduces of a run with one device became two devices.
TEST_CASE("the lanes of a device of an exported run are one rank")
{
    CHECK(ranksOf(2, std::string(kOwnProgram)) == 1);
}

// A process that trains on a CPU became a rank for each thread with ranges of collectives.
TEST_CASE("a process in a trace of PyTorch's profiler is one rank")
{
    CHECK(ranksOf(2, std::string(kKineto)) == 1);
}
