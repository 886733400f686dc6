#pragma once

#include "app/ledger/ledger_run.h"
#include "app/ui/background.h"
#include "engine/base/result.h"

#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include <atomic>
#include <functional>
#include <map>
#include <memory>

namespace app {

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
    QTimer m_relist;                   // delays list(), so that it runs once for several files
    QTimer m_edited;    // delays changed(), so that it is emitted once for several edits
    QThreadPool m_pool; // one thread; only this thread uses m_store
    std::shared_ptr<Store> m_store;
    std::shared_ptr<std::atomic<bool>> m_isEnding; // set by the destructor: no more files are read
    Background m_background;
};

} // namespace app
