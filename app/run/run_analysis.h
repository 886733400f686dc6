#pragma once

#include "app/documents/run_document.h"
#include "app/run/run_tables.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/latest.h"
#include "profiler/analysis/metrics.h"

#include <QObject>

#include <vector>

namespace app {

// Computes in the thread pool what a run's page shows. Each question delivers only the answer to
// its newest request, because a run that grows asks faster than it is answered.
class RunAnalysis : public QObject
{
    Q_OBJECT

public:
    explicit RunAnalysis(QObject* parent = nullptr);

    // Requests the metrics of one iteration, and the table rows of the iterations whose rows were
    // not delivered yet.
    void ask(const RunPointer& run, int iteration);
    void askRange(const RunPointer& run, engine::Window range);
    // Predicts an iteration from the measured ops (profiler/whatif/own_replay.h) or, before the
    // first iteration is complete, from assumed costs. A prediction reads all iterations, so a
    // growing run is predicted again only when their number has doubled.
    void askPrediction(const RunPointer& run, bool isComplete);
    // Reads the kernels from the file of the run, once it is complete.
    void askKernels(const RunPointer& run, const RunDocument& document);

Q_SIGNALS:
    void answered(const app::RunPointer& run, const profiler::RunMetrics& metrics);
    void iterationsDone(const app::RunPointer& run, std::size_t first,
                        const std::vector<app::IterationRow>& rows);
    void rangeAnswered(const app::RunPointer& run, const profiler::RangeMetrics& metrics);
    void predicted(const app::RunPointer& prediction);
    void assumed(const app::RunViewPointer& iteration);
    // `kernels` is empty if nothing was recorded, and nullptr if the kernels are unknown; `reason`
    // says why.
    void kernelsRead(const app::KernelViewPointer& kernels, const QString& reason);

private:
    struct Request
    {
        RunPointer run;
        int iteration = -1;
        std::size_t first = 0; // row
    };
    struct Answer : Request
    {
        engine::Result<profiler::RunMetrics> metrics;
        std::vector<IterationRow> rows;
    };
    using RangeRequest = std::pair<RunPointer, engine::Window>;
    using RangeAnswer = std::pair<RunPointer, engine::Result<profiler::RangeMetrics>>;
    using KernelRequest = std::pair<RunPointer, std::string>; // run and file
    using Kernels = std::pair<KernelViewPointer, QString>;

    std::size_t m_reported = 0;       // rows
    std::size_t m_nextPrediction = 1; // number of iterations at which the run is predicted again
    bool m_isAssumed = false;         // the iteration from assumed costs was requested
    bool m_isPredicted = false;       // the complete run was predicted
    RunPointer m_kernelsOf;           // whose kernels were requested last
    Latest<Request, Answer> m_metrics;
    Latest<RangeRequest, RangeAnswer> m_ranges;
    Latest<RunPointer, RunPointer> m_predictions;
    Latest<RunPointer, RunViewPointer> m_assumed;
    Latest<KernelRequest, Kernels> m_kernels;
};

} // namespace app
