#include "profiler/import/readers/readers.h"
#include "tests/profiler/import/nsight_traces.h"
#include "tests/profiler/import/traces.h"

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

// A process of rocprofv3 with F0 and B0 of stage `rank` as ranges of roctx, each with a kernel.
void writeRocpd(const std::filesystem::path& file, int rank, int ranks)
{
    executeSql(file,
               fmt::format(
                   R"(
        CREATE TABLE rocpd_string_ab (id INTEGER PRIMARY KEY, string TEXT);
        INSERT INTO rocpd_string_ab VALUES (1, 'HIP_RUNTIME_API_EXT'), (2, 'hipLaunchKernel'),
            (3, 'MARKER_CORE_RANGE_API'), (4, 'roctxThreadRangeA'), (5, 'KERNEL_DISPATCH'),
            (6, 'HSA_CORE_API'), (7, 'hsa_signal_store');
        CREATE TABLE rocpd_info_node_ab (id INTEGER PRIMARY KEY, hostname TEXT);
        INSERT INTO rocpd_info_node_ab VALUES (1, 'mi300');
        CREATE TABLE rocpd_info_process_ab (id INTEGER PRIMARY KEY, nid INTEGER, environment TEXT);
        INSERT INTO rocpd_info_process_ab VALUES (70, 1, '{{"RANK": "{0}", "WORLD_SIZE": "{1}"}}');
        CREATE TABLE rocpd_info_agent_ab (id INTEGER PRIMARY KEY, type TEXT, type_index INTEGER,
            name TEXT, product_name TEXT);
        INSERT INTO rocpd_info_agent_ab VALUES (1, 'CPU', 0, 'cpu', ''),
            (2, 'GPU', {0}, 'gfx942', 'AMD Instinct MI300X');
        CREATE TABLE rocpd_info_kernel_symbol_ab (id INTEGER PRIMARY KEY, kernel_name TEXT,
            display_name TEXT);
        INSERT INTO rocpd_info_kernel_symbol_ab VALUES (1, 'gemm.kd', 'gemm');
        CREATE TABLE rocpd_event_ab (id INTEGER PRIMARY KEY, category_id INTEGER,
            stack_id INTEGER, extdata TEXT);
        INSERT INTO rocpd_event_ab VALUES (1, 3, 1, '{{"message": "PP:{0}F0"}}'), (2, 1, 2, '{{}}'),
            (3, 3, 3, '{{"message": "PP:{0}B0"}}'), (4, 1, 4, '{{}}'), (5, 5, 2, '{{}}'),
            (6, 5, 4, '{{}}'), (7, 6, 9, '{{}}'), (8, 3, 10, 'no JSON'), (9, 5, 4, '{{}}');
        CREATE TABLE rocpd_region_ab (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER,
            start INTEGER, end INTEGER, name_id INTEGER, event_id INTEGER);
        INSERT INTO rocpd_region_ab VALUES (1, 70, 71, 100, 200, 4, 1), (2, 70, 71, 110, 120, 2, 2),
            (3, 70, 71, 300, 400, 4, 3), (4, 70, 71, 310, 320, 2, 4), (9, 70, 71, 111, 112, 7, 7),
            (10, 70, 71, 500, 501, 4, 8);
        CREATE TABLE rocpd_kernel_dispatch_ab (id INTEGER PRIMARY KEY, pid INTEGER,
            agent_id INTEGER, kernel_id INTEGER, queue_id INTEGER, stream_id INTEGER,
            start INTEGER, end INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER,
            workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER,
            grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER);
        INSERT INTO rocpd_kernel_dispatch_ab VALUES
            (1, 70, 2, 1, 3, 0, 1000, 3000, 0, 256, 1, 1, 1024, 1, 1, 5),
            (2, 70, 2, 1, 3, 0, 3000, 7000, 0, 256, 1, 1, 1024, 1, 1, 6),
            (3, 70, 2, 1, 3, 0, 9000, 8000, 0, 256, 1, 1, 1024, 1, 1, 9);
        CREATE TABLE rocpd_memory_copy_ab (id INTEGER PRIMARY KEY, pid INTEGER, start INTEGER,
            end INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER,
            queue_id INTEGER, stream_id INTEGER, event_id INTEGER);
        INSERT INTO rocpd_memory_copy_ab VALUES (1, 70, 900, 950, 2, 1, 64, 3, 0, 5);)",
                   rank, ranks));
}

} // namespace

TEST_CASE("databases of rocprofv3 become a run with the kernels of every rank")
{
    const TemporaryFolder folder;
    for (const int rank : {0, 1})
        writeRocpd(folder / fmt::format("{}_results.db", 70 + rank), rank, 2);
    const auto imported = importTraces({folder.path()}, Rules::shipped());
    REQUIRE(imported.has_value());
    const Run& run = imported->run;
    const ImportReport& report = *run.info.import;
    CHECK(report.program == "rocprofv3");
    CHECK(report.kernels == 4);
    CHECK(run.schedule.shape.devices == 2);
    CHECK(run.schedule.shape.stages == 2);
    for (const Track& track : run.timeline.tracks)
        if (track.kind == Track::Kind::Compute) {
            REQUIRE(track.spans.size() == 2);
            CHECK(track.spans[0].window().duration() == 2100); // with its copy
            CHECK(track.spans[1].window().duration() == 4000);
        }
}

TEST_CASE("a rank of rocprofv3 has its host, its GPU and its environment's rank")
{
    const TemporaryFolder folder;
    writeRocpd(folder / "a.db", 1, 2);
    const RankTrace rank = readNsight(folder / "a.db", {}, {}).value().front();
    CHECK(rank.host == "mi300");
    CHECK(rank.deviceName == "AMD Instinct MI300X");
    CHECK(rank.rank == 1);
    CHECK(rank.worldSize == 2);
    CHECK(rank.ranges.size() == 2);
    CHECK(rank.gpu.calls.size() == 2);
    CHECK(rank.unreadable == 1);
    REQUIRE(rank.gpu.kernels.size() == 2);
    CHECK(rank.gpu.kernels.front().grid[0] == 4); // work groups
    CHECK(rank.gpu.kernels.front().place.device == 1);
    CHECK(rank.gpu.kernels.front().place.correlation == rank.gpu.calls.front().correlation);
    REQUIRE(rank.gpu.copies.size() == 1);
    CHECK(rank.gpu.copies.front().kind == 1);

    executeSql(folder / "a.db",
               R"(INSERT INTO rocpd_info_agent_ab VALUES (3, 'GPU', 5, 'gfx942', '');
                  UPDATE rocpd_memory_copy_ab SET src_agent_id = 3;
                  UPDATE rocpd_info_process_ab SET environment = '{"WORLD_SIZE": "2147483647"}';)");
    const RankTrace changed = readNsight(folder / "a.db", {}, {}).value().front();
    CHECK_FALSE(changed.worldSize.has_value());
    REQUIRE(changed.gpu.copies.size() == 1);
    CHECK(changed.gpu.copies.front().kind == 10);
    CHECK(changed.gpu.copies.front().sourceDevice == 5);
    CHECK(changed.gpu.copies.front().targetDevice == 1);

    executeSql(folder / "a.db",
               "DELETE FROM rocpd_kernel_dispatch_ab; DELETE FROM rocpd_region_ab");
    CHECK(readNsight(folder / "a.db", {}, {}).error().message.find("record it with rocprofv3")
          != std::string::npos);
    executeSql(folder / "a.db", "DROP TABLE rocpd_event_ab");
    const auto damaged = readNsight(folder / "a.db", {}, {});
    REQUIRE_FALSE(damaged.has_value());
    CHECK(damaged.error().message.find("is not a whole database of rocprofv3")
          != std::string::npos);
}
