#include "engine/timeline/run.h"

#include "app/cli/commands/command.h"
#include "app/cli/commands/gpu_recorder.h"
#include "app/cli/commands/long_task.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/backend/cuda_device.h"
#include "engine/base/clock.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/read_file.h"
#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/cost/spec_file.h"
#include "engine/exec/run_experiment.h"
#include "engine/experiment/check_experiment.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/pipeline/run_devices.h"
#include "profiler/report/run_sheet.h"
#include "profiler/store/trace_store.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
// The options of a recorded run: its file, and the kind of progress reports.
struct RecordOptions
{
    OutputOptions output; // without -o, createRunFile() chooses the file
    bool detach = false;
    ProgressKind progress = ProgressKind::Auto;
    std::optional<std::size_t> run = {}; // see Progress
};

// The options with which several schemes take turns on the machine.
struct TurnOptions
{
    std::vector<std::string> schemes; // empty: the experiment's
    int rounds = 0;                   // 0: the default
};

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
    return terminalText(sheet);
}

// Lets threads run one at a time, in the order of their numbers.
class Turns
{
public:
    explicit Turns(std::size_t count)
        : m_isOver(count)
    { }
    void await(std::size_t own)
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_turn == own; });
    }
    // Gives the turn, if it is that of `own`, to the next thread; `isOver`: it takes no more turns.
    void pass(std::size_t own, bool isOver)
    {
        const std::lock_guard lock(m_mutex);
        m_isOver[own] = isOver;
        if (m_turn == own)
            do
                m_turn = (m_turn + 1) % m_isOver.size();
            while (m_isOver[m_turn] && m_turn != own);
        m_changed.notify_all();
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<bool> m_isOver;
    std::size_t m_turn = 0;
};

// The measured iterations after which a run gives the turn to the next one.
bool endsRound(int measured, const Experiment& of)
{
    const auto round
        = [&](std::int64_t iteration) { return iteration * of.rounds / of.iterations; };
    return measured > 0 && measured < of.iterations && round(measured) > round(measured - 1);
}

// A run that takes turns with others of its session, or is alone. Passes the reports of the
// executor to the file and to the progress output.
class Recording
{
public:
    static Result<std::unique_ptr<Recording>> create(const Experiment& experiment,
                                                     const RecordOptions& options,
                                                     const std::atomic<bool>& isCancelled)
    {
        auto file = TRY(options.output.file.empty()
                            ? createRunFile(runFileStem(experiment))
                            : createOutput(options.output,
                                           {experiment.scheduleFile, experiment.modelFile,
                                            experiment.textFile}));
        return std::make_unique<Recording>(experiment, options, std::move(file), isCancelled);
    }

    Recording(const Experiment& experiment, const RecordOptions& options, NewFile file,
              const std::atomic<bool>& isCancelled)
        : m_experiment(experiment)
        , m_options(options)
        , m_file(file.target().string())
        , m_newFile(std::move(file))
        , m_progress(options.progress, options.run)
        , m_gpu(experiment.trace, experiment.backend)
        , m_isCancelled(isCancelled)
    { }

    void train(const std::function<void()>& endRound)
    try {
        int measured = -m_experiment.warmup;
        const RunObserver observer{
            .started = [this](const Run& run) { return start(run); },
            .progress = [this](const OpsDone& at) { m_progress.ops(at); },
            .timed = [this](std::span<const OpTiming> timings) { keep(timings); },
            .iteration =
                [&](const Run& run, std::size_t) {
                    auto committed = commit(run);
                    if (endsRound(++measured, m_experiment))
                        endRound();
                    return committed;
                },
            .launches = m_gpu.hooks(),
            .warned = [this](const std::string& what) { m_progress.warning(what); },
            .ended =
                [this](const RunInfo& info) {
                    m_arenas = info.arenas;
                    m_metrics = gpuMetrics(info);
                }};
        m_run = finish(runExperiment(m_experiment, observer, m_isCancelled));
    } catch (const std::exception& error) {
        stop(error);
    }
    void stop(const std::exception& error) { m_run = fail(Error::Code::Device, messageOf(error)); }

    // Prints the summary, or says what was kept.
    Result<int> conclude()
    {
        if (m_run) {
            printText(runSummary(*m_run, m_file));
            return 0;
        }
        const auto& [code, message] = m_run.error();
        const bool isCancelled = code == Error::Code::Cancelled;
        if (!isCancelled && code != Error::Code::Io) // a full disk
            return tl::unexpected(m_run.error());
        if (m_iterations > 0)
            return fail(code,
                        fmt::format("{}; {} complete iterations were kept: bscope analyze {}",
                                    isCancelled ? "cancelled" : message, m_iterations,
                                    shellQuoted(m_file)));
        // Progress in JSON lines means that a window has started this process. The file is then
        // kept, because the window still shows it. It exists when the run has started.
        if (m_writer && m_options.progress != ProgressKind::JsonLines)
            removeWithCompanions(m_file);
        return fail(code,
                    isCancelled
                        ? "cancelled before the first iteration was complete; nothing was kept"
                        : message);
    }

private:
    Result<Run> finish(Result<Run> result)
    {
        if (result && m_writer)
            if (const auto committed = commit(*result, IsLast::Yes); !committed)
                result = tl::unexpected(committed.error());
        if (const std::string missing = m_gpu.missing(); !missing.empty())
            m_progress.warning("the GPU recording is incomplete: " + missing);
        const Outcome outcome = outcomeOf(result);
        const std::string failure = outcome == Outcome::Failed ? result.error().message : "";
        m_progress.finishing();
        if (m_writer && !m_metrics.empty()) {
            Batch batch;
            batch.metrics = std::exchange(m_metrics, {});
            m_writer->append(std::move(batch));
        }
        if (m_writer)
            if (const auto closed = m_writer->finish(outcome, failure, m_arenas, m_gpu.clocks());
                !closed && result)
                result = tl::unexpected(closed.error());
        if (outcomeOf(result) == Outcome::Failed)
            m_progress.failed(result.error().message);
        else
            m_progress.finished(m_file, outcomeOf(result));
        return result;
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
        m_progress.started(m_file, run.info);
        for (const std::string& note : m_gpu.notes())
            m_progress.warning(note);
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
                m_progress.locked(m_file);
            return !m_isCancelled;
        }));
        m_progress.rows(last);
        for (; m_written < timeline.iterations.size(); ++m_written) {
            const Iteration& iteration = timeline.iterations[m_written];
            if (iteration.kind != Iteration::Kind::Replay)
                m_progress.iteration(m_iterations++, iteration);
        }
        m_memory = timeline.memory.size();
        return {};
    }

    const Experiment m_experiment;
    const RecordOptions m_options;
    const std::string m_file;
    NewFile m_newFile; // passed to m_writer when the run starts
    Progress m_progress;
    GpuRecorder m_gpu;
    const std::atomic<bool>& m_isCancelled;
    std::optional<TraceWriter> m_writer;
    std::vector<OpTiming> m_measured;
    IdVector<DeviceId, ArenaUse> m_arenas;
    std::vector<Metric> m_metrics;           // written when the file is closed
    std::size_t m_written = 0, m_memory = 0; // iterations and memory events written so far
    Result<Run> m_run = fail(Error::Code::Cancelled, "cancelled");
    std::size_t m_iterations = 0; // iterations reported so far, without the Replay
};

// Trains on one thread per run; only the run whose turn it is executes. Emulated runs share one
// core: the system would keep each thread on a core of its own, and other processes slow one core
// more than another, so that equal runs differed by up to 20 %.
void takeTurns(const std::vector<std::unique_ptr<Recording>>& recordings, bool onOneCore)
{
    Turns turns(recordings.size());
    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET(std::max(0, sched_getcpu()), &core);
    std::vector<std::thread> threads;
    const auto train = [&](std::size_t own) {
        if (onOneCore)
            pthread_setaffinity_np(pthread_self(), sizeof core, &core);
        turns.await(own);
        recordings[own]->train([&] {
            turns.pass(own, false);
            turns.await(own);
        });
        turns.pass(own, true);
    };
    for (std::size_t own = 0; own < recordings.size(); ++own)
        try {
            threads.emplace_back(train, own);
        } catch (const std::exception& error) { // no more threads
            recordings[own]->stop(error);
            turns.pass(own, true);
        }
    for (std::thread& thread : threads)
        thread.join();
}

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

void addTurnOptions(CLI::App& app, TurnOptions& options, std::string_view defaultScheme)
{
    FieldFacts scheme = experimentField("--scheme");
    scheme.kind = FieldKind::List;
    scheme.help = "Pipeline scheme; bscope schemes lists them. Several, and --schedule, take turns";
    addFieldOption(app, scheme, defaultScheme, [&options](std::string_view text) -> Result<void> {
        const auto names = items(text);
        options.schemes.assign(names.begin(), names.end());
        return {};
    });
    addOption(app, "--rounds R", options.rounds,
              "With several --scheme, or --scheme and --schedule: how often the runs take "
              "turns, so that drift of the machine reaches all of them (default: 5)")
        ->check(CLI::Range(1, 1000).description(""))
        ->group(std::string(scheme.group));
}

// One experiment per scheme, as runs of one session if there are several.
Result<std::vector<Experiment>> experimentsOf(const Experiment& experiment,
                                              const TurnOptions& options)
{
    const auto& schemes = options.schemes;
    const bool hasFile = !experiment.scheduleFile.empty();
    if (options.rounds > 0 && schemes.size() + (hasFile ? 1 : 0) < 2)
        return invalid(
            "--rounds needs several --scheme, or --scheme and --schedule, to take turns");
    std::vector<Experiment> all;
    for (const std::string& scheme : schemes) {
        all.push_back(experiment);
        all.back().scheduleFile.clear();
        TRY(experimentField("--scheme").set(all.back(), scheme));
        if (std::ranges::count(schemes, scheme) > 1)
            return invalid("--scheme " + scheme + " is given twice");
        TRY(scheduleOf(all.back())); // all are checked before one is trained
    }
    if (all.empty() || hasFile)
        all.push_back(experiment);
    constexpr int kRounds = 5;
    const int rounds
        = options.rounds > 0 ? options.rounds : std::min(kRounds, experiment.iterations);
    if (rounds > experiment.iterations)
        return invalid("{} rounds need at least as many iterations; use --iterations {}", rounds,
                       rounds);
    const std::string session = fmt::format("{}-{}", hostName(), wallTime());
    if (all.size() > 1)
        for (Experiment& one : all) {
            one.session = session;
            one.rounds = rounds;
        }
    return all;
}

// Trains, records each experiment into its own file and prints the summaries. With several
// experiments, -o names their folder. After Ctrl-C it fails with Error::Code::Cancelled; the file
// is then valid and has the complete iterations.
Result<int> record(const std::vector<Experiment>& experiments, const RecordOptions& options)
{
    Interrupt interrupt;
    if (options.progress == ProgressKind::JsonLines && !options.detach)
        // If the window that started this worker exits, the worker stops and keeps the recording.
        interrupt.stopWithParent();
    std::vector<std::unique_ptr<Recording>> recordings;
    for (const Experiment& experiment : experiments) {
        RecordOptions own = options;
        if (experiments.size() > 1)
            own.run = recordings.size();
        if (experiments.size() > 1 && !own.output.file.empty()) {
            std::error_code ignored; // creating the file reports a missing folder
            std::filesystem::create_directories(own.output.file, ignored);
            own.output.file
                = (std::filesystem::path(own.output.file) / (runFileStem(experiment) + ".sqlite"))
                      .string();
        }
        if (experiment.backend == Backend::Cuda)
            setCudaEnvironment();
        auto created = Recording::create(experiment, own, interrupt.requested());
        if (!created) {
            Progress(options.progress).failed(created.error().message);
            return tl::unexpected(created.error());
        }
        recordings.push_back(*std::move(created));
    }
    if (recordings.size() == 1)
        recordings.front()->train([] {});
    else
        takeTurns(recordings,
                  experiments.front().mode == Mode::Emulate
                      && experiments.front().backend == Backend::Cpu);
    Result<int> status = 0;
    for (auto& each : recordings) {
        if (auto one = each->conclude();
            !one && (status || one.error().code != Error::Code::Cancelled))
            status = std::move(one);
        if (devicesAreLost()) // the destructor would wait for them
            static_cast<void>(each.release());
    }
    return status;
}

struct RunOptions
{
    Experiment experiment;
    TurnOptions turns;
    RecordOptions record;
};

Result<int> run(const CLI::App& app, const RunOptions& options)
{
    auto experiments = TRY(experimentsOf(options.experiment, options.turns));
    for (Experiment& experiment : experiments) {
        if (app.count("--mode") == 0)
            experiment.mode = defaultMode(experiment);
        TRY(checkExperiment(experiment));
        // Beside schemes, a schedule file leaves out the options that are for these.
        if (experiments.size() == 1 || experiment.scheduleFile.empty())
            TRY(checkEffect(app, experimentFields(), experiment));
    }
    return record(experiments, options.record);
}

struct RepeatOptions
{
    std::string file;
    TurnOptions turns;
    RecordOptions record;
    std::optional<Trace> trace; // nullopt: the level that the file states
};

// Returns the TOML of an experiment from its file, or from a run that stores it.
Result<std::string> experimentText(const std::string& file)
{
    if (!isSqlite(file))
        return readFile(file);
    auto run = TRY(profiler::readRun(file));
    if (run.info.experiment.empty())
        return fail(Error::Code::Unsupported, "{} has no experiment to repeat: it was {}; {}", file,
                    modeAdjective(run.info.mode),
                    run.info.command.empty() ? "import its traces again, or give "
                                               "--scheme and --model to bscope run"
                                             : "repeat it with: " + run.info.command);
    return run.info.experiment;
}

Result<int> repeat(const RepeatOptions& options)
{
    const auto text = TRY(experimentText(options.file));
    if (const auto tables = parseToml(text, options.file); tables && tables->empty())
        return fail(Error::Code::Corrupt,
                    options.file + " has no keys: write an experiment, as in sample_runs/*.toml");
    auto experiment = experimentFromToml(text);
    if (!experiment)
        return fail(Error::Code::Corrupt, options.file + ": " + experiment.error().message);
    if (experiment->mode != Mode::Emulate && experiment->mode != Mode::Live)
        return fail(Error::Code::Unsupported,
                    "{}: mode {} does not train; use mode = \"emulate\" or \"live\", "
                    "or bscope simulate",
                    options.file, modeName(experiment->mode));
    experiment->trace = options.trace.value_or(experiment->trace);
    return record(TRY(experimentsOf(*experiment, options.turns)), options.record);
}
} // namespace

Action prepareRun(CLI::App& app)
{
    const auto options = std::make_shared<RunOptions>();
    addTurnOptions(app, options->turns, options->experiment.schedule.scheme);
    addFieldOptions(app, experimentFields(), options->experiment,
                    [](std::string_view flag) { return flag == "--scheme"; });
    addRecordOptions(app, options->record);
    return [options, &app] { return run(app, *options); };
}

Action prepareExperiment(CLI::App& app)
{
    const auto options = std::make_shared<RepeatOptions>();
    app.add_option("FILE.toml|RUN.sqlite", options->file, "Experiment file, or run to repeat")
        ->required();
    addTurnOptions(app, options->turns, "as in the file");
    addExperimentOption(app, experimentField("--trace"), "as in the file",
                        [options](const Experiment& typed) { options->trace = typed.trace; });
    addRecordOptions(app, options->record);
    return [options] { return repeat(*options); };
}

} // namespace cli
