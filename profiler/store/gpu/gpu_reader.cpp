#include "profiler/store/gpu/gpu_tables.h"
#include "profiler/store/open_file.h"
#include "profiler/store/trace_store.h"

#include <fmt/format.h>

#include <unordered_map>

namespace profiler {
namespace {

using namespace engine;

// Nsight Systems counts memory kinds from 0, CUPTI from 1.
std::uint8_t memoryKind(std::int64_t nsight)
{
    return nsight < 0 || nsight >= 7 ? 0 : static_cast<std::uint8_t>(nsight + 1);
}

template<class Number = std::uint32_t>
Number number(const Statement& row, int column)
{
    return static_cast<Number>(row.integer(column));
}

// Asks table after table for the rows of a window.
class GpuReader
{
public:
    GpuReader(Database& database, Window window)
        : m_database(database)
        , m_window(window)
    { }

    Result<GpuTrace> read()
    {
        const auto done = readKernels()
                              .and_then([&] { return readCopies(); })
                              .and_then([&] { return readMemsets(); })
                              .and_then([&] { return readCalls(); })
                              .and_then([&] { return readWaits(); })
                              .and_then([&] { return readAllocations(); })
                              .and_then([&] { return readOverheads(); })
                              .and_then([&] { return readPlaces(); })
                              .and_then([&] { return readStreamNames(); })
                              .and_then([&] { return readRanges(); })
                              .and_then([&] { return readLaunches(); })
                              .and_then([&] { return readSamples(); })
                              .and_then([&] { return readHealth(); });
        if (!done)
            return tl::unexpected(done.error());
        return std::move(m_trace);
    }

private:
    // `condition` about ?1 and ?2, the window.
    template<class Use>
    Result<void> forEach(std::string_view table, std::string_view columns,
                         std::string_view condition, Use use)
    {
        const auto exists = hasTable(m_database, table);
        if (!exists || !*exists)
            return exists.map([](bool) {});
        const bool linked = columns.find("l.op") != std::string_view::npos;
        auto row = m_database.prepare(fmt::format(
            "SELECT {} FROM {} t {} WHERE {} ORDER BY t.rowid", columns, table,
            linked ? "LEFT JOIN BS_gpu_launch l ON l.correlation = t.correlationId" : "",
            condition));
        if (!row)
            return tl::unexpected(row.error());
        row->bind(m_window.begin, m_window.end);
        while (row->next())
            use(*row);
        return row->failed() ? tl::unexpected(m_database.error()) : Result<void>();
    }

    static constexpr std::string_view kWithin = "t.start < ?2 AND t.\"end\" >= ?1";
    static constexpr std::string_view kPlace
        = "t.start, t.\"end\", t.deviceId, t.contextId, t.streamId, t.correlationId";

    template<class Row>
    static Row placed(const Statement& row)
    {
        Row result;
        result.window = {row.integer(0), row.integer(1)};
        result.place = {number(row, 2), number(row, 3), number(row, 4), number(row, 5)};
        return result;
    }
    static OpOfIteration linked(const Statement& row, int column)
    {
        return row.isNull(column) ? OpOfIteration{}
                                  : OpOfIteration{number(row, column), number(row, column + 1)};
    }

    Result<void> readKernels()
    {
        return forEach(
            kKernelTable.name,
            fmt::format("{}, l.op, l.iteration, t.mangledName, t.gridX, t.gridY, t.gridZ, "
                        "t.blockX, t.blockY, t.blockZ, t.registersPerThread, "
                        "t.staticSharedMemory, t.dynamicSharedMemory, t.localMemoryPerThread, "
                        "t.gridId, t.graphNodeId",
                        kPlace),
            kWithin, [&](const Statement& row) {
                auto kernel = placed<GpuKernel>(row);
                kernel.of = linked(row, 6);
                kernel.name = text(row.integer(8));
                for (int i = 0; i < 3; ++i) {
                    kernel.grid[static_cast<std::size_t>(i)] = number<int>(row, 9 + i);
                    kernel.block[static_cast<std::size_t>(i)] = number<int>(row, 12 + i);
                }
                kernel.registers = number(row, 15);
                kernel.staticShared = number<int>(row, 16);
                kernel.dynamicShared = number<int>(row, 17);
                kernel.localPerThread = number(row, 18);
                kernel.gridId = row.integer(19);
                kernel.graphNode = number<std::uint64_t>(row, 20);
                m_trace.kernels.push_back(kernel);
            });
    }

    Result<void> readCopies()
    {
        return forEach(kCopyTable.name,
                       fmt::format("{}, l.op, l.iteration, t.bytes, t.copyKind, t.srcKind, "
                                   "t.dstKind, t.srcDeviceId, t.dstDeviceId, t.graphNodeId",
                                   kPlace),
                       kWithin, [&](const Statement& row) {
                           auto copy = placed<GpuCopy>(row);
                           copy.of = linked(row, 6);
                           copy.bytes = number<std::uint64_t>(row, 8);
                           copy.kind = number<std::uint8_t>(row, 9);
                           copy.sourceMemory = memoryKind(row.integer(10));
                           copy.targetMemory = memoryKind(row.integer(11));
                           copy.sourceDevice = number(row, 12);
                           copy.targetDevice = number(row, 13);
                           copy.graphNode = number<std::uint64_t>(row, 14);
                           m_trace.copies.push_back(copy);
                       });
    }

    Result<void> readMemsets()
    {
        return forEach(kMemsetTable.name,
                       fmt::format("{}, l.op, l.iteration, t.value, t.bytes, t.memKind, "
                                   "t.graphNodeId",
                                   kPlace),
                       kWithin, [&](const Statement& row) {
                           auto set = placed<GpuMemset>(row);
                           set.of = linked(row, 6);
                           set.value = number(row, 8);
                           set.bytes = number<std::uint64_t>(row, 9);
                           set.memory = memoryKind(row.integer(10));
                           set.graphNode = number<std::uint64_t>(row, 11);
                           m_trace.memsets.push_back(set);
                       });
    }

    Result<void> readCalls()
    {
        return forEach(kCallTable.name,
                       "t.start, t.\"end\", t.eventClass, t.globalTid, t.correlationId, t.nameId, "
                       "t.returnValue, l.op, l.iteration",
                       kWithin, [&](const Statement& row) {
                           GpuCall call;
                           call.window = {row.integer(0), row.integer(1)};
                           call.isDriver = row.integer(2) != 0;
                           call.thread = static_cast<std::uint32_t>(row.integer(3) & kThreadBits);
                           call.correlation = number(row, 4);
                           call.name = text(row.integer(5));
                           call.result = number(row, 6);
                           call.of = linked(row, 7);
                           m_trace.calls.push_back(call);
                       });
    }

    Result<void> readWaits()
    {
        return forEach(kWaitTable.name,
                       fmt::format("{}, t.syncType, t.eventId, t.eventSyncId", kPlace), kWithin,
                       [&](const Statement& row) {
                           auto wait = placed<GpuWait>(row);
                           wait.type = number(row, 6);
                           wait.event = number(row, 7);
                           wait.eventSync = number<std::uint64_t>(row, 8);
                           m_trace.waits.push_back(wait);
                       });
    }

    Result<void> readAllocations()
    {
        return forEach(
            kAllocationTable.name,
            "t.start, t.deviceId, t.contextId, t.streamId, t.correlationId, t.address, "
            "t.bytes, t.memKind, t.memoryOperationType",
            "t.start < ?2 AND t.start >= ?1", [&](const Statement& row) {
                GpuAllocation event;
                event.time = row.integer(0);
                event.place = {number(row, 1), number(row, 2), number(row, 3), number(row, 4)};
                event.address = number<std::uint64_t>(row, 5);
                event.bytes = number<std::uint64_t>(row, 6);
                event.memory = memoryKind(row.integer(7));
                event.isFree = row.integer(8) != 0;
                m_trace.allocations.push_back(event);
            });
    }

    Result<void> readOverheads()
    {
        return forEach(
            kOverheadTable.name, "t.begin, t.\"end\", t.kind", "t.begin < ?2 AND t.\"end\" >= ?1",
            [&](const Statement& row) {
                m_trace.overheads.push_back({{row.integer(0), row.integer(1)}, number(row, 2)});
            });
    }

    Result<void> readStreamNames()
    {
        return forEach(kStreamNameTable.name, "t.name, t.streamId, t.contextId, t.deviceId", kAll,
                       [&](const Statement& row) {
                           m_trace.streamNames.push_back({text(std::string(row.text(0))),
                                                          number(row, 1), number(row, 2),
                                                          number(row, 3)});
                       });
    }

    // Those of libraries: ops have the domain 1.
    Result<void> readRanges()
    {
        const auto areLinked = hasTable(m_database, kRangeTable.name);
        if (!areLinked)
            return tl::unexpected(areLinked.error());
        const auto ofOp = [&](std::string_view column) {
            return *areLinked ? fmt::format("(SELECT r.{} FROM BS_gpu_range r WHERE r.event = "
                                            "t.eventId)",
                                            column)
                              : std::string("NULL");
        };
        constexpr std::string_view kOfLibraries
            = "t.start < ?2 AND t.\"end\" >= ?1 AND t.domainId <> 1 AND t.eventType IN (59, 60)";
        return forEach("NVTX_EVENTS",
                       fmt::format("t.start, t.\"end\", t.eventType, t.category, t.color, t.text, "
                                   "t.globalTid, t.int64Value, (SELECT d.text FROM NVTX_EVENTS d "
                                   "WHERE d.eventType = 75 AND d.domainId = t.domainId), {}, {}",
                                   ofOp("op"), ofOp("iteration")),
                       kOfLibraries, [&](const Statement& row) {
                           GpuRange range;
                           range.window = {row.integer(0), row.integer(1)};
                           range.nests = row.integer(2) == 59;
                           range.category = number(row, 3);
                           range.color = number(row, 4);
                           range.text = text(std::string(row.text(5)));
                           range.thread = static_cast<std::uint32_t>(row.integer(6) & kThreadBits);
                           if (!row.isNull(7))
                               range.payload = row.integer(7);
                           range.domain = text(std::string(row.text(8)));
                           range.of = linked(row, 9);
                           m_trace.ranges.push_back(range);
                       });
    }

    // Where kernels of a live run were recorded, the ranges of ops stand where the host launched
    // them, not where they ran.
    Result<void> readLaunches()
    {
        const auto areThere = hasTable(m_database, kKernelTable.name);
        const auto mode = m_database.text("SELECT mode FROM BS_run");
        if (!areThere || !mode)
            return tl::unexpected(m_database.error());
        if (!*areThere || *mode != engine::modeName(Mode::Live))
            return {};
        auto row = m_database.prepare(
            "SELECT t.start, t.\"end\", s.op, s.iteration, t.globalTid FROM NVTX_EVENTS t JOIN "
            "BS_span s ON s.id = t.eventId WHERE t.start < ?2 AND t.\"end\" >= ?1 AND t.domainId = "
            "1 "
            "AND (t.start <> s.begin OR t.\"end\" <> s.\"end\") ORDER BY t.start");
        if (!row)
            return tl::unexpected(row.error());
        row->bind(m_window.begin, m_window.end);
        while (row->next())
            m_trace.launches.push_back({{row->integer(0), row->integer(1)},
                                        linked(*row, 2),
                                        static_cast<std::uint32_t>(row->integer(4) & kThreadBits)});
        return row->failed() ? tl::unexpected(m_database.error()) : Result<void>();
    }

    Result<void> readSamples()
    {
        return forEach(kSampleTable.name,
                       "t.time, t.device, t.sm_clock, t.memory_clock, t.power, t.temperature, "
                       "t.throttle",
                       "t.time < ?2 AND t.time >= ?1", [&](const Statement& row) {
                           m_trace.samples.push_back(
                               {row.integer(0), number(row, 1), number(row, 2), number(row, 3),
                                number(row, 4), number(row, 5), number<std::uint64_t>(row, 6)});
                       });
    }

    static constexpr std::string_view kAll = "?1 <= ?2";
    static constexpr std::int64_t kThreadBits = 0xFFFFFF;

    Result<void> readPlaces()
    {
        return forEach(kContextTable.name,
                       "t.contextId, t.deviceId, t.parentContextId, t.numMultiprocessors, "
                       "t.isGreenContext",
                       kAll,
                       [&](const Statement& row) {
                           m_trace.contexts.push_back({number(row, 0), number(row, 1),
                                                       number(row, 2), number(row, 3),
                                                       row.integer(4) != 0});
                       })
            .and_then([&] {
                return forEach(
                    kStreamTable.name, "t.streamId, t.contextId, t.priority", kAll,
                    [&](const Statement& row) {
                        m_trace.streams.push_back({number(row, 0), number(row, 1), number(row, 2)});
                    });
            });
    }

    Result<void> readHealth()
    {
        GpuTraceHealth& health = m_trace.health;
        const std::pair<std::string_view, std::int64_t*> numbers[] = {
            {"gpu_records_dropped", &health.dropped},
            {"gpu_kernels_without_op", &health.withoutOp},
            {"gpu_kernels_without_time", &health.withoutTime},
            {"gpu_records_unknown", &health.unknown},
            {"gpu_buffers_declined", &health.declinedBuffers},
        };
        for (const auto& [name, value] : numbers) {
            const auto stored = m_database.integer(
                fmt::format("SELECT value FROM BS_metric WHERE name = '{}'", name));
            if (!stored)
                return tl::unexpected(stored.error());
            *value = *stored;
        }
        return {};
    }

    std::uint32_t text(const std::string& value)
    {
        const auto next = static_cast<std::uint32_t>(m_trace.strings.size());
        const auto [known, isNew] = m_written.try_emplace(value, next);
        if (isNew)
            m_trace.strings.push_back(value);
        return known->second;
    }

    std::uint32_t text(std::int64_t id)
    {
        const auto next = static_cast<std::uint32_t>(m_trace.strings.size());
        const auto [known, isNew] = m_texts.try_emplace(id, next);
        if (isNew)
            m_trace.strings.push_back(
                m_database.text(fmt::format("SELECT value FROM StringIds WHERE id = {}", id))
                    .value_or("?"));
        return known->second;
    }

    Database& m_database;
    Window m_window;
    GpuTrace m_trace;
    std::unordered_map<std::int64_t, std::uint32_t> m_texts;  // StringIds.id -> place in strings
    std::unordered_map<std::string, std::uint32_t> m_written; // of those that no id stands for
};

} // namespace

Result<GpuTrace> readGpuTrace(const std::filesystem::path& file, Window window)
{
    auto open = openFile(file);
    if (!open)
        return tl::unexpected(open.error());
    return GpuReader(open->database, window).read();
}

} // namespace profiler
