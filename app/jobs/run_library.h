#pragma once

#include "app/jobs/run_session.h"
#include "app/models/tables/runs_model.h"
#include "engine/base/result.h"

#include <QObject>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace app {

// The opened, started and predicted runs of a window, shared by its pages. GUI thread only.
class RunLibrary : public QObject
{
    Q_OBJECT

public:
    explicit RunLibrary(QObject* parent = nullptr);
    ~RunLibrary() override;

    RunsModel& runs() { return *m_runs; }

    // Starts to read a file unless it is open already.
    std::shared_ptr<RunDocument> open(const QString& file);
    // Starts a worker on a new file, with options of `bscope run` except -o. Only one worker runs
    // at a time, because two would distort each other's times; other runs are queued.
    std::shared_ptr<RunDocument> start(const QStringList& options);
    int queued() const;                       // number of runs in the queue
    QList<QStringList> queuedOptions() const; // in the order in which they will start
    // Moves a queued run by `by` positions: towards the front if negative, otherwise towards the
    // end.
    void moveInQueue(const RunDocument& document, int by);
    // The options with which the run was started; empty if this window did not start it.
    QStringList optionsOf(const RunDocument& document) const;
    // Adds a run without a file: a prediction.
    std::shared_ptr<RunDocument> add(engine::Run run);

    // Stops the worker of a run and keeps complete iterations. A queued run is never started.
    void stop(const RunDocument& document);
    void setPaused(const RunDocument& document, bool paused);
    void close(const RunDocument& document);
    bool isAnyRunning() const;
    // For tests: sets the program of the worker ("": the default). A worker that does not stop
    // within `patience` is killed.
    void setWorkerProgram(const QString& program) { m_program = program; }
    void setPatience(std::chrono::milliseconds patience) { m_patience = patience; }

Q_SIGNALS:
    void queueChanged();
    // A run in a file was read completely or has finished.
    void runRead(const QString& file, const RunPointer& run);

private:
    RunSession* session(const RunDocument& document) const;
    void startNext(); // starts the next queued run when none is running
    void estimate();  // estimates the duration of queued runs from the rate of completed ones
    double secondsPerFlop(const QString& kind) const; // < 0: no run of this kind has completed
    std::shared_ptr<RunDocument> newDocument(const QString& file);

    RunsModel* m_runs;
    std::vector<std::unique_ptr<RunSession>> m_sessions;
    QString m_program;
    std::optional<std::chrono::milliseconds> m_patience;
    int m_lastNumber = 0;
};

// Returns a function that numbers the names of new files in the default folder, from 1:
// .../bubblescope/runs/<time>-<what>.sqlite. Creates the folder.
std::function<std::filesystem::path(int)> runFileNames(const QString& what);

// Like runFileNames(), for a run with these options: .../<time>-<scheme>-D<D>-N<N>.sqlite.
std::function<std::filesystem::path(int)> newRunNames(const QStringList& options);

// Writes a run of this program to a new file, named as by newRunNames(). Returns the file.
engine::Result<QString> writeNewRun(engine::Run run);

} // namespace app
