#include "engine/base/try.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace engine {
namespace {

// Devices x and D-1-x are partners. Without evicts they hold up to n and n' stashes; with evicts
// they divide these n + n' stashes evenly. A moving stash counts on both devices, so each needs
// space for at most K = ceil((n + n' + 1) / 2) stashes (BPipe, Kim et al., ICML 2023). At most
// n-K+1 stashes are evicted at the same time.
struct Limits
{
    int stash = 0; // K
    int away = 0;
};

bool needsStash(OpKind kind)
{
    return kind == OpKind::Backward || kind == OpKind::BackwardInput || kind == OpKind::Recompute;
}

int peakStash(std::span<const Op> ops)
{
    int held = 0;
    int most = 0;
    for (const Op& op : ops) {
        held += op.kind == OpKind::Forward ? 1 : 0;
        most = std::max(most, held);
        held -= finishesBackward(op.kind) ? 1 : 0;
    }
    return most;
}

// Adds the evicts and loads to the program of one device. The program is a sequence of slots. A
// slot is a compute op or an idle time: in the cool-down each backward follows an idle time, which
// in 1F1B is as long as a forward. A stash is loaded one slot before its backward.
class Evictor
{
public:
    Evictor(const Schedule& schedule, DeviceId device, EvictPolicy policy, Limits limits)
        : m_shape(schedule.shape)
        , m_policy(policy)
        , m_limits(limits)
        , m_partner(stashPartner(device, schedule.shape).value)
    {
        const std::span<const Op> ops = schedule.on(device);
        std::size_t forwards = 0;
        for (std::size_t i = 0; i < ops.size(); ++i)
            if (ops[i].kind == OpKind::Forward)
                forwards = i + 1;
        for (std::size_t i = 0; i < ops.size(); ++i) {
            if (i > forwards && needsStash(ops[i].kind) && ops[i - 1].kind != OpKind::Recompute)
                m_slots.push_back(nullptr);
            m_slots.push_back(&ops[i]);
        }
        findBackwards();
    }

    // nullopt if a limit would be exceeded.
    std::optional<std::vector<Op>> write()
    {
        for (std::size_t q = 0; q < m_slots.size(); ++q)
            if (!writeSlot(q))
                return std::nullopt;
        return std::move(m_out);
    }

private:
    const Op* slot(std::size_t q) const { return q < m_slots.size() ? m_slots[q] : nullptr; }
    bool isForward(std::size_t q) const { return slot(q) && slot(q)->kind == OpKind::Forward; }
    bool frees(std::size_t q) const { return slot(q) && finishesBackward(slot(q)->kind); }
    bool needsLoad(std::size_t q) const
    {
        return slot(q) && needsStash(slot(q)->kind)
            && m_away.contains(cellIndex(*slot(q), m_shape));
    }

    void findBackwards()
    {
        m_backward.assign(cellCount(m_shape), 0);
        for (std::size_t q = m_slots.size(); q-- > 0;)
            if (slot(q) && needsStash(slot(q)->kind))
                m_backward[cellIndex(*slot(q), m_shape)] = q;
    }

    void copy(OpKind kind, const Op& of)
    {
        m_out.push_back(opOf(kind, of.stage, of.replica, of.microBatch, of.slice));
        m_out.back().peer = m_partner;
    }
    // Writes one slot: the LOAD of a stash that the next slot needs, the op of the slot, and an
    // EVICT of the stash of this op. Returns false if a limit would be exceeded.
    bool writeSlot(std::size_t q)
    {
        const bool loads = needsLoad(q + 1);
        if (loads)
            copy(OpKind::Load, *slot(q + 1));
        m_held += (loads ? 1 : 0) + (isForward(q) ? 1 : 0);
        if (m_held > m_limits.stash || std::ssize(m_away) > m_limits.away)
            return false;
        if (slot(q))
            m_out.push_back(*slot(q));
        m_held -= (frees(q) ? 1 : 0) + (m_leaves ? 1 : 0);
        m_leaves = false;
        if (loads)
            m_away.erase(cellIndex(*slot(q + 1), m_shape));
        if (isForward(q) && wantsToEvict(q)) {
            copy(OpKind::Evict, *slot(q));
            m_away.insert(cellIndex(*slot(q), m_shape));
            m_leaves = true;
        }
        return true;
    }

    bool wantsToEvict(std::size_t q) const
    {
        if (m_backward[cellIndex(*slot(q), m_shape)] <= q + 2)
            return false;
        if (m_policy == EvictPolicy::Steady)
            return m_held >= m_limits.stash - 1 && std::ssize(m_away) < m_limits.away;
        return heldIn(q + 2, q) > m_limits.stash;
    }

    // The number of stashes held in slot `then` if nothing is evicted after slot `now`.
    int heldIn(std::size_t then, std::size_t now) const
    {
        int held = m_held;
        for (std::size_t q = now + 1; q <= then; ++q) {
            held += (needsLoad(q + 1) ? 1 : 0) + (isForward(q) ? 1 : 0);
            held -= q < then && frees(q) ? 1 : 0;
        }
        return held;
    }

    const Shape& m_shape;
    EvictPolicy m_policy;
    Limits m_limits;
    std::uint16_t m_partner = Op::kNoPeer;
    std::vector<const Op*> m_slots;           // nullptr: idle
    std::vector<std::size_t> m_backward;      // [cell] the first slot that needs the stash
    std::unordered_set<std::uint32_t> m_away; // [cell] evicted and not yet loaded
    int m_held = 0; // stashes on this device, including the one that is being evicted
    bool m_leaves = false;
    std::vector<Op> m_out;
};

IdVector<DeviceId, int> peaksOf(const Schedule& schedule)
{
    IdVector<DeviceId, int> peaks;
    for (const auto& ops : schedule.program)
        peaks.push_back(peakStash(ops));
    return peaks;
}

// The smallest stash limit that all pairs of partners can respect.
int commonLimit(const IdVector<DeviceId, int>& peaks, const Shape& shape)
{
    int limit = 0;
    for (const DeviceId d : peaks.ids()) {
        const DeviceId partner = stashPartner(d, shape);
        limit = std::max(limit, d == partner ? peaks[d] : (peaks[d] + peaks[partner] + 2) / 2);
    }
    return limit;
}

std::optional<Schedule> withLimit(const Schedule& schedule, const IdVector<DeviceId, int>& peaks,
                                  EvictPolicy policy, int limit)
{
    Schedule balanced = schedule;
    for (const DeviceId d : peaks.ids()) {
        if (peaks[d] <= limit)
            continue;
        const Limits limits{
            limit, std::min(peaks[d] - limit + 1, limit - peaks[stashPartner(d, schedule.shape)])};
        auto ops = Evictor(schedule, d, policy, limits).write();
        if (!ops)
            return std::nullopt;
        balanced.program[d] = *std::move(ops);
    }
    return balanced;
}

Result<void> checkEvictable(const Schedule& schedule)
{
    for (const auto& ops : schedule.program)
        for (const Op& op : ops) {
            if (op.slice != Op::kWhole)
                return fail(Error::Code::Unsupported,
                            "{} splits micro-batches, and each part needs the stash of another, so "
                            "no stash can be evicted; use a scheme of whole micro-batches",
                            schedule.scheme);
            if (isTransfer(op.kind) || isCopy(op.kind))
                return invalid("{} already has {}, and others cannot be added; {}", schedule.scheme,
                               isCopy(op.kind) ? "evicts and loads" : "transfers",
                               isCopy(op.kind) ? "use a scheme without them, and only one of "
                                                 "--evict and --offload"
                                               : "begin with a schedule of compute ops");
        }
    return {};
}

constexpr double kRounding = 1e-9;

// Adds the evicts to host memory and the loads of one device. Its compute ops are numbered in
// groups, which are joint ops or one op; other ops belong to the group after them. In the group
// after its F an evicted stash is still on the device, and it is again from the group before which
// it is loaded.
class Offloader
{
public:
    Offloader(const Schedule& schedule, DeviceId device)
        : m_ops(schedule.on(device))
        , m_shape(schedule.shape)
    {
        std::unordered_map<std::uint32_t, std::size_t> stashOf; // [cell]
        for (std::size_t i = 0, end = 0; i < m_ops.size(); i = end) {
            end = jointEnd(m_ops, i);
            for (const Op& op : m_ops.subspan(i, end - i)) {
                if (!runsMicroBatch(op.kind))
                    continue;
                const auto [found, isNew]
                    = stashOf.try_emplace(cellIndex(op, m_shape), m_stashes.size());
                if (isNew)
                    m_stashes.push_back({op, m_groups});
                Stash& stash = m_stashes[found->second];
                if (needsStash(op.kind) && stash.used == 0)
                    stash.used = m_groups;
                stash.freed = m_groups;
            }
            m_groups += isCompute(m_ops[i].kind) ? 1 : 0;
        }
    }

    // nullopt if the device would hold more than `most` stashes.
    std::optional<std::vector<Op>> write(int most)
    {
        m_loads.clear();
        m_held.assign(m_groups, 0);
        for (const Stash& stash : m_stashes)
            hold(stash.made, stash.freed + 1, +1);
        if (!evict(most))
            return std::nullopt;
        loadEarly(most);
        return all();
    }

private:
    struct Stash
    {
        Op forward;
        std::size_t made = 0, used = 0, freed = 0; // groups of its F, its first and its last use
    };

    void hold(std::size_t first, std::size_t end, int change)
    {
        for (std::size_t group = first; group < end; ++group)
            m_held[group] += change;
    }

    bool evict(int most)
    {
        std::set<std::pair<std::size_t, std::size_t>> here; // first use and index of a stash
        std::size_t next = 0;
        for (std::size_t group = 0; group < m_groups; ++group) {
            for (; next < m_stashes.size() && m_stashes[next].made + 2 <= group; ++next)
                here.emplace(m_stashes[next].used, next);
            for (; m_held[group] > most; here.erase(std::prev(here.end()))) {
                if (here.empty() || here.rbegin()->first < group + 2)
                    return false;
                const Stash& stash = m_stashes[here.rbegin()->second];
                hold(stash.made + 2, stash.used - 1, -1);
                m_loads.emplace_back(stash.used - 1, here.rbegin()->second);
            }
        }
        return true;
    }

    // In the order of their use, which is also that of the loads.
    void loadEarly(int most)
    {
        std::ranges::sort(m_loads);
        std::size_t last = 0;
        for (auto& [before, index] : m_loads) {
            const std::size_t gone = m_stashes[index].made + 3;
            while (before > std::max(last, gone) && m_held[before - 1] < most)
                ++m_held[--before];
            last = before;
        }
    }

    std::vector<Op> all() const
    {
        std::vector<Op> out;
        std::set<std::size_t> evicted;
        for (const auto& [before, index] : m_loads)
            evicted.insert(index);
        auto load = m_loads.begin();
        std::size_t next = 0, group = 0; // the next stash
        for (std::size_t i = 0, end = 0; i < m_ops.size(); i = end) {
            for (; load != m_loads.end() && load->first == group; ++load)
                out.push_back(copyOf(OpKind::Load, load->second));
            end = jointEnd(m_ops, i);
            out.insert(out.end(), m_ops.begin() + static_cast<std::ptrdiff_t>(i),
                       m_ops.begin() + static_cast<std::ptrdiff_t>(end));
            if (!isCompute(m_ops[i].kind))
                continue;
            for (; next < m_stashes.size() && m_stashes[next].made == group; ++next)
                if (evicted.contains(next))
                    out.push_back(copyOf(OpKind::Evict, next));
            ++group;
        }
        return out;
    }

    Op copyOf(OpKind kind, std::size_t index) const
    {
        const Op& of = m_stashes[index].forward;
        return opOf(kind, of.stage, of.replica, of.microBatch, of.slice);
    }

    std::span<const Op> m_ops;
    const Shape& m_shape;
    std::size_t m_groups = 0;
    std::vector<Stash> m_stashes;                             // in the order of their forwards
    std::vector<int> m_held;                                  // [group] stashes
    std::vector<std::pair<std::size_t, std::size_t>> m_loads; // group before which, and stash
};

std::optional<Schedule> offloaded(const Schedule& schedule, int most)
{
    Schedule result = schedule;
    for (const DeviceId d : schedule.program.ids()) {
        auto ops = Offloader(schedule, d).write(most);
        if (!ops)
            return std::nullopt;
        result.program[d] = *std::move(ops);
    }
    return result;
}

} // namespace

Result<Schedule> balanceStash(const Schedule& schedule, EvictPolicy policy)
{
    TRY(checkEvictable(schedule));
    if (anyOp(schedule, [](const Op& op) { return op.flags == OpFlag::JointWithNext; }))
        return fail(Error::Code::Unsupported,
                    "{} has joint ops, and no stash can be evicted between joint ops; use a scheme "
                    "without them",
                    schedule.scheme);
    const auto peaks = peaksOf(schedule);
    const int most = peaks.empty() ? 0 : std::ranges::max(peaks);
    for (int limit = commonLimit(peaks, schedule.shape); limit < most; ++limit)
        if (auto balanced = withLimit(schedule, peaks, policy, limit))
            return *std::move(balanced);
    return schedule;
}

Result<Schedule> addEvictLoad(const Schedule& schedule, EvictPolicy policy)
{
    auto balanced = balanceStash(schedule, policy);
    if (!balanced || *balanced != schedule)
        return balanced;
    return invalid("{} on {} devices: sharing stashes between devices d and D-1-d would "
                   "not reduce the peak, so there is nothing to evict",
                   schedule.scheme, schedule.shape.devices);
}

Result<Schedule> addOffload(const Schedule& schedule, double most)
{
    TRY(checkEvictable(schedule));
    if (holds(schedule, OpKind::Recompute))
        return fail(Error::Code::Unsupported,
                    "with recomputation a device keeps only a part of its activations, and "
                    "--offload moves whole ones; leave out one of the two");
    const int perActivation = schedule.shape.chunks(); // every stash is that of a chunk
    const int all = schedule.shape.stages * schedule.shape.allMicroBatches();
    const auto limit = static_cast<int>(std::min<double>(all, most * perActivation + kRounding));
    if (auto done = offloaded(schedule, limit))
        return *std::move(done);
    constexpr int kMostTried = 10'000; // stashes; the search for the least limit tries 13 orders
    std::string remedy = "a larger number";
    if (all <= kMostTried) {
        int fails = limit, works = all; // stashes
        while (works - fails > 1) {
            const int tried = std::midpoint(fails, works);
            (offloaded(schedule, tried) ? works : fails) = tried;
        }
        remedy = fmt::format("{:.4g} or more", static_cast<double>(works) / perActivation);
    }
    return invalid("--offload {:.4g}: a stash is on its device until the op after its forward, and "
                   "again from the op before its backward to the end of its backward or W; use {}",
                   most, remedy);
}

} // namespace engine
