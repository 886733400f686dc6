#include "app/cli/commands/record.h"

#include "app/cli/commands/gpu_recorder.h"
#include "app/cli/commands/interrupt.h"
#include "app/cli/options/choice.h"
#include "app/cli/text/output.h"
#include "app/cli/text/run_file.h"
#include "engine/backend/cuda_device.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/timeline/run.h"
#include "profiler/report/run_sheet.h"
#include "profiler/store/gpu/gpu_metrics.h"
#include "profiler/store/trace_store.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
std::string runSummary(const Run& run, const std::string& file)
{
    Sheet sheet;
    if (const auto numbers = metrics(run)) {
        sheet.sentence(runHeading(run));
        addSummary(run, *numbers, sheet);
        if (!run.info.gpuMemory.empty())
            sheet.table(Table(gpuMemoryMeasures(), run.info.gpuMemory));
    }
    const std::string open = openCommand(file);
    sheet.sentence(
        fmt::format("file  {}{}", file, open.empty() ? "" : "  (open it: " + open + ")"));
    return sheet.text();
}

// Passes the reports of the executor to the file and to the progress output.
class Recorder
{
public:
    Recorder(const RecordOptions& options, const Experiment& experiment, NewFile file,
             const std::atomic<bool>& isCancelled)
        : m_file(file.target().string())
        , m_newFile(std::move(file))
        , m_progress(makeProgress(options.progress))
        , m_gpu(experiment.trace, experiment.backend)
        , m_isCancelled(isCancelled)
    { }

    RunObserver observer()
    {
        return {.started = [this](const Run& run) { return start(run); },
                .progress = [this](const OpsDone& at) { m_progress->ops(at); },
                .timed = [this](std::span<const OpTiming> timings) { keep(timings); },
                .iteration = [this](const Run& run, std::size_t) { return commit(run); },
                .launches = m_gpu.hooks(),
                .warned = [this](const std::string& what) { m_progress->warning(what); },
                .ended =
                    [this](const RunInfo& info) {
                        m_arenas = info.arenas;
                        m_metrics = gpuMetrics(info);
                    }};
    }

    Result<Run> finish(Result<Run> result)
    {
        if (result && m_writer)
            if (const auto committed = commit(*result, IsLast::Yes); !committed)
                result = tl::unexpected(committed.error());
        if (const std::string missing = m_gpu.missing(); !missing.empty())
            m_progress->warning("the GPU recording is incomplete: " + missing);
        const Outcome outcome = outcomeOf(result);
        const std::string failure = outcome == Outcome::Failed ? result.error().message : "";
        m_progress->finishing();
        if (m_writer && !m_metrics.empty())
            m_writer->append(batchOf(std::exchange(m_metrics, {})));
        if (m_writer)
            if (const auto closed = m_writer->finish(outcome, failure, m_arenas, m_gpu.clocks());
                !closed && result)
                result = tl::unexpected(closed.error());
        tell(result);
        return result;
    }

    std::size_t iterations() const { return m_iterations; }
    bool hasFile() const { return m_writer.has_value(); } // false until the run has started

private:
    static Batch batchOf(std::vector<Metric> metrics)
    {
        Batch batch;
        batch.metrics = std::move(metrics);
        return batch;
    }

    static Outcome outcomeOf(const Result<Run>& result)
    {
        if (result)
            return Outcome::Finished;
        return result.error().code == Error::Code::Cancelled ? Outcome::Cancelled : Outcome::Failed;
    }

    Result<void> start(const Run& run)
    {
        RunInfo info = run.info;
        info.timing += m_gpu.timingSuffix();
        info.machine = m_gpu.begin(run);
        auto writer = TRY(TraceWriter::create(std::move(m_newFile), info, run.schedule));
        m_writer.emplace(std::move(writer));
        m_progress->started(m_file, run.info);
        for (const std::string& note : m_gpu.notes())
            m_progress->warning(note);
        return {};
    }

    // Keeps the op timings. commit() writes them together with their iteration.
    void keep(std::span<const OpTiming> timings)
    {
        m_gpu.timed(timings);
        m_measured.insert(m_measured.end(), timings.begin(), timings.end());
    }

    // Writes what was added to the timeline since the last call. If `isLast` is Yes, this includes
    // the Replay, and the GPU recording ends.
    enum class IsLast : bool { No, Yes };
    Result<void> commit(const Run& run, IsLast isLast = IsLast::No)
    {
        const auto& timeline = run.timeline;
        GpuTrace gpu = isLast == IsLast::Yes ? m_gpu.finish(run) : m_gpu.take(run);
        if (timeline.iterations.size() <= m_written && timeline.memory.size() <= m_memory
            && gpu.isEmpty())
            return {};
        Batch batch = profiler::batchOf(timeline, m_written, m_memory);
        batch.measured = std::exchange(m_measured, {});
        if (m_written == 0) // the touched bytes are known from the first iteration on
            batch.arenas = run.info.arenas;
        batch.gpu = std::move(gpu);
        if (m_gpu.isOff()) {
            batch.spans.clear();
            batch.memory.clear();
            batch.measured.clear();
        }
        m_writer->append(std::move(batch));
        bool isReported = false;
        const auto last = TRY(m_writer->flush([&] {
            if (!std::exchange(isReported, true))
                m_progress->locked(m_file);
            return !m_isCancelled;
        }));
        m_progress->rows(last);
        for (; m_written < timeline.iterations.size(); ++m_written) {
            const Iteration& iteration = timeline.iterations[m_written];
            if (iteration.kind != Iteration::Kind::Replay)
                m_progress->iteration(m_iterations++, iteration);
        }
        m_memory = timeline.memory.size();
        return {};
    }

    void tell(const Result<Run>& result)
    {
        if (outcomeOf(result) == Outcome::Failed)
            m_progress->failed(result.error().message);
        else
            m_progress->finished(m_file, outcomeOf(result));
    }

    std::string m_file;
    NewFile m_newFile; // passed to m_writer when the run starts
    std::unique_ptr<Progress> m_progress;
    GpuRecorder m_gpu;
    const std::atomic<bool>& m_isCancelled;
    std::optional<TraceWriter> m_writer;
    std::vector<OpTiming> m_measured;
    IdVector<DeviceId, ArenaUse> m_arenas;
    std::vector<Metric> m_metrics;           // written when the file is closed
    std::size_t m_written = 0, m_memory = 0; // iterations and memory events written so far
    std::size_t m_iterations = 0;            // iterations reported so far, without the Replay
};

} // namespace

void addRecordOptions(CLI::App& app, RecordOptions& options)
{
    constexpr const char* kGroup = "Recording";
    addOutputOptions(app, options.output,
                     "File for the run (default: a new file in the data folder)", "RUN.sqlite",
                     kGroup);
    addProgressOption(app, options.progress)->group(kGroup);
    app.add_flag("--detach", options.detach,
                 "With --progress jsonl: continue when the parent exits")
        ->group(kGroup);
}

Result<int> record(const Experiment& experiment, const RecordOptions& options)
{
    Interrupt interrupt;
    if (options.progress == ProgressKind::JsonLines && !options.detach)
        // If the window that started this worker exits, the worker stops and keeps the recording.
        interrupt.stopWithParent();
    auto created = options.output.file.empty()
        ? createRunFile(runFileStem(experiment))
        : createOutput(options.output,
                       {experiment.scheduleFile, experiment.modelFile, experiment.textFile});
    if (!created) {
        makeProgress(options.progress)->failed(created.error().message);
        return tl::unexpected(created.error());
    }
    const std::string file = created->target().string();
    if (experiment.backend == Backend::Cuda)
        setCudaEnvironment();
    auto recording = std::make_unique<Recorder>(options, experiment, std::move(*created),
                                                interrupt.requested());
    Recorder& recorder = *recording;
    const auto run
        = recorder.finish(runExperiment(experiment, recorder.observer(), interrupt.requested()));
    if (devicesAreLost()) // destructors would wait for them
        static_cast<void>(recording.release());
    if (run) {
        printText(runSummary(*run, file));
        return 0;
    }
    if (run.error().code != Error::Code::Cancelled)
        return tl::unexpected(run.error());
    if (recorder.iterations() > 0)
        return fail(Error::Code::Cancelled,
                    fmt::format("cancelled; {} complete iterations were kept: bscope analyze {}",
                                recorder.iterations(), shellQuoted(file)));
    std::error_code ignored;
    // Progress in JSON lines means that a window has started this process. The file is then kept,
    // because the window still shows it.
    if (recorder.hasFile() && options.progress != ProgressKind::JsonLines)
        std::filesystem::remove(file, ignored);
    return fail(Error::Code::Cancelled,
                "cancelled before the first iteration was complete; nothing was kept");
}

} // namespace cli
