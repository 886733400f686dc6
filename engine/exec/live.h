#pragma once

#include "engine/exec/executor.h"
#include "engine/exec/patience.h"
#include "engine/exec/worker.h"
#include "engine/schedule/schedule.h"
#include "engine/sim/track_writer.h"
#include "engine/timeline/run.h"
#include "engine/timeline/timeline.h"

#include <span>
#include <vector>

namespace engine {

// Compares the duration of each op in an iteration whose ops ran alone with the op's median
// duration while other devices were busy. `lowered` must outlive the meter.
class InterferenceMeter
{
public:
    explicit InterferenceMeter(const Schedule& lowered);

    // Replaces the durations of the previous call of addAlone().
    void addAlone(std::span<const OpTiming> iteration);
    void addBeside(std::span<const OpTiming> iteration);

    // In the order of OpKind. Empty until an op that ran alone and one that ran concurrently are
    // recorded.
    std::vector<Interference> result() const;

private:
    const Schedule& m_lowered;
    std::vector<std::int64_t> m_alone;                   // [OpIndex] ns; 0: not measured
    std::vector<std::vector<std::int64_t>> m_concurrent; // [OpIndex][iteration]
};

// Live mode: one thread per device, all running concurrently on the wall clock. With data
// parallelism there are threads for the devices of all pipelines, and the timeline shows the first
// pipeline. Each thread executes its own program and waits only for its inputs (transport.h); there
// is no scheduler and no lock within an iteration. On GPUs the threads only queue work; the GPUs
// wait for the inputs and measure the times. The thread that calls iterate() monitors these
// threads. If devices share a GPU, that thread executes the ops of the warm-up itself, one at a
// time, to measure them without interference.
class Live final : public Executor
{
public:
    // Has the same requirements as Emulation::Emulation().
    Live(const ExecutorSetup& setup, Run& run);
    ~Live() override;

    Result<void> iterate(Iteration iteration, TokenBatches& tokens, const Progress& progress,
                         const std::atomic<bool>& cancel) override;
    void addTo(RunInfo& info) const override;
    std::span<const OpTiming> timings() const override { return m_timings; }
    Pipeline& pipeline() override { return m_pipeline; }
    std::vector<std::uint32_t> positions() const override;

    bool devicesAreLost() const override { return m_devicesAreLost; }
    std::size_t threads() const override { return m_workers.size() + m_pipeline.sideThreads(); }

private:
    bool isOnGpu() const
    {
        return m_setup.pipeline.device != nullptr || !m_setup.pipeline.executorDevices.empty();
    }
    bool runsAlone(const Iteration& iteration) const;
    Result<void> runAlone(const Progress& progress, const std::atomic<bool>& cancel);
    void placeAlone();
    Result<void> runTogether(const Progress& progress, const std::atomic<bool>& cancel);
    Result<void> watch(const Progress& progress, const std::atomic<bool>& cancel);
    std::optional<std::string> fault();
    std::string judge(Watchdog& watchdog, std::int64_t now);
    bool insist(std::int64_t since, bool isCertain);
    Result<void> outcome(const std::string& why);
    std::size_t opsDone() const;
    std::size_t opsToDo() const;
    void stop();
    void place(Iteration iteration);
    void addShare();
    void placeDevice(const Worker& worker, std::uint32_t number, sim::TrackWriter& tracks,
                     Window& window);

    ExecutorSetup m_setup;
    Run& m_run;
    Pipeline m_pipeline;
    IterationEnd m_end;
    // The workers of all data-parallel pipelines.
    IdVector<DeviceId, std::unique_ptr<Worker>> m_workers;
    std::vector<OpTiming> m_timings;
    // [device] The number of complete ops, in an iteration whose ops run alone. Empty in other
    // iterations.
    std::vector<std::uint32_t> m_alone;
    bool m_devicesAreLost = false;
    InterferenceMeter m_interference;
    std::int64_t m_iterationAlone = 0; // duration of an iteration whose ops ran alone, in ns
    std::int64_t m_origin = -1;        // start of the timeline on the wall clock
    // CPU time and wall time of the ops of the measured iterations, in ns; 0 on GPUs.
    std::int64_t m_cpuTime = 0, m_opWallTime = 0;
};

} // namespace engine
