#include "profiler/export/chrome_gpu.h"

#include "engine/schedule/notation.h"
#include "engine/timeline/kernel_name.h"
#include "engine/timeline/nvtx_range.h"

#include <array>
#include <unordered_map>

namespace profiler {
namespace {

using namespace engine;

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

class GpuText
{
public:
    GpuText(const Run& run, ChromeEvents& out)
        : m_run(run)
        , m_index(run.schedule)
        , m_host(run.schedule.shape.devices)
        , m_out(out)
    { }

    void add(const GpuTrace& trace);

private:
    void begin();
    void learnPlaces(const GpuTrace& trace);
    void addOpRange(OpOfIteration of, Window window);
    void addRange(const GpuTrace& trace, const GpuRange& range);
    void addCall(const GpuTrace& trace, const GpuCall& call);
    void addWait(const GpuWait& wait);
    void addAllocation(const GpuAllocation& event);
    void addSample(const GpuSample& sample);
    // `name` is a JSON string with its quotes.
    template<class Work>
    void addWork(const Work& work, std::string_view category, const std::string& name,
                 const std::string& arguments);

    const Op* opOf(OpOfIteration of) const
    {
        return of.op < m_index.count() ? &opAt(m_run.schedule, m_index, of.op) : nullptr;
    }
    std::string opArguments(OpOfIteration of) const;
    int processOf(const GpuPlace& place, OpOfIteration of);
    int threadOnHost(OpOfIteration of, const Op& op);
    std::string streamName(const GpuPlace& place) const;
    ChromeRow hostRow(const Op& op, DeviceId device) const;

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

std::uint64_t key(OpOfIteration of)
{
    return std::uint64_t{of.iteration} << 32 | of.op;
}

void GpuText::add(const GpuTrace& trace)
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
        m_out.add(R"("ph":"X","name":"CUPTI overhead","cat":"overhead","pid":{},"tid":{},)"
                  R"("ts":{},"dur":{},"args":{{"kind":{}}})",
                  m_host,
                  m_out.threadOf({m_host, INT64_MAX, 0}, overhead.window,
                                 [] { return std::string("CUPTI"); }),
                  microseconds(overhead.window.begin), microseconds(overhead.window.duration()),
                  overhead.kind);
    if (m_run.info.mode != Mode::Emulate) // samples of emulated runs are in wall-clock time
        for (const GpuSample& sample : trace.samples)
            addSample(sample);
}

// Names the process of the host. For an emulated run it also adds a range for each op, with the
// window of the op's span. In other runs the ranges come from the recorded launches.
void GpuText::begin()
{
    m_out.nameProcess(m_host, "host");
    if (m_run.info.mode != Mode::Emulate)
        return;
    for (const Track& track : m_run.timeline.tracks)
        for (const Span& span : track.spans)
            if (m_run.timeline.iterations[span.iteration].kind != Iteration::Kind::Replay)
                addOpRange({span.op, span.iteration}, span.window());
}

void GpuText::learnPlaces(const GpuTrace& trace)
{
    for (const GpuStreamName& stream : trace.streamNames)
        m_streams[{stream.context, stream.stream}] = trace.strings[stream.name];
    for (const GpuKernel& kernel : trace.kernels)
        if (opOf(kernel.of) != nullptr)
            m_owners[kernel.place.context] = m_index.deviceOf(kernel.of.op).value;
}

// Returns the row for the op's range on the host. A device has one row for compute ops, and one for
// each category of other ops.
ChromeRow GpuText::hostRow(const Op& op, DeviceId device) const
{
    return {m_host, -1 - device.value, isCompute(op.kind) ? 0 : rangeCategory(op.kind).id};
}

std::string hostRowName(const Op& op, DeviceId device)
{
    return isCompute(op.kind)
        ? fmt::format("device {}", device.value)
        : fmt::format("device {} {}", device.value, rangeCategory(op.kind).name);
}

void GpuText::addOpRange(OpOfIteration of, Window window)
{
    const Op* const op = opOf(of);
    if (op == nullptr)
        return;
    const DeviceId device = m_index.deviceOf(of.op);
    const auto name = [&] { return hostRowName(*op, device); };
    const ChromeRow row = hostRow(*op, device);
    const int first = m_out.threadOf(row, name), thread = m_out.threadOf(row, window, name);
    if (thread != first)
        m_threads[key(of)] = thread;
    m_out.add(R"("ph":"X","name":"{}","cat":"user_annotation","pid":{},"tid":{},"ts":{},"dur":{},)"
              R"("args":{{"iteration":{}}})",
              rangeText(*op, m_run.schedule.shape, nvtxGrammarNamed(m_run.info.nvtxGrammar)),
              m_host, thread, microseconds(window.begin), microseconds(window.duration()),
              of.iteration);
}

void GpuText::addRange(const GpuTrace& trace, const GpuRange& range)
{
    const ChromeRow row{m_host, range.thread, range.nests ? 0 : 1};
    const auto name = [&] { return fmt::format("thread {}", range.thread); };
    const int thread
        = range.nests ? m_out.threadOf(row, name) : m_out.threadOf(row, range.window, name);
    const std::string payload
        = range.payload ? fmt::format(R"(,"payload":{})", chromeNumber(*range.payload)) : "";
    m_out.add(R"("ph":"X","name":{},"cat":"user_annotation","pid":{},"tid":{},"ts":{},"dur":{},)"
              R"("args":{{"domain":{}{}{}}})",
              jsonText(trace.strings[range.text]), m_host, thread, microseconds(range.window.begin),
              microseconds(range.window.duration()), jsonText(trace.strings[range.domain]), payload,
              opArguments(range.of));
}

// Returns the host thread that shows the op's range.
int GpuText::threadOnHost(OpOfIteration of, const Op& op)
{
    if (const auto found = m_threads.find(key(of)); found != m_threads.end())
        return found->second;
    const DeviceId device = m_index.deviceOf(of.op);
    return m_out.threadOf(hostRow(op, device), [&] { return hostRowName(op, device); });
}

void GpuText::addCall(const GpuTrace& trace, const GpuCall& call)
{
    const std::string& name = trace.strings[call.name];
    const Op* const op = opOf(call.of);
    const int thread = op != nullptr ? threadOnHost(call.of, *op)
                                     : m_out.threadOf({m_host, call.thread, 0}, [&] {
                                           return fmt::format("thread {}", call.thread);
                                       });
    m_out.add(R"("ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},)"
              R"("args":{{"correlation":{}{}}})",
              jsonText(name), call.isDriver ? "cuda_driver" : "cuda_runtime", m_host, thread,
              microseconds(call.window.begin), microseconds(call.window.duration()),
              call.correlation, opArguments(call.of));
    if (launches(call, name))
        m_out.add(R"("ph":"s","name":"ac2g","cat":"ac2g","id":{},"pid":{},"tid":{},"ts":{})",
                  call.correlation, m_host, thread, microseconds(call.window.begin));
}

std::string GpuText::opArguments(OpOfIteration of) const
{
    const Op* const op = opOf(of);
    return op == nullptr ? ""
                         : fmt::format(R"(,"op":"{}","iteration":{})", toString(*op), of.iteration);
}

// Returns the process of a piece of GPU work: the device of its op or, if the op is unknown, a
// device that ran kernels in the same context. If there is no such device, the GPU gets a
// separate process.
int GpuText::processOf(const GpuPlace& place, OpOfIteration of)
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

std::string GpuText::streamName(const GpuPlace& place) const
{
    const auto found = m_streams.find({place.context, place.stream});
    return found == m_streams.end() ? fmt::format("stream {}", place.stream)
                                    : fmt::format("stream {} ({})", place.stream, found->second);
}

template<class Work>
void GpuText::addWork(const Work& work, std::string_view category, const std::string& name,
                      const std::string& arguments)
{
    const Window window = work.window;
    if (window.duration() <= 0) // the time stamp is missing
        return;
    const GpuPlace& place = work.place;
    const int process = processOf(place, work.of);
    const int thread = m_out.threadOf({process, place.context, place.stream}, window,
                                      [&] { return streamName(place); });
    m_out.add(R"("ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":)"
              R"({{"device":{},"context":{},"stream":{},"correlation":{}{}{}}})",
              name, category, process, thread, microseconds(window.begin),
              microseconds(window.duration()), place.device, place.context, place.stream,
              place.correlation, arguments, opArguments(work.of));
    if (place.correlation != 0)
        m_out.add(R"("ph":"f","bp":"e","name":"ac2g","cat":"ac2g","id":{},"pid":{},"tid":{},)"
                  R"("ts":{})",
                  place.correlation, process, thread, microseconds(window.begin));
}

void GpuText::addWait(const GpuWait& wait)
{
    const GpuPlace& place = wait.place;
    const int process = processOf(place, {});
    const int thread = m_out.threadOf(
        {process, place.context, std::int64_t{place.stream} - (std::int64_t{1} << 32)}, wait.window,
        [&] { return fmt::format("stream {} (sync)", place.stream); });
    m_out.add(R"("ph":"X","name":"{}","cat":"cuda_sync","pid":{},"tid":{},"ts":{},"dur":{},)"
              R"("args":{{"device":{},"context":{},"stream":{},"correlation":{}}})",
              waitName(wait.type), process, thread, microseconds(wait.window.begin),
              microseconds(wait.window.duration()), place.device, place.context, place.stream,
              place.correlation);
}

void GpuText::addAllocation(const GpuAllocation& event)
{
    constexpr int kCudaDevice = 1; // PyTorch's number of the device type CUDA
    const auto bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(event.bytes, INT64_MAX));
    const int process = processOf(event.place, {});
    const int thread = m_out.threadOf({process, -1, 0}, [] { return std::string("allocations"); });
    m_out.add(R"("ph":"i","s":"t","name":"[memory]","cat":"cpu_instant_event","pid":{},"tid":{},)"
              R"("ts":{},"args":{{"Device Type":{},"Device Id":{},"Addr":{},"Bytes":{}}})",
              process, thread, microseconds(event.time), kCudaDevice, event.place.device,
              chromeNumber(event.address), chromeNumber(event.isFree ? -bytes : bytes));
}

void GpuText::addSample(const GpuSample& sample)
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

} // namespace

Result<void> exportChromeGpu(const Run& run, const GpuPieces& gpu, ChromeEvents& out)
{
    GpuText text(run, out);
    return gpu([&text](const GpuTrace& trace) { text.add(trace); });
}

} // namespace profiler
