#include "engine/base/try.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::string_view kDetails = R"(
One pipeline that visits devices 0 .. D-1 and returns, v/2 times. The order comes from a table of
time slots, in which a forward takes one slot and a backward two. A basic unit is D micro-batches.
Its first micro-batch is placed along its path. Then device d reserves the D-1-d slots before its
forward of chunk 1 and the d slots before its backward of the last chunk. The other micro-batches
take the first free slots. The next basic unit begins where the first micro-batch ends.

D = 2, N = 2, v = 2       device 0 | f0 f1 .. F0 B0 B0 F1 B1 B1 .. b0 b0 .. .. b1 b1
                          device 1 | .. f0 F0 f1 F1 .. B0 B0 b0 b0 B1 B1 b1 b1

Makespan 3N + 4(D-1)/v at N = D; peak stash at most D.
)";

class SlotTable
{
public:
    explicit SlotTable(Schedule& schedule)
        : m_schedule(schedule)
        , m_taken(schedule.program.size())
        , m_ops(schedule.program.size())
    { }

    void writeUnits()
    {
        const Shape& shape = m_schedule.shape;
        std::size_t begin = 0;
        for (int first = 0; first < shape.microBatches; first += shape.devices) {
            const std::size_t end = place(first, begin, true);
            for (int m = 1; m < shape.devices; ++m)
                place(first + m, begin, false);
            begin = end;
        }
        for (const DeviceId d : m_ops.ids())
            write(d);
    }

private:
    struct SlottedOp
    {
        std::size_t slot = 0;
        int stage = 0, microBatch = 0;
        bool forward = true;
    };

    // Places the forwards and backwards of a micro-batch along its path, each in the first free
    // slot after the previous one. Returns the slot after the last one.
    std::size_t place(int microBatch, std::size_t slot, bool reserves)
    {
        const int stages = m_schedule.shape.stages;
        const int devices = m_schedule.shape.devices;
        const int last = stages - devices; // first stage of the last chunk
        for (int step = 0; step < 2 * stages; ++step) {
            const bool forward = step < stages;
            const int stage = forward ? step : 2 * stages - 1 - step;
            const DeviceId device = m_schedule.device(0, StageId{stage});
            const std::size_t length = forward ? 1 : 2;
            while (isTaken(device, slot) || isTaken(device, slot + length - 1))
                ++slot;
            m_ops[device].push_back({slot, stage, microBatch, forward});
            if (reserves && forward && stage / devices == 1)
                m_reserved.push_back(
                    {device, slot - (m_schedule.program.size() - 1 - device.value), slot});
            if (reserves && !forward && stage >= last)
                m_reserved.push_back({device, slot - device.value, slot});
            take({device, slot, slot + length});
            slot += length;
        }
        for (const Range& range : m_reserved)
            take(range);
        m_reserved.clear();
        return slot;
    }

    struct Range
    {
        DeviceId device;
        std::size_t begin = 0, end = 0;
    };

    bool isTaken(DeviceId device, std::size_t slot) const
    {
        return slot < m_taken[device].size() && m_taken[device][slot];
    }
    void take(const Range& range)
    {
        std::vector<bool>& taken = m_taken[range.device];
        taken.resize(std::max(taken.size(), range.end));
        for (std::size_t slot = range.begin; slot < range.end; ++slot)
            taken[slot] = true;
    }

    void write(DeviceId device)
    {
        auto& ops = m_ops[device];
        std::ranges::sort(ops, {}, &SlottedOp::slot);
        parts::Program program(m_schedule, device.value);
        for (const SlottedOp& op : ops)
            if (op.forward)
                program.forward(op.stage, op.microBatch);
            else
                program.backward(op.stage, op.microBatch);
    }

    Schedule& m_schedule;
    IdVector<DeviceId, std::vector<bool>> m_taken; // [slot]
    IdVector<DeviceId, std::vector<SlottedOp>> m_ops;
    std::vector<Range> m_reserved; // reserved once the first micro-batch is placed
};

Result<void> check(const ScheduleRequest& request)
{
    TRY(parts::checkEvenChunks(request, "chunks (two for each wave)"));
    return parts::checkUnits(request, {request.devices, "the devices"});
}

Result<Schedule> build(const ScheduleRequest& request)
{
    Schedule schedule = parts::emptySchedule(request, parts::vDevice);
    SlotTable(schedule).writeUnits();
    return schedule;
}

} // namespace

Scheme hanayo()
{
    return {.name = "hanayo",
            .title = "Hanayo",
            .summary = "waves of forwards over the devices and back",
            .citation = "Liu et al., Hanayo, SC 2023",
            .details = kDetails,
            .family = "One direction",
            .accepts = "D >= 1; N a multiple of D; v even, two chunks per wave",
            .bubbleFormula = "4(D-1)/(3vD+4(D-1)) at N = D",
            .defaultChunks = 2,
            .chunksFixed = false,
            .check = check,
            .build = build};
}

} // namespace engine
