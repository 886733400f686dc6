#include "engine/schedule/passes/passes.h"
#include "profiler/export/exporters.h"
#include "profiler/import/import.h"
#include "tests/profiler/export/text_of.h"
#include "tests/support/pipelines.h"
#include "tests/support/temporary_folder.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <numeric>
#include <set>
#include <utility>

using namespace engine;
using namespace tests;
using nlohmann::json;

namespace {

Run bitPipeRun()
{
    UnitCosts costs;
    costs.p2p = {1, 2};
    const Simulated simulation = simulated(scheduleOf("bitpipe", 4, 4), costs);
    Run run{{}, simulation.schedule, simulation.timeline};
    run.info.label = "Bit\"Pipe";
    run.info.command = "bscope simulate --schedule \"a b.csv\"\n\xFF";
    run.info.ticksPerUnit = simulation.ticksPerUnit;
    run.timeline.memory = {{0, 100, MemoryEvent::kNoOp, 1, MemoryCategory::Weights},
                           {0, 7, 3, 1, MemoryCategory::Stash},
                           {run.info.ticksPerUnit, -7, 3, 1, MemoryCategory::Stash}};
    return run;
}

std::vector<json> eventsOf(const Run& run, const std::string& phase)
{
    const json trace = json::parse(tests::textOf(profiler::exportChrome, run));
    std::vector<json> events;
    for (const json& event : trace["traceEvents"])
        if (event["ph"] == phase)
            events.push_back(event);
    return events;
}

} // namespace

TEST_CASE("every span is one slice, with its device as process and one unit as one second")
{
    const Run run = bitPipeRun();
    std::size_t spans = 0;
    for (const Track& track : run.timeline.tracks)
        spans += track.spans.size();
    const auto slices = eventsOf(run, "X");
    CHECK(slices.size() == spans);
    const auto first
        = std::ranges::find_if(slices, [](const json& e) { return e["name"] == "0F0"; });
    REQUIRE(first != slices.end());
    CHECK((*first)["pid"] == run.schedule.device(0, StageId{0}).value);
    CHECK((*first)["ts"] == 0.0);
    CHECK((*first)["dur"] == 500000.0); // half a unit: two chunks
    CHECK((*first)["cat"] == "F");
    CHECK((*first)["args"]["microbatch"] == 0);
}

TEST_CASE("slices of one thread do not overlap, so that no viewer drops one")
{
    std::map<std::pair<int, int>, double> end;
    auto slices = eventsOf(bitPipeRun(), "X");
    std::ranges::stable_sort(slices, {}, [](const json& e) { return e["ts"].get<double>(); });
    for (const json& slice : slices) {
        double& last = end[{slice["pid"], slice["tid"]}];
        CHECK(slice["ts"].get<double>() >= last);
        last = slice["ts"].get<double>() + slice["dur"].get<double>();
    }
}

TEST_CASE("an arrow leads from every send to the receive of the same value")
{
    const Run run = bitPipeRun();
    const auto starts = eventsOf(run, "s"), finishes = eventsOf(run, "f");
    CHECK(starts.size() == 48); // p2p_messages of the contract
    REQUIRE(finishes.size() == 48);
    const auto slices = eventsOf(run, "X");
    const auto nameAt = [&](const json& flow) {
        for (const json& slice : slices)
            if (slice["pid"] == flow["pid"] && slice["tid"] == flow["tid"]
                && slice["ts"] == flow["ts"])
                return slice["name"].get<std::string>();
        return std::string("nothing");
    };
    for (std::size_t i = 0; i < starts.size(); ++i) {
        CHECK(starts[i]["id"] == finishes[i]["id"]);
        CHECK(starts[i]["pid"] != finishes[i]["pid"]);
        const std::string from = nameAt(starts[i]), to = nameAt(finishes[i]);
        CHECK(from.find("SEND_") != std::string::npos);
        CHECK(to.find("RECV_") != std::string::npos);
        CHECK(from.substr(from.find('_')) == to.substr(to.find('_')));
    }
}

// Messages that cross the boundary of two windows had no arrow.
TEST_CASE("every message of a stream has an arrow with its own id")
{
    const Schedule schedule
        = buildSchedule(asStream(requestOf("pipedream-2bw", 4, 8), {1, 2})).value();
    REQUIRE(schedule.shape.windows > 1);
    UnitCosts costs;
    costs.p2p = {1, 2};
    const Simulated simulation = simulated(schedule, costs);
    const Run run{{}, simulation.schedule, simulation.timeline};
    REQUIRE(run.timeline.iterations.size() > 1);
    std::set<std::string> ids;
    for (const json& start : eventsOf(run, "s"))
        ids.insert(start["id"]);
    const auto sent = messagesSent(run.schedule);
    CHECK(std::cmp_equal(ids.size(), std::accumulate(sent.begin(), sent.end(), 0)));
}

TEST_CASE("devices and lanes are named, and memory is a counter of what is alive")
{
    const Run run = bitPipeRun();
    std::set<std::string> names;
    for (const json& event : eventsOf(run, "M"))
        if (event["args"].contains("name"))
            names.insert(event["args"]["name"]);
    for (const std::string name :
         {"device 0", "device 3", "compute", "send", "receive", "all-reduce"})
        CHECK(names.count(name) == 1);
    const auto counters = eventsOf(run, "C");
    REQUIRE(counters.size() == 3);
    CHECK(counters[1]["args"]["weights"] == 100);
    CHECK(counters[1]["args"]["stash"] == 7);
    CHECK(counters[2]["args"]["stash"] == 0);
    CHECK(counters[2]["ts"] == 1e6);
    CHECK(counters[2]["pid"] == 1);
    CHECK(counters[2]["name"] == "device 1 memory"); // Tracy merges counters of equal names
}

TEST_CASE("process labels have no commas, at which viewers split them")
{
    Run run = bitPipeRun();
    run.info.mode = Mode::Live;
    run.info.threads = 4;
    run.info.cores = 2;
    REQUIRE(modeDescription(run.info).find(',') != std::string::npos);
    for (const json& event : eventsOf(run, "M"))
        if (event["name"] == "process_labels")
            CHECK(event["args"]["labels"].get<std::string>().find(',') == std::string::npos);
}

// They came back as evicts to the partner, which then held the stashes.
TEST_CASE("an exported run is imported with its copies to the host")
{
    Run run;
    run.schedule = lower(addOffload(scheduleOf("1f1b", 4, 8), 3).value());
    const OpCosts costs = costsOf(run.schedule);
    run.timeline = simulate(run.schedule, costs, {.iterations = 2}).value();
    run.info.ticksPerUnit = costs.ticksPerUnit;
    run.info.scheme = "1f1b";
    const TemporaryFolder folder;
    std::ofstream(folder / "run.json") << tests::textOf(profiler::exportChrome, run);
    const auto result = profiler::importTraces({folder.path()}, profiler::Rules::shipped());
    REQUIRE(result);
    CHECK(anyOp(result->run.schedule, usesHost));
    CHECK_FALSE(
        anyOp(result->run.schedule, [](const Op& op) { return isCopy(op.kind) && !usesHost(op); }));
}

// Warm-up and the median iteration came back as measured iterations.
TEST_CASE("an exported run is imported with its measured iterations")
{
    Run run;
    run.schedule = lower(scheduleOf("1f1b", 4, 8));
    const OpCosts costs = costsOf(run.schedule);
    run.timeline = simulate(run.schedule, costs, {.iterations = 4}).value();
    run.timeline.iterations.front().kind = Iteration::Kind::Warmup;
    run.timeline.iterations.back().kind = Iteration::Kind::Replay;
    run.info.ticksPerUnit = costs.ticksPerUnit;
    run.info.scheme = "1f1b";
    const TemporaryFolder folder;
    std::ofstream(folder / "run.json") << tests::textOf(profiler::exportChrome, run);
    const auto result = profiler::importTraces({folder.path()}, profiler::Rules::shipped());
    REQUIRE(result);
    CHECK(result->run.schedule.shape.devices == 4);
    CHECK(result->run.timeline.iterations.size() == 2);
}

TEST_CASE("overlapping spans get separate lanes, joint ops share one")
{
    Track track;
    track.spans = {{0, 4, 0, 0}, {0, 4, 1, 0}, {2, 3, 2, 0}, {3, 5, 3, 0}, {4, 6, 4, 0}};
    CHECK(profiler::subLanes(track) == std::vector<int>{0, 0, 1, 1, 0});
    track.kind = Track::Kind::Send; // two messages are two slices, even at the same time
    CHECK(profiler::subLanes(track) == std::vector<int>{0, 1, 2, 2, 0});
}

TEST_CASE("the table of formats finds each by its name, and no other")
{
    for (const profiler::Exporter& exporter : profiler::exporters()) {
        CHECK(profiler::findExporter(exporter.name) == &exporter);
        CHECK(exporter.extension.front() == '.');
        CHECK(tests::textOf(exporter.write, bitPipeRun()).size() > 1000);
    }
    CHECK(profiler::findExporter("pdf") == nullptr);
}
