#include "engine/exec/run_experiment.h"

#include "engine/backend/device.h"
#include "engine/base/available_memory.h"
#include "engine/base/clock.h"
#include "engine/base/process.h"
#include "engine/base/result.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "engine/exec/executor.h"
#include "engine/exec/measure_hardware.h"
#include "engine/exec/op_costs.h"
#include "engine/exec/worker.h"
#include "engine/experiment/check_experiment.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/model/text_data.h"
#include "engine/model/transformer.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/run_devices.h"
#include "engine/plan/execution_plan.h"
#include "engine/plan/happens_before.h"
#include "engine/plan/memory_fit.h"
#include "engine/plan/token_batches.h"
#include "engine/schedule/check/communication.h"
#include "engine/timeline/run.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <new>

namespace engine {
namespace {

std::string now()
{
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string labelOf(const Experiment& experiment)
{
    if (!experiment.scheduleFile.empty())
        return experiment.scheduleFile.substr(experiment.scheduleFile.find_last_of('/') + 1);
    const Scheme* scheme = findScheme(experiment.schedule.scheme);
    if (scheme == nullptr)
        return experiment.schedule.scheme;
    // "1F1B", without aliases
    return std::string(scheme->title.substr(0, scheme->title.find(" (")));
}

std::string linkOf(const std::string& transport)
{
    return transport == "nccl" ? "NCCL"
        : transport == "peer"  ? "copies between GPUs"
                               : "memory copies";
}

double recomputedShare(const Schedule& schedule)
{
    double forwards = 0, recomputes = 0;
    for (const auto& program : schedule.program)
        for (const Op& op : program) {
            forwards += op.kind == OpKind::Forward ? 1 : 0;
            recomputes += op.kind == OpKind::Recompute ? 1 : 0;
        }
    return forwards > 0 ? recomputes / forwards : 0;
}

// Everything that is known about a run before it starts.
RunInfo runInfo(const Experiment& experiment, const Schedule& lowered, const RunDevices& on,
                const TextData& data)
{
    const ModelSpec& model = experiment.model;
    const Shape& shape = lowered.shape;
    const int microBatches = shape.microBatches * shape.dataParallel; // of all data-parallel copies
    RunInfo info;
    info.scheme = experiment.scheduleFile.empty() ? experiment.schedule.scheme : "file";
    info.label = labelOf(experiment);
    info.experiment = toToml(experiment);
    info.command = commandOf(experiment);
    if (experiment.nvtxGrammar != NvtxGrammar::Bubblescope)
        info.nvtxGrammar = nvtxGrammarName(experiment.nvtxGrammar);
    info.started = now();
    info.program = buildId();
    info.mode = experiment.mode;
    info.hostName = hostName();
    info.deviceName = on.first().info().name;
    const bool live = experiment.mode == Mode::Live;
    const bool cuda = experiment.backend == Backend::Cuda;
    info.timing = live && cuda ? "wall clock by CUDA events"
        : live                 ? "wall clock"
        : cuda                 ? "CUDA events"
                               : "thread CPU clock";
    info.transport = on.transport();
    const auto links = emulatedLinks(experiment, lowered);
    info.link = live || !links
        ? linkOf(info.transport)
        : describeLinks(*links) + blockingText({.receive = experiment.receive});
    info.model = model.name;
    info.precision = nameIn(kPrecisionNames, model.precision);
    info.tokensPerIteration = std::int64_t{microBatches} * model.microBatchSize * model.sequence;
    info.flopsPerIteration = flopsPerIteration(model, microBatches);
    info.executedFlops = executedFlopsPerIteration(model, microBatches, recomputedShare(lowered));
    // In a stream, the windows in which the pipeline fills and drains are not measured; they are
    // treated as warm-up.
    info.plannedWarmup
        = shape.windows > 1 ? shape.windows - experiment.iterations : experiment.warmup;
    info.plannedIterations = experiment.iterations;
    info.session = experiment.session;
    info.rounds = shape.windows > 1 ? std::min(experiment.rounds, 1) : experiment.rounds;
    // These reference values hold for a model that sees only earlier tokens.
    if (!isBidirectional(model.family)) {
        info.unigramEntropy = data.unigramEntropy();
        info.entropyRate = data.entropyRate();
    }
    return info;
}

// Sets the mean number of cores that other processes use while it exists.
class LoadOfOthers
{
public:
    explicit LoadOfOthers(std::optional<double>& load)
        : m_load(load)
    { }
    LoadOfOthers(const LoadOfOthers&) = delete;
    LoadOfOthers& operator=(const LoadOfOthers&) = delete;
    ~LoadOfOthers()
    {
        const auto used = cpuTimeOfOthers();
        constexpr std::int64_t kShortest = 200'000'000; // ns; the system counts in steps of 10 ms
        if (const std::int64_t time = wallTime() - m_begin; m_used && used && time > kShortest)
            m_load = std::max(0.0, ratio(*used - *m_used, time));
    }

private:
    std::optional<double>& m_load;
    std::optional<std::int64_t> m_used = cpuTimeOfOthers();
    std::int64_t m_begin = wallTime();
};

// Trains an experiment on open devices. It owns everything that its executor and threads refer to.
// Not thread-safe.
class TrainingRun
{
public:
    struct Setup
    {
        Experiment experiment;
        RunDevices on;
        Schedule schedule; // the lowered schedule
        PassSpec pass;
        TextData data;
        RunObserver observer;
    };
    explicit TrainingRun(Setup setup)
        : m_setup(std::move(setup))
        , m_spaces(m_setup.on.spaces())
        , m_ledger(m_setup.on)
    {
        m_setup.experiment.mode = m_setup.on.mode;
        m_run.schedule = m_setup.schedule;
    }

    // Plans and allocates the memory, then reports the start to the observer. Fails with
    // Error::Code::Device if there is not enough memory. Throws std::bad_alloc.
    Result<void> prepare(const std::atomic<bool>& cancel)
    {
        const Experiment& experiment = m_setup.experiment;
        const Device& device = m_setup.on.first();
        device.bindThread();
        m_model = makeTransformer(m_setup.pass.model, m_run.schedule.shape.stages, device,
                                  m_setup.pass.slices);
        TRY(checkRecordFits(experiment, m_run.schedule, availableMemory()));
        m_plan = planExecution(
            {m_run.schedule, *m_model, experiment.accumulate,
             TokenBatches::bytes(experiment.model, m_run.schedule.shape.allMicroBatches())});
        TRY(checkFits({experiment, m_run.schedule, m_plan, m_spaces}, device));
        auto links = TRY(emulatedLinks(experiment, m_run.schedule));
        makeExecutor(std::move(links));
        m_ledger.step(m_setup.on.communicators ? std::optional(GpuMemoryOwner::Communicators)
                                               : std::nullopt);
        describe(cancel);
        TRY(m_setup.observer.started(m_run));
        if (!m_setup.on.note.empty())
            m_setup.observer.warned(m_setup.on.note);
        return {};
    }
    // Runs warm-up and measured iterations, adds the Replay, and always reports the end to the
    // observer. After a cancellation the complete iterations are kept; a cancelled stream has none.
    Result<void> train(const std::atomic<bool>& cancel)
    {
        auto trained = iterateAll(cancel);
        m_executor->addTo(m_run.info);
        // Skips the memory of GPUs after an error, because a failed GPU does not respond.
        if (trained || trained.error().code == Error::Code::Cancelled || !m_setup.on.isCuda())
            account();
        m_setup.observer.ended(m_run.info);
        if (trained)
            m_run.info.outcome = Outcome::Finished;
        return trained;
    }

    Run takeRun() { return std::move(m_run); }
    // Call it after an error. If true, this object must not be destroyed
    // (Executor::devicesAreLost).
    bool devicesAreLost() const { return m_executor != nullptr && m_executor->devicesAreLost(); }

private:
    void makeExecutor(EmulatedLinks links)
    {
        const Experiment& experiment = m_setup.experiment;
        const RunDevices& on = m_setup.on;
        Pipeline::Setup pipeline{.lowered = m_run.schedule,
                                 .model = *m_model,
                                 .kernels = on.first().kernels(),
                                 .seed = experiment.seed,
                                 .accumulate = experiment.accumulate,
                                 .tokenBytes = TokenBatches::bytes(
                                     experiment.model, m_run.schedule.shape.allMicroBatches()),
                                 .plan = &m_plan};
        pipeline.graphs = experiment.graphs;
        pipeline.communicators = on.communicators;
        if (on.haveOwnGpus())
            pipeline.executorDevices = makeExecutorDevices(on, m_models, [&](const Device& own) {
                return makeTransformer(m_setup.pass.model, m_run.schedule.shape.stages, own,
                                       m_setup.pass.slices);
            });
        else if (on.isCuda()) // a CPU uses host memory
            pipeline.device = &on.first();
        m_executor = engine::makeExecutor(
            {pipeline,
             experiment.mode,
             std::move(links),
             {.blockingAllReduce = experiment.sync == SyncPolicy::EagerBlocking,
              .receive = experiment.receive},
             m_setup.observer.launches},
            m_run);
    }
    void describe(const std::atomic<bool>& cancel)
    {
        const Experiment& experiment = m_setup.experiment;
        RunInfo& info = m_run.info;
        info = runInfo(experiment, m_run.schedule, m_setup.on, m_setup.data);
        for (const DevicePlan& plan : m_plan.devices)
            info.arenas.push_back({plan.live(), plan.arena, std::nullopt});
        if (m_setup.on.isCuda())
            return;
        if (auto peak = machinePeak(m_setup.on.devices.front(), cancel)) {
            info.peakFlops = peak->flops;
            info.peakSource = std::move(peak->source);
        } else if (peak.error().code != Error::Code::Cancelled) {
            m_setup.observer.warned("MFU is unknown: " + peak.error().message);
        }
        if (experiment.mode == Mode::Live) {
            info.threads = static_cast<int>(m_executor->threads());
            info.cores = allowedCores().size();
        }
    }
    Result<void> iterateAll(const std::atomic<bool>& cancel)
    {
        const Shape& shape = m_run.schedule.shape;
        TokenBatches tokens(m_setup.experiment.model, shape.allMicroBatches() * shape.dataParallel,
                            m_setup.pass.slices);
        // A stream is one iteration for the executor; its windows are the iterations of the run.
        const int windows = shape.windows;
        const int total
            = windows > 1 ? 1 : m_setup.experiment.warmup + m_setup.experiment.iterations;
        m_executor->measuredWindows = m_setup.experiment.iterations;
        const LoadOfOthers load(m_run.info.otherLoad);
        Result<void> trained;
        for (int k = 0; k < total && trained; ++k) {
            tokens.load(m_setup.data, k);
            const auto progress = [&](std::size_t done, std::size_t ops) {
                if (windows == 1)
                    m_setup.observer.progress({k, done, ops, m_executor->positions()});
                else
                    m_setup.observer.progress({k + static_cast<int>(done * windows / (ops + 1)),
                                               done * windows % (ops + 1) / windows,
                                               ops / windows,
                                               {}});
            };
            trained = m_executor->iterate(windows > 1 ? Iteration() : iteration(k), tokens,
                                          progress, cancel);
            if (trained) {
                m_setup.observer.timed(m_executor->timings());
                if (k == 0) // later iterations touch the same bytes
                    countTouched();
                trained = tell();
            }
        }
        if (!trained && trained.error().code != Error::Code::Cancelled)
            return trained;
        TRY(m_executor->finish());
        const auto reported
            = m_memoryReported < m_run.timeline.memory.size() ? tell() : Result<void>();
        return trained ? reported : trained;
    }
    Iteration iteration(int k) const
    {
        const bool warmup = k < m_setup.experiment.warmup;
        Iteration next;
        next.number = warmup ? k : k - m_setup.experiment.warmup;
        next.kind = warmup ? Iteration::Kind::Warmup : Iteration::Kind::Measured;
        return next;
    }
    Result<void> tell()
    {
        const std::size_t first = m_memoryReported;
        m_memoryReported = m_run.timeline.memory.size();
        return m_setup.observer.iteration(m_run, first);
    }
    void account()
    {
        m_ledger.step(GpuMemoryOwner::Running);
        m_run.info.gpuMemory = m_ledger.account(m_plan);
        if (const std::string note = memoryNote(m_run.info.gpuMemory); !note.empty())
            m_setup.observer.warned(note);
        countTouched();
    }
    // Reads every arena once. On a GPU, kernels count the bytes; the launch hooks mark these
    // kernels as belonging to no op of the run.
    void countTouched()
    {
        const LaunchHooks none;
        const LaunchScope scope(m_setup.on.isCuda() ? m_setup.observer.launches : none,
                                {OpOfIteration::kOtherCopy, 0});
        for (const DeviceId d : m_run.info.arenas.ids())
            m_run.info.arenas[d].touched = m_executor->pipeline().device(d).arena().touched();
    }

    Setup m_setup;
    Run m_run;
    MemorySpaces m_spaces; // memory that was free before the allocation
    GpuMemoryLedger m_ledger;
    std::unique_ptr<const PipelineModel<float>> m_model;
    ExecutionPlan m_plan;
    Models m_models;
    std::unique_ptr<Executor> m_executor; // last member: uses the other members
    std::size_t m_memoryReported = 0;
};

// The inputs of a run that do not depend on devices; created before devices are opened.
struct Plan
{
    Schedule schedule;
    PassSpec pass;
    TextData data;
};

// Checks the same as checkRecordFits(), but before the schedule is built.
Result<void> checkSize(const Experiment& experiment)
{
    if (!experiment.scheduleFile.empty())
        return {};
    const double bytesPerOp = recordBytes(1, experiment.warmup + experiment.iterations + 1)
        + HappensBefore::bytes(1, experiment.schedule.devices);
    TRY(checkRequest(experiment.schedule));
    const auto limit = limitOfMachine(static_cast<int>(std::min(bytesPerOp, 1e9)));
    return withAdvice(checkRequest(experiment.schedule, limit), ", or fewer --iterations");
}

Result<Plan> planOf(const Experiment& experiment)
{
    TRY(checkExperiment(experiment));
    TRY(checkSize(experiment));
    auto schedule = TRY(scheduleOf(experiment));
    TRY(checkModel(experiment.model, schedule.shape.stages));
    TRY(emulatedLinks(experiment, schedule));
    if (experiment.transport == TransportChoice::Nccl)
        if (const auto fault = findNcclFault(schedule))
            return invalid(
                "NCCL would deadlock with this order of messages ({}): use --transport peer",
                fault->reason);
    auto data
        = TRY(TextData::named(experiment.textFile, experiment.seed, experiment.model.sequence));
    auto pass = TRY(passSpec(experiment.model, schedule));
    return Plan{std::move(schedule), std::move(pass), std::move(data)};
}

} // namespace

Result<Run> runOnDevices(const Experiment& asked, const OpenDevices& open,
                         const RunObserver& observer, const std::atomic<bool>& cancel)
try {
    auto plan = TRY(planOf(asked));
    auto devices = TRY(open(plan.schedule.shape.devices * plan.schedule.shape.dataParallel));
    TRY(checkPrecision(asked.model.precision, devices.first()));
    auto training = std::make_unique<TrainingRun>(
        TrainingRun::Setup{asked, std::move(devices), std::move(plan.schedule),
                           std::move(plan.pass), std::move(plan.data), observer});
    TRY(training->prepare(cancel));
    auto trained = training->train(cancel);
    if (trained)
        return training->takeRun();
    if (training->devicesAreLost())
        keepForever(std::move(training));
    return tl::unexpected(trained.error());
} catch (const Cancelled& cancelled) {
    return fail(Error::Code::Cancelled, cancelled.what());
} catch (const std::exception& error) { // error of a GPU before or after training
    return fail(Error::Code::Device, messageOf(error));
}

Result<Run> runExperiment(const Experiment& experiment, const RunObserver& observer,
                          const std::atomic<bool>& cancel)
{
    const auto open = [&](int count) {
        return openDevices(experiment.backend, experiment.mode, count, experiment.transport,
                           cancel);
    };
    return runOnDevices(experiment, open, observer, cancel);
}

} // namespace engine
