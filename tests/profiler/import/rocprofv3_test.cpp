#include "profiler/import/readers/readers.h"
#include "tests/profiler/import/rocprofv3_traces.h"
#include "tests/profiler/import/traces.h"

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

// What an import says of the ranks of rocprofv3 that both formats have.
void checkRank(const RankTrace& rank)
{
    CHECK(rank.host == "mi300");
    CHECK(rank.deviceName == "AMD Instinct MI300X");
    CHECK(rank.rank == 1);
    CHECK(rank.ranges.size() == 2);
    CHECK(rank.text(rank.ranges.front().name) == "PP:1F0");
    CHECK(rank.unreadable == 1);
    REQUIRE(rank.gpu.calls.size() >= 2);
    CHECK(rank.text(rank.gpu.calls.front().name) == "hipLaunchKernel");
    REQUIRE(rank.gpu.kernels.size() >= 2);
    const GpuKernel& kernel = rank.gpu.kernels.front();
    CHECK(rank.text(kernel.name) == "gemm");
    CHECK(kernel.grid[0] == 4); // work groups
    CHECK(kernel.place.device == 1);
    CHECK(kernel.place.correlation == rank.gpu.calls.front().correlation);
    REQUIRE(rank.gpu.copies.size() == 1);
    CHECK(rank.gpu.copies.front().kind == 1);
}

} // namespace

TEST_CASE("JSON of rocprofv3 becomes a run with the kernels of every rank")
{
    const TemporaryFolder folder;
    for (const int rank : {0, 1})
        writeText(folder / fmt::format("{}_results.json", 70 + rank), rocprofJson(rank));
    const Run run = imported(folder).run;
    const ImportReport& report = *run.info.import;
    CHECK(report.program == "rocprofv3");
    CHECK(report.kernels == 6);
    CHECK(run.schedule.shape.stages == 2);
    CHECK(std::ranges::any_of(report.rules, [](const ImportReport::Rule& rule) {
        return rule.name == "nccl-kernel" && rule.matches == 2;
    }));
    for (const Track& track : run.timeline.tracks)
        if (track.kind == Track::Kind::Compute) {
            REQUIRE(track.spans.size() == 2);
            CHECK(track.spans[0].window().duration() == 2100); // with its copy
            CHECK(track.spans[1].window().duration() == 4000);
        }
}

// The rank of a file that could not be read was left out without a word, and the bubble was known.
TEST_CASE("a rank whose JSON is cut is missing, so that the bubble is unknown")
{
    const TemporaryFolder folder;
    writeText(folder / "roc.rank0.json", rocprofJson(0));
    const std::string cut = rocprofJson(1);
    writeText(folder / "roc.rank1.json", cut.substr(0, cut.size() / 2));
    const Run run = imported(folder).run;
    CHECK(run.info.import->missingRanks == std::vector{1});
    CHECK_FALSE(whyUnknown(run.info).empty());
}

TEST_CASE("JSON of rocprofv3 has its host, its GPU and the rank in its name")
{
    const RankTrace rank = readRocprofJson("rank1_results.json", rocprofJson(1)).value().front();
    checkRank(rank);
    CHECK(rank.gpu.kernels.size() == 3);
    CHECK(readRocprofJson("70_results.json", rocprofJson(1)).value().front().rank == std::nullopt);

    const std::string whole = rocprofJson(1);
    const auto error = [](const std::string& json) {
        const auto read = readRocprofJson("a.json", json);
        return read ? "" : read.error().message;
    };
    CHECK(error(whole.substr(0, whole.size() / 2)).find("is truncated or damaged")
          != std::string::npos);
    CHECK(error(R"({"rocprofiler-sdk-tool": []})").find("record it with rocprofv3")
          != std::string::npos);
    CHECK(error(R"({"rocprofiler-sdk-tool": [{"buffer_records": 3}]})").find("neither kernels")
          != std::string::npos);
}

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
    checkRank(rank);
    CHECK(rank.worldSize == 2);
    CHECK(rank.gpu.calls.size() == 2);
    CHECK(rank.gpu.kernels.size() == 2);

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

// Ids of 64 bits lost their upper half, so that a kernel had the call of another one.
TEST_CASE("correlations of rocprofv3 have 64 bits")
{
    constexpr std::uint64_t kFirst = 1'000'000'000'000;
    std::string json = rocprofJson(1);
    for (const int id : {2, 4, 5})
        for (const char* end : {"}", ","}) {
            const std::string from = fmt::format(R"("internal": {}{})", id, end);
            const std::string to = fmt::format(R"("internal": {}{})", kFirst + id, end);
            for (std::size_t at = json.find(from); at != std::string::npos; at = json.find(from))
                json.replace(at, from.size(), to);
        }
    const RankTrace rank = readRocprofJson("rank1_results.json", json).value().front();
    checkRank(rank);
    CHECK(rank.gpu.kernels.front().place.correlation == kFirst + 2);

    const TemporaryFolder folder;
    writeRocpd(folder / "a.db", 1, 2);
    executeSql(folder / "a.db",
               fmt::format("UPDATE rocpd_event_ab SET stack_id = stack_id + {}", kFirst));
    const RankTrace ofDatabase = readNsight(folder / "a.db", {}, {}).value().front();
    checkRank(ofDatabase);
    CHECK(ofDatabase.gpu.kernels.front().place.correlation == kFirst + 2);
}

// A handle above 2^63 was 0, so that two queues were one stream.
TEST_CASE("queues of rocprofv3 differ by all 64 bits of their handles")
{
    std::string json = rocprofJson(1);
    const std::string queue = R"("queue_id": {"handle": 3})";
    json.replace(json.find(queue), queue.size(), R"("queue_id": {"handle": 18446744073709551601})");
    const std::size_t second = json.find(queue);
    json.replace(second, queue.size(), R"("queue_id": {"handle": 18446744073709551602})");
    const auto kernels = readRocprofJson("a.json", json).value().front().gpu.kernels;
    REQUIRE(kernels.size() == 3);
    CHECK(kernels[0].place.stream != kernels[1].place.stream);
    CHECK(kernels[1].place.stream != kernels[2].place.stream);
}
