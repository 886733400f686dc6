#pragma once

#include "engine/base/result.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/timeline.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace profiler {

// Readers leave out events later than kMostTime (ns since 1970 or a later start), and the alignment
// of clocks moves no event before kLeastTime. Differences of such times fit in run files.
inline constexpr std::int64_t kMostTime = 2'200'000'000'000'000'000; // in 2039
inline constexpr std::int64_t kLeastTime = -100'000'000'000'000'000; // three years earlier than 0

// An annotation, an NVTX range or an op of the framework on a host thread.
struct HostRange
{
    engine::Window window;              // ns
    std::uint32_t name = 0, thread = 0; // indices into RankTrace::texts and RankTrace::threads
    std::uint32_t category = 0, arguments = 0; // indices into RankTrace::texts
};

// The arguments of a collective or a message of NCCL, as far as they were recorded.
struct NcclArguments
{
    // Indices into RankTrace::texts: the name of the collective, and the ranks and the description
    // of the process group.
    std::uint32_t collective = 0, group = 0, description = 0;
    // Sending and receiving rank of a message that a pipeline may have sent; -1: unknown.
    int source = -1, target = -1;
    bool mayBePipeline = true; // whether a pipeline may have the process group
    bool continues = false;    // whether an earlier kernel began the message

    bool hasRanks() const { return source >= 0 || target >= 0; }
};

// RankTrace::program of the Chrome traces that `bscope export` writes, and of those of Kineto.
inline constexpr std::string_view kOwnProgram = "Bubblescope", kKineto = "PyTorch profiler";

// The process groups of a rank, each with the rank itself; empty if the trace does not name it.
struct ProcessGroups
{
    std::vector<int> pipeline;        // by stage
    std::vector<int> tensor, context; // those of tensor and of context parallelism
};

// The least plausible median duration of ops, kernels and launches, in ns.
inline constexpr std::int64_t kShortest = 100;

// The trace of one process of a job, independent of the file format. Times are ns of the clock of
// the process's host.
struct RankTrace
{
    std::string file, program, host;         // program: "PyTorch profiler"; host: "" if unknown
    const char* unit = "µs";                 // of the times in the file: "µs", "ms" or "ns"
    std::string deviceName;                  // name of the rank's GPU
    std::optional<int> rank, worldSize;      // of the process
    int gpuOfProcess = 0, gpusOfProcess = 1; // set by splitGpus()
    ProcessGroups groups;
    std::vector<std::string> threads; // names of the host threads
    std::vector<HostRange> ranges;    // annotations and NVTX ranges
    std::vector<HostRange> ops;       // ops of the framework, such as aten::mm
    std::int64_t usualOp = 0;         // median duration of many `ops`, in ns; 0: few
    // The names, categories and arguments that the other members index; [0] is "". Shared by the
    // ranks of one file.
    std::shared_ptr<const std::vector<std::string>> texts;
    // The GPU activity. Its strings are in `texts` and not in gpu.strings; GpuCall::thread is an
    // index into `threads`.
    engine::GpuTrace gpu;
    // Index in gpu.kernels -> arguments. A kernel can execute several messages.
    std::multimap<std::uint32_t, NcclArguments> nccl;
    std::vector<engine::MemoryEvent> memory; // allocations of the framework
    std::map<int, double> losses; // iteration -> nats per token; recorded only by ranks of a kit
    std::string modelName, schemeName; // set only for a kit
    std::int64_t unreadable = 0;       // events that could not be read
    std::vector<std::int64_t>
        shortened;                // begins of GPU work that leaveOutImpossible() ended earlier
    std::int64_t onOtherGpus = 0; // GPU work that splitGpus() left out

    const std::string& text(std::uint32_t number) const { return (*texts)[number]; }
};

// Calls `use(rows)` for each table of GPU work.
template<class Trace, class Use>
void forGpuWork(Trace& gpu, const Use& use)
{
    use(gpu.kernels);
    use(gpu.copies);
    use(gpu.memsets);
}
// Calls `use(rows)` for each table of rows with a window.
template<class Use>
void forAllRows(RankTrace& trace, const Use& use)
{
    forGpuWork(trace.gpu, use);
    use(trace.gpu.calls);
    use(trace.ranges);
    use(trace.ops);
}

// Extends a window, so that it contains another one.
inline void extend(engine::Window& all, engine::Window part)
{
    all = {std::min(all.begin, part.begin), std::max(all.end, part.end)};
}
// Likewise the window of a key; the first part is the window.
template<class Key>
void extend(std::map<Key, engine::Window>& windows, const std::type_identity_t<Key>& key,
            engine::Window part)
{
    extend(windows.emplace(key, part).first->second, part);
}

// Answers a question about texts by their numbers, and asks `answer(number)` once for each.
template<class Answer>
class PerText
{
public:
    explicit PerText(Answer answer)
        : m_answer(std::move(answer))
    { }
    bool operator()(std::uint32_t text)
    {
        const auto [known, isNew] = m_known.try_emplace(text, false);
        if (isNew)
            known->second = m_answer(text);
        return known->second;
    }

private:
    Answer m_answer;
    std::unordered_map<std::uint32_t, bool> m_known;
};

// Finds values by correlation. Nearly all recordings have their work and its calls in the order of
// their correlations, so that a search begins where the last one ended.
template<class Value>
class ByCorrelation
{
public:
    void add(std::uint64_t correlation, Value value) { m_all.emplace_back(correlation, value); }
    // Call it once, after the last add(). Of equal correlations, the first one added is found.
    void sort()
    {
        const auto correlation = [](const auto& each) { return each.first; };
        if (!std::ranges::is_sorted(m_all, {}, correlation))
            std::ranges::stable_sort(m_all, {}, correlation);
    }
    const Value* find(std::uint64_t correlation)
    {
        const bool isAhead = m_next < m_all.size() && m_all[m_next].first < correlation;
        if (!(isAhead && m_next + 1 < m_all.size() && m_all[m_next + 1].first == correlation)
            && !(m_next < m_all.size() && m_all[m_next].first == correlation))
            m_next = static_cast<std::size_t>(
                std::ranges::lower_bound(m_all, correlation, {},
                                         [](const auto& each) { return each.first; })
                - m_all.begin());
        else
            m_next += isAhead ? 1 : 0;
        const bool isKnown = m_next < m_all.size() && m_all[m_next].first == correlation;
        return isKnown ? &m_all[m_next].second : nullptr;
    }

private:
    std::vector<std::pair<std::uint64_t, Value>> m_all;
    std::size_t m_next = 0; // where the last search ended
};

// The calls of a trace; no work has the correlation 0.
ByCorrelation<const engine::GpuCall*> callsOf(const RankTrace& trace);

// "cudaLaunchKernel_v7000", "cuLaunchKernelEx", "hipExtModuleLaunchKernel", "cudaGraphLaunch"
bool launchesKernel(std::string_view call);

// Fails with Error::Code::InvalidArgument if the calls that launch kernels, or the time until the
// kernels begin, are so long that times must be in ns where the format has microseconds.
engine::Result<void> checkUnit(const RankTrace& trace);

// Leaves out the events whose time cannot be right, and counts them as unreadable: GPU work that
// begins long before the call that launched it, or out of the order in which its stream executes,
// and a few events far from all others, such as those at time 0. A stream executes its work in
// order, so work that lasts until after the end of later work of its stream is ended where the next
// one begins, and counted as shortened.
void leaveOutImpossible(RankTrace& trace);

// Divides a process that uses several GPUs into one trace per GPU, each with all ranges. Work on
// GPUs with less than 1 % of the time, such as that of a context on GPU 0 that every rank makes, is
// left out.
std::vector<RankTrace> splitGpus(RankTrace trace);

} // namespace profiler
