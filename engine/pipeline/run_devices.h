#pragma once

#include "engine/backend/communicators.h"
#include "engine/experiment/experiment.h"
#include "engine/pipeline/pipeline.h"
#include "engine/plan/memory_rooms.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace engine {

// What the devices of a run compute on.
struct RunDevices
{
    // One that plays all of them; live on GPUs one each: a GPU, or a part of one.
    std::vector<std::shared_ptr<const Device>> devices;
    Mode mode = Mode::Emulate;            // what is possible
    std::string note;                     // one sentence where that is not what was asked for
    MakeCommunicators communicators = {}; // NCCL's, where it carries

    const Device& first() const { return *devices.front(); }
    bool isCuda() const { return first().lane() != nullptr; }
    bool haveOwnGpus() const { return isCuda() && mode == Mode::Live; }
    // The transport of messages and sums, as --transport spells it; "" where there is none.
    std::string transport() const;
    // What is free now: of the machine, or of each GPU.
    MemoryRooms rooms() const;
};

// Live partitions that cannot be made are no error: then the run is emulated. Unsupported: no such
// backend here, or NCCL was asked for and cannot be used. `cancel` ends the joining of
// communicators, which comes later: it outlives them.
Result<RunDevices> openDevices(Backend backend, Mode mode, int count, Carrier carrier,
                               const std::atomic<bool>& cancel);

// A model of its own for every device that has a GPU of its own, over its kernels: `make` is called
// with the device bound to this thread, since constants go there. `units` owns them.
using Units = std::vector<std::unique_ptr<const PipelineModel<float>>>;
std::vector<ExecutorDevice> makeExecutorDevices(
    const RunDevices& on, Units& units,
    const std::function<std::unique_ptr<const PipelineModel<float>>(const Device&)>& make);

// Where nothing is said: live with as many GPUs as devices or where NCCL carries, else emulate.
// Asks the driver, so not in the window.
Mode defaultMode(const Experiment& experiment);

} // namespace engine
