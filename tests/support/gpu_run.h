#pragma once

#include "engine/schedule/notation.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"
#include "profiler/store/trace_store.h"
#include "tests/support/pipelines.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

// A run as a machine with four GPUs would record it, made without one: 1F1B, D = 4, N = 8, live,
// with kernels, copies, calls, waits, ranges and clocks. The times are invented, and plausible;
// for tests alone, never to be shown as a measurement.
namespace tests {

struct GpuRun
{
    engine::Run run;
    engine::GpuTrace gpu;
};

// Fills the spans of a run with what a GPU runs for each kind of op: compute on one stream of the
// device, transfers on another.
class GpuTraceMaker
{
public:
    static constexpr std::uint32_t kComputeStream = 7, kCopyStream = 13;
    static constexpr std::int64_t kEarly = 2'000; // ns

    explicit GpuTraceMaker(const engine::Run& run)
        : m_run(run)
        , m_index(run.schedule)
    { }

    engine::GpuTrace make()
    {
        for (int device = 0; device < m_run.schedule.shape.devices; ++device)
            addPlaces(static_cast<std::uint32_t>(device));
        for (const engine::Track& track : m_run.timeline.tracks)
            for (const engine::Span& span : track.spans)
                addSpan(static_cast<std::uint32_t>(track.device.value), span);
        addSamples();
        std::ranges::stable_sort(m_trace.kernels, {}, begin<engine::GpuKernel>);
        std::ranges::stable_sort(m_trace.copies, {}, begin<engine::GpuCopy>);
        std::ranges::stable_sort(m_trace.calls, {}, begin<engine::GpuCall>);
        return std::move(m_trace);
    }

private:
    // A kernel and its share of the op's time, in hundredths.
    struct Part
    {
        const char* name;
        int share;
        engine::GpuKernel shape = {};
    };

    template<class Row>
    static std::int64_t begin(const Row& row)
    {
        return row.window.begin;
    }

    static engine::GpuKernel shaped(int blocks, int threads, std::uint32_t registers, int shared)
    {
        engine::GpuKernel kernel;
        kernel.grid = {blocks, 1, 1};
        kernel.block = {threads, 1, 1};
        kernel.registers = registers;
        kernel.dynamicShared = shared;
        return kernel;
    }

    static std::vector<Part> partsOf(engine::OpKind kind)
    {
        using enum engine::OpKind;
        constexpr const char* kNorm = "_ZN6engine4cuda12_GLOBAL__N_19layerNormIfLi4EEEvPKfPf";
        constexpr const char* kGemm = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64";
        const auto norm = shaped(4096, 128, 40, 0), gemm = shaped(96, 384, 168, 196608),
                   flash = shaped(128, 128, 200, 98304), simple = shaped(2048, 256, 24, 0);
        switch (kind) {
        case Forward:
        case Recompute:
            return {{kNorm, 4, norm},
                    {kGemm, 26, gemm},
                    {"_ZN6engine4cuda12_GLOBAL__N_112flashForwardILi64EEEvPKfPf", 18, flash},
                    {kGemm, 48, gemm}};
        case Backward:
        case BackwardInput:
            return {{kGemm, 45, gemm},
                    {"_ZN6engine4cuda12_GLOBAL__N_113flashBackwardILi64EEEvPKfPf", 25, flash},
                    {kGemm, 20, gemm},
                    {"_ZN6engine4cuda12_GLOBAL__N_117layerNormBackwardIfEEvPKfPf", 6, norm}};
        case BackwardWeight:
            return {{kGemm, 60, gemm}, {kGemm, 36, gemm}};
        case OptimizerStep:
            return {{"_ZN6engine4cuda12_GLOBAL__N_15adamwEPfPKf", 95, simple}};
        default:
            return {};
        }
    }

    void addPlaces(std::uint32_t device)
    {
        const std::uint32_t context = device + 1;
        m_trace.contexts.push_back({context, device, 0, 132, false});
        for (const auto& [stream, name] :
             {std::pair{kComputeStream, "compute"}, std::pair{kCopyStream, "copy"}}) {
            m_trace.streams.push_back({stream, context, 0});
            m_trace.streamNames.push_back(
                {text("device " + std::to_string(device) + ": " + name), stream, context, device});
        }
    }

    void addSpan(std::uint32_t device, const engine::Span& span)
    {
        const engine::Op& op = engine::opAt(m_run.schedule, m_index, span.op);
        const engine::OpOfIteration of{span.op, span.iteration};
        if (span.begin == span.end)
            return;
        std::int64_t at = span.begin;
        for (const Part& part : partsOf(op.kind)) {
            engine::GpuKernel kernel = part.shape;
            kernel.name = text(part.name);
            kernel.of = of;
            kernel.place = launch(device, kComputeStream, of, at, "cudaLaunchKernel_v7000");
            kernel.window = {at, at + span.window().duration() * part.share / 100};
            kernel.gridId = kernel.place.correlation;
            m_trace.kernels.push_back(kernel);
            at = kernel.window.end + 1'000; // the gap between launches
        }
        if (engine::isTransfer(op.kind))
            addTransfer(device, op, span, of);
        // The host launches a transfer while it launches the op before.
        const engine::Window early{span.begin - kEarly, span.begin - kEarly + 1'000};
        m_trace.launches.push_back(
            {engine::isCompute(op.kind) ? span.window() : early, of, 5000 + device});
    }

    void addTransfer(std::uint32_t device, const engine::Op& op, const engine::Span& span,
                     engine::OpOfIteration of)
    {
        const bool isSend
            = op.kind == engine::OpKind::SendActivation || op.kind == engine::OpKind::SendGradient;
        if (!isSend) { // the compute stream waits for what arrives
            const std::uint32_t context = device + 1;
            m_trace.waits.push_back({{span.end - 500, span.end},
                                     {device, context, kComputeStream, ++m_correlation},
                                     2,
                                     m_correlation,
                                     m_correlation});
            return;
        }
        engine::GpuCopy copy;
        copy.window = span.window();
        copy.of = of;
        copy.place
            = launch(device, kCopyStream, of, span.begin - kEarly, "cudaMemcpyPeerAsync_v4000");
        copy.bytes = 1024 * 768 * 2;
        copy.kind = 10;
        copy.sourceMemory = copy.targetMemory = 3;
        copy.sourceDevice = device;
        copy.targetDevice = op.peer;
        m_trace.copies.push_back(copy);
    }

    // The call that starts something at `time`, a few microseconds before it, within the op.
    engine::GpuPlace launch(std::uint32_t device, std::uint32_t stream, engine::OpOfIteration of,
                            std::int64_t time, const char* name)
    {
        engine::GpuCall call;
        call.window = {time, time + 800};
        call.of = of;
        call.name = text(name);
        call.thread = 5000 + device;
        call.correlation = ++m_correlation;
        m_trace.calls.push_back(call);
        return {device, device + 1, stream, call.correlation};
    }

    // Ten times a millisecond here, since the whole run takes a few.
    void addSamples()
    {
        constexpr std::int64_t kEvery = 100'000;
        const engine::Window extent = m_run.timeline.extent();
        std::uint32_t step = 0;
        for (std::int64_t time = extent.begin; time < extent.end; time += kEvery, ++step)
            for (int device = 0; device < m_run.schedule.shape.devices; ++device)
                m_trace.samples.push_back(
                    {time, static_cast<std::uint32_t>(device), 1980 - 15 * (step % 16), 2619,
                     412'000 + 1'000 * step, 55 + step / 20,
                     step % 16 == 15 ? static_cast<std::uint64_t>(engine::Throttle::PowerCap) : 0});
    }

    std::uint32_t text(const std::string& value)
    {
        const auto found = std::ranges::find(m_trace.strings, value);
        const auto at = static_cast<std::uint32_t>(found - m_trace.strings.begin());
        if (found == m_trace.strings.end())
            m_trace.strings.push_back(value);
        return at;
    }

    const engine::Run& m_run;
    engine::OpIndex m_index;
    engine::GpuTrace m_trace;
    std::uint32_t m_correlation = 0;
};

// F 300 us, B 600 us, a message 20 us.
inline GpuRun gpuRun(const std::string& scheme = "1f1b", int iterations = 2)
{
    GpuRun made;
    engine::UnitCosts units;
    units.p2p = {1, 15};
    units.optimizer = {1, 2};
    units.allReduce = {1, 4};
    made.run.schedule = engine::lower(scheduleOf(scheme, 4, 8));
    engine::OpCosts costs = costsOf(made.run.schedule, units);
    for (auto& device : costs.of)
        for (auto& cost : device)
            cost.duration = cost.duration * 300'000 / costs.ticksPerUnit;
    costs.ticksPerUnit = 1;
    auto timeline = engine::simulate(made.run.schedule, costs, {iterations});
    REQUIRE(timeline);
    made.run.timeline = *std::move(timeline);
    engine::RunInfo& info = made.run.info;
    info.scheme = scheme;
    info.label = engine::findScheme(scheme)->title;
    info.mode = engine::Mode::Live;
    info.outcome = engine::Outcome::Finished;
    info.started = "2026-11-21T20:00:00Z";
    info.deviceName = "a GPU that tests made up";
    info.timing = "CUDA events; kernels by CUPTI 130001";
    info.model = "gpt2-124m";
    info.plannedIterations = iterations;
    for (int device = 0; device < 4; ++device)
        info.machine.gpus.push_back({device,
                                     "a GPU that tests made up",
                                     "0000:0" + std::to_string(device) + ":00.0",
                                     "uuid " + std::to_string(device),
                                     {{"smCount", 132}, {"computeMajor", 9}, {"computeMinor", 0}}});
    info.machine.settings = {{"cuda_driver", "13.0"}, {"tf32", "off"}};
    info.machine.peers.assign(4, std::vector<bool>(4, true));
    made.gpu = GpuTraceMaker(made.run).make();
    info.machine.clocks = {static_cast<std::int64_t>(made.gpu.samples.size()),     1755, 1875, 1980,
                           static_cast<std::uint64_t>(engine::Throttle::PowerCap), ""};
    return made;
}

// The same, emulated: the host launched each op within its span.
inline GpuRun emulatedGpuRun()
{
    GpuRun made = gpuRun();
    made.run.info.mode = engine::Mode::Emulate;
    made.gpu.launches.clear();
    const engine::OpIndex index(made.run.schedule);
    for (engine::GpuCall& call : made.gpu.calls)
        if (!engine::isCompute(engine::opAt(made.run.schedule, index, call.of.op).kind)) {
            call.window.begin += GpuTraceMaker::kEarly;
            call.window.end += GpuTraceMaker::kEarly;
        }
    return made;
}

// Into a file, as `bscope run --trace kernels` writes it.
inline void writeGpuRun(const std::filesystem::path& file, const GpuRun& made)
{
    auto writer = profiler::TraceWriter::create(file, made.run.info, made.run.schedule);
    REQUIRE(writer);
    profiler::Batch batch = profiler::batchOf(made.run.timeline, 0, 0);
    batch.gpu = made.gpu;
    writer->append(std::move(batch));
    REQUIRE(writer->finish(engine::Outcome::Finished));
}

} // namespace tests
