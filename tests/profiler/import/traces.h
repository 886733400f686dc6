#pragma once

#include "engine/cost/cost_model.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/simulate.h"
#include "engine/timeline/run.h"
#include "profiler/import/import.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

// Traces as PyTorch's profiler writes them, of simulated runs.
namespace tests {

inline engine::Run simulatedRun(const engine::ScheduleRequest& request, int iterations = 2)
{
    engine::Run run;
    run.schedule = engine::lower(engine::buildSchedule(request).value());
    engine::UnitCosts costs;
    costs.p2p = {1, 4};
    const auto resolved
        = engine::resolved(run.schedule, engine::unitPrices(run.schedule.shape, costs).value());
    run.timeline
        = engine::simulate(run.schedule, resolved.value(), {.iterations = iterations}).value();
    run.info.ticksPerUnit = resolved->ticksPerUnit;
    return run;
}
inline engine::Run simulatedRun(const std::string& scheme, int devices, int microBatches,
                                int iterations = 2)
{
    engine::ScheduleRequest request;
    request.scheme = scheme;
    request.devices = devices;
    request.microBatches = microBatches;
    return simulatedRun(request, iterations);
}

struct TorchTraceOptions
{
    std::string host = "host a";
    std::int64_t base = 1790857026000000000; // baseTimeNanoseconds
    bool steps = true;                       // with ProfilerStep annotations
    std::string kit = "{}";                  // what train.py adds
    bool onGpu = false; // kernels, launched a ms before; backward from another thread
    // Copies of the pipeline: rank = copy + copies * device. With more than one, messages on a GPU
    // state their other rank and their process group: that of the pipeline or of all ranks.
    int copies = 1, copy = 0;
    std::function<bool(const engine::Op&)> inGroupOfAll = [](const engine::Op&) { return false; };
    std::string groups = "[]"; // pg_config
    // Forward ops and a frame of torch/utils/checkpoint.py run in the second of three equal parts
    // of every backward.
    bool recomputes = false;
    // The name of the annotation of an op; "" for none.
    std::function<std::string(const engine::Op&)> name
        = [](const engine::Op& op) { return "PP:" + engine::toString(op); };
};

// The events of one rank. A tick is a microsecond.
class TorchTrace
{
public:
    TorchTrace(const engine::Run& run, int rank, TorchTraceOptions options)
        : m_run(run)
        , m_rank(rank)
        , m_options(std::move(options))
    { }

    std::string text()
    {
        const engine::OpIndex index(m_run.schedule);
        if (m_options.steps)
            for (const engine::Iteration& iteration : m_run.timeline.iterations)
                add("user_annotation", fmt::format("ProfilerStep#{}", iteration.number),
                    {1000 * iteration.window.begin - 950, 1000 * iteration.window.end - 960});
        for (const engine::Track& track : m_run.timeline.tracks)
            if (track.device.value == m_rank)
                for (const engine::Span& span : track.spans)
                    addOp(engine::opAt(m_run.schedule, index, span.op), span.window());
        return fmt::format(
            R"({{"schemaVersion":1,"deviceProperties":{},)"
            R"("distributedInfo":{{"backend":"nccl","rank":{},"world_size":{},"pg_config":{}}},)"
            R"("bubblescope_kit":{},"host_name":"{}","baseTimeNanoseconds":{},"traceEvents":[{}]}})",
            m_options.onGpu ? R"([{"id":0,"name":"NVIDIA H100"}])" : "[]", rankOf(m_rank),
            m_options.copies * m_run.schedule.shape.devices, m_options.groups, m_options.kit,
            m_options.host, m_options.base, m_events);
    }

private:
    // `window` is in ns.
    void add(const std::string& category, const std::string& name, engine::Window window,
             const std::string& rest = R"("pid":7,"tid":7)")
    {
        constexpr std::int64_t kFirst = 10'000'000;
        const std::int64_t begin = window.begin + kFirst, length = window.duration();
        m_events += fmt::format(
            R"({}{{"ph":"X","cat":"{}","name":"{}","ts":{}.{:03},"dur":{}.{:03},{}}})",
            m_events.empty() ? "" : ",\n", category, name, begin / 1000, begin % 1000,
            length / 1000, length % 1000, rest);
    }

    int rankOf(int device) const { return m_options.copy + m_options.copies * device; }

    // The arguments of a message's kernel.
    std::string message(const engine::Op& op) const
    {
        if (m_options.copies == 1 || !engine::isTransfer(op.kind))
            return "";
        const bool sends
            = op.kind == engine::OpKind::SendActivation || op.kind == engine::OpKind::SendGradient;
        const bool inGroupOfAll = m_options.inGroupOfAll(op);
        const int first = inGroupOfAll ? 0 : m_options.copy;
        const int step = inGroupOfAll ? 1 : m_options.copies;
        const int ranks = m_options.copies * m_run.schedule.shape.devices;
        std::string group;
        for (int rank = first; rank < ranks; rank += step)
            group += fmt::format("{}{}", group.empty() ? "" : ", ", rank);
        return fmt::format(R"(,"Collective name":"{}","Process Group Ranks":"[{}]","{} Rank":{})",
                           sends ? "send" : "recv", group, sends ? "Dst" : "Src", rankOf(op.peer));
    }

    void addOp(const engine::Op& op, engine::Window ticks)
    {
        const std::string name = m_options.name(op);
        const engine::Window window{1000 * ticks.begin, 1000 * ticks.end};
        if (m_options.onGpu) {
            // No two ranges on the host overlap.
            const std::int64_t launch = window.begin - 900 + 3 * (m_launches++ % 250);
            if (!name.empty())
                add("user_annotation", name, {launch, launch + 2});
            if (window.duration() > 0)
                addKernel(op, window, {launch + 1, launch + 2});
            return;
        }
        if (name.empty() || window.duration() == 0)
            return;
        add("user_annotation", name, window);
        if (engine::isCompute(op.kind))
            add("cpu_op", "aten::addmm", window);
        if (m_options.recomputes && engine::isBackward(op.kind))
            addRecomputation(
                {window.begin + window.duration() / 3, window.begin + 2 * window.duration() / 3},
                R"("pid":7,"tid":7)");
    }

    // A kernel in the second third of a backward, launched before its others.
    void addRecomputed(engine::Window window, engine::Window launch)
    {
        const std::int64_t third = window.duration() / 3;
        add("cpu_op", "aten::linear", launch, R"("pid":7,"tid":8)");
        add("cuda_runtime", "cudaLaunchKernel", {launch.begin, launch.begin + 2000},
            fmt::format(R"("pid":7,"tid":8,"args":{{"correlation":{}}})", 100'000 + m_correlation));
        add("kernel", "gemm", {window.begin + third, window.begin + 2 * third},
            fmt::format(R"("pid":0,"tid":7,"args":{{"device":0,"context":1,"stream":7,)"
                        R"("correlation":{},"grid":[8,1,2],"block":[64,1,1]}})",
                        100'000 + m_correlation));
    }

    // aten::linear takes half of the frame.
    void addRecomputation(engine::Window window, const std::string& thread)
    {
        add("cpu_op", "aten::linear", {window.begin, window.begin + window.duration() / 2}, thread);
        add("python_function", "torch/utils/checkpoint.py(1116): unpack_hook", window, thread);
    }

    void addKernel(const engine::Op& op, engine::Window window, engine::Window launch)
    {
        ++m_correlation;
        const bool isBackward = engine::isBackward(op.kind);
        const int thread = isBackward ? 8 : 7;
        if (isBackward && m_options.recomputes)
            addRecomputed(window, {launch.begin - 1, launch.begin});
        if (isBackward)
            add("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", launch,
                R"("pid":7,"tid":8)");
        add("cuda_runtime", "cudaLaunchKernel", {launch.begin, launch.begin + 2000},
            fmt::format(R"("pid":7,"tid":{},"args":{{"correlation":{}}})", thread, m_correlation));
        const bool isCompute = engine::isCompute(op.kind);
        add("kernel", isCompute ? "gemm" : "ncclDevKernel_SendRecv(ncclDevKernelArgs)", window,
            fmt::format(R"("pid":0,"tid":{0},"args":{{"device":0,"context":1,"stream":{0},)"
                        R"("correlation":{1},"grid":[8,1,2],"block":[64,1,1]{2}}})",
                        isCompute ? 7 : 9, m_correlation, message(op)));
    }

    const engine::Run& m_run;
    int m_rank;
    TorchTraceOptions m_options;
    std::string m_events;
    int m_correlation = 0, m_launches = 0;
};

inline void writeText(const std::filesystem::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::binary) << text;
}

// Writes rank<r>.json of all devices but `missing`.
inline void writeTorchTraces(const std::filesystem::path& folder, const engine::Run& run,
                             const TorchTraceOptions& options = {}, int missing = -1)
{
    for (int rank = 0; rank < run.schedule.shape.devices; ++rank)
        if (rank != missing)
            writeText(folder / fmt::format("rank{}.json", options.copy + options.copies * rank),
                      TorchTrace(run, rank, options).text());
}

inline profiler::ImportedRun imported(const TemporaryFolder& folder)
{
    auto result = profiler::importTraces({folder.path()}, profiler::Rules::shipped());
    INFO((result ? "" : result.error().message));
    REQUIRE(result);
    return *std::move(result);
}

// The compute ops of each device in order.
inline std::vector<std::vector<std::string>> orderOf(const engine::Schedule& schedule)
{
    std::vector<std::vector<std::string>> order;
    for (const auto& program : schedule.program) {
        order.emplace_back();
        for (const engine::Op& op : program)
            if (op.kind == engine::OpKind::Forward || engine::isBackward(op.kind))
                order.back().push_back(engine::toString(op));
    }
    return order;
}

} // namespace tests
