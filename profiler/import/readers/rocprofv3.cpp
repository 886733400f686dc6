#include "engine/base/text.h"
#include "engine/base/try.h"
#include "profiler/import/readers/sql_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

constexpr std::string_view kDispatches = "rocpd_kernel_dispatch";
constexpr std::size_t kMostHost = 256;

struct Process
{
    RankTrace trace;
    std::map<std::int64_t, std::uint32_t> threads;                            // by TID
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> streams; // and queue

    std::uint32_t thread(std::int64_t tid)
    {
        const auto [at, isNew]
            = threads.emplace(tid, static_cast<std::uint32_t>(trace.threads.size()));
        if (isNew)
            trace.threads.push_back(fmt::format("thread {}", tid));
        return at->second;
    }
    // Without stream tracing all streams are 0, so that only work of one queue is in order.
    std::uint32_t stream(std::uint64_t stream, std::uint64_t queue)
    {
        return streams.emplace(std::pair(stream, queue), static_cast<std::uint32_t>(streams.size()))
            .first->second;
    }
};

bool hasKernelsOrRanges(const RankTrace& trace)
{
    return !trace.gpu.kernels.empty() || !trace.ranges.empty();
}

Error noKernelsOrRanges(const std::string& file)
{
    return {Error::Code::NotFound,
            file
                + " has neither kernels nor ranges of roctx; record it with rocprofv3 "
                  "--hip-trace --kernel-trace --marker-trace"};
}

// A grid of HIP counts threads, and that of CUDA counts blocks.
void countBlocks(GpuKernel& kernel)
{
    for (std::size_t i = 0; i < kernel.grid.size(); ++i)
        if (kernel.block[i] > 0)
            kernel.grid[i] /= kernel.block[i];
}

// Sets the kind and the devices of a copy; nullopt: the agent is a CPU.
void setAgents(GpuCopy& copy, std::optional<std::uint32_t> source,
               std::optional<std::uint32_t> target)
{
    copy.kind = source && target ? (source == target ? 8 : 10) : source ? 2 : target ? 1 : 0;
    copy.place.device = target.value_or(source.value_or(0));
    copy.sourceDevice = source.value_or(copy.place.device);
    copy.targetDevice = copy.place.device;
}

// Reads a database of rocprofv3, as ROCm's rocpd_tables.sql (schema 3) defines it. The tables of
// each process have its UUID in their names.
class RocpdReader : SqlReader
{
public:
    using SqlReader::SqlReader;

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
        auto ranks = ranksOf(m_processes, "rocprofv3", hasKernelsOrRanges);
        if (ranks.empty())
            return tl::unexpected(noKernelsOrRanges(m_progress.file));
        return ranks;
    }

private:
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
                GpuKernel kernel{when, place(row)};
                kernel.name = textOf(row.text(7));
                auto& [x, y, z] = kernel.grid;
                auto& [i, j, k] = kernel.block;
                take(row, 8, x, y, z, i, j, k, kernel.staticShared);
                countBlocks(kernel);
                RankTrace& trace = process(row.integer(2)).trace;
                trace.deviceName = row.text(15).substr(0, kMostHost);
                trace.gpu.kernels.push_back(kernel);
            }));
    }
    Result<void> readCopies()
    {
        return forEach(
            "SELECT c.start, c.\"end\", c.pid, 0, c.stream_id, c.queue_id, e.stack_id, c.size, "
            "CASE s.type WHEN 'GPU' THEN s.type_index END, "
            "CASE d.type WHEN 'GPU' THEN d.type_index END FROM rocpd_memory_copy@ c "
            "LEFT JOIN rocpd_event@ e ON e.id = c.event_id "
            "LEFT JOIN rocpd_info_agent@ s ON s.id = c.src_agent_id "
            "LEFT JOIN rocpd_info_agent@ d ON d.id = c.dst_agent_id",
            timed([&](const Statement& row, Window when) {
                const auto gpu = [&](int column) {
                    std::uint32_t device = 0;
                    (void)row.get(column, device);
                    return row.isNull(column) ? std::nullopt : std::optional(device);
                };
                GpuCopy copy{when, place(row)};
                (void)row.get(7, copy.bytes);
                setAgents(copy, gpu(8), gpu(9));
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
                    GpuCall call{when};
                    call.thread = of.thread(row.integer(3));
                    (void)row.get(4, call.correlation);
                    call.name = textOf(row.text(5));
                    of.trace.gpu.calls.push_back(call);
                } else if (!row.isNull(7)) {
                    HostRange range{when};
                    range.name = textOf(row.text(7));
                    range.thread = of.thread(row.integer(3));
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
    // Reads columns 2 to 6.
    GpuPlace place(const Statement& row)
    {
        GpuPlace place;
        std::uint64_t stream = 0, queue = 0;
        take(row, 3, place.device, stream, queue, place.correlation);
        place.stream = process(row.integer(2)).stream(stream, queue);
        return place;
    }
    std::string m_uuid;
    std::map<std::pair<std::string, std::int64_t>, Process> m_processes; // by UUID and PID
};

using JsonValue = simdjson::simdjson_result<simdjson::dom::element>;

// A value that is missing or of another type is `otherwise`.
template<std::integral Number>
Number number(JsonValue value, Number otherwise = 0)
{
    std::int64_t signedOne = 0;
    std::uint64_t one = 0;
    if (value.get(signedOne) == simdjson::SUCCESS && std::in_range<Number>(signedOne))
        return static_cast<Number>(signedOne);
    return value.get(one) == simdjson::SUCCESS && std::in_range<Number>(one)
        ? static_cast<Number>(one)
        : otherwise;
}

std::string_view text(JsonValue value)
{
    std::string_view text;
    return value.get(text) == simdjson::SUCCESS ? text : std::string_view();
}

template<class Use>
void forEach(JsonValue list, Use use)
{
    simdjson::dom::array array;
    if (list.get(array) == simdjson::SUCCESS)
        for (simdjson::dom::element element : array)
            use(JsonValue(std::move(element)));
}

std::optional<Window> windowOf(JsonValue record)
{
    const auto begin = number<std::int64_t>(record["start_timestamp"], -1);
    const auto end = number<std::int64_t>(record["end_timestamp"], -1);
    return 0 <= begin && begin <= end && end <= kMostTime ? std::optional(Window{begin, end})
                                                          : std::nullopt;
}

// Reads one process of the JSON file.
class JsonProcessReader
{
public:
    JsonProcessReader(JsonValue process, StringTable& texts)
        : m_json(process)
        , m_names(process["strings"]["buffer_records"])
        , m_texts(texts)
    {
        forEach(process["agents"], [&](JsonValue agent) {
            constexpr int kGpu = 2;
            if (number<int>(agent["type"]) == kGpu)
                m_gpus.emplace(number<std::uint64_t>(agent["id"]["handle"]), agent);
        });
        forEach(process["kernel_symbols"], [&](JsonValue kernel) {
            std::string_view name = text(kernel["formatted_kernel_name"]);
            name = name.empty() ? text(kernel["kernel_name"]) : name;
            m_kernels.emplace(number<std::uint64_t>(kernel["kernel_id"]), textOf(name));
        });
        forEach(process["strings"]["marker_api"], [&](JsonValue message) {
            m_messages.emplace(number<std::uint64_t>(message["key"]),
                               textOf(text(message["value"])));
        });
    }
    RankTrace read()
    {
        RankTrace& trace = m_process.trace;
        trace.host = text(m_json["metadata"]["node"]["hostname"]).substr(0, kMostHost);
        const JsonValue records = m_json["buffer_records"];
        takeTimed(records["kernel_dispatch"], &JsonProcessReader::takeKernel);
        takeTimed(records["memory_copy"], &JsonProcessReader::takeCopy);
        takeTimed(records["hip_api"], &JsonProcessReader::takeCall);
        takeTimed(records["marker_api"], &JsonProcessReader::takeMarker);
        return std::move(trace);
    }

private:
    void takeTimed(JsonValue records, void (JsonProcessReader::*take)(JsonValue, Window))
    {
        forEach(records, [&](JsonValue record) {
            if (const auto window = windowOf(record))
                (this->*take)(record, *window);
            else
                ++m_process.trace.unreadable;
        });
    }
    void takeKernel(JsonValue record, Window window)
    {
        const JsonValue info = record["dispatch_info"];
        GpuKernel kernel{window, place(record, number<std::uint64_t>(info["queue_id"]["handle"]))};
        const auto name = m_kernels.find(number<std::uint64_t>(info["kernel_id"]));
        kernel.name = name != m_kernels.end() ? name->second : 0;
        for (const auto& [i, axis] : {std::pair(0UL, "x"), {1UL, "y"}, {2UL, "z"}}) {
            kernel.grid[i] = number<std::int32_t>(info["grid_size"][axis]);
            kernel.block[i] = number<std::int32_t>(info["workgroup_size"][axis]);
        }
        countBlocks(kernel);
        kernel.staticShared = number<std::int32_t>(info["group_segment_size"]);
        if (const auto gpu = m_gpus.find(number<std::uint64_t>(info["agent_id"]["handle"]));
            gpu != m_gpus.end()) {
            kernel.place.device = deviceOf(gpu->second);
            const std::string_view product = text(gpu->second["product_name"]);
            m_process.trace.deviceName
                = (product.empty() ? text(gpu->second["name"]) : product).substr(0, kMostHost);
        }
        m_process.trace.gpu.kernels.push_back(kernel);
    }
    void takeCopy(JsonValue record, Window window)
    {
        const auto gpu = [&](const char* key) {
            const auto known = m_gpus.find(number<std::uint64_t>(record[key]["handle"]));
            return known != m_gpus.end() ? std::optional(deviceOf(known->second)) : std::nullopt;
        };
        GpuCopy copy{window, place(record, 0)};
        copy.bytes = number<std::int64_t>(record["bytes"]);
        setAgents(copy, gpu("src_agent_id"), gpu("dst_agent_id"));
        m_process.trace.gpu.copies.push_back(copy);
    }
    void takeCall(JsonValue record, Window window)
    {
        GpuCall call{window};
        call.thread = m_process.thread(number<std::int64_t>(record["thread_id"]));
        call.correlation = number<std::uint64_t>(record["correlation_id"]["internal"]);
        simdjson::dom::array kinds;
        if (m_names.get(kinds) == simdjson::SUCCESS) {
            const JsonValue kind = kinds.at(number<std::size_t>(record["kind"]));
            simdjson::dom::array operations;
            if (kind["operations"].get(operations) == simdjson::SUCCESS)
                call.name = textOf(text(operations.at(number<std::size_t>(record["operation"]))));
        }
        m_process.trace.gpu.calls.push_back(call);
    }
    // The text of a range is stored by the correlation of the call of roctx.
    void takeMarker(JsonValue record, Window window)
    {
        const auto message
            = m_messages.find(number<std::uint64_t>(record["correlation_id"]["internal"]));
        if (message == m_messages.end())
            return;
        HostRange range{window, message->second};
        range.thread = m_process.thread(number<std::int64_t>(record["thread_id"]));
        m_process.trace.ranges.push_back(range);
    }
    GpuPlace place(JsonValue record, std::uint64_t queue)
    {
        GpuPlace place;
        place.stream
            = m_process.stream(number<std::uint64_t>(record["stream_id"]["handle"]), queue);
        place.correlation = number<std::uint64_t>(record["correlation_id"]["internal"]);
        return place;
    }
    static std::uint32_t deviceOf(JsonValue agent)
    {
        return number<std::uint32_t>(agent["logical_node_type_id"]);
    }
    std::uint32_t textOf(std::string_view text)
    {
        return m_texts.number(text.substr(0, kMostText));
    }

    JsonValue m_json;
    JsonValue m_names; // of operations, by kind
    StringTable& m_texts;
    Process m_process;
    std::map<std::uint64_t, JsonValue> m_gpus;                   // by handle of the agent
    std::unordered_map<std::uint64_t, std::uint32_t> m_kernels;  // name by id
    std::unordered_map<std::uint64_t, std::uint32_t> m_messages; // text of roctx by correlation
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

bool isRocprofJson(std::string_view head)
{
    head.remove_prefix(std::min(head.find('"'), head.size()));
    return head.starts_with(R"("rocprofiler-sdk-tool")");
}

Result<std::vector<RankTrace>> readRocprofJson(const std::string& name, std::string json)
{
    simdjson::dom::parser parser;
    json.reserve(json.size() + simdjson::SIMDJSON_PADDING); // spares a copy
    const JsonValue root = parser.parse(json);
    if (root.error() != simdjson::SUCCESS)
        return fail(Error::Code::Corrupt,
                    "{} is truncated or damaged JSON of rocprofv3; copy it again", name);
    std::vector<RankTrace> ranks;
    StringTable texts;
    forEach(root["rocprofiler-sdk-tool"], [&](JsonValue process) {
        RankTrace trace = JsonProcessReader(process, texts).read();
        if (!hasKernelsOrRanges(trace))
            return;
        trace.file = name;
        trace.program = "rocprofv3";
        trace.unit = "ns";
        ranks.push_back(std::move(trace));
    });
    if (ranks.empty())
        return tl::unexpected(noKernelsOrRanges(name));
    if (ranks.size() == 1)
        ranks.front().rank = rankNamedIn(name);
    const auto shared = std::make_shared<const std::vector<std::string>>(texts.take());
    for (RankTrace& trace : ranks)
        trace.texts = shared;
    return ranks;
}

} // namespace profiler
