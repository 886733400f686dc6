#include "profiler/why/reasons.h"

#include "engine/base/median.h"
#include "engine/schedule/transfers.h"

#include <algorithm>
#include <functional>
#include <map>

namespace profiler {

using namespace engine;

namespace {

// Reasons that take less than 1/kSmallest of the iteration are omitted.
constexpr std::int64_t kSmallest = 600;
// A stage is slow if it takes at least 1 % longer than the others.
constexpr double kUnequal = 0.01;
// The largest number of reasons of the kind Order, and of the kind SlowStage.
constexpr std::size_t kMostOfAKind = 2;

using StageKind = std::pair<StageId, OpKind>;

// Returns a change that has no parameter except its kind.
WhyChange plain(WhyChange::Kind kind)
{
    WhyChange change;
    change.kind = kind;
    return change;
}

class ReasonFinder
{
public:
    ReasonFinder(const Run& run, const CriticalPath& path, const IterationTimes& times)
        : m_run(run)
        , m_path(path)
        , m_parts(path.parts)
        , m_times(times)
        , m_flow(times.flow())
    { }

    std::vector<WhyReason> find()
    {
        addFill();
        addDrain();
        addOrders();
        addSlowStages();
        addGroups();
        std::erase_if(m_reasons, [this](const WhyReason& reason) {
            return reason.time * kSmallest < m_path.window.duration();
        });
        std::ranges::stable_sort(m_reasons, {}, [](const WhyReason& r) { return r.window.begin; });
        if (m_run.schedule.shape.windows > 1) // no part of a stream can be simulated alone
            for (WhyReason& reason : m_reasons)
                reason.change.reset();
        return std::move(m_reasons);
    }

private:
    const Op& opOf(std::size_t part) const { return m_flow.op(m_parts[part].op); }
    // Whether the op is neither joint with another op nor a half of a micro-batch.
    bool isAlone(std::uint32_t op) const
    {
        return m_flow.op(op).flags == OpFlag::None
            && (op == 0 || m_flow.op(op - 1).flags != OpFlag::JointWithNext);
    }
    bool isWork(std::size_t part) const { return m_parts[part].kind == PathPart::Kind::Work; }
    bool isStep(std::size_t part) const
    {
        return isWork(part) && opOf(part).kind == OpKind::OptimizerStep;
    }

    // Sets the parts, the window and the device of a reason, and adds it to the results.
    void add(WhyReason reason, std::vector<std::size_t> parts)
    {
        if (parts.empty())
            return;
        reason.parts = std::move(parts);
        Window piece;
        for (const std::size_t p : reason.parts) {
            const Window window = m_parts[p].window;
            piece = piece.end == window.begin && piece.duration() > 0
                ? Window{piece.begin, window.end}
                : window;
            if (piece.duration() > reason.window.duration())
                reason.window = piece;
        }
        reason.device = m_flow.deviceOf(reason.op);
        m_reasons.push_back(std::move(reason));
    }

    std::int64_t timeOf(const std::vector<std::size_t>& parts) const
    {
        std::int64_t time = 0;
        for (const std::size_t p : parts)
            time += m_parts[p].window.duration();
        return time;
    }

    static std::vector<std::size_t> range(std::size_t begin, std::size_t end)
    {
        std::vector<std::size_t> parts;
        for (std::size_t p = begin; p < end; ++p)
            parts.push_back(p);
        return parts;
    }

    // Adds a Fill reason for the start of the path. The fill lasts as long as each op on the path
    // is the first op of its device.
    void addFill()
    {
        std::size_t last = 0;
        int works = 0;
        for (std::size_t p = 0; p < m_parts.size(); ++p) {
            if (!isWork(p))
                continue;
            if (m_times.before()[m_parts[p].op] != IterationTimes::kNone)
                break;
            last = p;
            ++works;
        }
        if (works < 2 || m_path.fault)
            return;
        WhyReason reason;
        reason.kind = WhyReason::Kind::Fill;
        reason.op = m_parts[last].op;
        reason.count = works - 1;
        reason.time = m_parts[last].window.begin - m_path.window.begin;
        reason.change = moreChunks();
        add(std::move(reason), range(0, last));
    }

    // Proposes interleaved 1F1B with twice the chunks, for 1F1B, GPipe and interleaved 1F1B. Other
    // schemes place their chunks by their own rules, so nothing is proposed.
    std::optional<WhyChange> moreChunks() const
    {
        const std::string& scheme = m_run.schedule.scheme;
        const Shape& shape = m_run.schedule.shape;
        if (scheme != "1f1b" && scheme != "gpipe" && scheme != "interleaved-1f1b")
            return std::nullopt;
        WhyChange change;
        change.kind = WhyChange::Kind::Chunks;
        change.chunks = 2 * shape.chunks();
        return change;
    }

    // Adds a Drain reason for the end of the path. The drain begins when the first device on the
    // path finishes its last op, and ends with the last op on the path. Optimizer steps are
    // ignored.
    void addDrain()
    {
        std::vector<bool> isFollowed(m_flow.index().count(), false);
        for (std::uint32_t op = 0; op < m_flow.index().count(); ++op)
            if (const std::uint32_t before = m_times.before()[op];
                before != IterationTimes::kNone && m_flow.op(op).kind != OpKind::OptimizerStep)
                isFollowed[before] = true;
        std::size_t end = m_parts.size();
        while (end > 0 && (!isWork(end - 1) || isStep(end - 1)))
            --end;
        std::size_t first = end;
        int works = 0;
        for (std::size_t p = end; p-- > 0;) {
            if (!isWork(p))
                continue;
            if (isFollowed[m_parts[p].op])
                break;
            first = p;
            ++works;
        }
        if (works < 2)
            return;
        WhyReason reason;
        reason.kind = WhyReason::Kind::Drain;
        reason.op = m_parts[first].op;
        reason.count = works - 1;
        reason.time = m_parts[end - 1].window.end - m_parts[first].window.end;
        if (isSplittable())
            reason.change = plain(WhyChange::Kind::SplitBackward);
        m_drain = first + 1;
        add(std::move(reason), range(first + 1, end));
    }

    bool isSplittable() const
    {
        bool hasBackward = false;
        for (const auto& program : m_run.schedule.program)
            for (const Op& op : program) {
                if (op.flags != OpFlag::None || op.kind == OpKind::BackwardWeight)
                    return false;
                hasBackward = hasBackward || op.kind == OpKind::Backward;
            }
        return hasBackward;
    }

    // Adds Order reasons. Two consecutive ops on the path give a reason if they could be swapped
    // and the second was ready before the first had ended.
    void addOrders()
    {
        if (m_run.schedule.shape.devices < 2) // the order of one device does not matter
            return;
        std::vector<WhyReason> found;
        for (std::size_t p = 1; p < std::min(m_parts.size(), m_drain); ++p) {
            const std::uint32_t later = m_parts[p].op, earlier = m_parts[p - 1].op;
            if (!isWork(p) || !isWork(p - 1) || !canSwap(earlier, later))
                continue;
            const auto arrival = m_times.arrival(later);
            const Window front = m_parts[p - 1].window;
            const std::int64_t since = std::max(arrival.value_or(front.end), front.begin);
            if (since >= front.end)
                continue;
            WhyReason reason;
            reason.kind = WhyReason::Kind::Order;
            reason.op = later;
            reason.time = front.end - since;
            WhyChange change;
            change.kind = WhyChange::Kind::Earlier;
            change.op = later;
            change.other = earlier;
            reason.change = change;
            reason.parts = {p - 1};
            found.push_back(std::move(reason));
        }
        std::ranges::stable_sort(found, std::ranges::greater{}, &WhyReason::time);
        for (std::size_t k = 0; k < std::min(found.size(), kMostOfAKind); ++k) {
            auto parts = std::move(found[k].parts);
            add(std::move(found[k]), std::move(parts));
        }
    }

    // Whether the order of two consecutive ops of the path can be changed. Both must be an F, B, I
    // or W of one device, differ in kind, and not depend on each other. The later one must not be a
    // W, because a W is never urgent.
    bool canSwap(std::uint32_t earlier, std::uint32_t later) const
    {
        const Op &first = m_flow.op(earlier), &second = m_flow.op(later);
        const auto isPass
            = [](const Op& op) { return op.kind == OpKind::Forward || isBackward(op.kind); };
        if (!isPass(first) || !isPass(second) || !isAlone(earlier) || !isAlone(later)
            || first.kind == second.kind || second.kind == OpKind::BackwardWeight
            || holds(m_run.schedule, OpKind::Evict))
            return false;
        const bool isOfOne = first.microBatch == second.microBatch && first.stage == second.stage;
        return !isOfOne && m_flow.deviceOf(earlier) == m_flow.deviceOf(later);
    }

    // The median duration of every stage and kind in the iteration.
    std::map<StageKind, std::int64_t> medians() const
    {
        std::map<StageKind, std::vector<std::int64_t>> times;
        for (std::uint32_t n = 0; n < m_flow.index().count(); ++n) {
            const Op& op = m_flow.op(n);
            const bool isPass = op.kind == OpKind::Forward || isBackward(op.kind);
            if (isPass && isAlone(n) && m_times.ran(n) && op.slice == Op::kWhole)
                times[{op.stage, op.kind}].push_back(m_times.of(n).duration());
        }
        std::map<StageKind, std::int64_t> medians;
        for (auto& [key, of] : times)
            medians[key] = medianOf(of);
        return medians;
    }

    void addSlowStages()
    {
        const auto median = medians();
        std::map<StageKind, std::vector<std::size_t>> onPath;
        for (std::size_t p = 0; p < m_parts.size(); ++p)
            if (isWork(p) && isAlone(m_parts[p].op)
                && median.contains({opOf(p).stage, opOf(p).kind}))
                onPath[{opOf(p).stage, opOf(p).kind}].push_back(p);
        std::vector<WhyReason> found;
        for (auto& [key, parts] : onPath) {
            std::vector<std::int64_t> others;
            for (const auto& [other, time] : median)
                if (other.second == key.second && other.first != key.first)
                    others.push_back(time);
            const auto fair = static_cast<double>(medianOf(others));
            const auto own = static_cast<double>(median.at(key));
            if (fair <= 0 || own / fair - 1 < kUnequal)
                continue;
            WhyReason reason;
            reason.kind = WhyReason::Kind::SlowStage;
            reason.excess = own / fair - 1;
            reason.count = static_cast<int>(parts.size());
            reason.op = m_parts[parts.front()].op;
            reason.time
                = static_cast<std::int64_t>(static_cast<double>(timeOf(parts)) * (1 - fair / own));
            WhyChange change;
            change.kind = WhyChange::Kind::EqualStage;
            change.stage = key.first;
            change.opKind = key.second;
            change.share = fair / own;
            reason.change = change;
            reason.parts = std::move(parts);
            found.push_back(std::move(reason));
        }
        std::ranges::stable_sort(found, std::ranges::greater{}, &WhyReason::time);
        for (std::size_t k = 0; k < std::min(found.size(), kMostOfAKind); ++k) {
            auto parts = std::move(found[k].parts);
            add(std::move(found[k]), std::move(parts));
        }
    }

    // Adds one reason for all messages on the path, one for all waits, one for all all-reduces, and
    // so on.
    void addGroups()
    {
        using Kind = WhyReason::Kind;
        using Change = WhyChange::Kind;
        std::map<Kind, std::vector<std::size_t>> groups;
        for (std::size_t p = 0; p < m_parts.size(); ++p) {
            const OpKind kind = opOf(p).kind;
            if (m_parts[p].kind == PathPart::Kind::Wait)
                groups[Kind::Waits].push_back(p);
            else if (isTransfer(kind))
                groups[Kind::Messages].push_back(p);
            else if (kind == OpKind::AllReduce)
                groups[Kind::AllReduces].push_back(p);
            else if (isCopy(kind))
                groups[Kind::Copies].push_back(p);
            else if (kind == OpKind::Recompute)
                groups[Kind::Recompute].push_back(p);
        }
        for (const auto& [kind, change] :
             {std::pair(Kind::Messages, Change::FastLinks), std::pair(Kind::Waits, Change::NoWaits),
              std::pair(Kind::AllReduces, Change::FastAllReduces),
              std::pair(Kind::Recompute, Change::NoRecompute),
              std::pair(Kind::Copies, Change::FastCopies)}) {
            const auto found = groups.find(kind);
            if (found == groups.end())
                continue;
            WhyReason reason;
            reason.kind = kind;
            reason.time = timeOf(found->second);
            reason.count = static_cast<int>(found->second.size());
            const auto longest = std::ranges::max_element(
                found->second, {}, [this](std::size_t p) { return m_parts[p].window.duration(); });
            reason.op = m_parts[*longest].op;
            reason.change = plain(change);
            add(std::move(reason), std::move(found->second));
        }
    }

    const Run& m_run;
    const CriticalPath& m_path;
    const std::vector<PathPart>& m_parts;
    const IterationTimes& m_times;
    const DataFlow& m_flow;
    std::size_t m_drain = static_cast<std::size_t>(-1); // index of the first part in the drain
    std::vector<WhyReason> m_reasons;
};

} // namespace

std::vector<WhyReason> whyReasons(const Run& run, const CriticalPath& path,
                                  const IterationTimes& times)
{
    return ReasonFinder(run, path, times).find();
}

} // namespace profiler
