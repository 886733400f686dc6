#include "tests/profiler/import/traces.h"

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

std::string importError(const std::string& trace)
{
    const TemporaryFolder folder;
    writeText(folder / "a.json", trace);
    const auto result = importTraces({folder.path()}, Rules::shipped());
    REQUIRE(!result);
    return result.error().message;
}

} // namespace

// The partner device of the copy was read past the end of the placement.
TEST_CASE("a copy of a stage that no device computes is refused")
{
    CHECK(importError(R"([{"ph":"X","name":"0F0","pid":1,"tid":1,"ts":1,"dur":2},
        {"ph":"X","name":"0B0","pid":1,"tid":1,"ts":4,"dur":2},
        {"ph":"X","name":"900EVICT0","pid":1,"tid":1,"ts":7,"dur":2}])")
              .find("does not exist in a schedule of this size")
          != std::string::npos);
}

// The product of chunk and ranks overflowed, or the placement took gigabytes.
TEST_CASE("an op whose chunk is beyond the last stage has no stage")
{
    for (const int ranks : {2, 30'000, 999'999}) {
        CAPTURE(ranks);
        CHECK(
            importError(
                fmt::format(R"({{"distributedInfo":{{"rank":0,"world_size":{}}},"traceEvents":[)"
                            R"({{"ph":"X","name":"F0.60000.0","pid":1,"tid":1,"ts":1,"dur":2}}]}})",
                            ranks))
                .find("no complete iteration")
            != std::string::npos);
    }
}
