#include "profiler/analysis/explain.h"

#include "engine/schedule/transfers.h"

#include <algorithm>
#include <functional>

namespace profiler {

using namespace engine;

std::vector<CauseStep> causeSteps(const Run& run, const std::vector<CauseLink>& chain)
{
    const OpIndex index(run.schedule);
    const auto isComputed
        = [&](const CauseLink& link) { return isCompute(opAt(run.schedule, index, link.op).kind); };
    std::vector<CauseStep> steps;
    for (const CauseLink& link : chain) {
        if (!steps.empty() && steps.back().last.device == link.device && isComputed(link)
            && isComputed(steps.back().last)) {
            steps.back().last = link;
            steps.back().busy += link.window.duration();
            ++steps.back().ops;
            continue;
        }
        const std::int64_t idle
            = steps.empty() ? 0 : link.window.begin - steps.back().last.window.end;
        steps.push_back({link, link, 1, link.window.duration(), std::max<std::int64_t>(0, idle)});
    }
    return steps;
}

namespace {
// In a stream, `compute` includes the last ops of the previous window, as in addTimes().
Bubble::Kind bubbleKind(Window bubble, const Windows& compute)
{
    if (compute.empty() || bubble.begin >= compute.back().end)
        return Bubble::Kind::Drain;
    return bubble.end <= compute.front().begin ? Bubble::Kind::Fill : Bubble::Kind::Wait;
}
} // namespace

Explainer::Explainer(const Run& run, int iteration)
    : m_run(run)
    , m_lanes(run, iteration)
    , m_hasNextWindow(run.schedule.shape.windows > 1
                      && iteration + 1 < std::ssize(run.timeline.iterations))
    , m_flow(run.schedule)
    , m_window(m_flow.index().count(), kNotRun)
{
    for (const DeviceId d : Ids<DeviceId>(m_lanes.devices()))
        for (const auto kind : {Track::Kind::Compute, Track::Kind::Send, Track::Kind::Receive,
                                Track::Kind::AllReduce, Track::Kind::Copy})
            for (const Span& span : m_lanes.spans(d, kind))
                m_window[span.op] = span.window();
}

// A transfer is one step, from the start of its SEND to the end of its RECV.
CauseLink Explainer::transferLink(std::uint32_t receive) const
{
    CauseLink hop = link(receive);
    const auto send = m_flow.send(transferredValue(m_flow.op(receive), m_run.schedule.shape));
    if (send && ran(*send))
        hop.window.begin = m_window[*send].begin;
    return hop;
}

std::optional<std::uint32_t> Explainer::lastContributor(StageId stage, std::uint32_t reduce) const
{
    std::optional<std::uint32_t> last;
    for (const std::uint32_t op : m_flow.contributors(stage))
        if (ran(op) && m_window[op].end <= m_window[reduce].end
            && (!last || m_window[op].end > m_window[*last].end))
            last = op;
    return last;
}

std::optional<Explainer::Need> Explainer::needFor(const Value& value, std::uint32_t consumer) const
{
    const auto producer = m_flow.producer(value, consumer);
    if (!producer || !ran(*producer))
        return std::nullopt;
    if (m_flow.op(*producer).kind
        == OpKind::AllReduce) { // waits for the last gradient of its stage
        const auto contributor = lastContributor(value.stage, *producer);
        return Need{contributor.value_or(*producer), link(*producer), m_window[*producer].end};
    }
    const auto receive = m_flow.receive(value, m_flow.deviceOf(consumer));
    if (receive && ran(*receive))
        return Need{*producer, transferLink(*receive), m_window[*receive].end};
    return Need{*producer, std::nullopt, m_window[*producer].end};
}

// A SEND needs its value, a RECV needs its SEND, and an all-reduce needs the last gradient of its
// stage.
std::optional<Explainer::Need> Explainer::needOfTransfer(std::uint32_t op) const
{
    const Op& transfer = m_flow.op(op);
    std::optional<std::uint32_t> producer;
    if (transfer.kind == OpKind::AllReduce) {
        producer = lastContributor(transfer.stage, op);
    } else {
        const Value value = transferredValue(transfer, m_run.schedule.shape);
        producer = isSend(transfer.kind) ? m_flow.producer(value, op) : m_flow.send(value);
    }
    if (!producer || !ran(*producer))
        return std::nullopt;
    return Need{*producer, std::nullopt, m_window[*producer].end};
}

std::vector<Explainer::Need> Explainer::needsOf(std::uint32_t op) const
{
    std::vector<Need> needs;
    const auto add = [&needs](std::optional<Need> need) {
        if (need)
            needs.push_back(*need);
    };
    const Op& what = m_flow.op(op);
    if (isTransfer(what.kind) || what.kind == OpKind::AllReduce)
        add(needOfTransfer(op));
    else
        for (const Value& value : consumes(what, m_run.schedule.shape))
            add(needFor(value, op));
    if (const auto gather = m_flow.gatherOf(op); gather && ran(*gather))
        add(Need{*gather, std::nullopt, m_window[*gather].end});
    std::ranges::stable_sort(needs, std::ranges::greater{}, &Need::arrival);
    return needs;
}

std::vector<CauseLink> Explainer::neededBy(std::uint32_t op) const
{
    const Op& what = m_flow.op(op);
    const Shape& shape = m_run.schedule.shape;
    std::vector<CauseLink> users;
    const auto addUsers = [&](const Value& value, bool withTransfer) {
        for (const std::uint32_t user : m_flow.consumers(value)) {
            if (!isTransfer(what.kind) && m_flow.producer(value, user) != op)
                continue;
            const auto receive = m_flow.receive(value, m_flow.deviceOf(user));
            if (withTransfer && receive && ran(*receive))
                users.push_back(transferLink(*receive));
            if (ran(user))
                users.push_back(link(user));
        }
    };
    if (isTransfer(what.kind))
        addUsers(transferredValue(what, shape), isSend(what.kind));
    else
        for (const Value& value : produces(what, shape))
            addUsers(value, true);
    return users;
}

// Returns the last op that had ended when `op` began. Ops that are joint with `op` have the same
// window, so they are skipped.
std::optional<std::uint32_t> Explainer::before(std::uint32_t op) const
{
    const auto lane = m_lanes.spans(m_flow.deviceOf(op), Track::Kind::Compute);
    const Window window = m_window[op];
    auto at = std::ranges::lower_bound(lane, window.begin, {}, &Span::begin);
    while (at != lane.begin()) {
        --at;
        if (at->op != op && at->end <= window.begin)
            return at->op;
    }
    return std::nullopt;
}

std::vector<CauseLink> Explainer::chainTo(std::uint32_t op) const
{
    std::vector<CauseLink> chain;
    const auto needs = needsOf(op);
    if (!needs.empty()) {
        chain.push_back(link(needs.front().producer));
        if (needs.front().transfer)
            chain.push_back(*needs.front().transfer);
    }
    chain.push_back(link(op));
    return chain;
}

std::vector<Bubble> Explainer::bubbles() const
{
    std::vector<Bubble> all;
    const auto last = lastOp();
    const bool isKnown = whyUnknown(m_run.info).empty();
    for (const DeviceId d : Ids<DeviceId>(m_lanes.devices())) {
        if (!hasTrace(m_run, d))
            continue;
        const auto lane = m_lanes.spans(d, Track::Kind::Compute);
        const Windows compute = m_lanes.compute(d);
        auto next = lane.begin();
        for (const Window window : m_lanes.bubble(d)) {
            while (next != lane.end()
                   && (next->begin < window.end || next->window().duration() == 0))
                ++next;
            Bubble bubble{d, window, bubbleKind(window, compute), std::nullopt, {}};
            if (!isKnown && bubble.kind != Bubble::Kind::Wait)
                continue; // outside the span of its device
            if (m_lanes.haveKernels() && next != lane.begin()
                && window.end <= std::prev(next)->end) {
                bubble.within = std::prev(next)->op;
                bubble.chain = {link(*bubble.within)};
            } else if (bubble.kind != Bubble::Kind::Drain && next != lane.end()) {
                bubble.next = next->op;
                bubble.chain = chainTo(next->op);
            } else if (m_hasNextWindow) {
                bubble.untilNextWindow = true;
            } else if (last) {
                bubble.chain = {link(*last)};
            }
            all.push_back(std::move(bubble));
        }
    }
    return all;
}

std::optional<OpExplanation> Explainer::explain(std::uint32_t op) const
{
    if (op >= m_window.size() || !ran(op))
        return std::nullopt;
    OpExplanation explanation;
    explanation.op = op;
    explanation.device = m_flow.deviceOf(op);
    explanation.window = m_window[op];
    const auto needs = needsOf(op);
    for (const Need& need : needs) {
        if (need.transfer)
            explanation.needs.push_back(*need.transfer);
        explanation.needs.push_back(link(need.producer));
    }
    explanation.neededBy = neededBy(op);
    std::int64_t free = m_lanes.window().begin;
    if (isCompute(m_flow.op(op).kind)) {
        if (const auto earlier = before(op))
            free = m_window[*earlier].end;
    } else if (!needs.empty()) {
        free = needs.front().arrival;
    }
    explanation.waited = std::max<std::int64_t>(0, explanation.window.begin - free);
    return explanation;
}

std::vector<CauseLink> Explainer::flow(MicroBatchId microBatch) const
{
    std::vector<CauseLink> path;
    for (const DeviceId d : Ids<DeviceId>(m_lanes.devices()))
        for (const Span& span : m_lanes.spans(d, Track::Kind::Compute)) {
            const Op& op = m_flow.op(span.op);
            const bool onPath = op.kind == OpKind::Forward || op.kind == OpKind::Backward
                || op.kind == OpKind::BackwardInput;
            if (onPath && op.microBatch == microBatch)
                path.push_back(link(span.op));
        }
    std::ranges::stable_sort(path, {}, [](const CauseLink& hop) { return hop.window.begin; });
    return path;
}

std::optional<std::uint32_t> Explainer::lastOp() const
{
    std::optional<std::uint32_t> last;
    for (const DeviceId d : Ids<DeviceId>(m_lanes.devices()))
        for (const Span& span : m_lanes.spans(d, Track::Kind::Compute))
            if (span.window().duration() > 0 && (!last || span.end > m_window[*last].end))
                last = span.op;
    return last;
}

std::vector<CauseLink> Explainer::criticalPath() const
{
    const auto last = lastOp();
    return last ? pathTo(*last) : std::vector<CauseLink>();
}

std::vector<CauseLink> Explainer::causes(const Bubble& bubble) const
{
    if (bubble.next)
        return pathTo(*bubble.next);
    auto path = criticalPath();
    std::erase_if(path,
                  [&](const CauseLink& link) { return link.window.end <= bubble.window.begin; });
    return path;
}

std::vector<CauseLink> Explainer::pathTo(std::uint32_t last) const
{
    std::vector<CauseLink> path;
    // In a file with wrong times the chain can be a cycle. The limit ends the loop.
    const std::size_t longest = 2 * m_window.size();
    for (std::optional op = last; op && path.size() < longest;) {
        path.push_back(link(*op));
        const auto needs = needsOf(*op);
        const auto earlier = before(*op);
        if (needs.empty() || (earlier && m_window[*earlier].end >= needs.front().arrival)) {
            op = earlier;
            continue;
        }
        const Need& need = needs.front();
        if (need.transfer)
            path.push_back(*need.transfer);
        // A message of a trace begins when both ranks have posted it; the receiver may be last.
        const bool isPosted = need.transfer && m_run.info.import && earlier
            && m_window[*earlier].end > m_window[need.producer].end
            && m_window[*earlier].end <= need.transfer->window.begin;
        op = isPosted ? earlier : need.producer;
    }
    std::ranges::reverse(path);
    return path;
}

} // namespace profiler
