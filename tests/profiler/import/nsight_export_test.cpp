#include "profiler/import/import.h"
#include "profiler/import/nsight_export.h"
#include "tests/profiler/import/traces.h"
#include "tests/support/temporary_folder.h"

#include <sqlite3.h>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

void execute(const std::filesystem::path& file, const std::string& sql)
{
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
    char* error = nullptr;
    sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &error);
    INFO((error == nullptr ? "" : error));
    REQUIRE(error == nullptr);
    sqlite3_close(database);
}

constexpr std::int64_t kProcess = std::int64_t{1} << 48 | std::int64_t{5081} << 24;

// One process: F0 and B0 by NVTX ranges, the second with a registered name; each launches a kernel.
std::string exportSql()
{
    return fmt::format(R"(
        CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
        INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2026.1.1');
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), (3, 'PP:0B0');
        CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);
        INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'node7');
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,
            contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
            demangledName INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 3000, 0, 1, 7, 11, {0}, 1),
            (3000, 7000, 0, 1, 7, 12, {0}, 1), (9000, 8000, 0, 1, 7, 13, {0}, 1);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,
            correlationId INTEGER, nameId INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (110, 120, {1}, 11, 2), (310, 320, {2}, 12, 2);
        CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,
            globalTid INTEGER, textId INTEGER);
        INSERT INTO NVTX_EVENTS VALUES (100, 200, 59, 'PP:0F0', {1}, NULL),
            (300, 400, 60, NULL, {1}, 3), (100, NULL, 34, 'mark', {1}, NULL);)",
                       kProcess, kProcess + 5081, kProcess + 6000);
}

} // namespace

TEST_CASE("an export of Nsight Systems is read, whatever columns it lacks")
{
    const TemporaryFolder folder;
    execute(folder / "a.sqlite", exportSql());
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

TEST_CASE("SQLite files of other programs are refused with one sentence")
{
    const TemporaryFolder folder;
    execute(folder / "a.sqlite", "CREATE TABLE t (a)");
    auto error = readNsight(folder / "a.sqlite", {}, {});
    REQUIRE(!error);
    CHECK(error.error().message.find("is not an export of Nsight Systems") != std::string::npos);
    execute(folder / "b.sqlite", "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)");
    const auto empty = importTraces({folder / "b.sqlite"}, Rules::shipped());
    REQUIRE(!empty);
    CHECK(empty.error().message.find("neither GPU work nor NVTX ranges") != std::string::npos);
}
