#include "engine/cost/cost_model.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/simulate.h"
#include "profiler/store/trace_store.h"

#include <benchmark/benchmark.h>

#include <filesystem>

namespace {

std::filesystem::path benchFile()
{
    return std::filesystem::temp_directory_path() / "bubblescope-bench.sqlite";
}

std::int64_t spansOf(const engine::Run& run)
{
    std::int64_t spans = 0;
    for (const engine::Track& track : run.timeline.tracks)
        spans += static_cast<std::int64_t>(track.spans.size());
    return spans;
}

// BitPipe on 8 devices with 64 micro-batches, as many iterations as give a million spans.
const engine::Run& millionSpans()
{
    static const engine::Run run = [] {
        engine::ScheduleRequest request;
        request.devices = 8;
        request.microBatches = 64;
        engine::Run made;
        made.schedule = engine::lower(engine::buildSchedule(request).value());
        const auto costs = engine::unitOpCosts(made.schedule, {}).value();
        const auto ops = static_cast<int>(engine::opCount(made.schedule));
        made.timeline = engine::simulate(made.schedule, costs, {1'000'000 / ops + 1}).value();
        made.info.ticksPerUnit = costs.ticksPerUnit;
        return made;
    }();
    return run;
}

void countSpans(benchmark::State& state)
{
    const std::int64_t spans = spansOf(millionSpans());
    state.counters["spans/s"] = benchmark::Counter(
        static_cast<double>(spans * static_cast<std::int64_t>(state.iterations())),
        benchmark::Counter::kIsRate);
    state.counters["bytes/span"]
        = static_cast<double>(std::filesystem::file_size(benchFile())) / static_cast<double>(spans);
}

void writeAtOnce(benchmark::State& state)
{
    for (auto _ : state)
        if (!profiler::writeRun(benchFile(), millionSpans(), engine::IfExists::Replace))
            state.SkipWithError("cannot write");
    countSpans(state);
}

// As a run in progress: a batch per iteration, WAL, finish.
void writeIterations(benchmark::State& state)
{
    const engine::Run& run = millionSpans();
    std::vector<profiler::Batch> batches(run.timeline.iterations.size());
    for (std::size_t i = 0; i < batches.size(); ++i)
        batches[i].iterations = {run.timeline.iterations[i]};
    for (const engine::Track& track : run.timeline.tracks)
        for (const engine::Span& span : track.spans) {
            auto& rows = batches[span.iteration].spans;
            if (rows.empty() || rows.back().device != track.device
                || rows.back().kind != track.kind)
                rows.push_back({track.device, track.kind, {}});
            rows.back().spans.push_back(span);
        }
    for (auto _ : state) {
        auto writer = profiler::TraceWriter::create(benchFile(), run.info, run.schedule,
                                                    engine::IfExists::Replace);
        for (const profiler::Batch& batch : batches)
            writer->append(batch);
        if (!writer->finish(engine::Outcome::Finished))
            state.SkipWithError("cannot write");
    }
    countSpans(state);
}

void readAtOnce(benchmark::State& state)
{
    if (!profiler::writeRun(benchFile(), millionSpans(), engine::IfExists::Replace))
        state.SkipWithError("cannot write");
    for (auto _ : state)
        benchmark::DoNotOptimize(profiler::readRun(benchFile()));
    countSpans(state);
}

// What following costs while nothing new is there.
void pollNothing(benchmark::State& state)
{
    if (!profiler::writeRun(benchFile(), millionSpans(), engine::IfExists::Replace))
        state.SkipWithError("cannot write");
    auto reader = profiler::TraceReader::open(benchFile());
    engine::Run run;
    if (!reader || !reader->poll(run))
        state.SkipWithError("cannot read");
    for (auto _ : state)
        benchmark::DoNotOptimize(reader->poll(run));
}

BENCHMARK(writeAtOnce)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(writeIterations)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(readAtOnce)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(pollNothing)->Unit(benchmark::kMicrosecond)->UseRealTime();

} // namespace
