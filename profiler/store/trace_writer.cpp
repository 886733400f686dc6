#include "engine/base/check.h"
#include "engine/base/try.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/kernel_name.h"
#include "engine/timeline/nvtx_range.h"
#include "profiler/store/check_schedule.h"
#include "profiler/store/gpu_tables.h"
#include "profiler/store/info.h"
#include "profiler/store/metrics.h"
#include "profiler/store/open_file.h"
#include "profiler/store/row_tables.h"
#include "profiler/store/schema.h"
#include "profiler/store/trace_store.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace profiler {

using namespace engine;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kDomain = 1;    // id of the domain kRangeDomain
constexpr int kMostRows = 12; // a limit that keeps thread numbers within 24 bits
constexpr int kCategoryEvent = 33, kPushPop = 59, kStartEnd = 60, kDomainEvent = 75;
constexpr std::int64_t kFirstDomainRow = -1000; // ids of libraries' domains, counted downwards

// Compute ops are on the thread of their device. Other ops can overlap compute, so each device has
// one more thread per category of range. If ops of a category overlap each other, the category has
// several threads, numbered by `row`. The ranges of a thread therefore nest, unless more than
// twelve ops of a category overlap.
std::int64_t transferTid(std::int64_t process, DeviceId device, OpKind kind, int row,
                         const Shape& shape)
{
    constexpr int kIds = 11;
    const int category = rangeCategory(kind).id;
    return globalTid(process, device) + std::int64_t{shape.devices} * (category + kIds * row);
}

// Of a synthetic thread with row 0. Threads with other rows use the name of row 0.
std::int64_t nameId(std::int64_t thread)
{
    return thread % kOneProcess - kFirstSyntheticThread;
}

using UtcNanoseconds = std::chrono::sys_time<std::chrono::nanoseconds>;

// Parses "2026-11-21T03:31:16Z". Returns the current time if the run has no start time.
UtcNanoseconds startOf(const std::string& iso8601)
{
    std::tm tm{};
    if (strptime(iso8601.c_str(), "%Y-%m-%dT%H:%M:%S", &tm) == nullptr)
        return std::chrono::system_clock::now();
    return std::chrono::system_clock::from_time_t(timegm(&tm));
}

Result<void> writeStart(Database& database, const RunInfo& info)
{
    const auto start = startOf(info.started);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(start);
    const std::time_t time = std::chrono::system_clock::to_time_t(seconds);
    return writeRows<StartRow>(
        database,
        {{start.time_since_epoch().count(), fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time)),
          fmt::format("{:%Y-%m-%dT%H:%M:%S%z}", fmt::localtime(time)), std::nullopt}});
}

// Writes the property "Hostname", which the recipes (analysis scripts) of Nsight Systems find by
// this name. kHostname is the number of the property in Nsight Systems.
Result<void> writeHost(Database& database, const std::string& name)
{
    constexpr int kHostname = 619;
    if (name.empty())
        return {};
    return writeRows<SystemRow>(database, {{0, "Local (CLI)", "Hostname", kHostname, name}});
}

Result<void> writeNames(Database& database, const RunInfo& info)
{
    const bool wall = info.mode == Mode::Live || info.mode == Mode::Imported;
    const std::string program = info.program.empty() ? "bubblescope" : info.program;
    TRY(writeRows<CaptureRow>(database,
                              {{"BS_CLOCK", wall ? "wall" : "virtual"},
                               {"BS_MODE", std::string(modeName(info.mode))},
                               {"BS_PROGRAM", program}}));
    return writeRows<ExportRow>(
        database, {{"EXPORT_SCHEMA_VERSION", "3.28.1"}, {"EXPORT_PRODUCT_VERSION", program}});
}

// Writes one thread for the compute ops of each device, and one for each category of its other ops,
// which can overlap compute.
Result<void> writeThreads(Database& database, const Schedule& schedule, std::int64_t process)
{
    std::map<std::int64_t, std::string> nameOf; // by thread
    for (const DeviceId d : schedule.program.ids()) {
        nameOf[globalTid(process, d)] = fmt::format("device {}", d.value);
        for (const Op& op : schedule.program[d])
            if (!isCompute(op.kind))
                nameOf.try_emplace(
                    transferTid(process, d, op.kind, 0, schedule.shape),
                    fmt::format("device {} {}", d.value, rangeCategory(op.kind).name));
    }
    std::vector<StringRow> names;
    std::vector<ThreadRow> threads;
    for (const auto& [thread, name] : nameOf) {
        const std::int64_t id = nameId(thread);
        names.push_back({id, name});
        threads.push_back({id, 0, thread});
    }
    TRY(writeRows<ProcessRow>(database, {{globalPid(process), process, "bscope"}}));
    TRY(writeRows(database, names));
    return writeRows(database, threads);
}

// Writes the domain and the categories. They have negative ids, because positive ids belong to
// ranges: the range of a span has the span's id.
Result<void> writeCategories(Database& database)
{
    std::vector<NvtxRow> rows{
        {.id = -1, .type = kDomainEvent, .domain = kDomain, .text = std::string(kRangeDomain)}};
    for (const RangeCategory& category : rangeCategories())
        rows.push_back({.id = -1 - static_cast<std::int64_t>(rows.size()),
                        .category = category.id,
                        .type = kCategoryEvent,
                        .domain = kDomain,
                        .text = std::string(category.name)});
    return writeRows(database, rows);
}

// Writes process, threads, start time, clock and versions, and the categories and the domain of the
// NVTX ranges.
Result<void> writeNsightSession(Database& database, const Run& run, std::int64_t process)
{
    TRY(writeStart(database, run.info));
    TRY(writeNames(database, run.info));
    TRY(writeHost(database, run.info.hostName));
    TRY(writeThreads(database, run.schedule, process));
    return writeCategories(database);
}

} // namespace

// Writes the NVTX range of a span as push/pop, the only type that the recipes of Nsight Systems
// join. The range is on the thread of its device, or on a separate thread if the op can overlap
// compute.
class NvtxWriter
{
public:
    NvtxWriter(Database& database, const RunInfo& info, const Shape& shape, std::int64_t process)
        : m_database(database)
        , m_insert(database)
        , m_thread(database)
        , m_info(info)
        , m_shape(shape)
        , m_grammar(nvtxGrammarNamed(info.nvtxGrammar))
        , m_process(process)
    { }

    // `id` is the id of the span's row. Returns the thread of the range.
    Result<std::int64_t> write(std::int64_t id, const Op& op, DeviceId device, const Span& span)
    {
        const RangeCategory& category = rangeCategory(op.kind);
        const Window window{nanosecondsOf(m_info, span.begin), nanosecondsOf(m_info, span.end)};
        const auto thread = TRY(threadOf(op, device, window));
        m_lastEnd = std::max(m_lastEnd, window.end);
        TRY(insert({.id = id,
                    .start = window.begin,
                    .end = window.end,
                    .category = category.id,
                    .color = category.argb,
                    .thread = thread,
                    .payload = rangePayload(span.iteration, op),
                    .domain = kDomain,
                    .text = rangeText(op, m_shape, m_grammar)},
                   true));
        return thread;
    }
    // Writes a range of a library, on the thread that pushed it, and links it to the op that was
    // being launched, because this thread does not identify the device. `strings` is
    // GpuTrace::strings.
    Result<void> writeRange(std::int64_t id, const GpuRange& range,
                            const std::vector<std::string>& strings)
    {
        constexpr std::int64_t kThreadBits = 0xFFFFFF;
        const std::string& name = strings.at(range.domain);
        const auto [known, isNew]
            = m_domains.try_emplace(name, static_cast<int>(m_domains.size()) + kDomain + 1);
        if (isNew)
            TRY(m_insert.run({.id = kFirstDomainRow - known->second,
                              .type = kDomainEvent,
                              .domain = known->second,
                              .text = name}));
        const auto orNull = [](std::uint32_t value) {
            return value == 0 ? std::nullopt : std::optional<std::int64_t>(value);
        };
        TRY(insert({.id = id,
                    .start = range.window.begin,
                    .end = range.window.end,
                    .category = orNull(range.category),
                    .color = orNull(range.color),
                    .thread = globalPid(m_process) + (range.thread & kThreadBits),
                    .payload = range.payload,
                    .domain = known->second,
                    .text = strings.at(range.text)},
                   range.nests));
        if (!range.of.isKnown() || range.of.isOtherCopys())
            return {};
        return addRows<RangeRow>(m_database, {{id, range.of}});
    }
    // Moves the range of an op to the time of the op's launch on the host, in ns of the timeline,
    // and to the thread of its device, which launched it.
    Result<void> moveRange(std::int64_t id, DeviceId device, Window window)
    {
        if (!m_move)
            m_move = TRY(m_database.prepare(
                "UPDATE NVTX_EVENTS SET start = ?, \"end\" = ?, globalTid = ? WHERE eventId = ?"));
        return m_move->run(window.begin, window.end, globalTid(m_process, device), id);
    }
    std::int64_t lastEnd() const { return m_lastEnd; } // latest end of the ranges so far, in ns

private:
    // All compute ops of a device are on one thread. Only joint ops overlap there, and their ranges
    // nest, because they have the same window.
    Result<std::int64_t> threadOf(const Op& op, DeviceId device, Window window)
    {
        if (isCompute(op.kind))
            return globalTid(m_process, device);
        std::vector<std::int64_t>& ends = m_rows[{device, rangeCategory(op.kind).id}];
        std::size_t row = 0;
        while (row < ends.size() && ends[row] > window.begin && row + 1 < kMostRows)
            ++row;
        const auto thread = [&](std::size_t at) {
            return transferTid(m_process, device, op.kind, static_cast<int>(at), m_shape);
        };
        if (row == ends.size()) {
            ends.push_back(window.end);
            if (row > 0)
                TRY(m_thread.run({nameId(thread(0)), 0, thread(row)}));
        }
        ends[row] = std::max(ends[row], window.end);
        return thread(row);
    }
    Result<void> insert(NvtxRow row, bool nests)
    {
        row.type = nests ? kPushPop : kStartEnd;
        if (!nests) {
            row.range = row.id;
            row.endThread = row.thread;
        }
        return m_insert.run(std::move(row));
    }

    Database& m_database;
    Insert<NvtxRow> m_insert;
    Insert<ThreadRow> m_thread;
    std::optional<Statement> m_move;
    const RunInfo& m_info;
    const Shape& m_shape;
    NvtxGrammar m_grammar;
    std::int64_t m_process, m_lastEnd = 0;
    // For each device and category, the end of the last range of each row.
    std::map<std::pair<DeviceId, int>, std::vector<std::int64_t>> m_rows;
    std::map<std::string, int> m_domains; // name of a library's domain -> its number
};

namespace {

// Adds the rows of an ENUM_ table. `names` has an entry "NAME=Label," for each value, beginning
// with 0.
template<const PlainText& Text>
Result<void> addNumbers(Database& database, const std::string& prefix, std::string_view names)
{
    std::vector<NumberRow<Text>> rows;
    while (!names.empty()) {
        const std::size_t equals = names.find('='), end = names.find(',');
        rows.emplace_back(static_cast<int>(rows.size()), prefix + std::string(names, 0, equals),
                          std::string(names, equals + 1, end - equals - 1));
        names.remove_prefix(end + 1);
    }
    return addRows(database, rows);
}

// Writes the ENUM_ tables, which name the numbers in the tables of GPU activity.
Result<void> addKinds(Database& database, const GpuTrace& trace)
{
    Result<void> done;
    const auto add = [&](bool isNeeded, auto numbers, const char* prefix, std::string_view names) {
        if (done && isNeeded)
            done = numbers(database, prefix, names);
    };
    add(!trace.copies.empty(), addNumbers<kCopyKinds>, "CUDA_MEMCPY_KIND_",
        "UNKNOWN=Unknown,HTOD=Host-to-Device,DTOH=Device-to-Host,HTOA=Host-to-Array,"
        "ATOH=Array-to-Host,ATOA=Array-to-Array,ATOD=Array-to-Device,DTOA=Device-to-Array,"
        "DTOD=Device-to-Device,HTOH=Host-to-Host,PTOP=Peer-to-Peer,"
        "UVM_HTOD=Unified Host-to-Device,UVM_DTOH=Unified Device-to-Host,"
        "UVM_DTOD=Unified Device-to-Device,");
    add(!trace.copies.empty() || !trace.memsets.empty() || !trace.allocations.empty(),
        addNumbers<kMemKinds>, "CUDA_MEMOPR_MEMORY_KIND_",
        "PAGEABLE=Pageable,PINNED=Pinned,DEVICE=Device,ARRAY=Array,MANAGED=Managed,"
        "DEVICE_STATIC=Device Static,MANAGED_STATIC=Managed Static,UNKNOWN=Unknown,");
    add(!trace.calls.empty(), addNumbers<kCallKinds>, "CUDA_",
        "RUNTIME=CUDA runtime,DRIVER=CUDA driver,");
    add(!trace.waits.empty(), addNumbers<kWaitKinds>, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_",
        "UNKNOWN=Unknown,EVENT_SYNCHRONIZE=Event sync,STREAM_WAIT_EVENT=Stream wait sync,"
        "STREAM_SYNCHRONIZE=Stream sync,CONTEXT_SYNCHRONIZE=Context sync,");
    add(!trace.allocations.empty(), addNumbers<kAllocationKinds>, "CUDA_DEV_MEM_EVENT_OPR_",
        "ALLOCATION=Allocation,DEALLOCATION=Deallocation,");
    return done;
}

std::vector<LaunchRow> launchesOf(const GpuTrace& trace)
{
    std::vector<LaunchRow> launches;
    const auto add = [&](const auto& all) {
        for (const auto& work : all)
            if (work.of.isKnown() && work.place.correlation != 0)
                launches.push_back({work.place.correlation, work.of});
    };
    add(trace.kernels);
    add(trace.copies);
    add(trace.memsets);
    return launches;
}

} // namespace

// Writes GPU activity to the tables of Nsight Systems, and writes the links between this activity
// and ops to BS_ tables, within the caller's transaction. Times are ns of the timeline.
class GpuWriter
{
public:
    GpuWriter(Database& database, std::int64_t process)
        : m_database(database)
        , m_process(process)
    { }

    // `threadOf` returns the globalTid of the NVTX range of an op; nullopt if it is not known.
    using ThreadOf = std::function<std::optional<std::int64_t>(const OpOfIteration&)>;
    Result<void> write(const GpuTrace& trace, const ThreadOf& threadOf)
    {
        if (trace.isEmpty() && trace.health.isComplete())
            return {};
        TRY(learnStrings(trace));
        TRY(addKinds(m_database, trace));
        TRY(writeAll(trace, threadOf));
        return writeHealth(trace.health);
    }

private:
    Result<void> writeAll(const GpuTrace& trace, const ThreadOf& threadOf)
    {
        const std::int64_t process = globalPid(m_process);
        const auto write = [&]<class Each>(const std::vector<Each>& all, auto rowOf) {
            std::vector<std::remove_cvref_t<std::invoke_result_t<decltype(rowOf), const Each&>>>
                rows;
            rows.reserve(all.size());
            std::ranges::transform(all, std::back_inserter(rows), rowOf);
            return addRows(m_database, rows);
        };
        const auto ofProcess = [&]<class Each>(const Each& each) {
            return OfProcess<Each>{each, process};
        };
        const auto ofPid = [&]<class Each>(const Each& each) {
            return OfProcess<Each>{each, m_process};
        };
        TRY(write(trace.kernels, [&](const GpuKernel& kernel) {
            const Name& name = m_names[kernel.name];
            return GpuKernelRow{kernel, process, name.demangled, name.brief, name.mangled};
        }));
        TRY(write(trace.copies, ofProcess));
        TRY(write(trace.memsets, ofProcess));
        // A call that belongs to an op is stored with the thread of the op's NVTX range, so that
        // the documented joins find both together.
        TRY(write(trace.calls, [&](const GpuCall& call) {
            constexpr std::uint32_t kThreadBits = 0xFFFFFF;
            return CallRow{call, threadOf(call.of).value_or(process + (call.thread & kThreadBits)),
                           m_names[call.name].mangled};
        }));
        TRY(write(trace.waits, ofProcess));
        TRY(write(trace.allocations, ofProcess));
        TRY(write(trace.overheads, std::identity()));
        TRY(write(trace.samples, std::identity()));
        TRY(write(trace.contexts, ofPid));
        TRY(write(trace.streams, ofPid));
        TRY(write(trace.streamNames, [&](const GpuStreamName& stream) {
            return StreamNameRow{stream, trace.strings[stream.name], m_process};
        }));
        return write(launchesOf(trace), std::identity());
    }

    Result<void> writeHealth(const GpuTraceHealth& health)
    {
        m_health += health;
        Result<void> done;
        healthMetrics(m_health, [&](const MetricText& metric, std::int64_t value) {
            if (done)
                done = m_database.run("DELETE FROM BS_metric WHERE name = ?", metric.name);
            if (done)
                done
                    = m_database.run("INSERT INTO BS_metric VALUES (?, ?, '')", metric.name, value);
        });
        return done;
    }

    // Stores the strings of the trace and sets m_names[i] to the ids of string i. Strings that were
    // stored for an earlier trace keep their ids.
    Result<void> learnStrings(const GpuTrace& trace)
    {
        m_names.clear();
        for (const std::string& text : trace.strings) {
            const std::string plain = demangled(text);
            const auto mangledId = TRY(stringId(text));
            const auto plainId = TRY(stringId(plain));
            const auto briefId = TRY(stringId(shortName(plain)));
            m_names.push_back({mangledId, plainId, briefId});
        }
        return {};
    }
    Result<std::int64_t> stringId(const std::string& text)
    {
        if (const auto known = m_strings.find(text); known != m_strings.end())
            return known->second;
        if (m_nextString < 0)
            m_nextString
                = 1 + TRY(m_database.integer("SELECT coalesce(max(id), -1) FROM StringIds"));
        TRY(writeRows<StringRow>(m_database, {{m_nextString, text}}));
        m_strings.emplace(text, m_nextString);
        return m_nextString++;
    }

    struct Name
    {
        std::int64_t mangled = 0, demangled = 0, brief = 0;
    };
    Database& m_database;
    std::int64_t m_process;
    std::unordered_map<std::string, std::int64_t> m_strings; // text -> StringIds.id
    std::int64_t m_nextString = -1; // next id of StringIds; -1: not read yet
    std::vector<Name> m_names;      // by index into GpuTrace::strings
    GpuTraceHealth m_health;
};

// Writes batches as rows, within the caller's transaction. Do not use it after a failure, because
// its count of rows is then wrong.
class RowWriter
{
public:
    // The database must outlive this object.
    RowWriter(Database& database, const RunInfo& info, const Schedule& schedule)
        : m_database(database)
        , m_info(info)
        , m_schedule(schedule)
        , m_index(m_schedule)
        , m_process(getpid())
        , m_nvtx(database, m_info, m_schedule.shape, m_process)
        , m_gpu(database, m_process)
        , m_inserts{Insert<IterationRow>(database), Insert<LossRow>(database),
                    Insert<TrackRow>(database),     Insert<SpanRow>(database),
                    Insert<MemoryRow>(database),    Insert<OpRow>(database)}
    { }
    RowWriter(const RowWriter&) = delete; // m_nvtx refers to m_info
    RowWriter& operator=(const RowWriter&) = delete;

    // Fails with Error::Code::InvalidArgument if a row refers to an op or an iteration that does
    // not exist.
    Result<void> write(const Batch& batch)
    {
        m_ranges.clear();
        m_keepsRanges = !batch.gpu.launches.empty() || !batch.gpu.calls.empty();
        // Iterations and tracks come before the spans that refer to them.
        for (const Iteration& iteration : batch.iterations)
            TRY(writeIteration(iteration));
        for (const auto& track : batch.spans)
            TRY(writeTrack(track));
        for (const MemoryEvent& event : batch.memory)
            TRY(writeMemory(event));
        for (const OpTiming& measured : batch.measured) {
            TRY(checkTarget(measured.op, measured.iteration));
            TRY(insert(OpRow{++m_lastRow, measured}));
        }
        TRY(writeMetrics(m_database, [&](auto&& metric) {
            for (const Metric& each : batch.metrics)
                metric({each.name, each.unit}, each.value);
        }));
        TRY(writeArenas(m_database, batch.arenas));
        TRY(moveToLaunches(batch.gpu));
        TRY(m_gpu.write(batch.gpu, [this](const auto& of) { return threadOf(of); }));
        for (const GpuRange& range : batch.gpu.ranges)
            TRY(m_nvtx.writeRange(++m_lastRow, range, batch.gpu.strings));
        return {};
    }
    std::int64_t lastRow() const { return m_lastRow; }
    std::int64_t lastEnd() const { return m_nvtx.lastEnd(); }

private:
    // Moves the NVTX range of each op to the op's launch, if the launch was recorded. Call it after
    // the spans of the batch are written.
    Result<void> moveToLaunches(const GpuTrace& gpu)
    {
        for (const GpuOpLaunch& launch : gpu.launches)
            if (const auto range = m_ranges.find({launch.of.op, launch.of.iteration});
                range != m_ranges.end()) {
                const DeviceId device = m_index.deviceOf(launch.of.op);
                range->second.thread = globalTid(m_process, device);
                TRY(m_nvtx.moveRange(range->second.id, device, launch.window));
            }
        return {};
    }
    std::optional<std::int64_t> threadOf(const OpOfIteration& of) const
    {
        if (const auto range = m_ranges.find({of.op, of.iteration}); range != m_ranges.end())
            return range->second.thread;
        return of.op < m_index.count()
            ? std::optional(globalTid(m_process, m_index.deviceOf(of.op)))
            : std::nullopt;
    }

    Result<void> writeIteration(const Iteration& iteration)
    {
        const std::pair key(iteration.kind, iteration.number);
        const auto found = std::ranges::find(m_iterations, key);
        const std::uint32_t index = found - m_iterations.begin();
        if (found == m_iterations.end())
            m_iterations.push_back(key);
        TRY(insert(IterationRow{++m_lastRow, index, iteration}));
        std::uint32_t microBatch = 0;
        for (const float loss : iteration.microBatchLoss)
            TRY(insert(LossRow{++m_lastRow, index, microBatch++, static_cast<double>(loss)}));
        return {};
    }
    Result<void> writeTrack(const Batch::TrackSpans& track)
    {
        if (!track.device.isValid() || track.device.value >= m_schedule.shape.devices)
            return invalid("a track belongs to device {}, which the schedule does not have",
                           track.device.value);
        const auto [known, isNew] = m_tracks.try_emplace({track.device, track.kind}, m_lastRow + 1);
        if (isNew)
            TRY(insert(TrackRow{++m_lastRow, track.device, track.kind}));
        for (const Span& span : track.spans)
            TRY(writeSpan(span, track.device, known->second));
        return {};
    }
    Result<void> writeSpan(const Span& span, DeviceId device, std::int64_t track)
    {
        TRY(checkTarget(span.op, span.iteration));
        const std::int64_t id = ++m_lastRow;
        TRY(insert(SpanRow{id, track, span}));
        // Spans of the Replay get no NVTX range, because they were computed and not executed.
        if (m_iterations[span.iteration].first == Iteration::Kind::Replay)
            return {};
        const auto thread = TRY(m_nvtx.write(id, opAt(m_schedule, m_index, span.op), device, span));
        if (m_keepsRanges)
            m_ranges[{span.op, span.iteration}] = {id, thread};
        return {};
    }
    Result<void> writeMemory(const MemoryEvent& event)
    {
        const bool hasOp = event.op != MemoryEvent::kNoOp;
        if ((hasOp && event.op >= m_index.count()) || event.device >= m_schedule.shape.devices)
            return invalid(
                "a memory event belongs to op {} on device {}, which the schedule does not have",
                event.op, event.device);
        return insert(MemoryRow{++m_lastRow, event, static_cast<std::uint8_t>(event.category)});
    }
    Result<void> checkTarget(std::uint32_t op, std::uint32_t iteration) const
    {
        if (op < m_index.count() && iteration < m_iterations.size())
            return {};
        return invalid("a span is of op {} in iteration {}: there are {} ops and {} "
                       "iterations so far",
                       op, iteration, m_index.count(), m_iterations.size());
    }
    template<class Row>
    Result<void> insert(const Row& row)
    {
        return std::get<Insert<Row>>(m_inserts).run(row);
    }

    template<class... Rows>
    using Inserts = std::tuple<Insert<Rows>...>;
    struct RangeRef
    {
        std::int64_t id = 0, thread = 0;
    };
    Database& m_database;
    const RunInfo m_info;
    const Schedule m_schedule;
    const OpIndex m_index;
    const std::int64_t m_process;
    NvtxWriter m_nvtx;
    GpuWriter m_gpu;
    Inserts<IterationRow, LossRow, TrackRow, SpanRow, MemoryRow, OpRow> m_inserts;
    std::int64_t m_lastRow = 0;
    std::map<std::pair<DeviceId, Track::Kind>, std::int64_t> m_tracks;
    std::vector<std::pair<Iteration::Kind, int>> m_iterations;
    bool m_keepsRanges = false;
    // The NVTX ranges of this batch, by op and iteration.
    std::map<std::pair<std::uint32_t, std::uint32_t>, RangeRef> m_ranges;
};

namespace {

// Writes a file with tables, info and schedule, but without the rows that are added during a run.
// `file` must not exist.
Result<void> writeEmptyRun(const std::filesystem::path& file, const RunInfo& info,
                           const Schedule& schedule)
{
    TRY(checkSchedule(schedule));
    auto database = TRY(Database::open(file, Database::Access::Create));
    const std::int64_t process = getpid();
    const Run run{info, schedule, {}};
    // No other process knows the name of the file yet, so it needs no journal.
    TRY(database.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN"));
    TRY(createTables(database));
    TRY(writeInfo(database, info));
    TRY(writeSchedule(database, schedule));
    TRY(writeDevices(database, run, process));
    TRY(writeMachine(database, info.machine, process));
    TRY(writeNsightSession(database, run, process));
    return database.execute("COMMIT");
}

// The data that is written at the end of a run.
struct RunEnd
{
    Outcome outcome;
    const std::string& failure;
    std::span<const ArenaUse> arenas;
    std::int64_t lastEnd = 0; // end of the run in ns; scripts of Nsight Systems read it first
    GpuClocks clocks = {};    // empty if already written, or not measured
};
Result<void> writeEnd(Database& database, const RunEnd& end)
{
    TRY(database.execute("BEGIN IMMEDIATE"));
    TRY(writeOutcome(database, end.outcome, end.failure));
    TRY(writeArenas(database, end.arenas));
    TRY(writeClocks(database, end.clocks));
    TRY(writeRows<AnalysisRow>(database, {{0, end.lastEnd, 0, end.lastEnd}}));
    return database.execute("COMMIT");
}

// Merges "-wal" into the run's file, flushes the file and closes the database. Waits up to ten
// seconds for readers. Fails with Error::Code::Io if a reader remains; the run is then complete,
// but a part of it is still in "-wal".
Result<void> seal(Database database)
{
    const std::filesystem::path file = database.file();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    // EXCLUSIVE locks out readers while SQLite removes the WAL and then changes the header. A
    // reader between these two steps would create a new WAL.
    TRY(database.execute("PRAGMA synchronous=FULL; PRAGMA locking_mode=EXCLUSIVE"));
    while (true) {
        const auto mode = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").and_then([&] {
            return database.text("PRAGMA journal_mode=DELETE");
        });
        if (mode && *mode != "wal")
            break;
        const bool inUse = mode || (database.code() & 0xFF) == SQLITE_BUSY;
        if (!inUse)
            return tl::unexpected(mode.error());
        if (std::chrono::steady_clock::now() > deadline)
            return fail(Error::Code::Io,
                        "another program has {0} open: the run is complete, "
                        "but part of it is in {0}-wal; keep both files",
                        file.string());
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    {
        const Database closed = std::move(database);
    }
    return syncToDisk(file);
}

// Splits a timeline into one batch per iteration.
class IterationBatches
{
public:
    explicit IterationBatches(const Timeline& timeline)
        : m_timeline(timeline)
        , m_next(timeline.tracks.size(), 0)
    { }
    bool hasNext() const { return m_iteration < m_timeline.iterations.size(); }
    Batch next()
    {
        const auto& iterations = m_timeline.iterations;
        Batch batch;
        batch.iterations = {iterations[m_iteration]};
        for (std::size_t t = 0; t < m_next.size(); ++t) {
            const Track& track = m_timeline.tracks[t];
            auto& rows = batch.spans.emplace_back(Batch::TrackSpans{track.device, track.kind, {}});
            while (m_next[t] < track.spans.size()
                   && track.spans[m_next[t]].iteration <= m_iteration)
                rows.spans.push_back(track.spans[m_next[t]++]);
        }
        ++m_iteration;
        const auto& memory = m_timeline.memory;
        while (m_memory < memory.size()
               && (!hasNext() || memory[m_memory].time < iterations[m_iteration].window.begin))
            batch.memory.push_back(memory[m_memory++]);
        return batch;
    }

private:
    const Timeline& m_timeline;
    std::size_t m_iteration = 0, m_memory = 0;
    std::vector<std::size_t> m_next; // by track: the first span that was not taken yet
};

// Writes the iterations one by one, in the order in which a run is recorded, so that a reader of a
// large file can show the first iterations early. A run with GPU activity is written as one batch,
// because that activity refers to all spans.
Result<void> writeTimeline(RowWriter& rows, const Timeline& timeline, GpuTrace gpu)
{
    if (!gpu.launches.empty() || !gpu.calls.empty() || timeline.iterations.empty()) {
        Batch batch = batchOf(timeline, 0, 0);
        batch.gpu = std::move(gpu);
        return rows.write(batch);
    }
    for (IterationBatches batches(timeline); batches.hasNext();) {
        Batch batch = batches.next();
        if (!batches.hasNext())
            batch.gpu = std::exchange(gpu, {});
        TRY(rows.write(batch));
    }
    return {};
}

} // namespace

// A commit that waits longer than this for the lock of another program is reported to the caller of
// flush().
constexpr int kLockedMilliseconds = 1000;

// Producers put batches into a queue. One thread commits all queued batches in one transaction.
struct TraceWriter::Impl
{
    Impl(NewFile locked, Database opened)
        : file(std::move(locked))
        , database(std::move(opened))
    { }

    Result<void> begin(const RunInfo& info, const Schedule& schedule)
    {
        const auto mode = TRY(database.text("PRAGMA journal_mode=WAL"));
        wal = mode == "wal";
        disk = onDisk(database.file());
        sqlite3_busy_timeout(database.handle(), kLockedMilliseconds);
        // With synchronous=NORMAL, no commit is lost if the program is killed. A power failure may
        // lose the last seconds, but does not damage the file.
        TRY(database.execute("PRAGMA synchronous=NORMAL"));
        TRY(writeJournal(database, mode));
        rows.emplace(database, info, schedule);
        thread = std::thread([this] { commitUntilStopped(); });
        return {};
    }

    void commitUntilStopped()
    {
        // Without WAL, the thread commits at most once per second, because each commit waits for
        // the disk twice and locks out readers.
        const auto pause = wal ? Clock::duration::zero() : std::chrono::seconds(1);
        auto next = Clock::now();
        std::unique_lock lock(mutex);
        while (true) {
            work.wait(lock, [&] { return stopping || !queue.empty(); });
            work.wait_until(lock, next, [&] { return stopping || flushing > 0; });
            if (queue.empty())
                return;
            const std::vector<Batch> batches = std::exchange(queue, {});
            const bool write = !failure;
            lock.unlock();
            const Result<void> written = write ? commit(batches) : Result<void>();
            lock.lock();
            if (!written)
                failure = written.error();
            else if (write)
                lastRow = rows->lastRow();
            committed += batches.size();
            next = Clock::now() + pause;
            done.notify_all();
        }
    }

    Result<void> commit(const std::vector<Batch>& batches)
    {
        if (onDisk(database.file()) != disk)
            return fail(Error::Code::NotFound,
                        "{} was deleted or replaced while it was recorded: start "
                        "the run again",
                        database.file().string());
        Result<void> written = executeWhenFree("BEGIN IMMEDIATE");
        for (const Batch& batch : batches)
            written = written.and_then([&] { return rows->write(batch); });
        written = written.and_then([&] { return executeWhenFree("COMMIT"); });
        if (!written)
            (void)database.execute("ROLLBACK"); // SQLite may already have rolled back
        return written;
    }

    // Executes the statement. If another program has locked the file, the thread waits until a
    // caller of flush() decides whether to try again or to give up.
    Result<void> executeWhenFree(const std::string& sql)
    {
        constexpr int kMostTries = 5; // limit after stop() was called
        for (int tries = 1;; ++tries) {
            auto executed = database.execute(sql);
            if (executed || executed.error().code != Error::Code::Locked)
                return executed;
            std::unique_lock lock(mutex);
            isLocked = true;
            done.notify_all();
            unlocked.wait(lock, [&] { return !isLocked || stopping; });
            if (givesUp || (stopping && tries >= kMostTries))
                return executed;
        }
    }

    void stop()
    {
        if (!thread.joinable())
            return;
        {
            const std::lock_guard lock(mutex);
            stopping = true;
        }
        work.notify_all();
        unlocked.notify_all();
        thread.join();
    }

    Result<void> end(RunEnd last)
    {
        if (failure) {
            // Stores the failure. This often succeeds even if the disk is full, because the pages
            // of the failed transaction are free again.
            (void)writeOutcome(database, Outcome::Failed, failure->message);
            rows.reset();
            (void)seal(std::move(database)); // if the disk has space for the pages of "-wal"
            return tl::unexpected(*failure);
        }
        last.lastEnd = rows->lastEnd();
        rows.reset();
        sqlite3_busy_timeout(database.handle(), static_cast<int>(kLockWait.count()));
        TRY(writeEnd(database, last));
        return seal(std::move(database));
    }

    NewFile file; // holds the lock
    Database database;
    std::optional<RowWriter> rows; // used by the thread while it runs
    bool wal = false;
    DiskFile disk; // identity of the published file

    std::mutex mutex; // protects the members below
    std::condition_variable work, done, unlocked;
    std::vector<Batch> queue;
    // Numbers of batches; `committed` includes batches that failed.
    std::int64_t appended = 0, committed = 0;
    std::int64_t lastRow = 0;
    std::optional<Error> failure; // the first failure; nothing is written after it
    int flushing = 0;
    // Whether another program locks the file. The thread waits until flush() clears this flag.
    bool isLocked = false;
    bool givesUp = false; // set if a caller of flush() does not want to wait for the lock
    bool stopping = false;

    std::thread thread;
};

Result<TraceWriter> TraceWriter::create(NewFile file, const RunInfo& info, const Schedule& schedule)
{
    TRY(writeEmptyRun(file.path(), info, schedule));
    TRY(file.publish());
    auto database = TRY(Database::open(file.target(), Database::Access::ReadWrite));
    auto impl = std::make_unique<Impl>(std::move(file), std::move(database));
    TRY(impl->begin(info, schedule));
    return TraceWriter(std::move(impl));
}

Result<TraceWriter> TraceWriter::create(const std::filesystem::path& file, const RunInfo& info,
                                        const Schedule& schedule, IfExists ifExists)
{
    return NewFile::beside(file, ifExists).and_then([&](NewFile created) {
        return create(std::move(created), info, schedule);
    });
}

TraceWriter::TraceWriter(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{ }

TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;

TraceWriter& TraceWriter::operator=(TraceWriter&& other) noexcept
{
    if (m_impl)
        m_impl->stop();
    m_impl = std::move(other.m_impl);
    return *this;
}

TraceWriter::~TraceWriter()
{
    if (m_impl)
        m_impl->stop();
}

bool TraceWriter::growsSlowly() const
{
    return !m_impl->wal;
}

void TraceWriter::append(Batch batch)
{
    CHECK(m_impl->thread.joinable());
    {
        const std::lock_guard lock(m_impl->mutex);
        m_impl->queue.push_back(std::move(batch));
        ++m_impl->appended;
    }
    m_impl->work.notify_one();
}

Result<std::int64_t> TraceWriter::flush(const std::function<bool()>& waits)
{
    std::unique_lock lock(m_impl->mutex);
    const std::int64_t target = m_impl->appended;
    ++m_impl->flushing;
    m_impl->work.notify_one();
    while (m_impl->committed < target) {
        m_impl->done.wait(lock, [&] { return m_impl->committed >= target || m_impl->isLocked; });
        if (!m_impl->isLocked)
            continue;
        lock.unlock();
        const bool again = waits && waits();
        lock.lock();
        m_impl->givesUp = !again;
        m_impl->isLocked = false;
        m_impl->unlocked.notify_all();
    }
    --m_impl->flushing;
    if (m_impl->failure)
        return tl::unexpected(*m_impl->failure);
    return m_impl->lastRow;
}

Result<void> TraceWriter::finish(Outcome outcome, const std::string& failure,
                                 std::span<const ArenaUse> arenas, const GpuClocks& clocks)
{
    CHECK(m_impl->thread.joinable());
    m_impl->stop();
    const NewFile unlocked = std::move(m_impl->file);
    return m_impl->end({outcome, failure, arenas, 0, clocks});
}

Batch batchOf(const Timeline& timeline, std::size_t firstIteration, std::size_t firstMemory)
{
    const auto from = [](const auto& all, std::size_t first) {
        return all.begin() + static_cast<std::ptrdiff_t>(std::min(first, all.size()));
    };
    Batch batch;
    batch.iterations.assign(from(timeline.iterations, firstIteration), timeline.iterations.end());
    batch.memory.assign(from(timeline.memory, firstMemory), timeline.memory.end());
    for (const Track& track : timeline.tracks) {
        Batch::TrackSpans& rows = batch.spans.emplace_back();
        rows.device = track.device;
        rows.kind = track.kind;
        // Iterations are in order, so the new spans are at the end.
        auto first = track.spans.end();
        while (first != track.spans.begin() && std::prev(first)->iteration >= firstIteration)
            --first;
        rows.spans.assign(first, track.spans.end());
    }
    return batch;
}

// Writes the complete run to a temporary file next to its target, so that readers see either all of
// it or nothing.
Result<void> writeRun(NewFile file, const Run& run, GpuTrace gpu)
{
    TRY(writeEmptyRun(file.path(), run.info, run.schedule));
    auto database = TRY(Database::open(file.path(), Database::Access::ReadWrite));
    {
        RowWriter rows(database, run.info, run.schedule);
        TRY(database.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN"));
        TRY(writeTimeline(rows, run.timeline, std::move(gpu)));
        TRY(database.execute("COMMIT"));
        TRY(writeEnd(database,
                     {run.info.outcome, run.info.failure, run.info.arenas, rows.lastEnd()}));
    }
    TRY(seal(std::move(database)));
    return file.publish();
}

Result<void> writeRun(const std::filesystem::path& file, const Run& run, IfExists ifExists)
{
    return NewFile::beside(file, ifExists).and_then([&](NewFile created) {
        return writeRun(std::move(created), run);
    });
}

} // namespace profiler
