#pragma once

#include "app/timeline/view/kernel_view.h"
#include "tests/app/sample_run.h"

#include <array>
#include <memory>

// Kernels for runs that only tests know: every op of one iteration launches what an op of its kind
// would, with gaps between, on the streams that a GPU would use.
namespace sample {

struct LaunchWish
{
    int layers = 3;           // rounds of kernels an op
    std::int64_t gap = 4'000; // ns after each
    int iteration = 0;        // index
};

inline void addCall(engine::GpuTrace& trace, const engine::GpuPlace& place,
                    engine::OpOfIteration of, std::int64_t start)
{
    engine::GpuCall call;
    call.window = {start - 6'000, start - 1'000};
    call.correlation = place.correlation;
    call.of = of;
    trace.calls.push_back(call);
}

// norm, QKV, attention, projection, GELU: shares of a round.
inline void addRound(engine::GpuTrace& trace, const engine::Span& span, engine::Window round,
                     std::int64_t gap)
{
    constexpr std::array<std::pair<std::uint32_t, double>, 5> kParts{
        {{1, 0.08}, {0, 0.34}, {2, 0.3}, {0, 0.2}, {3, 0.08}}};
    double begin = static_cast<double>(round.begin);
    for (const auto& [name, share] : kParts) {
        const double time = share * static_cast<double>(round.duration());
        engine::GpuKernel kernel;
        kernel.window
            = {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(begin + time) - gap};
        kernel.place = {0, 1, 7, static_cast<std::uint32_t>(trace.kernels.size()) + 1};
        kernel.of = {span.op, span.iteration};
        kernel.name = name;
        kernel.grid = {132, 16, 1};
        kernel.block = {384, 1, 1};
        kernel.registers = 168;
        kernel.dynamicShared = 96 * 1024;
        addCall(trace, kernel.place, kernel.of, kernel.window.begin);
        if (kernel.window.duration() > 0)
            trace.kernels.push_back(kernel);
        begin += time;
    }
}

inline engine::GpuTrace launches(const engine::Run& run, const LaunchWish& wish = {})
{
    engine::GpuTrace trace;
    trace.strings = {"nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT",
                     "_ZN6engine4cuda12_GLOBAL__N_111forwardRowsILi32EEEvNS_9LayerNormIfEE",
                     "_ZN6engine4cuda16flashForwardRowsILi64EEEvi",
                     "_ZN6engine4cuda8eachPackILi4ENS0_4GeluEEEvmT0_",
                     "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"};
    for (const auto& track : run.timeline.tracks) {
        for (const auto& span : track.spans) {
            if (static_cast<int>(span.iteration) != wish.iteration || span.end <= span.begin)
                continue;
            const std::int64_t time = span.end - span.begin;
            if (track.kind == engine::Track::Kind::Compute)
                for (int k = 0; k < wish.layers; ++k)
                    addRound(trace, span,
                             {span.begin + time * k / wish.layers,
                              span.begin + time * (k + 1) / wish.layers},
                             wish.gap);
            if (track.kind == engine::Track::Kind::Send) {
                engine::GpuCopy copy;
                copy.window = span.window();
                copy.place = {0, 1, 8, static_cast<std::uint32_t>(trace.copies.size()) + 1'000'000};
                copy.of = {span.op, span.iteration};
                copy.bytes = 16 << 20;
                copy.kind = 10;
                trace.copies.push_back(copy);
            }
            if (track.kind == engine::Track::Kind::AllReduce) {
                engine::GpuKernel reduce;
                reduce.window = span.window();
                reduce.place
                    = {0, 1, 9, static_cast<std::uint32_t>(trace.kernels.size()) + 2'000'000};
                reduce.of = {span.op, span.iteration};
                reduce.name = 4;
                trace.kernels.push_back(reduce);
            }
        }
    }
    return trace;
}

inline std::shared_ptr<const app::KernelView> kernels(const engine::Run& run,
                                                      const LaunchWish& wish = {})
{
    return std::make_shared<const app::KernelView>(run,
                                                   profiler::GpuActivity(run, launches(run, wish)));
}

} // namespace sample
