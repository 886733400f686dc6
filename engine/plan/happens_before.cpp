#include "engine/plan/happens_before.h"

#include "engine/base/check.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/transfers.h"

#include <algorithm>

namespace engine {
namespace {

// By position.
auto groupsOf(std::span<const Op> program)
{
    std::vector<HappensBefore::Group> groups(program.size());
    for (std::uint32_t first = 0, next = 0; first < program.size(); first = next) {
        next = jointEnd(program, first);
        for (std::uint32_t i = first; i < next; ++i)
            groups[i] = {first, next - 1};
    }
    return groups;
}

void raise(std::span<std::uint32_t> clocks, std::span<const std::uint32_t> to)
{
    for (std::size_t i = 0; i < clocks.size(); ++i)
        clocks[i] = std::max(clocks[i], to[i]);
}

} // namespace

HappensBefore::HappensBefore(const Schedule& lowered)
    : m_devices(lowered.program.size())
    , m_madeBy(valueCount(lowered.shape))
    , m_callers(allReduceCallers(lowered))
    , m_sums(m_callers.size())
    , m_called(lowered.shape.rows())
{
    for (const auto& program : lowered.program) {
        m_groups.push_back(groupsOf(program));
        m_begin.emplace_back(program.size() * m_devices);
    }
    IdVector<DeviceId, std::uint32_t> next(m_devices);
    for (bool moved = true; moved;) {
        moved = false;
        for (const DeviceId d : next.ids())
            while (next[d] < m_groups[d].size() && tryGroup(lowered, d, next[d])) {
                next[d] = m_groups[d][next[d]].last + 1;
                moved = true;
            }
    }
    CHECK(m_order.size() == opCount(lowered));
}

std::span<HappensBefore::Clock> HappensBefore::begin(Place place)
{
    return std::span(m_begin[place.device]).subspan(place.position * m_devices, m_devices);
}

// Executes the ops of a group if the inputs of all of them are available.
bool HappensBefore::tryGroup(const Schedule& lowered, DeviceId device, std::uint32_t first)
{
    const std::span<const Op> program = lowered.on(device);
    const std::uint32_t last = m_groups[device][first].last;
    Clocks clocks(m_devices);
    if (first > 0)
        raise(clocks, begin({device, first - 1}));
    clocks[device] = first;
    for (std::uint32_t i = first; i <= last; ++i)
        if (!gather(lowered, program[i], clocks))
            return false;
    for (std::uint32_t i = first; i <= last; ++i) {
        const Op& op = program[i];
        std::ranges::copy(clocks, begin({device, i}).begin());
        m_order.push_back({device, i});
        if (op.kind == OpKind::AllReduce) {
            auto& sums = m_sums[allReduceStage(op)];
            const std::size_t number = m_called[lowered.shape.row(op.replica, op.stage)]++;
            if (number == sums.size())
                sums.push_back({0, Clocks(m_devices)});
            raise(sums[number].at, clocks);
            ++sums[number].calls;
        } else if (isCompute(op.kind)) {
            for (const Value& value : produces(op, lowered.shape))
                m_madeBy[valueIndex(value, lowered.shape)] = {device, i};
        }
    }
    return true;
}

bool HappensBefore::gather(const Schedule& lowered, const Op& op, Clocks& clocks)
{
    if (op.kind == OpKind::AllReduce || op.kind == OpKind::Evict || op.kind == OpKind::Load)
        return true;
    const auto need = [&](const Value& value) {
        if (value.kind == Value::Kind::ReducedGradient) {
            if (m_callers[value.stage].empty())
                return true;
            const std::size_t called = m_called[lowered.shape.row(op.replica, op.stage)];
            if (called == 0
                || m_sums[value.stage][called - 1].calls < m_callers[value.stage].size())
                return false;
            raise(clocks, m_sums[value.stage][called - 1].at);
            return true;
        }
        const Place maker = m_madeBy[valueIndex(value, lowered.shape)];
        if (!maker.device.isValid())
            return false;
        raise(clocks, begin(maker));
        const std::uint32_t ended = m_groups[maker.device][maker.position].last + 1;
        clocks[maker.device] = std::max(clocks[maker.device], ended);
        return true;
    };
    if (isTransfer(op.kind))
        return need(transferredValue(op, lowered.shape));
    const Values values = consumes(op, lowered.shape);
    return std::all_of(values.begin(), values.end(), need);
}

bool HappensBefore::isOrdered(Place first, Place second) const
{
    const Clock ended = m_groups[first.device][first.position].last + 1;
    return m_begin[second.device][second.position * m_devices + first.device.value] >= ended;
}

HappensBefore::Group HappensBefore::groupOf(Place place) const
{
    return m_groups[place.device][place.position];
}

} // namespace engine
