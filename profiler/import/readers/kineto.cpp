#include "engine/base/field.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "profiler/import/rank_trace.h"
#include "profiler/import/readers/json_events.h"
#include "profiler/import/readers/kineto_event.h"
#include "profiler/import/readers/readers.h"
#include "profiler/import/readers/string_table.h"
#include "profiler/store/row_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace profiler {

using namespace engine;

namespace {

// A message that a thread states, before the call that launches its NCCL kernel.
struct StatedMessage
{
    std::uint32_t thread = 0;
    std::int64_t begin = 0; // ns
    NcclArguments arguments;
};

struct Launch
{
    std::uint32_t thread;
    std::int64_t begin; // ns
    std::uint32_t kernel;
};

std::vector<Launch> launchesOf(const RankTrace& trace)
{
    std::unordered_map<std::uint32_t, const GpuCall*> calls; // by correlation
    for (const GpuCall& call : trace.gpu.calls)
        calls.emplace(call.correlation, &call);
    std::vector<Launch> launches;
    for (std::uint32_t i = 0; i < trace.gpu.kernels.size(); ++i) {
        const GpuKernel& kernel = trace.gpu.kernels[i];
        const auto call = calls.find(kernel.place.correlation);
        if (call != calls.end() && trace.text(kernel.name).find("nccl") != std::string::npos)
            launches.push_back({call->second->thread, call->second->window.begin, i});
    }
    std::ranges::sort(launches, {}, [](const Launch& launch) {
        return std::tuple(launch.thread, launch.begin, launch.kernel);
    });
    return launches;
}

bool statesMessage(const RankTrace& trace, std::uint32_t kernel)
{
    const auto [first, end] = trace.nccl.equal_range(kernel);
    return std::any_of(first, end, [](const auto& each) {
        return each.second.source >= 0 || each.second.target >= 0;
    });
}

// Adds the arguments of messages to the NCCL kernels that state none: PyTorch states the messages
// of batch_isend_irecv() only on the host, before the call that launches one kernel for all.
void addBatchedMessages(RankTrace& trace, std::vector<StatedMessage> messages)
{
    if (messages.empty())
        return;
    const auto when = [](const auto& each) { return std::pair(each.thread, each.begin); };
    std::ranges::stable_sort(messages, {}, when);
    auto next = messages.begin();
    for (const Launch& launch : launchesOf(trace)) {
        const bool isStated = statesMessage(trace, launch.kernel);
        for (; next != messages.end() && when(*next) <= when(launch); ++next)
            if (!isStated && next->thread == launch.thread)
                trace.nccl.emplace(launch.kernel, next->arguments);
    }
}

// Sets the ranks of all messages. PyTorch states only the other rank of a message. The messages of
// a group of another kind of parallelism, such as those of ring attention, get no ranks.
void setRanksOfMessages(RankTrace& trace)
{
    for (auto& [kernel, nccl] : trace.nccl) {
        const std::string& name = trace.text(nccl.collective);
        nccl.mayBePipeline = mayBePipelineGroup(trace.text(nccl.description));
        if (!nccl.mayBePipeline)
            nccl.source = nccl.target = -1;
        else if (name == "send" && nccl.source < 0)
            nccl.source = trace.rank.value_or(-1);
        else if (name == "recv" && nccl.target < 0)
            nccl.target = trace.rank.value_or(-1);
    }
}

class KinetoReader
{
public:
    KinetoReader(std::string file, const IsNamedByRule& isNamedByRule)
        : m_isNamedByRule(isNamedByRule)
    {
        m_trace.file = std::move(file);
    }

    void takeMember(std::string_view key, std::string_view value)
    {
        if (key == "distributedInfo") {
            takeInfo(value);
        } else if (key == "deviceProperties") {
            m_devices = gpuNames(value, m_json);
        } else if (key == "bubblescope_kit") {
            takeKit(value);
        } else if (key == "host_name") {
            m_trace.host = textOf(value);
        } else if (key == "schemaVersion" && m_trace.program.empty()) {
            m_trace.program = kKineto;
        } else if (key == "otherData" && value.find("\"scheme\"") != std::string_view::npos) {
            m_trace.program = kOwnProgram;
        } else if (key == "baseTimeNanoseconds") {
            const auto base = integerFrom(value);
            m_base = base && *base >= 0 && *base <= kMostTime - m_latest ? *base : 0;
        }
    }
    void takeEvent(std::string_view json)
    {
        const auto event = m_json.eventOf(json);
        if (!event) {
            ++m_trace.unreadable;
            return;
        }
        const std::string_view phase = unquoted(event->phase);
        if (phase == "M")
            return takeThreadName(*event);
        const EventCategory category = eventCategory(unquoted(event->category));
        const bool isUsed = phase == "X" || phase == "B" || phase == "E"
            || (phase == "i" && category == EventCategory::Instant);
        if (!isUsed || category == EventCategory::Skip)
            return;
        if (m_trace.program == kOwnProgram) {
            const OwnEvent own = ownEventOf(*event, category, m_json);
            m_leavesOutGpuWork = m_leavesOutGpuWork || own == OwnEvent::GpuRecord;
            if (own != OwnEvent::Measured)
                return;
        }
        const auto window = event->window();
        if (!window || window->end > kMostTime - m_base) {
            ++m_trace.unreadable;
            return;
        }
        m_latest = std::max(m_latest, window->end);
        switch (category) {
        case EventCategory::Kernel:
        case EventCategory::Copy:
        case EventCategory::Memset:
            return takeGpuWork(*event, category, *window);
        case EventCategory::Instant:
            return takeMemory(*event, window->begin);
        case EventCategory::Call:
            return takeCall(*event, *window);
        default:
            phase == "X" ? takeRange(*event, category, *window) : takeOpen(*event, window->begin);
        }
    }
    std::vector<RankTrace> done()
    {
        const auto move = [this](auto& rows) {
            for (auto& row : rows) {
                row.window.begin += m_base;
                row.window.end += m_base;
            }
        };
        move(m_trace.ranges);
        move(m_trace.ops);
        move(m_trace.gpu.kernels);
        move(m_trace.gpu.copies);
        move(m_trace.gpu.memsets);
        move(m_trace.gpu.calls);
        for (const auto& [device, before] : m_allocatedBefore)
            if (0 < before.bytes && before.bytes <= kMostBytes)
                m_trace.memory.push_back(before);
        for (MemoryEvent& memory : m_trace.memory)
            memory.time += m_base;
        for (const auto& open : m_open)
            m_trace.unreadable += static_cast<std::int64_t>(open.size());
        m_trace.texts = std::make_shared<const std::vector<std::string>>(m_strings.take());
        for (StatedMessage& message : m_messages)
            message.begin += m_base;
        addBatchedMessages(m_trace, std::move(m_messages));
        setRanksOfMessages(m_trace);
        if (!m_trace.gpu.kernels.empty()) {
            const auto name = m_devices.find(m_trace.gpu.kernels.front().place.device);
            m_trace.deviceName = name != m_devices.end() ? name->second : "";
        }
        if (m_trace.program.empty())
            m_trace.program = "Trace Event Format";
        return splitRanks(std::move(m_trace), m_processes, m_isNamedByRule);
    }
    bool leavesOutGpuWork() const { return m_leavesOutGpuWork; }

private:
    void takeInfo(std::string_view json)
    {
        std::string_view groups;
        m_json.forEachField(json, [&](std::string_view key, std::string_view value) {
            const auto number = integerFrom(value);
            const bool fits = number && *number >= 0 && *number < 1'000'000;
            if (key == "rank" && fits)
                m_trace.rank = static_cast<int>(*number);
            else if (key == "world_size" && fits)
                m_trace.worldSize = static_cast<int>(*number);
            else if (key == "pg_config")
                groups = value;
        });
        m_trace.groups = processGroups(groups, m_json);
    }
    // Reads what the training script of a kit (resources/kit/train.py) adds to its traces.
    void takeKit(std::string_view json)
    {
        m_json.forEachField(json, [&](std::string_view key, std::string_view value) {
            if (key == "model") {
                m_trace.modelName = textOf(value);
            } else if (key == "scheme") {
                m_trace.schemeName = textOf(value);
            } else if (key == "losses") {
                int iteration = 0;
                for (const std::string_view loss : m_json.elements(value)) {
                    if (const auto number = parseNumber(loss))
                        m_trace.losses.emplace(iteration, *number);
                    ++iteration;
                }
            }
        });
    }
    void takeRange(const TraceEvent& event, EventCategory category, Window window)
    {
        HostRange range{window, m_strings.number(textOf(event.name))};
        if (category == EventCategory::Python && !isKept(range.name))
            return;
        range.thread = threadOf(event);
        // Kineto before 2022 gives annotations the category of ops.
        const bool isAnnotation = unquoted(event.category) == "Operator" && isKept(range.name);
        if (category == EventCategory::Op && !isAnnotation) {
            if (m_strings.text(range.name) == "record_param_comms")
                takeMessage(event, window.begin);
            return m_trace.ops.push_back(range);
        }
        range.category = m_strings.number(unquoted(event.category));
        constexpr std::size_t kMostArguments = 512;
        if (event.arguments.size() <= kMostArguments
            && event.arguments.find("\"External id\"") == std::string_view::npos)
            range.arguments = m_strings.number(event.arguments);
        m_trace.ranges.push_back(range);
    }
    void takeMemory(const TraceEvent& event, std::int64_t time)
    {
        if (unquoted(event.name) != "[memory]")
            return;
        MemoryEvent memory;
        memory.time = time;
        memory.category = MemoryCategory::Buffers;
        bool onGpu = false;
        std::int64_t device = 0, total = -1; // total: bytes after the event
        m_json.forEachField(event.arguments, [&](std::string_view key, std::string_view value) {
            const auto number = integerFrom(value);
            if (key == "Bytes")
                memory.bytes = number.value_or(0);
            else if (key == "Device Type")
                onGpu = number && *number != 0; // c10::DeviceType: 0 CPU
            else if (key == "Device Id")
                device = number.value_or(0);
            else if (key == "Total Allocated")
                total = number.value_or(-1);
        });
        if (memory.bytes == 0 || memory.bytes < -kMostBytes || memory.bytes > kMostBytes || !onGpu)
            return;
        m_trace.memory.push_back(memory);
        if (total < 0 || total > kMostBytes)
            return;
        memory.bytes = total - memory.bytes;
        const auto [first, isNew] = m_allocatedBefore.emplace(device, memory);
        if (!isNew && time < first->second.time)
            first->second = memory;
    }
    void takeThreadName(const TraceEvent& event)
    {
        if (unquoted(event.name) != "thread_name")
            return;
        const std::uint32_t thread = threadOf(event);
        m_json.forEachField(event.arguments, [&](std::string_view key, std::string_view value) {
            if (key == "name")
                m_trace.threads[thread] = textOf(value);
        });
    }
    void takeCall(const TraceEvent& event, Window window)
    {
        GpuCall call;
        call.window = window;
        call.name = m_strings.number(textOf(event.name));
        call.thread = threadOf(event);
        call.isDriver = unquoted(event.category).ends_with("driver");
        m_json.forEachField(event.arguments, [&](std::string_view key, std::string_view value) {
            if (key == "correlation")
                putNumber(value, call.correlation);
        });
        m_trace.gpu.calls.push_back(call);
    }
    void takeGpuWork(const TraceEvent& event, EventCategory category, Window window)
    {
        GpuKernel kernel;
        GpuCopy copy;
        NcclArguments nccl;
        m_json.forEachField(event.arguments, [&](std::string_view key, std::string_view value) {
            for (const auto& [name, field] : {std::pair("device", &GpuPlace::device),
                                              {"context", &GpuPlace::context},
                                              {"stream", &GpuPlace::stream},
                                              {"correlation", &GpuPlace::correlation}})
                if (key == name)
                    return putNumber(value, kernel.place.*field);
            if (key == "registers per thread")
                putNumber(value, kernel.registers);
            else if (key == "shared memory")
                putNumber(value, kernel.dynamicShared);
            else if (key == "grid")
                putThree(value, kernel.grid);
            else if (key == "block")
                putThree(value, kernel.block);
            else if (key == "bytes")
                putNumber(value, copy.bytes);
            else
                takeNccl(key, value, nccl);
        });
        kernel.window = window;
        const std::string name = textOf(event.name);
        if (category == EventCategory::Kernel) {
            kernel.name = m_strings.number(name);
            if (nccl.collective != 0 || nccl.source >= 0)
                m_trace.nccl.emplace(static_cast<std::uint32_t>(m_trace.gpu.kernels.size()), nccl);
            m_trace.gpu.kernels.push_back(kernel);
        } else if (category == EventCategory::Memset) {
            m_trace.gpu.memsets.push_back({window, kernel.place, {}, copy.bytes, 0, 3});
        } else {
            copy.kind = copyKindNamed(name);
            copy.window = window;
            copy.place = kernel.place;
            copy.sourceDevice = copy.targetDevice = kernel.place.device;
            m_trace.gpu.copies.push_back(copy);
        }
    }
    void takeNccl(std::string_view key, std::string_view value, NcclArguments& nccl)
    {
        const auto rank = integerFrom(value);
        const int valid = rank && *rank >= 0 && *rank < 1'000'000 ? static_cast<int>(*rank) : -1;
        if (key == "Collective name")
            nccl.collective = m_strings.number(textOf(value));
        else if (key == "Process Group Ranks")
            nccl.group = m_strings.number(textOf(value));
        else if (key == "Process Group Description")
            nccl.description = m_strings.number(textOf(value));
        else if (key == "Src Rank")
            nccl.source = valid;
        else if (key == "Dst Rank")
            nccl.target = valid;
    }
    void takeMessage(const TraceEvent& event, std::int64_t time)
    {
        StatedMessage message{threadOf(event), time, {}};
        m_json.forEachField(event.arguments, [&](std::string_view key, std::string_view value) {
            takeNccl(key, value, message.arguments);
        });
        if (message.arguments.source >= 0 || message.arguments.target >= 0)
            m_messages.push_back(message);
    }
    // Reads the start ("B") or the end ("E") of a range. These are separate events.
    void takeOpen(const TraceEvent& event, std::int64_t time)
    {
        const std::uint32_t thread = threadOf(event);
        if (m_open.size() <= thread)
            m_open.resize(thread + 1);
        auto& open = m_open[thread];
        if (unquoted(event.phase) == "B") {
            open.emplace_back(m_strings.number(textOf(event.name)), time);
        } else if (open.empty() || time < open.back().second) {
            ++m_trace.unreadable;
        } else {
            m_trace.ranges.push_back({{open.back().second, time}, open.back().first, thread});
            open.pop_back();
        }
    }
    std::uint32_t threadOf(const TraceEvent& event)
    {
        std::string key = fmt::format("{}\n{}", unquoted(event.process), unquoted(event.thread));
        const auto known = m_threads.find(key);
        if (known != m_threads.end())
            return known->second;
        const auto number = static_cast<std::uint32_t>(m_trace.threads.size());
        m_trace.threads.push_back(textOf(event.thread));
        m_processes.push_back(textOf(event.process));
        m_threads.emplace(std::move(key), number);
        return number;
    }
    bool isKept(std::uint32_t name)
    {
        if (name >= m_kept.size())
            m_kept.resize(name + 1, -1);
        if (m_kept[name] < 0)
            m_kept[name] = m_isNamedByRule(m_strings.text(name)) ? 1 : 0;
        return m_kept[name] == 1;
    }

    const IsNamedByRule& m_isNamedByRule;
    RankTrace m_trace;
    StringTable m_strings;
    JsonParser m_json;
    std::unordered_map<std::string, std::uint32_t> m_threads; // process and thread -> index
    std::vector<std::string> m_processes;                     // by thread: its process
    std::vector<signed char> m_kept; // by name: 1 if a rule names it, 0 if not, -1 if not yet known
    // By thread: name and start of the ranges that have begun and not ended.
    std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> m_open;
    std::map<std::int64_t, std::string> m_devices; // names of GPUs, by id
    std::vector<StatedMessage> m_messages;
    // By GPU: the memory allocated before its first event, as an allocation at that time.
    std::map<std::int64_t, MemoryEvent> m_allocatedBefore;
    bool m_leavesOutGpuWork = false;
    std::int64_t m_base = 0;   // ns that are added to all times
    std::int64_t m_latest = 0; // ns; end of the latest event, without m_base
};

struct ByNumber
{
    bool operator()(std::string_view a, std::string_view b) const
    {
        return engine::naturalLess(a, b);
    }
};
using RankOf = std::map<std::string, int, ByNumber>;

struct Place // the place of a thread
{
    RankTrace* rank = nullptr;
    std::uint32_t thread = 0; // index in rank->threads
};

} // namespace

Result<JsonTrace> readKineto(const std::string& name, const ByteSource& bytes,
                             const IsNamedByRule& isNamedByRule)
{
    KinetoReader reader(name, isNamedByRule);
    const auto warning = TRY(readJsonEvents(
        name, bytes,
        {[&](std::string_view key, std::string_view value) { reader.takeMember(key, value); },
         [&](std::string_view event) { reader.takeEvent(event); }}));
    JsonTrace trace{reader.done(), warning};
    if (trace.warning.empty() && reader.leavesOutGpuWork())
        trace.warning = name + ": the GPU records are left out; the run's own file has them";
    return trace;
}

std::vector<RankTrace> splitRanks(RankTrace trace, const std::vector<std::string>& processes,
                                  const IsNamedByRule& isNamedByRule)
{
    std::vector<RankTrace> ranks;
    RankOf byProcess, byThread;
    const auto isNamed
        = [&](const HostRange& range) { return isNamedByRule(trace.text(range.name)); };
    const bool isOneRank = trace.rank || !trace.gpu.kernels.empty();
    if (!isOneRank)
        for (const HostRange& range : trace.ranges)
            if (isNamed(range)) {
                byProcess.emplace(processes[range.thread], 0);
                byThread.emplace(trace.threads[range.thread], 0);
            }
    const bool ofProcesses = byProcess.size() > 1 || trace.program == kOwnProgram;
    if (!ofProcesses && trace.program == kKineto)
        byThread.clear();
    RankOf& rankOf = ofProcesses ? byProcess : byThread;
    constexpr std::size_t kMostRanks = 1024; // ranks are compared with each other
    if (rankOf.size() < 2 || rankOf.size() > kMostRanks) {
        ranks.push_back(std::move(trace));
        return ranks;
    }
    for (auto& [key, rank] : rankOf) {
        rank = static_cast<int>(ranks.size());
        RankTrace one;
        one.file = trace.file;
        one.program = trace.program;
        one.host = trace.host;
        one.rank = rank;
        one.worldSize = static_cast<int>(rankOf.size());
        one.texts = trace.texts;
        ranks.push_back(std::move(one));
    }
    std::vector<Place> placeOf(trace.threads.size());
    for (std::uint32_t thread = 0; thread < placeOf.size(); ++thread) {
        const auto found = rankOf.find((ofProcesses ? processes : trace.threads)[thread]);
        if (found == rankOf.end())
            continue;
        RankTrace& rank = ranks[static_cast<std::size_t>(found->second)];
        placeOf[thread] = {&rank, static_cast<std::uint32_t>(rank.threads.size())};
        rank.threads.push_back(trace.threads[thread]);
    }
    const auto give = [&](std::vector<HostRange> RankTrace::*rows) {
        for (HostRange range : trace.*rows) {
            const Place& place = placeOf[range.thread];
            range.thread = place.thread;
            if (place.rank != nullptr)
                (place.rank->*rows).push_back(range);
        }
    };
    give(&RankTrace::ranges);
    give(&RankTrace::ops);
    ranks.front().unreadable = trace.unreadable;
    return ranks;
}

} // namespace profiler
