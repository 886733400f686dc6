#include "engine/schedules/parts/repeated_block.h"

#include "engine/schedules/parts/device_slots.h"
#include "engine/schedules/parts/program.h"

#include <algorithm>

namespace engine::parts {
namespace {

constexpr int kPeriod = 6; // slots of work per micro-batch

using Content = DeviceSlots::Content;
constexpr std::array kOps{Content::FirstForward, Content::SecondForward, Content::SecondBackward,
                          Content::FirstBackward};

// Returns the largest number of chunk activations that a device holds if the block is repeated but
// not compacted.
int heldAtMost(const BlockSlots& block, int microBatches, BlockBackward backward)
{
    DeviceSlots slots(backward == BlockBackward::Split, 2 * microBatches);
    for (int m = 0; m < microBatches; ++m)
        for (std::size_t i = 0; i < block.size(); ++i)
            slots.place(kOps[i], block[i] + kPeriod * m);
    return slots.held();
}

int heldAtMost(const Block& block, int microBatches, BlockBackward backward)
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
    Squeezer(Schedule& schedule, const Block& block, BlockBackward backward)
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
        program.reserve((m_backward == BlockBackward::Split ? 6 : 4) * m_microBatches);
        const std::array<int, 2> stages{device, 2 * m_devices - 1 - device}; // [chunk]
        std::array<int, 2> forwards{}, backwards{}, weights{};
        const auto backward = [&](std::size_t chunk) {
            const int m = backwards[chunk]++;
            if (m_backward == BlockBackward::Split)
                program.backwardInput(stages[chunk], m);
            else
                program.backward(stages[chunk], m);
        };
        const auto weight = [&] {
            const std::size_t chunk = weights[1] < backwards[1] ? 1 : 0;
            program.backwardWeight(stages[chunk], weights[chunk]++);
        };
        for (const Content content : slots.contents())
            switch (content) {
            case Content::FirstForward:
                program.forward(stages[0], forwards[0]++);
                break;
            case Content::SecondForward:
                program.forward(stages[1], forwards[1]++);
                break;
            case Content::SecondBackward:
                backward(1);
                break;
            case Content::FirstBackward:
                backward(0);
                break;
            case Content::Weight:
                weight();
                break;
            case Content::BackwardEnd:
            case Content::Free:
                break;
            }
        for (int i = 0; i < slots.waiting(); ++i)
            weight();
    }

    Schedule& m_schedule;
    const Block& m_block;
    BlockBackward m_backward = BlockBackward::Split;
    int m_devices = 0, m_microBatches = 0;
    std::vector<DeviceSlots> m_deviceSlots; // [device]
    std::vector<int> m_ends;                // [device][op][microBatch]
};

} // namespace

void writeRepeatedBlock(Schedule& schedule, const Block& block, BlockBackward backward)
{
    Squeezer squeezer(schedule, block, backward);
    squeezer.place();
    squeezer.write();
}

} // namespace engine::parts
