#pragma once

#include "app/ui/background.h"
#include "profiler/import/import.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <memory>

namespace app {

// Parses the rules of `toml` and appends the built-in rules, as `bscope import --rules` does. If
// `toml` has no rules, only the built-in rules apply. An error message has the form "rules: line 3:
// ...".
engine::Result<profiler::Rules> rulesOf(const std::string& toml);

// The state of an import while it reads. `file` is "" if all files are read.
struct ImportState : profiler::ImportProgress
{
    double seconds = 0; // since the start

    double rate() const { return seconds > 0 ? static_cast<double>(bytes) / seconds : 0; }
    double secondsLeft() const // < 0: unknown
    {
        return rate() > 0 ? static_cast<double>(allBytes - bytes) / rate() : -1;
    }
};

// Imports the traces of one job in the thread pool and writes them as a run to a new file in the
// folder of runs. Emits finished() or failed() once, unless it is cancelled or destroyed. GUI
// thread only.
class TraceImporter : public QObject
{
    Q_OBJECT

public:
    explicit TraceImporter(QObject* parent = nullptr);
    ~TraceImporter() override { cancel(); } // without waiting

    // Starts the import of files or folders. Call it once. `rules` are the user's rules as TOML. If
    // it is "", only the built-in rules apply.
    void start(const QStringList& paths, const QString& rules = {});
    void cancel(); // leaves no file behind

Q_SIGNALS:
    void progressed(const app::ImportState& state); // ten times a second
    void finished(const QString& file);
    void failed(const QString& reason);

private:
    struct Shared;
    void report();

    std::shared_ptr<Shared> m_shared; // shared with the worker thread
    QTimer m_clock;
    QElapsedTimer m_sinceStart;
    Background m_background;
};

} // namespace app
