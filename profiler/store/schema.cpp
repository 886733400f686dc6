#include "profiler/store/schema.h"

#include "profiler/store/gpu_tables.h"
#include "profiler/store/row_tables.h"
#include "profiler/store/run_tables.h"

#include <array>

namespace profiler {
namespace {

using namespace engine;

template<class... Row>
struct Tables
{
    static Result<void> create(Database& database)
    {
        Result<void> made;
        ((made = made.and_then([&] { return createTable<Row>(database); })), ...);
        return made;
    }
    static std::vector<TableDescription> describe()
    {
        return {TableDescription{kTableOf<Row>, columnsOf<Row>()}...};
    }
};

using OfEveryRun
    = Tables<RunInfo, ExperimentRow, MetricRow, Schedule, PlacementRow, DeviceRow, ScheduleRow,
             TrackRow, IterationRow, LossRow, SpanRow, MemoryRow, OpRow, NumberRow<kCategories>,
             NvtxRow, NumberRow<kEventTypes>, StringRow, ThreadRow, ProcessRow, AnalysisRow,
             StartRow, SystemRow, CaptureRow, ExportRow>;
// Tables that are created with their first row.
using OfSomeRuns
    = Tables<Note, SourceRow, ReportRow, MatchRow, SettingRow, PeerRow, GpuSample, LaunchRow,
             RangeRow, GpuOverhead, GpuRow, CudaDeviceRow, GpuKernelRow, OfProcess<GpuCopy>,
             OfProcess<GpuMemset>, CallRow, OfProcess<GpuWait>, OfProcess<GpuAllocation>,
             OfProcess<GpuContext>, OfProcess<GpuStream>, StreamNameRow, NumberRow<kCopyKinds>,
             NumberRow<kMemKinds>, NumberRow<kCallKinds>, NumberRow<kWaitKinds>,
             NumberRow<kAllocationKinds>>;

std::vector<NumberRow<kCategories>> categoryRows()
{
    constexpr std::array<const char*, kMemoryCategories> kNames{"WEIGHTS", "GRADIENTS", "OPTIMIZER",
                                                                "STASH",   "BUFFERS",   "UNKNOWN"};
    std::vector<NumberRow<kCategories>> rows;
    for (int i = 0; i < kMemoryCategories; ++i)
        rows.push_back(
            {i, kNames[i], std::string(memoryCategoryName(static_cast<MemoryCategory>(i)))});
    return rows;
}

} // namespace

Result<void> createTables(Database& database)
{
    TRY(database.execute(
        fmt::format("PRAGMA application_id={}; PRAGMA user_version={};", kApplicationId, kFormat)));
    TRY(OfEveryRun::create(database));
    TRY(writeRows(database, categoryRows()));
    return writeRows<NumberRow<kEventTypes>>(database,
                                             {{33, "NvtxCategory", "NVTX category"},
                                              {34, "NvtxMark", "NVTX mark"},
                                              {39, "NvtxThread", "NVTX thread"},
                                              {59, "NvtxPushPopRange", "NVTX push/pop range"},
                                              {60, "NvtxStartEndRange", "NVTX start/end range"},
                                              {75, "NvtxDomainCreate", "NVTX domain create"},
                                              {76, "NvtxDomainDestroy", "NVTX domain destroy"}});
}

std::vector<TableDescription> allTables()
{
    auto all = OfEveryRun::describe();
    for (const TableDescription& table : OfSomeRuns::describe())
        all.push_back(table);
    return all;
}

Result<bool> hasTable(Database& database, std::string_view table)
{
    return database
        .integer(fmt::format(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '{}'", table))
        .map([](std::int64_t count) { return count > 0; });
}

} // namespace profiler
