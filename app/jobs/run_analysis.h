#pragma once

#include "app/jobs/background.h"
#include "app/models/run_document.h"
#include "app/models/tables/iterations_model.h"
#include "profiler/analysis/metrics.h"

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

    // Requests the metrics of one iteration, and the table rows of all iterations whose rows were
    // not delivered yet.
    void ask(RunPointer run, int iteration);
    void forget(); // call it before requests for another run

Q_SIGNALS:
    void answered(const app::RunPointer& run, const profiler::RunMetrics& metrics);
    void iterationsDone(const app::RunPointer& run, std::size_t first,
                        const std::vector<app::IterationRow>& rows);

private:
    struct Request
    {
        RunPointer run;
        int iteration = -1;
    };
    struct Answer;
    void start(const Request& request);
    void take(const Answer& answer);

    Background m_background;
    std::optional<Request> m_next;
    bool m_isBusy = false;
    std::size_t m_reported = 0;
    int m_generation = 0;
};

} // namespace app
