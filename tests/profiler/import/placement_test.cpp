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
