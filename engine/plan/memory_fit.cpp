#include "engine/plan/memory_fit.h"

#include "engine/backend/device_placement.h"
#include "engine/base/memory_capacity.h"
#include "engine/plan/data_parallel.h"
#include "engine/plan/happens_before.h"
#include "engine/schedule/notation.h"
#include "engine/transport/matched.h"
#include "engine/transport/queued.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace engine {

double MemorySpace::usable() const
{
    constexpr double kOfMachine = 0.1, kOfGpu = 0.03, kLeast = 1e9;
    const double all = free;
    const double kept
        = isGpu() ? std::min(kOfMachine * all, std::max(kLeast, kOfGpu * all)) : kOfMachine * all;
    return all - kept;
}

namespace {

// `devices` is the number of devices of all data-parallel pipelines; device_placement.h places them
// on GPUs.
int spaceOf(int device, int devices, const MemorySpaces& spaces)
{
    return placeDevices(devices, spaces.size()).gpuOf(device);
}

double recordOf(const Experiment& experiment, const Schedule& lowered)
{
    // The iteration of typical ops is recorded, too (+ 1). The schedule of an asynchronous stream
    // already contains the ops of all iterations.
    const std::int64_t iterations
        = lowered.shape.windows > 1 ? 1 : experiment.warmup + experiment.iterations + 1;
    return recordBytes(opCount(lowered), iterations);
}

// With more devices, each needs less memory, but all together need more.
constexpr const char* kSmallerDevices = "use a smaller model or more --devices";
constexpr const char* kSmallerRun = "use a smaller model, fewer --micro-batches or fewer --devices";

// "these would fit: --micro-batches 4 (1.2 GiB), --scheme bpipe (2.0 GiB)", or `otherwise`. The
// sizes are those of the fullest device (`perDevice`) or of the fullest memory.
std::string whatWouldFit(const MemoryFit& fit, const Device& device, bool perDevice,
                         const char* otherwise)
{
    std::string text;
    for (const Remedy& remedy : remediesFor(fit.experiment, fit.spaces, device)) {
        const double need = perDevice ? remedy.need.fullest : remedy.need.most();
        text += fmt::format("{}{} ({})", text.empty() ? "these would fit: " : ", ", remedy.option,
                            bytesText(std::llround(need)));
    }
    return text.empty() ? otherwise : text;
}

int devicesOf(const ExecutionPlan& plan) // of all data-parallel copies
{
    return plan.devices.size() * plan.width;
}

DeviceId ownOf(int device, const ExecutionPlan& plan)
{
    return DeviceId{device % static_cast<int>(plan.devices.size())};
}

struct Fullest
{
    DeviceId device; // id within its data-parallel copy
    Bytes arena = 0;
    std::string op;  // op at the peak
    int devices = 0; // number of compared devices
};

// `space` -1: of all devices.
Fullest fullestOf(const MemoryFit& fit, int space)
{
    const int all = devicesOf(fit.plan);
    Fullest fullest;
    for (int d = 0; d < all; ++d) {
        if (space >= 0 && spaceOf(d, all, fit.spaces) != space)
            continue;
        const DeviceId own = ownOf(d, fit.plan);
        const DevicePlan& plan = fit.plan.devices[own];
        if (fullest.devices++ > 0 && plan.arena <= fullest.arena)
            continue;
        const auto program = fit.lowered.on(own);
        fullest.device = own;
        fullest.arena = plan.arena;
        fullest.op = program.empty() ? "its start" : toString(program[plan.layout.peakAt]);
    }
    return fullest;
}

// "this run needs 3.0 GiB of memory but can use 1.8 GiB of the 2.0 GiB that are free; ..." or "GPU
// 1 needs 3.0 GiB of memory for 4 of 8 devices, 0.3 GiB of it for NCCL's communicators, but ...".
Result<void> refuse(const std::string& who, double needed, const MemorySpace& space,
                    const std::string& what, const std::string& more)
{
    return fail(Error::Code::Device,
                "{} needs {} of memory{} but can use {} of the {} that are free; {}", who,
                bytesText(std::llround(needed)), what, bytesText(std::llround(space.usable())),
                bytesText(space.free), more);
}

Result<void> refuseRoom(const MemoryFit& fit, const Device& device, std::size_t index,
                        const MemoryNeed& need)
{
    const MemorySpace& space = fit.spaces[index];
    const Fullest fullest = fullestOf(fit, index);
    const bool isShared = !space.isGpu() || fullest.devices > 1;
    const std::string who = space.isGpu() ? fmt::format("GPU {}", space.gpu) : "this run";
    std::string what = fit.spaces.size() > 1
        ? fmt::format(" for {} of {} devices", fullest.devices, devicesOf(fit.plan))
        : "";
    if (const double communicators = need.communicators[index]; communicators > 0)
        what += fmt::format(", {} of it for NCCL's communicators,",
                            bytesText(std::llround(communicators)));
    return refuse(
        who, need.spaces[index], space, what,
        fmt::format("device {} needs the most, {} at {}; {}", fullest.device.value,
                    bytesText(fullest.arena), fullest.op,
                    whatWouldFit(fit, device, false, isShared ? kSmallerRun : kSmallerDevices)));
}

} // namespace

IdVector<DeviceId, Bytes> communicatorNeed(const ExecutionPlan& plan)
{
    const CopyNumbers numbers(plan, plan.width);
    IdVector<DeviceId, Bytes> bytes(devicesOf(plan));
    for (const CommunicatorPlan& one : planCommunicators(trafficOf(plan, numbers)).all)
        for (const DeviceId rank : one.ranks)
            bytes[rank] += communicatorBytes(one);
    return bytes;
}

double MemoryNeed::most() const
{
    return spaces.empty() ? 0 : *std::ranges::max_element(spaces);
}

MemoryNeed memoryNeed(const Experiment& experiment, const Schedule& lowered,
                      const ExecutionPlan& plan, const MemorySpaces& spaces)
{
    const std::vector<double> none(spaces.size());
    MemoryNeed need{none, 0, none};
    const int all = devicesOf(plan);
    const bool isNccl = experiment.transport == TransportChoice::Nccl;
    const auto communicators = isNccl ? communicatorNeed(plan) : IdVector<DeviceId, Bytes>(all);
    // All-reduces copy buffers of other GPUs to staging memory, which the arenas do not include.
    const bool isStaged = spaces.size() > 1 && !plan.collectives.empty() && !isNccl;
    const double staged = isStaged ? QueuedTransport::kStaged : 0;
    for (int d = 0; d < all; ++d) {
        const Bytes arena = plan.devices[ownOf(d, plan)].arena;
        const std::size_t space = spaceOf(d, all, spaces);
        const double nccl = communicators[DeviceId{d}];
        need.fullest = std::max(need.fullest, arena);
        need.spaces[space] += arena + staged + nccl;
        need.communicators[space] += nccl;
    }
    for (std::size_t i = 0; i < spaces.size(); ++i)
        if (!spaces[i].isGpu())
            need.spaces[i] += recordOf(experiment, lowered);
    return need;
}

bool fits(const MemoryNeed& need, const Experiment& experiment, const MemorySpaces& spaces)
{
    for (std::size_t i = 0; i < spaces.size(); ++i)
        if (!spaces[i].holds(need.spaces[i]))
            return false;
    return experiment.memory().holds(static_cast<double>(need.fullest));
}

Result<void> checkRecordFits(const Experiment& experiment, const Schedule& lowered, Bytes available)
{
    const double order = HappensBefore::bytes(opCount(lowered), lowered.shape.devices);
    const double record = recordOf(experiment, lowered);
    const MemorySpace machine{available};
    if (machine.holds(record + order))
        return {};
    return refuse("this run", record + order, machine, "",
                  fmt::format("the recording needs {} and the order of the ops {}; use fewer "
                              "--iterations, --micro-batches or --devices",
                              bytesText(std::llround(record)), bytesText(std::llround(order))));
}

Result<void> checkFits(const MemoryFit& fit, const Device& device)
{
    const MemoryNeed need = memoryNeed(fit.experiment, fit.lowered, fit.plan, fit.spaces);
    const Fullest fullest = fullestOf(fit, -1);
    const MemoryCapacity memory = fit.experiment.memory();
    const auto arena = static_cast<double>(fullest.arena);
    if (!memory.holds(arena))
        return fail(Error::Code::Device,
                    "device {} needs {} at {}, {} more than --device-memory allows ({}); {}",
                    fullest.device.value, bytesText(fullest.arena), fullest.op,
                    bytesText(-memory.left(arena)), memory.text(),
                    whatWouldFit(fit, device, true, kSmallerDevices));
    for (std::size_t i = 0; i < fit.spaces.size(); ++i)
        if (!fit.spaces[i].holds(need.spaces[i]))
            return refuseRoom(fit, device, i, need);
    return {};
}

} // namespace engine
