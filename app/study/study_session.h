#pragma once

#include "app/documents/run_process.h"
#include "app/ui/latest.h"
#include "profiler/study/study.h"

#include <QElapsedTimer>
#include <QMetaType>
#include <QObject>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace app {

using profiler::StudyData;
using StudyPointer = std::shared_ptr<const StudyData>;

// Computes the points of a study in a worker (`bscope study`). The worker stores simulated points
// in the cache, and points of training runs in the user's data. Starting the same study again
// continues it. GUI thread only; never blocks. The destructor kills the worker; stored points are
// kept.
class StudySession : public QObject
{
    Q_OBJECT

public:
    explicit StudySession(QObject* parent = nullptr);

    // Reads the stored results of a study and emits dataRead().
    void open(const profiler::Study& study);
    // Starts the worker. `study` must be one that readStudy() accepts.
    void start(const profiler::Study& study);
    void cancel(); // stops the worker; points that are done are kept
    bool isRunning() const { return m_isRunning; }
    // Duration of the computation in seconds; 0 if the study was only opened.
    double seconds() const { return m_seconds; }
    // For tests; see RunLibrary.
    void setWorkerProgram(const QString& program) { m_program = program; }

Q_SIGNALS:
    void dataRead(const app::StudyPointer& data);
    void progressed(qint64 done, qint64 all, double secondsLeft);
    void ended(const app::WorkerEnd& end); // emitted after the last dataRead()

private:
    struct Source
    {
        QString folder; // of the results
        profiler::Study study;
    };
    static StudyPointer read(const Source& source);
    void prepare(const profiler::Study& study);
    void launch(const QString& problem);
    void take(const StudyPointer& data);
    void workerEnded(const WorkerEnd& end);

    RunProcess m_process;
    Background m_preparing{this};
    Source m_source;
    QString m_program;
    QElapsedTimer m_clock;
    double m_seconds = 0;
    bool m_isRunning = false, m_isCancelled = false;
    std::optional<WorkerEnd> m_end; // set from the end of the worker to the end of the last read
    using Reads = Latest<Source, StudyPointer>;
    Reads m_reads{this, [](const Source& source, const auto&) { return read(source); },
                  [this](const StudyPointer& data) { take(data); }, Reads::Older::Delivered};
};

// Simulates points of a study and keeps their timelines (`bscope simulate ... -o RUN`). Runs
// sequentially and writes new files in the folder of runs. GUI thread only; never blocks.
class PointRuns : public QObject
{
    Q_OBJECT

public:
    explicit PointRuns(QObject* parent = nullptr);

    // `points` has the options of `bscope simulate` for each point. Does nothing while other points
    // are being simulated.
    void simulate(const std::vector<QStringList>& points);
    bool isRunning() const { return !m_points.empty(); }

Q_SIGNALS:
    void simulated(const QStringList& files);
    void failed(const QString& reason);

private:
    void next();
    void ended(const WorkerEnd& end);

    RunProcess m_process;
    std::vector<QStringList> m_points;
    QStringList m_files;
};

// The folder for the results of a study. Studies with the same points share it; their charts,
// ratios and texts may differ.
QString studyFolder(const profiler::Study& study);
// Removes folders in `root`, least recently changed first, until those that remain have at most
// `most` bytes in total. Never removes `kept`. For background threads.
void cleanStudyCache(const QString& root, qint64 most, const QString& kept);

} // namespace app

Q_DECLARE_METATYPE(app::StudyPointer)
