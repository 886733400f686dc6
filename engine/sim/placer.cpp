#include "engine/sim/placer.h"

#include "engine/schedule/dataflow.h"

namespace engine::sim {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
__extension__ using Wide = __int128;

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): every bit of the result depends on every bit
// of the input.
std::uint64_t mixed(std::uint64_t bits)
{
    bits += 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return bits ^ (bits >> 31);
}

std::int64_t times(std::int64_t ticks, std::int64_t numerator, std::int64_t denominator)
{
    return static_cast<std::int64_t>(Wide{ticks} * numerator / denominator);
}

bool fits(const Schedule& schedule, DeviceId device, const Op& op)
{
    return exists(op, schedule.shape) && schedule.device(op.replica, op.stage) == device
        && ((!isTransfer(op.kind) && !isCopy(op.kind)) || usesHost(op)
            || op.peer < schedule.program.size());
}

auto misfit(DeviceId device, std::size_t index, const Op& op)
{
    return invalid("device {}, index {}: {} is not valid in this schedule; run bscope "
                   "validate for the reason",
                   device.value, index, toString(op));
}

} // namespace

Jitter::Jitter(const TimingRules& rules, std::uint64_t iteration)
    : m_parts(times(rules.jitter.numerator, kMillion, rules.jitter.denominator))
    , m_seed(mixed(mixed(rules.seed) + iteration))
{ }

std::int64_t Jitter::drawn(std::int64_t duration, const Op& op) const
{
    const auto what = (static_cast<std::uint64_t>(op.kind) << 32)
        + (static_cast<std::uint64_t>(op.replica) << 24) + op.slice;
    const auto where
        = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(op.stage.value)) << 32)
        + static_cast<std::uint32_t>(op.microBatch.value);
    const std::uint64_t bits = mixed(mixed(m_seed ^ what) + where);
    const auto share = static_cast<std::int64_t>(bits % (2 * kMillion + 1)) - kMillion;
    return duration + times(times(duration, m_parts, kMillion), share, kMillion);
}

std::int64_t scaled(std::int64_t ticks, Fraction by)
{
    return times(ticks, by.numerator, by.denominator);
}

std::int64_t stretched(Window work, Fraction slowDown, const std::vector<Window>& windows)
{
    std::int64_t now = work.begin, left = work.duration();
    auto next = std::ranges::partition_point(windows, [now](Window w) { return w.end <= now; });
    for (; next != windows.end() && next->begin < now + left; ++next) {
        if (next->begin > now) {
            left -= next->begin - now;
            now = next->begin;
        }
        const std::int64_t slow = scaled(left, slowDown);
        if (now + slow <= next->end)
            return now + slow;
        left -= scaled(next->end - now, inverse(slowDown));
        now = next->end;
    }
    return now + left;
}

Result<OrderFacts> orderFacts(const Schedule& schedule)
{
    OrderFacts facts;
    for (const DeviceId d : schedule.program.ids())
        for (std::size_t i = 0; i < schedule.program[d].size(); ++i) {
            const Op& op = schedule.program[d][i];
            if (!fits(schedule, d, op))
                return misfit(d, i, op);
            facts.hasTransfers = facts.hasTransfers || isTransfer(op.kind);
            facts.hasCopies = facts.hasCopies || isCopy(op.kind);
            facts.hasRecomputes = facts.hasRecomputes || op.kind == OpKind::Recompute;
        }
    for (const auto& callers : allReduceCallers(schedule))
        facts.allReduceCalls.push_back(static_cast<int>(callers.size()));
    return facts;
}

} // namespace engine::sim
