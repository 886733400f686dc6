#pragma once

#include "engine/backend/communicators.h"
#include "engine/experiment/experiment.h"
#include "engine/pipeline/pipeline.h"
#include "engine/plan/execution_plan.h"
#include "engine/plan/memory_fit.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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
    // "nccl", "peer", "local" (copies within a GPU) or "local, peer"; "" unless each device has its
    // own GPU or partition.
    std::string transport() const;
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

// Whether a GPU no longer responds, so that its work never ends. Objects that the GPU uses must
// then not be destroyed, because their destructors would wait for the GPU, and the process must end
// with std::_Exit. Thread-safe.
bool devicesAreLost();
void markDevicesLost();

// Leaks an object that threads or a GPU may still be using, and marks the devices as lost.
template<class Used>
void keepForever(std::unique_ptr<Used> used)
{
    markDevicesLost();
    static_cast<void>(used.release());
}

// Attributes GPU memory to owners. Each allocation states its purpose; used memory that no
// allocation explains is attributed to the phase of the run in which it appeared. `devices` must
// outlive the ledger. Not thread-safe; empty without GPUs.
class GpuMemoryLedger
{
public:
    // Construct it directly after opening the devices.
    explicit GpuMemoryLedger(const RunDevices& devices);

    // Attributes to `owner` the unexplained memory that appeared since the last call. nullopt
    // leaves this memory without an owner (GpuMemory::differenceShare()).
    void step(std::optional<GpuMemoryOwner> owner);

    // By GPU. `plan` divides the arenas into their contents.
    std::vector<GpuMemory> account(const ExecutionPlan& plan) const;

private:
    struct Entry
    {
        GpuMemory memory;
        Bytes unexplained = 0; // bytes that no allocation explained at the last call
    };
    std::map<int, GpuMemoryUse> readAll() const;

    const RunDevices& m_devices;
    std::map<int, Entry> m_entries; // [GPU]
};

} // namespace engine
