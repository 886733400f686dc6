#include "engine/exec/run_experiment.h"

#include "engine/base/cancelled.h"
#include "engine/base/try.h"
#include "engine/exec/op_costs.h"
#include "engine/exec/run_on_devices.h"
#include "engine/exec/training_run.h"
#include "engine/experiment/check_experiment.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/model/make_transformer.h"
#include "engine/plan/execution_plan.h"
#include "engine/plan/happens_before.h"
#include "engine/schedule/check/communicator_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <new>

namespace engine {
namespace {

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
    return checkRequest(experiment.schedule, limit).map_error([](Error error) {
        error.message += ", or fewer --iterations";
        return error;
    });
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
            return fail(
                Error::Code::InvalidArgument,
                fmt::format(
                    "NCCL would deadlock with this order of messages ({}): use --transport peer",
                    fault->reason));
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
    TRY(training->prepare());
    auto trained = training->train(cancel);
    if (trained)
        return training->takeRun();
    if (training->devicesAreLost())
        keepForever(std::move(training));
    return tl::unexpected(trained.error());
} catch (const Cancelled& cancelled) {
    return fail(Error::Code::Cancelled, cancelled.what());
} catch (const std::bad_alloc&) {
    return fail(Error::Code::Device, "out of host memory: use a smaller model");
} catch (const std::exception& error) { // error of a GPU before or after training
    return fail(Error::Code::Device, error.what());
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
