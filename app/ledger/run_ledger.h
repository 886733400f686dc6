#pragma once

#include "app/ui/background.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"
#include "engine/base/result.h"
#include "engine/timeline/run.h"
#include "profiler/store/ledger/ledger.h"

#include <QDateTime>
#include <QMetaType>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace app {

// A run in the list of all runs (the ledger), with the data that the user added and facts from its
// file.
struct LedgerRun
{
    enum class State : int { Queued, Running, Finished, Stopped, Failed, Killed };

    QString file;
    int number = 0;            // given once by the ledger and never reused; 0: not known yet
    QDateTime modified, moved; // the file; `moved`: to the trash, if it is there
    // `origin` is the folder of the file before it was moved to the trash, or "".
    QString name, note, origin;
    QStringList tags;

    // `scheme` is its key, "zb-v"; `experiment` is TOML, or "" if unknown.
    QString label, scheme, mode, outcome, command, experiment;
    // Why the run failed, or why its file cannot be read; otherwise "".
    QString problem;
    QDateTime started;
    qint64 bytes = 0;                                  // size of the file
    std::vector<std::pair<QString, QString>> settings; // titles and values of settingsOf()
    // Times are in cost units if isInUnits is set, otherwise in ns.
    bool isInUnits = false;
    std::optional<double> iteration, least, most; // `least` to `most` is the 95 % interval
    std::optional<double> bubble;                 // share of the iteration
    std::optional<double> peakBytes, tokensPerSecond, lossFirst, lossLast;
    // Only for a run that has not ended: its state ("queued", "running, 2 of 5"), and the share of
    // its iterations that are complete (-1: unknown). Not stored.
    QString state;
    double share = -1;

    QString title() const { return name.isEmpty() ? label : name; }
    State kind() const;
    QString stateName() const; // "finished", "killed"
    Icon stateIcon() const;
    // In place of its results, what a run without them does, or why it failed; otherwise "".
    QString reason() const;
    QString size() const; // "4 × 8", D × N; "" if its settings are unknown
    // When it started, or when its file was written, as for a simulation; in the trash: when it was
    // moved there.
    QDateTime when() const { return isTrashed() ? moved : started.isValid() ? started : modified; }
    std::optional<double> perToken() const; // ns of an iteration per token
    bool isTrashed() const { return !origin.isEmpty(); }
    bool isUnderWay() const { return !state.isEmpty(); }
    bool isFailed() const { return !problem.isEmpty(); }
    bool isUnreadable() const { return isFailed() && mode.isEmpty(); }
    QString setting(const QString& title) const; // "" if the run does not have it
    // The values of a key of a search: "scheme", "state", "mode", "tag" or a setting ("D", "model",
    // "micro-batch-size"). Spaces in them are "_".
    QStringList values(const QString& key) const;
    Scale time() const; // unit of its times
    // Whether the run matches every word of a filter. A word matches if it is a part of the name,
    // scheme, note, mode, file name, a tag or the value of a setting, or "#12", its number. A word
    // such as "D:4,8" matches if one of them is among the values() of the key D.
    bool matches(const QString& filter) const;
};

LedgerRun describeRun(const QString& file, const engine::Run& run);

profiler::LedgerRow toRow(const LedgerRun& run);
LedgerRun fromRow(const profiler::LedgerRow& row);

// Returns the title of a setting as users know it: "Micro-batch size" for "--micro-batch-size",
// "Model" for "model", "D" for "D".
QString settingTitle(const QString& title);
QStringList settingTitles(QStringList titles);

// Returns the titles of settings that differ between the runs, in the order of the settings of a
// run. Ignores runs whose settings are unknown.
QStringList varyingSettings(const std::vector<LedgerRun>& runs);

// The titles of all settings of the runs, in the order of the settings of a run.
QStringList knownSettings(const std::vector<LedgerRun>& runs);
// The tags of the runs that are not in the trash, sorted.
QStringList tagsOf(const std::vector<LedgerRun>& runs);
// The runs with all settings and results, each number in its own unit.
QString ledgerCsv(const std::vector<LedgerRun>& runs);

// Returns a text that names at most four of the settings: "differ in D, N, v, slices and 3 more".
// Returns "" if `settings` is empty.
QString differenceText(const QStringList& settings);

QString ledgerFile();  // .../bubblescope/ledger.sqlite, the list of runs of this machine
QString trashFolder(); // .../bubblescope/runs/trash

// All runs of this machine: those in the default folder and those that were opened from other
// folders. Reads new and changed files on its own thread. GUI thread only; the destructor waits for
// the file that is being read.
class RunLedger : public QObject
{
    Q_OBJECT

public:
    // Waits for the numbers of the known runs, but at most 0.5 s; then they come with changed().
    explicit RunLedger(QObject* parent = nullptr);
    ~RunLedger() override;

    // Lists the runs again and reads new and changed files, and those that could not be read
    // before. Emits unreadable() if the ledger cannot be read.
    void refresh();
    void add(const QString& file, const std::shared_ptr<const engine::Run>& run);
    const std::vector<LedgerRun>& runs() const { return m_runs; } // newest first
    // The number of the run in a file. That of a run that is not in the ledger yet ("": without a
    // file) is the next one; if another window takes it first, changed() is emitted, and runs() has
    // the one that the run got.
    int number(const QString& file);
    int unread() const { return m_unread; } // number of files still to be read

    // Stores only the fields (name, note, tags) that differ from `before`; another window may
    // have changed the others. runs() returns the new values at once, before they are written.
    void setUserData(const LedgerRun& before, const LedgerRun& run);
    // Lets the window close the tabs of a run and remove it from the open ones. Returns false if
    // the user keeps one of them.
    bool close(const LedgerRun& run) const { return !m_close || m_close(run.file); }
    void setClosing(std::function<bool(const QString& file)> close) { m_close = std::move(close); }
    // moveToTrash() moves the file of a run to the trash; restore() moves it back to its folder.
    // Both, and deleteForever(), emit failed() for a run that is still being written.
    void moveToTrash(const LedgerRun& run);
    void restore(const LedgerRun& run);
    void deleteForever(const LedgerRun& run);

    // Stores and removes the queues of windows; see Ledger::setQueue() and takeQueues(). `take` is
    // called only if queues were found.
    void keepQueue(const QList<QStringList>& options);
    void takeQueues(const std::function<void(const QList<QStringList>&)>& take);

Q_SIGNALS:
    void changed();                         // runs() or unread() changed
    void failed(const QString& reason);     // a change could not be made
    void unreadable(const QString& reason); // the runs cannot be listed

private:
    class Store;
    using Change = std::function<engine::Result<void>(profiler::Ledger*)>;
    // Executes `work` on the thread of the store. Then lists the runs, unless another change is
    // pending.
    void change(const Change& work);
    void list();
    void waitForNumbers();
    void read(const QString& file);

    std::function<bool(const QString& file)> m_close;
    std::vector<LedgerRun> m_runs;
    int m_unread = 0;
    int m_lastNumber = 0;
    std::map<QString, int> m_stored;   // numbers of the known runs by file, until they are listed
    std::map<QString, int> m_expected; // numbers of runs that are not in the ledger yet, by file
    int m_changes = 0;                 // number of pending changes
    bool m_hasFailed = false;          // the ledger cannot be opened; reported once until refresh()
    Later m_relist{150,
                   [this] { list(); }}; // delays list(), so that it runs once for several files
    Later m_edited{0, [this] {
                       Q_EMIT changed();
                   }};  // delays changed(), so that it is emitted once for several edits
    QThreadPool m_pool; // one thread; only this thread uses m_store
    std::shared_ptr<Store> m_store;
    std::shared_ptr<std::atomic<bool>> m_isEnding; // set by the destructor: no more files are read
    Background m_background;
};

} // namespace app
