#pragma once

#include <vector>

namespace engine::parts {

// The slots of one device of a V, and how many chunks of activations it holds in each. A slot holds
// at most one op; weight gradients move on to the next slot that is free whenever an op takes
// theirs.
class Lane
{
public:
    // The ops in the order of a micro-batch's path; the second half of a whole backward; a weight
    // gradient.
    enum class Content : unsigned char {
        FirstForward,
        SecondForward,
        SecondBackward,
        FirstBackward,
        BackwardEnd,
        Weight,
        Free,
    };

    Lane(bool splitsBackward, int mostHeld)
        : m_splitsBackward(splitsBackward)
        , m_mostHeld(mostHeld)
    { }

    // Slots that the op takes.
    int length(Content op) const { return isForward(op) || m_splitsBackward ? 1 : 2; }
    // Puts the op into the first slot from `from` on where no slot comes to hold more than
    // `mostHeld`, and returns that slot. The ops placed so far must leave room at the end: more
    // than `mostHeld` forwards without a backward never end.
    int place(Content op, int from);

    const std::vector<Content>& slots() const { return m_slots; }
    int waiting() const { return m_waiting; } // weight gradients behind the last slot
    int held() const;                         // at the most

private:
    static bool isForward(Content op)
    {
        return op == Content::FirstForward || op == Content::SecondForward;
    }

    int size() const { return static_cast<int>(m_slots.size()); }
    Content at(int slot) const { return m_slots[static_cast<std::size_t>(slot)]; }
    bool isTaken(int slot, int length) const;
    int nextFree(int slot) const;
    int lastAbove(int held, int begin, int end) const;
    void grow(int size);
    void set(int slot, Content content);
    void putWeight(int slot);

    int placeForward(Content op, int slot);
    int placeInput(Content op, int slot);
    void placeBackward(Content op, int slot);

    // Many slots in one, so that a full slot is found without a look at each.
    struct Summary
    {
        int change = 0; // from before the first to after the last
        int most = 0;   // after any of them, counted from before the first
    };
    static constexpr int kSummarized = 64; // slots

    bool m_splitsBackward = true;
    int m_mostHeld = 0, m_heldAtEnd = 0;
    int m_waiting = 0;
    std::vector<Content> m_slots;
    std::vector<Summary> m_summaries; // [slot / kSummarized]
};

} // namespace engine::parts
