#include "engine/experiment/experiment.h"
#include "engine/experiment/run_nodes.h"
#include "engine/schedules/scheme.h"
#include "tests/catch.h"

using namespace engine;

namespace {

Run runOf(int devices)
{
    ScheduleRequest request;
    request.scheme = "1f1b";
    request.devices = devices;
    Run run;
    run.schedule = buildSchedule(request).value();
    return run;
}

} // namespace

TEST_CASE("an emulated run has the nodes of its mapping, an imported run those of its hosts")
{
    Run run = runOf(4);
    Experiment experiment;
    run.info.experiment = toToml(experiment);
    CHECK(nodesOfDevices(run).empty()); // one node
    experiment.devicesPerNode = 2;
    run.info.experiment = toToml(experiment);
    CHECK(nodesOfDevices(run) == std::vector<int>{0, 0, 1, 1});
    experiment.schedule.mapping = "pair-adjacent";
    run.info.experiment = toToml(experiment);
    CHECK(nodesOfDevices(run) == std::vector<int>{0, 1, 1, 0});

    run.info.import.emplace();
    for (const char* host : {"b", "a", "b", "a"})
        run.info.import->ranks.push_back({0, "", host, ""});
    CHECK(nodesOfDevices(run) == std::vector<int>{0, 1, 0, 1});
    run.info.import->ranks[2].host.clear(); // unknown
    CHECK(nodesOfDevices(run).empty());
    run.info.import->ranks.pop_back();
    CHECK(nodesOfDevices(run).empty());
}
