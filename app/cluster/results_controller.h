#pragma once

#include "app/cluster/cluster_plan.h"
#include "app/cluster/result_watcher.h"
#include "app/documents/run_library.h"
#include "app/import/trace_importer.h"
#include "app/ui/background.h"

#include <memory>

class QAction;
class QLabel;

namespace app {

class ResultsPanel;

// Watches the folder of a cluster's results, imports them, and compares the measured run with the
// prediction and with a run of this machine.
class ResultsController : public QObject
{
    Q_OBJECT

public:
    struct View
    {
        ResultsPanel& panel;
        QLabel& note;     // "3 of 8 ranks"
        QAction& compare; // enabled if there are runs to compare
    };

    ResultsController(RunLibrary& library, const View& view, QObject* parent = nullptr);

    // `outlook` is the expected outcome of `plan`; nullptr: unknown.
    void setOutlook(std::shared_ptr<const ClusterOutlook> outlook, const ClusterPlan& plan);
    void setEmulated(std::shared_ptr<RunDocument> run); // a run of this machine; nullptr: none
    void take(const QStringList& paths);                // watches a folder, or imports files
    void askForFolder();
    void compare(); // writes the prediction first
    ResultWatcher& watcher() { return m_watcher; }
    const ClusterResults& results() const { return m_watcher.results(); }

Q_SIGNALS:
    void changed();
    void compareRequested(const QStringList& files);
    void linksMeasured(const app::ClusterPlan& plan); // `plan` has the measured links

private:
    void showResults();
    void import(const QStringList& paths);
    void showImported();
    void useMeasuredLinks();
    void requestComparison();
    bool hasPrediction() const { return m_outlook && m_outlook->prediction; }

    RunLibrary& m_library;
    View m_view;
    Background m_background{this};
    ResultWatcher m_watcher;
    std::shared_ptr<const ClusterOutlook> m_outlook;
    ClusterPlan m_plan;
    std::unique_ptr<TraceImporter> m_importer; // nullptr: no import is running
    bool m_areAllImported = false; // whether all ranks, or all files of take(), are imported
    QString m_predictedFile;       // written by compare()
    bool m_isPredicting = false;   // m_predictedFile is being written
    std::shared_ptr<RunDocument> m_emulated, m_measured;
};

} // namespace app
