#include "app/compare/compare_widget.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/settings.h"
#include "app/window/main_window.h"
#include "profiler/store/trace_store.h"
#include "tests/app/gpu_sample.h"
#include "tests/app/prepared_views.h"
#include "tests/bench/offscreen_qt.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QThread>
#include <QWheelEvent>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <functional>
#include <map>

// Milliseconds from an input to the frame that answers it, in the GUI thread: 32 lanes with
// sub-lanes on 1600 x 900, or a ranking of runs, 60 inputs per second. The counters are the median
// and the slowest frame.
namespace {

constexpr int kLanes = 32;
constexpr double kFrame = 1000.0 / 60; // ms

std::shared_ptr<const engine::Run> runOf(std::int64_t spans)
{
    static std::map<std::int64_t, std::shared_ptr<const engine::Run>> runs;
    auto& run = runs[spans];
    if (!run) {
        const std::int64_t one = 2 * kLanes * 64 + 4 * (kLanes - 1) * 64;
        run = sample::units({"1f1b", kLanes, 64, std::max(1, static_cast<int>(spans / one))});
    }
    return run;
}

void wheel(QWidget& widget, int notches, Qt::KeyboardModifiers modifiers)
{
    const QPointF at = widget.rect().center();
    QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &event);
}

// Measures the frames that answer input(step).
void measure(benchmark::State& state, QWidget& widget, const std::function<void(int)>& input)
{
    std::vector<double> times;
    int step = 0;
    for (auto _ : state) {
        QElapsedTimer timer;
        timer.start();
        input(step++);
        widget.repaint();
        const double passed = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        times.push_back(passed);
        state.SetIterationTime(passed / 1e3);
        QElapsedTimer rest;
        rest.start();
        QApplication::processEvents(); // takes a finished picture and paints it
        times.back() = std::max(times.back(), static_cast<double>(rest.nsecsElapsed()) / 1e6);
        const double left = kFrame - passed - static_cast<double>(rest.nsecsElapsed()) / 1e6;
        if (left > 0)
            QThread::usleep(static_cast<unsigned long>(left * 1e3));
    }
    std::ranges::sort(times);
    state.counters["median_ms"] = times[times.size() / 2];
    state.counters["slowest_ms"] = times.back();
}

void frames(benchmark::State& state, const std::function<void(QWidget&, int)>& input)
{
    bench::startQt();
    app::ThemeController theme;
    theme.setChoice(app::ThemeController::Choice::Light);
    app::TimelineWidget timeline(theme);
    timeline.resize(1600, 900);
    timeline.setRun(runOf(state.range(0)), app::TimelineWidget::View::FitIteration);
    timeline.show();
    timeline.zoomToAll();
    for (int k = 0; k < 4; ++k) {
        wheel(timeline, 0, Qt::AltModifier); // gives the lanes a height, so that they have rows
        timeline.repaint();
        app::TimelineWidget::waitForPainting();
        QApplication::processEvents();
    }
    measure(state, timeline, [&](int step) { input(timeline, step); });
}

// A ranking of state.range(0) runs of 1,000 ops, zoomed.
void ranking(benchmark::State& state)
{
    bench::startQt();
    std::vector<std::shared_ptr<const engine::Run>> runs;
    for (int k = 0; k < state.range(0); ++k)
        runs.push_back(sample::measured({k % 2 == 0 ? "1f1b" : "gpipe", 8, 62}));
    app::ThemeController theme;
    app::CompareWidget lanes(theme);
    lanes.resize(1384, 582);
    lanes.setViews(sample::views(runs), 0);
    lanes.show();
    measure(state, lanes,
            [&](int step) { wheel(lanes, step / 30 % 2 == 0 ? 1 : -1, Qt::ControlModifier); });
}

// Seconds from the request to open a run file until a timeline shows its first iterations, and
// until it shows all of them.
void opening(benchmark::State& state)
{
    bench::startQt();
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("run.sqlite"));
    if (!profiler::writeRun(file.toStdString(), *runOf(state.range(0))))
        return state.SkipWithError("the temporary folder has no room for the run");
    app::ThemeController theme;
    qputenv("XDG_DATA_HOME", folder.path().toLocal8Bit()); // the list of all runs
    app::Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    for (auto _ : state) {
        app::MainWindow window(theme, settings);
        window.show();
        QElapsedTimer timer;
        timer.start();
        window.open({"run", {file}});
        const auto* timeline = window.currentPage()->findChild<app::TimelineWidget*>();
        const auto& document = *window.library().runs().at(0);
        const auto secondsUntil = [&](const std::function<bool()>& isDone) {
            while (!isDone())
                QApplication::processEvents(QEventLoop::WaitForMoreEvents);
            window.repaint();
            return static_cast<double>(timer.nsecsElapsed()) / 1e9;
        };
        state.counters["first_s"] = secondsUntil([&] { return timeline->iteration() >= 0; });
        const double all = secondsUntil([&] {
            return document.state() == app::RunDocument::State::Finished
                && timeline->devices() == kLanes;
        });
        state.counters["all_s"] = all;
        state.SetIterationTime(all);
    }
}

// A slow zoom in and out again, about the middle of the run.
void zoom(benchmark::State& state)
{
    frames(state, [](QWidget& widget, int step) {
        wheel(widget, step / 30 % 2 == 0 ? 1 : -1, Qt::ControlModifier);
    });
}

void pan(benchmark::State& state)
{
    bool isIn = false;
    frames(state, [&isIn](QWidget& widget, int step) {
        if (!std::exchange(isIn, true))
            wheel(widget, 3, {});
        wheel(widget, step / 30 % 2 == 0 ? 1 : -1, Qt::ShiftModifier);
    });
}

} // namespace

BENCHMARK(zoom)
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Iterations(240)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(pan)
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Iterations(240)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(ranking)->Arg(30)->Iterations(240)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(opening)->Arg(1'000'000)->Arg(10'000'000)->Iterations(1)->UseManualTime();
