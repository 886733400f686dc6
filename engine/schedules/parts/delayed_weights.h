#pragma once

#include "engine/schedules/scheme.h"

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

// The number of other input gradients between an input gradient and its weight gradient: 0 (None)
// or the index of the device (Device).
enum class WeightDelay : std::uint8_t { None, Device };

// Builds the interleaved order in groups of `group` micro-batches, with (v-1) * group + D-1-d
// warm-up forwards on device d. Backwards are split and W is delayed; the remaining W come last.
Schedule delayedWeights(const ScheduleRequest& request, int group, WeightDelay delay);

} // namespace engine::parts
