#pragma once

#include "app/import/rules_preview.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <memory>
#include <optional>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;

namespace app {

class Band;
class DataTable;
class RulesPreviewModel;
class SegmentControl;

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
