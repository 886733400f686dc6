#pragma once

#include "app/jobs/background.h"
#include "app/models/run_document.h"
#include "app/models/tables/iterations_model.h"
#include "app/timeline/view/run_view.h"
#include "profiler/analysis/metrics.h"
#include "profiler/analysis/range_metrics.h"

#include <QObject>

#include <optional>
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
    void forget(); // call it before requests for another run

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
    };
    struct RangeRequest
    {
        RunPointer run;
        engine::Window range;
    };
    struct Answer;
    void start(const Request& request);
    void take(const Answer& answer);
    void startRange(const RangeRequest& request);

    Background m_background;
    std::optional<Request> m_next;
    std::optional<RangeRequest> m_nextRange;
    bool m_isBusy = false, m_isRangeBusy = false;
    std::size_t m_reported = 0;
    int m_generation = 0;
};

} // namespace app
