#pragma once

#include <vector>

namespace engine::parts {

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

} // namespace engine::parts
