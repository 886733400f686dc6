#pragma once

#include "engine/cost/cost_model.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/simulate.h"
#include "engine/timeline/run.h"
#include "profiler/store/trace_store.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tests {

// BitPipe, D = 4, N = 4, simulated: three iterations of 14 units each.
inline engine::Run simulatedRun(int iterations = 3)
{
    engine::ScheduleRequest request;
    request.microBatches = 4;
    engine::Run run;
    run.schedule = engine::lower(engine::buildSchedule(request).value());
    engine::UnitCosts costs;
    costs.p2p = {1, 4};
    costs.allReduce = {1, 2};
    const auto ops = engine::unitOpCosts(run.schedule, costs).value();
    run.timeline = engine::simulate(run.schedule, ops, {iterations}).value();
    run.info.ticksPerUnit = ops.ticksPerUnit;
    run.info.label = "BitPipe";
    run.info.started = "2026-11-21T03:31:16Z";
    run.info.outcome = engine::Outcome::Finished;
    return run;
}

// The same with every field of info, losses and memory filled, warm-up first and a replay last.
inline engine::Run fullRun()
{
    engine::Run run = simulatedRun(4);
    run.info = {
        {"bitpipe", "BitPipe", "[schedule]\nscheme = \"bitpipe\"\n", "bscope run", "", 1, 2},
        {.hostName = "node17",
         .deviceName = "AMD EPYC, 1 BLAS thread",
         .timing = "thread CPU clock",
         .link = "50 GB/s, 5 µs (assumed)",
         .transport = "",
         .threads = 6,
         .cores = 2,
         .peakFlops = 3.25e11,
         .peakSource = "measured: sgemm of 8 x 8 x 8",
         .machine = {{{1, "NVIDIA H200", "0000:19:00.0", "aa-bb", {{"smCount", 132}}}},
                     {{"nvidia_driver", "580.95.05"}},
                     {{false, true}, {true, false}},
                     {41, 1755, 1965, 1980, 4, ""}}},
        {"tiny", "bf16", 8192, 1.5e12, 2e12, 0.5, 3.5, 1.25},
        {.arenas = {{100, 128, 64}, {200, 256, std::nullopt}}},
        engine::Mode::Emulate,
        engine::Outcome::Cancelled,
        "stopped by the user",
        "2026-11-21T03:31:16Z",
        "0.1.0+abc",
        run.info.ticksPerUnit,
        engine::ImportReport{
            "PyTorch profiler",
            {{0, "a.json", "host a", "NVIDIA H200", 0}, {2, "c.json", "", "", {}}},
            {1},
            "optimizer steps",
            972,
            true,
            5000,
            {{"torch-pp", "PP annotations", "high", 40, 4000},
             {"main-thread", "Launched by another thread", "low", 3, 500}},
            {{"Events that cannot be read", 2, 0}},
            {{"host b", 1284, 3.5, 31, 48}},
            {"1 of 3 ranks have no trace."},
            "rank 1 has no trace",
            false,
            false,
            true,
            false,
            2,
            1,
            0.018,
            {{"torch-pp", "gemm", 0, 1, 0, {10, 40}}, {"", "elementwise", {}, {}, {}, {50, 60}}}}};
    using Kind = engine::Iteration::Kind;
    const Kind kinds[] = {Kind::Warmup, Kind::Measured, Kind::Measured, Kind::Replay};
    const int numbers[] = {0, 0, 1, 0};
    for (std::size_t i = 0; i < 4; ++i) {
        engine::Iteration& iteration = run.timeline.iterations[i];
        iteration.kind = kinds[i];
        iteration.number = numbers[i];
        if (kinds[i] == Kind::Replay)
            continue;
        iteration.loss = 5.5 / (1.0 + static_cast<double>(i));
        iteration.gradientNorm = 2.25 / (1.0 + static_cast<double>(i));
        iteration.microBatchLoss = {5.5F, 5.25F, 0.1F, 1e-30F};
    }
    run.timeline.memory.push_back(
        {0, 1 << 20, engine::MemoryEvent::kNoOp, 3, engine::MemoryCategory::Weights});
    run.timeline.memory.push_back({5, -64, 7, 0, engine::MemoryCategory::Stash});
    run.timeline.memory.push_back({5, 64, 8, 0, engine::MemoryCategory::Buffers});
    return run;
}

} // namespace tests
