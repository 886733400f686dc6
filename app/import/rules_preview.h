#pragma once

#include "app/ui/background.h"
#include "engine/timeline/import_report.h"
#include "profiler/import/rules.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace app {

// Parses the rules of `toml` and appends the built-in rules, as `bscope import --rules` does. If
// `toml` has no rules, only the built-in rules apply. An error message has the form "rules: line 3:
// ...".
engine::Result<profiler::Rules> rulesOf(const std::string& toml);

// Returns the files of an imported run that still exist: its traces, or the archives that contain
// its traces.
QStringList existingSources(const engine::ImportReport& report);
// Returns the number of files of an imported run, including those that no longer exist.
int sourceCount(const engine::ImportReport& report);

// Imports the traces of a run again with other rules, to show what the rules would classify. The
// import starts after a short pause, writes no run, and reads only some of the traces if reading
// all would take long. GUI thread only; a new request and the destructor cancel without waiting.
class RulesPreview : public QObject
{
    Q_OBJECT

public:
    // `sources` are files or folders.
    RulesPreview(QStringList sources, QObject* parent);
    ~RulesPreview() override;

    // Requests a preview. The first request emits baseline() before previewed().
    void ask(const QString& toml);

Q_SIGNALS:
    void started();
    // Describes what is read: "all 4 traces", "rank0.json, 1 of 8 traces".
    void sampled(const QString& what);
    void baseline(const engine::ImportReport& report); // coverage with only the built-in rules
    void previewed(const engine::ImportReport& report);
    void failed(const QString& reason, int line); // line < 1: the line is unknown

private:
    struct Sample
    {
        std::vector<std::filesystem::path> files;
        QString what, failure;
    };
    static Sample sampleOf(const QStringList& sources);
    void run();
    void start(const QString& toml, bool isBaseline);
    void fail(const QString& reason);

    QStringList m_sources;
    Sample m_sample;
    QString m_toml;
    bool m_hasSample = false, m_hasBaseline = false, m_isWaiting = false;
    std::shared_ptr<std::atomic<bool>> m_isDropped; // cancels the last import
    QTimer m_pause;
    Background m_background;
};

} // namespace app
