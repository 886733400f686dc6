#include "profiler/store/sqlite.h"
#include "tests/cli/bscope.h"

#include <algorithm>
#include <array>
#include <vector>

using namespace cli_test;

namespace {

constexpr const char* kTwo = "run --scheme gpipe --scheme 1f1b -D 2 -N 2 --layers 2 --warmup 1 "
                             "--iterations 4 --progress none ";

// When each iteration began and ended, on the clock that both runs share.
std::vector<std::array<std::int64_t, 2>> windowsOf(const fs::path& file)
{
    auto database = profiler::Database::open(file, profiler::Database::Access::ReadOnly).value();
    auto rows = database
                    .prepare("SELECT min(wall_begin), max(wall_end) FROM BS_op GROUP BY iteration "
                             "ORDER BY iteration")
                    .value();
    std::vector<std::array<std::int64_t, 2>> windows;
    while (rows.next())
        windows.push_back({rows.integer(0), rows.integer(1)});
    return windows;
}

} // namespace

// One 1F1B took 47.0 ms and, eight minutes later, 35.8 ms.
TEST_CASE("several schemes take turns, so that drift of the machine reaches all of them")
{
    const Folder folder;
    const Printed printed = bscope(folder, std::string(kTwo) + "--rounds 2 -o both");
    INFO(printed.err);
    REQUIRE(printed.status == 0);
    const auto gpipe = bscope(folder, "analyze both/gpipe-D2-N2.sqlite --json").json(),
               other = bscope(folder, "analyze both/1f1b-D2-N2.sqlite --json").json();
    CHECK(gpipe["session"] == other["session"]);
    CHECK(gpipe["rounds"] == 2);
    const auto a = windowsOf(folder / "both/gpipe-D2-N2.sqlite"),
               b = windowsOf(folder / "both/1f1b-D2-N2.sqlite");
    REQUIRE(a.size() == 5); // with the warm-up
    REQUIRE(b.size() == 5);
    CHECK(a[2][1] <= b[0][0]); // round 1 of GPipe ends before that of 1F1B begins
    CHECK(b[2][1] <= a[3][0]);
    CHECK(a[4][1] <= b[3][0]);
}

TEST_CASE("turns that cannot be taken are refused")
{
    const Folder folder;
    const auto error = [&](const std::string& arguments) {
        const Printed printed = bscope(folder, arguments);
        CHECK(printed.status == 2);
        return printed.err;
    };
    CHECK(contains(error("run --scheme gpipe --rounds 2"), "--rounds needs several --scheme"));
    CHECK(contains(error("run --scheme gpipe --scheme gpipe"), "--scheme gpipe is given twice"));
    CHECK(contains(error(std::string(kTwo) + "--rounds 9"), "use --iterations 9"));
    CHECK_FALSE(fs::exists(folder / "both"));
}
