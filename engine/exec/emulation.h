#pragma once

#include "engine/exec/executor.h"
#include "engine/exec/op_costs.h"
#include "engine/exec/queued_ops.h"

namespace engine {

// Emulate mode: one thread executes D devices. The order of an iteration is fixed before it starts;
// each op runs alone and is timed. Then the simulator places the iteration with the measured
// durations. On a GPU a few ops are queued ahead of the running one.
class Emulation final : public Executor
{
public:
    // The number of compute ops queued on a GPU at the same time: enough to leave no gaps between
    // ops, and few enough that the driver does not block the host.
    static constexpr std::size_t kAhead = 8;

    // Executes `run.schedule` and appends to `run.timeline`. `run` and all objects that `setup`
    // refers to must outlive the executor. Throws std::bad_alloc.
    Emulation(const ExecutorSetup& setup, Run& run);

    Result<void> iterate(Iteration iteration, TokenBatches& tokens, const Progress& progress,
                         const std::atomic<bool>& cancel) override;
    // Adds the iteration of typical ops (Replay) to the timeline, simulated with the median op
    // times. Does nothing without a measured iteration, and if the schedule is a stream
    // (Shape::windows > 1), whose ops run only once.
    Result<void> finish() override;

    void addTo(RunInfo& info) const override { info.graphOps = m_ops.graphs(); }
    bool devicesAreLost() const override { return m_deviceIsLost; }
    std::span<const OpTiming> timings() const override { return m_timings; }
    Pipeline& pipeline() override { return m_pipeline; }
    std::vector<std::uint32_t> positions() const override { return m_positions; }

private:
    Result<void> runOps(const std::vector<OpRef>& order, const Progress& progress,
                        const std::atomic<bool>& cancel);
    void runOp(OpRef ref);
    void runCopies(OpRef ref);
    OpTiming timed(OpRef ref);
    Result<void> fault(const std::vector<OpRef>& order, OpRef ref, const std::exception& error);
    void awaitOldest();
    void awaitQueue(const char* what);
    // Waits for GPU work that took `before` ns in an earlier iteration. Throws EndlessOp, whose
    // message names the work (`what`), if the work does not end in time.
    template<class HasPassed>
    void await(HasPassed hasPassed, std::int64_t before, const char* what) const;
    void takeTimes(const std::vector<OpRef>& order);
    Result<void> checkClock() const;
    std::int64_t& duration(OpRef ref);
    Result<void> place(const OpCosts& costs, Iteration iteration);
    OpCosts medianCosts() const;

    ExecutorSetup m_setup;
    Run& m_run;
    Pipeline m_pipeline;
    std::int64_t m_clockCost = 0; // cost of reading the clock, in ns
    OpCosts m_costs; // measured in the previous iteration, or estimated before the first
    std::vector<OpTiming> m_timings;
    std::vector<std::uint32_t> m_positions; // [device] number of complete ops of this iteration
    const Device* m_gpu;                    // nullptr: ops run on the CPU
    std::unique_ptr<DeviceEvent> m_fence;
    QueuedOps m_ops; // [OpIndex]
    bool m_deviceIsLost = false;
    std::vector<std::vector<std::int64_t>> m_measured; // [iteration][OpIndex], ns
};

} // namespace engine
