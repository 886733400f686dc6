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
    for (int device = 0; device < 4; ++device)
        run.info.import->ranks.push_back({0, "", device % 2 == 0 ? "b" : "a", "", device});
    CHECK(nodesOfDevices(run) == std::vector<int>{0, 1, 0, 1});
    run.info.import->ranks[2].host.clear(); // unknown
    CHECK(nodesOfDevices(run).empty());
    run.info.import->ranks.pop_back();
    CHECK(nodesOfDevices(run).empty());
}

// The d-th rank was taken for device d.
TEST_CASE("ranks of other copies of the pipeline do not change the nodes")
{
    Run run = runOf(2);
    run.info.import.emplace();
    run.info.import->ranks
        = {{0, "", "a", "", 0}, {1, "", "a", "", {}}, {2, "", "b", "", 1}, {3, "", "b", "", {}}};
    CHECK(nodesOfDevices(run) == std::vector<int>{0, 1});
}
