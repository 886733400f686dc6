#include "profiler/import/import.h"
#include "profiler/import/readers/readers.h"
#include "profiler/store/trace_store.h"
#include "tests/profiler/import/nsight_traces.h"
#include "tests/profiler/import/traces.h"

#include <algorithm>
#include <cstdlib>

using namespace engine;
using namespace profiler;
using namespace tests;

TEST_CASE("an export of Nsight Systems is read, whatever columns it lacks")
{
    const TemporaryFolder folder;
    writeNsightExport(folder / "a.sqlite");
    const auto ranks = readNsight(folder / "a.sqlite", {}, {});
    REQUIRE(ranks);
    REQUIRE(ranks->size() == 1);
    const RankTrace& rank = ranks->front();
    CHECK(rank.program == "Nsight Systems 2026.1.1");
    CHECK(rank.host == "node7");
    CHECK(rank.gpu.kernels.size() == 2);
    CHECK(rank.unreadable == 1);
    CHECK(rank.ranges.size() == 2);

    const auto run = importTraces({folder / "a.sqlite"}, Rules::shipped());
    REQUIRE(run);
    const ImportReport& report = *run->run.info.import;
    CHECK(report.kernels == 2);
    CHECK(report.classified() == 1);
    REQUIRE(run->run.timeline.tracks.size() == 1);
    const auto& spans = run->run.timeline.tracks[0].spans;
    REQUIRE(spans.size() == 2);
    // Ranges become the extent of their kernels, whichever thread launches them.
    CHECK(spans[0].window() == Window{0, 2000});
    CHECK(spans[1].window() == Window{2000, 6000});
}

TEST_CASE("a rule can ask for the domain of an NVTX range")
{
    const TemporaryFolder folder;
    writeNsightExport(folder / "a.sqlite");
    executeSql(folder / "a.sqlite",
               fmt::format(R"(
        ALTER TABLE NVTX_EVENTS ADD COLUMN domainId INTEGER;
        UPDATE NVTX_EVENTS SET domainId = 0;
        UPDATE NVTX_EVENTS SET domainId = 3, text = 'step', textId = NULL WHERE eventType = 60;
        INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'trainer', {}, NULL, 3);)",
                           kProcess + 5081));
    const auto ranges = readNsight(folder / "a.sqlite", {}, {}).value().front();
    REQUIRE(ranges.ranges.size() == 2);
    CHECK(ranges.text(ranges.ranges[0].category).empty());
    CHECK(ranges.text(ranges.ranges[1].category) == "trainer");
    const auto rules = Rules::parse(R"([[rule]]
        name = "mine"
        range = '^step$'
        category = '^trainer$'
        kind = "B"
        confidence = "high")",
                                    "my.toml");
    REQUIRE(rules);
    const auto run = importTraces({folder / "a.sqlite"}, *rules);
    REQUIRE(run);
    CHECK(run->run.info.import->rules.front().name == "mine");
}

// No rule matched the names, because each has other numbers.
TEST_CASE("the numbers that emit_nvtx appends to a name are not part of it")
{
    const TemporaryFolder folder;
    writeNsightExport(folder / "a.sqlite");
    executeSql(folder / "a.sqlite", R"(
        UPDATE NVTX_EVENTS SET text = 'PP:0F0, op_id = 991144' WHERE text = 'PP:0F0';
        UPDATE StringIds SET value = 'PP:0B0, seq = 3, op_id = 7, sizes = [[2]]' WHERE id = 3;)");
    const auto run = importTraces({folder / "a.sqlite"}, Rules::shipped());
    REQUIRE(run);
    CHECK(run->run.info.import->classified() == 1);
    REQUIRE(run->run.timeline.tracks.size() == 1);
    CHECK(run->run.timeline.tracks[0].spans.size() == 2);
}

TEST_CASE("forward ops of emit_nvtx within a backward are its recomputation")
{
    const TemporaryFolder folder;
    writeNsightExport(folder / "a.sqlite");
    executeSql(folder / "a.sqlite",
               fmt::format(R"(
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (7000, 8000, 0, 1, 7, 14, {0}, 1);
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (330, 340, {1}, 14, 2);
        INSERT INTO NVTX_EVENTS VALUES (325, 345, 59, 'aten::linear, op_id = 9', {1}, NULL);)",
                           kProcess, kProcess + 6000));
    const auto run = importTraces({folder / "a.sqlite"}, Rules::shipped());
    REQUIRE(run);
    REQUIRE(run->run.timeline.tracks.size() == 1);
    const auto& spans = run->run.timeline.tracks[0].spans;
    REQUIRE(spans.size() == 3);
    CHECK(spans[1].window() == Window{2000, 3000}); // the recomputation, placed first
    CHECK(spans[2].window() == Window{3000, 7000});
}

// Only ops of emit_nvtx showed these threads, so all kernels of other exports were forwards.
TEST_CASE("the threads of the autograd engine are known by the name that PyTorch gives them")
{
    const TemporaryFolder folder;
    writeNsightExport(folder / "a.sqlite");
    executeSql(folder / "a.sqlite",
               fmt::format(R"(
        DELETE FROM NVTX_EVENTS;
        INSERT INTO StringIds VALUES (4, 'pt_autograd_0');
        CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);
        INSERT INTO ThreadNames VALUES (4, 20, {});)",
                           kProcess + 6000));
    CHECK(orderOf(imported(folder).run.schedule)
          == std::vector<std::vector<std::string>>{{"0F0", "0B0"}});
}

// Its kernels belonged to no op.
TEST_CASE("a backward without a range is found although a range names its forward")
{
    const TemporaryFolder folder;
    writeNsightExport(folder / "a.sqlite");
    executeSql(folder / "a.sqlite",
               fmt::format(R"(
        UPDATE NVTX_EVENTS SET text = 'DeepSpeedEngine.forward' WHERE eventType = 59;
        DELETE FROM NVTX_EVENTS WHERE eventType = 60;
        INSERT INTO StringIds VALUES (4, 'pt_autograd_0');
        CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);
        INSERT INTO ThreadNames VALUES (4, 20, {});)",
                           kProcess + 6000));
    CHECK(orderOf(imported(folder).run.schedule)
          == std::vector<std::vector<std::string>>{{"0F0", "0B0"}});
}

// They were not read, so the ops that launch graphs were left out.
TEST_CASE("a CUDA graph that nsys records as a whole is a kernel")
{
    const TemporaryFolder folder;
    writeNsightExport(folder / "a.sqlite");
    executeSql(folder / "a.sqlite",
               fmt::format(R"(
        CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER,
            graphId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,
            globalPid INTEGER, graphExecId INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (8000, 9000, 0, 4, 1, 7, 14, {0}, 5);
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (510, 520, {1}, 14, 2);
        INSERT INTO NVTX_EVENTS VALUES (500, 600, 59, 'PP:0F1', {1}, NULL);)",
                           kProcess, kProcess + 5081));
    const ImportedRun result = imported(folder);
    CHECK(orderOf(result.run.schedule)
          == std::vector<std::vector<std::string>>{{"0F0", "0B0", "0F1"}});
    REQUIRE(result.gpu.kernels.size() == 3);
    CHECK(result.gpu.strings.at(result.gpu.kernels[2].name) == "CUDA graph");
}

// PIDs gave their order, and a name was that of the GPU with the number that CUDA gives it.
TEST_CASE("processes have the order of their GPUs, whose names are those that CUDA numbers")
{
    const TemporaryFolder folder;
    const std::int64_t later = kProcess + (std::int64_t{1} << 24);
    writeNsightExport(folder / "a.sqlite");
    executeSql(folder / "a.sqlite",
               fmt::format(R"(
        UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1;
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 3000, 0, 1, 7, 11, {}, 1);
        CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);
        INSERT INTO TARGET_INFO_GPU VALUES (0, 'GeForce'), (1, 'H100'), (2, 'A100');
        CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
        INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 5082), (2, 1, 5081);)",
                           later));
    const auto ranks = readNsight(folder / "a.sqlite", {}, {});
    REQUIRE(ranks);
    REQUIRE(ranks->size() == 2);
    CHECK(ranks->front().gpu.kernels.size() == 1); // of PID 5082
    CHECK(ranks->front().deviceName == "H100");
    CHECK(ranks->back().deviceName == "A100");
}

TEST_CASE("SQLite files of other programs are refused with one sentence")
{
    const TemporaryFolder folder;
    executeSql(folder / "a.sqlite", "CREATE TABLE t (a)");
    auto error = readNsight(folder / "a.sqlite", {}, {});
    REQUIRE(!error);
    CHECK(error.error().message.find("is not an export of Nsight Systems") != std::string::npos);
    executeSql(folder / "b.sqlite", "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)");
    const auto empty = importTraces({folder / "b.sqlite"}, Rules::shipped());
    REQUIRE(!empty);
    CHECK(empty.error().message.find("neither GPU work nor NVTX ranges") != std::string::npos);
}

// The store finds the op of GPU work by its correlation.
TEST_CASE("GPU work without a recorded call keeps its correlation id")
{
    const TemporaryFolder folder;
    writeNsightExport(folder / "a.sqlite");
    executeSql(folder / "a.sqlite",
               "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId = 12");
    const auto run = importTraces({folder / "a.sqlite"}, Rules::shipped());
    REQUIRE(run);
    REQUIRE(run->gpu.kernels.size() == 2);
    REQUIRE(run->gpu.calls.size() == 1);
    CHECK(run->gpu.kernels[0].place.correlation == run->gpu.calls[0].correlation);
    CHECK(run->gpu.kernels[1].place.correlation != run->gpu.calls[0].correlation);
    CHECK(run->gpu.kernels[1].place.correlation != 0);
}

// They were ranks 0, 2 and 1.
TEST_CASE("exports that state no rank are numbered by the numbers in their names")
{
    const TemporaryFolder folder;
    for (const char* name : {"rank0.sqlite", "rank2.sqlite", "rank10.sqlite"})
        writeNsightExport(folder / name);
    const auto run = importTraces({folder.path()}, Rules::shipped());
    REQUIRE(run);
    const auto& ranks = run->run.info.import->ranks;
    REQUIRE(ranks.size() == 3);
    CHECK(ranks[1].file == (folder / "rank2.sqlite").string());
    CHECK(ranks[2].file == (folder / "rank10.sqlite").string());
}

// The ranks were numbered in the order of the files.
TEST_CASE("a thread that Nsight Systems names by its MPI rank states the rank")
{
    const TemporaryFolder folder;
    for (const auto& [file, rank] : {std::pair("a.sqlite", 1), {"b.sqlite", 0}}) {
        writeNsightExport(folder / file);
        executeSql(folder / file,
                   fmt::format("INSERT INTO StringIds VALUES (4, 'MPI Rank {}');"
                               "CREATE TABLE ThreadNames (nameId INTEGER, globalTid INTEGER);"
                               "INSERT INTO ThreadNames VALUES (4, {});",
                               rank, kProcess + 5081));
    }
    const auto run = importTraces({folder.path()}, Rules::shipped());
    REQUIRE(run);
    const ImportReport& report = *run->run.info.import;
    REQUIRE(report.ranks.size() == 2);
    CHECK(report.ranks[0].file.ends_with("b.sqlite"));
    CHECK(std::ranges::none_of(report.warnings, [](const std::string& warning) {
        return warning.find("state their rank") != std::string::npos;
    }));
}

// Such runs were saved, but could not be opened again.
TEST_CASE("times and sizes that no run file can have are left out")
{
    const TemporaryFolder folder, output;
    writeNsightExport(folder / "a.sqlite");
    executeSql(folder / "a.sqlite",
               fmt::format(R"(
        CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);
        INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1800000000000000000);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
            (1900000000000000000, 1900000000000000100, 0, 1, 7, 12, {0}, 1);
        CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, bytes INTEGER,
            memoryOperationType INTEGER, memKind INTEGER);
        INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1000, {0}, 4096, 0, 2),
            (1000, {0}, 2251799813685248, 0, 2), (1900000000000000000, {0}, 4096, 0, 2);)",
                           kProcess));
    const auto run = importTraces({folder / "a.sqlite"}, Rules::shipped());
    REQUIRE(run);
    CHECK(run->gpu.kernels.size() == 2);
    CHECK(run->run.timeline.memory.size() == 1);
    const auto& leftOut = run->run.info.import->leftOut;
    const auto unreadable
        = std::ranges::find(leftOut, "Events that cannot be read", &ImportReport::LeftOut::what);
    REQUIRE(unreadable != leftOut.end());
    CHECK(unreadable->count == 4); // and the kernel that ends before it begins
    const auto file = output / "run.sqlite";
    REQUIRE(writeRun(NewFile::beside(file, IfExists::Refuse).value(), run->run, run->gpu));
    CHECK(readRun(file));
    CHECK(readGpuTrace(file));
}

// The errors and the progress had the name and the size of a temporary file.
TEST_CASE("a compressed export is reported by its name and its size on disk")
{
    const TemporaryFolder folder, others;
    writeNsightExport(folder / "a.sqlite");
    executeSql(folder / "a.sqlite", // enough rows for a report of progress
               "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70000) "
               "INSERT INTO NVTX_EVENTS SELECT 1, 1, 34, 'mark', 0, NULL FROM n");
    executeSql(others / "b.sqlite", "CREATE TABLE t (a)");
    const std::string command
        = "gzip " + (folder / "a.sqlite").string() + " " + (others / "b.sqlite").string();
    REQUIRE(std::system(command.c_str()) == 0); // NOLINT
    const std::string name = (folder / "a.sqlite.gz").string();
    std::int64_t last = 0;
    const auto run = importTraces({name}, Rules::shipped(), [&](const ImportProgress& progress) {
        CHECK(progress.file == name);
        CHECK(progress.bytes >= last);
        CHECK(progress.bytes <= progress.allBytes);
        last = progress.bytes;
        return true;
    });
    REQUIRE(run);
    CHECK(run->run.info.import->ranks.at(0).file == name);
    const std::string other = (others / "b.sqlite.gz").string();
    CHECK(importTraces({other}, Rules::shipped()).error().message.starts_with(other + " is not"));

    const std::string before = std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "/tmp";
    setenv("TMPDIR", (folder / "none").c_str(), 1);
    const auto without = importTraces({name}, Rules::shipped());
    setenv("TMPDIR", before.c_str(), 1);
    REQUIRE_FALSE(without);
    CHECK(without.error().code == Error::Code::Io);
    CHECK(without.error().message.find("set TMPDIR") != std::string::npos);
}
