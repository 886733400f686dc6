#include "app/run/run_analysis.h"

#include "engine/sim/simulate.h"
#include "profiler/whatif/own_replay.h"

#include <utility>

namespace app {

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
    , m_metrics(
          this,
          [](const Request& asked, const auto&) {
              return Answer{asked.run, profiler::metrics(*asked.run, asked.iteration), asked.first,
                            iterationRows(*asked.run, asked.first)};
          },
          [this](const Answer& answer) { take(answer); }, decltype(m_metrics)::Older::Delivered)
    , m_ranges(
          this,
          [](const RangeRequest& asked, const auto&) {
              return RangeAnswer{asked.run, profiler::rangeMetrics(*asked.run, asked.range)};
          },
          [this](const RangeAnswer& answer) {
              if (answer.metrics)
                  Q_EMIT rangeAnswered(answer.run, *answer.metrics);
          })
    , m_predictions(
          this,
          [](const RunPointer& run, const auto&) {
              const auto replay = profiler::OwnReplay::ofMedians(*run);
              return Prediction{
                  run, replay ? std::make_shared<const engine::Run>(replay->placed()) : nullptr};
          },
          [this](const Prediction& prediction) {
              if (prediction.run)
                  Q_EMIT predicted(prediction.of, prediction.run);
          })
    , m_assumed(
          this, [](const RunPointer& run, const auto&) { return assumedIteration(*run); },
          [this](const RunViewPointer& iteration) {
              if (iteration)
                  Q_EMIT assumed(iteration);
          })
{ }

void RunAnalysis::ask(RunPointer run, int iteration)
{
    // The iteration that was delivered last is delivered again, because it may have grown.
    if (run && iteration >= 0)
        m_metrics.ask({std::move(run), iteration, m_reported > 0 ? m_reported - 1 : 0});
}

void RunAnalysis::askRange(RunPointer run, engine::Window range)
{
    if (run && range.duration() > 0)
        m_ranges.ask({std::move(run), range});
}

void RunAnalysis::askPrediction(const RunPointer& run)
{
    if (run)
        m_predictions.ask(run);
}

void RunAnalysis::askAssumed(const RunPointer& run)
{
    m_assumed.ask(run);
}

void RunAnalysis::take(const Answer& answer)
{
    m_reported = answer.first + answer.rows.size();
    Q_EMIT iterationsDone(answer.run, answer.first, answer.rows);
    if (answer.metrics)
        Q_EMIT answered(answer.run, *answer.metrics);
}

} // namespace app
