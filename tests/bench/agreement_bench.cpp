// Live against emulated: the same run with two devices in both modes, alternating in one process.
// Emulation says what two devices would take that do not disturb one another; two busy cores of one
// machine may (caches, memory, clock rate, two threads of one core). So the machine's own scaling
// stands beside it: how long a matrix product takes with both cores busy, over one. The bound of 5
// % is for an idle machine.

#include "engine/backend/cpu/cpu_device.h"
#include "engine/base/clock.h"
#include "engine/exec/run_experiment.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <barrier>
#include <thread>

using namespace engine;

namespace {

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

// Milliseconds of the wall clock of one product in `threads` threads at the same time.
double productTime(const Kernels<float>& kernels, std::size_t threads)
{
    constexpr int kSize = 512, kRounds = 40;
    std::barrier together(static_cast<std::ptrdiff_t>(threads));
    std::vector<double> times(threads);
    const auto work = [&](std::size_t thread) {
        const std::vector<float> a(kSize * kSize, 0.5F), b(kSize * kSize, 0.25F);
        std::vector<float> c(kSize * kSize);
        std::vector<double> took;
        together.arrive_and_wait();
        for (int i = 0; i < kRounds; ++i) {
            const std::int64_t begin = wallTime();
            kernels.matmul({.a = {a.data(), kSize, kSize},
                            .b = {b.data(), kSize, kSize},
                            .c = {c.data(), kSize, kSize}});
            took.push_back(static_cast<double>(wallTime() - begin) / 1e6);
        }
        times[thread] = median(took);
    };
    {
        std::vector<std::jthread> all;
        for (std::size_t t = 0; t < threads; ++t)
            all.emplace_back(work, t);
    }
    return *std::ranges::max_element(times);
}

// Milliseconds of an iteration: the median replay, or live the median of the measured ones.
double iteration(Experiment experiment, Mode mode)
{
    experiment.mode = mode;
    const Run run = runExperiment(experiment, {}, false).value();
    std::vector<double> times;
    for (const Iteration& one : run.timeline.iterations) {
        const double time = static_cast<double>(one.window.duration()) / 1e6;
        if (one.kind == Iteration::Kind::Replay)
            return time;
        if (one.kind == Iteration::Kind::Measured)
            times.push_back(time);
    }
    return median(times);
}

void liveAgainstEmulated(benchmark::State& state, const char* model, const char* scheme)
{
    const auto device = openCpuDevice().value();
    Experiment experiment;
    experiment.schedule.scheme = scheme;
    experiment.schedule.devices = 2;
    experiment.schedule.microBatches = 8;
    experiment.model = loadModel(model).value();
    experiment.iterations = 10;
    std::vector<double> live, emulated, alone, both;
    for (auto _ : state) {
        emulated.push_back(iteration(experiment, Mode::Emulate));
        live.push_back(iteration(experiment, Mode::Live));
        alone.push_back(productTime(device->kernels(), 1));
        both.push_back(productTime(device->kernels(), 2));
    }
    state.SetLabel(device->info().library);
    state.counters["emulated_ms"] = median(emulated);
    state.counters["live_ms"] = median(live);
    state.counters["live/emulated"] = median(live) / median(emulated);
    state.counters["both_cores/one"] = median(both) / median(alone);
    state.counters["emulated_spread%"]
        = 100 * (*std::ranges::max_element(emulated) / *std::ranges::min_element(emulated) - 1);
}

} // namespace

BENCHMARK_CAPTURE(liveAgainstEmulated, small_1f1b, "small", "1f1b")
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(liveAgainstEmulated, small_bitpipe, "small", "bitpipe")
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);
