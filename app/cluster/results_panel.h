#pragma once

#include "app/cluster/cluster_results.h"
#include "app/documents/run_library.h"
#include "app/import/trace_importer.h"
#include "app/ui/background.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <memory>
#include <optional>

class QAction;
class QLabel;
class QPushButton;

namespace app {

class Band;
class DataTable;
class ExpectedModel;
class NodesModel;
class WhereTimeGoes;

// The compared runs: predicted, emulated on this machine, measured on the cluster. The last run is
// the measured one.
struct ComparedResults
{
    QStringList names;
    std::vector<std::shared_ptr<const engine::Run>> runs;
};

// Receives the results of a cluster run: watches their folder, shows the ranks whose traces have
// arrived, imports them, and compares the measured run with the prediction and with a run of this
// machine. We import only when all ranks are there, unless the user asks for it earlier, because a
// run of some ranks has no times of the others.
class ResultsPanel : public QWidget
{
    Q_OBJECT

public:
    // `compare` is enabled if there are runs to compare.
    ResultsPanel(const ThemeController& theme, RunLibrary& library, QAction& compare,
                 QWidget* parent = nullptr);

    // `outlook` is the expected outcome of `plan`; nullptr: unknown.
    void setOutlook(std::shared_ptr<const ClusterOutlook> outlook, const ClusterPlan& plan);
    void setEmulated(std::shared_ptr<RunDocument> run); // a run of this machine; nullptr: none
    void take(const QStringList& paths);                // watches a folder, or imports files
    void askForFolder();
    void compare(); // writes the prediction first
    ResultWatcher& watcher() { return m_watcher; }
    const ClusterResults& results() const { return m_watcher.results(); }
    const profiler::ExpectedComparison* comparison() const
    {
        return m_comparison ? &*m_comparison : nullptr;
    }

Q_SIGNALS:
    void changed();
    void compareRequested(const QStringList& files);
    void linksMeasured(const app::ClusterPlan& plan); // `plan` has the measured links

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QWidget* makeIncoming();
    QWidget* makeComparison();
    void showResults();
    void showRanks();
    // Shows the progress of a task and disables the import meanwhile. "": the task has ended.
    void showProgress(const QString& text);
    void showNote(const QString& text); // in place of the progress
    void showFailure(const QString& reason);
    void import(const QStringList& paths);
    void showImported();
    void showComparison(const ComparedResults& compared);
    void showBars(const ComparedResults& compared);
    void useMeasuredLinks();
    void requestComparison();
    bool hasPrediction() const { return m_outlook && m_outlook->prediction; }

    RunLibrary& m_library;
    QAction& m_compare;
    Background m_background{this};
    ResultWatcher m_watcher;
    std::shared_ptr<const ClusterOutlook> m_outlook;
    ClusterPlan m_plan;
    std::unique_ptr<TraceImporter> m_importer; // nullptr: no import is running
    bool m_areAllImported = false; // whether all ranks, or all files of take(), are imported
    QString m_predictedFile;       // written by compare()
    bool m_isPredicting = false;   // m_predictedFile is being written
    std::shared_ptr<RunDocument> m_emulated, m_measured;
    std::optional<profiler::ExpectedComparison> m_comparison; // with m_compared
    std::shared_ptr<const engine::Run> m_compared;            // the measured run

    ExpectedModel* m_model;
    NodesModel* m_nodes;
    QLabel *m_folder, *m_received, *m_progress, *m_empty;
    QPushButton *m_stop, *m_import;
    WhereTimeGoes* m_bars;
    DataTable *m_table, *m_ranks;
    Band* m_finding;
    QWidget* m_shown;
};

} // namespace app
