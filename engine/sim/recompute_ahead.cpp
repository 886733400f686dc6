#include "engine/sim/recompute_ahead.h"

#include "engine/base/try.h"
#include "engine/schedule/check/stash.h"
#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/transfers.h"
#include "engine/sim/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace engine {
namespace {

constexpr double kRounding = 1e-9;
// Moves are undone in so many parts at most, each of which is simulated.
constexpr std::size_t kUndone = 64;

// Compute ops of a device that start together.
struct Group
{
    std::size_t first = 0, end = 0; // positions in the program
    Window window;
    std::int64_t idle = 0; // time before the group in which its device is idle
    double held = 0;       // parts of stashes while it runs
};
using Groups = std::vector<Group>;

struct Move
{
    Op recompute, before;

    friend auto operator<=>(const Move&, const Move&) = default; // NOLINT: as in id.h
};

Result<Schedule> refused(std::string_view why)
{
    return fail(Error::Code::InvalidArgument, fmt::format("--recompute-ahead{}", why));
}

bool isOfMicroBatch(const Op& a, const Op& b)
{
    return a.stage == b.stage && a.replica == b.replica && a.microBatch == b.microBatch;
}

Schedule withMoves(const Schedule& order, std::span<const Move> moves)
{
    std::set<Op> moved;
    std::multimap<Op, Op> before;
    for (const Move& move : moves) {
        moved.insert(move.recompute);
        before.emplace(move.before, move.recompute);
    }
    Schedule result{order.scheme, order.shape, order.deviceOf, {}};
    for (const auto& ops : order.program) {
        auto& out = result.program.emplace_back();
        for (const Op& op : ops) {
            const auto [first, last] = before.equal_range(op);
            for (auto it = first; it != last; ++it)
                out.push_back(it->second);
            if (!moved.contains(op))
                out.push_back(op);
        }
    }
    return result;
}

// Moves ops in rounds. All moves of a round use the times before it.
class AheadPass
{
public:
    AheadPass(Schedule order, const AheadOptions& options, const CostsOfLowered& costs)
        : m_first(std::move(order))
        , m_order(m_first)
        , m_options(options)
        , m_costs(costs)
        , m_rebuilt(m_order)
    { }

    Result<Schedule> run()
    {
        m_timeline = TRY(timed(m_order));
        for (const DeviceId d : m_order.program.ids())
            for (const Group& group : groupsOf(d))
                m_most = std::max(m_most, group.held);
        if (m_options.most.numerator > 0) {
            const auto parts = static_cast<double>(stashPartsPerActivation(m_order.shape));
            const double peak = std::exchange(m_most, m_options.most.value() * parts);
            if (m_most + kRounding < peak)
                return refused(fmt::format(" {}: a device holds {:.4g} activations before any is "
                                           "moved; use {:.4g} or more, or peak",
                                           textOf(m_options.most), peak / parts, peak / parts));
        }
        for (auto moves = round(); !moves.empty(); moves = round()) {
            const auto kept = static_cast<std::ptrdiff_t>(m_moves.size());
            for (; !moves.empty(); moves = round())
                TRY(change(Change::Add, moves));
            const std::vector<Move> added(m_moves.begin() + kept, m_moves.end());
            TRY(change(Change::Undo, added, std::max<std::size_t>(1, added.size() / kUndone)));
        }
        return std::move(m_order);
    }

private:
    Result<Timeline> timed(const Schedule& order) const
    {
        const Schedule lowered = lower(order, m_options.sync);
        const OpCosts costs = TRY(m_costs(lowered));
        return simulate(lowered, costs);
    }

    // Lowering adds compute ops only at the end of a device: optimizer steps.
    Groups groupsOf(DeviceId device) const
    {
        const auto& ops = m_order.program[device];
        const Track* track = m_timeline.track(device, Track::Kind::Compute);
        Groups groups;
        HeldParts held;
        std::size_t span = 0;
        for (std::size_t i = 0, end = 0; i < ops.size(); i = end) {
            end = jointEnd(ops, i);
            if (!isCompute(ops[i].kind))
                continue;
            Group group{i, end, track->spans[span].window()};
            span += end - i;
            if (!groups.empty())
                group.idle = group.window.begin - groups.back().window.end;
            count(device, group, &HeldChange::ownAtBegin, held);
            group.held = static_cast<double>(held.whole)
                + m_options.keeps * static_cast<double>(held.kept);
            count(device, group, &HeldChange::ownAtEnd, held);
            groups.push_back(group);
        }
        return groups;
    }

    std::span<const Op> opsOf(DeviceId device, const Group& group) const
    {
        return m_order.on(device).subspan(group.first, group.end - group.first);
    }

    void count(DeviceId device, const Group& group, HeldParts HeldChange::*when,
               HeldParts& held) const
    {
        for (const Op& op : opsOf(device, group)) {
            const HeldChange change = heldChange(op, m_order.shape, m_rebuilt.of(op));
            held.whole += (change.*when).whole;
            held.kept += (change.*when).kept;
        }
    }

    std::vector<Move> round()
    {
        std::vector<Move> moves;
        for (const DeviceId d : m_order.program.ids()) {
            Groups groups = groupsOf(d);
            for (std::size_t at = 1; at < groups.size(); ++at) {
                const auto ops = opsOf(d, groups[at]);
                const Op op = ops.front();
                if (op.kind != OpKind::Recompute || ops.size() > 1 || m_moved.contains(op)
                    || !delays(d, groups, at))
                    continue;
                if (const auto to = placeFor(d, groups, at)) {
                    moves.push_back({op, opsOf(d, groups[*to]).front()});
                    m_moved.insert(op);
                }
            }
        }
        return moves;
    }

    // Whether the device is never idle between the RECOMPUTE of group `at` and its backward.
    bool delays(DeviceId device, const Groups& groups, std::size_t at) const
    {
        const Op& recompute = opsOf(device, groups[at]).front();
        for (std::size_t k = at + 1; k < groups.size() && groups[k].idle == 0; ++k)
            for (const Op& op : opsOf(device, groups[k]))
                if (isBackward(op.kind) && isOfMicroBatch(op, recompute)
                    && op.slice == recompute.slice)
                    return true;
        return false;
    }

    // The group before which the RECOMPUTE of group `at` has time and memory, which it then takes.
    // A RECOMPUTE waits for nothing, so its device is never idle before one.
    std::optional<std::size_t> placeFor(DeviceId device, Groups& groups, std::size_t at) const
    {
        const Op& recompute = opsOf(device, groups[at]).front();
        const std::int64_t duration = groups[at].window.duration();
        const double more
            = (1 - m_options.keeps) * static_cast<double>(stashParts(recompute, m_order.shape));
        for (std::size_t to = at - 1; to > 0 && duration > 0; --to) {
            if (groups[to].held + more > m_most + kRounding
                || std::ranges::any_of(opsOf(device, groups[to]), [&](const Op& op) {
                       return op.kind == OpKind::Forward && isOfMicroBatch(op, recompute);
                   }))
                return std::nullopt;
            if (groups[to].idle < duration)
                continue;
            groups[to].idle -= duration;
            for (std::size_t k = to; k < at; ++k)
                groups[k].held += more;
            return to;
        }
        return std::nullopt;
    }

    // Uses the order with these moves unless its iteration is longer.
    Result<bool> uses(std::vector<Move> moves)
    {
        Schedule order = withMoves(m_first, moves);
        Timeline timeline = TRY(timed(order));
        if (timeline.extent().duration() > m_timeline.extent().duration())
            return false;
        m_order = std::move(order);
        m_timeline = std::move(timeline);
        m_moves = std::move(moves);
        return true;
    }

    enum class Change : std::uint8_t { Add, Undo };
    // Adds or undoes as many of `part` as do not make the iteration longer, in parts of at least
    // `least` moves. Moves that gain nothing are undone, because they hold memory.
    Result<void> change(Change how, std::span<const Move> part, std::size_t least = 1)
    {
        std::set<Move> undone;
        std::vector<Move> moves = m_moves;
        if (how == Change::Add)
            moves.insert(moves.end(), part.begin(), part.end());
        else
            undone.insert(part.begin(), part.end());
        std::erase_if(moves, [&](const Move& move) { return undone.contains(move); });
        if (!TRY(uses(std::move(moves))) && part.size() > least) {
            TRY(change(how, part.first(part.size() / 2), least));
            TRY(change(how, part.subspan(part.size() / 2), least));
        }
        return {};
    }

    const Schedule m_first;
    Schedule m_order;
    const AheadOptions& m_options;
    const CostsOfLowered& m_costs;
    const RebuiltStashes m_rebuilt;
    Timeline m_timeline;       // of m_order
    std::vector<Move> m_moves; // from m_first to m_order
    double m_most = 0;         // parts that a device may hold
    std::set<Op> m_moved;      // each RECOMPUTE is moved once
};

} // namespace

Result<Schedule> recomputeAhead(Schedule order, const AheadOptions& options,
                                const CostsOfLowered& costs)
{
    if (!holds(order, OpKind::Recompute))
        return refused(": the schedule has no RECOMPUTE; add --recompute full");
    if (holds(order, OpKind::Evict))
        return refused(": the memory of a schedule that evicts stashes depends on times; leave out "
                       "--recompute-ahead, or the evicts");
    if (isAsynchronous(order))
        return refused(": an asynchronous schedule has no bubbles to fill; leave it out");
    return AheadPass(std::move(order), options, costs).run();
}

} // namespace engine
