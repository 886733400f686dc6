#include "app/pages/run/run_prediction.h"

namespace app {

RunPrediction::RunPrediction(RunAnalysis& analysis, QObject* parent)
    : QObject(parent)
    , m_analysis(analysis)
{
    connect(
        &analysis, &RunAnalysis::predicted, this,
        [this](const RunPointer&, const RunPointer& prediction) { Q_EMIT changed(prediction); });
}

void RunPrediction::setRun(const RunPointer& run, bool isComplete)
{
    if (!run || run->info.mode == engine::Mode::Simulate || m_isComplete)
        return;
    const std::size_t iterations = run->timeline.iterations.size();
    if (iterations < m_next && !isComplete)
        return;
    m_next = 2 * iterations;
    m_isComplete = isComplete;
    m_analysis.askPrediction(run);
}

} // namespace app
