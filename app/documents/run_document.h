#pragma once

#include "engine/timeline/run.h"

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace app {

using RunPointer = std::shared_ptr<const engine::Run>;

// A message about a run, shown in the band above the timeline. It states a failure or limitation,
// its consequence, and which results were kept.
struct Notice
{
    enum class Level : int { None, Warning, Error };

    Level level = Level::None;
    QString title, text;    // "Cancelled." "Iterations 0-2 are complete and were kept."
    QString remedy = {};    // commands to copy; may be empty
    bool canRepeat = false; // whether the window offers "Run again"

    friend bool operator==(const Notice&, const Notice&) = default;
};

// The progress of a running run. Counts complete iterations, including warm-up.
struct RunProgress
{
    int done = 0, planned = 0, warmup = 0;
    std::int64_t opsDone = 0, ops = 0; // ops of the iteration in progress; 0: unknown
    std::vector<int> devices = {};     // number of finished ops of each device; empty: unknown
    double secondsSoFar = 0;
    double secondsLeft = -1; // < 0: unknown
    std::int64_t rows = 0;   // number of rows committed by the worker
    double read = 0;         // while a file is opened, the share of its rows that were read

    // The number of complete iterations plus the finished share of the iteration in progress.
    double iterations() const
    {
        return done + (ops > 0 ? static_cast<double>(opsDone) / static_cast<double>(ops) : 0);
    }

    friend bool operator==(const RunProgress&, const RunProgress&) = default;
};

// A run in the window: its file, the data read so far, and its state. RunSession fills
// it; pages and models read it. GUI thread only.
class RunDocument : public QObject
{
    Q_OBJECT

public:
    enum class State : int {
        Loading,  // the file is being read; run() is null or has its first iterations
        Queued,   // the run waits for earlier ones
        Running,  // the worker is running; run() grows
        Stopping, // SIGTERM was sent
        // run() is complete: the run finished, was cancelled or was cut off (see notice()).
        Finished,
        Failed, // nothing could be read
    };

    RunDocument(QString file, int number, QObject* parent = nullptr);

    const QString& file() const { return m_file; }
    // The options of `bscope run` with which this window started the run; empty for a file.
    const QStringList& options() const { return m_options; }
    bool isQueued() const { return m_state == State::Queued; }
    bool isPaused() const { return m_isPaused; } // running, but the worker is suspended
    // The number of the run: "BitPipe #3"; 0: it has none. Without a ledger it is counted from 1.
    int number() const { return m_number; }
    State state() const { return m_state; }
    bool isRunning() const { return m_state == State::Running || m_state == State::Stopping; }
    // Whether run() has only the first iterations of a file, because the rest is still being read.
    bool isPartlyRead() const { return m_state == State::Loading && m_progress.read > 0; }
    RunPointer run() const { return m_run; } // null until the first rows are read
    const RunProgress& progress() const { return m_progress; }
    const Notice& notice() const { return m_notice; }
    const QStringList& log() const { return m_log; } // "14:31:07.164  iteration 2 finished ..."

    QString label() const;    // "BitPipe"; "" until the first rows are read
    QString title() const;    // "BitPipe #3"; the file name until the first rows are read
    QString subtitle() const; // the name of its file, or "not saved"
    // The reported iteration, or how far the run is: "115.3 ms", "3 of 5", "queued".
    QString value() const;
    QString mode() const; // "emulated", "paused"; "" until the first rows are read

    void setNumber(int number) { set(m_number, number, &RunDocument::stateChanged); }
    void setOptions(const QStringList& options) { m_options = options; }
    void setState(State state) { set(m_state, state, &RunDocument::stateChanged); }
    void setPaused(bool paused) { set(m_isPaused, paused, &RunDocument::stateChanged); }
    void setRun(RunPointer run);
    void setProgress(const RunProgress& progress)
    {
        set(m_progress, progress, &RunDocument::progressChanged);
    }
    void setNotice(const Notice& notice) { set(m_notice, notice, &RunDocument::noticeChanged); }
    // Sets the label that is used until the first rows are read.
    void expectLabel(const QString& label) { m_label = label; }
    void addLogLine(const QString& text, const QDateTime& time = QDateTime::currentDateTime());

Q_SIGNALS:
    void runChanged(); // run() was replaced by a longer one
    void stateChanged();
    void progressChanged();
    void noticeChanged();
    void logged(const QString& line);

private:
    template<class Value>
    void set(Value& member, const Value& value, void (RunDocument::*changed)())
    {
        if (value == member)
            return;
        member = value;
        Q_EMIT(this->*changed)();
    }

    QString m_file, m_label;
    QStringList m_options;
    int m_number = 0;
    State m_state = State::Loading;
    bool m_isPaused = false;
    RunPointer m_run;
    RunProgress m_progress;
    Notice m_notice;
    QStringList m_log;
};

// Returns the duration of the reported iteration: "115.3 ms"; "" if the run has none.
QString iterationText(const engine::Run* run);
QString modeText(const engine::RunInfo& info); // "emulated", "live, oversubscribed"

// Describes which results were kept: "Iterations 0-2 are complete and were kept.", "Nothing was
// recorded."
QString keptSentence(const engine::Run* run);
bool hasIterations(const engine::Run* run);
// Returns the numbers of the first and the last measured iteration; nullopt: there are none. The
// first number is above 0 if the run is a part of a longer one.
std::optional<std::pair<int, int>> measuredNumbers(const engine::Timeline& timeline);
// Returns the name of an iteration in tables and steppers: "warm-up 0", "0", "typical ops".
QString iterationName(engine::Iteration::Kind kind, int number);
QString iterationName(const engine::Timeline& timeline, int iteration); // "": there is none
// Returns the number of planned iterations, including warm-up. Clamped to the largest int, because
// a damaged file may state any number.
int allIterations(const engine::RunInfo& info);

} // namespace app
