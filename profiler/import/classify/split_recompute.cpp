#include "profiler/analysis/lanes.h"
#include "profiler/import/classify/classify.h"

#include <algorithm>
#include <array>

namespace profiler {

using namespace engine;

namespace {

// High-level ops that only a forward calls. The autograd engine calls none of them, so they show a
// recomputation within a backward.
constexpr std::array<std::string_view, 10> kForwardOps{
    "aten::linear",   "aten::layer_norm",
    "aten::rms_norm", "aten::gelu",
    "aten::silu",     "aten::embedding",
    "aten::dropout",  "aten::softmax",
    "aten::relu",     "aten::scaled_dot_product_attention"};

constexpr const char* kRecomputeRule = "recompute";

using ByThread = std::vector<Windows>;

ByThread forwardWindows(const RankTrace& trace)
{
    std::vector<std::vector<Window>> found(trace.threads.size());
    const auto collect = [&](const std::vector<HostRange>& ranges, auto accepts) {
        PerText isForward([&](std::uint32_t name) { return accepts(trace.text(name)); });
        for (const HostRange& range : ranges)
            if (isForward(range.name))
                found[range.thread].push_back(range.window);
    };
    const auto isForwardOp = [](std::string_view name) {
        return std::ranges::find(kForwardOps, name) != kForwardOps.end();
    };
    collect(trace.ops, isForwardOp);
    // Exports of Nsight Systems have the ops of the framework as NVTX ranges (emit_nvtx).
    collect(trace.ranges,
            [&](std::string_view name) { return isForwardOp(name) || isCheckpointFrame(name); });
    ByThread windows;
    for (std::vector<Window>& ofThread : found)
        windows.push_back(unite(std::move(ofThread)));
    return windows;
}

// The time for which forward ops run within a window, summed over all threads. Sums are computed
// modulo 2^64, so only the difference of two sums is meaningful.
class ForwardTime
{
public:
    explicit ForwardTime(const ByThread& forward)
    {
        for (const Windows& windows : forward)
            for (const Window window : windows) {
                m_begins.times.push_back(window.begin);
                m_ends.times.push_back(window.end);
            }
        m_begins.addUp();
        m_ends.addUp();
    }

    std::int64_t within(Window window) const
    {
        return static_cast<std::int64_t>(before(window.end) - before(window.begin));
    }

private:
    struct Times
    {
        std::vector<std::int64_t> times;
        std::vector<std::uint64_t> sums{0}; // sums[n]: sum of the first n times

        void addUp()
        {
            std::ranges::sort(times);
            for (const std::int64_t time : times)
                sums.push_back(sums.back() + static_cast<std::uint64_t>(time));
        }
        // The sum of the durations from each earlier time to `time`.
        std::uint64_t until(std::int64_t time) const
        {
            const auto earlier
                = static_cast<std::size_t>(std::ranges::lower_bound(times, time) - times.begin());
            return earlier * static_cast<std::uint64_t>(time) - sums[earlier];
        }
    };
    std::uint64_t before(std::int64_t time) const
    {
        return m_begins.until(time) - m_ends.until(time);
    }

    Times m_begins, m_ends;
};

class Splitter
{
public:
    Splitter(const RankTrace& trace, ClassifiedRank& rank)
        : m_trace(trace)
        , m_rank(rank)
        , m_forward(forwardWindows(trace))
        , m_times(rank.works.size(), 0)
    { }

    // Splits the backwards. Returns the number of backwards that recompute, and the recomputation
    // in ns.
    std::pair<std::int64_t, std::int64_t> run()
    {
        if (std::ranges::all_of(m_forward, &Windows::empty))
            return {};
        m_trace.gpu.kernels.empty() ? addHostTimes() : addKernels();
        return split();
    }

private:
    bool isSplit(std::uint32_t work) const
    {
        if (work == ClassifiedRank::kNoWork)
            return false;
        const Work& of = m_rank.works[work];
        return !of.second
            && (of.op.kind == OpKind::Backward || of.op.kind == OpKind::BackwardInput);
    }

    void addHostTimes()
    {
        const ForwardTime forward(m_forward);
        for (std::uint32_t i = 0; i < m_rank.works.size(); ++i)
            if (isSplit(i))
                m_times[i] = forward.within(m_rank.works[i].window);
    }

    void addKernels()
    {
        auto calls = callsOf(m_trace);
        m_recomputes.assign(m_trace.gpu.kernels.size(), false);
        for (std::size_t k = 0; k < m_trace.gpu.kernels.size(); ++k) {
            const auto* const call = calls.find(m_trace.gpu.kernels[k].place.correlation);
            if (call == nullptr || !isSplit(m_rank.ofKernel[k])
                || (*call)->thread >= m_forward.size()
                || !contains(m_forward[(*call)->thread], (*call)->window.begin))
                continue;
            m_recomputes[k] = true;
            addTime(m_times[m_rank.ofKernel[k]], m_trace.gpu.kernels[k].window.duration());
        }
    }

    std::pair<std::int64_t, std::int64_t> split()
    {
        std::vector<Work> works;
        std::vector<std::uint32_t> rest(m_rank.works.size()), recompute(rest);
        LongestMatches matches;
        std::int64_t count = 0, time = 0;
        for (std::uint32_t i = 0; i < m_rank.works.size(); ++i) {
            Work work = m_rank.works[i];
            const std::int64_t part = std::min(m_times[i], work.window.duration());
            recompute[i] = static_cast<std::uint32_t>(works.size());
            if (part > 0) {
                Work first = work;
                first.op.kind = OpKind::Recompute;
                first.window.end = work.window.begin = work.window.begin + part;
                matches.add({first.window, Match::Of::Recompute, recompute[i]});
                works.push_back(first);
                ++count;
                addTime(time, part);
            }
            rest[i] = static_cast<std::uint32_t>(works.size());
            works.push_back(work);
        }
        const auto renumber = [&](std::vector<std::uint32_t>& list, auto isRecomputed) {
            for (std::size_t k = 0; k < list.size(); ++k)
                if (list[k] != ClassifiedRank::kNoWork)
                    list[k] = (isRecomputed(k) ? recompute : rest)[list[k]];
        };
        renumber(m_rank.ofKernel,
                 [&](std::size_t k) { return !m_recomputes.empty() && m_recomputes[k]; });
        renumber(m_rank.ofCopy, [](std::size_t) { return false; });
        renumber(m_rank.ofMemset, [](std::size_t) { return false; });
        m_rank.works = std::move(works);
        m_rank.renumberMatches(rest);
        m_rank.matches[kRecomputeRule] = matches.take();
        return {count, time};
    }

    const RankTrace& m_trace;
    ClassifiedRank& m_rank;
    ByThread m_forward;
    std::vector<std::int64_t> m_times; // by work: its recomputation in ns
    std::vector<bool> m_recomputes;    // by kernel: whether it recomputes
};

// Adds a rule for the recomputation to the report. Subtracts the recomputed time from the rule with
// the most time, which is assumed to be the rule that matched the backwards.
void report(std::int64_t count, std::int64_t time, ClassifiedRank& rank)
{
    const auto named = std::ranges::max_element(rank.rules, {}, &ImportReport::Rule::time);
    if (named != rank.rules.end())
        named->time = std::max<std::int64_t>(0, named->time - time);
    rank.rules.push_back({kRecomputeRule,
                          "Forward ops within a backward (activation checkpointing)", "medium",
                          count, time});
}

} // namespace

bool isCheckpointFrame(std::string_view name)
{
    return name.find("torch/utils/checkpoint.py") != std::string_view::npos
        && (name.ends_with(": unpack_hook") || name.ends_with(": recompute_fn"));
}

void splitRecompute(const RankTrace& trace, ClassifiedRank& rank)
{
    const bool isNamed = std::ranges::any_of(rank.works, [](const Work& work) {
        return work.op.kind == OpKind::Recompute; // the trace names them itself
    });
    if (rank.fromSegments || isNamed)
        return;
    if (const auto [count, time] = Splitter(trace, rank).run(); count > 0)
        report(count, time, rank);
}

} // namespace profiler
