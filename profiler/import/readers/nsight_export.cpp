#include "engine/base/text.h"
#include "engine/base/try.h"
#include "profiler/import/readers/sql_reader.h"
#include "profiler/store/open_file.h"
#include "profiler/store/row_tables.h"
#include "profiler/store/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace profiler {

using namespace engine;
namespace fs = std::filesystem;

namespace {

// Names in exports of Nsight Systems.

// PyTorch's emit_nvtx() appends ", seq = 3, op_id = 7, sizes = [...]" to the name of every op and
// annotation. Rules match the name alone.
std::string_view withoutOpNumbers(std::string_view text)
{
    for (const std::string_view part : {", seq = ", ", op_id = ", ", sizes = "})
        text = text.substr(0, text.find(part));
    return text;
}

// The rank in the name that Nsight Systems gives to the thread of an MPI rank: "MPI Rank 3".
std::optional<int> mpiRank(std::string_view thread)
{
    constexpr std::string_view kBefore = "MPI Rank ";
    return thread.starts_with(kBefore) ? rankIn(thread.substr(kBefore.size())) : std::nullopt;
}

// The columns that all tables of GPU work have, and then `more`.
std::vector<std::string> workColumns(std::initializer_list<const char*> more)
{
    std::vector<std::string> all{"start",    "end",           "deviceId", "contextId",
                                 "streamId", "correlationId", "globalPid"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

struct NsightGpus
{
    std::map<std::int64_t, std::string> names; // by TARGET_INFO_GPU.id
    // CUDA numbers the GPUs that a process sees: PID and that number -> TARGET_INFO_GPU.id.
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> ofProcess;

    // The name of a GPU of a process by its number in that process; "" if it is unknown.
    std::string nameOf(std::int64_t globalPid, std::int64_t device) const
    {
        const std::int64_t pid = globalPid >> 24 & 0xFFFFFF;
        const auto seen = ofProcess.find({pid, device});
        if (const auto named = names.find(seen != ofProcess.end() ? seen->second : device);
            named != names.end())
            return named->second;
        const bool isOneKind = !names.empty() && std::ranges::all_of(names, [&](const auto& each) {
            return each.second == names.begin()->second;
        });
        return isOneKind ? names.begin()->second : "";
    }
};

// Sorts the processes of a file by their GPUs if each has another one: launchers start local rank r
// on GPU r, but PIDs need not be in the order of the ranks.
void sortByGpu(std::vector<RankTrace>& ranks)
{
    const auto gpuOf = [](const RankTrace& rank) {
        return rank.gpu.kernels.empty() ? 0 : rank.gpu.kernels.front().place.device;
    };
    std::set<std::uint32_t> gpus;
    for (const RankTrace& rank : ranks)
        gpus.insert(gpuOf(rank));
    if (gpus.size() == ranks.size())
        std::ranges::stable_sort(ranks, {}, gpuOf);
}

constexpr std::int64_t kProcessMask = ~std::int64_t{0xFFFFFF}; // globalTid -> globalPid

Result<std::set<std::string>> columnsOfTable(Database& database, std::string_view table)
{
    std::set<std::string> columns;
    auto row = TRY(database.prepare("SELECT name FROM pragma_table_info(?1)"));
    row.bind(table);
    while (row.next())
        columns.emplace(row.text(0));
    return row.failed() ? tl::unexpected(database.error()) : Result<std::set<std::string>>(columns);
}

class NsightReader : SqlReader
{
public:
    NsightReader(Database& database, ImportProgress progress, const OnImportProgress& onProgress)
        : SqlReader(database, std::move(progress), onProgress)
    {
        m_first = m_progress.bytes;
        std::error_code ignored;
        if (m_progress.file == database.file())
            m_size = static_cast<std::int64_t>(fs::file_size(database.file(), ignored));
    }

    Result<std::vector<RankTrace>> read()
    {
        if (hasTable(m_database, "BS_run").value_or(false))
            return fail(Error::Code::Unsupported,
                        "{} is a run of Bubblescope and not a trace: open it with "
                        "bubblescope, or read it with bscope analyze",
                        m_progress.file);
        TRY(refuseStudyResults(m_database, m_progress.file));
        if (!hasTable(m_database, "StringIds").value_or(false))
            return fail(Error::Code::Unsupported,
                        "{} is not an export of Nsight Systems: it has no table StringIds; "
                        "export the report with nsys export --type sqlite",
                        m_progress.file);
        m_findName = TRY(m_database.prepare("SELECT value FROM StringIds WHERE id = ?1"));
        TRY(readSession());
        int step = 0;
        for (const auto part :
             {&NsightReader::readKernels, &NsightReader::readCopies, &NsightReader::readMemsets,
              &NsightReader::readCalls, &NsightReader::readRanges, &NsightReader::readAllocations,
              &NsightReader::readNames}) {
            constexpr int kSteps = 7;
            m_progress.bytes = m_first + m_size * step++ / kSteps;
            TRY((this->*part)());
        }
        bool onGpu = false;
        for (auto& [globalPid, of] : m_processes)
            if (const auto& kernels = of.trace.gpu.kernels; !kernels.empty()) {
                onGpu = true;
                of.trace.deviceName = m_gpus.nameOf(globalPid, kernels.front().place.device);
            }
        auto ranks = ranksOf(m_processes, m_program.empty() ? "Nsight Systems" : m_program,
                             [onGpu](const RankTrace& trace) {
                                 // A process that called CUDA and has ranges may be a rank whose
                                 // kernels are missing.
                                 return onGpu ? !trace.gpu.kernels.empty()
                                         || (!trace.gpu.calls.empty() && !trace.ranges.empty())
                                              : !trace.ranges.empty();
                             });
        for (RankTrace& trace : ranks)
            trace.host = m_host;
        sortByGpu(ranks);
        return ranks;
    }

private:
    struct Process
    {
        RankTrace trace;
        std::unordered_map<std::int64_t, std::uint32_t> threads; // globalTid -> index
    };

    Result<void> readSession()
    {
        auto names = TRY(m_database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'"));
        while (names.next())
            m_tables.emplace_back(names.text(0));
        const auto version = [&](const Statement& row) {
            if (row.text(0) == "EXPORT_PRODUCT_VERSION")
                m_program = fmt::format("Nsight Systems {}", row.text(1));
        };
        TRY(forEach("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, [&](const Statement& row) {
            const std::int64_t epoch = row.integer(0);
            m_epoch = 0 <= epoch && epoch < kMostTime ? epoch : 0;
        }));
        TRY(forEach("META_DATA_EXPORT", {"name", "value"}, version));
        TRY(forEach("EXPORT_META_DATA", {"name", "value"}, version));
        TRY(forEach("TARGET_INFO_SYSTEM_ENV", {"name", "value"}, [&](const Statement& row) {
            if (row.text(0) == "Hostname")
                m_host = row.text(1).substr(0, 256);
        }));
        TRY(forEach("TARGET_INFO_GPU", {"id", "name"}, [&](const Statement& row) {
            m_gpus.names[row.integer(0)] = row.text(1).substr(0, 256);
        }));
        return forEach("TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"},
                       [&](const Statement& row) {
                           m_gpus.ofProcess[{row.integer(0), row.integer(1)}] = row.integer(2);
                       });
    }
    Result<void> readKernels()
    {
        TRY(readKernelsOf("CUPTI_ACTIVITY_KIND_KERNEL", ""));
        // By default, nsys records a graph and not its kernels.
        return readKernelsOf("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUDA graph");
    }
    // `unnamed` is the name of kernels for which the table has none.
    Result<void> readKernelsOf(std::string_view table, std::string_view unnamed)
    {
        return forEach(table,
                       workColumns({"demangledName", "gridX", "gridY", "gridZ", "blockX", "blockY",
                                    "blockZ", "registersPerThread", "staticSharedMemory",
                                    "dynamicSharedMemory", "graphNodeId", "shortName"}),
                       timed([&](const Statement& row, Window when) {
                           GpuKernel kernel{when, place(row)};
                           const int named = row.isNull(7) ? 18 : 7;
                           kernel.name = row.isNull(named) ? m_strings.number(unnamed)
                                                           : nameOf(row.integer(named));
                           auto& [x, y, z] = kernel.grid;
                           auto& [i, j, k] = kernel.block;
                           take(row, 8, x, y, z, i, j, k, kernel.registers, kernel.staticShared,
                                kernel.dynamicShared, kernel.graphNode);
                           process(row.integer(6)).trace.gpu.kernels.push_back(kernel);
                       }));
    }
    Result<void> readCopies()
    {
        // Nsight Systems numbers kinds of memory from 0, and CUPTI numbers them from 1.
        const auto memoryKind = [](const Statement& row, int column) {
            const std::int64_t kind = row.integer(column);
            return static_cast<std::uint8_t>(0 <= kind && kind < 7 ? kind + 1 : 0);
        };
        return forEach(
            "CUPTI_ACTIVITY_KIND_MEMCPY", workColumns({"bytes", "copyKind", "srcKind", "dstKind"}),
            timed([&](const Statement& row, Window when) {
                GpuCopy copy{when, place(row)};
                (void)row.get(7, copy.bytes);
                const std::int64_t kind = row.integer(8);
                copy.kind = static_cast<std::uint8_t>(0 <= kind && kind <= 10 ? kind : 0);
                copy.sourceMemory = memoryKind(row, 9);
                copy.targetMemory = memoryKind(row, 10);
                copy.sourceDevice = copy.targetDevice = copy.place.device;
                process(row.integer(6)).trace.gpu.copies.push_back(copy);
            }));
    }
    Result<void> readMemsets()
    {
        return forEach("CUPTI_ACTIVITY_KIND_MEMSET", workColumns({"bytes"}),
                       timed([&](const Statement& row, Window when) {
                           GpuMemset memset{when, place(row)};
                           (void)row.get(7, memset.bytes);
                           memset.memory = 3;
                           process(row.integer(6)).trace.gpu.memsets.push_back(memset);
                       }));
    }
    Result<void> readCalls()
    {
        return forEach("CUPTI_ACTIVITY_KIND_RUNTIME",
                       {"start", "end", "globalTid", "correlationId", "nameId", "eventClass"},
                       timed([&](const Statement& row, Window when) {
                           GpuCall call{when};
                           call.thread = thread(row.integer(2));
                           (void)row.get(3, call.correlation);
                           call.name = nameOf(row.integer(4));
                           call.isDriver = row.integer(5) == 1;
                           process(row.integer(2)).trace.gpu.calls.push_back(call);
                       }));
    }
    Result<void> readRanges()
    {
        constexpr int kPushPop = 59, kStartEnd = 60, kDomain = 75;
        std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> domains; // names, by process
        struct OfDomain
        {
            std::int64_t process, domain;
            std::size_t range;
        };
        std::vector<OfDomain> ofDomains; // an event after its ranges may name a domain
        const auto add = timed([&](const Statement& row, Window when) {
            HostRange range{when};
            range.name = textOf(withoutOpNumbers(textOf(row)));
            range.thread = thread(row.integer(5));
            auto& ranges = process(row.integer(5)).trace.ranges;
            if (row.integer(6) != 0)
                ofDomains.push_back({row.integer(5) & kProcessMask, row.integer(6), ranges.size()});
            ranges.push_back(range);
        });
        TRY(forEach(
            "NVTX_EVENTS", {"start", "end", "eventType", "text", "textId", "globalTid", "domainId"},
            [&](const Statement& row) {
                const std::int64_t type = row.integer(2);
                if (type == kDomain)
                    domains[{row.integer(5) & kProcessMask, row.integer(6)}] = textOf(textOf(row));
                else if ((type == kPushPop || type == kStartEnd) && !row.isNull(1))
                    add(row);
            }));
        for (const OfDomain& of : ofDomains)
            if (const auto name = domains.find({of.process, of.domain}); name != domains.end())
                process(of.process).trace.ranges[of.range].category = name->second;
        return {};
    }
    // The text of an event of NVTX, which may be registered.
    std::string_view textOf(const Statement& row)
    {
        return row.isNull(3) ? m_strings.text(nameOf(row.integer(4))) : row.text(3);
    }
    using SqlReader::textOf;

    Result<void> readAllocations()
    {
        return forEach(
            "CUDA_GPU_MEMORY_USAGE_EVENTS",
            {"start", "globalPid", "bytes", "memoryOperationType", "memKind", "deviceId"},
            [&](const Statement& row) {
                constexpr int kDevice = 2, kFree = 1;
                MemoryEvent memory;
                if (row.integer(4) != kDevice)
                    return;
                const std::int64_t time = row.integer(0), bytes = row.integer(2);
                if (time < 0 || time > kMostTime - m_epoch || bytes < 0 || bytes > kMostBytes) {
                    ++m_unreadable;
                    return;
                }
                memory.time = time + m_epoch;
                memory.bytes = row.integer(3) == kFree ? -bytes : bytes;
                memory.category = MemoryCategory::Unknown;
                (void)row.get(5, memory.device);
                process(row.integer(1)).trace.memory.push_back(memory);
            });
    }
    Result<void> readNames()
    {
        return forEach("ThreadNames", {"nameId", "globalTid"}, [&](const Statement& row) {
            const auto of = m_processes.find(row.integer(1) & kProcessMask);
            if (of == m_processes.end())
                return;
            const std::string_view name = m_strings.text(nameOf(row.integer(0)));
            if (const auto rank = mpiRank(name))
                of->second.trace.rank = rank;
            const auto found = of->second.threads.find(row.integer(1));
            if (found != of->second.threads.end())
                of->second.trace.threads[found->second] = name;
        });
    }

    // Calls `use(row)` for the rows of a table and of those with its name and a version, such as
    // CUPTI_ACTIVITY_KIND_KERNEL_V3. A column that a table lacks is NULL.
    template<class Use>
    Result<void> forEach(std::string_view table, const std::vector<std::string>& columns, Use use)
    {
        for (const std::string& name : m_tables) {
            const std::string_view version
                = std::string_view(name).substr(std::min(name.size(), table.size()));
            const bool isVersion = version.starts_with("_V") && version.size() > 2
                && version.find_first_not_of("0123456789", 2) == std::string_view::npos;
            if (name.starts_with(table) && (version.empty() || isVersion))
                TRY(forEachOf(name, columns, use));
        }
        return {};
    }
    template<class Use>
    Result<void> forEachOf(std::string_view table, std::vector<std::string> columns, Use& use)
    {
        const auto known = TRY(columnsOfTable(m_database, table));
        for (std::string& column : columns)
            column = known.contains(column) ? profiler::quoted(column) : std::string("NULL");
        auto row = TRY(m_database.prepare(
            fmt::format("SELECT {} FROM {}", fmt::join(columns, ", "), profiler::quoted(table))));
        return forEachRowOf(row, use);
    }

    Process& process(std::int64_t globalPid) { return m_processes[globalPid & kProcessMask]; }
    std::uint32_t thread(std::int64_t globalTid)
    {
        Process& of = process(globalTid);
        const auto [at, isNew]
            = of.threads.emplace(globalTid, static_cast<std::uint32_t>(of.trace.threads.size()));
        if (isNew)
            of.trace.threads.push_back(fmt::format("thread {}", globalTid & ~kProcessMask));
        return at->second;
    }
    std::uint32_t nameOf(std::int64_t stringId)
    {
        if (const auto known = m_names.find(stringId); known != m_names.end())
            return known->second;
        m_findName.bind(stringId);
        const bool found = m_findName.next();
        const std::uint32_t name = textOf(found ? m_findName.text(0) : "");
        m_findName.reset();
        m_names.emplace(stringId, name);
        return name;
    }
    // Reads columns 2 to 5 of the queries for GPU work.
    static GpuPlace place(const Statement& row)
    {
        GpuPlace place;
        take(row, 2, place.device, place.context, place.stream, place.correlation);
        return place;
    }

    std::int64_t m_first = 0, m_size = 0;
    std::map<std::int64_t, Process> m_processes;             // by globalPid
    std::unordered_map<std::int64_t, std::uint32_t> m_names; // StringIds.id -> index in m_strings
    Statement m_findName;
    std::string m_host, m_program;
    std::vector<std::string> m_tables;
    NsightGpus m_gpus;
};

} // namespace

Result<std::vector<RankTrace>> readNsight(const fs::path& file, ImportProgress before,
                                          const OnImportProgress& progress)
{
    const std::string path = file.string();
    if (before.file.empty())
        before.file = path;
    auto ranks
        = openForeignFile(file).and_then([&](OpenFile open) -> Result<std::vector<RankTrace>> {
              return TRY(isRocpd(open.database))
                  ? readRocpd(open.database, before, progress)
                  : NsightReader(open.database, before, progress).read();
          });
    if (ranks)
        return ranks;
    Error error = std::move(ranks).error();
    if (const std::size_t at = error.message.find(path); at != std::string::npos)
        error.message.replace(at, path.size(), before.file);
    return tl::unexpected(std::move(error));
}

} // namespace profiler
