#include "engine/exec/run_experiment.h"

#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/arena_use.h"
#include "engine/exec/check_experiment.h"
#include "engine/exec/experiment_schedule.h"
#include "engine/exec/gemm_peak.h"
#include "engine/exec/gpu_memory_ledger.h"
#include "engine/exec/make_executor.h"
#include "engine/exec/memory_fit.h"
#include "engine/exec/run_devices.h"
#include "engine/exec/run_info.h"
#include "engine/exec/unit_spec.h"
#include "engine/exec/worker.h"
#include "engine/model/make_transformer.h"
#include "engine/schedule/communicator_lanes.h"

#include <fmt/format.h>

#include <new>
#include <stdexcept>

namespace engine {
namespace {

Result<TextData> dataOf(const Experiment& experiment)
{
    if (experiment.textFile.empty())
        return TextData::builtIn(experiment.seed);
    if (experiment.textFile == TextData::kShipped)
        return TextData::shipped(experiment.seed);
    return TextData::fromFile(experiment.textFile, experiment.seed, experiment.model.sequence);
}

// Everything a run stands on; made before anything runs.
struct Plan
{
    RunDevices on;
    Schedule schedule;
    UnitSpec unit;
    TextData data;
};

Result<Plan> planOf(const Experiment& experiment)
{
    if (auto sane = checkExperiment(experiment); !sane)
        return tl::unexpected(sane.error());
    auto schedule = scheduleOf(experiment);
    if (!schedule)
        return tl::unexpected(schedule.error());
    if (auto fits = checkModel(experiment.model, schedule->shape.stages); !fits)
        return tl::unexpected(fits.error());
    if (experiment.transport == Carrier::Nccl)
        if (const auto fault = findNcclFault(*schedule))
            return fail(Error::Code::InvalidArgument,
                        fmt::format("NCCL does not carry this order of messages ({}): use "
                                    "--transport peer",
                                    fault->reason));
    auto data = dataOf(experiment);
    if (!data)
        return tl::unexpected(data.error());
    auto devices
        = openDevices(experiment.backend, experiment.mode,
                      schedule->shape.devices * schedule->shape.dataParallel, experiment.transport);
    if (!devices)
        return tl::unexpected(devices.error());
    if (auto computes = checkPrecision(experiment.model.precision, devices->first()); !computes)
        return tl::unexpected(computes.error());
    auto unit = unitSpec(experiment.model, *schedule);
    if (!unit)
        return tl::unexpected(unit.error());
    return Plan{std::move(*devices), std::move(*schedule), std::move(*unit), std::move(*data)};
}

// Warm-up, then measured iterations, then the replay.
class Training
{
public:
    Training(const Experiment& experiment, const RunObserver& observer, const TextData& data)
        : m_experiment(experiment)
        , m_observer(observer)
        , m_data(data)
    { }

    Result<void> all(Executor& executor, TokenBatches& tokens, Run& run,
                     const std::atomic<bool>& cancel)
    {
        const int total = m_experiment.warmup + m_experiment.iterations;
        Result<void> trained;
        for (int k = 0; k < total && trained; ++k) {
            tokens.load(m_data, k);
            const auto progress
                = [&](std::size_t done, std::size_t ops) { m_observer.progress(k, done, ops); };
            trained = executor.iterate(iteration(k), tokens, progress, cancel);
            if (trained) {
                m_observer.timed(executor.timings());
                trained = tell(run);
            }
        }
        if (!trained && trained.error().code != Error::Code::Cancelled)
            return trained;
        if (auto finished = executor.finish(); !finished)
            return finished;
        const auto told = m_memoryTold < run.timeline.memory.size() ? tell(run) : Result<void>();
        return trained ? told : trained;
    }

private:
    Iteration iteration(int k) const
    {
        const bool warmup = k < m_experiment.warmup;
        Iteration next;
        next.number = warmup ? k : k - m_experiment.warmup;
        next.kind = warmup ? Iteration::Kind::Warmup : Iteration::Kind::Measured;
        return next;
    }

    Result<void> tell(const Run& run)
    {
        const std::size_t first = m_memoryTold;
        m_memoryTold = run.timeline.memory.size();
        return m_observer.iteration(run, first);
    }

    const Experiment& m_experiment;
    const RunObserver& m_observer;
    const TextData& m_data;
    std::size_t m_memoryTold = 0;
};

} // namespace

Result<Run> runExperiment(const Experiment& asked, const RunObserver& observer,
                          const std::atomic<bool>& cancel)
try {
    auto plan = planOf(asked);
    if (!plan)
        return tl::unexpected(plan.error());
    Experiment experiment = asked;
    experiment.mode = plan->on.mode;
    Run run;
    run.schedule = std::move(plan->schedule);
    const DeviceInfo device = plan->on.first().info();
    const MemoryRooms rooms = plan->on.rooms();
    GpuMemoryLedger ledger(plan->on);
    const Kernels<float>& kernels = plan->on.first().kernels();
    plan->on.first().bindThread();
    const auto unit = makeTransformer(plan->unit.model, run.schedule.shape.stages, plan->on.first(),
                                      plan->unit.slices);
    const Bytes tokenBytes = TokenBatches::bytes(experiment.model, run.schedule.shape.microBatches);
    if (auto fits = checkRecordFits(experiment, run.schedule, availableMemory()); !fits)
        return tl::unexpected(fits.error());
    const ExecutionPlan memory
        = planExecution({run.schedule, *unit, experiment.accumulate, tokenBytes});
    if (auto fits = checkFits({experiment, run.schedule, memory, rooms}, plan->on.first()); !fits)
        return tl::unexpected(fits.error());
    Pipeline::Setup pipeline{.lowered = run.schedule,
                             .unit = *unit,
                             .kernels = kernels,
                             .seed = experiment.seed,
                             .accumulate = experiment.accumulate,
                             .tokenBytes = tokenBytes,
                             .plan = &memory};
    pipeline.graphs = experiment.graphs;
    pipeline.communicators = plan->on.communicators;
    Units units;
    if (plan->on.haveOwnGpus())
        pipeline.seats = makeSeats(plan->on, units, [&](const Device& own) {
            return makeTransformer(plan->unit.model, run.schedule.shape.stages, own,
                                   plan->unit.slices);
        });
    else if (plan->on.isCuda()) // the CPU's memory is this process's
        pipeline.device = &plan->on.first();
    const auto executor
        = makeExecutor({pipeline,
                        experiment.mode,
                        experiment.link,
                        {.blockingAllReduce = experiment.sync == SyncPolicy::EagerBlocking},
                        observer.launches},
                       run);
    ledger.step(plan->on.communicators ? std::optional(GpuHolder::Communicators) : std::nullopt);
    run.info = runInfo({experiment, run.schedule, device, plan->data, plan->on.transport()});
    run.info.arenas = arenaUse(executor->pipeline(), ArenasAre::LaidOut);
    if (experiment.backend == Backend::Cpu) {
        const GemmPeak peak = measureGemmPeak(kernels);
        run.info.peakFlops = peak.flops;
        run.info.peakSource = peak.source;
    }
    if (experiment.mode == Mode::Live && experiment.backend == Backend::Cpu) {
        run.info.threads = static_cast<int>(executor->threads());
        run.info.cores = static_cast<int>(allowedCores().size());
    }
    if (auto started = observer.started(run); !started)
        return tl::unexpected(started.error());
    if (!plan->on.note.empty())
        observer.warned(plan->on.note);

    const Shape& shape = run.schedule.shape;
    TokenBatches tokens(experiment.model, shape.microBatches * shape.dataParallel,
                        plan->unit.slices);
    Training training(experiment, observer, plan->data);
    const auto trained = training.all(*executor, tokens, run, cancel);
    run.info.arenas = arenaUse(executor->pipeline(), ArenasAre::Used);
    executor->addTo(run.info);
    ledger.step(GpuHolder::Running);
    run.info.gpuMemory = ledger.account(memory);
    if (const std::string note = memoryNote(run.info.gpuMemory); !note.empty())
        observer.warned(note);
    observer.ended(run.info);
    if (!trained)
        return tl::unexpected(trained.error());
    run.info.outcome = Outcome::Finished;
    return run;
} catch (const std::bad_alloc&) {
    return fail(Error::Code::Device, "the machine gave no more memory: use a smaller model");
} catch (const std::runtime_error& error) { // of GPUs, before an iteration
    return fail(Error::Code::Device, error.what());
}

} // namespace engine
