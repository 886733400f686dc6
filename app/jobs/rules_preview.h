#pragma once

#include "app/jobs/background.h"
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

// The rules of `toml` before those of the program, as `bscope import --rules`. A text without rules
// adds none. A failure has the form "rules: line 3: ...".
engine::Result<profiler::Rules> rulesOf(const std::string& toml);

// The files of an imported run that exist: its traces, or the archives with them.
QStringList existingSources(const engine::ImportReport& report);
int sourceCount(const engine::ImportReport& report); // including those that do not exist

// Imports the traces of a run again with other rules, without writing a run, after a short pause.
// Of traces that would take long, a part is read. GUI thread only; a new request, and the
// destructor, cancel without waiting.
class RulesPreview : public QObject
{
    Q_OBJECT

public:
    // `sources`: files or folders.
    RulesPreview(const QStringList& sources, QObject* parent);
    ~RulesPreview() override;

    // First reads the coverage without rules of the user.
    void ask(const QString& toml);

Q_SIGNALS:
    void started();
    // What is read: "all 4 traces", "rank0.json, 1 of 8 traces".
    void sampled(const QString& what);
    void baseline(const engine::ImportReport& report); // with the rules of the program
    void previewed(const engine::ImportReport& report);
    void failed(const QString& reason, int line); // line < 1: unknown

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
    std::shared_ptr<std::atomic<bool>> m_isDropped; // of the last import
    QTimer m_pause;
    Background m_background;
};

} // namespace app
