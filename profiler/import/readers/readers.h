#pragma once

#include "engine/base/result.h"
#include "engine/base/text.h"
#include "profiler/import/rank_trace.h"
#include "profiler/import/trace_files.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace profiler {

class Database;

inline constexpr std::size_t kMostText = 4096; // bytes of a name in a trace; the rest is cut off

// Interns texts and numbers them in the order of first use; "" is 0.
class StringTable
{
public:
    StringTable() { number(""); }

    std::uint32_t number(std::string_view text)
    {
        if (const auto known = m_numbers.find(text); known != m_numbers.end())
            return known->second;
        const auto number = static_cast<std::uint32_t>(m_texts.size());
        m_texts.emplace_back(text);
        m_numbers.emplace(m_texts.back(), number);
        return number;
    }
    const std::string& text(std::uint32_t number) const { return m_texts[number]; }
    // Moves all texts out. Do not use the table afterwards.
    std::vector<std::string> take()
    {
        m_numbers.clear();
        return {std::make_move_iterator(m_texts.begin()), std::make_move_iterator(m_texts.end())};
    }

private:
    std::deque<std::string> m_texts; // a deque never moves its elements, to which m_numbers points
    std::pmr::monotonic_buffer_resource m_memory;
    std::pmr::unordered_map<std::string_view, std::uint32_t> m_numbers{&m_memory};
};

// A reader turns a file of one format into RankTraces. Nothing after it depends on the format.

// Whether a rule matches ranges with this name. Python functions without such a rule are dropped.
using IsNamedByRule = std::function<bool(std::string_view range)>;

// Callbacks for the parts of a JSON trace. Every part is passed as JSON text with at least
// kJsonPadding readable bytes after it.
struct JsonEvents
{
    // Called for a member of the trace other than its events. Values of more than 1 MiB are
    // skipped.
    std::function<void(std::string_view key, std::string_view value)> member;
    // Called for each event; returns false if the text is not a JSON object. It is empty for an
    // event whose end cannot be found, for example because of an unescaped quote.
    std::function<bool(std::string_view event)> event;
};
inline constexpr std::size_t kJsonPadding = 64;

// Reads a trace in the Trace Event Format, {"traceEvents": [...], ...} or [...], or one event per
// line, in constant memory. After an event that is damaged, continues with the next one. If the
// trace is truncated, the events before that are kept and the returned warning says so; otherwise
// the warning is "". Fails with Error::Code::Corrupt if no event precedes the damage, and with the
// errors of `bytes`.
engine::Result<std::string> readJsonEvents(const std::string& name, const ByteSource& bytes,
                                           const JsonEvents& events);

std::string_view unquoted(std::string_view token);

// Converts microseconds to ns. The token is a JSON number, or a string with a number. Returns
// nullopt if the number is not finite or exceeds 285 years. Digits below 1 ns are dropped.
std::optional<std::int64_t> nanosecondsFrom(std::string_view token);

// Converts a JSON number, or a string with a number, to an integer.
std::optional<std::int64_t> integerFrom(std::string_view token);

struct JsonTrace
{
    std::vector<RankTrace> ranks;
    std::string warning;     // "" if all of it was read
    std::string otherPhases; // phases of events that are not read: "C, s"; "" if there are none
};

// Reads a JSON trace in the Trace Event Format, either from PyTorch's profiler (Kineto), with one
// file per rank, or from a program that writes one process or thread per rank. Events without a
// usable time are left out and counted in RankTrace::unreadable.
engine::Result<JsonTrace> readKineto(const std::string& name, const ByteSource& bytes,
                                     const IsNamedByRule& isNamedByRule);

// Splits the trace of one file into ranks. A trace that has kernels or states its rank is a single
// rank. Otherwise every process with a range that a rule matches is a rank. If there is only one
// such process, every thread with such a range is a rank, except in traces of PyTorch's profiler,
// in which a process is a rank, and in those that `bscope export` wrote, in which a process is a
// device. `processes[thread]` is the process of each thread. A file of more than 1024 ranks is not
// a trace of a job and stays a single rank.
std::vector<RankTrace> splitRanks(RankTrace trace, const std::vector<std::string>& processes,
                                  const IsNamedByRule& isNamedByRule);

// Reads an SQLite export of Nsight Systems of any version; missing tables and columns are
// treated as empty. Each process with GPU work is a rank. If no process has GPU work, each process
// with NVTX ranges is a rank. Fails with Error::Code::Unsupported if another program wrote the
// file, with Error::Code::Corrupt if it is damaged, and with Error::Code::Cancelled if `progress`
// returns false. If `before.file` is not `file`, then `file` is an unpacked copy of the trace
// `before.file`: errors name `before.file`, and `before.bytes` already includes the bytes of the
// trace.
engine::Result<std::vector<RankTrace>> readNsight(const std::filesystem::path& file,
                                                  ImportProgress before,
                                                  const OnImportProgress& progress);

// The rank, or the number of ranks, that a text states; nullopt if no job has it.
inline std::optional<int> rankIn(std::string_view text)
{
    constexpr int kMostRanks = 1'000'000;
    const auto rank = engine::parseInteger<int>(text);
    return rank && 0 <= *rank && *rank < kMostRanks ? rank : std::nullopt;
}

// The rank in the name of a file, such as "traces/rank3.memory.pickle".
std::optional<int> rankNamedIn(const std::string& file);

// Reads a database of AMD's rocprofv3 (rocpd): kernels, copies, functions of HIP and ranges of
// roctx. The rank of a process is that of its environment. Fails with Error::Code::Corrupt if a
// table or a column is missing, and with Error::Code::Cancelled.
engine::Result<bool> isRocpd(Database& database);
engine::Result<std::vector<RankTrace>> readRocpd(Database& database, const ImportProgress& progress,
                                                 const OnImportProgress& onProgress);

// Reads what rocprofv3 --output-format json writes (ROCm/rocprofiler-sdk, generateJSON.cpp and
// rocprofv3-schema.json): the same as from a database, but the rank of the process is that in the
// name of the file. Fails with Error::Code::Corrupt if the JSON is damaged.
bool isRocprofJson(std::string_view head); // by its first bytes
engine::Result<std::vector<RankTrace>> readRocprofJson(const std::string& name, std::string json);

// The allocations of one process of PyTorch. Times are ns since 1970.
struct MemorySnapshot
{
    struct History
    {
        engine::Window recorded;
        // The first one has the bytes that were allocated before.
        std::vector<engine::MemoryEvent> events;
    };
    std::string file;
    std::optional<int> rank;        // by the name of the file: "rank3"
    std::map<int, History> devices; // by number of the device in CUDA
};
bool isPickle(std::string_view head); // by its first bytes
// Reads what torch.cuda.memory._dump_snapshot() writes (docs.pytorch.org/docs/stable/
// torch_cuda_memory.html), a pickle of plain data; one that calls functions is refused.
engine::Result<MemorySnapshot> readMemorySnapshot(const std::string& name, std::string_view bytes);

// The files of a Megatron-LM that writes down when its forwards and backwards ran: the text of
// each, by name.
using MegatronFiles = std::map<std::string, std::string>;
struct MegatronTrace
{
    std::vector<RankTrace> ranks;
    std::vector<std::string> warnings;
};
// Whether a file has times, and whether it may belong to such files: config.json does.
bool isMegatronTrace(std::string_view file);
bool isMegatronFile(std::string_view file);

// Reads the files of all ranks, of which `files` has at least one:
// - Primus (AMD) with --dump_pp_data: config.json and pp_rank_N.json with the times of every
//   iteration in order of execution. Stages, chunks and micro-batches follow from Megatron-LM's
//   1F1B and interleaved 1F1B.
// - the PP timer (github.com/Victarry/PP-Schedule-Visualization): event_times_PP4_VPP1_..._rank_5
//   .json with the times of one iteration by chunk and micro-batch.
// Fails with Error::Code::NotFound if a rank is missing, and with Error::Code::Corrupt or
// Error::Code::InvalidArgument if the files are damaged or not of one run.
engine::Result<MegatronTrace> readMegatron(const MegatronFiles& files);

} // namespace profiler
