#pragma once

#include "app/ui/background.h"
#include "engine/base/new_file.h"
#include "engine/timeline/run.h"
#include "profiler/store/open_file.h"
#include "profiler/store/trace_store.h"

#include <QByteArray>
#include <QDateTime>
#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace app {

using RunPointer = std::shared_ptr<const engine::Run>;

// A message about a run, shown in the band above the timeline. It states a failure or limitation,
// its consequence, and which results were kept.
struct Notice
{
    enum class Level : int { None, Warning, Error };

    Level level = Level::None;
    QString title, text;    // "Cancelled." "Iterations 0-2 are complete and were kept."
    QString remedy = {};    // commands to copy; may be empty
    bool canRepeat = false; // whether the window offers "Run again"

    friend bool operator==(const Notice&, const Notice&) = default;
};

// The progress of a running run. Counts complete iterations, including warm-up.
struct RunProgress
{
    int done = 0, planned = 0, warmup = 0;
    std::int64_t opsDone = 0, ops = 0; // ops of the iteration in progress; 0: unknown
    std::vector<int> devices = {};     // number of finished ops of each device; empty: unknown
    double secondsSoFar = 0;
    double secondsLeft = -1; // < 0: unknown
    std::int64_t rows = 0;   // number of rows committed by the worker
    double read = 0;         // while a file is opened, the share of its rows that were read

    // The number of complete iterations plus the finished share of the iteration in progress.
    double iterations() const
    {
        return done + (ops > 0 ? static_cast<double>(opsDone) / static_cast<double>(ops) : 0);
    }

    friend bool operator==(const RunProgress&, const RunProgress&) = default;
};

// A run in the window: its file, the data read so far, and its state. RunSession fills
// it; pages and models read it. GUI thread only.
class RunDocument : public QObject
{
    Q_OBJECT

public:
    enum class State : int {
        Loading,  // the file is being read; run() is null or has its first iterations
        Queued,   // the run waits for earlier ones
        Running,  // the worker is running; run() grows
        Stopping, // SIGTERM was sent
        // run() is complete: the run finished, was cancelled or was cut off (see notice()).
        Finished,
        Failed, // nothing could be read
    };

    RunDocument(QString file, int number, QObject* parent = nullptr);

    const QString& file() const { return m_file; }
    // The options of `bscope run` with which this window started the run; empty for a file.
    const QStringList& options() const { return m_options; }
    bool isQueued() const { return m_state == State::Queued; }
    bool isPaused() const { return m_isPaused; } // running, but the worker is suspended
    // The number of the run: "BitPipe #3"; 0: it has none. Without a ledger it is counted from 1.
    int number() const { return m_number; }
    State state() const { return m_state; }
    bool isRunning() const { return m_state == State::Running || m_state == State::Stopping; }
    // Whether run() has only the first iterations of a file, because the rest is still being read.
    bool isPartlyRead() const { return m_state == State::Loading && m_progress.read > 0; }
    RunPointer run() const { return m_run; } // null until the first rows are read
    const RunProgress& progress() const { return m_progress; }
    const Notice& notice() const { return m_notice; }
    const QStringList& log() const { return m_log; } // "14:31:07.164  iteration 2 finished ..."

    // "BitPipe"; "" until the first rows are read
    QString label() const { return m_run ? QString::fromStdString(m_run->info.label) : m_label; }
    QString title() const;    // "BitPipe #3"; the file name until the first rows are read
    QString subtitle() const; // the name of its file, or "not saved"
    // The reported iteration, or how far the run is: "115.3 ms", "3 of 5", "queued".
    QString value() const;
    QString mode() const; // "emulated", "paused"; "" until the first rows are read

    void setNumber(int number) { set(m_number, number, &RunDocument::stateChanged); }
    void setOptions(const QStringList& options) { m_options = options; }
    void setState(State state) { set(m_state, state, &RunDocument::stateChanged); }
    void setPaused(bool paused) { set(m_isPaused, paused, &RunDocument::stateChanged); }
    void setRun(RunPointer run);
    void setProgress(const RunProgress& progress)
    {
        set(m_progress, progress, &RunDocument::progressChanged);
    }
    void setNotice(const Notice& notice) { set(m_notice, notice, &RunDocument::noticeChanged); }
    // Sets the label that is used until the first rows are read.
    void expectLabel(const QString& label) { m_label = label; }
    void addLogLine(const QString& text, const QDateTime& time = QDateTime::currentDateTime());

Q_SIGNALS:
    void runChanged(); // run() was replaced by a longer one
    void stateChanged();
    void progressChanged();
    void noticeChanged();
    void logged(const QString& line);

private:
    template<class Value>
    void set(Value& member, const Value& value, void (RunDocument::*changed)())
    {
        if (value == member)
            return;
        member = value;
        Q_EMIT(this->*changed)();
    }

    QString m_file, m_label;
    QStringList m_options;
    int m_number = 0;
    State m_state = State::Loading;
    bool m_isPaused = false;
    RunPointer m_run;
    RunProgress m_progress;
    Notice m_notice;
    QStringList m_log;
};

// Returns the duration of the reported iteration: "115.3 ms"; "" if the run has none.
QString iterationText(const engine::Run* run);
QString modeText(const engine::RunInfo& info); // "emulated", "live, oversubscribed"

// Describes which results were kept: "Iterations 0-2 are complete and were kept.", "Nothing was
// recorded."
QString keptSentence(const engine::Run* run);
bool hasIterations(const engine::Run* run);
// Returns the numbers of the first and the last measured iteration; nullopt: there are none. The
// first number is above 0 if the run is a part of a longer one.
std::optional<std::pair<int, int>> measuredNumbers(const engine::Timeline& timeline);
// Returns the name of an iteration in tables and steppers: "warm-up 0", "0", "typical ops".
QString iterationName(engine::Iteration::Kind kind, int number);
QString iterationName(const engine::Timeline& timeline, int iteration); // "": there is none
// Returns the number of planned iterations, including warm-up. Clamped to the largest int, because
// a damaged file may state any number.
int allIterations(const engine::RunInfo& info);

// An event of a worker: one line of --progress jsonl (progress.md of the guide), such as
// {"event":"iteration","t":1.5,"index":3,...}. The comment of a field names the events that have
// it.
struct WorkerEvent
{
    enum class Kind : int {
        Started,
        Rows,
        Ops,
        Iteration,
        Points,
        Warning,
        Locked,
        Finishing,
        Finished,
        Failed,
        Other
    };

    Kind kind = Kind::Other;
    int run = -1;                 // number of the run in its worker; -1: the only one
    double time = 0;              // seconds since the worker started
    QString file, build, outcome; // "started": `file`, `build`; "finished": `file`, `outcome`
    QString message;              // "warning", "locked", "failed"
    // "started": numbers of planned iterations (including warm-up) and of warm-up iterations
    int iterations = 0, warmup = 0;
    int index = -1;             // "iteration", "ops"
    std::optional<double> loss; // "iteration": mean loss in nats per token
    double duration = 0;        // "iteration": duration in ns on the timeline of the run
    std::int64_t rows = 0;      // "rows": number of rows committed so far
    //  * "points": `done` of `all` points of a study are evaluated; `left` is the estimated time
    //    left in seconds.
    //  * "ops": `done` of `all` ops of the iteration are complete; `devices` has the number of
    //    complete ops of each device, or is empty.
    std::int64_t done = 0, all = 0;
    std::vector<int> devices;
    double left = 0;
};

// Returns nullopt if the line is not a JSON object with an "event"; the worker or a library may
// print other lines.
std::optional<WorkerEvent> parseWorkerEvent(const QByteArray& line);

// Returns the program that the user chose as worker. If none is chosen, returns `bscope` in the
// folder of this program, or "" if it is missing.
QString workerProgram();

// How a worker ended. `text` is shown to the user.
struct WorkerEnd
{
    enum class How : int {
        Finished,
        Cancelled,
        Failed,  // the worker reported an error
        Refused, // not started, because bscope is missing or from another build
        Killed,  // ended by a signal that this program did not send
    };
    How how = How::Finished;
    QString text;
};

// A worker process: `bscope run ... --progress jsonl`, or another command. Refuses a worker of
// another build, because both sides must have the same file format. Never blocks. The destructor
// kills the worker.
class RunProcess : public QObject
{
    Q_OBJECT

public:
    explicit RunProcess(QObject* parent = nullptr);
    ~RunProcess() override;

    // Starts a worker. If `program` is "", starts workerProgram(). The first of the `arguments` is
    // the command, such as "run".
    void start(const QString& program, const QStringList& arguments);
    // Sends SIGTERM; the worker then stops and keeps complete iterations or points. Sends SIGKILL
    // if it has not ended after `patience`.
    void stop();
    void setPatience(std::chrono::milliseconds patience) { m_killTimer.setInterval(patience); }
    // Suspends or resumes the worker. A suspended worker uses no CPU time.
    void setPaused(bool paused);
    bool isRunning() const { return m_isRunning; }
    qint64 processId() const { return m_worker.processId(); }

Q_SIGNALS:
    void eventReceived(const app::WorkerEvent& event);
    void lineReceived(const QString& line); // a printed line that is not an event
    void ended(const app::WorkerEnd& end);

private:
    void launch(QProcess& process, const QStringList& arguments)
    {
        process.start(m_program, arguments, QIODevice::ReadOnly);
    }
    void versionAnswered();
    void readLines();
    void handleLine(const QByteArray& line);
    void workerFinished(int code, QProcess::ExitStatus status);
    void end(WorkerEnd::How how, const QString& text);

    QProcess m_version, m_worker;
    QTimer m_killTimer;
    QString m_program;
    QStringList m_arguments;
    QString m_outcome, m_failure, m_lastLine;
    bool m_isRunning = false, m_isStopping = false, m_isPaused = false;
};

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
