#include "engine/plan/stash_plan.h"

#include "engine/base/check.h"
#include "engine/schedule/check/weight_versions.h"

#include <algorithm>
#include <map>

namespace engine {
namespace {

// The memory of the weight versions that the ops of an asynchronous schedule use besides the newest
// one (weight_versions.h: KeptVersions). A copy lives until the last op that uses it has ended.
struct VersionPlan
{
    std::vector<PlannedBuffer> buffers; // copies of old weight versions; each belongs to one stage
    // [position] the version that an op uses, or that an OPT keeps, as an index into `buffers`.
    // kNoIndex: the op uses the newest weights, or the OPT keeps no version.
    std::vector<std::uint32_t> of;
};

// Empty for a synchronous schedule. Requires checkRunnable(lowered).
VersionPlan planVersions(const StashPlanInput& input, DeviceId device)
{
    static_assert(kNoIndex == KeptVersions::kNone);
    KeptVersions kept = keptVersions(input.lowered.on(device));
    VersionPlan plan;
    plan.of = std::move(kept.of);
    for (const KeptVersions::Copy& copy : kept.copies) {
        PlannedBuffer& buffer = plan.buffers.emplace_back();
        buffer.category = MemoryCategory::Weights;
        buffer.life.begin = copy.update;
        buffer.life.end = input.order.groupOf({device, copy.lastUse}).last;
        const StageSizes sizes = input.model.sizes(copy.stage);
        buffer.life.bytes = sizes.bytes(sizes.parameters);
    }
    return plan;
}

Bytes bytesOf(const StageSizes& sizes, std::size_t numbers)
{
    return sizes.bytes(numbers);
}

std::array<Bytes, kStashPieces> piecesOf(const StageSizes& sizes, std::size_t numbers)
{
    return {bytesOf(sizes, sizes.weightStash - sizes.headKept), bytesOf(sizes, sizes.headKept),
            bytesOf(sizes, numbers - sizes.weightStash - sizes.headRest),
            bytesOf(sizes, sizes.headRest)};
}

// Traverses the program of a device and records the lifetimes of its buffers.
class Walk
{
public:
    Walk(const StashPlanInput& input, DeviceId device)
        : m_input(input)
        , m_device(device)
        , m_program(input.lowered.on(device))
        , m_units(unitsPerMicroBatch(input.lowered))
    {
        m_plan.of.resize(m_program.size());
    }

    StashPlan all()
    {
        for (std::uint32_t i = 0; i < m_program.size(); ++i) {
            handOver(i);
            visit(i);
        }
        keepVersions();
        for (PlannedBuffer& buffer : m_plan.buffers)
            CHECK(buffer.life.end >= buffer.life.begin);
        return std::move(m_plan);
    }

private:
    std::uint32_t begin(std::uint32_t position) const
    {
        return m_input.order.groupOf({m_device, position}).first;
    }
    std::uint32_t end(std::uint32_t position) const
    {
        return m_input.order.groupOf({m_device, position}).last;
    }
    std::uint32_t& stashOf(const Op& op, int unit)
    {
        Op key = op;
        key.slice = Op::kWhole;
        const std::uint32_t cell = cellIndex(key, m_input.lowered.shape);
        return m_current.try_emplace({cell, unit}, kNoIndex).first->second;
    }
    std::uint32_t add(std::uint32_t position, Bytes bytes, MemoryCategory category)
    {
        BufferLife life{.begin = begin(position),
                        .end = static_cast<std::uint32_t>(m_program.size()) - 1,
                        .bytes = bytes};
        m_plan.buffers.push_back({life, category});
        return m_plan.buffers.size() - 1;
    }
    Bytes weightStashOf(StageId stage) const
    {
        const StageSizes sizes = m_input.model.sizes(stage);
        return bytesOf(sizes, sizes.weightStash);
    }
    BufferLife& life(std::uint32_t buffer) { return m_plan.buffers[buffer].life; }

    // Records tensors that one stage passes to another on the same device, without a message.
    void handOver(std::uint32_t position)
    {
        const Op& op = m_program[position];
        if (!isCompute(op.kind))
            return;
        const Shape& shape = m_input.lowered.shape;
        if (const auto input = boundaryInput(op, shape))
            if (const auto found = m_handedOver.find(valueIndex(*input, shape));
                found != m_handedOver.end()) {
                m_plan.of[position].input = found->second;
                life(found->second).end = end(position);
            }
        if (const auto output = boundaryOutput(op, shape)) {
            const std::uint32_t value = valueIndex(*output, shape);
            const PlannedMessage& message
                = m_input.messages.messages[m_input.messages.messageOf[value]];
            if (!message.isSent())
                m_plan.of[position].output = m_handedOver[value]
                    = add(position, message.bytes, MemoryCategory::Buffers);
        }
    }

    void visit(std::uint32_t position)
    {
        const Op& op = m_program[position];
        const UnitRange units = unitsOf(op, m_units);
        for (int u = units.first; u < units.first + units.count; ++u) {
            switch (op.kind) {
            case OpKind::Forward:
                forward(position, op, u);
                break;
            case OpKind::Recompute:
                remake(position, op, u);
                break;
            case OpKind::Load:
                load(position, op, u);
                break;
            case OpKind::Evict:
                evict(position, op, u);
                break;
            case OpKind::Backward:
            case OpKind::BackwardInput:
            case OpKind::BackwardWeight:
                backward(position, op, u);
                break;
            default:
                break;
            }
        }
    }

    void seeEarlier(std::uint32_t position, const Op& op, int unit)
    {
        if (op.slice == Op::kWhole || op.flags == OpFlag::Half)
            return;
        for (int earlier = 0; earlier < unit; ++earlier)
            m_plan.of[position].earlier.push_back(stashOf(op, earlier));
    }

    void forward(std::uint32_t position, const Op& op, int unit)
    {
        seeEarlier(position, op, unit);
        std::uint32_t& stash = stashOf(op, unit);
        const StageSizes sizes = m_input.model.sizes(op.stage);
        stash = add(position, bytesOf(sizes, sizes.stash), MemoryCategory::Stash);
        if (sizes.recomputed == 0)
            m_plan.buffers[stash].pieces = piecesOf(sizes, sizes.stash);
        m_plan.of[position].stash.push_back(stash);
    }

    void remake(std::uint32_t position, const Op& op, int unit)
    {
        const StageSizes sizes = m_input.model.sizes(op.stage);
        std::uint32_t& stash = stashOf(op, unit);
        m_plan.of[position].stash.push_back(stash);
        life(stash).end = end(position);
        stash = add(position, bytesOf(sizes, sizes.recomputed), MemoryCategory::Stash);
        m_plan.buffers[stash].pieces = piecesOf(sizes, sizes.recomputed);
        m_plan.of[position].made.push_back(stash);
    }

    void backward(std::uint32_t position, const Op& op, int unit)
    {
        if (op.kind != OpKind::BackwardWeight)
            seeEarlier(position, op, unit);
        const std::uint32_t stash = stashOf(op, unit);
        m_plan.of[position].stash.push_back(stash);
        if (op.kind == OpKind::BackwardInput) {
            life(stash).shrinks = end(position);
            life(stash).rest = weightStashOf(op.stage);
        } else {
            life(stash).end = end(position);
        }
    }

    // Ends the lifetime of the stash with the next compute op, by whose end the EVICT must be
    // complete (stash.h: StashPeak).
    void evict(std::uint32_t position, const Op& op, int unit)
    {
        std::uint32_t behind = position;
        while (behind + 1 < m_program.size() && !isCompute(m_program[behind].kind))
            ++behind;
        const std::uint32_t stash = stashOf(op, unit);
        life(stash).end = end(behind);
        m_plan.buffers[stash].evictedBy = position;
        m_plan.of[position].stash.push_back(stash);
        m_plan.of[position].guest = guestFor(life(stash).bytes);
        m_guestOf[{cellIndex(op, m_input.lowered.shape), unit}] = m_plan.of[position].guest;
    }

    void load(std::uint32_t position, const Op& op, int unit)
    {
        std::uint32_t& stash = stashOf(op, unit);
        const Bytes bytes = life(stash).bytes;
        stash = add(position, bytes, MemoryCategory::Stash);
        m_plan.of[position].made.push_back(stash);
        const std::uint32_t guest = m_guestOf.at({cellIndex(op, m_input.lowered.shape), unit});
        m_plan.of[position].guest = guest;
        m_freeGuests.push_back(guest);
    }

    void keepVersions()
    {
        const VersionPlan versions = planVersions(m_input, m_device);
        const std::uint32_t first = m_plan.buffers.size();
        m_plan.buffers.insert(m_plan.buffers.end(), versions.buffers.begin(),
                              versions.buffers.end());
        for (std::size_t i = 0; i < versions.of.size(); ++i)
            if (versions.of[i] != kNoIndex)
                m_plan.of[i].version = first + versions.of[i];
    }

    // Copies run in program order, so an area on the partner can be reused as soon as it is free.
    std::uint32_t guestFor(Bytes bytes)
    {
        const auto free = std::ranges::find(m_freeGuests, bytes,
                                            [this](std::uint32_t g) { return m_plan.guests[g]; });
        if (free == m_freeGuests.end()) {
            m_plan.guests.push_back(bytes);
            return m_plan.guests.size() - 1;
        }
        const std::uint32_t guest = *free;
        m_freeGuests.erase(free);
        return guest;
    }

    const StashPlanInput& m_input;
    DeviceId m_device;
    std::span<const Op> m_program;
    int m_units = 1;
    StashPlan m_plan;
    std::map<std::pair<std::uint32_t, int>, std::uint32_t> m_current; // [cell, unit] -> buffer
    std::map<std::pair<std::uint32_t, int>, std::uint32_t> m_guestOf; // [cell, unit]
    std::map<std::uint32_t, std::uint32_t> m_handedOver;              // [valueIndex] buffer
    std::vector<std::uint32_t> m_freeGuests;
};

} // namespace

int unitsPerMicroBatch(const Schedule& lowered)
{
    return hasHalves(lowered) ? 2 : lowered.shape.slices;
}

UnitRange unitsOf(const Op& op, int unitsPerMicroBatch)
{
    if (op.slice == Op::kWhole)
        return {0, unitsPerMicroBatch};
    return {op.slice, 1};
}

StashPlan planStash(const StashPlanInput& input, DeviceId device)
{
    return Walk(input, device).all();
}

} // namespace engine
