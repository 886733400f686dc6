#include "engine/schedules/parts/repeated_block.h"

#include "engine/base/id_vector.h"
#include "engine/schedules/parts/program.h"

#include <algorithm>
#include <vector>

namespace engine::parts {
namespace {

// The time slots of one device in a V placement, and the number of chunk activations held in each.
// A slot has at most one op. A weight gradient moves to the next free slot if another op takes its
// slot.
class DeviceSlots
{
public:
    // The content of a slot. The first four are ops, in the order in which a micro-batch passes
    // them. BackwardEnd is the second slot of a whole backward, Weight a weight gradient.
    enum class Content : unsigned char {
        FirstForward,
        SecondForward,
        SecondBackward,
        FirstBackward,
        BackwardEnd,
        Weight,
        Free,
    };

    DeviceSlots(bool splitsBackward, int mostHeld)
        : m_splitsBackward(splitsBackward)
        , m_mostHeld(mostHeld)
    { }

    // Number of slots that the op occupies.
    int length(Content op) const { return isForward(op) || m_splitsBackward ? 1 : 2; }
    // Puts the op into the first slot at or after `from` for which no slot holds more than
    // `mostHeld` activations, and returns this slot. Requires that fewer than `mostHeld`
    // activations are held after the last op; otherwise no such slot exists.
    int place(Content op, int from);

    const std::vector<Content>& contents() const { return m_slots; }
    int waiting() const { return m_waiting; } // number of weight gradients without a slot
    int held() const;                         // largest number of chunk activations held in a slot

private:
    static bool isForward(Content op)
    {
        return op == Content::FirstForward || op == Content::SecondForward;
    }

    int size() const { return m_slots.size(); }
    Content at(int slot) const { return m_slots[slot]; }
    bool isTaken(int slot, int length) const;
    int nextFree(int slot) const;
    int lastAbove(int held, int begin, int end) const;
    void grow(int size);
    void set(int slot, Content content);
    void putWeight(int slot);

    int placeForward(Content op, int slot);
    int placeInput(Content op, int slot);
    void placeBackward(Content op, int slot);

    // Summarizes kSummarized consecutive slots, so that full slots are skipped quickly.
    struct Summary
    {
        int change = 0; // change in the number of held activations over these slots
        int most = 0;   // largest number held after a slot, minus the number before these slots
    };
    static constexpr int kSummarized = 64;

    bool m_splitsBackward = true;
    int m_mostHeld = 0, m_heldAtEnd = 0;
    int m_waiting = 0;
    std::vector<Content> m_slots;
    std::vector<Summary> m_summaries; // [slot / kSummarized]
};

// [content] The change in the number of held activations.
constexpr EnumArray<DeviceSlots::Content, int, 7> kChanges{1, 1, 0, 0, -1, -1, 0};

int change(DeviceSlots::Content content)
{
    return kChanges[content];
}

int DeviceSlots::held() const
{
    int most = 0;
    int before = 0;
    for (const Summary& summary : m_summaries) {
        most = std::max(most, before + summary.most);
        before += summary.change;
    }
    return most;
}

int DeviceSlots::place(Content op, int from)
{
    for (int slot = from;;) {
        if (isTaken(slot, length(op))) {
            ++slot;
            continue;
        }
        grow(slot + length(op));
        if (!m_splitsBackward && !isForward(op)) {
            placeBackward(op, slot);
            return slot;
        }
        const int full = isForward(op) ? placeForward(op, slot) : placeInput(op, slot);
        if (full < slot)
            return slot;
        slot = full + 1;
    }
}

bool DeviceSlots::isTaken(int slot, int length) const
{
    for (int i = slot; i < std::min(slot + length, size()); ++i) {
        const Content content = m_slots[i];
        if (content != Content::Free && content != Content::Weight)
            return true;
    }
    return false;
}

void DeviceSlots::grow(int size)
{
    while (this->size() < size) {
        const int slot = this->size();
        m_slots.push_back(Content::Free);
        m_summaries.resize(slot / kSummarized + 1);
        if (m_waiting > 0) {
            --m_waiting;
            set(slot, Content::Weight);
        }
    }
}

void DeviceSlots::set(int slot, Content content)
{
    m_heldAtEnd += change(content) - change(at(slot));
    m_slots[slot] = content;
    const int begin = slot / kSummarized * kSummarized;
    Summary summary;
    for (int i = begin; i < std::min(begin + kSummarized, size()); ++i) {
        summary.change += change(at(i));
        summary.most = std::max(summary.most, summary.change);
    }
    m_summaries[slot / kSummarized] = summary;
}

// size() if no slot is free.
int DeviceSlots::nextFree(int slot) const
{
    const auto begin = m_slots.begin();
    return std::find(begin + std::min(slot, size()), m_slots.end(), Content::Free) - begin;
}

// The last slot in [begin, end) after which more than `held` activations are held, or -1.
int DeviceSlots::lastAbove(int held, int begin, int end) const
{
    int after = m_heldAtEnd;
    for (int i = (size() - 1) / kSummarized; i >= begin / kSummarized; --i) {
        const auto [change, most] = m_summaries[i];
        if (after - change + most > held) {
            const int first = std::max(begin, i * kSummarized);
            int inside = after;
            for (int slot = std::min((i + 1) * kSummarized, size()) - 1; slot >= first; --slot) {
                if (inside > held && slot < end)
                    return slot;
                inside -= engine::parts::change(at(slot));
            }
        }
        after -= change;
    }
    return -1;
}

void DeviceSlots::putWeight(int slot)
{
    if (slot == size())
        ++m_waiting;
    else
        set(slot, Content::Weight);
}

// -1 on success; otherwise changes nothing and returns the slot that would exceed the limit.
int DeviceSlots::placeForward(Content op, int slot)
{
    if (const int full = lastAbove(m_mostHeld - 1, slot, size()); full >= 0)
        return full;
    const bool movesWeight = at(slot) == Content::Weight;
    const int moved = nextFree(slot);
    if (movesWeight && lastAbove(m_mostHeld - 2, slot, moved) >= 0)
        return slot;
    set(slot, op);
    if (movesWeight)
        putWeight(moved);
    return -1;
}

// Like placeForward(), but places an input gradient, and its weight gradient in the next free slot.
int DeviceSlots::placeInput(Content op, int slot)
{
    const bool movesWeight = at(slot) == Content::Weight;
    const int moved = nextFree(slot);
    if (movesWeight && lastAbove(m_mostHeld - 1, slot, moved) >= 0)
        return slot;
    set(slot, op);
    if (movesWeight)
        putWeight(moved);
    putWeight(nextFree(slot + 1));
    return -1;
}

void DeviceSlots::placeBackward(Content op, int slot)
{
    set(slot, op);
    set(slot + 1, Content::BackwardEnd);
}

constexpr int kPeriod = 6; // slots of work per micro-batch

using Content = DeviceSlots::Content;
constexpr std::array kOps{Content::FirstForward, Content::SecondForward, Content::SecondBackward,
                          Content::FirstBackward};

// The most chunk activations that a device holds if the block is repeated but not compacted.
int heldAtMost(const BlockSlots& block, int microBatches, BlockBackward backward)
{
    DeviceSlots slots(backward == BlockBackward::Split, 2 * microBatches);
    for (int m = 0; m < microBatches; ++m)
        for (std::size_t i = 0; i < block.size(); ++i)
            slots.place(kOps[i], block[i] + kPeriod * m);
    return slots.held();
}

int heldAtMost(const std::vector<BlockSlots>& block, int microBatches, BlockBackward backward)
{
    int most = 0;
    for (const BlockSlots& slots : block) {
        // Micro-batches further apart than the length of the block do not overlap.
        const int together = 2 + 2 * (slots.back() / kPeriod);
        most = std::max(most, heldAtMost(slots, std::min(microBatches, together), backward));
    }
    return most;
}

class Squeezer
{
public:
    Squeezer(Schedule& schedule, const std::vector<BlockSlots>& block, BlockBackward backward)
        : m_schedule(schedule)
        , m_block(block)
        , m_backward(backward)
        , m_devices(block.size())
        , m_microBatches(schedule.shape.microBatches)
        , m_deviceSlots(block.size(),
                        DeviceSlots(backward == BlockBackward::Split,
                                    heldAtMost(block, m_microBatches, backward)))
        , m_ends(block.size() * kOps.size() * m_microBatches)
    { }

    void place()
    {
        std::array<std::vector<Repeated>, kPeriod> alternate; // [slot modulo the period]
        int last = 0;
        for (int d = 0; d < m_devices; ++d)
            for (std::size_t i = 0; i < kOps.size(); ++i) {
                const int first = m_block[d][i];
                alternate[first % kPeriod].push_back({d, kOps[i], first});
                last = std::max(last, first + kPeriod * (m_microBatches - 1));
            }
        for (int slot = 0; slot <= last; ++slot)
            for (const Repeated& op : alternate[slot % kPeriod])
                if (const int m = (slot - op.first) / kPeriod;
                    slot >= op.first && m < m_microBatches)
                    place(op.device, op.content, m);
    }

    void write()
    {
        for (int d = 0; d < m_devices; ++d)
            write(d);
    }

private:
    struct Repeated
    {
        int device = 0;
        Content content = Content::Free;
        int first = 0; // slot of micro-batch 0
    };

    int& end(int device, Content op, int microBatch)
    {
        const std::size_t row = device * kOps.size() + static_cast<std::size_t>(op);
        return m_ends[row * m_microBatches + microBatch];
    }

    // The first slot after the op's inputs and the previous op of its kind.
    int ready(int device, Content op, int microBatch)
    {
        const bool outwards = op == Content::FirstForward || op == Content::SecondBackward;
        const int from = outwards ? device - 1 : device + 1;
        const int before = microBatch > 0 ? end(device, op, microBatch - 1) : 0;
        if (from >= 0 && from < m_devices)
            return std::max(before, end(from, op, microBatch));
        if (op == Content::FirstForward)
            return before;
        // The input comes from the same device: the path of a micro-batch turns around on the last
        // device and, after the loss, on the first device.
        return std::max(before, end(device, kOps[static_cast<std::size_t>(op) - 1], microBatch));
    }

    void place(int device, Content op, int microBatch)
    {
        DeviceSlots& slots = m_deviceSlots[device];
        end(device, op, microBatch)
            = slots.place(op, ready(device, op, microBatch)) + slots.length(op);
    }

    void write(int device)
    {
        const DeviceSlots& slots = m_deviceSlots[device];
        Program program(m_schedule, device);
        std::array<StageOps, 2> chunks{StageOps(program, device),
                                       StageOps(program, 2 * m_devices - 1 - device)};
        const auto backward = [&](StageOps& chunk) {
            m_backward == BlockBackward::Split ? chunk.input() : chunk.backward();
        };
        const auto weight
            = [&] { chunks[chunks[1].weights() < chunks[1].backwards() ? 1 : 0].weight(); };
        for (const Content content : slots.contents())
            switch (content) {
            case Content::FirstForward:
            case Content::SecondForward:
                chunks[content == Content::FirstForward ? 0 : 1].forward();
                break;
            case Content::SecondBackward:
            case Content::FirstBackward:
                backward(chunks[content == Content::FirstBackward ? 0 : 1]);
                break;
            case Content::Weight:
                weight();
                break;
            case Content::BackwardEnd:
            case Content::Free:
                break;
            }
        repeat(slots.waiting(), weight);
    }

    Schedule& m_schedule;
    const std::vector<BlockSlots>& m_block;
    BlockBackward m_backward = BlockBackward::Split;
    int m_devices = 0, m_microBatches = 0;
    std::vector<DeviceSlots> m_deviceSlots; // [device]
    std::vector<int> m_ends;                // [device][op][microBatch]
};

} // namespace

Schedule repeatedBlock(const ScheduleRequest& request, BlockBackward backward,
                       const std::function<BlockSlots(int device)>& slotsOf)
{
    std::vector<BlockSlots> block; // [device]
    for (int d = 0; d < request.devices; ++d)
        block.push_back(slotsOf(d));
    Schedule schedule = emptySchedule(request, vDevice);
    Squeezer squeezer(schedule, block, backward);
    squeezer.place();
    squeezer.write();
    return schedule;
}

} // namespace engine::parts
