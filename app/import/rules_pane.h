#pragma once

#include "app/ui/background.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "engine/timeline/import_report.h"
#include "profiler/import/rules.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;

namespace app {

class Band;
class DataTable;
class SegmentControl;

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

// The share of time that a rule classifies: `before` with only the built-in rules, `after` with the
// user's rules added. A row without a name is the time that no rule matches.
struct RulePreviewRow
{
    QString name, title;
    double before = 0, after = 0;
    std::int64_t matches = 0; // number of matches with the user's rules
};

// Table of the coverage of every rule, without and with the user's rules. The largest change is
// first.
class RulesPreviewModel : public TableModel<RulePreviewRow>
{
    Q_OBJECT

public:
    explicit RulesPreviewModel(QObject* parent = nullptr);
    // If `after` is nullopt, only the coverage without the user's rules is shown.
    void show(const engine::ImportReport& before,
              const std::optional<engine::ImportReport>& after = {});

private:
    int rank(const RulePreviewRow& row) const override { return row.name.isEmpty() ? 1 : 0; }
};

// The user's rules, with the coverage that they would give, next to the built-in rules, which are
// read-only.
class RulesPane : public QWidget
{
    Q_OBJECT

public:
    // `sources`: the traces of the import that still exist; `of`: the number of imported traces.
    RulesPane(const ThemeController& theme, const QStringList& sources, int of,
              QWidget* parent = nullptr);

    QString rules() const; // the user's rules as TOML
    void setRules(const QString& toml);

Q_SIGNALS:
    void saveRequested(const QString& toml);
    void importRequested(const QString& toml);
    void closeRequested();

private:
    QWidget* makeEditors();
    QWidget* makeCoverage();
    void connectPreview();
    void showFailure(const QString& reason, int line);
    void markLine(int line); // below 1: marks no line
    void showCoverage();

    const ThemeController& m_theme;
    std::unique_ptr<RulesPreview> m_preview; // null if the traces no longer exist
    std::optional<engine::ImportReport> m_before, m_after;
    RulesPreviewModel* m_model;
    SegmentControl* m_choice;
    QStackedWidget* m_texts;
    QPlainTextEdit *m_own, *m_shipped;
    Band* m_band;
    QLabel *m_sample, *m_state;
    DataTable* m_table;
    QPushButton *m_save, *m_import;
};

} // namespace app
