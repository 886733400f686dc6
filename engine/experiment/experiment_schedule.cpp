#include "engine/experiment/experiment_schedule.h"

#include "engine/base/try.h"
#include "engine/experiment/check_experiment.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"
#include "engine/sim/recompute_ahead.h"

namespace engine {
namespace {

// Fails if a schedule file has an optimizer step before an all-reduce that was added to it.
Result<void> checkAllReduces(const Schedule& lowered, std::string_view added)
{
    if (const auto stuck = findDeadlock(lowered, DeadlockKind::Any))
        return invalid("with the all-reduces of {} {}: move the OPT ops of the schedule "
                       "file to the end of each device, or remove them",
                       added, stuck->message);
    return {};
}

// We move RECOMPUTE ops by the times F 1 and B 2, because no op has been measured yet.
Result<Schedule> withPasses(Schedule all, const ModelSpec& model, SyncPolicy sync)
{
    if (model.recompute == Recompute::Full && !holds(all, OpKind::Recompute))
        all = addRecompute(all);
    if (model.offload)
        all = TRY(addOffload(all, model.offload->value()));
    if (!model.recomputeAhead)
        return all;
    return recomputeAhead(std::move(all), {.most = *model.recomputeAhead, .sync = sync},
                          [](const Schedule& lowered) { return unitOpCosts(lowered, {}); });
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
    TRY(checkSlices(schedule, model.family, model.recompute));
    if (model.recompute != Recompute::Full && holds(schedule, OpKind::Recompute))
        return invalid("the schedule has RECOMPUTE ops, but the model keeps its activations: use "
                       "--recompute full");
    Schedule all = lower(TRY(withPasses(schedule, model, sync)), sync);
    TRY(checkAllReduces(all, "gradients"));
    TRY(checkRunnable(all));
    if (!model.tied && hasTiedEmbeddings(all))
        return invalid(
            "the schedule sums the gradients of tied embeddings (AR of only the first and "
            "the last stage), but the model has none: use a model with tied = true");
    if (!model.tied)
        return all;
    TRY(checkTied(all));
    all = tieEmbeddings(std::move(all), sync);
    TRY(checkAllReduces(all, "tied embeddings"));
    return all;
}

} // namespace engine
