#include "app/run/run_analysis.h"

#include "engine/sim/simulate.h"
#include "profiler/whatif/own_replay.h"

#include <utility>

namespace app {

struct RunAnalysis::Answer
{
    RunPointer run;
    engine::Result<profiler::RunMetrics> metrics;
    std::size_t first = 0;
    std::vector<IterationRow> rows;
    int generation = 0;
};

namespace {

RunViewPointer assumedIteration(const engine::Run& run)
{
    const auto costs = engine::unitOpCosts(run.schedule, {});
    auto timeline = costs ? engine::simulate(run.schedule, *costs) : tl::unexpected(costs.error());
    if (!timeline)
        return nullptr;
    engine::Run assumed{run.info, run.schedule, *std::move(timeline)};
    assumed.info.mode = engine::Mode::Simulate;
    assumed.info.ticksPerUnit = costs->ticksPerUnit;
    return std::make_shared<const RunView>(std::make_shared<const engine::Run>(std::move(assumed)));
}

} // namespace

RunAnalysis::RunAnalysis(QObject* parent)
    : QObject(parent)
    , m_background(this)
{ }

void RunAnalysis::ask(RunPointer run, int iteration)
{
    if (!run || iteration < 0)
        return;
    if (m_isBusy)
        m_next = Request{std::move(run), iteration};
    else
        start({std::move(run), iteration});
}

void RunAnalysis::askRange(RunPointer run, engine::Window range)
{
    if (!run || range.duration() <= 0)
        return;
    if (m_isRangeBusy)
        m_nextRange = RangeRequest{std::move(run), range};
    else
        startRange({std::move(run), range});
}

void RunAnalysis::startRange(const RangeRequest& request)
{
    m_isRangeBusy = true;
    m_background.run([request] { return profiler::rangeMetrics(*request.run, request.range); },
                     [this, run = request.run, generation = m_generation](const auto& metrics) {
                         m_isRangeBusy = false;
                         if (const auto next = std::exchange(m_nextRange, std::nullopt))
                             startRange(*next);
                         else if (metrics && generation == m_generation)
                             Q_EMIT rangeAnswered(run, *metrics);
                     });
}

void RunAnalysis::askPrediction(const RunPointer& run)
{
    if (!run)
        return;
    m_background.run(
        [run] {
            const auto replay = profiler::OwnReplay::ofMedians(*run);
            return replay ? std::make_shared<const engine::Run>(replay->placed()) : RunPointer();
        },
        [this, run, generation = m_generation](const RunPointer& prediction) {
            if (prediction && generation == m_generation)
                Q_EMIT predicted(run, prediction);
        });
}

void RunAnalysis::askAssumed(const RunPointer& run)
{
    m_background.run([run] { return assumedIteration(*run); },
                     [this, generation = m_generation](const RunViewPointer& iteration) {
                         if (iteration && generation == m_generation)
                             Q_EMIT assumed(iteration);
                     });
}

void RunAnalysis::forget()
{
    m_next.reset();
    m_nextRange.reset();
    m_reported = 0;
    ++m_generation;
}

void RunAnalysis::start(const Request& request)
{
    m_isBusy = true;
    // The iteration that was delivered last is delivered again, because it may have grown.
    const std::size_t first = m_reported > 0 ? m_reported - 1 : 0;
    m_background.run(
        [request, first, generation = m_generation] {
            return Answer{request.run, profiler::metrics(*request.run, request.iteration), first,
                          iterationRows(*request.run, first), generation};
        },
        [this](const Answer& answer) { take(answer); });
}

void RunAnalysis::take(const Answer& answer)
{
    m_isBusy = false;
    if (answer.generation == m_generation) {
        m_reported = answer.first + answer.rows.size();
        Q_EMIT iterationsDone(answer.run, answer.first, answer.rows);
        if (answer.metrics)
            Q_EMIT answered(answer.run, *answer.metrics);
    }
    if (const auto next = std::exchange(m_next, std::nullopt))
        start(*next);
}

} // namespace app
