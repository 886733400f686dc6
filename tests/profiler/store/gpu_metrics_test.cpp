#include "profiler/store/gpu_metrics.h"
#include "tests/profiler/store/store_support.h"

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

RunInfo onGpus(RunInfo info)
{
    info.interference = {{OpKind::Forward, 1000, 1100}, {OpKind::OptimizerStep, 10, 25}};
    info.iterationAlone = 123'456'789;
    info.graphOps = 48;
    info.gpuMemory = {.contexts = 500'000'000, .taken = 7'000'000'000, .used = 7'600'000'000};
    return info;
}

} // namespace

TEST_CASE("what a run on GPUs learned is in its file, written at once or at its end")
{
    const TemporaryFolder folder;
    Run run = simulatedRun();
    const RunInfo before = run.info;
    run.info = onGpus(run.info);
    REQUIRE(writeRun(folder / "whole.sqlite", run));
    CHECK(readRun(folder / "whole.sqlite").value().info == run.info);

    auto writer = TraceWriter::create(folder / "grown.sqlite", before, run.schedule);
    REQUIRE(writer);
    writer->append(batchOf(run.timeline, 0, 0));
    Batch late;
    late.metrics = gpuMetrics(run.info);
    writer->append(late);
    REQUIRE(writer->finish(run.info.outcome));
    CHECK(readRun(folder / "grown.sqlite").value().info == run.info);
}

TEST_CASE("a run that no GPU computed has none of these rows")
{
    CHECK(gpuMetrics(simulatedRun().info).empty());
}

TEST_CASE("interference is told by kind of op")
{
    const RunInfo info = onGpus({});
    CHECK(interferenceRatio(info.interference) == Approx(1125.0 / 1010));
    CHECK(interferenceWords(info.interference)
          == "ops take 1.11 times as long beside the others as alone (F 1.10, OPT 2.50)");
    CHECK(interferenceRatio({}) == 0);
    CHECK(info.gpuMemory.others() == 100'000'000);
}
