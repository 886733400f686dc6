#include "app/models/plan/even_costs.h"

#include "engine/base/median.h"
#include "engine/base/try.h"
#include "engine/schedule/dataflow.h"
#include "engine/sim/simulate.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace app {
namespace {

using engine::OpCosts;
using engine::OpKind;

// The key of the ops that are assumed to have equal costs.
using Class = std::pair<OpKind, engine::StageId>;

struct Medians
{
    std::map<Class, std::vector<std::int64_t>> durations, latencies;
};

// Collects the durations of all ops and the latencies of all messages. The latency of a message is
// the time from the end of its SEND to the end of its RECV.
Medians collect(const engine::Run& run, int iteration)
{
    Medians medians;
    const engine::OpIndex index(run.schedule);
    // The class and the end time of each SEND, by the index of the sent value.
    std::map<std::uint32_t, std::pair<Class, std::int64_t>> sent;
    std::map<std::uint32_t, std::int64_t> arrived;
    const auto& shape = run.schedule.shape;
    const auto wanted = static_cast<std::uint32_t>(iteration);
    for (const engine::Track& track : run.timeline.tracks) {
        for (const engine::Span& span :
             std::ranges::equal_range(track.spans, wanted, {}, &engine::Span::iteration)) {
            const engine::Op& op = engine::opAt(run.schedule, index, span.op);
            const Class kind{op.kind, op.stage};
            medians.durations[kind].push_back(span.window().duration());
            if (!engine::isTransfer(op.kind))
                continue;
            const auto value = engine::valueIndex(engine::transferredValue(op, shape), shape);
            if (track.kind == engine::Track::Kind::Send)
                sent[value] = {kind, span.end};
            else
                arrived[value] = span.end;
        }
    }
    for (const auto& [value, leaving] : sent)
        if (const auto found = arrived.find(value); found != arrived.end())
            medians.latencies[leaving.first].push_back(
                std::max<std::int64_t>(0, found->second - leaving.second));
    return medians;
}

OpCosts evenCosts(const engine::Run& run, int iteration)
{
    Medians medians = collect(run, iteration);
    std::map<Class, OpCosts::Cost> costs;
    for (auto& [kind, durations] : medians.durations)
        costs[kind].duration = engine::medianOf(durations);
    for (auto& [kind, latencies] : medians.latencies)
        costs[kind].latency = engine::medianOf(latencies);
    OpCosts result;
    result.ticksPerUnit = run.info.ticksPerUnit;
    for (const auto& program : run.schedule.program) {
        auto& device = result.of.emplace_back();
        for (const engine::Op& op : program)
            device.push_back(costs[{op.kind, op.stage}]);
    }
    return result;
}

} // namespace

engine::Result<engine::Run> withEvenCosts(const engine::Run& run)
{
    const int iteration = engine::reportedIteration(run.timeline);
    if (iteration < 0)
        return engine::fail(engine::Error::Code::NotFound,
                            "the run has no iteration yet; wait until the first one is recorded");
    auto timeline = TRY(engine::simulate(run.schedule, evenCosts(run, iteration)));
    engine::Run predicted{run.info, run.schedule, std::move(timeline)};
    predicted.info.label += ", even costs";
    predicted.info.mode = engine::Mode::Simulate;
    predicted.info.outcome = engine::Outcome::Finished;
    predicted.info.failure.clear();
    predicted.info.timing.clear();
    predicted.info.command.clear();
    predicted.info.plannedWarmup = 0;
    predicted.info.plannedIterations = 1;
    return predicted;
}

} // namespace app
