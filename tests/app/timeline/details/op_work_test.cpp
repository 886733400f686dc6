#include "app/timeline/details/details.h"
#include "engine/experiment/experiment.h"
#include "engine/schedules/scheme.h"
#include "tests/catch.h"

using namespace engine;

TEST_CASE("the model FLOPs of all ops add up to those of the iteration")
{
    for (const std::string scheme : {"1f1b", "interleaved-1f1b", "zb-v", "seq1f1b", "bitpipe"}) {
        CAPTURE(scheme);
        ScheduleRequest request;
        request.scheme = scheme;
        request.devices = 4;
        request.microBatches = 8;
        const Schedule schedule = buildSchedule(request).value();
        const ModelSpec model = loadModel("tiny").value();
        double sum = 0;
        for (const auto& program : schedule.program)
            for (const Op& op : program)
                sum += app::modelFlopsOf(model, schedule.shape, op);
        CHECK(sum == Approx(flopsPerIteration(model, 8)));
    }
}

TEST_CASE("the model of a run is that of its experiment")
{
    Experiment experiment;
    experiment.model.layers = 12;
    RunInfo info;
    CHECK_FALSE(app::modelOf(info));
    info.flopsPerIteration = 1;
    info.experiment = toToml(experiment);
    REQUIRE(app::modelOf(info));
    CHECK(app::modelOf(info)->layers == 12);
    Shape shape;
    shape.stages = 4;
    CHECK(app::layersOf(*app::modelOf(info), shape, StageId{1}) == std::pair(3, 5));
}
