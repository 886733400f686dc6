#pragma once

#include "app/documents/run_document.h"
#include "app/shell/page.h"
#include "app/ui/background.h"
#include "app/ui/data_table.h"
#include "engine/timeline/import_report.h"
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

    // In bytes per second.
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

// A kernel or op that a rule matches, with the texts that are shown.
struct ImportMatch
{
    engine::ImportReport::Match match;
    QString label{}, op{};          // short name of the match; name of the op to which it belongs
    std::optional<int> iteration{}; // number of the iteration
    std::optional<std::int64_t> begin{}; // ns since the start of the iteration
};

// Returns the matches of a rule ("": of no rule), longest first. Leaves out those whose indices are
// not valid in `run`, an imported run.
std::vector<ImportMatch> importMatches(const engine::Run& run, const std::string& rule);
std::vector<TableColumn<ImportMatch>> matchColumns(const engine::RunInfo& info,
                                                   const std::vector<ImportMatch>& matches);
QString coverageTitle(const engine::ImportReport& report); // "97.4 % of GPU time classified"

// A page that imports the traces of one job, given as files or folders, and then shows the report
// of the import: sources and ranks, coverage by rule with the matches of the selected rule, clocks,
// replay check, what was left out, and an iteration in which the matches are outlined. The user can
// try rules of their own (TOML; "": none).
Page* makeImport(const ThemeController& theme, RunLibrary& library, const QStringList& traces,
                 const QString& rules = {});
// The page with the report of a run that was imported earlier.
Page* makeImport(const ThemeController& theme, RunLibrary& library,
                 const std::shared_ptr<RunDocument>& document);

} // namespace app
