#include "app/timeline/paint/lane_painter.h"
#include "tests/app/gpu_sample.h"
#include "tests/bench/offscreen_qt.h"

#include <QImage>
#include <QPainter>

#include <benchmark/benchmark.h>

#include <map>

// Milliseconds per paint of 32 lanes on 1600 x 900, all lanes with their sub-lanes, by spans in the
// run and by how much of it is in sight. What TimelineWidget does when the view changes; while it
// stands, a picture is copied.
namespace {

std::size_t spansOf(const engine::Run& run)
{
    std::size_t count = 0;
    for (const auto& track : run.timeline.tracks)
        count += track.spans.size();
    return count;
}

const app::RunView& viewOf(std::int64_t spans)
{
    static std::map<std::int64_t, std::unique_ptr<app::RunView>> views;
    auto& view = views[spans];
    if (!view) {
        const auto one = spansOf(*sample::units({"1f1b", 32, 64, 1}));
        const auto iterations = std::max<std::int64_t>(1, spans / static_cast<std::int64_t>(one));
        view = std::make_unique<app::RunView>(
            sample::units({"1f1b", 32, 64, static_cast<int>(iterations)}));
    }
    return *view;
}

void paint(benchmark::State& state, double share, double laneHeight)
{
    bench::startQt();
    const app::RunView& view = viewOf(state.range(0));
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    const app::BoxColours colours(theme, 1);
    const auto extent = view.extent();
    const double begin = static_cast<double>(extent.duration()) / 3;
    const app::TimeAxis axis{begin, begin + share * static_cast<double>(extent.duration()), 140,
                             1336, 1};
    const auto lanes = app::layoutLanes(32, {laneHeight * 32, 42, {}});
    const auto devices = app::devicesInSight(lanes, 0, 1e9);
    QImage image(1600, static_cast<int>(app::heightOf(lanes)), QImage::Format_RGB32);
    for (auto _ : state) {
        QPainter painter(&image);
        app::paintLanes({painter, view, axis, colours, lanes}, devices, -1, {});
    }
    state.counters["spans"] = static_cast<double>(spansOf(view.run()));
}

void whole(benchmark::State& state)
{
    paint(state, 0.66, 23);
}

void wholeWithSublanes(benchmark::State& state)
{
    paint(state, 0.66, 138);
}

void closer(benchmark::State& state)
{
    paint(state, 0.01, 23);
}

// Kernels under every op of an iteration of 8 devices, by their number: the whole of it, and a
// hundredth.
void kernels(benchmark::State& state, double share)
{
    bench::startQt();
    const auto run = sample::measured({"1f1b", 8, 32, 1});
    const auto view = sample::kernels(*run, {static_cast<int>(state.range(0) / 5 / 520), 500, 0});
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    const app::BoxColours colours(theme, 1);
    const engine::Window whole = run->timeline.iterations[0].window;
    const double begin = static_cast<double>(whole.duration()) / 3;
    const app::TimeAxis axis{begin, begin + share * static_cast<double>(whole.duration()), 140,
                             1336, 1};
    app::LaneOptions options;
    options.available = 8 * 110;
    options.kernels = view->rows();
    const auto lanes = app::layoutLanes(8, options);
    const app::RunView ops(run);
    const auto devices = app::devicesInSight(lanes, 0, 1e9);
    QImage image(1600, static_cast<int>(app::heightOf(lanes)), QImage::Format_RGB32);
    for (auto _ : state) {
        QPainter painter(&image);
        app::paintKernels({painter, ops, axis, colours, lanes}, *view, devices);
    }
    state.counters["kernels"] = static_cast<double>(view->activity().trace().kernels.size());
}

void kernelsWhole(benchmark::State& state)
{
    kernels(state, 0.66);
}

void kernelsCloser(benchmark::State& state)
{
    kernels(state, 0.01);
}

void kernelsOfAnOp(benchmark::State& state)
{
    kernels(state, 0.0005);
}

void prepareKernels(benchmark::State& state)
{
    const auto run = sample::measured({"1f1b", 8, 32, 1});
    const auto trace = sample::launches(*run, {static_cast<int>(state.range(0) / 5 / 520), 500, 0});
    for (auto _ : state)
        benchmark::DoNotOptimize(app::KernelView(*run, profiler::GpuActivity(*run, trace)));
    state.counters["kernels"] = static_cast<double>(trace.kernels.size());
}

void prepare(benchmark::State& state)
{
    bench::startQt();
    const auto run = viewOf(state.range(0)).shared();
    for (auto _ : state)
        benchmark::DoNotOptimize(app::RunView(run));
    state.counters["spans"] = static_cast<double>(spansOf(*run));
}

} // namespace

BENCHMARK(whole)->Arg(10'000)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(wholeWithSublanes)
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(closer)->Arg(10'000)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(prepare)->Arg(10'000)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(kernelsWhole)->Arg(10'000)->Arg(200'000)->Unit(benchmark::kMillisecond);
BENCHMARK(kernelsCloser)->Arg(10'000)->Arg(200'000)->Unit(benchmark::kMillisecond);
BENCHMARK(kernelsOfAnOp)->Arg(10'000)->Arg(200'000)->Unit(benchmark::kMillisecond);
BENCHMARK(prepareKernels)->Arg(10'000)->Arg(200'000)->Unit(benchmark::kMillisecond);
