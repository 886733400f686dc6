// What recording costs a run: the same experiment in one process with capture off, kernels, all and
// off again. Prints rows for run_all.sh.
#include "engine/base/clock.h"
#include "engine/base/median.h"
#include "engine/exec/run_experiment.h"
#include "engine/timeline/timeline.h"
#include "profiler/capture/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

using namespace engine;
using profiler::TraceLevel;

namespace {

constexpr int kSkipped = 77;

struct Measured
{
    double iteration = 0; // ns on the wall clock, median of the measured ones
    std::size_t kernels = 0;
    GpuTraceHealth health;
    std::string failure;
};

// One iteration is everything from the first op that is queued to the last that has ended.
Measured measure(const Experiment& experiment, TraceLevel level)
{
    Measured measured;
    std::unique_ptr<profiler::Capture> capture;
    if (level >= TraceLevel::Kernels) {
        auto started = profiler::startCapture(level);
        if (!started) {
            measured.failure = started.error().message;
            return measured;
        }
        capture = std::move(*started);
    }
    std::vector<std::int64_t> durations;
    const auto take = [&](GpuTrace trace) {
        measured.kernels += trace.kernels.size();
        measured.health += trace.health;
    };
    RunObserver observer;
    observer.timed = [&](std::span<const OpTiming> timings) {
        std::int64_t begin = wallTime(); // the GPU is done, and its times have been read
        const std::int64_t end = begin;
        for (const OpTiming& timing : timings)
            begin = std::min(begin, timing.wallBegin);
        durations.push_back(end - begin);
    };
    if (capture) {
        observer.launches = {[&](OpOfIteration op) { capture->push(op); }, [&] { capture->pop(); }};
        observer.iteration = [&](const Run&, std::size_t) {
            take(capture->take());
            return Result<void>();
        };
    }
    const std::atomic<bool> cancel = false;
    if (const auto run = runExperiment(experiment, observer, cancel); !run)
        measured.failure = run.error().message;
    if (capture)
        take(capture->finish());
    durations.erase(durations.begin(),
                    durations.begin()
                        + std::min<std::ptrdiff_t>(experiment.warmup, std::ssize(durations)));
    if (!durations.empty())
        measured.iteration = static_cast<double>(medianOf(durations));
    return measured;
}

void row(const char* verdict, const std::string& text)
{
    std::printf("ROW\tP3 overhead\t%s\t%s\n", verdict, text.c_str());
}

} // namespace

int main()
{
    Experiment experiment;
    experiment.schedule.scheme = "1f1b";
    experiment.schedule.devices = 4;
    experiment.schedule.microBatches = 8;
    experiment.backend = Backend::Cuda;
    experiment.iterations = 10;
    experiment.warmup = 3;
    experiment.model = loadModel("gpt2-124m").value();
    std::vector<Measured> all;
    for (const TraceLevel level :
         {TraceLevel::Off, TraceLevel::Kernels, TraceLevel::All, TraceLevel::Off}) {
        all.push_back(measure(experiment, level));
        if (!all.back().failure.empty()) {
            row("SKIPPED", fmt::format("{}: {}", traceLevelName(level), all.back().failure));
            return kSkipped;
        }
    }
    const double off = (all[0].iteration + all[3].iteration) / 2;
    const auto more = [&](std::size_t i) { return 100 * (all[i].iteration / off - 1); };
    const std::int64_t lost = all[1].health.dropped + all[2].health.dropped
        + all[1].health.declinedBuffers + all[2].health.declinedBuffers;
    const std::int64_t strange = all[1].health.withoutOp + all[2].health.withoutOp;
    const bool good = more(1) < 3 && more(2) < 8 && lost == 0 && strange == 0;
    row(good ? "PASS" : "FAIL",
        fmt::format(
            "iteration off {:.3f} ms, kernels {:+.2f} %, all {:+.2f} %, off again {:+.2f} %; "
            "{} and {} kernels, {} lost, {} of no op",
            all[0].iteration / 1e6, more(1), more(2), more(3), all[1].kernels, all[2].kernels, lost,
            strange));
    return good ? 0 : 1;
}
