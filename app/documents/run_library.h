#pragma once

#include "app/documents/run_document.h"
#include "engine/base/result.h"

#include <QObject>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace app {

class RunSession;

// The runs of a window that were opened, started or predicted, in this order; queued runs are in
// the order in which they will start. Its pages share them. Ticked runs are compared; new runs are
// ticked until the user changes a tick. GUI thread only.
class RunLibrary : public QObject
{
    Q_OBJECT

public:
    explicit RunLibrary(QObject* parent = nullptr);
    ~RunLibrary() override;

    using Runs = std::vector<std::shared_ptr<RunDocument>>;
    Runs runs() const;
    Runs ticked() const;
    bool contains(const RunDocument& document) const { return find(document) != m_runs.end(); }
    bool isTicked(const RunDocument& document) const;
    void tick(const RunDocument& document, bool ticked = true);
    std::shared_ptr<RunDocument> find(const QString& file) const; // null: not open

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
    // Starts several runs. Those that differ only in their scheme take turns, so that drift of the
    // machine reaches all of them; their files are in a new folder.
    Runs startAll(const QList<QStringList>& options);
    QList<QStringList> queuedOptions() const;
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
    bool isAnyLoading() const;
    // How runs are numbered by their files; "": a run that has no file yet. At first they are
    // counted from 1. A prediction, which has no file, has no number then.
    void setNumbering(std::function<int(const QString& file)> number)
    {
        m_number = std::move(number);
    }
    // For tests: sets the program of the worker ("": the default). A worker that does not stop
    // within `patience` is killed.
    void setWorkerProgram(const QString& program) { m_program = program; }
    void setPatience(std::chrono::milliseconds patience) { m_patience = patience; }

Q_SIGNALS:
    void listChanged();                                // runs were added, removed or moved
    void runChanged(const app::RunDocument& document); // its data, state or tick
    void queueChanged();
    // Emitted when a file was read completely or its run has finished.
    void runRead(const QString& file, const RunPointer& run);

private:
    struct OpenRun
    {
        std::shared_ptr<RunDocument> document;
        std::unique_ptr<RunSession> session; // null: a prediction
        bool isTicked = false;
        QString path; // absolute

        bool isQueued() const { return document->isQueued(); }
        const QString& canonicalPath() const; // "": the file is missing

    private:
        mutable QString m_canonical;
    };
    using OpenRuns = std::vector<OpenRun>;
    OpenRuns::const_iterator find(const RunDocument& document) const;
    OpenRun& append(const std::shared_ptr<RunDocument>& document);
    RunSession* session(const RunDocument& document) const;
    RunSession& prepare(const QStringList& options, const QString& file, int group);
    void launch(const std::vector<RunSession*>& sessions); // or queues them
    void startNext(); // starts the next queued run if none is running and the queue is not held
    void estimate();  // estimates the duration of queued runs from earlier runs
    RunSession& newSession(const QString& file);

    OpenRuns m_runs;
    bool m_hasChoice = false; // whether the user changed a tick
    QString m_program;
    std::optional<std::chrono::milliseconds> m_patience;
    std::function<int(const QString& file)> m_number;
    int m_lastNumber = 0, m_lastGroup = -1;
    bool m_isQueueHeld = false;
};

QString runsFolder(); // .../bubblescope/runs, where runs are saved
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
