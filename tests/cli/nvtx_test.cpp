#include "tests/cli/bscope.h"
#include "tests/support/paths.h"

#include <sqlite3.h>

#include <map>
#include <set>
#include <sstream>

using namespace cli_test;

#ifdef BS_HAS_NVTX

namespace {

struct Pushed
{
    int domain = 0;
    unsigned category = 0;
    std::string color, text;
    long long payload = 0;
};

// What another tool saw of a run, range by range.
struct Seen
{
    std::vector<std::string> domains, categories;
    std::vector<Pushed> ranges;
    std::size_t deepest = 0;
    bool balanced = true;
    std::size_t threads = 0;
};

Seen read(const std::filesystem::path& file)
{
    Seen seen;
    std::map<long, std::size_t> depth;
    std::istringstream lines(readText(file));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "domain" || what == "category") {
            std::string number, name;
            words >> number >> name;
            (what == "domain" ? seen.domains : seen.categories).push_back(name);
            continue;
        }
        long thread = 0;
        words >> thread;
        if (what == "pop") {
            seen.balanced = seen.balanced && depth[thread]-- > 0;
            continue;
        }
        Pushed pushed;
        words >> pushed.domain >> pushed.category >> pushed.color >> pushed.payload >> pushed.text;
        seen.deepest = std::max(seen.deepest, ++depth[thread]);
        seen.ranges.push_back(pushed);
    }
    for (const auto& [thread, open] : depth)
        seen.balanced = seen.balanced && open == 0;
    seen.threads = depth.size();
    return seen;
}

// The ranges of the run's own file: "PP:0F0 1 <payload>".
std::multiset<std::string> rangesInFile(const std::filesystem::path& file)
{
    std::multiset<std::string> ranges;
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
    const auto add = [](void* out, int, char** values, char**) {
        static_cast<std::multiset<std::string>*>(out)->insert(values[0]);
        return 0;
    };
    CHECK(sqlite3_exec(database,
                       "SELECT text || ' ' || category || ' ' || int64Value || ' ' || "
                       "printf('%08X', color) FROM NVTX_EVENTS WHERE eventType IN (59, 60)",
                       add, &ranges, nullptr)
          == SQLITE_OK);
    sqlite3_close(database);
    return ranges;
}

Seen watched(const Folder& folder, const std::string& mode)
{
    const Environment environment(
        {{"NVTX_INJECTION64_PATH", tests::buildPath("plugins/libnvtx_probe.so")},
         {"NVTX_PROBE_FILE", (folder / "seen").string()}});
    const Printed printed
        = bscope(folder,
                 "run --scheme 1f1b --devices 2 --micro-batches 2 --iterations 1 --warmup "
                 "1 -o run.sqlite --mode "
                     + mode);
    CAPTURE(printed.err);
    REQUIRE(printed.status == 0);
    return read(folder / "seen");
}

} // namespace

TEST_CASE(
    "another profiler receives a range for every op that runs, with the same times as the file")
{
    for (const char* mode : {"emulate", "live", "live --nvtx-grammar sail-sg"}) {
        CAPTURE(mode);
        const Folder folder;
        const Seen seen = watched(folder, mode);
        CHECK(seen.domains == std::vector<std::string>{"bubblescope"});
        CHECK(seen.categories.size() == 11);
        CHECK(std::ranges::count(seen.categories, "SEND") == 1);
        CHECK(seen.balanced);
        CHECK(seen.deepest == 1);
        CHECK(seen.threads == (std::string(mode) == "emulate" ? 1U : 2U));
        const bool isSail = std::string(mode).ends_with("sail-sg");
        // Two iterations; every op on both devices, a send of activations on one.
        const auto count = [&](const char* name) {
            return std::ranges::count(seen.ranges, name, &Pushed::text);
        };
        for (const char* name : {"F1.0.0", "B0.0.0", "Optimizer"})
            CHECK(count(name) == (isSail ? 4 : 0));
        CHECK(count("SEND_FORWARD.1.0.0") == (isSail ? 2 : 0));
        std::multiset<std::string> ranges;
        for (const Pushed& range : seen.ranges) {
            CHECK(range.domain == 1);
            ranges.insert(range.text + " " + std::to_string(range.category) + " "
                          + std::to_string(range.payload) + " " + range.color);
        }
        CHECK(ranges.size() > 20);
        CHECK(ranges == rangesInFile(folder / "run.sqlite"));
    }
}
#endif

TEST_CASE("a tool that does not load takes nothing from the run")
{
    const Folder folder;
    const std::vector<std::pair<const char*, std::string>> variable{
        {"NVTX_INJECTION64_PATH", "/nowhere/libTool.so"}};
    const Environment environment(variable);
    const Printed printed = bscope(
        folder, "run --scheme 1f1b --devices 2 --micro-batches 2 --iterations 1 -o run.sqlite");
    CHECK(printed.status == 0);
    CHECK(std::filesystem::exists(folder / "run.sqlite"));
}
