#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <chrono>
#include <optional>
#include <vector>

namespace app {

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
    void launch(QProcess& process, const QStringList& arguments);
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

} // namespace app
