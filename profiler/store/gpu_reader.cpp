#include "engine/base/try.h"
#include "engine/timeline/kernel_name.h"
#include "profiler/store/gpu_tables.h"
#include "profiler/store/info.h"
#include "profiler/store/metrics.h"
#include "profiler/store/open_file.h"
#include "profiler/store/row_tables.h"
#include "profiler/store/trace_store.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

namespace profiler {
namespace {

using namespace engine;

// Whether the times of a row are in the range that isTime() allows. Does not check their order,
// because a kernel without time stamps can end before it begins.
template<class Row>
bool hasTimes(const Row& row)
{
    if constexpr (requires { row.work; })
        return hasTimes(row.work);
    else if constexpr (requires { row.call; })
        return hasTimes(row.call);
    else if constexpr (requires { row.window; })
        return isTime(row.window.begin) && isTime(row.window.end);
    else if constexpr (requires { row.time; })
        return isTime(row.time);
    else if constexpr (requires { row.start; })
        return isTime(row.start) && isTime(row.end.value_or(0));
    else
        return true;
}

Result<std::string> stringOf(Database& database, std::int64_t id)
{
    return database.text(fmt::format("SELECT value FROM StringIds WHERE id = {}", id));
}

// Reads the rows of a window, table by table.
class GpuReader
{
public:
    using Use = std::function<void(const GpuTrace&)>;

    // If `use` is set, read() passes the rows to it in pieces.
    GpuReader(Database& database, Window window, Use use = {})
        : m_database(database)
        , m_window(window)
        , m_use(std::move(use))
    { }

    // The rows that were not passed to `use`.
    Result<GpuTrace> read()
    {
        TRY(readInto<OfProcess<GpuContext>>(m_trace.contexts, kAll));
        TRY(readInto<OfProcess<GpuStream>>(m_trace.streams, kAll));
        TRY(forEach<StreamNameRow>(kAll, "", "", [&](StreamNameRow& row, OpOfIteration) {
            row.stream.name = text(row.name);
            m_trace.streamNames.push_back(row.stream);
        }));
        TRY(readLaunches());
        TRY(readRanges());
        TRY(forEachLaunched<GpuKernelRow>([&](GpuKernelRow& row, OpOfIteration of) {
            row.work.of = of;
            row.work.name = text(row.mangled);
            m_trace.kernels.push_back(row.work);
        }));
        const auto into = [](auto& all) {
            return [&all](auto& row, OpOfIteration of) { all.emplace_back(row.work).of = of; };
        };
        TRY(forEachLaunched<OfProcess<GpuCopy>>(into(m_trace.copies)));
        TRY(forEachLaunched<OfProcess<GpuMemset>>(into(m_trace.memsets)));
        TRY(forEachLaunched<CallRow>([&](CallRow& row, OpOfIteration of) {
            row.call.of = of;
            row.call.thread = static_cast<std::uint32_t>(row.globalTid & kThreadBits);
            row.call.name = text(row.name);
            m_trace.calls.push_back(row.call);
        }));
        TRY(readInto<OfProcess<GpuWait>>(m_trace.waits, kWithin));
        TRY(readInto<OfProcess<GpuAllocation>>(m_trace.allocations,
                                               "t.start < ?2 AND t.start >= ?1"));
        TRY(readInto<GpuOverhead>(m_trace.overheads, "t.begin < ?2 AND t.\"end\" >= ?1"));
        TRY(readInto<GpuSample>(m_trace.samples, "t.time < ?2 AND t.time >= ?1"));
        TRY(forEachMetric(m_database, [&](std::string_view name, const Statement& row) {
            healthMetrics(m_trace.health, [&](const MetricText& metric, std::int64_t& value) {
                if (metric.name == name)
                    value = row.integer(1);
            });
            return true;
        }));
        return std::move(m_trace);
    }

private:
    // Calls `use(row, of)` for the rows of a table that satisfy `condition`. `of` is the op and the
    // iteration of the row. Does nothing if the table does not exist. The string parameters are SQL
    // fragments in which the table is called t:
    //  * `condition` can use ?1 and ?2, the ends of the window.
    //  * `more` adds the columns of the op and the iteration to the selection: ", l.op,
    //    l.iteration". If it is empty, `of` is unknown.
    //  * `joined` is the JOIN clause of the table that has these columns.
    template<class Row, class Use>
    Result<void> forEach(std::string_view condition, std::string_view more, std::string_view joined,
                         Use use)
    {
        const auto exists = TRY(hasTable(m_database, kTableOf<Row>.name));
        if (!exists)
            return {};
        const auto names = namesOf<Row>("t.");
        auto row = TRY(m_database.prepare(
            fmt::format("SELECT {}{} FROM {} t {} WHERE {} ORDER BY t.rowid",
                        fmt::join(names, ", "), more, kTableOf<Row>.name, joined, condition)));
        row.bind(m_window.begin, m_window.end);
        return readRows<Row>(m_database, row, [&](Row& each, const Statement& statement) {
            if (!hasTimes(each))
                return false;
            OpOfIteration of;
            const int column = names.size();
            if (!more.empty() && !statement.isNull(column))
                of = {static_cast<std::uint32_t>(statement.integer(column)),
                      static_cast<std::uint32_t>(statement.integer(column + 1))};
            use(each, of);
            passPiece();
            return true;
        });
    }
    // Must be called after every row: passes the rows to `use` when a piece is complete.
    void passPiece()
    {
        constexpr int kPiece = 100'000; // rows; about 20 MB
        if (!m_use || ++m_rows < kPiece)
            return;
        m_use(m_trace);
        m_trace = {};
        m_texts.clear();
        m_written.clear();
        m_rows = 0;
    }
    // Reads the work that overlaps the window, with the op that launched it.
    template<class Row, class Use>
    Result<void> forEachLaunched(Use use)
    {
        const auto links = TRY(hasTable(m_database, kTableOf<LaunchRow>.name));
        return forEach<Row>(
            kWithin, links ? ", l.op, l.iteration" : "",
            links ? "LEFT JOIN BS_gpu_launch l ON l.correlation = t.correlationId" : "", use);
    }

    static constexpr std::string_view kAll = "?1 <= ?2";
    static constexpr std::string_view kWithin = "t.start < ?2 AND t.\"end\" >= ?1";
    static constexpr std::int64_t kThreadBits = 0xFFFFFF;

    // Reads a table of which every row, or its work, belongs to `all`.
    template<class Row>
    Result<void> readInto(auto& all, std::string_view condition)
    {
        return forEach<Row>(condition, "", "", [&](Row& row, OpOfIteration) {
            if constexpr (requires { row.work; })
                all.push_back(row.work);
            else
                all.push_back(row);
        });
    }

    // Reads the NVTX ranges of libraries. Ranges of ops are skipped; they have domain 1.
    Result<void> readRanges()
    {
        const auto areLinked = TRY(hasTable(m_database, kTableOf<RangeRow>.name));
        std::unordered_map<int, std::string> domains;
        TRY(forEachRow<NvtxRow>(m_database, "WHERE eventType = 75", [&](NvtxRow& row) {
            domains[row.domain] = row.text;
            return true;
        }));
        const auto number = [](const std::optional<std::int64_t>& value) {
            return static_cast<std::uint32_t>(value.value_or(0));
        };
        return forEach<NvtxRow>(
            fmt::format("{} AND t.domainId <> 1 AND t.eventType IN (59, 60)", kWithin),
            areLinked ? ", r.op, r.iteration" : "",
            areLinked ? "LEFT JOIN BS_gpu_range r ON r.event = t.eventId" : "",
            [&](NvtxRow& row, OpOfIteration of) {
                m_trace.ranges.push_back(
                    {.window = {row.start, row.end.value_or(row.start)},
                     .of = of,
                     .text = text(row.text),
                     .domain = text(domains[row.domain]),
                     .category = number(row.category),
                     .color = number(row.color),
                     .thread = static_cast<std::uint32_t>(number(row.thread) & kThreadBits),
                     .payload = row.payload,
                     .nests = row.type == 59});
            });
    }

    // Reads the launches of ops from their NVTX ranges. In a live or imported run with recorded
    // kernels, such a range has the time of the launch on the host. In other runs it has the time
    // of the execution, so there is nothing to read.
    Result<void> readLaunches()
    {
        const auto areThere = TRY(hasTable(m_database, kTableOf<GpuKernelRow>.name));
        const auto mode = TRY(m_database.text("SELECT mode FROM BS_run"));
        const bool hasLaunches
            = mode == engine::modeName(Mode::Live) || mode == engine::modeName(Mode::Imported);
        if (!areThere || !hasLaunches)
            return {};
        auto row = TRY(m_database.prepare(
            "SELECT t.start, t.\"end\", s.op, s.iteration, t.globalTid FROM NVTX_EVENTS t JOIN "
            "BS_span s ON s.id = t.eventId WHERE t.start < ?2 AND t.\"end\" >= ?1 AND t.domainId = "
            "1 "
            "AND (t.start <> s.begin OR t.\"end\" <> s.\"end\") ORDER BY t.start"));
        row.bind(m_window.begin, m_window.end);
        return row.forEach([&](const Statement& values) -> Result<void> {
            const GpuOpLaunch launch{{values.integer(0), values.integer(1)},
                                     OpOfIteration{static_cast<std::uint32_t>(values.integer(2)),
                                                   static_cast<std::uint32_t>(values.integer(3))},
                                     static_cast<std::uint32_t>(values.integer(4) & kThreadBits)};
            if (!hasTimes(launch))
                return tl::unexpected(m_database.damaged("NVTX_EVENTS, launch of an op"));
            m_trace.launches.push_back(launch);
            passPiece();
            return {};
        });
    }

    std::uint32_t text(const std::string& value)
    {
        const std::uint32_t next = m_trace.strings.size();
        const auto [known, isNew] = m_written.try_emplace(value, next);
        if (isNew)
            m_trace.strings.push_back(value);
        return known->second;
    }

    std::uint32_t text(std::int64_t id)
    {
        const std::uint32_t next = m_trace.strings.size();
        const auto [known, isNew] = m_texts.try_emplace(id, next);
        if (isNew)
            m_trace.strings.push_back(stringOf(m_database, id).value_or("?"));
        return known->second;
    }

    Database& m_database;
    Window m_window;
    Use m_use;
    GpuTrace m_trace;
    int m_rows = 0; // number of rows in m_trace; counted only if m_use is set
    // Maps StringIds.id to an index in GpuTrace::strings.
    std::unordered_map<std::int64_t, std::uint32_t> m_texts;
    std::unordered_map<std::string, std::uint32_t> m_written; // strings without an id
};

} // namespace

Result<void> readKernelTimes(Database& database, Run& run)
{
    const auto known = TRY(hasTable(database, kTableOf<GpuKernelRow>.name));
    if (!known || !run.info.import || !run.info.import->onGpu)
        return {};
    std::vector<KernelTimes> times(static_cast<std::size_t>(run.schedule.shape.devices));
    std::unordered_map<std::int64_t, bool> messages; // by id of the name
    TRY(database.forEach(
        fmt::format("SELECT start, \"end\", deviceId, mangledName FROM {}",
                    kTableOf<GpuKernelRow>.name),
        [&](const Statement& row) -> Result<void> {
            const Window window{row.integer(0), row.integer(1)};
            const std::int64_t device = row.integer(2), name = row.integer(3);
            if (!isWindow(window) || device < 0 || device >= std::ssize(times))
                return tl::unexpected(database.damaged("CUPTI_ACTIVITY_KIND_KERNEL, a kernel"));
            const auto [isMessage, isNew] = messages.try_emplace(name, false);
            if (isNew)
                isMessage->second = communicates(stringOf(database, name).value_or(""));
            times[static_cast<std::size_t>(device)].add(isMessage->second, window);
            return {};
        }));
    run.timeline.kernels = unite(std::move(times));
    return {};
}

Result<GpuTrace> readGpuTrace(const std::filesystem::path& file, Window window)
{
    auto open = TRY(openFile(file));
    return GpuReader(open.database, window).read();
}

Result<void> readGpuPieces(const std::filesystem::path& file,
                           const std::function<void(const GpuTrace&)>& use)
{
    auto open = TRY(openFile(file));
    constexpr Window kWhole{std::numeric_limits<std::int64_t>::min(),
                            std::numeric_limits<std::int64_t>::max()};
    return GpuReader(open.database, kWhole, use).read().map(use);
}

} // namespace profiler
