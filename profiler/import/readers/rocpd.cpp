#include "engine/base/text.h"
#include "engine/base/try.h"
#include "profiler/import/readers/sql_reader.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

constexpr std::string_view kDispatches = "rocpd_kernel_dispatch";
constexpr std::size_t kMostHost = 256;

// Reads a database of rocprofv3, as ROCm's rocpd_tables.sql (schema 3) defines it. The tables of
// each process have its UUID in their names.
class RocpdReader : SqlReader
{
public:
    RocpdReader(Database& database, const ImportProgress& progress,
                const OnImportProgress& onProgress)
        : SqlReader(database, progress, onProgress)
    { }

    Result<std::vector<RankTrace>> read()
    {
        std::vector<std::string> uuids;
        auto tables
            = TRY(m_database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' "
                                     "AND name LIKE 'rocpd!_kernel!_dispatch%' ESCAPE '!'"));
        while (tables.next())
            uuids.emplace_back(tables.text(0).substr(kDispatches.size()));
        for (const std::string& uuid : uuids) {
            m_uuid = uuid;
            for (const auto part : {&RocpdReader::readProcesses, &RocpdReader::readKernels,
                                    &RocpdReader::readCopies, &RocpdReader::readRegions})
                TRY((this->*part)());
        }
        auto ranks = ranksOf(m_processes, "rocprofv3", [](const RankTrace& trace) {
            return !trace.gpu.kernels.empty() || !trace.ranges.empty();
        });
        if (ranks.empty())
            return fail(Error::Code::NotFound,
                        m_progress.file
                            + " has neither kernels nor ranges of roctx; record it with rocprofv3 "
                              "--hip-trace --kernel-trace --marker-trace");
        return ranks;
    }

private:
    struct Process
    {
        RankTrace trace;
        std::map<std::int64_t, std::uint32_t> threads;                          // by TID
        std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> streams; // and queue
    };

    // Launchers pass the rank in one of these variables.
    Result<void> readProcesses()
    {
        const auto variable = [](const char* name) {
            return fmt::format("CASE WHEN json_valid(p.environment) THEN "
                               "json_extract(p.environment, '$.{}') END",
                               name);
        };
        return forEach(
            fmt::format("SELECT p.id, n.hostname, coalesce({}, {}, {}), coalesce({}, {}, {}) FROM "
                        "rocpd_info_process@ p LEFT JOIN rocpd_info_node@ n ON n.id = p.nid",
                        variable("RANK"), variable("OMPI_COMM_WORLD_RANK"),
                        variable("SLURM_PROCID"), variable("WORLD_SIZE"),
                        variable("OMPI_COMM_WORLD_SIZE"), variable("SLURM_NTASKS")),
            [&](const Statement& row) {
                RankTrace& trace = process(row.integer(0)).trace;
                trace.host = row.text(1).substr(0, kMostHost);
                trace.rank = rankIn(row.text(2));
                trace.worldSize = rankIn(row.text(3));
            });
    }
    Result<void> readKernels()
    {
        return forEach(
            "SELECT d.start, d.\"end\", d.pid, a.type_index, d.stream_id, d.queue_id, e.stack_id, "
            "coalesce(k.display_name, k.kernel_name), d.grid_size_x, d.grid_size_y, d.grid_size_z, "
            "d.workgroup_size_x, d.workgroup_size_y, d.workgroup_size_z, d.group_segment_size, "
            "coalesce(nullif(a.product_name, ''), a.name) FROM rocpd_kernel_dispatch@ d "
            "LEFT JOIN rocpd_event@ e ON e.id = d.event_id "
            "LEFT JOIN rocpd_info_kernel_symbol@ k ON k.id = d.kernel_id "
            "LEFT JOIN rocpd_info_agent@ a ON a.id = d.agent_id",
            timed([&](const Statement& row, Window when) {
                GpuKernel kernel;
                kernel.window = when;
                kernel.place = place(row);
                kernel.name = textOf(row.text(7));
                for (std::size_t i = 0; i < 3; ++i) {
                    (void)row.get(8 + static_cast<int>(i), kernel.grid[i]);
                    (void)row.get(11 + static_cast<int>(i), kernel.block[i]);
                    if (kernel.block[i] > 0) // a grid of HIP counts threads
                        kernel.grid[i] /= kernel.block[i];
                }
                (void)row.get(14, kernel.staticShared);
                RankTrace& trace = process(row.integer(2)).trace;
                trace.deviceName = row.text(15).substr(0, kMostHost);
                trace.gpu.kernels.push_back(kernel);
            }));
    }
    Result<void> readCopies()
    {
        return forEach(
            "SELECT c.start, c.\"end\", c.pid, coalesce(CASE d.type WHEN 'GPU' THEN d.type_index "
            "END, s.type_index), c.stream_id, c.queue_id, e.stack_id, c.size, s.type = 'GPU', "
            "d.type = 'GPU', c.src_agent_id = c.dst_agent_id, s.type_index, d.type_index FROM "
            "rocpd_memory_copy@ c "
            "LEFT JOIN rocpd_event@ e ON e.id = c.event_id "
            "LEFT JOIN rocpd_info_agent@ s ON s.id = c.src_agent_id "
            "LEFT JOIN rocpd_info_agent@ d ON d.id = c.dst_agent_id",
            timed([&](const Statement& row, Window when) {
                const bool isFromGpu = row.integer(8) == 1, isToGpu = row.integer(9) == 1;
                GpuCopy copy;
                copy.window = when;
                copy.place = place(row);
                (void)row.get(7, copy.bytes);
                copy.kind = isFromGpu && isToGpu ? (row.integer(10) == 1 ? 8 : 10)
                    : isFromGpu                  ? 2
                    : isToGpu                    ? 1
                                                 : 0;
                copy.sourceDevice = copy.targetDevice = copy.place.device;
                if (copy.kind == 10) {
                    (void)row.get(11, copy.sourceDevice);
                    (void)row.get(12, copy.targetDevice);
                }
                process(row.integer(2)).trace.gpu.copies.push_back(copy);
            }));
    }
    // Markers of roctx are ranges, whose text is in their event, and functions of HIP are calls.
    Result<void> readRegions()
    {
        return forEach(
            "SELECT r.start, r.\"end\", r.pid, r.tid, e.stack_id, n.string, c.string, "
            "CASE WHEN json_valid(e.extdata) THEN json_extract(e.extdata, '$.message') END "
            "FROM rocpd_region@ r JOIN rocpd_event@ e ON e.id = r.event_id "
            "JOIN rocpd_string@ n ON n.id = r.name_id JOIN rocpd_string@ c ON c.id = e.category_id "
            "WHERE c.string LIKE 'MARKER%' OR c.string LIKE 'HIP%'",
            timed([&](const Statement& row, Window when) {
                Process& of = process(row.integer(2));
                if (row.text(6).starts_with("HIP")) {
                    GpuCall call;
                    call.window = when;
                    call.thread = thread(of, row.integer(3));
                    (void)row.get(4, call.correlation);
                    call.name = textOf(row.text(5));
                    of.trace.gpu.calls.push_back(call);
                } else if (!row.isNull(7)) {
                    HostRange range{when};
                    range.name = textOf(row.text(7));
                    range.thread = thread(of, row.integer(3));
                    of.trace.ranges.push_back(range);
                }
            }));
    }

    // Each @ of `sql` stands for the UUID in the names of the tables.
    template<class Use>
    Result<void> forEach(const std::string& sql, Use use)
    {
        std::string named;
        for (const char c : sql)
            named += c == '@' ? m_uuid : std::string(1, c);
        auto row = m_database.prepare(named);
        if (!row)
            return fail(Error::Code::Corrupt, "{} is not a whole database of rocprofv3: {}",
                        m_progress.file, row.error().message);
        return forEachRowOf(*row, use);
    }
    Process& process(std::int64_t pid) { return m_processes[{m_uuid, pid}]; }
    std::uint32_t thread(Process& of, std::int64_t tid)
    {
        const auto [at, isNew]
            = of.threads.emplace(tid, static_cast<std::uint32_t>(of.trace.threads.size()));
        if (isNew)
            of.trace.threads.push_back(fmt::format("thread {}", tid));
        return at->second;
    }
    // Reads columns 2 to 6. Without stream tracing all streams are 0, so that only work of one
    // queue is in order.
    GpuPlace place(const Statement& row)
    {
        Process& of = process(row.integer(2));
        GpuPlace place;
        (void)row.get(3, place.device);
        place.stream = of.streams
                           .emplace(std::pair(row.integer(4), row.integer(5)),
                                    static_cast<std::uint32_t>(of.streams.size()))
                           .first->second;
        (void)row.get(6, place.correlation);
        return place;
    }
    std::string m_uuid;
    std::map<std::pair<std::string, std::int64_t>, Process> m_processes; // by UUID and PID
};

} // namespace

Result<bool> isRocpd(Database& database)
{
    auto tables = TRY(database.prepare("SELECT 1 FROM sqlite_master WHERE name LIKE 'rocpd!_%' "
                                       "ESCAPE '!' LIMIT 1"));
    return tables.next();
}

Result<std::vector<RankTrace>> readRocpd(Database& database, const ImportProgress& progress,
                                         const OnImportProgress& onProgress)
{
    return RocpdReader(database, progress, onProgress).read();
}

} // namespace profiler
