#pragma once

#include "app/documents/run_document.h"
#include "app/documents/run_follower.h"
#include "app/documents/run_loader.h"
#include "app/documents/run_process.h"
#include "app/documents/run_work.h"
#include "engine/base/new_file.h"
#include "profiler/store/open_file.h"

#include <QElapsedTimer>
#include <QObject>

#include <memory>
#include <optional>
#include <utility>

namespace app {

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
    void start(const QString& program, const QStringList& options); // see RunProcess::start()
    void queue(const QStringList& options); // startQueued() will start the run with these options
    void startQueued(const QString& program) { start(program, m_document->options()); }
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
    void setOptions(const QStringList& options);
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
