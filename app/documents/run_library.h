#pragma once

#include "app/documents/run_session.h"
#include "app/documents/runs_model.h"
#include "engine/base/result.h"

#include <QObject>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace app {

// The runs of a window that were opened, started or predicted. Its pages share them. GUI thread
// only.
class RunLibrary : public QObject
{
    Q_OBJECT

public:
    explicit RunLibrary(QObject* parent = nullptr);
    ~RunLibrary() override;

    RunsModel& runs() { return *m_runs; }

    // Opens a file and starts to read it. If the file is already open, returns its document, and
    // reads the file again if the last attempt failed. If another file has replaced the open one,
    // opens the new file and removes the old document from runs().
    std::shared_ptr<RunDocument> open(const QString& file);
    // Opens the file of a document again if the document was removed from runs() or has not been
    // read. Otherwise, and for a prediction, which has no file, returns the document itself.
    std::shared_ptr<RunDocument> openAgain(const std::shared_ptr<RunDocument>& document);
    // Starts a worker that records a new file. `options` are options of `bscope run`, without -o.
    // Only one worker runs at a time, because two would distort each other's times; other runs are
    // queued.
    std::shared_ptr<RunDocument> start(const QStringList& options);
    int queued() const;                       // number of runs in the queue
    QList<QStringList> queuedOptions() const; // in the order in which they will start
    // While the queue is held, no queued run starts. Releasing it starts the next one.
    void holdQueue(bool held);
    // Moves a queued run by `by` positions; negative values move it towards the front.
    void moveInQueue(const RunDocument& document, int by);
    // Adds a predicted run, which has no file.
    std::shared_ptr<RunDocument> add(engine::Run run);

    // Stops the worker of a run; the iterations that are complete are kept. A queued run is removed
    // from the queue without being started.
    void stop(const RunDocument& document);
    void setPaused(const RunDocument& document, bool paused);
    // Removes a run from runs() and from the queue. Does nothing if its worker is running.
    void close(const RunDocument& document);
    bool isAnyRunning() const;
    // For tests: sets the program of the worker ("": the default). A worker that does not stop
    // within `patience` is killed.
    void setWorkerProgram(const QString& program) { m_program = program; }
    void setPatience(std::chrono::milliseconds patience) { m_patience = patience; }

Q_SIGNALS:
    void queueChanged();
    // Emitted when a file was read completely or its run has finished.
    void runRead(const QString& file, const RunPointer& run);

private:
    RunSession* session(const RunDocument& document) const;
    void startNext(); // starts the next queued run if none is running and the queue is not held
    void estimate();  // estimates the duration of queued runs from earlier runs
    std::shared_ptr<RunDocument> newDocument(const QString& file);

    RunsModel* m_runs;
    std::vector<std::unique_ptr<RunSession>> m_sessions;
    QString m_program;
    std::optional<std::chrono::milliseconds> m_patience;
    int m_lastNumber = 0;
    bool m_isQueueHeld = false;
};

// Returns a function whose result for n = 1, 2, ... is the n-th candidate for the name of a new
// file in the default folder: .../bubblescope/runs/<time>-<what>.sqlite. Creates the folder.
std::function<std::filesystem::path(int)> runFileNames(const QString& what);

// Like runFileNames(), with the name of a run that has these options:
// .../<time>-<scheme>-D<D>-N<N>.sqlite.
std::function<std::filesystem::path(int)> newRunNames(const QStringList& options);

// Writes a run that this program computed to a new file, named as by newRunNames(). Returns the
// name of the file.
engine::Result<QString> writeNewRun(engine::Run run);

} // namespace app
