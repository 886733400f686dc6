#pragma once

#include "app/documents/run_document.h"
#include "app/documents/run_loader.h"
#include "app/documents/run_process.h"
#include "app/ui/latest.h"
#include "engine/base/new_file.h"
#include "engine/timeline/run.h"
#include "profiler/store/open_file.h"
#include "profiler/store/trace_store.h"

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace app {

// Makes snapshots of a growing run without copying it. A snapshot is a Run with its own reader. A
// new snapshot reuses a Run that the window no longer references, and appends the rows that were
// added since. Two Runs alternate, so every row is read twice and never copied.
//
//     window:  A      B      A'     B'        A' = A + the rows since A
//     pool:    -      A      B      A'
class SnapshotPool : public std::enable_shared_from_this<SnapshotPool>
{
public:
    struct Snapshot
    {
        std::shared_ptr<const engine::Run> run; // null: no rows were added
        std::string warning;
    };

    explicit SnapshotPool(std::filesystem::path file);

    // Only one thread may call this at a time. The snapshot may be released on any thread.
    engine::Result<Snapshot> next();

private:
    struct Buffer
    {
        profiler::TraceReader reader;
        engine::Run run;
    };
    engine::Result<std::unique_ptr<Buffer>> take();
    void giveBack(std::unique_ptr<Buffer> buffer);

    std::filesystem::path m_file;
    // A reader that has read nothing yet, which is copied for each new buffer. All copies read the
    // same file and fail if it was replaced.
    std::optional<profiler::TraceReader> m_opened;
    std::mutex m_mutex;
    std::vector<std::unique_ptr<Buffer>> m_free; // guarded by m_mutex; at most kKept
};

// Reads a growing run file in the thread pool and delivers immutable snapshots. Holds no connection
// between reads.
class RunFollower : public QObject
{
    Q_OBJECT

public:
    explicit RunFollower(const QString& file, QObject* parent = nullptr);
    ~RunFollower() override;

    void start(int milliseconds = 200); // reads now, then at this interval
    void poke() { m_reads.ask({}); }    // when the writer has committed rows, which are read next
    void finish(); // call it when the writer has ended; reads the rest, then emits finished()

Q_SIGNALS:
    void grown(const app::RunPointer& run);
    // Emitted for a warning of the reader, and again only if its text changes.
    void warned(const QString& text);
    // The file cannot be read. Emitted again only if the reason changes.
    void failed(const QString& reason);
    void locked();    // another program has locked the file; emitted once
    void recovered(); // the file was read again after failed() or locked()
    void finished();  // no more snapshots will follow

private:
    struct Answer
    {
        RunPointer run;
        QString warning, failure;
        bool isLocked = false;
    };
    void take(const Answer& answer);
    void report(const Answer& answer);

    std::shared_ptr<SnapshotPool> m_pool;
    Latest<std::monostate, Answer> m_reads;
    QTimer m_timer;
    QString m_failure, m_lastWarning;
    bool m_isLast = false;
};

// How much a run computes. On one machine, runs of the same `kind` take a time proportional to
// their FLOPs.
struct RunWork
{
    double flops = 0; // total of all iterations; 0 if the model cannot be read
    QString kind;     // mode, backend and precision
};
RunWork runWork(const QStringList& options); // `options` are options of `bscope run`

// Whether runs with these options of `bscope run` differ only in their scheme.
bool canTakeTurns(const QList<QStringList>& runs);

// Fills a RunDocument, either from an existing file, or from the file of a worker that the session
// starts. GUI thread only; never blocks.
class RunSession : public QObject
{
    Q_OBJECT

public:
    explicit RunSession(std::shared_ptr<RunDocument> document, QObject* parent = nullptr);

    // Keeps the name of the file reserved until the worker has created the file.
    void keepName(engine::ReservedName name) { m_name = std::move(name); }
    void open(); // also follows the file while another program is still writing it
    // Starts one worker for runs that have their options, which take turns in it. Their options
    // differ only in the scheme. The first session has the worker; stop() and setPaused() of each
    // are for all.
    static void start(const QString& program, const std::vector<RunSession*>& runs);
    // The options of a new run, and the group of runs with which it takes turns (-1: alone).
    void setOptions(const QStringList& options, int group);
    int group() const { return m_group; }
    void queue();
    void stop(); // also removes a queued run from the queue, or stops reading a file
    // Suspends or resumes the worker. Works only for emulated runs, because a live run measures the
    // wall clock.
    void setPaused(bool paused);
    const std::shared_ptr<RunDocument>& document() const { return m_document; }
    const RunWork& work() const { return m_work; } // work of a run with the document's options
    // Whether the file that was read has been replaced by another file of the same name.
    bool isReplaced() const;
    RunProcess& process() { return m_process; }

private:
    void begin();
    std::vector<RunSession*> together(); // all runs of the worker
    void handle(const WorkerEvent& event);
    void handle(const WorkerEnd& end);
    void workerSaid(const WorkerEvent& event);
    void opsDone(const WorkerEvent& event);
    void iterationDone(const WorkerEvent& event);
    qint64 workedMs() const; // since the start, without pauses
    void estimateEnd(RunProgress& progress) const;
    void workerEnded(const WorkerEnd& end);
    void loaded(const RunPointer& run, const QString& warning);
    void grown(const RunPointer& run);
    void allRead();
    void interrupt(const Notice& notice);
    void endInterruption();

    std::shared_ptr<RunDocument> m_document;
    int m_group = -1;
    // Of the first session of a worker: all of its sessions, while it runs. Of the others: the
    // first one.
    std::vector<RunSession*> m_runs;
    RunSession* m_first = this;
    bool m_isComplete = false; // whether the worker has reported the end of this run
    QString m_failure;         // what it reported as the failure of this run
    RunProcess m_process;
    RunLoader m_loader;
    RunFollower m_follower;
    std::optional<engine::ReservedName> m_name;
    RunWork m_work;
    std::optional<profiler::DiskFile> m_read; // the file that was read to its end
    // Time since the start or the last resumption; invalid before the start and during a pause. The
    // time before the last pause is in m_workedMs.
    QElapsedTimer m_sinceStart;
    qint64 m_workedMs = 0;
    WorkerEnd m_end;
    // The notice that is shown while the file cannot be read or written, and the notice to show
    // again afterwards.
    Notice m_interruption, m_before;
};

} // namespace app
