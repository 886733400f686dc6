#pragma once

#include "engine/backend/communicators.h"
#include "engine/experiment/experiment.h"
#include "engine/pipeline/pipeline.h"
#include "engine/plan/memory_spaces.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace engine {

// The devices of a run, and how they communicate.
struct RunDevices
{
    // In live mode on GPUs: a GPU or partition for each device of the schedule. Otherwise a single
    // device that executes the ops of all of them.
    std::vector<std::shared_ptr<const Device>> devices;
    Mode mode = Mode::Emulate; // the mode in which the devices can run
    std::string note;          // why `mode` differs from the requested mode, one sentence
    MakeCommunicators communicators = {}; // only for --transport nccl

    const Device& first() const { return *devices.front(); }
    bool isCuda() const { return first().queue() != nullptr; }
    bool haveOwnGpus() const { return isCuda() && mode == Mode::Live; }
    // Returns "nccl", "peer", "local" (copies within a GPU) or "local, peer"; "" unless each device
    // has its own GPU or partition.
    std::string transport() const;
    // Returns the free memory of the machine or of each GPU.
    MemorySpaces spaces() const;
};

// Opens the devices of a run. If partitions for live mode cannot be created, the run is emulated.
// Fails with Error::Code::Unsupported if the backend or the requested NCCL is not available.
// Setting `cancel` later cancels the joining of communicators; it must outlive the result.
Result<RunDevices> openDevices(Backend backend, Mode mode, int count, TransportChoice transport,
                               const std::atomic<bool>& cancel);

// Makes a model for each GPU or partition in `on`, with the kernels of this device, and stores it
// in `models`. `make` is called with the device bound to this thread, because models allocate
// constants.
using Models = std::vector<std::unique_ptr<const PipelineModel<float>>>;
IdVector<DeviceId, ExecutorDevice> makeExecutorDevices(
    const RunDevices& on, Models& models,
    const std::function<std::unique_ptr<const PipelineModel<float>>(const Device&)>& make);

// The default mode: live if every device has a GPU or NCCL is requested, otherwise emulate. Loads
// the CUDA driver, so the window must not call this function.
Mode defaultMode(const Experiment& experiment);

} // namespace engine
