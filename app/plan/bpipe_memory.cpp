#include "app/plan/bpipe_memory.h"

#include "engine/base/try.h"
#include "engine/schedule/schedule.h"

#include <algorithm>

namespace app {
namespace {

using engine::MemoryCategory;

// Returns the bytes of the stashes for stages of other devices that the device holds at its peak.
double guestBytes(const engine::Run& run, const profiler::DeviceMetrics& device)
{
    const engine::OpIndex index(run.schedule);
    std::int64_t bytes = 0;
    for (const engine::MemoryEvent& event : run.timeline.memory) {
        if (event.time > device.timeOfPeak)
            break;
        if (event.device != device.device.value || event.op == engine::MemoryEvent::kNoOp)
            continue;
        const engine::Op& op = opAt(run.schedule, index, event.op);
        if (run.schedule.device(op.replica, op.stage) != device.device)
            bytes += event.bytes;
    }
    return static_cast<double>(bytes);
}

engine::Result<std::vector<DevicePeak>> peaks(const RunPlan& plan)
{
    const auto predicted = TRY(predict(plan.request()));
    if (predicted.run == nullptr)
        return engine::fail(engine::Error::Code::InvalidArgument,
                            predicted.violations.front().message);
    return devicePeaks(predicted);
}

} // namespace

std::vector<DevicePeak> devicePeaks(const Prediction& prediction)
{
    std::vector<DevicePeak> all;
    if (prediction.run == nullptr || prediction.run->timeline.memory.empty())
        return all;
    for (const profiler::DeviceMetrics& device : prediction.metrics.devices) {
        const auto bytes
            = [&](MemoryCategory of) { return static_cast<double>(device.bytesAtPeak[of]); };
        DevicePeak peak{bytes(MemoryCategory::Weights), bytes(MemoryCategory::Gradients),
                        bytes(MemoryCategory::Optimizer), bytes(MemoryCategory::Stash)};
        peak.guests = guestBytes(*prediction.run, device);
        peak.stash -= peak.guests;
        all.push_back(peak);
    }
    return all;
}

engine::Result<BpipeMemory> bpipeMemory(const BpipePlan& plan, int size)
{
    BpipeMemory memory;
    for (const auto& [scheme, of] :
         {std::pair("1f1b", &memory.oneFOneB), std::pair("bpipe", &memory.bpipe)}) {
        RunPlan run = simulationOf(plan, QString::fromLatin1(scheme), size);
        int& microBatches = run.experiment.schedule.microBatches;
        microBatches = std::min(microBatches, 4 * plan.devices);
        memory.microBatches = microBatches;
        auto found = TRY(peaks(run));
        *of = std::move(found);
    }
    return memory;
}

} // namespace app
