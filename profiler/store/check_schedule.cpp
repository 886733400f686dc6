#include "profiler/store/check_schedule.h"

#include "engine/schedule/dataflow.h"

#include <algorithm>

namespace profiler {
namespace {

using namespace engine;

// The largest number of devices, and of data-parallel copies. Each is limited to 16 bits, because
// Op::peer and MemoryEvent::device have 16 bits and the product of both numbers must fit in 32
// bits.
constexpr int kMostDevices = 0xFFFF;

// Checks that the dimensions of the shape are plausible for the number of ops. Otherwise a small
// damaged file could make readers allocate huge tables, which are indexed by stage, micro-batch and
// slice.
bool fitsOps(const Shape& shape, std::size_t ops)
{
    constexpr std::size_t kSmall = 1 << 16;
    constexpr std::size_t kFewDevices = 1024; // more have ops
    return double{1} * shape.stages * shape.microBatches * shape.windows * shape.slices
        <= static_cast<double>(std::max(ops, kSmall))
        && std::cmp_less_equal(shape.devices, std::max(ops, kFewDevices));
}

bool plausible(const Shape& shape)
{
    const auto positive = [](int n) { return n >= 1; };
    const bool known = std::ranges::all_of(
        std::initializer_list<int>{shape.devices, shape.stages, shape.microBatches, shape.replicas,
                                   shape.slices, shape.dataParallel, shape.windows},
        positive);
    return known && shape.updateEvery >= 0 && shape.devices <= kMostDevices
        && shape.dataParallel <= kMostDevices && shape.replicas <= 255 && shape.slices < Op::kWhole;
}

bool placed(const Schedule& schedule)
{
    const auto exists = [&](DeviceId device) {
        return device.isValid() && device.value < schedule.shape.devices;
    };
    const auto complete = [&](const auto& stages) {
        return std::cmp_equal(stages.size(), schedule.shape.stages)
            && std::ranges::all_of(stages, exists);
    };
    return std::cmp_equal(schedule.deviceOf.size(), schedule.shape.replicas)
        && std::ranges::all_of(schedule.deviceOf, complete);
}

// Whether the indices of an op are valid. The slice is checked here and not by exists(), which
// rejects slice 0 of a shape without slices.
bool inside(const Op& op, const Shape& shape)
{
    Op whole = op;
    whole.slice = Op::kWhole;
    return exists(whole, shape) && op.microBatch.value < shape.allMicroBatches()
        && (op.slice == Op::kWhole || op.slice < shape.slices)
        && (op.peer < shape.devices || (op.peer == Op::kNoPeer && !isTransfer(op.kind)));
}

} // namespace

Result<void> checkSchedule(const Schedule& schedule)
{
    const Shape& shape = schedule.shape;
    if (!plausible(shape))
        return invalid(
            "the schedule has an invalid shape ({} devices, {} stages, {} micro-batches)",
            shape.devices, shape.stages, shape.microBatches);
    if (!placed(schedule))
        return invalid("the schedule's placement has stages without a device");
    if (!std::cmp_equal(schedule.program.size(), shape.devices))
        return invalid("the schedule has {} programs for {} devices", schedule.program.size(),
                       shape.devices);
    if (const std::size_t ops = opCount(schedule); !fitsOps(shape, ops))
        return invalid("the schedule has {} ops, too few for {} devices, {} stages, {} "
                       "micro-batches and {} slices",
                       ops, shape.devices, shape.stages, shape.microBatches, shape.slices);
    for (const DeviceId device : schedule.program.ids())
        for (std::size_t i = 0; i < schedule.program[device].size(); ++i)
            if (!inside(schedule.program[device][i], shape))
                return invalid("op {} of device {} does not exist in a schedule of this size", i,
                               device.value);
    return {};
}

} // namespace profiler
