#include "profiler/analysis/loss_goal.h"

#include <algorithm>
#include <numeric>

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

// The micro-batches of a block of `tokens` tokens.
std::size_t blockOf(const Run& run, std::int64_t tokens)
{
    const std::int64_t own = run.info.tokensPerIteration / microBatchesOf(run);
    return own > 0 && tokens > own ? static_cast<std::size_t>(tokens / own) : 1;
}

// Returns the mean losses of the complete blocks in order.
std::vector<double> blockLosses(const Run& run, std::int64_t tokens)
{
    const std::vector<double> all = lossesOf(run);
    const std::size_t block = blockOf(run, tokens);
    std::vector<double> means;
    for (std::size_t i = 0; i + block <= all.size(); i += block) {
        const auto first = all.begin() + i;
        means.push_back(std::accumulate(first, first + block, 0.0) / static_cast<double>(block));
    }
    return means;
}

// The least number of tokens that is a whole number of micro-batches of every run; 0 if unknown.
std::int64_t commonTokens(const std::vector<const Run*>& runs)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    std::int64_t tokens = 1;
    for (const Run* run : runs) {
        const std::int64_t own = run->info.tokensPerIteration / microBatchesOf(*run);
        if (own <= 0 || own > kMost || tokens > kMost)
            return 0;
        tokens = std::lcm(tokens, own);
    }
    return tokens;
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

} // namespace

std::optional<LossGoal> bestCommonLoss(const std::vector<const Run*>& runs)
{
    auto goal = lossGoal(runs, 0);
    for (std::size_t i = 0; goal && i < runs.size(); ++i) {
        const std::vector<double> all = means(blockLosses(*runs[i], goal->tokens), goal->window);
        const double best = *std::ranges::min_element(all);
        goal->loss = i == 0 ? best : std::max(goal->loss, best);
    }
    return goal;
}

std::optional<LossGoal> lossGoal(const std::vector<const Run*>& runs, double loss)
{
    LossGoal goal{loss, LossGoal::kWindow, commonTokens(runs)};
    for (const Run* run : runs)
        goal.window = std::min(goal.window, blockLosses(*run, goal.tokens).size());
    return runs.empty() || goal.window == 0 ? std::nullopt : std::optional(goal);
}

std::optional<LossReached> reached(const Run& run, const LossGoal& goal)
{
    const std::vector<double> all = means(blockLosses(run, goal.tokens), goal.window);
    const auto first = std::ranges::find_if(all, [&](double mean) { return mean <= goal.loss; });
    if (first == all.end())
        return std::nullopt;
    const std::int64_t perIteration = microBatchesOf(run);
    const std::int64_t microBatches
        = ((first - all.begin()) + static_cast<std::int64_t>(goal.window))
        * static_cast<std::int64_t>(blockOf(run, goal.tokens));
    LossReached result;
    result.microBatches = microBatches;
    result.iterations = (microBatches + perIteration - 1) / perIteration;
    result.updates = (microBatches - 1) * updatesOf(run.schedule)
        / (perIteration * run.schedule.shape.windows);
    result.tokens = microBatches * (run.info.tokensPerIteration / perIteration);
    return result;
}

} // namespace profiler
