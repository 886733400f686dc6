#pragma once

#include "app/jobs/run_session.h"
#include "app/models/tables/runs_model.h"

#include <QObject>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace app {

// The runs of one window: opened, started, predicted; every page shares them. The GUI thread only.
class RunLibrary : public QObject
{
    Q_OBJECT

public:
    explicit RunLibrary(QObject* parent = nullptr);
    ~RunLibrary() override;

    RunsModel& runs() { return *m_runs; }

    // Starts to read a file; a file that is open already is not read again.
    std::shared_ptr<RunDocument> open(const QString& file);
    // Starts a worker with options of `bscope run` (without -o) on a new file; while another one
    // works it waits in a queue, for two at a time would disturb each other's times.
    std::shared_ptr<RunDocument> start(const QStringList& options);
    int queued() const; // runs that wait
    // So many places nearer to the front (< 0) or the end of the queue; others keep their order.
    void moveInQueue(const RunDocument& document, int by);
    // What the run was started with; empty where it was not started in this window.
    QStringList optionsOf(const RunDocument& document) const;
    // A run that is no file: a prediction.
    std::shared_ptr<RunDocument> add(engine::Run run);

    void stop(const RunDocument& document); // keeps whole iterations; a queued one is not started
    void setPaused(const RunDocument& document, bool paused);
    void close(const RunDocument& document);
    bool isAnyRunning() const;
    // For tests. A program "" is the own one; a worker that does not stop is killed after
    // `patience`.
    void setWorkerProgram(const QString& program) { m_program = program; }
    void setPatience(std::chrono::milliseconds patience) { m_patience = patience; }

private:
    RunSession* session(const RunDocument& document) const;
    void startNext(); // of the queue, when nothing runs
    void estimate();  // what queued runs will take, at the rate of those that ran
    double secondsOfAFlop(const QString& kind) const; // < 0: none of that kind ran
    std::shared_ptr<RunDocument> newDocument(const QString& file);

    RunsModel* m_runs;
    std::vector<std::unique_ptr<RunSession>> m_sessions;
    QString m_program;
    std::optional<std::chrono::milliseconds> m_patience;
    int m_lastNumber = 0;
};

// Where runs go without -o: .../bubblescope/runs/<time>-<scheme>-D<D>-N<N>.sqlite; the
// folder is made.
QString newRunFile(const QStringList& options);

} // namespace app
