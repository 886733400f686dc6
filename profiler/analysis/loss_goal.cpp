#include "profiler/analysis/loss_goal.h"

#include <algorithm>

namespace profiler {

using namespace engine;

namespace {

// The micro-batches of one iteration, over all data-parallel copies.
std::int64_t microBatchesOf(const Run& run)
{
    return std::int64_t{run.schedule.shape.microBatches} * run.schedule.shape.dataParallel;
}

// Returns the losses of all micro-batches in order. If only the mean loss of an iteration is known,
// every micro-batch of the iteration has this mean.
std::vector<double> lossesOf(const Run& run)
{
    std::vector<double> losses;
    for (const Iteration& iteration : run.timeline.iterations) {
        if (!iteration.loss)
            continue;
        if (iteration.microBatchLoss.empty())
            losses.insert(losses.end(), static_cast<std::size_t>(microBatchesOf(run)),
                          *iteration.loss);
        else
            losses.insert(losses.end(), iteration.microBatchLoss.begin(),
                          iteration.microBatchLoss.end());
    }
    return losses;
}

// Returns the moving average: element i is the mean of losses[i] to losses[i + window - 1].
std::vector<double> means(const std::vector<double>& losses, std::size_t window)
{
    std::vector<double> result;
    double sum = 0;
    for (std::size_t i = 0; i < losses.size(); ++i) {
        sum += losses[i] - (i >= window ? losses[i - window] : 0);
        if (i + 1 >= window)
            result.push_back(sum / window);
    }
    return result;
}

// Counts the optimizer steps of stage 0 in one replica, in all windows (Shape::windows). Only
// asynchronous schemes have more than one per window.
std::int64_t updatesOf(const Schedule& schedule)
{
    std::int64_t updates = 0;
    for (const auto& program : schedule.program)
        updates += std::ranges::count_if(program, [](const Op& op) {
            return op.kind == OpKind::OptimizerStep && op.stage.value == 0 && op.replica == 0;
        });
    return std::max<std::int64_t>(1, updates);
}

std::size_t windowOf(const std::vector<const Run*>& runs)
{
    std::size_t window = LossGoal::kWindow;
    for (const Run* run : runs)
        window = std::min(window, lossesOf(*run).size());
    return window;
}

} // namespace

std::optional<LossGoal> bestCommonLoss(const std::vector<const Run*>& runs)
{
    auto goal = lossGoal(runs, 0);
    for (std::size_t i = 0; goal && i < runs.size(); ++i) {
        const std::vector<double> all = means(lossesOf(*runs[i]), goal->window);
        const double best = *std::ranges::min_element(all);
        goal->loss = i == 0 ? best : std::max(goal->loss, best);
    }
    return goal;
}

std::optional<LossGoal> lossGoal(const std::vector<const Run*>& runs, double loss)
{
    const std::size_t window = windowOf(runs);
    if (runs.empty() || window == 0)
        return std::nullopt;
    return LossGoal{loss, window};
}

std::optional<LossReached> reached(const Run& run, const LossGoal& goal)
{
    const std::vector<double> all = means(lossesOf(run), goal.window);
    const auto first = std::ranges::find_if(all, [&](double mean) { return mean <= goal.loss; });
    if (first == all.end())
        return std::nullopt;
    const std::int64_t perIteration = microBatchesOf(run);
    const std::int64_t microBatches
        = (first - all.begin()) + static_cast<std::int64_t>(goal.window);
    LossReached result;
    result.microBatches = microBatches;
    result.iterations = (microBatches + perIteration - 1) / perIteration;
    result.updates = (microBatches - 1) * updatesOf(run.schedule)
        / (perIteration * run.schedule.shape.windows);
    result.tokens = microBatches * (run.info.tokensPerIteration / perIteration);
    return result;
}

} // namespace profiler
