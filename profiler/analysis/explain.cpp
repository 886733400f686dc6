#include "profiler/analysis/explain.h"

#include "profiler/analysis/explainer.h"

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

std::vector<CauseLink> flow(const Run& run, int iteration, MicroBatchId microBatch)
{
    return Explainer(run, iteration).flow(microBatch);
}

} // namespace profiler
