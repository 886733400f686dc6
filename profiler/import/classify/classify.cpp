#include "profiler/import/classify/classify.h"

#include "engine/base/text.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"
#include "profiler/analysis/lanes.h"
#include "profiler/import/rank_trace.h"
#include "profiler/import/rules.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace profiler {

using namespace engine;

namespace {

// The ranges of one host thread, which nest. The caller chooses the ids.
class NestedRanges
{
public:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    void add(Window window, std::uint32_t id) { m_ranges.push_back({window, id, kNone}); }
    // Call it once, after the last add().
    void sort()
    {
        std::ranges::stable_sort(m_ranges, [](const Range& a, const Range& b) {
            return a.window.begin != b.window.begin ? a.window.begin < b.window.begin
                                                    : a.window.end > b.window.end;
        });
        std::vector<std::uint32_t> open;
        for (std::uint32_t i = 0; i < m_ranges.size(); ++i) {
            while (!open.empty() && m_ranges[open.back()].window.end <= m_ranges[i].window.begin)
                open.pop_back();
            m_ranges[i].parent = open.empty() ? kNone : open.back();
            open.push_back(i);
        }
    }
    // The id of the innermost range that contains `time` and that `accept(id)` accepts; kNone if
    // there is no such range.
    template<class Accept>
    std::uint32_t innermost(std::int64_t time, Accept accept) const
    {
        const auto next = std::ranges::upper_bound(
            m_ranges, time, {}, [](const Range& range) { return range.window.begin; });
        if (next == m_ranges.begin())
            return kNone;
        auto at = static_cast<std::uint32_t>(next - m_ranges.begin() - 1);
        for (; at != kNone; at = m_ranges[at].parent)
            if (time <= m_ranges[at].window.end && accept(m_ranges[at].id))
                return m_ranges[at].id;
        return kNone;
    }

private:
    struct Range
    {
        Window window;
        std::uint32_t id = 0, parent = kNone;
    };
    std::vector<Range> m_ranges;
};

bool isTransport(const RuleMatch& match)
{
    return match.purpose == RuleMatch::Purpose::Communication
        || (match.purpose == RuleMatch::Purpose::Op && !isCompute(match.ops.front().kind));
}

// A range that a rule matches.
constexpr std::string_view kStageFrame = "torch-stage-frame"; // a rule

struct Mark
{
    HostRange range;
    const RuleMatch* match = nullptr;

    bool isOp() const { return match->purpose == RuleMatch::Purpose::Op; }
    // The kind of the op that the range names (of the first one, if it names joint ops).
    OpKind kind() const { return match->ops.front().kind; }
};

// The ranges of a rank that rules match, sorted by start, with lookup by time.
class MarkedRanges
{
public:
    static constexpr std::uint32_t kNone = NestedRanges::kNone;

    // `trace` must outlive this object.
    MarkedRanges(const RankTrace& trace, const Rules& rules);

    const std::vector<Mark>& all() const { return m_marks; }
    // The innermost range of a thread that contains `time` and that `accept(mark)` accepts, as an
    // index in all(); kNone if there is no such range.
    template<class Accept>
    std::uint32_t on(std::uint32_t thread, std::int64_t time, Accept accept) const
    {
        return thread >= m_onThread.size()
            ? kNone
            : m_onThread[thread].innermost(time,
                                           [&](std::uint32_t id) { return accept(m_marks[id]); });
    }
    // Like on(), but if nothing is found, also searches the 64 threads with the most ranges.
    template<class Accept>
    std::uint32_t onAny(std::uint32_t thread, std::int64_t time, Accept accept) const
    {
        std::uint32_t found = on(thread, time, accept);
        for (std::size_t i = 0; i < m_busiest.size() && found == kNone; ++i)
            if (m_busiest[i] != thread)
                found = on(m_busiest[i], time, accept);
        return found;
    }

private:
    std::vector<std::unique_ptr<const RuleMatch>> m_matches;
    std::vector<Mark> m_marks;
    std::vector<NestedRanges> m_onThread; // by thread: its ranges
    // The threads with the most ranges, which onAny() searches.
    std::vector<std::uint32_t> m_busiest;
};

MarkedRanges::MarkedRanges(const RankTrace& trace, const Rules& rules)
    : m_onThread(trace.threads.size())
{
    struct Found
    {
        bool isKnown = false;
        const RuleMatch* match = nullptr;
    };
    std::vector<Found> byName(trace.texts->size());
    const bool needsAll = rules.needsMoreThanNames();
    for (const HostRange& range : trace.ranges) {
        Found& known = byName[range.name];
        if (!known.isKnown || needsAll) {
            const auto match
                = rules.ofRange({trace.text(range.name), trace.text(range.category),
                                 trace.threads[range.thread], trace.text(range.arguments)});
            if (match)
                m_matches.push_back(std::make_unique<const RuleMatch>(*match));
            known = {true, match ? m_matches.back().get() : nullptr};
        }
        if (known.match != nullptr)
            m_marks.push_back({range, known.match});
    }
    const auto isFrame
        = [&](const Mark& mark) { return rules.all()[mark.match->rule].name == kStageFrame; };
    if (std::ranges::any_of(m_marks, [&](const Mark& mark) {
            return mark.isOp() && runsMicroBatch(mark.kind()) && !isFrame(mark);
        }))
        std::erase_if(m_marks, isFrame);
    std::ranges::stable_sort(m_marks, {}, [](const Mark& mark) { return mark.range.window.begin; });
    for (std::uint32_t i = 0; i < m_marks.size(); ++i)
        m_onThread[m_marks[i].range.thread].add(m_marks[i].range.window, i);
    std::vector<std::uint32_t> counts(m_onThread.size(), 0);
    for (const Mark& mark : m_marks)
        if (counts[mark.range.thread]++ == 0)
            m_busiest.push_back(mark.range.thread);
    std::ranges::stable_sort(m_busiest, std::ranges::greater(),
                             [&](std::uint32_t thread) { return counts[thread]; });
    constexpr std::size_t kMostThreads = 64;
    m_busiest.resize(std::min(m_busiest.size(), kMostThreads));
    for (NestedRanges& ranges : m_onThread)
        ranges.sort();
}

// Old versions of PyTorch record only the functions, such as "AddmmBackward" and "MulBackward0".
bool isOfEngine(std::string_view name)
{
    constexpr std::string_view kFunction = "Backward";
    if (name.starts_with("autograd::engine::evaluate_function"))
        return true;
    name = name.substr(0, name.find_last_not_of("0123456789") + 1);
    return name.size() > kFunction.size() && name.ends_with(kFunction) && 'A' <= name.front()
        && name.front() <= 'Z' && name.find_first_of(" :.") == std::string_view::npos;
}

// Knows which host threads belong to PyTorch's autograd engine, and when other threads run
// functions of the engine.
class AutogradThreads
{
public:
    // A thread belongs to the engine if PyTorch named it so, or if most of its ops run within
    // autograd functions; its other ops are those of hooks. The main thread also runs a few such
    // functions: the roots of a backward, or those of CPU tensors. A thread with ranges of
    // iterations never belongs to the engine, because on a CPU the backward runs on the thread that
    // calls it.
    AutogradThreads(const RankTrace& trace, const MarkedRanges& marks)
    {
        std::vector<std::vector<Window>> found(trace.threads.size());
        for (const auto* rows : {&trace.ops, &trace.ranges})
            for (const HostRange& range : *rows)
                if (isOfEngine(trace.text(range.name)))
                    found[range.thread].push_back(range.window);
        for (std::vector<Window>& windows : found)
            m_functions.push_back(unite(std::move(windows)));
        std::vector<std::int64_t> within(trace.threads.size(), 0); // ops within functions - others
        for (const auto* rows : {&trace.ops, &trace.ranges})
            for (const HostRange& range : *rows)
                within[range.thread]
                    += contains(m_functions[range.thread], range.window.begin) ? 1 : -1;
        // PyTorch 2 names its threads; Kineto writes "thread 1262 (pt_autograd_0)".
        constexpr std::string_view kName = "pt_autograd_";
        for (std::size_t thread = 0; thread < m_functions.size(); ++thread)
            m_isEngine.push_back(trace.threads[thread].find(kName) != std::string::npos
                                 || (!m_functions[thread].empty() && within[thread] >= 0));
        for (const Mark& mark : marks.all())
            if (mark.match->purpose == RuleMatch::Purpose::Iteration)
                m_isEngine[mark.range.thread] = false;
    }

    bool launched(std::uint32_t thread, std::int64_t time) const
    {
        return m_isEngine[thread] || contains(m_functions[thread], time);
    }

private:
    std::vector<bool> m_isEngine;     // by thread: whether it belongs to the engine
    std::vector<Windows> m_functions; // by thread: when functions of the engine run
};

// `group` lists the ranks of the process group, such as "[0, 1, 2]".
bool goesToNextStage(const NcclArguments& message, std::string_view group)
{
    const bool goesUp = message.source < message.target;
    if (!group.starts_with('[') || !group.ends_with(']') || std::ranges::count(group, ',') < 2)
        return goesUp;
    const std::size_t last = group.find_last_of(" ,") + 1;
    const auto ends = std::pair(parseInteger<int>(group.substr(1, group.find(',') - 1)),
                                parseInteger<int>(group.substr(last, group.size() - 1 - last)));
    const auto [lower, higher] = std::minmax(message.source, message.target);
    return goesUp != (ends.first == lower && ends.second == higher);
}

OpKind kindOf(bool sends, bool goesDown)
{
    if (sends)
        return goesDown ? OpKind::SendActivation : OpKind::SendGradient;
    return goesDown ? OpKind::RecvActivation : OpKind::RecvGradient;
}

// The kind of a message between two stages; nullopt for a collective and for a message without
// ranks. If ranks have several chunks, the last rank also sends to the first one; if there are only
// two ranks, such a message is not recognised.
std::optional<OpKind> messageKind(const NcclArguments& message, const RankTrace& trace)
{
    const std::string& name = trace.text(message.collective);
    if (message.source < 0 || message.target < 0 || (name != "send" && name != "recv"))
        return std::nullopt;
    return kindOf(name == "send", goesToNextStage(message, trace.text(message.group)));
}

// PyTorch's ranges are "nccl:send 0->1" and "nccl:recv 1<-0", with ranks of the process group.
std::optional<OpKind> messageKind(std::string_view range)
{
    const bool sends = range.starts_with("nccl:send ");
    const std::size_t arrow = range.find(sends ? "->" : "<-");
    constexpr std::size_t kPrefix = std::string_view("nccl:send ").size();
    if ((!sends && !range.starts_with("nccl:recv ")) || arrow == std::string_view::npos)
        return std::nullopt;
    const auto own = parseInteger<int>(range.substr(kPrefix, arrow - kPrefix));
    const std::string_view rest = range.substr(arrow + 2);
    const auto other = parseInteger<int>(rest.substr(0, rest.find_first_of(", ")));
    if (!own || !other || *own == *other)
        return std::nullopt;
    return kindOf(sends, sends == (*own < *other));
}

// A kernel, copy or memset.
struct GpuItem
{
    Match match;
    std::optional<GpuCall> call;   // that launched it
    std::uint32_t* work = nullptr; // its entry in ClassifiedRank::ofKernel, ofCopy or ofMemset
    const RuleMatch* kernelRule = nullptr; // the rule for kernels that matches its name
    // The arguments of a kernel of NCCL, of each message if it executes several; empty if unknown.
    std::vector<const NcclArguments*> nccl = {};

    // ns; the time of the launch or, if that is unknown, the start
    std::int64_t launch() const { return call ? call->window.begin : match.window.begin; }
};

// The GPU work of a rank.
class GpuItems
{
public:
    // `trace` and `result` must outlive this object. Sizes the lists of `result` that the items
    // refer to; no item has a work yet.
    GpuItems(const RankTrace& trace, const Rules& rules, ClassifiedRank& result)
    {
        auto calls = callsOf(trace);
        const auto add = [&](const auto& rows, Match::Of of, std::vector<std::uint32_t>& works) {
            works.assign(rows.size(), ClassifiedRank::kNoWork);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                m_items.push_back(
                    {{rows[i].window, of, static_cast<std::uint32_t>(i)}, std::nullopt, &works[i]});
                if (const auto* const call = calls.find(rows[i].place.correlation))
                    m_items.back().call = **call;
            }
        };
        add(trace.gpu.kernels, Match::Of::Kernel, result.ofKernel);
        add(trace.gpu.copies, Match::Of::Copy, result.ofCopy);
        add(trace.gpu.memsets, Match::Of::Memset, result.ofMemset);
        for (std::uint32_t i = 0; i < trace.gpu.kernels.size(); ++i) {
            const std::uint32_t name = trace.gpu.kernels[i].name;
            auto known = m_rules.find(name);
            if (known == m_rules.end())
                known = m_rules.emplace(name, rules.ofKernel(trace.text(name))).first;
            m_items[i].match.name = name;
            m_items[i].kernelRule = known->second ? &*known->second : nullptr;
            for (auto [each, end] = trace.nccl.equal_range(i); each != end; ++each)
                m_items[i].nccl.push_back(&each->second);
        }
        std::ranges::stable_sort(m_items, {}, &GpuItem::launch);
    }

    const std::vector<GpuItem>& inOrder() const { return m_items; } // of launches

private:
    std::unordered_map<std::uint32_t, std::optional<RuleMatch>> m_rules; // by name of a kernel
    std::vector<GpuItem> m_items;
};

// Sums the work of one rank by the rule that matches it, and keeps the longest matches of each
// rule.
class RuleTally
{
public:
    // Counts work that a rule matches. `rule` is an index in Rules::all(), or the number of rules
    // for work that autograd threads launched, or that number + 1 for work that other threads
    // launched.
    void count(std::size_t rule, const Match& match)
    {
        m_byRule[rule].add(match.window.duration());
        m_longest[rule].add(match);
    }
    // Counts work that no rule matches.
    void leaveOut(const char* what, const Match& match)
    {
        leaveOut(what, match.window.duration());
        m_unmatched.add(match);
    }
    // Counts anything else that the run does not contain; `time` is in ns.
    void leaveOut(const char* what, std::int64_t time) { m_leftOut[what].add(time); }
    // Stores the rules, their matches and what was left out in `rank`.
    void report(const Rules& rules, ClassifiedRank& rank)
    {
        std::vector<RuleText> texts = rules.all();
        texts.push_back({"autograd-thread", "Launched by the autograd engine", "medium"});
        texts.push_back({"main-thread", "Launched outside the autograd engine", "low"});
        for (std::size_t rule = 0; rule < rules.own(); ++rule)
            m_byRule[rule]; // a rule of the user that matches nothing is listed with 0
        for (const auto& [rule, sum] : m_byRule) {
            const RuleText& text = texts[rule];
            rank.rules.push_back({text.name, text.title, text.confidence, sum.matches, sum.time});
            const std::vector<Match> longest = m_longest[rule].take();
            auto& known = rank.matches[text.name]; // several rules may have one name
            known.insert(known.end(), longest.begin(), longest.end());
        }
        rank.matches[""] = m_unmatched.take();
        for (const auto& [what, sum] : m_leftOut)
            rank.leftOut.push_back({what, sum.matches, sum.time});
    }

private:
    struct Sum
    {
        std::int64_t matches = 0, time = 0;

        void add(std::int64_t more)
        {
            ++matches;
            addTime(time, more);
        }
    };
    std::map<std::size_t, Sum> m_byRule;
    std::map<std::string, Sum> m_leftOut;
    std::map<std::size_t, LongestMatches> m_longest; // by rule
    LongestMatches m_unmatched;
};

bool isForwardSegment(const Work& work)
{
    return work.isSegment && work.op.kind == OpKind::Forward;
}

// By work: whether it is a forward segment without a kernel.
std::vector<bool> segmentsOfCopies(const ClassifiedRank& rank)
{
    std::vector<bool> copies;
    for (const Work& work : rank.works)
        copies.push_back(isForwardSegment(work));
    for (const std::uint32_t work : rank.ofKernel)
        if (work != ClassifiedRank::kNoWork)
            copies[work] = false;
    return copies;
}

// Finds the forward segments after the last backward of an iteration that has a forward before a
// backward, and those before the first message of an iteration if the rank receives it. An
// iteration ends with its range or, without such ranges, with its optimizer step.
struct FalseForwards
{
    std::vector<bool> found; // by work

    std::vector<bool> find(const ClassifiedRank& rank)
    {
        for (std::size_t i = 0; i < rank.works.size(); ++i) {
            const Work& work = rank.works[i];
            if (i > 0 && work.step != rank.works[i - 1].step)
                endIteration();
            if (isForwardSegment(work) && !found[i])
                latest.push_back(i);
            else if (isBackward(work.op.kind) || isTransfer(work.op.kind))
                confirm(work.op.kind);
            if (work.op.kind == OpKind::OptimizerStep && rank.steps.empty())
                endIteration();
        }
        if (!rank.steps.empty())
            endIteration();
        return std::move(found);
    }

    void confirm(OpKind kind)
    {
        const bool isFirstMessage = isTransfer(kind) && !std::exchange(hasMessage, true);
        if (isFirstMessage && kind == OpKind::RecvActivation)
            removeLatest();
        hasForward = hasForward || !latest.empty();
        hasBackward = hasBackward || isBackward(kind);
        latest.clear();
    }
    void endIteration()
    {
        if (hasForward && hasBackward)
            removeLatest();
        latest.clear();
        hasForward = hasBackward = hasMessage = false;
    }
    void removeLatest()
    {
        for (const std::size_t work : latest)
            found[work] = true;
        latest.clear();
    }

    std::vector<std::size_t> latest{}; // forwards after the latest backward or message
    // What the iteration has had.
    bool hasForward = false, hasBackward = false, hasMessage = false;
};

// Removes segments that are no forward: copies without a kernel; work between the last backward and
// the end of an iteration, such as the clipping of gradients; work before the first message of an
// iteration if the rank receives it, such as the clearing of gradients.
void removeFalseForwards(ClassifiedRank& rank)
{
    const std::vector<bool> removed = FalseForwards{segmentsOfCopies(rank)}.find(rank);
    std::vector<std::uint32_t> newIndex(rank.works.size(), ClassifiedRank::kNoWork);
    std::vector<Work> kept;
    ImportReport::LeftOut leftOut{"GPU work outside forwards and backwards", 0, 0};
    for (std::size_t i = 0; i < rank.works.size(); ++i) {
        if (removed[i]) {
            ++leftOut.count;
            addTime(leftOut.time, rank.works[i].window.duration());
            continue;
        }
        newIndex[i] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(rank.works[i]);
    }
    if (leftOut.count > 0)
        rank.leftOut.push_back(leftOut);
    rank.works = std::move(kept);
    rank.renumberWorks(newIndex);
}

using Purpose = RuleMatch::Purpose;
constexpr std::uint32_t kNoWork = ClassifiedRank::kNoWork;

RuleMatch matchOf(OpKind kind)
{
    RuleMatch match;
    match.ops.emplace_back().kind = kind;
    return match;
}

class RankClassifier
{
public:
    RankClassifier(const RankTrace& trace, const Rules& rules)
        : m_trace(trace)
        , m_rules(rules)
        , m_marks(trace, rules)
        , m_autograd(trace, m_marks)
    { }

    ClassifiedRank run()
    {
        addMarkedWorks();
        m_trace.gpu.kernels.empty() ? classifyOps() : classifyGpu();
        countLaunches();
        finishWorks();
        return std::move(m_result);
    }

private:
    void addMarkedWorks()
    {
        m_workOf.assign(m_marks.all().size(), kNoWork);
        std::map<std::uint32_t, std::uint32_t> optimizer; // thread -> its latest optimizer step
        for (std::size_t i = 0; i < m_marks.all().size(); ++i) {
            const Mark& mark = m_marks.all()[i];
            const Window host = mark.range.window;
            if (mark.match->purpose == Purpose::Iteration) {
                m_result.steps.push_back({host, m_trace.text(mark.range.name)});
                m_bounds.push_back(host.begin);
            }
            // A joint range does not name its messages, but it separates ops as a message does.
            if (isOfRule(mark, "megatron-p2p-joint"))
                m_bounds.push_back(host.begin);
            if (!mark.isOp())
                continue;
            if (mark.kind() == OpKind::OptimizerStep) {
                const auto [latest, isFirst] = optimizer.emplace(mark.range.thread, kNoWork);
                // PyTorch's range of the step may be in one of the framework. Both are one step.
                if (!isFirst && host.begin < m_result.works[latest->second].host.end) {
                    Window& all = m_result.works[latest->second].host;
                    all.end = std::max(all.end, host.end);
                    m_workOf[i] = latest->second;
                    continue;
                }
                latest->second = static_cast<std::uint32_t>(m_result.works.size());
            }
            m_workOf[i] = addWork(*mark.match, host);
            const NamedOp& op = mark.match->ops.front();
            m_namesPipelineOps = m_namesPipelineOps || runsMicroBatch(op.kind);
            m_result.fromStageFrames = m_result.fromStageFrames || isOfRule(mark, kStageFrame);
            m_namesBackwards = m_namesBackwards
                || std::ranges::any_of(mark.match->ops,
                                       [](const NamedOp& each) { return isBackward(each.kind); });
            m_numbersOps = m_numbersOps || (runsMicroBatch(op.kind) && (op.stage || op.microBatch));
            if (isTransfer(op.kind))
                m_bounds.push_back(host.begin);
        }
    }
    void classifyGpu()
    {
        const GpuItems items(m_trace, m_rules, m_result);
        m_result.fromSegments = !m_namesPipelineOps;
        std::ranges::sort(m_bounds);
        for (const GpuItem& item : items.inOrder())
            classifyItem(item);
    }
    // Counts the launches without a kernel, and marks the ops that have only such launches. A
    // kernel takes time: if all kernels of an op last 0 ns, their times were not recorded.
    void countLaunches()
    {
        std::vector<std::int64_t> times(m_result.works.size(), 0); // of the kernels, by work
        const auto& kernels = m_trace.gpu.kernels;
        for (std::size_t i = 0; i < kernels.size(); ++i)
            if (m_result.ofKernel[i] != kNoWork)
                addTime(times[m_result.ofKernel[i]], kernels[i].window.duration());
        ByCorrelation<bool> ran;
        for (std::size_t i = 0; i < kernels.size(); ++i)
            if (const std::uint32_t work = m_result.ofKernel[i]; work == kNoWork || times[work] > 0
                || !engine::isCompute(m_result.works[work].op.kind))
                ran.add(kernels[i].place.correlation, true);
        ran.sort();
        PerText isLaunch([&](std::uint32_t name) { return launchesKernel(m_trace.text(name)); });
        for (const GpuCall& call : m_trace.gpu.calls) {
            if (!isLaunch(call.name))
                continue;
            ++m_result.launches;
            if (ran.find(call.correlation) != nullptr)
                continue;
            ++m_result.lostLaunches;
            const std::uint32_t mark
                = m_marks.onAny(call.thread, call.window.begin, [](const Mark& of) {
                      return of.isOp()
                          && (engine::isCompute(of.kind()) || engine::isTransfer(of.kind()));
                  });
            if (mark == MarkedRanges::kNone) {
                ++m_result.lostOutsideOps;
                continue;
            }
            Work& work = m_result.works[m_workOf[mark]];
            work.lacksKernels = true;
            const bool isTimed
                = kernels.empty() ? m_ran[m_workOf[mark]] : times[m_workOf[mark]] > 0;
            work.isLost = work.isLost || !isTimed;
        }
    }
    // Used for traces without GPU work: counts the time of the outermost framework ops on the host.
    // An op of the pipeline begins with the first framework op in its range that is no message, and
    // ends before the messages that follow its last one; around them, it waits.
    void classifyOps()
    {
        std::vector<HostRange> ops = m_trace.ops;
        std::ranges::stable_sort(ops, {}, [](const HostRange& op) { return op.window.begin; });
        std::vector<std::int64_t> busyUntil(m_trace.threads.size(), 0);
        std::vector<std::vector<std::int64_t>> begins(m_trace.threads.size()); // of ops, by thread
        std::map<std::uint32_t, std::int64_t> sentAt; // by work: its messages after its last op
        for (const HostRange& op : ops) {
            const bool isMessage = m_trace.text(op.name).starts_with("c10d::");
            if (!isMessage)
                begins[op.thread].push_back(op.window.begin);
            if (op.window.begin < busyUntil[op.thread])
                continue; // nested in another op
            busyUntil[op.thread] = op.window.end;
            const std::int64_t begin = op.window.begin;
            addTime(m_result.time, op.window.duration());
            const std::uint32_t mark = m_marks.onAny(op.thread, begin, [](const Mark& of) {
                return of.match->purpose != Purpose::Iteration;
            });
            if (mark == MarkedRanges::kNone) {
                m_tally.leaveOut("Framework ops outside any pipeline op",
                                 {op.window, Match::Of::Range, kNoWork, op.name});
                continue;
            }
            const std::uint32_t work = m_workOf[mark];
            m_tally.count(m_marks.all()[mark].match->rule,
                          {op.window, Match::Of::Range, work, op.name});
            if (work == kNoWork)
                continue;
            if (isMessage) {
                sentAt.try_emplace(work, begin);
                continue;
            }
            sentAt.erase(work);
            addJointPart(work, op.window, m_autograd.launched(op.thread, begin), begin, nullptr);
            if (engine::isCompute(m_result.works[work].op.kind) && !m_ran[work])
                grow(work, {begin, std::max(begin, m_result.works[work].host.end)});
        }
        for (const auto& [work, time] : sentAt)
            if (m_ran[work])
                m_result.works[work].window.end = std::max(m_result.works[work].window.begin, time);
        addCollectives();
        for (std::size_t i = 0; i < m_marks.all().size(); ++i)
            if (m_workOf[i] != kNoWork && !m_ran[m_workOf[i]])
                addRange(m_workOf[i], begins[m_marks.all()[i].range.thread]);
        if (m_trace.ops.empty())
            for (std::size_t i = 0; i < m_marks.all().size(); ++i)
                if (const Mark& mark = m_marks.all()[i]; mark.isOp())
                    m_tally.count(
                        mark.match->rule,
                        {mark.range.window, Match::Of::Range, m_workOf[i], mark.range.name});
    }
    // Gives a work without an op of the framework the window of its range. `ops` are the times at
    // which ops of its thread begin. If there are none in the range of a pipeline op, it only waits
    // for its input.
    void addRange(std::uint32_t work, const std::vector<std::int64_t>& ops)
    {
        const Window host = m_result.works[work].host;
        const auto first = std::ranges::lower_bound(ops, host.begin);
        const bool onlyWaits = !m_trace.ops.empty() && runsMicroBatch(m_result.works[work].op.kind)
            && (first == ops.end() || *first >= host.end);
        grow(work, onlyWaits ? Window{host.end, host.end} : host);
        if (m_trace.ops.empty()) // only ranges were recorded
            addTime(m_result.time, host.duration());
    }
    void classifyItem(const GpuItem& item)
    {
        addTime(m_result.time, item.match.window.duration());
        const std::int64_t launch = item.call ? item.call->window.begin : -1;
        const std::uint32_t thread = item.call ? item.call->thread : MarkedRanges::kNone;
        if (item.kernelRule != nullptr && isTransport(*item.kernelRule))
            return takeNccl(item);
        if (item.kernelRule != nullptr) {
            m_tally.count(item.kernelRule->rule, item.match);
            if (!item.kernelRule->ops.empty() && !m_namesPipelineOps)
                addSegment(item, item.kernelRule->ops.front().kind);
            return;
        }
        if (!item.call)
            return m_tally.leaveOut("GPU work without the call that launched it", item.match);
        const std::uint32_t mark = m_marks.onAny(thread, launch, [](const Mark& of) {
            return of.match->purpose == Purpose::None || (of.isOp() && isCompute(of.kind()));
        });
        if (mark != MarkedRanges::kNone) {
            m_tally.count(m_marks.all()[mark].match->rule, item.match);
            m_segment.reset();
            *item.work = m_workOf[mark];
            if (m_workOf[mark] == kNoWork)
                return;
            addJointPart(m_workOf[mark], item.match.window, m_autograd.launched(thread, launch),
                         launch, item.work);
            return grow(m_workOf[mark], item.match.window);
        }
        const bool backward = m_autograd.launched(thread, launch);
        if (m_numbersOps && !backward)
            return m_tally.leaveOut("GPU work launched outside any pipeline op", item.match);
        m_tally.count(m_rules.all().size() + (backward ? 0 : 1), item.match);
        // Ranges may name only forwards, as those of DeepSpeed do on all stages but the last.
        if (backward ? !m_namesBackwards : !m_namesPipelineOps)
            addSegment(item, backward ? OpKind::Backward : OpKind::Forward);
    }
    void takeNccl(const GpuItem& item)
    {
        const std::uint32_t thread = item.call ? item.call->thread : MarkedRanges::kNone;
        const auto markedBy
            = [&](auto accept) { return m_marks.on(thread, item.launch(), accept); };
        const auto ofRule = [this](const char* rule) {
            return [=, this](const Mark& mark) { return isOfRule(mark, rule); };
        };
        const std::uint32_t named
            = markedBy([](const Mark& mark) { return isTransport(*mark.match); });
        const std::uint32_t op
            = markedBy([](const Mark& mark) { return mark.isOp() && isTransport(*mark.match); });
        std::uint32_t work = op != MarkedRanges::kNone
            ? m_workOf[op]
            : addMessages(item, markedBy(ofRule("nccl-p2p")));
        const bool isExchange = markedBy(ofRule("nccl-exchange")) != MarkedRanges::kNone;
        const bool isUnknown = work == kNoWork && item.nccl.empty() && !isExchange;
        if (isUnknown && m_trace.text(item.match.name).find("SendRecv") != std::string::npos) {
            m_latestMessage = item.launch();
            return m_tally.leaveOut("Messages whose ranks are unknown", item.match);
        }
        m_tally.count(named != MarkedRanges::kNone ? m_marks.all()[named].match->rule
                                                   : item.kernelRule->rule,
                      item.match);
        if (work == kNoWork)
            work = addWork(matchOf(OpKind::AllReduce), {item.launch(), item.launch()});
        if (!item.nccl.empty())
            m_result.works[work].group = item.nccl.front()->group;
        *item.work = work;
        grow(work, item.match.window);
    }
    // Adds the messages that the kernel of NCCL executes, by its arguments or else by the range
    // `named` in which it was launched. Returns the first; kNoWork if it is unknown what the kernel
    // does.
    std::uint32_t addMessages(const GpuItem& item, std::uint32_t named)
    {
        std::vector<std::uint32_t>& batch
            = m_batches[item.call ? item.call->thread : MarkedRanges::kNone];
        const bool continues = !item.nccl.empty() && item.nccl.front()->continues;
        if (!continues)
            batch.clear();
        for (const std::uint32_t work : batch)
            grow(work, item.match.window);
        for (const NcclArguments* each : item.nccl)
            if (const auto kind = messageKind(*each, m_trace); kind && !continues)
                batch.push_back(addMessage(item, *kind, each->group));
        const std::uint32_t first = batch.empty() ? kNoWork : batch.front();
        const bool mayBePipeline
            = std::ranges::all_of(item.nccl, [](auto* each) { return each->mayBePipeline; });
        if (first != kNoWork || named == MarkedRanges::kNone || !mayBePipeline)
            return first;
        const auto kind = messageKind(m_trace.text(m_marks.all()[named].range.name));
        return kind ? addMessage(item, *kind, 0) : kNoWork;
    }
    std::uint32_t addMessage(const GpuItem& item, OpKind kind, std::uint32_t group)
    {
        m_latestMessage = item.launch();
        const std::uint32_t work = addWork(matchOf(kind), {m_latestMessage, m_latestMessage});
        m_result.works[work].group = group;
        grow(work, item.match.window);
        return work;
    }
    // Adds a kernel to the current segment (a sequence of kernels that becomes one F or B), or
    // begins a new segment. Must be called in the order of the launches.
    void addSegment(const GpuItem& item, OpKind kind)
    {
        const Window host = item.call ? item.call->window : item.match.window;
        const std::int64_t launch = host.begin;
        const std::int64_t end
            = m_segmentWork == kNoWork ? launch : m_result.works[m_segmentWork].host.end;
        const auto next = std::ranges::upper_bound(m_bounds, end);
        const bool crossesBound
            = m_latestMessage > end || (next != m_bounds.end() && *next <= launch);
        if (m_segment != kind || crossesBound || m_segmentWork == kNoWork) {
            m_segmentWork = addWork(matchOf(kind), host);
            m_result.works[m_segmentWork].isSegment = true;
            m_segment = kind;
            m_result.fromSegments = true;
        }
        m_result.works[m_segmentWork].host.end = host.end;
        *item.work = m_segmentWork;
        grow(m_segmentWork, item.match.window);
    }
    // Used for traces without GPU work: a message or a collective takes the time of a communication
    // range on the host. The range of the op itself only posts the call. The communication range
    // begins within the op's range or, for an all-reduce of a kit, is the next such range on
    // another thread.
    void addCollectives()
    {
        std::int64_t busyUntil = 0;
        std::deque<std::uint32_t> posted; // indices of works
        for (std::size_t i = 0; i < m_marks.all().size(); ++i) {
            const Mark& mark = m_marks.all()[i];
            if (mark.isOp() && mark.kind() == OpKind::AllReduce && isOfRule(mark, "bubblescope"))
                posted.push_back(m_workOf[i]);
            if (mark.match->purpose != Purpose::Communication)
                continue;
            const Window host = mark.range.window;
            const auto isOp = [](const Mark& of) { return of.isOp() && isTransport(*of.match); };
            const std::uint32_t op = m_marks.on(mark.range.thread, host.begin, isOp);
            const bool isMessageRange = isOfRule(mark, "nccl-p2p");
            if (op != MarkedRanges::kNone) {
                const std::uint32_t work = m_workOf[op];
                if (!m_ran[work])
                    grow(work, host);
            } else if (!isMessageRange && !posted.empty()) {
                grow(posted.front(), host);
                posted.pop_front();
            } else if (!isMessageRange && host.begin >= busyUntil) {
                grow(addWork(matchOf(OpKind::AllReduce), host), host);
                busyUntil = host.end;
            }
        }
    }
    // Notes a part of a joint F and B. Functions of the autograd engine launch that of the B.
    // `work` refers to the entry of a kernel or copy in m_result; nullptr for an op on the host.
    void addJointPart(std::uint32_t joint, Window window, bool ofBackward, std::int64_t launch,
                      std::uint32_t* work)
    {
        if (!m_result.works[joint].second)
            return;
        JointPart& part = m_jointParts[joint][ofBackward ? 1 : 0];
        if (!std::exchange(part.isKnown, true)) {
            part.window = window;
            part.launch = launch;
        }
        extend(part.window, window);
        part.launch = std::min(part.launch, launch);
        if (work != nullptr)
            part.works.push_back(work);
    }
    // If the two ops of a joint range ran one after the other, as those of PyTorch's OVERLAP_F_B do
    // by default, they are two works: the second may wait for its input in between.
    void separateJointWorks()
    {
        for (const auto& [joint, parts] : m_jointParts) {
            const NamedOp first = m_result.works[joint].op, second = *m_result.works[joint].second;
            const bool isOrdered = isBackward(second.kind) && !isBackward(first.kind);
            if (!isOrdered || !parts[0].isKnown || !parts[1].isKnown
                || parts[0].window.end > parts[1].window.begin)
                continue;
            RuleMatch match;
            match.ops = {second};
            const std::int64_t end = m_result.works[joint].host.end;
            const std::uint32_t work = addWork(match, {std::min(parts[1].launch, end), end});
            for (std::uint32_t* const each : parts[1].works)
                *each = work;
            grow(work, {parts[1].window.begin, m_result.works[joint].window.end});
            m_result.works[joint].second.reset();
            m_result.works[joint].host.end = m_result.works[work].host.begin;
            m_result.works[joint].window.end = parts[0].window.end;
        }
    }
    void finishWorks()
    {
        separateJointWorks();
        std::vector<std::uint32_t> newIndex(m_result.works.size(), kNoWork);
        std::vector<Work> kept;
        std::vector<std::uint32_t> order(m_result.works.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, {},
                                 [&](std::uint32_t i) { return m_result.works[i].host.begin; });
        const auto begins = [](const ClassifiedRank::Step& step) { return step.host.begin; };
        std::ranges::stable_sort(m_result.steps, {}, begins);
        for (const std::uint32_t i : order) {
            Work& work = m_result.works[i];
            if (work.isLost)
                work.window = work.host;
            if (!m_ran[i] && !work.isLost) {
                m_tally.leaveOut(kRangesWithoutWork, work.host.duration());
                continue;
            }
            const auto next = std::ranges::upper_bound(m_result.steps, work.host.begin, {}, begins);
            if (next != m_result.steps.begin() && work.host.begin < std::prev(next)->host.end)
                work.step = static_cast<int>(next - m_result.steps.begin() - 1);
            newIndex[i] = static_cast<std::uint32_t>(kept.size());
            kept.push_back(work);
        }
        m_result.works = std::move(kept);
        m_tally.report(m_rules, m_result);
        m_result.renumberWorks(newIndex);
    }

    bool isOfRule(const Mark& mark, std::string_view rule) const
    {
        return m_rules.all()[mark.match->rule].name == rule;
    }
    std::uint32_t addWork(const RuleMatch& match, Window host)
    {
        Work& work = m_result.works.emplace_back();
        work.op = match.ops.front();
        if (match.ops.size() > 1)
            work.second = match.ops[1];
        work.host = host;
        m_ran.push_back(false);
        return static_cast<std::uint32_t>(m_result.works.size() - 1);
    }
    void grow(std::uint32_t work, Window window)
    {
        Window& all = m_result.works[work].window;
        all = m_ran[work] ? all : window;
        extend(all, window);
        m_ran[work] = true;
    }

    struct JointPart // of a work with two joint ops
    {
        bool isKnown = false;
        Window window;
        std::int64_t launch = 0;           // ns on the host; of the first kernel or op
        std::vector<std::uint32_t*> works; // entries of its kernels and copies
    };

    const RankTrace& m_trace;
    const Rules& m_rules;
    ClassifiedRank m_result;
    std::map<std::uint32_t, std::array<JointPart, 2>> m_jointParts; // by work: of the F, of the B
    MarkedRanges m_marks;
    AutogradThreads m_autograd;
    std::vector<std::uint32_t> m_workOf; // by mark: its work
    std::vector<bool> m_ran;             // by work: whether its window is known
    bool m_namesPipelineOps = false, m_namesBackwards = false, m_numbersOps = false;
    RuleTally m_tally;
    std::optional<OpKind> m_segment; // kind of the last kernel in the order of launches
    std::uint32_t m_segmentWork = kNoWork;
    // Host times at which messages that ranges name, and iterations, begin; sorted.
    std::vector<std::int64_t> m_bounds;
    std::map<std::uint32_t, std::vector<std::uint32_t>> m_batches; // by thread: the latest messages
    // Host time of the latest NCCL kernel that sent or received a message.
    std::int64_t m_latestMessage = std::numeric_limits<std::int64_t>::min();
};

} // namespace

ClassifiedRank classify(const RankTrace& trace, const Rules& rules)
{
    ClassifiedRank rank = RankClassifier(trace, rules).run();
    removeFalseForwards(rank);
    return rank;
}

} // namespace profiler
