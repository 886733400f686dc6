#pragma once

#include "engine/base/try.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"
#include "profiler/store/table.h"

// The rows of BS_metric. Each has a name, a unit, a meaning and a field. A field that is empty or 0
// is unknown, and its row is not written.

namespace profiler {

struct MetricText
{
    std::string_view name, unit, meaning = {};
};

void clockMetrics(auto& clocks, auto&& metric)
{
    metric({"clock_samples", "", "samples at which a GPU was not idle"}, clocks.samples);
    metric({"sm_clock_least", "MHz", "lowest SM clock of these samples"}, clocks.least);
    metric({"sm_clock_median", "MHz", "median SM clock of these samples"}, clocks.median);
    metric({"sm_clock_most", "MHz", "highest SM clock of these samples"}, clocks.most);
    metric({"throttle", "", "throttle reasons in these samples, as in `BS_gpu_sample.throttle`"},
           clocks.throttle);
    metric({"clocks_missing", "", "why clocks are unknown"}, clocks.reason);
}

void runMetrics(auto& run, auto&& metric)
{
    metric({"tokens_per_iteration", "tokens", ""}, run.tokensPerIteration);
    metric({"flops_per_iteration", "FLOP", "model FLOPs"}, run.flopsPerIteration);
    metric({"executed_flops", "FLOP", "per iteration, including recomputation"}, run.executedFlops);
    metric({"peak_flops", "FLOP/s", "peak of one device"}, run.peakFlops);
    metric({"peak_source", "", "how the peak was measured"}, run.peakSource);
    metric({"device_memory", "bytes", "memory of a device of the assumed hardware; 0: unknown"},
           run.memory.bytes);
    metric({"reserve", "%", "part of `device_memory` that is kept free"}, run.memory.reserve);
    metric({"recompute_keeps", "M_a", "share of an activation that is kept until it is recomputed"},
           run.recomputeKeeps);
    metric({"transport", "", "transport between GPUs: `local`, `peer`, `nccl`, `local, peer`"},
           run.transport);
    metric({"precision", "", "`fp32 bf16 tf32`"}, run.precision);
    metric({"threads", "", "threads of a live run; oversubscribed if more than `cores`"},
           run.threads);
    metric({"cores", "", "cores of the machine"}, run.cores);
    metric({"unigram_entropy", "nats/token", "unigram entropy of the training text"},
           run.unigramEntropy);
    metric({"entropy_rate", "nats/token", "entropy rate of the training text"}, run.entropyRate);
    metric({"iteration_alone", "ns", "duration of an iteration emulated from ops that ran alone"},
           run.iterationAlone);
    metric({"graph_ops", "", "ops launched as CUDA graphs"}, run.graphOps);
    metric({"cpu_share", "",
            "live on the CPU: CPU time / wall time of the measured ops; below 0.9: disturbed"},
           run.cpuShare);
    metric({"other_load", "cores", "used by other processes while the iterations were measured"},
           run.otherLoad);
    metric({"session", "", "runs of one session took turns on the machine"}, run.session);
    metric({"rounds", "", "number of turns of each run of the session"}, run.rounds);
    metric({"nvtx_grammar", "", "names of NVTX ranges, if not `PP:2F0`: `sail-sg`"},
           run.nvtxGrammar);
    clockMetrics(run.machine.clocks, metric);
}

// The numbers of missing records. Their rows are written even if all are 0, to state that the trace
// is complete.
void healthMetrics(auto& health, auto&& metric)
{
    metric({"gpu_records_dropped", "", "records lost by the tracer"}, health.dropped);
    metric({"gpu_kernels_without_op", "", "kernels that belong to no op"}, health.withoutOp);
    metric({"gpu_kernels_without_time", "", "kernels without a time stamp"}, health.withoutTime);
    metric({"gpu_records_unknown", "", "records of an unknown kind"}, health.unknown);
    metric({"gpu_buffers_declined", "", "buffers that could not be allocated"},
           health.declinedBuffers);
}

// Writes metrics. `visit(metric)` must call `metric(text, value)` for each metric. Values that are
// 0 or empty are not written.
engine::Result<void> writeMetrics(Database& database, auto&& visit)
{
    auto insert
        = TRY(database.prepare("INSERT INTO BS_metric (name, value, unit) VALUES (?, ?, ?)"));
    engine::Result<void> done;
    visit([&]<class T>(const MetricText& text, const T& value) {
        if (value != T{} && done)
            done = insert.run(text.name, value, text.unit);
    });
    return done;
}

// Calls `use(name, row)` for each row; column 1 of `row` is the value.
engine::Result<void> forEachMetric(Database& database, auto&& use)
{
    return database.forEach(
        "SELECT name, value FROM BS_metric", [&](const Statement& row) -> engine::Result<void> {
            if (!use(row.text(0), row))
                return tl::unexpected(database.damaged(fmt::format("BS_metric, {}", row.text(0))));
            return {};
        });
}

} // namespace profiler
