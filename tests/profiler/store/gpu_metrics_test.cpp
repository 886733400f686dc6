#include "profiler/store/trace_store.h"
#include "tests/profiler/import/nsight_traces.h"
#include "tests/profiler/store/script.h"

#include <map>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

RunInfo onGpus(RunInfo info)
{
    info.interference = {{OpKind::Forward, 1000, 1100}, {OpKind::OptimizerStep, 10, 25}};
    info.iterationAlone = 123'456'789;
    info.graphOps = 48;
    for (const int gpu : {0, 3}) {
        GpuMemory& memory = info.gpuMemory.emplace_back();
        memory.gpu = gpu;
        for (const GpuMemoryOwner owner : memory.of.enumerators())
            memory[owner] = 1'000'000 * (static_cast<int>(owner) + 1) + gpu;
        memory.used = memory.known() + 1000;
        memory.reserved = 7'000'000 + gpu;
    }
    return info;
}

} // namespace

TEST_CASE("the GPU results of a run are in its file, whether written at once or at the end")
{
    const TemporaryFolder folder;
    Run run = simulatedRun();
    run.info.transport = "nccl";
    const RunInfo before = run.info;
    run.info = onGpus(run.info);
    REQUIRE(writeRun(folder / "whole.sqlite", run));
    CHECK(readRun(folder / "whole.sqlite").value().info == run.info);
    const Script script(folder / "whole.sqlite");
    CHECK(script("SELECT name FROM BS_metric GROUP BY name HAVING count(*) > 1") == Rows());

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

TEST_CASE(
    "what all GPUs have together has rows of its own, and an owner of a later version is left out")
{
    const RunInfo info = onGpus({});
    const GpuMemory all = sumOf(info.gpuMemory);
    std::map<std::string, double> rows;
    for (const Metric& metric : gpuMetrics(info))
        rows[metric.name] = metric.value;
    CHECK(rows.at("gpu_memory_used") == static_cast<double>(all.used));
    CHECK(rows.at("gpu_memory_taken") == static_cast<double>(all.taken()));
    CHECK(rows.at("gpu3_memory_stash") == 4'000'003);
    RunInfo read;
    for (const char* name :
         {"gpu0_memory_souls", "gpu-1_memory_used", "gpu_memory_used", "gpu",
          "gpu99999999999999_memory_used", "gpu1memory_used", "cpu0_memory_used"})
        CHECK(takeGpuMetric(name, 1, read));
    CHECK(read.gpuMemory.empty());
}

TEST_CASE("a run file with an impossible GPU result is damaged")
{
    const TemporaryFolder folder;
    for (const char* name : {"gpu0_memory_used", "gpu0_memory_stash", "alone_F", "beside_OPT"}) {
        const auto file = folder / std::string(name);
        Run run = simulatedRun();
        run.info = onGpus(run.info);
        REQUIRE(writeRun(file, run));
        executeSql(file, fmt::format("UPDATE BS_metric SET value = 7e199 WHERE name = '{}'", name));
        INFO(name);
        CHECK_FALSE(readRun(file));
    }
}

TEST_CASE("interference is reported by kind of op")
{
    const RunInfo info = onGpus({});
    CHECK(interferenceRatio(info.interference) == Approx(1125.0 / 1010));
    CHECK(interferenceText(info.interference)
          == "interference slows ops down by a factor of 1.11 (F 1.10, OPT 2.50)");
    CHECK(interferenceRatio({}) == 0);
}
