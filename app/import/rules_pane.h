#pragma once

#include "app/ui/latest.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "engine/timeline/import_report.h"
#include "profiler/import/rules.h"

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
    void ask();
    void markLine(int line); // below 1: marks no line
    void showCoverage();

    // What rules classify. The traces are imported again, without writing a run, and only some of
    // them if reading all would take long.
    struct Preview
    {
        QString sample{}; // "all 4 traces", "rank0.json, 1 of 8 traces"
        std::optional<engine::ImportReport> before{}, after{}; // without and with the user's rules
        QString failure{};
    };
    struct Traces // kept between previews
    {
        QStringList sources;
        std::vector<std::filesystem::path> files{};
        Preview last{};
    };
    static Preview preview(Traces& traces, const std::string& toml,
                           const std::atomic<bool>& isDropped);
    static QString selectFiles(Traces& traces); // returns why none can be read
    void take(const Preview& preview);

    // The share of time that a rule classifies. A row without a name is the time that no rule
    // matches.
    struct Row
    {
        QString name, title;
        double before = 0, after = 0;
        std::int64_t matches = 0; // with the user's rules
    };

    const ThemeController& m_theme;
    std::shared_ptr<Traces> m_traces;
    std::optional<engine::ImportReport> m_before, m_after;
    QTimer m_pause;
    Latest<std::string, Preview> m_previews;
    TableModel<Row> m_model;
    SegmentControl* m_choice;
    QStackedWidget* m_texts;
    QPlainTextEdit *m_own, *m_shipped;
    Band* m_band;
    QLabel *m_sample, *m_state;
    DataTable* m_table;
    QPushButton *m_save, *m_import;
};

} // namespace app
