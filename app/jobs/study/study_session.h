#pragma once

#include "app/jobs/background.h"
#include "app/jobs/run_process.h"
#include "app/models/study/study_data.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <optional>

namespace app {

// Computes the points of a study in a worker (`bscope study`), which stores them in a folder of the
// cache (simulations) or of the user's data (runs). Starting the same study again continues it. GUI
// thread only; never blocks. The destructor kills the worker; stored points are kept.
class StudySession : public QObject
{
    Q_OBJECT

public:
    explicit StudySession(QObject* parent = nullptr);

    // Reads the stored results of a study and emits dataRead().
    void open(const profiler::Study& study);
    // Starts the worker. `study` must be one that readStudy() accepts.
    void start(const profiler::Study& study);
    void cancel(); // keeps the points that are done
    bool isRunning() const { return m_isRunning; }
    double seconds() const { return m_seconds; } // duration of the last computation
    // For tests; see RunLibrary.
    void setWorkerProgram(const QString& program) { m_program = program; }

Q_SIGNALS:
    void dataRead(const app::StudyPointer& data);
    void progressed(qint64 done, qint64 all, double secondsLeft);
    void ended(const app::WorkerEnd& end); // after the last dataRead()

private:
    void prepare(const profiler::Study& study);
    void launch(const QString& problem);
    void read();
    void workerSaid(const WorkerEvent& event);
    void workerEnded(const WorkerEnd& end);
    void finish();

    RunProcess m_process;
    Background m_background{this};
    std::shared_ptr<const StudyData> m_study; // without results
    std::string m_toml;
    QString m_folder, m_program;
    QElapsedTimer m_clock;
    double m_seconds = 0;
    int m_number = 0; // of the current study
    bool m_isRunning = false, m_isReading = false, m_isCancelled = false;
    bool m_readsAgain = false;
    std::optional<WorkerEnd> m_end; // set when the worker ends, reset after the last read
};

// The folder of the results of a study. Studies with the same points share it: charts, ratios and
// texts do not change its name.
QString studyFolder(const profiler::Study& study);
// The folder with the folders of simulated studies.
QString studyCache();
// Before a study starts, the least recently computed folders of the cache are removed until it has
// at most this many bytes. The results of runs are user data and stay.
constexpr qint64 kMostCachedStudies = qint64{500} << 20;
// Removes the least recently changed folders in `root` until they have at most `most` bytes, but
// never `kept`. For background threads.
void cleanStudyCache(const QString& root, qint64 most, const QString& kept);

} // namespace app
