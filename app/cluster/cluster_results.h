#pragma once

#include "app/cluster/cluster_plan.h"
#include "app/ui/latest.h"
#include "profiler/analysis/compare_expected.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QFileSystemWatcher>
#include <QStringList>
#include <QTimer>

#include <array>
#include <vector>

namespace app {

// A trace in the folder of results.
struct ResultFile
{
    QString path;
    int rank = -1; // -1 if the file name states no rank, as for an archive
    qint64 bytes = 0;
    QDateTime changed;
    bool isComplete = false; // whether it did not change between two scans

    friend bool operator==(const ResultFile&, const ResultFile&) = default;
};

// Returns the traces in a folder and its subfolders, sorted by rank. Does not set isComplete.
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
    QStringList complete() const;          // paths of the complete traces
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
// and modification time did not change between two scans. Scans the folder after every change that
// the system reports, and periodically, because network file systems report none. GUI thread only.
class ResultWatcher : public QObject
{
    Q_OBJECT

public:
    explicit ResultWatcher(QObject* parent = nullptr);

    void watch(const QString& folder, int ranks);
    void setRanks(int ranks);
    void stop(); // the results so far are kept
    bool isWatching() const { return m_clock.isActive(); }
    const ClusterResults& results() const { return m_results; }
    void setInterval(int milliseconds) { m_clock.setInterval(milliseconds); } // time between scans

Q_SIGNALS:
    void changed(); // results() changed

private:
    void take(std::vector<ResultFile> found);

    ClusterResults m_results;
    QFileSystemWatcher m_system;
    QTimer m_clock;
    QElapsedTimer m_sinceLook;
    Latest<QString, std::vector<ResultFile>> m_looks{
        this, [](const QString& folder, const auto&) { return resultFiles(folder); },
        [this](std::vector<ResultFile> found) { take(std::move(found)); }};
};

} // namespace app
