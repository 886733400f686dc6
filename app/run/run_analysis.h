#pragma once

#include "app/documents/iterations_model.h"
#include "app/documents/run_document.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/latest.h"
#include "profiler/analysis/metrics.h"
#include "profiler/analysis/range_metrics.h"

#include <QObject>

#include <vector>

namespace app {

// Computes the metrics of a run in the thread pool. Delivers only the result of the newest request.
class RunAnalysis : public QObject
{
    Q_OBJECT

public:
    explicit RunAnalysis(QObject* parent = nullptr);

    // Requests the metrics of one iteration, and the table rows of the iterations whose rows were
    // not delivered yet.
    void ask(RunPointer run, int iteration);
    void askRange(RunPointer run, engine::Window range); // requests the metrics of a range
    // Predicts one iteration of the run from its measured ops (profiler/whatif/own_replay.h).
    void askPrediction(const RunPointer& run);
    // Simulates an iteration with engine::UnitCosts, for a run that has no iteration yet.
    void askAssumed(const RunPointer& run);

Q_SIGNALS:
    void answered(const app::RunPointer& run, const profiler::RunMetrics& metrics);
    void predicted(const app::RunPointer& run, const app::RunPointer& prediction);
    void assumed(const app::RunViewPointer& iteration);
    void rangeAnswered(const app::RunPointer& run, const profiler::RangeMetrics& metrics);
    void iterationsDone(const app::RunPointer& run, std::size_t first,
                        const std::vector<app::IterationRow>& rows);

private:
    struct Request
    {
        RunPointer run;
        int iteration = -1;
        std::size_t first = 0; // row
    };
    struct Answer
    {
        RunPointer run;
        engine::Result<profiler::RunMetrics> metrics;
        std::size_t first = 0;
        std::vector<IterationRow> rows;
    };
    struct RangeRequest
    {
        RunPointer run;
        engine::Window range;
    };
    struct RangeAnswer
    {
        RunPointer run;
        engine::Result<profiler::RangeMetrics> metrics;
    };
    struct Prediction
    {
        RunPointer of, run;
    };
    void take(const Answer& answer);

    std::size_t m_reported = 0; // rows
    // A run that grows asks faster than it is answered.
    Latest<Request, Answer> m_metrics;
    Latest<RangeRequest, RangeAnswer> m_ranges;
    Latest<RunPointer, Prediction> m_predictions;
    Latest<RunPointer, RunViewPointer> m_assumed;
};

} // namespace app
