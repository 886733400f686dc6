#include "engine/exec/training_run.h"

#include "engine/base/available_memory.h"
#include "engine/base/try.h"
#include "engine/exec/gemm_peak.h"
#include "engine/exec/make_executor.h"
#include "engine/exec/run_info.h"
#include "engine/exec/worker.h"
#include "engine/model/make_transformer.h"
#include "engine/pipeline/arena_use.h"
#include "engine/plan/memory_fit.h"

namespace engine {

TrainingRun::TrainingRun(Setup setup)
    : m_setup(std::move(setup))
    , m_spaces(m_setup.on.spaces())
    , m_ledger(m_setup.on)
{
    m_setup.experiment.mode = m_setup.on.mode;
    m_run.schedule = m_setup.schedule;
}

Result<void> TrainingRun::prepare()
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
    describe();
    TRY(m_setup.observer.started(m_run));
    if (!m_setup.on.note.empty())
        m_setup.observer.warned(m_setup.on.note);
    return {};
}

void TrainingRun::makeExecutor(EmulatedLinks links)
{
    const Experiment& experiment = m_setup.experiment;
    const RunDevices& on = m_setup.on;
    Pipeline::Setup pipeline{
        .lowered = m_run.schedule,
        .model = *m_model,
        .kernels = on.first().kernels(),
        .seed = experiment.seed,
        .accumulate = experiment.accumulate,
        .tokenBytes = TokenBatches::bytes(experiment.model, m_run.schedule.shape.allMicroBatches()),
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
    m_executor
        = engine::makeExecutor({pipeline,
                                experiment.mode,
                                std::move(links),
                                {.blockingAllReduce = experiment.sync == SyncPolicy::EagerBlocking},
                                m_setup.observer.launches},
                               m_run);
}

void TrainingRun::describe()
{
    const Experiment& experiment = m_setup.experiment;
    RunInfo& info = m_run.info;
    info = runInfo({experiment, m_run.schedule, m_setup.on.first().info(), m_setup.data,
                    m_setup.on.transport()});
    info.arenas = arenaUse(m_executor->pipeline(), ArenasAre::LaidOut);
    if (m_setup.on.isCuda())
        return;
    const GemmPeak peak = measureGemmPeak(m_setup.on.first().kernels());
    info.peakFlops = peak.flops;
    info.peakSource = peak.source;
    if (experiment.mode == Mode::Live) {
        info.threads = static_cast<int>(m_executor->threads());
        info.cores = allowedCores().size();
    }
}

Result<void> TrainingRun::train(const std::atomic<bool>& cancel)
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

void TrainingRun::account()
{
    m_ledger.step(GpuMemoryOwner::Running);
    m_run.info.gpuMemory = m_ledger.account(m_plan);
    if (const std::string note = memoryNote(m_run.info.gpuMemory); !note.empty())
        m_setup.observer.warned(note);
    countTouched();
}

// Reads every arena once. On a GPU, kernels count the bytes; the launch hooks mark these kernels as
// belonging to no op of the run.
void TrainingRun::countTouched()
{
    const LaunchHooks none;
    const LaunchScope scope(m_setup.on.isCuda() ? m_setup.observer.launches : none,
                            {OpOfIteration::kOtherCopy, 0});
    m_run.info.arenas = arenaUse(m_executor->pipeline(), ArenasAre::Used);
}

Result<void> TrainingRun::iterateAll(const std::atomic<bool>& cancel)
{
    const Shape& shape = m_run.schedule.shape;
    TokenBatches tokens(m_setup.experiment.model, shape.allMicroBatches() * shape.dataParallel,
                        m_setup.pass.slices);
    // A stream is one iteration for the executor; its windows are the iterations of the run.
    const int windows = shape.windows;
    const int total = windows > 1 ? 1 : m_setup.experiment.warmup + m_setup.experiment.iterations;
    m_executor->measuredWindows = m_setup.experiment.iterations;
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
        trained = m_executor->iterate(windows > 1 ? Iteration() : iteration(k), tokens, progress,
                                      cancel);
        if (trained) {
            m_setup.observer.timed(m_executor->timings());
            if (k == 0) // later iterations touch the same bytes
                countTouched();
            trained = tell();
        }
    }
    if (!trained && trained.error().code != Error::Code::Cancelled)
        return trained;
    TRY(m_executor->finish(cancel));
    const auto reported = m_memoryReported < m_run.timeline.memory.size() ? tell() : Result<void>();
    return trained ? reported : trained;
}

Iteration TrainingRun::iteration(int k) const
{
    const bool warmup = k < m_setup.experiment.warmup;
    Iteration next;
    next.number = warmup ? k : k - m_setup.experiment.warmup;
    next.kind = warmup ? Iteration::Kind::Warmup : Iteration::Kind::Measured;
    return next;
}

Result<void> TrainingRun::tell()
{
    const std::size_t first = m_memoryReported;
    m_memoryReported = m_run.timeline.memory.size();
    return m_setup.observer.iteration(m_run, first);
}

} // namespace engine
