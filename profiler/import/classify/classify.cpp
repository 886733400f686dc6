#include "profiler/import/classify/classify.h"

#include "profiler/import/classify/autograd_threads.h"
#include "profiler/import/classify/gpu_items.h"
#include "profiler/import/classify/marked_ranges.h"
#include "profiler/import/classify/message_kind.h"
#include "profiler/import/classify/remove_forwards.h"
#include "profiler/import/classify/rule_tally.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <numeric>

namespace profiler {

using namespace engine;

namespace {
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
        finishWorks();
        return std::move(m_result);
    }

private:
    void addMarkedWorks();
    void classifyGpu();
    void classifyOps();
    void classifyItem(const GpuItem& item);
    void takeNccl(const GpuItem& item);
    std::uint32_t addMessages(const GpuItem& item, std::uint32_t named);
    std::uint32_t addMessage(const GpuItem& item, OpKind kind, std::uint32_t group);
    void addSegment(const GpuItem& item, OpKind kind);
    void addCollectives();
    void finishWorks();

    bool isOfRule(const Mark& mark, std::string_view rule) const
    {
        return m_rules.all()[mark.match->rule].name == rule;
    }
    std::uint32_t addWork(const RuleMatch& match, Window host);
    void grow(std::uint32_t work, Window window);

    const RankTrace& m_trace;
    const Rules& m_rules;
    ClassifiedRank m_result;
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
    // Host time of the latest NCCL kernel that sent or received a message.
    std::int64_t m_latestMessage = std::numeric_limits<std::int64_t>::min();
};

void RankClassifier::addMarkedWorks()
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
        m_namesPipelineOps = m_namesPipelineOps || isPipelineOp(op.kind);
        m_namesBackwards = m_namesBackwards
            || std::ranges::any_of(mark.match->ops,
                                   [](const NamedOp& each) { return isBackward(each.kind); });
        m_numbersOps = m_numbersOps || (isPipelineOp(op.kind) && (op.stage || op.microBatch));
        if (isTransfer(op.kind))
            m_bounds.push_back(host.begin);
    }
}

std::uint32_t RankClassifier::addWork(const RuleMatch& match, Window host)
{
    Work& work = m_result.works.emplace_back();
    work.op = match.ops.front();
    if (match.ops.size() > 1)
        work.second = match.ops[1];
    work.host = host;
    m_ran.push_back(false);
    return static_cast<std::uint32_t>(m_result.works.size() - 1);
}

void RankClassifier::grow(std::uint32_t work, Window window)
{
    Window& all = m_result.works[work].window;
    all = m_ran[work] ? Window{std::min(all.begin, window.begin), std::max(all.end, window.end)}
                      : window;
    m_ran[work] = true;
}

void RankClassifier::takeNccl(const GpuItem& item)
{
    const std::uint32_t thread = item.call ? item.call->thread : MarkedRanges::kNone;
    const auto markedBy = [&](auto accept) { return m_marks.on(thread, item.launch(), accept); };
    const auto ofRule = [this](const char* rule) {
        return [=, this](const Mark& mark) { return isOfRule(mark, rule); };
    };
    const std::uint32_t named = markedBy([](const Mark& mark) { return isTransport(*mark.match); });
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

// Adds the messages that the kernel of NCCL executes, by its arguments or else by the range `named`
// in which it was launched. Returns the first; kNoWork if it is unknown what the kernel does.
std::uint32_t RankClassifier::addMessages(const GpuItem& item, std::uint32_t named)
{
    std::uint32_t first = kNoWork;
    for (const NcclArguments* each : item.nccl)
        if (const auto kind = messageKind(*each, m_trace)) {
            const std::uint32_t work = addMessage(item, *kind, each->group);
            first = first == kNoWork ? work : first;
        }
    const bool mayBePipeline
        = std::ranges::all_of(item.nccl, [](auto* each) { return each->mayBePipeline; });
    if (first != kNoWork || named == MarkedRanges::kNone || !mayBePipeline)
        return first;
    const auto kind = messageKind(m_trace.text(m_marks.all()[named].range.name));
    return kind ? addMessage(item, *kind, 0) : kNoWork;
}

std::uint32_t RankClassifier::addMessage(const GpuItem& item, OpKind kind, std::uint32_t group)
{
    m_latestMessage = item.launch();
    const std::uint32_t work = addWork(matchOf(kind), {m_latestMessage, m_latestMessage});
    m_result.works[work].group = group;
    grow(work, item.match.window);
    return work;
}

// Adds a kernel to the current segment (a sequence of kernels that becomes one F or B), or begins a
// new segment. Must be called in the order of the launches.
void RankClassifier::addSegment(const GpuItem& item, OpKind kind)
{
    const Window host = item.call ? item.call->window : item.match.window;
    const std::int64_t launch = host.begin;
    const std::int64_t end
        = m_segmentWork == kNoWork ? launch : m_result.works[m_segmentWork].host.end;
    const auto next = std::ranges::upper_bound(m_bounds, end);
    const bool crossesBound = m_latestMessage > end || (next != m_bounds.end() && *next <= launch);
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

void RankClassifier::classifyItem(const GpuItem& item)
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
        if (m_workOf[mark] != kNoWork)
            grow(m_workOf[mark], item.match.window);
        return;
    }
    const bool backward = m_autograd.launched(thread, launch);
    if (m_numbersOps && !backward)
        return m_tally.leaveOut("GPU work launched outside any pipeline op", item.match);
    m_tally.count(m_rules.all().size() + (backward ? 0 : 1), item.match);
    // Ranges may name only forwards, as those of DeepSpeed do on all stages but the last.
    if (backward ? !m_namesBackwards : !m_namesPipelineOps)
        addSegment(item, backward ? OpKind::Backward : OpKind::Forward);
}

void RankClassifier::classifyGpu()
{
    const GpuItems items(m_trace, m_rules, m_result);
    m_result.fromSegments = !m_namesPipelineOps;
    std::ranges::sort(m_bounds);
    for (const GpuItem& item : items.inOrder())
        classifyItem(item);
}

// Used for traces without GPU work: counts the time of the outermost framework ops on the host. An
// op of the pipeline begins with the first framework op in its range; before that, it waits for its
// input.
void RankClassifier::classifyOps()
{
    std::vector<HostRange> ops = m_trace.ops;
    std::ranges::stable_sort(ops, {}, [](const HostRange& op) { return op.window.begin; });
    std::vector<std::int64_t> busyUntil(m_trace.threads.size(), 0);
    for (const HostRange& op : ops) {
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
        if (work != kNoWork && engine::isCompute(m_result.works[work].op.kind) && !m_ran[work])
            grow(work, {begin, std::max(begin, m_result.works[work].host.end)});
    }
    addCollectives();
    for (std::uint32_t work = 0; work < m_result.works.size(); ++work)
        if (!m_ran[work]) {
            grow(work, m_result.works[work].host);
            if (m_trace.ops.empty()) // only ranges were recorded
                addTime(m_result.time, m_result.works[work].host.duration());
        }
    if (m_trace.ops.empty())
        for (std::size_t i = 0; i < m_marks.all().size(); ++i)
            if (const Mark& mark = m_marks.all()[i]; mark.isOp())
                m_tally.count(mark.match->rule,
                              {mark.range.window, Match::Of::Range, m_workOf[i], mark.range.name});
}

// Used for traces without GPU work: a message or a collective takes the time of a communication
// range on the host. The range of the op itself only posts the call. The communication range begins
// within the op's range or, for an all-reduce of a kit, is the next such range on another thread.
void RankClassifier::addCollectives()
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

void RankClassifier::finishWorks()
{
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
        if (!m_ran[i]) {
            m_tally.leaveOut("Ranges of ops without GPU work", work.host.duration());
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
} // namespace

ClassifiedRank classify(const RankTrace& trace, const Rules& rules)
{
    ClassifiedRank rank = RankClassifier(trace, rules).run();
    removeFalseForwards(rank);
    return rank;
}

} // namespace profiler
