#include "app/plan/run_plan.h"
#include "app/plan/schedule_preview.h"
#include "app/timeline/view/run_view.h"
#include "tests/bench/offscreen_qt.h"

#include <QImage>
#include <QPainter>

#include <benchmark/benchmark.h>

// Milliseconds from the edit of a number to the painted preview of the set-up page at D = 64, part
// by part, each on one core. Only `painted` is done by the GUI thread; `prepared` is left out while
// nothing but costs changes.
namespace {

struct Case
{
    const char* scheme;
    int chunks;
};
constexpr Case kCases[] = {{"1f1b", 0}, {"interleaved-1f1b", 4}, {"bitpipe", 0}, {"zb-v", 0}};

app::PredictionRequest requestOf(benchmark::State& state)
{
    const Case& one = kCases[state.range(0)];
    state.SetLabel(one.scheme);
    app::PredictionRequest request;
    request.schedule.scheme = one.scheme;
    request.schedule.chunks = one.chunks;
    request.schedule.devices = 64;
    request.schedule.microBatches = static_cast<int>(state.range(1));
    request.costs.forward = {11, 10};
    return request;
}

void prepared(benchmark::State& state)
{
    const auto request = requestOf(state);
    for (auto _ : state)
        benchmark::DoNotOptimize(app::prepare(request));
}

void predicted(benchmark::State& state)
{
    const auto request = requestOf(state);
    const auto order = *app::prepare(request);
    for (auto _ : state)
        benchmark::DoNotOptimize(app::predict(order, request));
}

void viewed(benchmark::State& state)
{
    const auto prediction = *app::predict(requestOf(state));
    for (auto _ : state)
        benchmark::DoNotOptimize(app::RunView(prediction.run));
}
void painted(benchmark::State& state)
{
    bench::startQt();
    const auto prediction = *app::predict(requestOf(state));
    app::ThemeController theme;
    app::SchedulePreview preview(theme);
    preview.resize(900, preview.height());
    preview.show(std::make_shared<app::RunView>(prediction.run));
    QImage image(preview.size(), QImage::Format_RGB32);
    for (auto _ : state)
        preview.render(&image);
}
// All four, one after the other.
void whole(benchmark::State& state)
{
    bench::startQt();
    const auto request = requestOf(state);
    app::ThemeController theme;
    app::SchedulePreview preview(theme);
    preview.resize(900, preview.height());
    QImage image(preview.size(), QImage::Format_RGB32);
    for (auto _ : state) {
        preview.show(std::make_shared<app::RunView>(app::predict(request)->run));
        preview.render(&image);
    }
}

} // namespace

#define PARTS(name)                                                                                \
    BENCHMARK(name)->ArgsProduct({{0, 1, 2, 3}, {64, 128, 512}})->Unit(benchmark::kMillisecond)
PARTS(prepared);
PARTS(predicted);
PARTS(viewed);
PARTS(painted);
PARTS(whole);
