#include "engine/exec/run_experiment.h"

#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/check_experiment.h"
#include "engine/exec/check_runnable.h"
#include "engine/exec/emulation.h"
#include "engine/exec/run_info.h"
#include "engine/model/transformer.h"
#include "engine/schedule/csv.h"
#include "engine/schedule/validate.h"

#include <fmt/format.h>

#include <fstream>

namespace engine {
namespace {

Result<Schedule> readScheduleFile(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return fail(Error::Code::Io, fmt::format("cannot open the schedule '{}'", path));
    auto schedule = readCsv(std::string(std::istreambuf_iterator<char>(file), {}));
    if (!schedule) {
        schedule.error().message = fmt::format("{}: {}", path, schedule.error().message);
        return schedule;
    }
    if (const auto violations = validate(*schedule); !violations.empty())
        return fail(Error::Code::InvalidArgument,
                    fmt::format("{}: {} (bscope validate shows everything)", path,
                                violations.front().message));
    return schedule;
}

Result<Schedule> lowered(const Experiment& experiment)
{
    auto schedule = experiment.scheduleFile.empty() ? buildSchedule(experiment.schedule)
                                                    : readScheduleFile(experiment.scheduleFile);
    if (!schedule)
        return schedule;
    Schedule all = lower(*schedule, experiment.sync);
    if (auto runnable = checkRunnable(all); !runnable)
        return tl::unexpected(runnable.error());
    return all;
}

Result<TextData> dataOf(const Experiment& experiment)
{
    if (experiment.textFile.empty())
        return TextData::builtIn(experiment.seed);
    if (experiment.textFile == TextData::kShipped)
        return TextData::shipped(experiment.seed);
    return TextData::fromFile(experiment.textFile, experiment.seed, experiment.model.sequence);
}

// Some is left to the rest of the machine.
Result<void> checkMemory(double training, double record, Bytes available)
{
    constexpr double kShare = 0.9, kGigabyte = 1e9;
    if (available <= 0 || training + record <= kShare * static_cast<double>(available))
        return {};
    const char* advice = training > record
        ? "use a smaller model or --micro-batch-size, fewer --micro-batches "
          "or --devices, or a scheme that keeps fewer in flight (1f1b)"
        : "most of it is the record: use fewer --iterations or "
          "--micro-batches";
    return fail(Error::Code::Device,
                fmt::format("this run needs {:.1f} GB of memory and {:.1f} GB are free: {}",
                            (training + record) / kGigabyte,
                            static_cast<double>(available) / kGigabyte, advice));
}

// Everything a run stands on; made before anything runs.
struct Plan
{
    std::shared_ptr<const CpuDevice> device;
    Schedule schedule;
    TextData data;
};

Result<Plan> planOf(const Experiment& experiment)
{
    if (auto sane = checkExperiment(experiment); !sane)
        return tl::unexpected(sane.error());
    auto schedule = lowered(experiment);
    if (!schedule)
        return tl::unexpected(schedule.error());
    if (auto fits = checkModel(experiment.model, schedule->shape.stages); !fits)
        return tl::unexpected(fits.error());
    auto data = dataOf(experiment);
    if (!data)
        return tl::unexpected(data.error());
    auto device = openCpuDevice();
    if (!device)
        return tl::unexpected(device.error());
    return Plan{std::move(*device), std::move(*schedule), std::move(*data)};
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

    Result<void> all(Emulation& emulation, TokenBatches& tokens, Run& run,
                     const std::atomic<bool>& cancel)
    {
        const int total = m_experiment.warmup + m_experiment.iterations;
        Result<void> trained;
        for (int k = 0; k < total && trained; ++k) {
            tokens.load(m_data, k);
            const auto progress
                = [&](std::size_t done, std::size_t ops) { m_observer.progress(k, done, ops); };
            trained = emulation.iterate(iteration(k), tokens, progress, cancel);
            if (trained) {
                m_observer.timed(emulation.timings());
                trained = tell(run);
            }
        }
        const bool cancelled = !trained && trained.error().code == Error::Code::Cancelled;
        if ((!trained && !cancelled) || emulation.measured() == 0)
            return trained;
        if (auto replayed = emulation.placeReplay(); !replayed)
            return replayed;
        const auto told = tell(run);
        return cancelled ? trained : told;
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

Result<Run> runExperiment(const Experiment& experiment, const RunObserver& observer,
                          const std::atomic<bool>& cancel)
{
    auto plan = planOf(experiment);
    if (!plan)
        return tl::unexpected(plan.error());
    Run run;
    run.schedule = std::move(plan->schedule);
    const DeviceInfo device = plan->device->info();
    run.info = runInfo({experiment, run.schedule, device, plan->data});

    const Transformer<float> model(experiment.model, run.schedule.shape.stages,
                                   plan->device->kernels());
    const Bytes tokenBytes = TokenBatches::bytes(experiment.model, run.schedule.shape.microBatches);
    const MemoryPlan memory = planMemory({run.schedule, model, experiment.accumulate, tokenBytes});
    const std::int64_t iterations = experiment.warmup + experiment.iterations + 1; // the replay
    if (auto fits = checkMemory(memory.total(), recordBytes(opCount(run.schedule), iterations),
                                device.memory);
        !fits)
        return tl::unexpected(fits.error());
    if (auto started = observer.started(run); !started)
        return tl::unexpected(started.error());

    Emulation emulation({{run.schedule, model, plan->device->kernels(), experiment.seed,
                          experiment.accumulate, tokenBytes},
                         experiment.link},
                        run);
    TokenBatches tokens(experiment.model, run.schedule.shape.microBatches);
    Training training(experiment, observer, plan->data);
    if (auto trained = training.all(emulation, tokens, run, cancel); !trained)
        return tl::unexpected(trained.error());
    run.info.outcome = Outcome::Finished;
    return run;
}

} // namespace engine
