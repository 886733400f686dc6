#pragma once

#include "app/cluster/cluster_plan.h"
#include "app/documents/run_library.h"
#include "app/figures/scene_view.h"
#include "app/import/trace_importer.h"
#include "app/shell/page.h"
#include "app/ui/background.h"
#include "app/ui/band.h"
#include "app/ui/latest.h"
#include "app/ui/row_table.h"
#include "profiler/analysis/compare_expected.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <array>
#include <memory>
#include <optional>
#include <vector>

class QAction;

namespace app {

// A trace in the folder of results, or a memory snapshot, which is imported with the trace of its
// rank.
struct ResultFile
{
    QString path;
    int rank = -1; // -1 if the file name states no rank, as for an archive
    qint64 bytes = 0;
    QDateTime changed;
    bool isSnapshot = false;
    bool isComplete = false; // whether it did not change between two scans

    friend bool operator==(const ResultFile&, const ResultFile&) = default;
};

// Returns the traces and snapshots in a folder and its subfolders, sorted by rank. Does not set
// isComplete.
std::vector<ResultFile> resultFiles(const QString& folder);
int rankInName(const QString& name); // 3 for "rank3.json.gz"; -1: none

enum class RankState : int { Waiting, Growing, Received, Slow };
inline constexpr std::array kRankStates{"waiting", "growing", "received", "slow"};

// The traces that have arrived so far.
struct ClusterResults
{
    QString folder;
    int ranks = 0; // number of ranks that are expected
    std::vector<ResultFile> files;

    std::vector<RankState> states() const; // one per rank; never Slow
    int received() const;                  // number of ranks with a complete trace
    QStringList complete() const;          // paths of the complete traces and snapshots
    // Whether every rank has a complete trace and no file is still growing. An archive provides the
    // trace of no rank, because its ranks are unknown.
    bool areAllThere() const;
};

// Names the link that exceeds its expected time most and the ranks that are slow: "Messages from
// device 1 to device 2 took 19 % longer than predicted: ... Slower than the other ranks: rank 5
// (+12 %)." Returns "" if no link and no rank is slow. `expected` names the first expected run in
// the text, such as "predicted".
QString findingText(const profiler::ExpectedComparison& comparison, const engine::Run& measured,
                    const QString& expected);
// The rank of a device of an imported run.
int rankOf(const engine::Run& run, engine::DeviceId device);

// Watches the folder in which the traces of a cluster run arrive. A trace is complete when its size
// and modification time did not change between two scans. We scan the folder every second, because
// network file systems report no changes. GUI thread only.
class ResultWatcher : public QObject
{
    Q_OBJECT

public:
    explicit ResultWatcher(QObject* parent = nullptr);

    void watch(const QString& folder, int ranks);
    void setRanks(int ranks);
    void stop() { m_clock.stop(); } // the results so far are kept
    bool isWatching() const { return m_clock.isActive(); }
    const ClusterResults& results() const { return m_results; }
    void setInterval(int milliseconds) { m_clock.setInterval(milliseconds); } // time between scans

Q_SIGNALS:
    void changed(); // results() changed

private:
    void take(std::vector<ResultFile> found);

    ClusterResults m_results;
    QTimer m_clock;
    QElapsedTimer m_sinceLook;
    Latest<QString, std::vector<ResultFile>> m_looks{
        this, [](const QString& folder, const auto&) { return resultFiles(folder); },
        [this](std::vector<ResultFile> found) { take(std::move(found)); }};
};

// The ranks of a node by their state.
struct NodeRanks
{
    int node = 0;
    std::array<QStringList, kRankStates.size()> ranks;
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
    ResultsPanel(const ThemeController& theme, RunLibrary& library, QAction& compare);

    // `outlook` is the expected outcome of `plan`; nullptr: unknown.
    void setOutlook(std::shared_ptr<const ClusterOutlook> outlook, const ClusterPlan& plan);
    // A run of this machine; nullptr: none.
    void setEmulated(std::shared_ptr<RunDocument> run) { m_emulated = std::move(run); }
    void take(const QStringList& paths); // watches a folder, or imports files
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
    void showComparison(const QStringList& names, const std::vector<RunPointer>& all);
    void useMeasuredLinks();
    void requestComparison();
    bool hasPrediction() const { return m_outlook && m_outlook->prediction; }

    const ThemeController& m_theme;
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
    RunPointer m_compared;                                    // the measured run

    RowTable<profiler::KindTimes>* m_times
        = new RowTable<profiler::KindTimes>(m_theme, 26, "expectedTable", tr("Times by kind"));
    RowTable<NodeRanks>* m_nodes
        = new RowTable<NodeRanks>(m_theme, 26, "rankTable", tr("Ranks"), 1); // 1: received
    QLabel *m_folder = makeWrapped("small", "watchedFolder"),
           *m_received = named(makeLabel({}, "hint"), "ranksReceived"),
           *m_progress = makeWrapped("small", "importProgress"),
           *m_empty = makeWrapped("secondary", "resultsEmpty");
    QPushButton *m_stop = makeButton(tr("Stop"), QStringLiteral("stopWatching"), "link"),
                *m_import = makeButton({}, QStringLiteral("importReceived"));
    SceneView* m_bars = named(new SceneView(m_theme, [](std::size_t) { return QString(); }),
                              "threeWays", tr("Iteration of every run"));
    Band* m_finding = named(new Band(m_theme, Band::Shape::Verdict), "clusterFinding");
    QWidget* m_shown;
};

// Runs an experiment on a cluster: writes a kit, checks it, and imports the results to compare them
// with the prediction and with a run of this machine.
class ClusterPage : public Page
{
public:
    // For `plan`, the plan of a set-up, or for `emulated`, a run that recorded its experiment.
    static ClusterPage* make(const ThemeController& theme, RunLibrary& library,
                             const ClusterPlan& plan);
    static ClusterPage* make(const ThemeController& theme, RunLibrary& library,
                             const std::shared_ptr<RunDocument>& emulated);

    virtual void writeTo(const QString& folder, engine::IfExists ifExists) = 0;
    virtual const ClusterOutlook* outlook() const = 0; // nullptr: not computed yet, or failed
    virtual ResultsPanel& results() = 0;
};

} // namespace app
