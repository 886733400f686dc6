#pragma once

#include "engine/timeline/run.h"

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>

namespace app {

using RunPointer = std::shared_ptr<const engine::Run>;

// What went wrong or goes on with less, and what is kept: the band over a run's timeline.
struct Notice
{
    enum class Level : int { None, Warning, Error };

    Level level = Level::None;
    QString headline, text; // "Cancelled." "Iterations 0-2 are whole and kept."
    QString remedy = {};    // text to copy, may be empty
    bool canRepeat = false; // "Run again" makes sense

    friend bool operator==(const Notice&, const Notice&) = default;
};

// How far a run in progress is. Whole iterations, warm-up ones included.
struct RunProgress
{
    int done = 0, planned = 0, warmup = 0;
    double secondsSoFar = 0;
    double secondsLeft = -1; // < 0: not known yet
    std::int64_t rows = 0;   // committed by the worker

    friend bool operator==(const RunProgress&, const RunProgress&) = default;
};

// One run as the window knows it: a file, what was read of it, and how it stands. Filled by
// RunSession (app/jobs); pages and models read it. The GUI thread only.
class RunDocument : public QObject
{
    Q_OBJECT

public:
    enum class State : int {
        Loading,  // nothing to see yet
        Queued,   // waits until the runs before it are through
        Running,  // the worker goes on; run() grows
        Stopping, // SIGINT was sent
        Finished, // run() is all there will be: finished, cancelled or cut off (see notice())
        Failed,   // nothing could be read
    };

    RunDocument(QString file, int number, QObject* parent = nullptr);

    const QString& file() const { return m_file; }
    bool isQueued() const { return m_state == State::Queued; }
    bool isPaused() const { return m_isPaused; } // it runs, and its worker is held
    int number() const { return m_number; }      // of this window, from 1: "BitPipe #3"
    State state() const { return m_state; }
    bool isRunning() const { return m_state == State::Running || m_state == State::Stopping; }
    RunPointer run() const { return m_run; } // null until the first rows came
    const RunProgress& progress() const { return m_progress; }
    const Notice& notice() const { return m_notice; }
    const QStringList& log() const { return m_log; } // "14:31:07.164  iteration 2 finished ..."

    QString title() const;    // "BitPipe #3"; the file's name before anything was read
    QString subtitle() const; // "#3, 4 × 8, v 2"

    void setState(State state);
    void setPaused(bool paused);
    void setRun(RunPointer run);
    void setProgress(const RunProgress& progress);
    void setNotice(const Notice& notice);
    void expectLabel(const QString& label) { m_label = label; } // until the first rows came
    void addLogLine(const QString& text, const QDateTime& time = QDateTime::currentDateTime());

Q_SIGNALS:
    void runChanged(); // run() is another, longer one
    void stateChanged();
    void progressChanged();
    void noticeChanged();
    void logged(const QString& line);

private:
    QString m_file, m_label;
    int m_number = 0;
    State m_state = State::Loading;
    bool m_isPaused = false;
    RunPointer m_run;
    RunProgress m_progress;
    Notice m_notice;
    QStringList m_log;
};

// "Iterations 0-2 are whole and kept.", "Nothing was recorded."
QString keptSentence(const engine::Run* run);
bool hasIterations(const engine::Run* run);

} // namespace app
