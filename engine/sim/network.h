#pragma once

#include "engine/cost/shared_links.h"
#include "engine/timeline/timeline.h"

#include <queue>

#include <deque>
#include <span>
#include <unordered_map>

namespace engine::sim {

// Transfers that share links. At any time their speeds are max-min fair: all speeds rise together
// until a link is full; the transfers on this link keep their speed, and the speeds of the others
// rise further, at most to full speed (Bertsekas and Gallager, Data Networks, 6.5.2). A speed
// changes only when a transfer begins or ends. Ends are rounded to the nearest tick.
class Network
{
public:
    using Flow = std::uint32_t; // number of a transfer in the order of add()
    static constexpr Flow kNone = 0xFFFFFFFF;
    using Uses = std::vector<SharedLinks::Use>;

    explicit Network(const SharedLinks& links)
        : m_sharedLinks(links)
    { }

    // Adds a transfer that takes `work` ticks at full speed. It begins once all of `after` are
    // complete, but not before `ready` or the last advance(). `uses` must outlive the transfer.
    Flow add(std::int64_t work, std::int64_t ready, const Uses& uses, std::span<const Flow> after);
    // Runs until a transfer completes. Returns all that complete at that time; an empty list if
    // none is left.
    const std::vector<Flow>& advance();
    bool isDone(Flow flow) const { return flow < m_first || of(flow).status == Status::Done; }
    // The window of a completed transfer, until the next advance(). After that, an empty window
    // that ends at 0 and therefore delays no op.
    Window window(Flow flow) const;

private:
    enum class Status : std::uint8_t { Waiting, Active, Done };
    struct Transfer
    {
        const Uses* uses = nullptr;
        double left = 0, speed = 0; // work left at `since` in ticks; speed / full speed
        std::int64_t ready = 0, begin = 0, since = 0, end = 0;
        std::uint32_t waitsFor = 0; // number of transfers to wait for
        std::uint32_t changes = 0;  // number of changes of the speed
        Status status = Status::Waiting;
        bool isVisited = false, isFixed = false; // only used while speeds are computed
        std::vector<Flow> followers;
    };
    struct Link
    {
        double capacity = 1, left = 0, shares = 0;
        bool isVisited = false;
        std::vector<Flow> active;
    };
    struct Event
    {
        std::int64_t time = 0;
        Flow flow = 0;
        std::uint32_t changes = 0;

        friend auto operator<=>(const Event&, const Event&) = default; // NOLINT
    };
    using Events = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

    Transfer& of(Flow flow) { return m_transfers[flow - m_first]; }
    const Transfer& of(Flow flow) const { return m_transfers[flow - m_first]; }
    Link& link(const SharedLinks::Use& use);
    bool nextTime();
    void begin(Flow flow);
    void complete(Flow flow);
    void changeSpeeds();
    void findAffected();
    void fillUp();
    void setSpeed(Flow flow, double speed);

    const SharedLinks& m_sharedLinks;
    std::unordered_map<std::uint64_t, Link> m_links;
    std::deque<Transfer> m_transfers;
    Flow m_first = 0; // number of m_transfers.front()
    std::int64_t m_now = 0;
    Events m_begins, m_ends;
    std::vector<Flow> m_done;
    std::vector<Link*> m_changed, m_affectedLinks; // m_changed: links whose transfers changed
    std::vector<Flow> m_affected;
};

} // namespace engine::sim
