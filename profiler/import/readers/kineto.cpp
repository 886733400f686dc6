#include "engine/base/field.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "profiler/import/rank_trace.h"
#include "profiler/import/readers/readers.h"
#include "profiler/store/row_tables.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace profiler {

using namespace engine;

namespace {

namespace ondemand = simdjson::ondemand;

enum class EventCategory : std::uint8_t {
    Range,
    Python, // a Python function
    Op,
    Kernel,
    Copy,
    Memset,
    Call,
    Instant,
    Skip, // not imported
};

// The fields of an event as JSON text; a missing field is empty.
struct TraceEvent
{
    std::string_view phase, category, name, process, thread, id, time, duration, arguments;

    // The time and duration; nullopt if the time is missing, the duration negative, or one of
    // them too large. A time may be negative: it is relative to the start of the recording.
    std::optional<Window> window() const
    {
        constexpr std::int64_t kLongest = 1'000'000'000'000'000;
        const auto begin = nanosecondsFrom(time);
        const auto length
            = duration.empty() ? std::optional<std::int64_t>(0) : nanosecondsFrom(duration);
        if (!begin || !length || *length < 0 || *begin < kLeastTime || *begin > kMostTime
            || *length > kLongest)
            return std::nullopt;
        return Window{*begin, *begin + *length};
    }
};

// Parses JSON text that has kJsonPadding readable bytes after it. Results refer to that text.
class JsonParser
{
public:
    std::optional<TraceEvent> eventOf(std::string_view json) // nullopt if it is damaged
    {
        TraceEvent event;
        const bool isWhole = forEach(m_outer, json, [&](ondemand::field field) {
            const std::string_view value = simdjson::to_json_string(field.value());
            for (const auto& [name, member] : {std::pair("ph", &TraceEvent::phase),
                                               {"cat", &TraceEvent::category},
                                               {"name", &TraceEvent::name},
                                               {"pid", &TraceEvent::process},
                                               {"tid", &TraceEvent::thread},
                                               {"id", &TraceEvent::id},
                                               {"id2", &TraceEvent::id},
                                               {"ts", &TraceEvent::time},
                                               {"dur", &TraceEvent::duration},
                                               {"args", &TraceEvent::arguments}})
                if (field.key().unsafe_is_equal(name))
                    event.*member = value;
        });
        return isWhole ? std::optional(event) : std::nullopt;
    }
    // Calls use(key, value) for each field. Stops where the object is damaged.
    void forEachField(std::string_view json, auto use)
    {
        forEach(m_inner, json, [&](ondemand::field field) {
            const std::string_view key = field.unescaped_key();
            use(key, std::string_view(simdjson::to_json_string(field.value())));
        });
    }
    std::vector<std::string_view> elements(std::string_view json) // of an array
    {
        std::vector<std::string_view> all;
        try {
            ondemand::document document = m_outer.iterate(padded(json));
            for (ondemand::value element : document.get_array())
                all.push_back(simdjson::to_json_string(element));
        } catch (const simdjson::simdjson_error&) { // the elements before are whole
        }
        return all;
    }

private:
    static simdjson::padded_string_view padded(std::string_view json)
    {
        return simdjson::padded_string_view(json.data(), json.size(), json.size() + kJsonPadding);
    }
    // Returns whether the whole text is an object.
    static bool forEach(ondemand::parser& parser, std::string_view json, auto use)
    {
        try {
            ondemand::document document = parser.iterate(padded(json));
            for (ondemand::field field : document.get_object())
                use(field);
            return true;
        } catch (const simdjson::simdjson_error&) {
            return false;
        }
    }

    ondemand::parser m_outer, m_inner;
};

// The events of a Chrome trace that `bscope export` wrote.
enum class OwnEvent : std::uint8_t {
    Measured,   // a span of a measured iteration
    OtherPhase, // a span of a warm-up or of typical ops
    GpuRecord,  // a GPU record, or a range around API calls that repeats a span of a device
};
// Assigns the number to the field, or leaves the field unchanged if the number does not fit.
void putNumber(std::string_view token, std::integral auto& field)
{
    using Number = std::remove_reference_t<decltype(field)>;
    const auto number = integerFrom(token);
    if (number && std::in_range<Number>(*number))
        field = static_cast<Number>(*number);
}

// At most 4 KiB of the text of a JSON string, in UTF-8.
std::string textOf(std::string_view token)
{
    std::string text(unquoted(token));
    simdjson::dom::parser parser; // a text with a damaged escape stays as it is
    std::string_view plain;
    if (text.find('\\') != std::string::npos
        && parser.parse('"' + text + '"').get(plain) == simdjson::SUCCESS)
        text = plain;
    text.resize(std::min(text.size(), kMostText));
    return text;
}

EventCategory eventCategory(std::string_view name)
{
    struct Known
    {
        std::string_view name;
        EventCategory category;
    };
    // Names with a capital letter are those of Kineto before 2022.
    static constexpr std::array kKnown{
        Known{"cpu_op", EventCategory::Op},
        Known{"Operator", EventCategory::Op},
        Known{"kernel", EventCategory::Kernel},
        Known{"Kernel", EventCategory::Kernel},
        Known{"gpu_memcpy", EventCategory::Copy},
        Known{"Memcpy", EventCategory::Copy},
        Known{"gpu_memset", EventCategory::Memset},
        Known{"Memset", EventCategory::Memset},
        Known{"Runtime", EventCategory::Call},
        Known{"python_function", EventCategory::Python},
        Known{"cpu_instant_event", EventCategory::Instant},
        Known{"gpu_user_annotation", EventCategory::Skip}, // repeats a user_annotation
        Known{"Trace", EventCategory::Skip},
        Known{"overhead", EventCategory::Skip},
        Known{"cuda_sync", EventCategory::Skip},
        Known{"cuda_event", EventCategory::Skip},
    };
    for (const Known& known : kKnown)
        if (known.name == name)
            return known.category;
    // "cuda_runtime", "hip_driver" and those of other GPUs
    return name.ends_with("_runtime") || name.ends_with("_driver") ? EventCategory::Call
                                                                   : EventCategory::Range;
}

// The number that CUPTI gives to the direction in the name of a copy; 0 if it states none.
std::uint8_t copyKindNamed(std::string_view name)
{
    struct Known
    {
        std::string_view text;
        std::uint8_t kind;
    };
    static constexpr std::array kKnown{
        Known{"HtoD", 1},
        Known{"DtoH", 2},
        Known{"DtoD", 8},
        Known{"HtoH", 9},
        Known{"PtoP", 10},
        // The first versions for AMD GPUs wrote "CopyHostToDevice".
        Known{"HostToDevice", 1},
        Known{"DeviceToHost", 2},
        Known{"DeviceToDevice", 8},
        // For Intel GPUs, M is the memory of the host: "Memcpy M2D".
        Known{"M2D", 1},
        Known{"D2M", 2},
        Known{"D2D", 8},
    };
    for (const Known& known : kKnown)
        if (name.find(known.text) != std::string_view::npos)
            return known.kind;
    return 0;
}

OwnEvent ownEventOf(const TraceEvent& event, EventCategory category, JsonParser& json)
{
    if (category != EventCategory::Range || unquoted(event.category) == "user_annotation")
        return OwnEvent::GpuRecord;
    const std::string_view measured = iterationKindName(engine::Iteration::Kind::Measured);
    OwnEvent own = OwnEvent::Measured;
    json.forEachField(event.arguments, [&](std::string_view key, std::string_view value) {
        if (key == "phase" && unquoted(value) != measured)
            own = OwnEvent::OtherPhase;
    });
    return own;
}

// From the list `deviceProperties` of a trace, by id.
std::map<std::int64_t, std::string> gpuNames(std::string_view devices, JsonParser& json)
{
    std::map<std::int64_t, std::string> names;
    for (const std::string_view device : json.elements(devices)) {
        std::optional<std::int64_t> id;
        std::string name;
        json.forEachField(device, [&](std::string_view key, std::string_view token) {
            if (key == "id")
                id = integerFrom(token);
            else if (key == "name")
                name = textOf(token);
        });
        if (id)
            names[*id] = name;
    }
    return names;
}

// Finds the groups by their names in the list `pg_config` of a trace. A pipeline of one rank counts
// as none.
ProcessGroups processGroups(std::string_view list, JsonParser& json)
{
    // Megatron-LM names its groups; a DeviceMesh of PyTorch names them after its dimensions.
    using Group = std::vector<int> ProcessGroups::*;
    constexpr std::array<std::pair<std::string_view, Group>, 6> kNames{
        {{"PIPELINE_MODEL_PARALLEL_GROUP", &ProcessGroups::pipeline},
         {"mesh_pp", &ProcessGroups::pipeline},
         {"TENSOR_MODEL_PARALLEL_GROUP", &ProcessGroups::tensor},
         {"mesh_tp", &ProcessGroups::tensor},
         {"CONTEXT_PARALLEL_GROUP", &ProcessGroups::context},
         {"mesh_cp", &ProcessGroups::context}}};
    ProcessGroups groups;
    if (list.empty())
        return groups;
    for (const std::string_view group : json.elements(list)) {
        std::string_view name, members;
        json.forEachField(group, [&](std::string_view key, std::string_view value) {
            if (key == "pg_desc")
                name = unquoted(value);
            else if (key == "ranks")
                members = value;
        });
        const auto known
            = std::ranges::find(kNames, name, &std::pair<std::string_view, Group>::first);
        if (members.empty() || known == kNames.end())
            continue;
        std::vector<int> ranks;
        for (const std::string_view rank : json.elements(members))
            putNumber(rank, ranks.emplace_back(-1));
        if (!ranks.empty() && std::ranges::min(ranks) >= 0 && (groups.*known->second).empty())
            groups.*known->second = std::move(ranks);
    }
    if (groups.pipeline.size() == 1)
        groups.pipeline.clear();
    return groups;
}

// False if the description names another kind of parallelism.
bool mayBePipelineGroup(std::string_view description)
{
    // Those that PyTorch gives to groups for which the program states none.
    constexpr std::array<std::string_view, 4> kUnnamed{"", "default_pg", "undefined",
                                                       "mesh_default"};
    std::string name(description);
    std::ranges::transform(name, name.begin(), [](char c) {
        return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return std::ranges::find(kUnnamed, name) != kUnnamed.end()
        || name.starts_with("mesh_dim_") // a dimension of a DeviceMesh without names
        || name.find("pp") != std::string::npos || name.find("pipe") != std::string::npos;
}

// Parses the three numbers of "[512, 1, 1]".
void putThree(std::string_view token, std::array<std::int32_t, 3>& three)
{
    token.remove_prefix(std::min<std::size_t>(1, token.size()));
    for (std::int32_t& each : three) {
        const std::size_t end = std::min(token.find_first_of(",]"), token.size());
        putNumber(token.substr(std::min(token.find_first_not_of(' '), end), end), each);
        token.remove_prefix(std::min(end + 1, token.size()));
    }
}

// A message or a collective that a thread states, before the call that launches its NCCL kernel.
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
    auto calls = callsOf(trace);
    std::vector<Launch> launches;
    for (std::uint32_t i = 0; i < trace.gpu.kernels.size(); ++i) {
        const GpuKernel& kernel = trace.gpu.kernels[i];
        const auto* const call = calls.find(kernel.place.correlation);
        if (call != nullptr && trace.text(kernel.name).find("nccl") != std::string::npos)
            launches.push_back({(*call)->thread, (*call)->window.begin, i});
    }
    std::ranges::sort(launches, {}, [](const Launch& launch) {
        return std::tuple(launch.thread, launch.begin, launch.kernel);
    });
    return launches;
}

bool statesMessage(const RankTrace& trace, std::uint32_t kernel)
{
    const auto [first, end] = trace.nccl.equal_range(kernel);
    return std::any_of(first, end, [](const auto& each) { return each.second.hasRanks(); });
}

// For each kernel, copy and memset of a trace, its process as an index in RankTrace::texts.
struct GpuProcesses
{
    std::vector<std::uint32_t> kernels, copies, memsets;
};

struct Place // the place of a thread in the traces of ranks
{
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

    std::size_t rank = kNone;
    std::uint32_t thread = 0; // index in RankTrace::threads of the rank
};

// The ranks of one file, and the place of each thread.
struct Parts
{
    std::vector<RankTrace> ranks;
    std::vector<Place> placeOf;
};

using RankOf
    = std::map<std::string, int,
               decltype([](std::string_view a, std::string_view b) { return naturalLess(a, b); })>;

// Divides the host threads of a trace and their ranges into ranks: `keys[thread]` is in `rankOf`.
// Numbers the ranks.
Parts divide(RankTrace& trace, const std::vector<std::string>& keys, RankOf& rankOf)
{
    Parts parts;
    for (auto& [key, rank] : rankOf) {
        rank = static_cast<int>(parts.ranks.size());
        RankTrace& one = parts.ranks.emplace_back();
        one.file = trace.file;
        one.program = trace.program;
        one.host = trace.host;
        one.rank = rank;
        one.worldSize = std::max(trace.worldSize.value_or(0), static_cast<int>(rankOf.size()));
        one.texts = trace.texts;
    }
    for (std::size_t thread = 0; thread < trace.threads.size(); ++thread) {
        Place& place = parts.placeOf.emplace_back();
        const auto found = rankOf.find(keys[thread]);
        if (found == rankOf.end())
            continue;
        place.rank = static_cast<std::size_t>(found->second);
        auto& threads = parts.ranks[place.rank].threads;
        place.thread = static_cast<std::uint32_t>(threads.size());
        threads.push_back(trace.threads[thread]);
    }
    const auto give = [&]<class Row>(const std::vector<Row>& rows, auto listOf) {
        for (Row row : rows)
            if (const Place& place = parts.placeOf[row.thread]; place.rank != Place::kNone) {
                row.thread = place.thread;
                listOf(parts.ranks[place.rank])->push_back(row);
            }
    };
    give(trace.ranges, [](RankTrace& rank) { return &rank.ranges; });
    give(trace.ops, [](RankTrace& rank) { return &rank.ops; });
    give(trace.gpu.calls, [](RankTrace& rank) { return &rank.gpu.calls; });
    parts.ranks.front().unreadable = trace.unreadable;
    return parts;
}

// What a program that merges traces puts before a process: "[PP00]" of "[PP00] 1000".
std::string_view labelOf(std::string_view process)
{
    const std::size_t end = process.find_last_of(" :/");
    return process.substr(0, end == std::string_view::npos ? 0 : end);
}

// Finds the process that launched the work of the GPU rows of a merged trace. Correlations of
// different processes may be equal.
class Launchers
{
public:
    explicit Launchers(const Parts& parts)
        : m_calls(parts.ranks.size())
    {
        for (std::size_t rank = 0; rank < parts.ranks.size(); ++rank)
            for (const GpuCall& call : parts.ranks[rank].gpu.calls)
                m_calls[rank].emplace(call.correlation, call.window.begin);
    }
    void add(const GpuKernel& kernel)
    {
        ++m_kernels;
        m_matches.resize(m_calls.size());
        for (std::size_t rank = 0; rank < m_calls.size(); ++rank) {
            const auto call = m_calls[rank].find(kernel.place.correlation);
            m_matches[rank] += call != m_calls[rank].end() && call->second <= kernel.window.begin;
        }
    }
    // Place::kNone if it is not clear.
    std::size_t take()
    {
        const auto best = std::ranges::max_element(m_matches);
        const bool isClear = best != m_matches.end() && 10 * *best >= 9 * m_kernels
            && std::ranges::count_if(m_matches, [&](auto each) { return 2 * each > *best; }) == 1;
        const std::size_t rank
            = isClear ? static_cast<std::size_t>(best - m_matches.begin()) : Place::kNone;
        m_matches.clear();
        m_kernels = 0;
        return rank;
    }

private:
    std::vector<std::unordered_map<std::uint32_t, std::int64_t>> m_calls; // begin by correlation
    std::vector<std::ptrdiff_t> m_matches;                                // by rank
    std::ptrdiff_t m_kernels = 0;
};

// Divides a trace that a program merged from those of several ranks: every process that launches
// GPU work is a rank. Without such processes, the result has no ranks and `trace` is unchanged.
// Fails with Error::Code::Unsupported if it is not clear which process launched the work of a GPU.
Result<Parts> splitLaunchers(RankTrace&& trace, const std::vector<std::string>& processes,
                             const GpuProcesses& of)
{
    RankOf rankOf;
    for (const GpuCall& call : trace.gpu.calls)
        rankOf.emplace(processes[call.thread], 0);
    if (trace.gpu.kernels.empty())
        return Parts();
    if (rankOf.size() < 2) {
        Parts one;
        for (std::uint32_t thread = 0; thread < trace.threads.size(); ++thread)
            one.placeOf.push_back({0, thread});
        one.ranks.push_back(std::move(trace));
        return one;
    }
    Parts parts = divide(trace, processes, rankOf);
    std::map<std::uint32_t, std::vector<std::uint32_t>> kernelsOf; // by process
    for (std::uint32_t i = 0; i < of.kernels.size(); ++i)
        kernelsOf[of.kernels[i]].push_back(i);
    std::map<std::uint32_t, std::size_t> launcherOf; // process of GPU rows -> rank
    Launchers launchers(parts);
    for (const auto& [process, kernels] : kernelsOf) {
        std::size_t& rank = launcherOf[process] = Place::kNone;
        const std::string_view label = labelOf(trace.text(process));
        const auto isLabelled
            = [&](const auto& each) { return !label.empty() && labelOf(each.first) == label; };
        if (std::ranges::count_if(rankOf, isLabelled) == 1) {
            rank = static_cast<std::size_t>(std::ranges::find_if(rankOf, isLabelled)->second);
            continue;
        }
        for (const std::uint32_t kernel : kernels)
            launchers.add(trace.gpu.kernels[kernel]);
        rank = launchers.take();
        if (rank == Place::kNone)
            return fail(Error::Code::Unsupported,
                        "{} has the traces of {} processes, and it is not clear which "
                        "of them launched the kernels of \"{}\"; import the trace of "
                        "every rank as its own file",
                        trace.file, rankOf.size(), excerpt(trace.text(process)));
    }
    const auto give
        = [&](const auto& rows, const std::vector<std::uint32_t>& process, auto listOf) {
              for (std::uint32_t i = 0; i < rows.size(); ++i)
                  if (const auto rank = launcherOf.find(process[i]); rank != launcherOf.end())
                      listOf(parts.ranks[rank->second], i)->push_back(rows[i]);
          };
    give(trace.gpu.kernels, of.kernels, [&](RankTrace& rank, std::uint32_t kernel) {
        for (auto [each, end] = trace.nccl.equal_range(kernel); each != end; ++each)
            rank.nccl.emplace(static_cast<std::uint32_t>(rank.gpu.kernels.size()), each->second);
        return &rank.gpu.kernels;
    });
    give(trace.gpu.copies, of.copies, [](RankTrace& rank, auto) { return &rank.gpu.copies; });
    give(trace.gpu.memsets, of.memsets, [](RankTrace& rank, auto) { return &rank.gpu.memsets; });
    return parts;
}

// Adds the arguments of messages to the NCCL kernels that state none: PyTorch states the messages
// of batch_isend_irecv() only on the host, before the calls that launch one or more kernels for
// all.
void addBatchedMessages(RankTrace& trace, std::vector<StatedMessage> messages)
{
    if (messages.empty())
        return;
    const auto when = [](const auto& each) { return std::pair(each.thread, each.begin); };
    std::ranges::stable_sort(messages, {}, when);
    auto first = messages.begin(), next = first; // the latest batch
    for (const Launch& launch : launchesOf(trace)) {
        const bool isNew = next != messages.end() && when(*next) <= when(launch);
        first = isNew ? next : first;
        while (next != messages.end() && when(*next) <= when(launch))
            ++next;
        const std::string& name = trace.text(trace.gpu.kernels[launch.kernel].name);
        const bool mayContinue = name.find("SendRecv") != std::string::npos;
        if (statesMessage(trace, launch.kernel) || (!isNew && !mayContinue))
            continue;
        for (auto message = first; message != next; ++message)
            if (message->thread == launch.thread && message->arguments.hasRanks()) {
                NcclArguments arguments = message->arguments;
                arguments.continues = !isNew;
                trace.nccl.emplace(launch.kernel, arguments);
            }
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
        , m_isKept([this](std::uint32_t name) { return m_isNamedByRule(m_strings.text(name)); })
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
    // Returns false if the text is not an event.
    bool takeText(std::string_view json)
    {
        const auto event = m_json.eventOf(json);
        if (event)
            take(*event);
        else
            ++m_trace.unreadable;
        return event.has_value();
    }
    Result<std::vector<RankTrace>> done()
    {
        forAllRows(m_trace, [this](auto& rows) {
            for (auto& row : rows) {
                row.window.begin += m_base;
                row.window.end += m_base;
            }
        });
        std::ranges::stable_sort(m_trace.memory, {}, &MemoryEvent::time);
        std::map<std::int64_t, std::int64_t> totals; // by GPU
        for (const auto& [device, before] : m_allocatedBefore)
            totals[device] = before.bytes;
        for (MemoryEvent& memory : m_trace.memory)
            memory.bytes -= std::exchange(totals[memory.device], memory.bytes);
        for (const auto& [device, before] : m_allocatedBefore)
            if (before.bytes > 0)
                m_trace.memory.push_back(before);
        for (MemoryEvent& memory : m_trace.memory)
            memory.time += m_base;
        for (const auto& open : m_open)
            m_trace.unreadable += static_cast<std::int64_t>(open.size());
        for (const auto& [id, open] : m_asyncs)
            m_trace.unreadable += static_cast<std::int64_t>(open.size());
        m_trace.texts = std::make_shared<const std::vector<std::string>>(m_strings.take());
        for (StatedMessage& message : m_messages)
            message.begin += m_base;
        if (m_trace.program.empty())
            m_trace.program = "Trace Event Format";
        if (!m_devices.empty()) // of the whole file; a trace without GPU work names no other
            m_trace.deviceName = m_devices.begin()->second;
        auto parts = TRY(splitLaunchers(std::move(m_trace), m_processes, m_gpuProcesses));
        if (parts.ranks.empty())
            return splitRanks(std::move(m_trace), m_processes, m_isNamedByRule);
        for (std::size_t i = 0; i < parts.ranks.size(); ++i) {
            RankTrace& rank = parts.ranks[i];
            std::vector<StatedMessage> messages;
            for (StatedMessage message : m_messages)
                if (parts.placeOf[message.thread].rank == i) {
                    message.thread = parts.placeOf[message.thread].thread;
                    messages.push_back(message);
                }
            addBatchedMessages(rank, std::move(messages));
            setRanksOfMessages(rank);
            const auto name = rank.gpu.kernels.empty()
                ? m_devices.end()
                : m_devices.find(rank.gpu.kernels.front().place.device);
            rank.deviceName = name != m_devices.end() ? name->second : "";
        }
        return std::move(parts.ranks);
    }
    bool leavesOutGpuWork() const { return m_leavesOutGpuWork; }

    // Phases of events that are not read, such as "C".
    const std::set<std::string>& otherPhases() const { return m_otherPhases; }

private:
    static constexpr std::size_t kMostPhases = 16;

    // The phases of events that begin and end by their id and not by their thread; the capital
    // letters are those of older versions of the format.
    static bool isAsync(std::string_view phase)
    {
        return phase == "b" || phase == "e" || phase == "S" || phase == "F";
    }
    void take(const TraceEvent& event)
    {
        const std::string_view phase = unquoted(event.phase);
        if (phase == "M")
            return takeThreadName(event);
        const EventCategory category = eventCategory(unquoted(event.category));
        const bool isUsed = phase == "X" || phase == "B" || phase == "E" || isAsync(phase)
            || (phase == "i" && category == EventCategory::Instant);
        if (!isUsed || category == EventCategory::Skip) {
            if (!isUsed && m_otherPhases.size() < kMostPhases)
                m_otherPhases.emplace(phase.substr(0, 1));
            return;
        }
        if (m_trace.program == kOwnProgram) {
            const OwnEvent own = ownEventOf(event, category, m_json);
            m_leavesOutGpuWork = m_leavesOutGpuWork || own == OwnEvent::GpuRecord;
            if (own != OwnEvent::Measured)
                return;
        }
        const auto window = event.window();
        const bool isEndless = phase == "X" && event.duration.empty();
        if (!window || isEndless || window->end > kMostTime - m_base) {
            ++m_trace.unreadable;
            return;
        }
        m_latest = std::max(m_latest, window->end);
        if (isAsync(phase))
            return takeAsync(event, window->begin);
        switch (category) {
        case EventCategory::Kernel:
        case EventCategory::Copy:
        case EventCategory::Memset:
            return takeGpuWork(event, category, *window);
        case EventCategory::Instant:
            return takeMemory(event, window->begin);
        case EventCategory::Call:
            return takeCall(event, *window);
        default:
            phase == "X" ? takeRange(event, category, *window) : takeOpen(event, window->begin);
        }
    }
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
        if (category == EventCategory::Python && !m_isKept(range.name))
            return;
        range.thread = threadOf(event);
        // Kineto before 2022 gives annotations the category of ops.
        const bool isAnnotation = unquoted(event.category) == "Operator" && m_isKept(range.name);
        if (category == EventCategory::Op && !isAnnotation) {
            if (m_strings.text(range.name) == "record_param_comms")
                takeMessage(event, window.begin);
            return m_trace.ops.push_back(range);
        }
        range.category = m_strings.number(textOf(event.category));
        constexpr std::size_t kMostArguments = 512;
        if (event.arguments.size() <= kMostArguments
            && event.arguments.find("\"External id\"") == std::string_view::npos)
            range.arguments = m_strings.number(textOf(event.arguments));
        m_trace.ranges.push_back(range);
    }
    void takeMemory(const TraceEvent& event, std::int64_t time)
    {
        if (unquoted(event.name) != "[memory]")
            return;
        MemoryEvent memory;
        memory.time = time;
        memory.category = MemoryCategory::Unknown;
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
        if (!onGpu || total < 0 || total > kMostBytes || memory.bytes < -kMostBytes
            || memory.bytes > kMostBytes)
            return;
        memory.device = static_cast<std::uint16_t>(std::clamp<std::int64_t>(device, 0, 0xFFFF));
        const std::int64_t before = total - std::exchange(memory.bytes, total);
        m_trace.memory.push_back(memory); // done() subtracts what was allocated before
        memory.bytes = before;
        const auto [first, isNew] = m_allocatedBefore.emplace(memory.device, memory);
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
        GpuCall call{window};
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
        constexpr std::uint32_t kNoStream = 0xFFFFFFFF;
        GpuKernel kernel;
        kernel.place.stream = kNoStream;
        GpuCopy copy;
        NcclArguments nccl;
        m_json.forEachField(event.arguments, [&](std::string_view key, std::string_view value) {
            for (const auto& [name, field] : {std::pair("device", &GpuPlace::device),
                                              {"context", &GpuPlace::context},
                                              {"stream", &GpuPlace::stream}})
                if (key == name)
                    return putNumber(value, kernel.place.*field);
            if (key == "correlation")
                return putNumber(value, kernel.place.correlation);
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
        if (kernel.place.stream == kNoStream) // some programs name it only as the thread
            kernel.place.stream = threadOf(event);
        kernel.window = window;
        if (event.process != m_gpuProcess) {
            m_gpuProcess = event.process;
            m_gpuProcessNumber = m_strings.number(textOf(event.process));
        }
        const std::uint32_t process = m_gpuProcessNumber;
        const std::string name = textOf(event.name);
        if (category == EventCategory::Kernel) {
            m_gpuProcesses.kernels.push_back(process);
            kernel.name = m_strings.number(name);
            if (nccl.collective != 0 || nccl.source >= 0)
                m_trace.nccl.emplace(static_cast<std::uint32_t>(m_trace.gpu.kernels.size()), nccl);
            m_trace.gpu.kernels.push_back(kernel);
        } else if (category == EventCategory::Memset) {
            m_gpuProcesses.memsets.push_back(process);
            m_trace.gpu.memsets.push_back({window, kernel.place, {}, copy.bytes, 0, 3});
        } else {
            copy.kind = copyKindNamed(name);
            copy.window = window;
            copy.place = kernel.place;
            copy.sourceDevice = copy.targetDevice = kernel.place.device;
            m_gpuProcesses.copies.push_back(process);
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
            return;
        }
        // An end may name its range; an end without a name is that of the latest one.
        const auto begun = event.name.empty()
            ? open.rbegin()
            : std::ranges::find(open.rbegin(), open.rend(), m_strings.number(textOf(event.name)),
                                &std::pair<std::uint32_t, std::int64_t>::first);
        if (begun == open.rend() || time < begun->second) {
            ++m_trace.unreadable;
            return;
        }
        m_trace.ranges.push_back({{begun->second, time}, begun->first, thread});
        open.erase(std::prev(begun.base()));
    }
    // Reads the start or the end of a range that may overlap others of its thread.
    void takeAsync(const TraceEvent& event, std::int64_t time)
    {
        auto& open = m_asyncs[fmt::format("{}\n{}\n{}", unquoted(event.process),
                                          unquoted(event.category), event.id)];
        const std::uint32_t name = m_strings.number(textOf(event.name));
        const std::string_view phase = unquoted(event.phase);
        if (phase == "b" || phase == "S")
            return open.push_back({{time, time}, name, threadOf(event)});
        const auto begun = std::ranges::find(open.rbegin(), open.rend(), name, &HostRange::name);
        if (begun == open.rend() || time < begun->window.begin) {
            ++m_trace.unreadable;
            return;
        }
        begun->window.end = time;
        m_trace.ranges.push_back(*begun);
        open.erase(std::next(begun).base());
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
    const IsNamedByRule& m_isNamedByRule;
    PerText<std::function<bool(std::uint32_t)>> m_isKept; // whether a rule names a range
    RankTrace m_trace;
    StringTable m_strings;
    JsonParser m_json;
    std::unordered_map<std::string, std::uint32_t> m_threads; // process and thread -> index
    std::vector<std::string> m_processes;                     // by thread: its process
    GpuProcesses m_gpuProcesses;
    std::string m_gpuProcess; // JSON text of the process of the latest GPU work
    std::uint32_t m_gpuProcessNumber = 0;
    // By thread: name and start of the ranges that have begun and not ended.
    std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> m_open;
    // By process, category and id: the asynchronous events that have begun and not ended.
    std::unordered_map<std::string, std::vector<HostRange>> m_asyncs;
    std::set<std::string> m_otherPhases;
    std::map<std::int64_t, std::string> m_devices; // names of GPUs, by id
    std::vector<StatedMessage> m_messages;
    // By GPU: the memory allocated before its first event, as an allocation at that time.
    std::map<std::int64_t, MemoryEvent> m_allocatedBefore;
    bool m_leavesOutGpuWork = false;
    std::int64_t m_base = 0;   // ns that are added to all times
    std::int64_t m_latest = 0; // ns; end of the latest event, without m_base
};

} // namespace

Result<JsonTrace> readKineto(const std::string& name, const ByteSource& bytes,
                             const IsNamedByRule& isNamedByRule)
{
    KinetoReader reader(name, isNamedByRule);
    const auto warning = TRY(readJsonEvents(
        name, bytes,
        {[&](std::string_view key, std::string_view value) { reader.takeMember(key, value); },
         [&](std::string_view event) { return reader.takeText(event); }}));
    JsonTrace trace{TRY(reader.done()), warning, {}};
    for (const std::string& phase : reader.otherPhases())
        trace.otherPhases += (trace.otherPhases.empty() ? "" : ", ") + phase;
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
    return divide(trace, ofProcesses ? processes : trace.threads, rankOf).ranks;
}

} // namespace profiler
