#include "engine/experiment/check_experiment.h"

#include "engine/base/try.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/notation.h"

#include <algorithm>
#include <map>

namespace engine {

Result<void> checkExperiment(const Experiment& experiment)
{
    for (const Field<Experiment>& each : experimentFields())
        TRY(each.check(each.get(experiment)));
    if (experiment.backend == Backend::Cpu && experiment.transport != TransportChoice::Auto)
        return invalid("--transport needs GPUs: add --backend cuda, or remove --transport");
    if (experiment.mode == Mode::Emulate && experiment.transport == TransportChoice::Nccl)
        return invalid("--transport nccl needs a live run: add --mode live, or remove --transport");
    if (experiment.backend == Backend::Cpu && experiment.graphs == Graphs::On)
        return invalid("--graphs on needs GPUs: add --backend cuda, or remove --graphs");
    if (experiment.model.family == Family::Vit && !experiment.textFile.empty())
        return invalid("--text: {} is trained on generated images; remove --text",
                       experiment.model.name);
    if (experiment.mode == Mode::Emulate || experiment.mode == Mode::Live)
        return {};
    return invalid("mode '{}' cannot be run: use --mode emulate or live",
                   modeName(experiment.mode));
}

namespace {

Result<void> unsupported(const char* message)
{
    return fail(Error::Code::Unsupported, message);
}

// An optimizer step uses the mean over updateEvery micro-batches of all directions, and a window
// must consist of whole updates.
Result<void> checkUpdates(const Schedule& lowered)
{
    const int every = updateEveryOfReplica(lowered.shape);
    for (const auto& program : lowered.program) {
        std::map<std::pair<std::uint8_t, StageId>, int> backwards; // since the last update
        for (const Op& op : program) {
            int& done = backwards[{op.replica, op.stage}];
            if (finishesBackward(op.kind))
                ++done;
            if (op.kind != OpKind::OptimizerStep)
                continue;
            if (done != every)
                return fail(Error::Code::Unsupported,
                            "{} updates the weights after {} micro-batches, other steps do so "
                            "after {}: training needs the same number; use bscope simulate",
                            toString(op), done, every);
            done = 0;
        }
        const int all = lowered.shape.updateEvery;
        for (const auto& [stage, left] : backwards)
            if (left > 0)
                return fail(Error::Code::Unsupported,
                            "the last {} of {} micro-batches do not complete an update "
                            "of {}: use --micro-batches {}, or bscope simulate",
                            left * lowered.shape.replicas, lowered.shape.allMicroBatches(), all,
                            (lowered.shape.microBatches / all + 1) * all);
    }
    return {};
}

Result<void> checkAsynchronous(const Schedule& lowered)
{
    if (const auto violations = checkVersions(lowered); !violations.empty())
        return invalid(violations.front().message);
    if (lowered.shape.dataParallel > 1)
        return unsupported("asynchronous schemes have no all-reduce between data-parallel copies: "
                           "use --data-parallel 1");
    if (lowered.shape.slices > 1)
        return unsupported("asynchronous schedules with slices cannot be trained, because no rule "
                           "defines their updates; use bscope simulate");
    return checkUpdates(lowered);
}

Op sliceOf(Op op, int slice)
{
    op.slice = static_cast<std::uint16_t>(slice);
    return op;
}

// A whole op would process its sequence slices as if they were independent samples. An EVICT or
// LOAD would move only a part of a stash, or a slice that later slices read.
Result<void> checkParts(const Schedule& lowered)
{
    const bool halves = hasHalves(lowered);
    const int slices = lowered.shape.slices;
    if (slices == 1 && !halves)
        return {};
    for (const auto& program : lowered.program)
        for (const Op& op : program) {
            if (isCopy(op.kind))
                return fail(Error::Code::Unsupported,
                            "{} moves a stash, but the schedule splits micro-batches: "
                            "remove its evicts and loads, or use bscope simulate",
                            toString(op));
            if (!halves && isPass(op.kind) && op.slice == Op::kWhole)
                return fail(Error::Code::Unsupported,
                            "{} runs a whole micro-batch, but the schedule has "
                            "sequence slices: replace it with {} to {}, or use "
                            "bscope simulate",
                            toString(op), toString(sliceOf(op, 0)),
                            toString(sliceOf(op, slices - 1)));
        }
    return {};
}

} // namespace

Result<void> checkRunnable(const Schedule& lowered)
{
    if (anyOp(lowered, [](const Op& op) { return isSharding(op.kind); }))
        return fail(Error::Code::Unsupported,
                    "UNSHARD and RESHARD: a run keeps the whole weights of its stages on every "
                    "copy; remove these ops, or use bscope simulate");
    return isAsynchronous(lowered) ? checkAsynchronous(lowered) : checkParts(lowered);
}

Result<void> checkSync(const Schedule& schedule, SyncPolicy sync)
{
    if (sync != SyncPolicy::Late || schedule.shape.updateEvery == 0 || schedule.shape.replicas == 1)
        return {};
    return invalid("--sync late: {} has to all-reduce the gradients of a stage before its "
                   "next backward; use eager or eager-blocking",
                   schedule.scheme);
}

Result<void> checkSlices(const Schedule& schedule, Family family, Recompute recompute)
{
    if (schedule.shape.slices == 1)
        return {};
    if (recompute == Recompute::Full)
        return unsupported("sequence slices read activations that full recomputation frees: use "
                           "--recompute attention or none");
    if (isBidirectional(family) && !hasHalves(schedule))
        return unsupported("bidirectional attention needs whole sequences: use a scheme without "
                           "sequence slices, or a model with family = gpt or llama");
    return {};
}

Result<void> checkTied(const Schedule& lowered)
{
    const Shape& shape = lowered.shape;
    if (isAsynchronous(lowered) && shape.stages > 1)
        return unsupported("asynchronous schemes cannot train tied embeddings, whose two copies "
                           "would have different versions; set tied = false");
    if (shape.replicas == 1)
        return {};
    const auto ends = [&](DeviceId device, bool last) {
        return std::ranges::count_if(lowered.deviceOf, [&](const auto& stages) {
            return (last ? stages.back() : stages.front()) == device;
        });
    };
    for (const auto& stages : lowered.deviceOf)
        if (ends(stages.front(), false) != ends(stages.front(), true))
            return unsupported("tied embeddings in two directions need equal numbers of first and "
                               "last stages on each device; set tied = false");
    return {};
}

} // namespace engine
