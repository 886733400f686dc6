#pragma once

#include "engine/exec/executor.h"
#include "engine/exec/op_costs.h"
#include "engine/exec/run_experiment.h"
#include "engine/model/text_data.h"
#include "engine/pipeline/gpu_memory_ledger.h"
#include "engine/pipeline/run_devices.h"
#include "engine/plan/pass_spec.h"

namespace engine {

// Trains an experiment on open devices. It owns everything that its executor and threads refer to.
// Not thread-safe.
class TrainingRun
{
public:
    struct Setup
    {
        Experiment experiment;
        RunDevices on;
        Schedule schedule; // the lowered schedule
        PassSpec pass;
        TextData data;
        RunObserver observer;
    };
    explicit TrainingRun(Setup setup);

    // Plans and allocates the memory, then reports the start to the observer. Fails with
    // Error::Code::Device if there is not enough memory. Throws std::bad_alloc.
    Result<void> prepare();
    // Runs warm-up, measured and median iterations, and always reports the end to the observer.
    // After a cancellation the complete iterations are kept; a cancelled stream has none.
    Result<void> train(const std::atomic<bool>& cancel);

    Run takeRun() { return std::move(m_run); }
    // Call it after an error. If true, this object must not be destroyed
    // (Executor::devicesAreLost).
    bool devicesAreLost() const { return m_executor != nullptr && m_executor->devicesAreLost(); }

private:
    void makeExecutor(EmulatedLinks links);
    void describe();
    Result<void> iterateAll(const std::atomic<bool>& cancel);
    Iteration iteration(int k) const;
    Result<void> tell();
    void account();
    void countTouched();

    Setup m_setup;
    Run m_run;
    MemorySpaces m_spaces; // memory that was free before the allocation
    GpuMemoryLedger m_ledger;
    std::unique_ptr<const PipelineModel<float>> m_model;
    ExecutionPlan m_plan;
    Models m_models;
    std::unique_ptr<Executor> m_executor; // last member: uses the other members
    std::size_t m_memoryReported = 0;
};

} // namespace engine
