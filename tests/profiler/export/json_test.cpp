#include "profiler/export/exporters.h"
#include "tests/profiler/export/text_of.h"
#include "tests/support/pipelines.h"

#include <nlohmann/json.hpp>

using namespace engine;
using namespace tests;
using nlohmann::json;

namespace {

Run labelledRun(const std::string& scheme, int devices, int microBatches)
{
    UnitCosts costs;
    costs.p2p = {1, 4};
    const Simulated simulation = simulated(scheduleOf(scheme, devices, microBatches), costs);
    Run run{{}, simulation.schedule, simulation.timeline};
    run.info.ticksPerUnit = simulation.ticksPerUnit;
    run.info.label = "a \"quoted\" \xFF label";
    return run;
}

} // namespace

TEST_CASE("a run as JSON has every span, the placement of the stages and the experiment")
{
    const Run run = labelledRun("bitpipe", 4, 4);
    const json object = json::parse(tests::textOf(profiler::exportJson, run));
    CHECK(object["format"] == "bubblescope run");
    CHECK(object["run"]["scheme"] == "bitpipe");
    CHECK(object["run"]["mode"] == "simulate");
    CHECK(object["run"]["model"] == nullptr); // not known
    CHECK(object["devices"] == 4);
    CHECK(object["unit"] == "forward");
    std::size_t spans = 0;
    for (const Track& track : run.timeline.tracks)
        spans += track.spans.size();
    CHECK(object["spans"].size() == spans);
    REQUIRE(object["device_of"].size() == run.schedule.deviceOf.size());
    for (std::size_t r = 0; r < run.schedule.deviceOf.size(); ++r)
        for (int s = 0; s < std::ssize(run.schedule.deviceOf[r]); ++s)
            CHECK(object["device_of"][r][s] == run.schedule.deviceOf[r][{s}].value);
    const json& first = object["spans"][0];
    CHECK(first["op"] == "0F0");
    CHECK(first["lane"] == "compute");
    CHECK(first["begin"] == 0);
    CHECK(first["end"] == 0.5); // a chunk's forward is half a unit
    CHECK(first["slice"] == nullptr);
    CHECK(object["iterations"][0]["phase"] == "measured");
    CHECK(object["iterations"][0]["loss"] == nullptr);
}

TEST_CASE("losses and memory events are in the JSON as they were recorded")
{
    Run run = labelledRun("1f1b", 2, 2);
    run.info.ticksPerUnit = 1;
    run.timeline.iterations[0].loss = 5.5;
    run.timeline.iterations[0].microBatchLoss = {5.25F, 5.75F};
    run.timeline.memory = {{0, 100, MemoryEvent::kNoOp, 1, MemoryCategory::Weights},
                           {7, -4, 2, 0, MemoryCategory::Stash}};
    const json object = json::parse(tests::textOf(profiler::exportJson, run));
    CHECK(object["unit"] == "ns");
    CHECK(object["iterations"][0]["micro_batch_loss"] == json::array({5.25, 5.75}));
    CHECK(object["memory"][0]
          == json({{"time", 0},
                   {"device", 1},
                   {"category", "weights"},
                   {"bytes", 100},
                   {"op", nullptr}}));
    CHECK(object["memory"][1]["bytes"] == -4);
    CHECK(object["memory"][1]["op"].is_string());
}
