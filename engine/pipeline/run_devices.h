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

// The devices of a run.
struct RunDevices
{
    // One device that emulates all; in live mode on GPUs one per device: a GPU or a partition.
    std::vector<std::shared_ptr<const Device>> devices;
    Mode mode = Mode::Emulate;            // the possible mode
    std::string note;                     // why the mode differs from the request, in one sentence
    MakeCommunicators communicators = {}; // for NCCL transport

    const Device& first() const { return *devices.front(); }
    bool isCuda() const { return first().lane() != nullptr; }
    bool haveOwnGpus() const { return isCuda() && mode == Mode::Live; }
    // The transport of messages and sums, as --transport spells it; "" where there is none.
    std::string transport() const;
    // Free memory of the machine or of each GPU.
    MemoryRooms rooms() const;
};

// If partitions for live mode cannot be created, the run is emulated. Unsupported: the backend
// or the requested NCCL is not available. `cancel`, which must outlive the result, stops joining
// communicators later.
Result<RunDevices> openDevices(Backend backend, Mode mode, int count, Carrier carrier,
                               const std::atomic<bool>& cancel);

// A model of its own for every device that has a GPU of its own, over its kernels: `make` is called
// with the device bound to this thread, since constants go there. `units` owns them.
using Units = std::vector<std::unique_ptr<const PipelineModel<float>>>;
IdVector<DeviceId, ExecutorDevice> makeExecutorDevices(
    const RunDevices& on, Units& units,
    const std::function<std::unique_ptr<const PipelineModel<float>>(const Device&)>& make);

// The default mode: live with as many GPUs as devices or with NCCL, otherwise emulate. Uses the
// driver, so not for the window.
Mode defaultMode(const Experiment& experiment);

} // namespace engine
