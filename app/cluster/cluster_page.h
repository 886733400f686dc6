#pragma once

#include "app/documents/run_library.h"
#include "app/figures/scene_view.h"
#include "app/import/import_page.h"
#include "app/plan/run_plan.h"
#include "app/shell/page.h"
#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "engine/kit/training_kit.h"
#include "profiler/analysis/compare_expected.h"
#include "profiler/analysis/link_loads.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

class QAction;

namespace app {

// The plan of a training run on a cluster: the experiment, how it is launched, and the hardware
// that the prediction assumes.
struct ClusterPlan
{
    engine::Experiment experiment;
    engine::RecordedFiles recorded; // empty unless the experiment is that of a run
    engine::Launcher launcher = engine::Launcher::Torchrun;
    int gpusPerNode = 8;
    QString firstNode = QStringLiteral("node-1"); // host name or address
    int port = engine::LaunchPlace().port;
    QString hardware; // name of a preset; "": no prediction
    // Links that were measured with the kit; they replace those of `hardware`.
    std::optional<engine::LinkSpec> nodeLink, networkLink;
};

// The result of a check that runs before a kit (scripts that train with PyTorch on a cluster) is
// written. A Problem prevents writing the kit.
struct ClusterCheck
{
    enum class Level : int { Pass, Warning, Problem };

    Level level = Level::Pass;
    QString bold, text;
};

// The prediction of a kit's run on the assumed hardware.
struct ClusterPrediction
{
    std::shared_ptr<const engine::Run> run;
    profiler::RunMetrics metrics;
    profiler::LinkLoads loads;
    engine::HardwareSpec hardware;
};

// Everything that is derived from a plan: its kit, its checks and its prediction.
struct ClusterOutlook
{
    engine::TrainingKit kit;
    QString command, commandProblem; // `commandProblem` states why there is no command
    std::vector<ClusterCheck> checks;
    std::optional<ClusterPrediction> prediction;
};

QString linkText(const engine::LinkSpec& link); // "50 GB/s, 5 µs"
// Replaces the links of the plan within and between nodes by measured ones. Their bandwidth is the
// median over the measured messages, at the assumed latency. Returns false if no message was
// measured.
bool takeMeasuredLinks(const ClusterPrediction& prediction,
                       std::span<const profiler::LinkTimes> measured, ClusterPlan& plan);

// The devices of one node ("4 5 6 7"), and the data-parallel copies of the pipeline to which they
// belong.
struct NodeRow
{
    int node = 0; // counted from 0, as ranks are
    QString devices;
    int firstCopy = 0, lastCopy = 0; // counted from 0
};
std::vector<NodeRow> nodeRows(const ClusterPrediction& prediction, int copies);

// Makes the kit, checks it, and predicts its run. Most of the time goes to building and simulating
// the schedule. Fails with the errors of trainingKit().
engine::Result<ClusterOutlook> outlookOf(const ClusterPlan& plan);

// Returns the experiment's model on the given hardware. The bytes per weight follow from the
// experiment's precision.
engine::ModelOnHardware onHardware(const engine::Experiment& experiment,
                                   engine::HardwareSpec hardware);

QString launcherHint(const ClusterPlan& plan, const engine::TrainingKit& kit);
// Returns a plan for the experiment that is stored in a run. Fails if the run has no experiment.
engine::Result<ClusterPlan> clusterPlanOf(const engine::Run& run);
ClusterPlan clusterPlanOf(const RunPlan& plan);

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
    // number of ranks with a complete trace
    int received() const
    {
        return static_cast<int>(std::ranges::count(states(), RankState::Received));
    }
    QStringList complete() const; // paths of the complete traces and snapshots
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
        this, [](const QString& folder) { return resultFiles(folder); },
        [this](std::vector<ResultFile> found) { take(std::move(found)); }};
};

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
    using QWidget::QWidget;
    // `compare` is enabled if there are runs to compare.
    static ResultsPanel* make(const ThemeController& theme, RunLibrary& library, QAction& compare);
    // `outlook` is the expected outcome of `plan`; nullptr: unknown.
    virtual void setOutlook(std::shared_ptr<const ClusterOutlook> outlook, const ClusterPlan& plan)
        = 0;
    // A run of this machine; nullptr: none.
    virtual void setEmulated(std::shared_ptr<RunDocument> run) = 0;
    virtual void take(const QStringList& paths) = 0; // watches a folder, or imports files
    virtual void askForFolder() = 0;
    virtual void compare() = 0; // writes the prediction first
    virtual ResultWatcher& watcher() = 0;
    virtual const ClusterResults& results() const = 0;
    virtual const profiler::ExpectedComparison* comparison() const = 0;

Q_SIGNALS:
    void changed();
    void compareRequested(const QStringList& files);
    void linksMeasured(const app::ClusterPlan& plan); // `plan` has the measured links
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
