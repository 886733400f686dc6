#pragma once

#include <vector>

namespace engine::parts {

// The order in which every device of looping stages processes its chunks (Megatron-LM's schedule
// table). Micro-batches are divided into groups. In a group, all micro-batches run on chunk 0,
// then on chunk 1, and so on. Backwards have the same order with the chunks reversed.
//
// N = 4, v = 2, groups of 2:   k            0 1 2 3 4 5 6 7
//                              micro-batch  0 1 0 1 2 3 2 3
//                              chunk        0 0 1 1 0 0 1 1
class VirtualIds
{
public:
    struct Sizes
    {
        int devices = 0, microBatches = 0, chunks = 0, group = 0;
    };
    explicit VirtualIds(const Sizes& sizes);

    int count() const { return m_table.size(); }
    int microBatch(int k) const { return at(k).microBatch; }
    int forwardStage(int k, int device) const { return at(k).chunk * m_devices + device; }
    int backwardStage(int k, int device) const
    {
        return (m_lastChunk - at(k).chunk) * m_devices + device;
    }

private:
    struct Entry
    {
        int microBatch = 0, chunk = 0;
    };

    const Entry& at(int k) const { return m_table[k]; }

    std::vector<Entry> m_table; // [k]
    int m_devices = 0, m_lastChunk = 0;
};

} // namespace engine::parts
