#pragma once

#include "app/run/run_analysis.h"

#include <QObject>

namespace app {

class RunStateView;

// Predicts an iteration of the shown run from its measured ops or, before the first iteration is
// complete, from assumed costs. Each prediction reads all iterations, so a growing run is predicted
// again only when their number has doubled.
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
    std::size_t m_next = 1;    // number of iterations at which the run is predicted again
    bool m_isAssumed = false;  // the iteration from assumed costs was requested
    bool m_isComplete = false; // the complete run was predicted
};

} // namespace app
