#include "engine/sim/network.h"

#include <algorithm>
#include <cmath>

namespace engine::sim {

Network::Flow Network::add(std::int64_t work, std::int64_t ready, const Uses& uses,
                           std::span<const Flow> after)
{
    const Flow flow = m_first + static_cast<Flow>(m_transfers.size());
    Transfer& added = m_transfers.emplace_back();
    added.uses = &uses;
    added.left = static_cast<double>(work);
    added.ready = std::max(ready, m_now);
    for (const Flow each : after)
        if (!isDone(each)) {
            of(each).followers.push_back(flow);
            ++added.waitsFor;
        }
    if (added.waitsFor == 0)
        m_begins.push({added.ready, flow, 0});
    return flow;
}

Window Network::window(Flow flow) const
{
    return flow < m_first ? Window{} : Window{of(flow).begin, of(flow).end};
}

Network::Link& Network::link(const SharedLinks::Use& use)
{
    const auto [found, isNew] = m_links.try_emplace(use.link);
    if (isNew)
        found->second.capacity = m_sharedLinks.capacity(use.link);
    return found->second;
}

// Advances m_now to the next event; returns false if there is none. Drops ends that were computed
// for an earlier speed.
bool Network::nextTime()
{
    while (!m_ends.empty()) {
        const Event& next = m_ends.top();
        if (!isDone(next.flow) && of(next.flow).changes == next.changes)
            break;
        m_ends.pop();
    }
    if (m_begins.empty() && m_ends.empty())
        return false;
    m_now = m_begins.empty() ? m_ends.top().time
        : m_ends.empty()     ? m_begins.top().time
                             : std::min(m_begins.top().time, m_ends.top().time);
    return true;
}

const std::vector<Network::Flow>& Network::advance()
{
    m_done.clear();
    for (; !m_transfers.empty() && m_transfers.front().status == Status::Done; ++m_first)
        m_transfers.pop_front();
    while (m_done.empty() && nextTime()) {
        for (; !m_ends.empty() && m_ends.top().time == m_now; m_ends.pop())
            if (const Event& end = m_ends.top();
                !isDone(end.flow) && of(end.flow).changes == end.changes)
                complete(end.flow);
        while (!m_begins.empty() && m_begins.top().time == m_now) {
            const Flow flow = m_begins.top().flow;
            m_begins.pop();
            begin(flow);
        }
        changeSpeeds();
    }
    return m_done;
}

void Network::begin(Flow flow)
{
    Transfer& begun = of(flow);
    begun.begin = begun.since = m_now;
    begun.status = Status::Active;
    if (begun.left == 0)
        return complete(flow);
    for (const auto& use : *begun.uses) {
        Link& used = link(use);
        used.active.push_back(flow);
        m_changed.push_back(&used);
    }
    if (begun.uses->empty())
        setSpeed(flow, 1);
}

void Network::complete(Flow flow)
{
    Transfer& completed = of(flow);
    const bool wasActive = completed.left > 0;
    completed.status = Status::Done;
    completed.end = m_now;
    m_done.push_back(flow);
    if (wasActive)
        for (const auto& use : *completed.uses) {
            Link& used = link(use);
            std::erase(used.active, flow);
            m_changed.push_back(&used);
        }
    for (const Flow next : completed.followers)
        if (--of(next).waitsFor == 0)
            m_begins.push({std::max(of(next).ready, m_now), next, 0});
    completed.followers.clear();
}

void Network::changeSpeeds()
{
    if (m_changed.empty())
        return;
    findAffected();
    fillUp();
    for (const Flow flow : m_affected)
        of(flow).isVisited = of(flow).isFixed = false;
    for (Link* each : m_affectedLinks)
        each->isVisited = false;
    m_affected.clear();
    m_affectedLinks.clear();
    m_changed.clear();
}

// Finds the transfers whose speeds may change, because they share links, directly or through other
// transfers, with a transfer that began or ended.
void Network::findAffected()
{
    const auto visit = [this](Link& each) {
        if (!each.isVisited)
            m_affectedLinks.push_back(&each);
        each.isVisited = true;
    };
    for (Link* each : m_changed)
        visit(*each);
    for (std::size_t i = 0; i < m_affectedLinks.size(); ++i) // NOLINT: it grows
        for (const Flow flow : m_affectedLinks[i]->active) {
            if (of(flow).isVisited)
                continue;
            of(flow).isVisited = true;
            m_affected.push_back(flow);
            for (const auto& use : *of(flow).uses)
                visit(link(use));
        }
}

// Raises the speeds of the affected transfers together until a link is full, and fixes the speeds
// of the transfers on this link. Repeats this until every transfer has a fixed speed or its full
// speed.
void Network::fillUp()
{
    for (Link* each : m_affectedLinks) {
        each->left = each->capacity;
        each->shares = 0;
    }
    for (const Flow flow : m_affected)
        for (const auto& use : *of(flow).uses)
            link(use).shares += use.share;
    constexpr double kRounding = 1e-9;
    for (std::size_t unfixed = m_affected.size(); unfixed > 0;) {
        Link* fullest = nullptr;
        double speed = 1;
        for (Link* each : m_affectedLinks)
            if (each->shares > kRounding && each->left / each->shares < speed) {
                fullest = each;
                speed = std::max(each->left / each->shares, kRounding);
            }
        for (const Flow flow : fullest != nullptr ? fullest->active : m_affected) {
            if (of(flow).isFixed)
                continue;
            of(flow).isFixed = true;
            --unfixed;
            setSpeed(flow, speed);
            for (const auto& use : *of(flow).uses) {
                link(use).left -= use.share * speed;
                link(use).shares -= use.share;
            }
        }
    }
}

void Network::setSpeed(Flow flow, double speed)
{
    Transfer& changed = of(flow);
    if (changed.speed == speed)
        return;
    changed.left -= changed.speed * static_cast<double>(m_now - changed.since);
    changed.left = std::max(changed.left, 0x1p-20); // above 0, because the transfer is not complete
    changed.since = m_now;
    changed.speed = speed;
    ++changed.changes;
    const double ticks = std::min(changed.left / speed, 0x1p61);
    m_ends.push({m_now + std::llround(ticks), flow, changed.changes});
}

} // namespace engine::sim
