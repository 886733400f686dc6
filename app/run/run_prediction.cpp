#include "app/run/run_prediction.h"

#include "app/run/run_state_view.h"

#include <utility>

namespace app {

RunPrediction::RunPrediction(RunAnalysis& analysis, RunStateView& state, QObject* parent)
    : QObject(parent)
    , m_analysis(analysis)
{
    connect(
        &analysis, &RunAnalysis::predicted, this,
        [this](const RunPointer&, const RunPointer& prediction) { Q_EMIT changed(prediction); });
    connect(&analysis, &RunAnalysis::assumed, &state, &RunStateView::showAssumed);
}

void RunPrediction::setRun(const RunPointer& run, bool isComplete)
{
    if (!run || run->info.mode == engine::Mode::Simulate || m_isComplete)
        return;
    const std::size_t iterations = run->timeline.iterations.size();
    if (iterations == 0 && !std::exchange(m_isAssumed, true))
        m_analysis.askAssumed(run);
    if (iterations == 0 || (iterations < m_next && !isComplete))
        return;
    m_next = 2 * iterations;
    m_isComplete = isComplete;
    m_analysis.askPrediction(run);
}

} // namespace app
