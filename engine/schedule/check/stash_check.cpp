#include "engine/base/units.h"
#include "engine/schedule/check/stash.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/dataflow_visit.h"
#include "engine/schedule/notation.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

enum class StashState : std::uint8_t { NotMade, Here, OnPartner, OnHost, Rebuilt, Used, Freed };

StashState evictedState(const Op& evictOrLoad)
{
    return usesHost(evictOrLoad) ? StashState::OnHost : StashState::OnPartner;
}

bool touchesStash(OpKind kind)
{
    return runsMicroBatch(kind) || isCopy(kind);
}

// The state of every stash of a schedule, and the op that caused it.
class StashBook
{
public:
    explicit StashBook(const Schedule& schedule)
        : m_schedule(schedule)
        , m_states(cellCount(schedule.shape))
        , m_since(cellCount(schedule.shape), -1)
        , m_halves(schedule.shape.slices > 1 ? cellCount(schedule.shape) : 0)
    { }

    std::vector<Violation> check()
    {
        std::vector<Violation> violations;
        for (const DeviceId device : m_schedule.program.ids())
            for (int i = 0; i < std::ssize(m_schedule.program[device]); ++i) {
                const Op& op = m_schedule.program[device][i];
                if (!touchesStash(op.kind) || !exists(op, m_schedule.shape)
                    || m_schedule.device(op.replica, op.stage) != device)
                    continue;
                const std::string fault = take(op, i);
                if (!fault.empty())
                    violations.push_back({Violation::Kind::Stash, device, i, op,
                                          fmt::format("device {}, index {}: {} {}", device.value, i,
                                                      toString(op), fault)});
            }
        return violations;
    }

private:
    // The state advances even if the op is a violation.
    std::string take(const Op& op, int index)
    {
        const std::uint32_t cell = cellIndex(stashOf(op), m_schedule.shape);
        const StashState before = m_states[cell];
        std::string fault = faultOf(op, before, cell);
        const StashState after = stateAfter(op, before, cell);
        if (after != before)
            m_since[cell] = index;
        m_states[cell] = after;
        return fault;
    }

    StashState stateAfter(const Op& op, StashState before, std::uint32_t cell)
    {
        switch (op.kind) {
        case OpKind::Forward: // ops before the F may have set the state
            return before == StashState::NotMade ? StashState::Here : before;
        case OpKind::Load:
            return StashState::Here;
        case OpKind::Evict:
            return evictedState(op);
        case OpKind::Recompute:
            return before == StashState::Here ? StashState::Rebuilt : before;
        case OpKind::BackwardInput:
            return StashState::Used;
        case OpKind::BackwardWeight:
            return StashState::Freed;
        case OpKind::Backward:
            if (op.flags == OpFlag::Half && ++m_halves[cell] < m_schedule.shape.slices)
                return before;
            return StashState::Freed;
        default:
            return before;
        }
    }

    std::string faultOf(const Op& op, StashState state, std::uint32_t cell) const
    {
        if (op.kind == OpKind::Forward || op.kind == OpKind::BackwardWeight)
            return {}; // validate() reports a second F; W uses the WeightStash
        const bool isAway = state == StashState::OnPartner || state == StashState::OnHost;
        if (isBackward(op.kind) && !isAway)
            return {}; // validate() reports a second B
        if (op.kind == OpKind::Recompute && state == StashState::Rebuilt)
            return {}; // of another part; validate() reports a second one of the same part
        const StashState wanted = op.kind == OpKind::Load ? evictedState(op) : StashState::Here;
        if (state == wanted)
            return {};
        const std::string stash = fmt::format("needs the stash of stage {}, micro-batch {}",
                                              op.stage.value, op.microBatch.value);
        switch (state) {
        case StashState::NotMade: // validate() reports the later forward
            return op.kind == OpKind::Load
                ? fmt::format("{}, which is not created yet, so there is nothing to load", stash)
                : std::string();
        case StashState::Here:
            return fmt::format("{}, which is not evicted (in place since index {})", stash,
                               m_since[cell]);
        case StashState::OnPartner:
        case StashState::OnHost:
            return fmt::format("{}, which is on {}: evicted at index {} and not loaded yet", stash,
                               state == StashState::OnHost ? "the host" : partnerOf(op),
                               m_since[cell]);
        case StashState::Rebuilt:
            return fmt::format("{}, which was recomputed at index {}: only a stash that is not "
                               "recomputed yet can be moved",
                               stash, m_since[cell]);
        default:
            return fmt::format("{}, which was {} at index {}", stash,
                               state == StashState::Used ? "used" : "freed", m_since[cell]);
        }
    }

    std::string partnerOf(const Op& op) const
    {
        const DeviceId device = m_schedule.device(op.replica, op.stage);
        return fmt::format("device {}", stashPartner(device, m_schedule.shape).value);
    }

    const Schedule& m_schedule;
    std::vector<StashState> m_states;    // [cell]
    std::vector<std::int32_t> m_since;   // [cell] index of the op that set the state
    std::vector<std::uint16_t> m_halves; // [cell] completed halves
};

std::string inActivations(std::int64_t parts, const Shape& shape)
{
    return fmt::format("{:.4g}", ratio(parts, stashPartsPerActivation(shape)));
}

} // namespace

std::vector<Violation> checkStashes(const Schedule& schedule)
{
    return StashBook(schedule).check();
}

std::vector<Violation> checkStashLimit(const Schedule& schedule, std::int64_t limit)
{
    std::vector<Violation> violations;
    const IdVector<DeviceId, StashPeak> peaks = stashPeaks(schedule);
    for (const DeviceId d : peaks.ids()) {
        const StashPeak& peak = peaks[d];
        if (peak.own + peak.guests <= limit)
            continue;
        Violation violation;
        violation.kind = Violation::Kind::Stash;
        violation.device = d;
        violation.index = peak.index;
        if (peak.index >= 0)
            violation.op = schedule.program[d][peak.index];
        violation.message
            = fmt::format("device {}, index {}: with {} the device holds {} activations of its "
                          "own{}, more than the limit of {}",
                          d.value, peak.index, peak.index >= 0 ? toString(violation.op) : "no op",
                          inActivations(peak.own, schedule.shape),
                          peak.guests > 0 ? fmt::format(" and up to {} of its partner",
                                                        inActivations(peak.guests, schedule.shape))
                                          : "",
                          inActivations(limit, schedule.shape));
        violations.push_back(std::move(violation));
    }
    return violations;
}

} // namespace engine
