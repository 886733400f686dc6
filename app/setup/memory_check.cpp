#include "app/setup/memory_check.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/backend/cpu/cpu_device.h"
#include "engine/base/available_memory.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/model/transformer.h"
#include "engine/plan/memory_fit.h"
#include "engine/plan/token_batches.h"

#include <QCoreApplication>

namespace app {
namespace {

using engine::Experiment;

// Larger runs are checked only by their worker.
constexpr std::size_t kMostPlannedOps = 100'000;

QString memoryPhrase(const char* text)
{
    return QCoreApplication::translate("Plan", text);
}

QString sizeText(double bytes)
{
    return byteScale(static_cast<std::int64_t>(bytes)).withUnit(bytes);
}

// Returns the memory that the run needs; nullopt if the run is not possible for another reason.
std::optional<engine::MemoryNeed> memoryNeedOf(const Experiment& experiment,
                                               const engine::MemorySpaces& spaces,
                                               const engine::Device& device)
{
    const auto lowered = engine::scheduleOf(experiment);
    if (!lowered || opCount(*lowered) > kMostPlannedOps
        || !engine::checkModel(experiment.model, lowered->shape.stages)
        || !engine::checkPrecision(experiment.model.precision, device))
        return std::nullopt;
    const auto pass = engine::passSpec(experiment.model, *lowered);
    if (!pass)
        return std::nullopt;
    const auto model
        = engine::makeTransformer(pass->model, lowered->shape.stages, device, pass->slices);
    const engine::Bytes tokens
        = engine::TokenBatches::bytes(experiment.model, lowered->shape.allMicroBatches());
    const auto plan = engine::planExecution({*lowered, *model, experiment.accumulate, tokens});
    return engine::memoryNeed(experiment, *lowered, plan, spaces);
}

QString memoryProblem(const engine::MemoryNeed& need, const Experiment& experiment,
                      const engine::MemorySpaces& spaces)
{
    if (!spaces.front().holds(need.most()))
        return memoryPhrase("This run needs %1; %2 of the %3 that are free can be used.")
            .arg(sizeText(need.most()), sizeText(spaces.front().usable()),
                 sizeText(static_cast<double>(spaces.front().free)));
    return memoryPhrase("The fullest device needs %1; its limit is %2.")
        .arg(sizeText(static_cast<double>(need.fullest)),
             sizeText(static_cast<double>(experiment.deviceMemory)));
}

// Describes a remedy: "Micro-batch size 2, 1.20 GiB" for "--micro-batch-size 2".
QString changeText(const engine::Remedy& remedy)
{
    const std::size_t blank = remedy.option.find(' ');
    const auto& field = engine::experimentField(remedy.option.substr(0, blank));
    return QStringLiteral("%1 %2, %3")
        .arg(fromUtf8(field.label), fromUtf8(remedy.option.substr(blank + 1)),
             sizeText(remedy.need.most()));
}

} // namespace

MemoryCheck checkMemory(const RunPlan& plan, engine::Bytes free)
{
    const Experiment& experiment = plan.experiment;
    MemoryCheck check;
    if (experiment.mode == engine::Mode::Simulate || experiment.backend == engine::Backend::Cuda)
        return check;
    const auto device = engine::openCpuDevice();
    const engine::MemorySpaces spaces{{free}};
    const auto need = device ? memoryNeedOf(experiment, spaces, **device) : std::nullopt;
    if (!need || engine::fits(*need, experiment, spaces))
        return check;
    check.problem = memoryProblem(*need, experiment, spaces);
    for (const engine::Remedy& remedy : engine::remediesFor(experiment, spaces, **device)) {
        RunPlan changed = plan;
        changed.experiment = remedy.experiment;
        check.changes.push_back({changeText(remedy), std::move(changed)});
    }
    return check;
}

MemoryCheck checkMemory(const RunPlan& plan)
{
    return checkMemory(plan, engine::availableMemory());
}

} // namespace app
