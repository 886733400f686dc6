#include "engine/schedule/formats/assemble.h"

#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"

#include <algorithm>

namespace engine {
namespace {

Shape smallestShape(const Programs& programs)
{
    Shape shape;
    shape.devices = programs.size();
    for (const auto& ops : programs)
        for (const Op& op : ops) {
            shape.stages = std::max(shape.stages, op.stage.value + 1);
            shape.microBatches = std::max(shape.microBatches, op.microBatch.value + 1);
            shape.replicas = std::max(shape.replicas, op.replica + 1);
            if (op.slice != Op::kWhole)
                shape.slices = std::max(shape.slices, op.slice + 1);
        }
    return shape;
}

std::size_t opsOf(const Programs& programs)
{
    std::size_t count = 0;
    for (const auto& ops : programs)
        count += ops.size();
    return count;
}

void place(Schedule& schedule)
{
    const Shape& shape = schedule.shape;
    schedule.deviceOf.assign(shape.replicas, IdVector<StageId, DeviceId>(shape.stages));
    for (const DeviceId d : schedule.program.ids())
        for (const Op& op : schedule.program[d]) {
            DeviceId& holder = schedule.deviceOf[op.replica][op.stage];
            if (!holder.isValid())
                holder = d;
        }
}

void setPeers(Schedule& schedule)
{
    for (auto& ops : schedule.program)
        for (Op& op : ops) {
            if (!exists(op, schedule.shape))
                continue;
            DeviceId peer;
            if (usesHost(op))
                continue;
            if (isCopy(op.kind))
                peer = stashPartner(schedule.device(op.replica, op.stage), schedule.shape);
            else if (isTransfer(op.kind))
                peer = otherDevice(schedule, op);
            if (peer.isValid())
                op.peer = peer.value;
        }
}

} // namespace

// A complete schedule has about one op per cell of stage, micro-batch and slice; the limit also
// accepts files in which most ops are missing.
Result<Shape> shapeOf(const Programs& programs)
{
    constexpr double kCellsPerOp = 64;
    constexpr double kMostCells = 1 << 28; // valueCount() has 32 bits
    const Shape shape = smallestShape(programs);
    const std::size_t ops = opsOf(programs);
    const double cells = static_cast<double>(shape.stages) * std::max(1, shape.microBatches)
        * shape.replicas * (shape.slices + 1);
    const double room = std::min(kMostCells, kCellsPerOp * ops);
    if (cells <= room && shape.devices <= room)
        return shape;
    return fail(Error::Code::Corrupt,
                "{} devices, {} stages, {} micro-batches and {} slices are too many for "
                "the {} rows of the file; correct the indices",
                shape.devices, shape.stages, shape.microBatches, shape.slices, ops);
}

Schedule assemble(const Shape& shape, Programs programs, std::string_view scheme)
{
    Schedule schedule{std::string(scheme), shape, {}, std::move(programs)};
    place(schedule);
    setPeers(schedule);
    recognizeTiedEmbeddings(schedule);
    return schedule;
}

} // namespace engine
