#pragma once

#include "app/jobs/run_analysis.h"

#include <QObject>

namespace app {

class RunStateView;

// Predicts an iteration of the shown run from its measured ops, and from assumed costs before it
// has an iteration. A growing run is predicted again when it has twice as many iterations, because
// a prediction reads all of them.
class RunPrediction : public QObject
{
    Q_OBJECT

public:
    // `state` shows the prediction from assumed costs.
    RunPrediction(RunAnalysis& analysis, RunStateView& state, QObject* parent);

    void setRun(const RunPointer& run, bool isComplete);

Q_SIGNALS:
    void changed(const app::RunPointer& prediction);

private:
    RunAnalysis& m_analysis;
    std::size_t m_next = 1;    // number of iterations from which the run is predicted again
    bool m_isAssumed = false;  // an iteration from assumed costs was requested
    bool m_isComplete = false; // the complete run was predicted
};

} // namespace app
