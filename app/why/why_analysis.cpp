#include "app/why/why_analysis.h"

#include "engine/base/try.h"
#include "engine/schedule/transfers.h"
#include "profiler/analysis/data_flow.h"
#include "profiler/why/stragglers.h"

namespace app {
namespace {

// Marks the ops that are drawn as part of the path together with `op`: the other op of a joint
// pair, and the SEND of a message.
void markPartners(const engine::Run& run, const profiler::DataFlow& flow, std::uint32_t op,
                  std::vector<bool>& marks)
{
    const engine::Op& what = flow.op(op);
    if (engine::isTransfer(what.kind)) {
        if (const auto send = flow.send(engine::transferredValue(what, run.schedule.shape)))
            marks[*send] = true;
        return;
    }
    if (what.flags == engine::OpFlag::JointWithNext)
        marks[op + 1] = true;
    if (flow.index().positionOf(op) > 0 && flow.op(op - 1).flags == engine::OpFlag::JointWithNext)
        marks[op - 1] = true;
}

} // namespace

engine::Result<PathMarksPointer> makePathMarks(const engine::Run& run, int iteration)
{
    auto why = TRY(profiler::whyNotFaster(run, iteration));
    auto marks = std::make_shared<PathMarks>();
    marks->why = std::move(why);
    const profiler::DataFlow flow(run.schedule);
    marks->ops.assign(flow.index().count(), false);
    for (const profiler::PathPart& part : marks->why.path.parts) {
        if (part.kind == profiler::PathPart::Kind::Wait)
            continue;
        marks->ops[part.op] = true;
        markPartners(run, flow, part.op, marks->ops);
    }
    return marks;
}

WhyEffectsAnswer simulateChanges(const engine::Run& run, const profiler::Why& why,
                                 const std::atomic<bool>& isDropped)
{
    const profiler::WhyEffects simulator(run, why.path.iteration);
    WhyEffectsAnswer answer{{}, simulator.accuracy(), {}};
    if (const auto found = profiler::stragglers(run))
        for (const profiler::Finding& slow : profiler::stragglerFindings(run, *found))
            answer.stragglers.append(QString::fromStdString(slow.sentence));
    for (const profiler::WhyReason& reason : why.reasons) {
        WhyEffect& effect = answer.effects.emplace_back();
        if (!reason.change || isDropped)
            continue;
        if (const auto change = simulator.of(*reason.change))
            effect.change = *change;
        else
            effect.problem = QString::fromStdString(change.error().message);
    }
    return answer;
}

FasterSchemesAnswer findFasterSchemes(const engine::Run& run, const std::atomic<bool>& isDropped)
{
    auto schemes = profiler::fasterSchemes(run, [&isDropped] { return isDropped.load(); });
    if (!schemes)
        return {{}, QString::fromStdString(schemes.error().message)};
    return {*std::move(schemes), {}};
}

} // namespace app
