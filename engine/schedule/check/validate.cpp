#include "engine/schedule/check/validate.h"

#include "engine/schedule/check/op_table.h"
#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

using Kind = Violation::Kind;

bool canBeJoint(OpKind kind)
{
    return isCompute(kind) && kind != OpKind::OptimizerStep;
}

class Validator
{
public:
    explicit Validator(const Schedule& schedule)
        : m_schedule(schedule)
        , m_table(schedule.shape)
        , m_isAsynchronous(isAsynchronous(schedule))
    { }

    std::vector<Violation> run()
    {
        forEach([this](DeviceId device, int index, const Op& op) { take(device, index, op); });
        forEach(
            [this](DeviceId device, int index, const Op& op) { checkOrder(device, index, op); });
        forEach(
            [this](DeviceId device, int index, const Op& op) { checkJoint(device, index, op); });
        for (const MicroBatchId m : Ids<MicroBatchId>(m_schedule.shape.allMicroBatches()))
            checkComplete(m);
        if (!hasTiedEmbeddings(m_schedule)) // with tied embeddings, only two stages have one
            checkHeld(OpKind::AllReduce);
        checkHeld(OpKind::OptimizerStep);
        checkSharding();
        for (const auto& found : {checkStashes(m_schedule), checkVersions(m_schedule)})
            m_violations.insert(m_violations.end(), found.begin(), found.end());
        // If there are other violations, a wait for a missing op is only a consequence of them and
        // is not reported.
        const DeadlockKind kind = m_violations.empty() ? DeadlockKind::Any : DeadlockKind::Cycle;
        if (auto deadlock = findDeadlock(m_schedule, kind))
            m_violations.push_back(*std::move(deadlock));
        std::ranges::stable_sort(m_violations, {},
                                 [](const Violation& v) { return std::pair(v.device, v.index); });
        return std::move(m_violations);
    }

private:
    template<class Visit>
    void forEach(Visit visit) const
    {
        for (const DeviceId d : m_schedule.program.ids())
            for (int i = 0; i < std::ssize(m_schedule.program[d]); ++i)
                visit(d, i, m_schedule.program[d][i]);
    }

    template<class... Args>
    void report(Kind kind, const OpPlace& place, fmt::format_string<Args...> format, Args&&... args)
    {
        std::string message;
        if (place.index >= 0)
            message = fmt::format("device {}, index {}: ", place.device.value, place.index);
        else if (place.device.isValid())
            message = fmt::format("device {}: ", place.device.value);
        message += fmt::format(format, std::forward<Args>(args)...);
        m_violations.push_back({kind, place.device, place.index, place.op, std::move(message)});
    }

    bool belongs(DeviceId device, const Op& op) const
    {
        return exists(op, m_schedule.shape) && m_schedule.device(op.replica, op.stage) == device;
    }

    void take(DeviceId device, int index, const Op& op)
    {
        const OpPlace place{device, index, op};
        if (!exists(op, m_schedule.shape)) {
            report(Kind::OutOfRange, place,
                   "{} does not exist in a schedule of {} stages and {} micro-batches",
                   toString(op), m_schedule.shape.stages, m_schedule.shape.allMicroBatches());
            return;
        }
        const DeviceId holder = m_schedule.device(op.replica, op.stage);
        if (holder != device) {
            report(Kind::WrongDevice, place, "{}: stage {} is on device {}", toString(op),
                   op.stage.value, holder.value);
            return;
        }
        if (isTransfer(op.kind) ? !checkPeer(place) : isCopy(op.kind) && !checkPartner(place))
            return;
        if (isSharding(op.kind)) // a stage may have several; see checkSharding()
            return;
        const auto replica = m_table.replicaOf(op.microBatch);
        if (replica && *replica != op.replica)
            report(Kind::Duplicate, place, "{}: earlier ops of micro-batch {} have direction {}",
                   toString(op), op.microBatch.value, *replica == 0 ? "down" : "up");
        else if (const auto other = m_table.conflict(op); other && !isAnotherUpdate(op))
            report(Kind::Duplicate, place, "{}: {} at index {} does the same work", toString(op),
                   toString(other->op), other->index);
        else
            m_table.add(place);
    }

    // Asynchronous schemes have several OPTs and all-reduces per stage; checkVersions() checks
    // them.
    bool isAnotherUpdate(const Op& op) const { return m_isAsynchronous && !hasMicroBatch(op.kind); }

    // Whether the transfer goes to another device and names the right one.
    bool checkPeer(const OpPlace& place)
    {
        const Op& op = place.op;
        const StageId other = otherStage(op, m_schedule.shape);
        const DeviceId peer = otherDevice(m_schedule, op);
        if (peer == place.device) {
            report(Kind::WrongDevice, place,
                   "{}: stage {} is also on this device, so nothing is sent", toString(op),
                   other.value);
            return false;
        }
        if (op.peer != Op::kNoPeer && peer.value != op.peer)
            report(Kind::WrongDevice, place, "{} names device {}, but stage {} is on device {}",
                   toString(op), op.peer, other.value, peer.value);
        return true;
    }

    // Whether the device has a partner and the op names it, or the stash goes to the host, as all
    // stashes of the schedule then do.
    bool checkPartner(const OpPlace& place)
    {
        if (m_usesHost.value_or(usesHost(place.op)) != usesHost(place.op)) {
            report(
                Kind::WrongDevice, place,
                "{}: some evicts and loads of the schedule use the host, others the partner; use "
                "one of them",
                toString(place.op));
            return false;
        }
        m_usesHost = usesHost(place.op);
        if (*m_usesHost)
            return true;
        const DeviceId partner = stashPartner(place.device, m_schedule.shape);
        if (partner == place.device)
            report(Kind::WrongDevice, place, "{}: the middle device {} has no partner",
                   toString(place.op), partner.value);
        else if (place.op.peer != partner.value)
            report(Kind::WrongDevice, place, "{}: its eviction partner is device {}",
                   toString(place.op), partner.value);
        else
            return true;
        return false;
    }

    void checkOrder(DeviceId device, int index, const Op& op)
    {
        if (!belongs(device, op) || isSharding(op.kind))
            return;
        const OpPlace place{device, index, op};
        for (const Value& value : consumes(op, m_schedule.shape))
            checkComesBehind(place, sourceOf(place, value), value);
        if (isSend(op.kind)) {
            const Value value = transferredValue(op, m_schedule.shape);
            checkComesBehind(place, m_table.maker(value, op.kind), value);
        }
        if (!hasMicroBatch(op.kind) && !isAnotherUpdate(op))
            if (const auto last = m_table.lastContribution(op); last && last->index > index)
                report(Kind::Order, place,
                       "{} needs the gradient of stage {}, to which {} contributes only later, at "
                       "index {}",
                       toString(op), op.stage.value, toString(last->op), last->index);
    }

    // The op that makes the value available. For a stash it is the forward; checkStashes() checks
    // where the stash is.
    std::optional<OpPlace> sourceOf(const OpPlace& place, const Value& value) const
    {
        if (value.kind == Value::Kind::EvictedStash || isAnotherUpdate(place.op))
            return std::nullopt;
        if (value.kind == Value::Kind::Stash)
            return m_table.maker(value, OpKind::Forward);
        return m_table.sourceOn(m_schedule, place, value);
    }

    void checkComesBehind(const OpPlace& place, const std::optional<OpPlace>& source,
                          const Value& value)
    {
        if (source && source->index > place.index)
            report(Kind::Order, place, "{} needs the {}, which {} provides only later, at index {}",
                   toString(place.op), describe(value), toString(source->op), source->index);
        else if (source && isJoint(place.device, source->index, place.index))
            report(Kind::Order, place,
                   "{} needs the {}, but starts together with {} (index {}), which provides it",
                   toString(place.op), describe(value), toString(source->op), source->index);
    }

    // Whether each op in [first, last) is joint with the next op.
    bool isJoint(DeviceId device, int first, int last) const
    {
        const auto group
            = std::span<const Op>(m_schedule.program[device])
                  .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
        return !group.empty() && std::ranges::all_of(group, [](const Op& op) {
            return op.flags == OpFlag::JointWithNext;
        });
    }

    void checkJoint(DeviceId device, int index, const Op& op)
    {
        if (op.flags != OpFlag::JointWithNext)
            return;
        const auto others = m_schedule.on(device).subspan(static_cast<std::size_t>(index) + 1);
        if (others.empty() || !canBeJoint(op.kind) || !canBeJoint(others.front().kind))
            report(Kind::Order, {device, index, op},
                   "{} is joint with {}; an F, B, I, W or RECOMPUTE can be joint with the next one",
                   toString(op), others.empty() ? "no op" : toString(others.front()));
    }

    void reportMissing(Op op, OpKind kind)
    {
        op.kind = kind;
        report(Kind::Missing, {m_schedule.device(op.replica, op.stage), -1, op}, "{} is missing",
               toString(op));
    }

    // Every micro-batch must run forward and backward through all stages of its direction, whole or
    // in all slices.
    void checkComplete(MicroBatchId microBatch)
    {
        Op op;
        op.microBatch = microBatch;
        const auto replica = m_table.replicaOf(microBatch);
        if (!replica && m_schedule.shape.replicas > 1) {
            report(Kind::Missing, {{}, -1, op},
                   "micro-batch {} is missing: no device has an op of it", microBatch.value);
            return;
        }
        op.replica = replica.value_or(0);
        for (int stage = 0; stage < m_schedule.shape.stages; ++stage) {
            op.stage = StageId{stage};
            checkParts(op, {OpKind::Forward, OpKind::Forward});
            checkParts(op, {OpKind::Backward, OpKind::BackwardInput});
        }
    }

    using Either = std::pair<OpKind, OpKind>;

    void checkParts(Op op, Either kinds)
    {
        if (checkPart(op, kinds))
            return;
        bool sliced = false;
        for (int slice = 0; slice < m_schedule.shape.slices; ++slice)
            sliced = sliced || m_table.has(sliceOf(op, slice), kinds.first)
                || m_table.has(sliceOf(op, slice), kinds.second);
        if (!sliced) {
            reportMissing(op, kinds.first);
            return;
        }
        for (int slice = 0; slice < m_schedule.shape.slices; ++slice)
            if (!checkPart(sliceOf(op, slice), kinds))
                reportMissing(sliceOf(op, slice), kinds.first);
    }

    static Op sliceOf(Op op, int slice)
    {
        op.slice = slice;
        return op;
    }

    // Whether an op of one of the two kinds exists; also checks its transfers and copies.
    bool checkPart(Op op, Either kinds)
    {
        for (const OpKind kind : {kinds.first, kinds.second}) {
            if (!m_table.has(op, kind))
                continue;
            if (kind == OpKind::BackwardInput && !m_table.has(op, OpKind::BackwardWeight))
                reportMissing(op, OpKind::BackwardWeight);
            op.kind = kind;
            checkTransfers(op);
            if (kind == OpKind::Forward)
                checkCopies(op);
            return true;
        }
        return false;
    }

    void checkCopies(const Op& op)
    {
        const bool goes = m_table.has(op, OpKind::Evict);
        if (goes != m_table.has(op, OpKind::Load))
            reportMissing(op, goes ? OpKind::Load : OpKind::Evict);
    }

    // In a schedule with transfers, every value for another device must be sent and received.
    void checkTransfers(const Op& op)
    {
        if (!m_table.hasTransfers())
            return;
        for (const Value& value : produces(op, m_schedule.shape)) {
            const auto stage = receivingStage(value, m_schedule.shape);
            if (!stage
                || m_schedule.device(op.replica, *stage) == m_schedule.device(op.replica, op.stage))
                continue;
            Op end = op;
            if (!m_table.has(end, sendOf(value.kind)))
                reportMissing(end, sendOf(value.kind));
            end.stage = *stage;
            if (!m_table.has(end, receiveOf(value.kind)))
                reportMissing(end, receiveOf(value.kind));
        }
    }
    // If one stage has an op of this kind, all stages must have one.
    void checkHeld(OpKind kind)
    {
        if (!m_table.hasAny(kind))
            return;
        for (int replica = 0; replica < m_schedule.shape.replicas; ++replica)
            for (const StageId stage : Ids<StageId>(m_schedule.shape.stages))
                if (const Op op = opOf(kind, stage, replica); !m_table.has(op, kind))
                    reportMissing(op, kind);
    }

    // A sharded stage computes only from an UNSHARD to the next RESHARD.
    void checkSharding()
    {
        const Shape& shape = m_schedule.shape;
        const std::vector<bool> isSharded = shardedRows(m_schedule);
        std::vector<bool> isWhole(shape.rows());
        forEach([&](DeviceId device, int index, const Op& op) {
            if (!belongs(device, op) || !isSharded[shape.row(op.replica, op.stage)])
                return;
            auto whole = isWhole[shape.row(op.replica, op.stage)];
            const OpPlace place{device, index, op};
            if (!isSharding(op.kind)) {
                if (runsMicroBatch(op.kind) && !whole)
                    report(Kind::Order, place,
                           "{} needs the weights of stage {}, which no UNSHARD has gathered",
                           toString(op), op.stage.value);
                return;
            }
            if (whole == (op.kind == OpKind::Unshard))
                report(Kind::Order, place, "{}: the weights of stage {} are {}", toString(op),
                       op.stage.value, whole ? "already gathered" : "not gathered");
            whole = op.kind == OpKind::Unshard;
        });
    }

    const Schedule& m_schedule;
    OpTable m_table;
    bool m_isAsynchronous = false;
    std::optional<bool> m_usesHost; // of the evicts and loads so far
    std::vector<Violation> m_violations;
};

constexpr int kNeighbours = 8; // rows shown above and below the device

std::string cellText(const Schedule& schedule, DeviceId device, int index)
{
    const auto ops = schedule.on(device);
    return index < std::ssize(ops) ? toString(ops[index]) : std::string();
}

} // namespace

std::vector<Violation> validate(const Schedule& schedule)
{
    return Validator(schedule).run();
}

std::string gridAround(const Schedule& schedule, DeviceId device, int index, int window)
{
    const int devices = schedule.program.size();
    const int firstRow = std::max(0, device.value - kNeighbours);
    const int lastRow = std::min(devices - 1, device.value + kNeighbours);
    const int first = std::max(0, index - window);
    const int last = std::max(0, index) + window;

    std::size_t width = 0;
    for (int d = firstRow; d <= lastRow; ++d)
        for (int i = first; i <= last; ++i)
            width = std::max(width, cellText(schedule, DeviceId{d}, i).size());

    std::string grid;
    for (int d = firstRow; d <= lastRow; ++d) {
        std::string row = fmt::format("device {:<{}} |{}", d, std::to_string(lastRow).size(),
                                      first > 0 ? " .." : "");
        for (int i = first; i <= last; ++i) {
            const std::string text = cellText(schedule, DeviceId{d}, i);
            const bool marked = d == device.value && i == index;
            row += fmt::format("{}{:^{}}{}", marked ? '[' : ' ', text, width, marked ? ']' : ' ');
        }
        row.erase(row.find_last_not_of(' ') + 1);
        grid += row + '\n';
    }
    return grid;
}

} // namespace engine
