#include "profiler/store/trace_store.h"
#include "tests/cli/bscope.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace cli_test;

namespace {

// The sample run as if it had been recorded at `started`, with times `factor` as long.
void writeScaled(const fs::path& file, const std::string& started, double factor)
{
    engine::Run run = profiler::readRun(tests::sourcePath("sample_runs/1f1b-d4-n8.sqlite")).value();
    const auto scale = [&](std::int64_t& time) { time = std::llround(time * factor); };
    for (engine::Track& track : run.timeline.tracks)
        for (engine::Span& span : track.spans) {
            scale(span.begin);
            scale(span.end);
        }
    for (engine::Iteration& one : run.timeline.iterations) {
        scale(one.window.begin);
        scale(one.window.end);
    }
    run.timeline.memory.clear();
    run.info.started = started;
    REQUIRE(profiler::writeRun(file, run));
}

} // namespace

TEST_CASE("history lists runs in the order of their start with the change from the run before")
{
    const Folder folder;
    fs::create_directory(folder / "runs");
    writeScaled(folder / "runs/c.sqlite", "2026-11-01T00:00:00Z", 1);
    writeScaled(folder / "runs/b.sqlite", "2026-11-02T00:00:00Z", 1.001);
    writeScaled(folder / "runs/a.sqlite", "2026-11-03T00:00:00Z", 1.2);
    writeText(folder / "runs/damaged.sqlite", "SQLite format 3");
    writeText(folder / "runs/other.txt", "");
    fs::copy_file(tests::sourcePath("sample_runs/bitpipe-d4-n8.sqlite"),
                  folder / "runs/bitpipe.sqlite");

    const auto history = bscope(folder, "history runs --json").json();
    CHECK(history["measure"] == "iteration");
    REQUIRE(history["runs"].size() == 4);
    std::map<std::string, nlohmann::json> runs;
    std::vector<std::string> starts;
    for (const nlohmann::json& run : history["runs"]) {
        runs[fs::path(run["file"].get<std::string>()).filename()] = run;
        starts.push_back(run["started"]);
    }
    CHECK(std::ranges::is_sorted(starts));
    CHECK(runs["c.sqlite"]["interval"][0] <= runs["c.sqlite"]["value"]);
    CHECK(runs["b.sqlite"]["distinguishable"] == false);
    CHECK(runs["a.sqlite"]["distinguishable"] == true);
    CHECK(runs["a.sqlite"]["change_share"].get<double>() == Approx(1.2 / 1.001 - 1).epsilon(1e-6));
    CHECK(runs["a.sqlite"]["change_interval"][0] > 0);
    CHECK(contains(runs["bitpipe.sqlite"]["conditions"], "scheme"));
    CHECK(runs["bitpipe.sqlite"]["change"].is_null());
    REQUIRE(history["skipped"].size() == 1);
    CHECK(contains(history["skipped"][0]["file"], "damaged.sqlite"));
    CHECK_FALSE(history["skipped"][0]["reason"].get<std::string>().empty());

    const Printed text = bscope(folder, "history runs -o history.svg");
    CHECK(text.status == 0);
    CHECK(contains(text.out, "skipped: runs/damaged.sqlite: "));
    CHECK(contains(text.out, "changed"));
    CHECK(contains(text.out, "not distinguishable"));
    CHECK(contains(text.out, "other conditions: scheme"));
    CHECK(contains(readText(folder / "history.svg"), "Iteration, ms"));
}

TEST_CASE("history follows any number and refuses what it cannot follow")
{
    const Folder folder;
    REQUIRE(bscope(folder, "simulate --scheme 1f1b -D 4 -N 8 -o run.sqlite").status == 0);
    const auto bubble = bscope(folder, "history run.sqlite --measure bubble_ratio --json").json();
    CHECK(bubble["runs"][0]["value"].get<double>() == Approx(3.0 / 11));
    CHECK(bscope(folder, "history run.sqlite --json").json()["runs"][0]["value"] == 33);
    const Printed unknown = bscope(folder, "history run.sqlite --measure bubbles");
    CHECK(unknown.status == 2);
    CHECK(contains(unknown.err, "--measure bubbles: no such number; did you mean 'bubble'?"));
    fs::create_directory(folder / "empty");
    const Printed empty = bscope(folder, "history empty");
    CHECK(empty.status == 1);
    CHECK(contains(empty.err, "empty has no .sqlite files; give a folder with runs"));
    writeText(folder / "junk.sqlite", "junk");
    CHECK(bscope(folder, "history junk.sqlite").status == 1);
}

// The value was "-".
TEST_CASE("history says why a number is unknown")
{
    const Folder folder;
    engine::Run run = profiler::readRun(tests::sourcePath("sample_runs/1f1b-d4-n8.sqlite")).value();
    run.info.mode = engine::Mode::Imported;
    run.info.import.emplace().lack = "stage 3 has no trace";
    run.info.import->ranks.emplace_back().file
        = "rank0.json"; // without a source, no import is kept
    REQUIRE(profiler::writeRun(folder / "lacks.sqlite", run));
    const std::string command = "history lacks.sqlite --measure bubble_ratio";
    CHECK(contains(bscope(folder, command).out, "unknown: stage 3 has no trace"));
    const auto point = bscope(folder, command + " --json").json()["runs"][0];
    CHECK(point["value"].is_null());
    CHECK(point["reason"] == "stage 3 has no trace");
}
