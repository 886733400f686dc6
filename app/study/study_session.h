#pragma once

#include "app/documents/run_process.h"
#include "app/documents/study_data.h"
#include "app/ui/background.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <optional>

namespace app {

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
    void prepare(const profiler::Study& study);
    void launch(const QString& problem);
    void read();
    void workerSaid(const WorkerEvent& event);
    void workerEnded(const WorkerEnd& end);
    void finish();

    RunProcess m_process;
    Background m_background{this};
    std::shared_ptr<const StudyData> m_study; // the study without its results
    std::string m_toml;
    QString m_folder, m_program;
    QElapsedTimer m_clock;
    double m_seconds = 0;
    int m_number = 0; // number of the current study
    bool m_isRunning = false, m_isReading = false, m_isCancelled = false;
    bool m_readsAgain = false;
    std::optional<WorkerEnd> m_end; // set from the end of the worker to the end of the last read
};

// Returns the folder for the results of a study. Studies with the same points share it; their
// charts, ratios and texts may differ.
QString studyFolder(const profiler::Study& study);
// Returns the folder that contains the folders of simulated studies.
QString studyCache();
// The largest size of the study cache in bytes. Before a study starts, the folders that were
// computed least recently are removed until the cache has at most this size. The results of runs
// are user data and are not removed.
constexpr qint64 kMostCachedStudies = qint64{500} << 20;
// Removes folders in `root`, least recently changed first, until those that remain have at most
// `most` bytes in total. Never removes `kept`. For background threads.
void cleanStudyCache(const QString& root, qint64 most, const QString& kept);

} // namespace app
