#include "engine/schedules/parts/device_slots.h"

#include "engine/base/id_vector.h"

#include <algorithm>

namespace engine::parts {

namespace {

// [content] The change in the number of held activations.
constexpr EnumArray<DeviceSlots::Content, int, 7> kChanges{1, 1, 0, 0, -1, -1, 0};

int change(DeviceSlots::Content content)
{
    return kChanges[content];
}

} // namespace

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

// Returns size() if no slot is free.
int DeviceSlots::nextFree(int slot) const
{
    const auto begin = m_slots.begin();
    return std::find(begin + std::min(slot, size()), m_slots.end(), Content::Free) - begin;
}

// Returns the last slot in [begin, end) after which more than `held` activations are held, or -1.
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

// Returns -1 on success; otherwise changes nothing and returns the slot that would exceed the
// limit.
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

} // namespace engine::parts
