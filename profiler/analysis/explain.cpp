#include "profiler/analysis/explain.h"

#include "profiler/analysis/explainer.h"

#include <algorithm>

namespace profiler {

using namespace engine;

std::vector<Bubble> bubbles(const Run& run, int iteration)
{
    return Explainer(run, iteration).bubbles();
}

std::vector<Window> exposedCommunication(const Run& run, int iteration, DeviceId device)
{
    return Lanes(run, iteration).exposed(device);
}

std::optional<OpExplanation> explain(const Run& run, int iteration, std::uint32_t op)
{
    return Explainer(run, iteration).explain(op);
}

std::vector<CauseStep> causeSteps(const Run& run, const std::vector<CauseLink>& chain)
{
    const OpIndex index(run.schedule);
    const auto isComputed
        = [&](const CauseLink& link) { return isCompute(opAt(run.schedule, index, link.op).kind); };
    std::vector<CauseStep> steps;
    for (const CauseLink& link : chain) {
        if (!steps.empty() && steps.back().last.device == link.device && isComputed(link)
            && isComputed(steps.back().last)) {
            steps.back().last = link;
            steps.back().busy += link.window.duration();
            ++steps.back().ops;
            continue;
        }
        const std::int64_t idle
            = steps.empty() ? 0 : link.window.begin - steps.back().last.window.end;
        steps.push_back({link, link, 1, link.window.duration(), std::max<std::int64_t>(0, idle)});
    }
    return steps;
}

std::vector<CauseLink> flow(const Run& run, int iteration, MicroBatchId microBatch)
{
    return Explainer(run, iteration).flow(microBatch);
}

} // namespace profiler
