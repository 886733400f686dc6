#include "tests/profiler/store/script.h"
#include "tests/support/gpu_run.h"

// The recipes that NVIDIA documents for its exports, and that community scripts use, over a run
// with kernels.
using namespace engine;
using namespace tests;

namespace {

struct File
{
    TemporaryFolder folder;
    GpuRun made = gpuRun();
    std::filesystem::path path = folder / "run.sqlite";

    File() { writeGpuRun(path, made); }
    std::string kernels() const { return std::to_string(made.gpu.kernels.size()); }
};

} // namespace

TEST_CASE("the made-up GPU run links every kernel and is read back")
{
    const File file;
    CHECK(file.made.gpu.kernels.size() > 500);
    CHECK(file.made.gpu.copies.size() > 50);
    const auto read = profiler::readGpuTrace(file.path);
    REQUIRE(read);
    CHECK(read->kernels.size() == file.made.gpu.kernels.size());
    CHECK(std::ranges::all_of(read->kernels, [](const GpuKernel& k) { return k.of.isKnown(); }));
    CHECK(read->samples == file.made.gpu.samples);
    CHECK(read->streamNames.size() == 8);
    const auto run = profiler::readRun(file.path);
    REQUIRE(run);
    CHECK(run->info == file.made.run.info);
}

TEST_CASE("every kernel leads to its launching call, and to the one range that owns it")
{
    const File file;
    const Script script(file.path);
    CHECK(script("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
                 "CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId AND "
                 "r.globalTid / 0x1000000 = k.globalPid / 0x1000000")
          == Rows{{file.kernels()}});
    // Innermost push/pop range, and the op that we say launched it: one and the same.
    script("CREATE INDEX nvtx_start ON NVTX_EVENTS(start)");
    CHECK(script("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
                 "CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId JOIN "
                 "BS_gpu_launch l ON l.correlation = k.correlationId JOIN BS_schedule o USING (op) "
                 "WHERE 'PP:' || o.name = (SELECT COALESCE(n.text, s.value) FROM NVTX_EVENTS n "
                 "LEFT JOIN StringIds s ON s.id = n.textId WHERE n.eventType = 59 AND n.globalTid "
                 "= r.globalTid AND n.start <= r.start AND n.\"end\" >= r.\"end\" ORDER BY n.start "
                 "DESC LIMIT 1)")
          == Rows{{file.kernels()}});
}

TEST_CASE("the recipe that joins push/pop ranges finds the transfer that made each copy")
{
    File live; // launched by the thread of the device
    writeGpuRun(live.folder / "emulated.sqlite", emulatedGpuRun()); // on threads of their own
    for (const char* file : {"run.sqlite", "emulated.sqlite"}) {
        CAPTURE(file);
        const Script script(live.folder / file);
        CHECK(script("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMCPY k JOIN "
                     "CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId JOIN "
                     "BS_gpu_launch l ON l.correlation = k.correlationId JOIN BS_schedule o USING "
                     "(op) WHERE 'PP:' || o.name = (SELECT n.text FROM NVTX_EVENTS n WHERE "
                     "n.eventType = 59 AND n.globalTid = r.globalTid AND n.start <= r.start AND "
                     "n.\"end\" >= r.\"end\" ORDER BY n.start DESC LIMIT 1)")
              == Rows{{std::to_string(live.made.gpu.copies.size())}});
    }
}

TEST_CASE("a range is projected onto the GPU by its kernels")
{
    const File file;
    const Script script(file.path);
    // Of every forward: within the span of the op, from its begin on.
    CHECK(script("SELECT count(*), sum(low = s.begin), sum(high <= s.\"end\") FROM (SELECT l.op, "
                 "l.iteration, min(k.start) AS low, max(k.\"end\") AS high FROM "
                 "CUPTI_ACTIVITY_KIND_KERNEL k JOIN BS_gpu_launch l ON l.correlation = "
                 "k.correlationId JOIN BS_schedule o USING (op) WHERE o.kind = 'F' GROUP BY 1, 2) "
                 "JOIN BS_span s USING (op, iteration)")
          == Rows{{"64", "64", "64"}}); // D = 4, N = 8, two iterations
}

TEST_CASE("a kernel leads to its device, its context and the name of its stream")
{
    const File file;
    const Script script(file.path);
    CHECK(script("SELECT DISTINCT g.name FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
                 "TARGET_INFO_CUDA_DEVICE c ON c.cudaId = k.deviceId AND c.pid = k.globalPid / "
                 "0x1000000 JOIN TARGET_INFO_GPU g ON g.id = c.gpuId")
          == Rows{{"a GPU that tests made up"}});
    CHECK(script("SELECT s.name, count(*) > 10 FROM CUPTI_ACTIVITY_KIND_MEMCPY m JOIN "
                 "TARGET_INFO_CUDA_CONTEXT_INFO c USING (contextId, deviceId) JOIN "
                 "TARGET_INFO_NVTX_CUDA_STREAM s USING (contextId, streamId) WHERE m.deviceId = 1 "
                 "GROUP BY 1")
          == Rows{{"device 1: copy", "1"}});
    CHECK(script("SELECT e.label FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION y JOIN "
                 "ENUM_CUPTI_SYNC_TYPE e ON e.id = y.syncType GROUP BY 1")
          == Rows{{"Stream wait sync"}});
}

TEST_CASE("what slowed the GPUs down is asked with SQL, too")
{
    const File file;
    const Script script(file.path);
    CHECK(script("SELECT min(sm_clock), max(sm_clock) FROM BS_gpu_sample WHERE throttle = 0")
          == Rows{{"1770", "1980"}});
    CHECK(script("SELECT DISTINCT throttle, sm_clock FROM BS_gpu_sample WHERE throttle & 4")
          == Rows{{"4", "1755"}});
    CHECK(script("SELECT value FROM BS_metric WHERE name = 'sm_clock_median'") == Rows{{"1875"}});
}
