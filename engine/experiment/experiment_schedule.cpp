#include "engine/experiment/experiment_schedule.h"

#include "engine/base/try.h"
#include "engine/experiment/check_runnable.h"
#include "engine/schedule/check/deadlock.h"
#include "engine/schedule/formats/read_schedule.h"
#include "engine/schedule/passes/tied_embeddings.h"

#include <fmt/format.h>

namespace engine {
namespace {

bool recomputes(const Schedule& schedule)
{
    for (const auto& program : schedule.program)
        for (const Op& op : program)
            if (op.kind == OpKind::Recompute)
                return true;
    return false;
}

// Adds the all-reduces of tied embeddings. Fails if the file has an optimizer step before them.
Result<Schedule> tied(Schedule lowered, SyncPolicy sync)
{
    TRY(checkTied(lowered));
    Schedule all = tieEmbeddings(std::move(lowered), sync);
    if (const auto stuck = findDeadlock(all, DeadlockKind::Any))
        return fail(Error::Code::InvalidArgument, "with tied embeddings " + stuck->message);
    return all;
}

} // namespace

Result<Schedule> scheduleOf(const Experiment& experiment, Windows windows)
{
    const ScheduleRequest request = windows == Windows::One
        ? experiment.schedule
        : asStream(experiment.schedule, {experiment.warmup, experiment.iterations});
    auto schedule = experiment.scheduleFile.empty() ? buildSchedule(request)
                                                    : readScheduleFile(experiment.scheduleFile);
    if (!schedule)
        return schedule;
    schedule->shape.dataParallel = experiment.schedule.dataParallel;
    return trainable(*schedule, experiment.model, experiment.sync);
}

Result<Schedule> trainable(const Schedule& schedule, const ModelSpec& model, SyncPolicy sync)
{
    if (auto possible = checkSync(schedule, sync); !possible)
        return tl::unexpected(possible.error());
    const bool full = model.recompute == Recompute::Full;
    if (full && schedule.shape.slices > 1)
        return fail(Error::Code::Unsupported,
                    "sequence slices read activations that full recomputation frees: use "
                    "--recompute attention or none");
    if (!full && recomputes(schedule))
        return fail(Error::Code::InvalidArgument,
                    "the schedule has RECOMPUTE ops, but the model keeps its activations: use "
                    "--recompute full");
    Schedule all = lower(full && !recomputes(schedule) ? addRecompute(schedule) : schedule, sync);
    TRY(checkRunnable(all));
    if (!model.tied && hasTiedEmbeddings(all))
        return fail(Error::Code::InvalidArgument,
                    "the schedule sums the gradients of tied embeddings (AR of only the first and "
                    "the last stage), but the model has none: use a model with tied = true");
    return model.tied ? tied(std::move(all), sync) : all;
}

} // namespace engine
