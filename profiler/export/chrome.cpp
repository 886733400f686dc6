#include "engine/base/version.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"
#include "engine/timeline/kernel_name.h"
#include "engine/timeline/nvtx_range.h"
#include "engine/timeline/run.h"
#include "engine/timeline/timeline.h"
#include "profiler/export/exporters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace profiler {

using namespace engine;

std::vector<int> subLanes(const Track& track)
{
    const bool nests = track.kind == Track::Kind::Compute;
    std::vector<Window> last; // last window of each sub-lane
    std::vector<int> lanes;
    lanes.reserve(track.spans.size());
    for (const Span& span : track.spans) {
        const Window window = span.window();
        const auto free = std::ranges::find_if(last, [&](Window before) {
            return before.end <= window.begin || (nests && before == window);
        });
        lanes.push_back(static_cast<int>(free - last.begin()));
        if (free == last.end())
            last.push_back(window);
        else
            *free = window;
    }
    return lanes;
}

namespace {

// A row of the trace. It needs several threads if its slices overlap.
struct ChromeRow
{
    int process = 0;
    std::int64_t major = 0, minor = 0; // identify the row within its process

    friend auto operator<=>(const ChromeRow&, const ChromeRow&) = default;
};

struct ChromePlace
{
    int process = -1, thread = 0;
};

// Thread ids below this one are reserved for the lanes of a device.
constexpr int kFirstThread = 1000;
constexpr std::string_view kArrowBegin = R"("s")", kArrowEnd = R"("f","bp":"e")";
constexpr std::int64_t kMostExact = std::int64_t{1} << 53;

// Converts nanoseconds to microseconds as Chrome's format writes them: "12.345".
std::string microseconds(std::int64_t ns)
{
    return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns / 1000), std::abs(ns % 1000));
}

// A JSON number, or a JSON string if the magnitude exceeds 2^53, because viewers would lose digits.
std::string chromeNumber(std::int64_t number)
{
    const bool isExact = -kMostExact <= number && number <= kMostExact;
    return fmt::format(fmt::runtime(isExact ? "{}" : "\"{}\""), number);
}

std::string chromeNumber(std::uint64_t number)
{
    return fmt::format(fmt::runtime(number <= std::uint64_t{kMostExact} ? "{}" : "\"{}\""), number);
}

// Writes the events of a Chrome trace.
class ChromeEvents
{
public:
    explicit ChromeEvents(TextPieces& text)
        : m_text(text)
    { }

    // Adds an event. `text` is the fmt format of the event's JSON without the outer braces.
    template<class... Values>
    void add(fmt::format_string<Values...> text, Values&&... values)
    {
        m_text.add("{}", std::exchange(m_isFirst, false) ? "\n{" : ",\n{");
        m_text.add(text, std::forward<Values>(values)...);
        m_text.add("}}");
    }
    // Adds a slice, with times in nanoseconds. `name` is a JSON string with its quotes, and
    // `arguments` is the fmt format of the arguments' JSON without the braces.
    template<class... Values>
    void addSlice(std::string_view name, std::string_view category, ChromePlace at, Window window,
                  fmt::format_string<Values...> arguments, Values&&... values)
    {
        add(R"("ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}})",
            name, category, at.process, at.thread, microseconds(window.begin),
            microseconds(window.duration()),
            fmt::format(arguments, std::forward<Values>(values)...));
    }
    // Adds the begin or the end of an arrow, whose `id` is JSON.
    void addArrowEnd(std::string_view phase, std::string_view name, std::string_view category,
                     std::string_view id, ChromePlace at, std::int64_t time)
    {
        add(R"("ph":{},"name":"{}","cat":"{}","id":{},"pid":{},"tid":{},"ts":{})", phase, name,
            category, id, at.process, at.thread, microseconds(time));
    }
    void nameProcess(int process, const std::string& name)
    {
        add(R"("ph":"M","name":"process_name","pid":{},"args":{{"name":{}}})", process,
            jsonText(name));
        add(R"("ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}})", process,
            process);
    }
    void nameThread(int process, int thread, const std::string& name)
    {
        add(R"("ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}})", process,
            thread, jsonText(name));
        add(R"("ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}})",
            process, thread, thread);
    }

    // Returns the place for a slice. Viewers drop overlapping slices of one thread, so this is the
    // first thread of the row whose slices have all ended when `window` begins. If there is no such
    // thread, a new one is added, with the name that `name` returns.
    template<class Name>
    ChromePlace placeOf(const ChromeRow& row, Window window, Name name)
    {
        // The maximum number of threads per row. When it is reached, the last thread takes the
        // remaining slices, even if they overlap.
        constexpr std::size_t kMostThreads = 64;
        std::vector<Thread>& threads = m_rows[row];
        for (Thread& thread : threads)
            if (thread.end <= window.begin || &thread == threads.data() + kMostThreads - 1)
                return {row.process, take(thread, window.end)};
        const std::string number = threads.empty() ? "" : fmt::format(" {}", threads.size() + 1);
        return {row.process, take(addThread(row.process, threads, name() + number), window.end)};
    }
    // Returns the first thread of a row. Use it for slices that nest.
    template<class Name>
    ChromePlace placeOf(const ChromeRow& row, Name name)
    {
        std::vector<Thread>& threads = m_rows[row];
        if (threads.empty())
            addThread(row.process, threads, name());
        return {row.process, threads.front().id};
    }

private:
    struct Thread
    {
        int id = 0;
        std::int64_t end = INT64_MIN; // end of the thread's last slice
    };
    Thread& addThread(int process, std::vector<Thread>& threads, const std::string& name)
    {
        const int id = m_last.try_emplace(process, kFirstThread - 1).first->second += 1;
        nameThread(process, id, name);
        return threads.emplace_back(Thread{id});
    }
    static int take(Thread& thread, std::int64_t end)
    {
        thread.end = std::max(thread.end, end);
        return thread.id;
    }

    TextPieces& m_text;
    bool m_isFirst = true;
    std::map<ChromeRow, std::vector<Thread>> m_rows;
    std::map<int, int> m_last; // process -> number of its last thread
};

// Returns Kineto's name of a kind of memory.
std::string memoryName(std::uint8_t memory)
{
    constexpr std::array<std::string_view, 8> kNames{"Unknown",       "Pageable",      "Pinned",
                                                     "Device",        "Array",         "Managed",
                                                     "Device Static", "Managed Static"};
    return std::string(kNames[memory < kNames.size() ? memory : 0]);
}

std::string copyName(const GpuCopy& copy)
{
    constexpr std::array<std::string_view, 11> kNames{
        "", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
    return fmt::format("Memcpy {} ({} -> {})", kNames[copy.kind < kNames.size() ? copy.kind : 0],
                       memoryName(copy.sourceMemory), memoryName(copy.targetMemory));
}

std::string_view waitName(std::uint32_t type)
{
    constexpr std::array<std::string_view, 5> kNames{
        "Synchronization", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};
    return kNames[type < kNames.size() ? type : 0];
}

// Whether the call puts work on a stream.
bool launches(const GpuCall& call, std::string_view name)
{
    const auto has = [name](const char* part) { return name.find(part) != std::string_view::npos; };
    return call.correlation != 0
        && (call.of.isKnown() || has("Launch") || has("Memcpy") || has("Memset"));
}

std::string hostRowName(const Op& op, DeviceId device)
{
    return isCompute(op.kind)
        ? fmt::format("device {}", device.value)
        : fmt::format("device {} {}", device.value, rangeCategory(op.kind).name);
}

// Writes the GPU records of a run as Kineto does:
//  * kernels, copies and memsets on a thread per stream, in the process of their device,
//  * calls and NVTX ranges in a process for the host,
//  * a flow from each call to the work that it launched,
//  * counters of the clocks.
class GpuText
{
public:
    GpuText(const Run& run, ChromeEvents& out)
        : m_run(run)
        , m_index(run.schedule)
        , m_host(run.schedule.shape.devices)
        , m_out(out)
    { }

    void add(const GpuTrace& trace)
    {
        if (!trace.isEmpty() && !std::exchange(m_hasBegun, true))
            begin();
        learnPlaces(trace);
        for (const GpuOpLaunch& launch : trace.launches)
            addOpRange(launch.of, launch.window);
        for (const GpuRange& range : trace.ranges)
            addRange(trace, range);
        std::vector<std::string> names; // as JSON strings
        for (const std::string& text : trace.strings)
            names.push_back(jsonText(demangled(text)));
        for (const GpuKernel& kernel : trace.kernels)
            addWork(kernel, "kernel", names[kernel.name],
                    fmt::format(R"(,"registers per thread":{},"shared memory":{},)"
                                R"("grid":[{}],"block":[{}])",
                                kernel.registers,
                                std::int64_t{kernel.staticShared} + kernel.dynamicShared,
                                fmt::join(kernel.grid, ","), fmt::join(kernel.block, ",")));
        for (const GpuCopy& copy : trace.copies)
            addWork(copy, "gpu_memcpy", jsonText(copyName(copy)),
                    fmt::format(R"(,"bytes":{})", chromeNumber(copy.bytes)));
        for (const GpuMemset& memset : trace.memsets)
            addWork(memset, "gpu_memset", fmt::format("\"Memset ({})\"", memoryName(memset.memory)),
                    fmt::format(R"(,"bytes":{})", chromeNumber(memset.bytes)));
        for (const GpuCall& call : trace.calls)
            addCall(trace, call);
        for (const GpuWait& wait : trace.waits)
            addWait(wait);
        for (const GpuAllocation& event : trace.allocations)
            addAllocation(event);
        for (const GpuOverhead& overhead : trace.overheads)
            m_out.addSlice("\"CUPTI overhead\"", "overhead",
                           m_out.placeOf({m_host, INT64_MAX, 0}, overhead.window,
                                         [] { return std::string("CUPTI"); }),
                           overhead.window, R"("kind":{})", overhead.kind);
        if (m_run.info.mode != Mode::Emulate) // samples of emulated runs are in wall-clock time
            for (const GpuSample& sample : trace.samples)
                addSample(sample);
    }

private:
    // Names the process of the host. For an emulated run it also adds a range for each op, with the
    // window of the op's span. In other runs the ranges come from the recorded launches.
    void begin()
    {
        m_out.nameProcess(m_host, "host");
        if (m_run.info.mode != Mode::Emulate)
            return;
        for (const Track& track : m_run.timeline.tracks)
            for (const Span& span : track.spans)
                if (m_run.timeline.iterations[span.iteration].kind != Iteration::Kind::Replay)
                    addOpRange({span.op, span.iteration}, span.window());
    }
    void learnPlaces(const GpuTrace& trace)
    {
        for (const GpuStreamName& stream : trace.streamNames)
            m_streams[{stream.context, stream.stream}] = trace.strings[stream.name];
        for (const GpuKernel& kernel : trace.kernels)
            if (opOf(kernel.of) != nullptr)
                m_owners[kernel.place.context] = m_index.deviceOf(kernel.of.op).value;
    }
    void addOpRange(OpOfIteration of, Window window)
    {
        const Op* const op = opOf(of);
        if (op == nullptr)
            return;
        const DeviceId device = m_index.deviceOf(of.op);
        const auto name = [&] { return hostRowName(*op, device); };
        const ChromeRow row = hostRow(*op, device);
        const ChromePlace first = m_out.placeOf(row, name), at = m_out.placeOf(row, window, name);
        if (at.thread != first.thread)
            m_threads[key(of)] = at.thread;
        const std::string text
            = rangeText(*op, m_run.schedule.shape, nvtxGrammarNamed(m_run.info.nvtxGrammar));
        m_out.addSlice('"' + text + '"', "user_annotation", at, window, R"("iteration":{})",
                       of.iteration);
    }
    void addRange(const GpuTrace& trace, const GpuRange& range)
    {
        const ChromeRow row{m_host, range.thread, range.nests ? 0 : 1};
        const auto name = [&] { return fmt::format("thread {}", range.thread); };
        const ChromePlace at
            = range.nests ? m_out.placeOf(row, name) : m_out.placeOf(row, range.window, name);
        const std::string payload
            = range.payload ? fmt::format(R"(,"payload":{})", chromeNumber(*range.payload)) : "";
        m_out.addSlice(jsonText(trace.strings[range.text]), "user_annotation", at, range.window,
                       R"("domain":{}{}{})", jsonText(trace.strings[range.domain]), payload,
                       opArguments(range.of));
    }
    void addCall(const GpuTrace& trace, const GpuCall& call)
    {
        const std::string& name = trace.strings[call.name];
        const Op* const op = opOf(call.of);
        const ChromePlace at = op != nullptr ? placeOnHost(call.of, *op)
                                             : m_out.placeOf({m_host, call.thread, 0}, [&] {
                                                   return fmt::format("thread {}", call.thread);
                                               });
        m_out.addSlice(jsonText(name), call.isDriver ? "cuda_driver" : "cuda_runtime", at,
                       call.window, R"("correlation":{}{})", call.correlation,
                       opArguments(call.of));
        if (launches(call, name))
            m_out.addArrowEnd(kArrowBegin, "ac2g", "ac2g", fmt::format("{}", call.correlation), at,
                              call.window.begin);
    }
    void addWait(const GpuWait& wait)
    {
        const GpuPlace& place = wait.place;
        const ChromePlace at = m_out.placeOf(
            {processOf(place, {}), place.context,
             std::int64_t{place.stream} - (std::int64_t{1} << 32)},
            wait.window, [&] { return fmt::format("stream {} (sync)", place.stream); });
        m_out.addSlice(fmt::format("\"{}\"", waitName(wait.type)), "cuda_sync", at, wait.window,
                       "{}", placeArguments(place));
    }
    void addAllocation(const GpuAllocation& event)
    {
        constexpr int kCudaDevice = 1; // PyTorch's number of the device type CUDA
        const auto bytes
            = static_cast<std::int64_t>(std::min<std::uint64_t>(event.bytes, INT64_MAX));
        const ChromePlace at = m_out.placeOf({processOf(event.place, {}), -1, 0},
                                             [] { return std::string("allocations"); });
        m_out.add(
            R"("ph":"i","s":"t","name":"[memory]","cat":"cpu_instant_event","pid":{},"tid":{},)"
            R"("ts":{},"args":{{"Device Type":{},"Device Id":{},"Addr":{},"Bytes":{}}})",
            at.process, at.thread, microseconds(event.time), kCudaDevice, event.place.device,
            chromeNumber(event.address), chromeNumber(event.isFree ? -bytes : bytes));
    }
    void addSample(const GpuSample& sample)
    {
        const auto counter = [&](std::string_view name, std::string_view unit, const auto& value) {
            m_out.add(R"("ph":"C","name":"GPU {} {}","pid":{},"tid":0,"ts":{},"args":{{"{}":{}}})",
                      sample.device, name, m_host, microseconds(sample.time), unit, value);
        };
        if (sample.smClock != 0)
            counter("SM clock", "MHz", sample.smClock);
        if (sample.memoryClock != 0)
            counter("memory clock", "MHz", sample.memoryClock);
        if (sample.power != 0)
            counter("power", "W", sample.power / 1000.0);
        if (sample.temperature != 0)
            counter("temperature", "degrees Celsius", sample.temperature);
    }
    // `name` is a JSON string with its quotes.
    template<class Work>
    void addWork(const Work& work, std::string_view category, const std::string& name,
                 const std::string& arguments)
    {
        const Window window = work.window;
        if (window.duration() <= 0) // the time stamp is missing
            return;
        const GpuPlace& place = work.place;
        const ChromePlace at
            = m_out.placeOf({processOf(place, work.of), place.context, place.stream}, window,
                            [&] { return streamName(place); });
        m_out.addSlice(name, category, at, window, "{}{}{}", placeArguments(place), arguments,
                       opArguments(work.of));
        if (place.correlation != 0)
            m_out.addArrowEnd(kArrowEnd, "ac2g", "ac2g", fmt::format("{}", place.correlation), at,
                              window.begin);
    }

    const Op* opOf(OpOfIteration of) const
    {
        return of.op < m_index.count() ? &opAt(m_run.schedule, m_index, of.op) : nullptr;
    }
    static std::string placeArguments(const GpuPlace& place)
    {
        return fmt::format(R"("device":{},"context":{},"stream":{},"correlation":{})", place.device,
                           place.context, place.stream, place.correlation);
    }
    std::string opArguments(OpOfIteration of) const
    {
        const Op* const op = opOf(of);
        return op == nullptr
            ? ""
            : fmt::format(R"(,"op":"{}","iteration":{})", toString(*op), of.iteration);
    }
    // Returns the process of a piece of GPU work: the device of its op or, if the op is unknown, a
    // device that ran kernels in the same context. If there is no such device, the GPU gets a
    // separate process.
    int processOf(const GpuPlace& place, OpOfIteration of)
    {
        if (opOf(of) != nullptr)
            return m_index.deviceOf(of.op).value;
        if (const auto found = m_owners.find(place.context); found != m_owners.end())
            return found->second;
        constexpr std::uint32_t kMostGpus = 100'000;
        const std::uint32_t gpu = std::min(place.device, kMostGpus);
        const int process = m_host + 1 + static_cast<int>(gpu);
        if (m_otherGpus.try_emplace(gpu, true).second)
            m_out.nameProcess(process, fmt::format("GPU {} (no device)", gpu));
        return process;
    }
    // Returns the host thread that shows the op's range.
    ChromePlace placeOnHost(OpOfIteration of, const Op& op)
    {
        if (const auto found = m_threads.find(key(of)); found != m_threads.end())
            return {m_host, found->second};
        const DeviceId device = m_index.deviceOf(of.op);
        return m_out.placeOf(hostRow(op, device), [&] { return hostRowName(op, device); });
    }
    std::string streamName(const GpuPlace& place) const
    {
        const auto found = m_streams.find({place.context, place.stream});
        return found == m_streams.end()
            ? fmt::format("stream {}", place.stream)
            : fmt::format("stream {} ({})", place.stream, found->second);
    }
    // Returns the row for the op's range on the host. A device has one row for compute ops, and one
    // for each category of other ops.
    ChromeRow hostRow(const Op& op, DeviceId device) const
    {
        return {m_host, -1 - device.value, isCompute(op.kind) ? 0 : rangeCategory(op.kind).id};
    }

    const Run& m_run;
    OpIndex m_index;
    int m_host; // number of the host's process
    ChromeEvents& m_out;
    bool m_hasBegun = false;
    // Maps the key() of an op to its thread, for ops that are not on the first thread of their row.
    std::unordered_map<std::uint64_t, int> m_threads;
    std::unordered_map<std::uint32_t, int> m_owners; // context -> process
    // The name of each stream, by context and stream.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> m_streams;
    std::map<std::uint32_t, bool> m_otherGpus;
};

// The thread id of a span is its lane + kSubLane * its sub-lane.
constexpr int kSubLane = 10;

// Replaces commas, because viewers split process labels at them.
std::string withoutCommas(std::string text)
{
    std::ranges::replace(text, ',', ';');
    return text;
}

class TraceText
{
public:
    TraceText(const Run& run, const TextSink& sink)
        : m_run(run)
        , m_index(run.schedule)
        , m_text(sink)
        , m_out(m_text)
    { }

    Result<void> write(const GpuPieces& gpu)
    {
        const RunInfo& info = m_run.info;
        m_text.add(
            "{{\"schemaVersion\":1,\"displayTimeUnit\":\"ms\",\"otherData\":{{\"program\":{},"
            "\"scheme\":{},\"mode\":{},\"clock\":{},\"command\":{}}},\"traceEvents\":[",
            jsonText(info.program.empty() ? buildId() : info.program), jsonText(info.scheme),
            jsonText(modeName(info.mode)),
            jsonText(info.inUnits() ? "virtual, one unit is one second" : "nanoseconds"),
            jsonText(info.command));
        writeDevices();
        for (const Track& track : m_run.timeline.tracks)
            writeTrack(track);
        writeFlows();
        writeMemory();
        GpuText ofGpu(m_run, m_out);
        const auto done
            = gpu ? gpu([&ofGpu](const GpuTrace& trace) { ofGpu.add(trace); }) : Result<void>();
        m_text.add("\n]}}\n");
        return done;
    }

private:
    std::int64_t nanoseconds(std::int64_t ticks) const { return nanosecondsOf(m_run.info, ticks); }
    void writeDevices()
    {
        const std::string label = jsonText(
            withoutCommas(fmt::format("{}; {}", m_run.info.label, modeDescription(m_run.info))));
        for (int d = 0; d < m_run.schedule.shape.devices; ++d) {
            m_out.nameProcess(d, fmt::format("device {}", d));
            m_out.add(R"("ph":"M","name":"process_labels","pid":{},"args":{{"labels":{}}})", d,
                      label);
        }
    }
    void writeTrack(const Track& track)
    {
        const std::vector<int> lanes = subLanes(track);
        std::set<int> named;
        for (std::size_t i = 0; i < track.spans.size(); ++i) {
            const Span& span = track.spans[i];
            const Op& op = opAt(m_run.schedule, m_index, span.op);
            const int thread = static_cast<int>(track.kind) + kSubLane * lanes[i];
            if (named.insert(thread).second) {
                const std::string number = lanes[i] == 0 ? "" : fmt::format(" {}", lanes[i] + 1);
                m_out.nameThread(track.device.value, thread,
                                 fmt::format("{}{}", laneName(track.kind), number));
            }
            writeSpan(span, op, {track.device.value, thread});
            rememberTransfer(span, op, {track.device.value, thread});
        }
    }
    void writeSpan(const Span& span, const Op& op, ChromePlace at)
    {
        const Iteration& iteration = m_run.timeline.iterations[span.iteration];
        const std::int64_t begin = nanoseconds(span.begin);
        m_out.addSlice(fmt::format("\"{}\"", rangeName(op)), kindShortName(op.kind), at,
                       {begin, begin + nanoseconds(span.end - span.begin)},
                       R"("iteration":{},"phase":"{}","stage":{},"microbatch":{},"replica":{})",
                       span.iteration, iterationKindName(iteration.kind), op.stage.value,
                       op.microBatch.isValid() ? fmt::format("{}", op.microBatch.value) : "null",
                       int{op.replica});
    }
    void rememberTransfer(const Span& span, const Op& op, ChromePlace at)
    {
        if (!isTransfer(op.kind))
            return;
        const Shape& shape = m_run.schedule.shape;
        const std::uint32_t value = valueIndex(transferredValue(op, shape), shape);
        Ends& ends = m_transfers[{shape.windows > 1 ? 0 : span.iteration, value}];
        (isSend(op.kind) ? ends.send : ends.receive) = {at, span.begin};
    }
    void writeFlows()
    {
        for (const auto& [key, ends] : m_transfers) {
            if (ends.send.at.process < 0 || ends.receive.at.process < 0)
                continue;
            const std::string id = fmt::format(R"("{}.{}")", key.first, key.second);
            m_out.addArrowEnd(kArrowBegin, "p2p", "pp", id, ends.send.at,
                              nanoseconds(ends.send.time));
            m_out.addArrowEnd(kArrowEnd, "p2p", "pp", id, ends.receive.at,
                              nanoseconds(ends.receive.time));
        }
    }
    void writeMemory()
    {
        using Totals = EnumArray<MemoryCategory, std::int64_t, kMemoryCategories>;
        std::unordered_map<int, Totals> totals;
        for (const MemoryEvent& change : m_run.timeline.memory) {
            Totals& total = totals[change.device];
            total[change.category] += change.bytes;
            std::string values;
            for (const MemoryCategory category : Totals::enumerators())
                values += fmt::format("{}{}:{}", values.empty() ? "" : ",",
                                      jsonText(memoryCategoryName(category)), total[category]);
            // The name contains the device, because Tracy merges counters of equal names.
            m_out.add(
                R"("ph":"C","name":"device {} memory","pid":{},"tid":0,"ts":{},"args":{{{}}})",
                change.device, change.device, microseconds(nanoseconds(change.time)), values);
        }
    }

    struct Ends
    {
        struct End
        {
            ChromePlace at;
            std::int64_t time = 0;
        };
        End send, receive;
    };

    const Run& m_run;
    OpIndex m_index;
    TextPieces m_text;
    ChromeEvents m_out;
    // The two ends of the arrow from a SEND to its RECV, by iteration and number of the value. For
    // a stream the key has iteration 0, because a SEND and its RECV can be in different iterations;
    // the numbers of values are unique there.
    std::map<std::pair<std::uint32_t, std::uint32_t>, Ends> m_transfers;
};

} // namespace

Result<void> exportChrome(const Run& run, const GpuPieces& gpu, const TextSink& sink)
{
    return TraceText(run, sink).write(gpu);
}

} // namespace profiler
