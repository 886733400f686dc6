#include "engine/base/try.h"
#include "engine/cost/tick_limit.h"
#include "engine/sim/place_steadily.h"
#include "engine/sim/simulate.h"
#include "engine/sim/summary_recorder.h"

namespace engine {
namespace {

Result<IterationSummary> summarizeOne(const sim::Placement<sim::ListedCosts>& placement,
                                      double recomputeKeeps)
{
    std::unique_ptr<sim::SummaryRecorder> sums;
    const auto window = TRY(sim::placeSteadily<sim::SummaryRecorder>(placement, sums, [&] {
        return std::make_unique<sim::SummaryRecorder>(placement.schedule, placement.facts,
                                                      recomputeKeeps);
    }));
    return IterationSummary{window, sums->devices(), placement.costs.busyLinks};
}

} // namespace

Result<std::vector<IterationSummary>> summarize(const Schedule& order, const OpPrices& prices,
                                                const SimulateOptions& options)
{
    const auto facts = TRY(sim::orderFacts(order));
    if (facts.hasTransfers)
        return fail(Error::Code::InvalidArgument,
                    "the schedule has SEND and RECV ops, which a simulation without spans does not "
                    "support; remove them");
    TRY(checkTicks(prices.most(4.0 * opCount(order) * options.iterations), prices.rules));
    std::vector<IterationSummary> summaries;
    const bool busy = !prices.isCommunicationFree();
    for (int i = 0; i < options.iterations; ++i) {
        const std::int64_t start = summaries.empty() ? 0 : summaries.back().window.end;
        auto one = TRY(summarizeOne({order, facts, sim::ListedCosts{prices, busy}, prices.rules,
                                     start, static_cast<std::uint64_t>(i)},
                                    options.recomputeKeeps));
        summaries.push_back(std::move(one));
    }
    return summaries;
}

} // namespace engine
