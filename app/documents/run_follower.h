#pragma once

#include "app/documents/run_document.h"
#include "app/documents/run_process.h"
#include "app/ui/background.h"
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

// Reads a whole run file in the thread pool, piece by piece. A second load() cancels the first.
class RunLoader : public QObject
{
    Q_OBJECT

public:
    explicit RunLoader(QObject* parent = nullptr);

    void load(const QString& file);
    void cancel() { m_reading.reset(); } // the current load will emit no more signals

Q_SIGNALS:
    // Emitted for a large file when its first iterations were read. `run` has only these; the rest
    // is still being read.
    void begun(const app::RunPointer& run);
    void progressed(double share); // share of the rows that were read
    // `warning` is "" if there is none.
    void loaded(const app::RunPointer& run, const QString& warning);
    void failed(const QString& reason); // `reason` is the error and what to do about it

private:
    struct Reading;
    struct Step;
    void readOn();
    void take(const Step& step);

    std::shared_ptr<Reading> m_reading; // state of the current load
    Background m_background;
};

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

} // namespace app
