#pragma once

#include "engine/exec/executor.h"
#include "engine/exec/worker.h"
#include "engine/sim/track_writer.h"

#include <chrono>

namespace engine {

// Live mode on the CPU: one thread a device, all at the same time, on the wall clock. Each works
// through its own program and waits only for what it consumes (transport.h); no scheduler, and no
// lock within an iteration. The thread that calls iterate() watches.
class Live final : public Executor
{
public:
    struct Setup
    {
        Pipeline::Setup pipeline;
        // When nothing has moved for so long while everybody waits, the run is at an end.
        std::chrono::milliseconds patience{5000};
    };
    // As of Emulation.
    Live(const Setup& setup, Run& run);
    ~Live() override;

    Result<void> iterate(Iteration iteration, TokenBatches& tokens, const Progress& progress,
                         const std::atomic<bool>& cancel) override;
    std::span<const OpTiming> timings() const override { return m_timings; }
    Pipeline& pipeline() override { return m_pipeline; }

    std::size_t threads() const override { return m_workers.size() + m_pipeline.sideLanes(); }

private:
    Result<void> watch(const Progress& progress, const std::atomic<bool>& cancel);
    std::size_t opsDone() const;
    bool allWait() const;
    std::string standstill();
    std::string failure() const;
    void stop();
    void place(Iteration iteration);
    void placeDevice(const Worker& worker, std::uint32_t number, sim::TrackWriter& tracks,
                     Window& window);

    Setup m_setup;
    Run& m_run;
    Pipeline m_pipeline;
    IterationEnd m_end;
    std::vector<std::unique_ptr<Worker>> m_workers; // [device]
    std::vector<OpTiming> m_timings;
    std::int64_t m_origin = -1; // of the timeline, on the wall clock
};

} // namespace engine
