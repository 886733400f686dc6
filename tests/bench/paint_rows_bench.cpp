#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/paint/ruler_painter.h"
#include "app/timeline/widget/timeline_widget.h"
#include "tests/app/gpu_sample.h"
#include "tests/bench/offscreen_qt.h"
#include "tests/support/nccl_run.h"

#include <QImage>
#include <QPainter>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <memory>

// Milliseconds per paint of what stands beside the boxes on 1600 x 900: the NVTX rows of 8 devices,
// their NCCL rows with the waits of the receivers, and the notes of a run.
namespace {

constexpr int kDevices = 8;

struct Setting
{
    std::shared_ptr<const engine::Run> run;
    std::unique_ptr<app::KernelView> kernels;

    app::TimeAxis axis(double share) const
    {
        const engine::Window all = run->timeline.iterations.front().window;
        const auto duration = static_cast<double>(all.duration());
        const double begin = static_cast<double>(all.begin) + duration * (1 - share) / 2;
        return {begin, begin + share * duration, 140, 1336, 1};
    }
};

// One iteration with `microBatches` of them.
std::shared_ptr<const engine::Run> runOf(int microBatches)
{
    return sample::measured({"1f1b", kDevices, microBatches, 1});
}

// Every op is launched, with `calls` of a library one after the other, and a range within each.
engine::GpuTrace marked(const engine::Run& run, int calls)
{
    engine::GpuTrace trace;
    trace.strings = {"cublasGemmEx", "cublasLtMatmul", "cuBLAS"};
    for (const engine::Track& track : run.timeline.tracks) {
        if (track.kind != engine::Track::Kind::Compute)
            continue;
        for (const engine::Span& span : track.spans) {
            const engine::OpOfIteration of{span.op, span.iteration};
            trace.launches.push_back({span.window(), of, 0});
            const std::int64_t each = span.window().duration() / calls;
            for (int call = 0; call < calls; ++call) {
                const std::int64_t begin = span.begin + call * each, tenth = each / 10;
                trace.ranges.push_back({{begin, begin + 9 * tenth}, of, 0, 2, 0, 0, 0, {}, true});
                trace.ranges.push_back(
                    {{begin + tenth, begin + 8 * tenth}, of, 1, 2, 0, 0, 0, {}, true});
            }
        }
    }
    return trace;
}

const Setting& withRanges(std::int64_t ranges)
{
    static std::map<std::int64_t, Setting> settings;
    Setting& setting = settings[ranges];
    if (!setting.kernels) {
        setting.run = runOf(64);
        const engine::GpuTrace trace
            = marked(*setting.run, static_cast<int>(std::max<std::int64_t>(1, ranges / 2 / 1024)));
        setting.kernels = std::make_unique<app::KernelView>(
            *setting.run, profiler::GpuActivity(*setting.run, trace));
    }
    return setting;
}

const Setting& withNccl(std::int64_t messages)
{
    static std::map<std::int64_t, Setting> settings;
    Setting& setting = settings[messages];
    if (!setting.kernels) {
        tests::GpuRun made{*runOf(static_cast<int>(messages / 4 / (kDevices - 1))), {}};
        tests::NcclTraceMaker(made).replaceCopies();
        setting.kernels = std::make_unique<app::KernelView>(
            made.run, profiler::GpuActivity(made.run, made.gpu));
        setting.run = std::make_shared<const engine::Run>(std::move(made.run));
    }
    return setting;
}

void nvtx(benchmark::State& state, double share)
{
    bench::startQt();
    const Setting& setting = withRanges(state.range(0));
    const app::RangeView& ranges = setting.kernels->ranges();
    const app::TimeAxis axis = setting.axis(share);
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    const app::BoxColours colours(theme, 1);
    app::LaneOptions options;
    options.available = kDevices * 110;
    options.ranges = ranges.rows();
    const auto lanes = app::layoutLanes(kDevices, options);
    const app::RunView view(setting.run);
    const auto devices = app::devicesInSight(lanes, 0, 1e9);
    QImage image(1600, static_cast<int>(app::heightOf(lanes)), QImage::Format_RGB32);
    for (auto _ : state) {
        QPainter painter(&image);
        app::paintRanges({painter, view, axis, colours, lanes}, ranges, devices);
    }
    state.counters["ranges"]
        = static_cast<double>(setting.kernels->activity().trace().ranges.size());
}

void nvtxWhole(benchmark::State& state)
{
    nvtx(state, 1);
}

void nvtxCloser(benchmark::State& state)
{
    nvtx(state, 0.01);
}

void ncclWaits(benchmark::State& state, double share)
{
    bench::startQt();
    const Setting& setting = withNccl(state.range(0));
    const app::TimeAxis axis = setting.axis(share);
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    const app::BoxColours colours(theme, 1);
    app::LaneOptions options;
    options.available = kDevices * 110;
    options.kernels = setting.kernels->rows();
    const auto lanes = app::layoutLanes(kDevices, options);
    const app::RunView view(setting.run);
    const auto devices = app::devicesInSight(lanes, 0, 1e9);
    QImage image(1600, static_cast<int>(app::heightOf(lanes)), QImage::Format_RGB32);
    for (auto _ : state) {
        QPainter painter(&image);
        app::paintKernels({painter, view, axis, colours, lanes}, *setting.kernels, devices);
    }
    state.counters["kernels"]
        = static_cast<double>(setting.kernels->activity().trace().kernels.size());
    state.counters["waits"] = setting.kernels->hasWaits();
}

void ncclWhole(benchmark::State& state)
{
    ncclWaits(state, 1);
}

void ncclCloser(benchmark::State& state)
{
    ncclWaits(state, 0.01);
}

void notes(benchmark::State& state)
{
    bench::startQt();
    static const Setting setting{runOf(64), nullptr};
    const app::TimeAxis axis = setting.axis(1);
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    std::vector<engine::Note> all(static_cast<std::size_t>(state.range(0)));
    for (std::size_t k = 0; k < all.size(); ++k) {
        const double at = static_cast<double>(k) / static_cast<double>(all.size());
        const auto time = static_cast<std::int64_t>(axis.begin + at * (axis.end - axis.begin));
        all[k].window = {time, time + 1000};
        all[k].text = "the bubble that the last stage leaves";
    }
    QImage image(1600, 900, QImage::Format_RGB32);
    const app::NoteStrip strip{all, axis, QRectF(140, 0, 1336, 20), 0};
    for (auto _ : state) {
        QPainter painter(&image);
        app::paintNoteFlags(painter, strip, theme);
        app::paintNoteLines(painter, strip, QRectF(140, 20, 1336, 880), theme);
    }
}

} // namespace

BENCHMARK(nvtxWhole)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(nvtxCloser)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(ncclWhole)->Arg(1'000)->Arg(50'000)->Unit(benchmark::kMillisecond);
BENCHMARK(ncclCloser)->Arg(1'000)->Arg(50'000)->Unit(benchmark::kMillisecond);
BENCHMARK(notes)->Arg(10)->Arg(100)->Arg(10'000)->Unit(benchmark::kMillisecond);
