#pragma once

#include "app/documents/run_library.h"
#include "app/ledger/ledger_runs.h"
#include "app/ledger/run_ledger.h"
#include "app/shell/page.h"
#include "app/ui/theme.h"

#include <QTimer>

#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QScrollArea;
class QStackedWidget;
class QTreeWidget;

namespace app {

class Band;
class EmptyState;
class LedgerTable;

// Fields for what the user adds to a run: its name, tags and note.
class LedgerNotes : public QWidget
{
    Q_OBJECT

public:
    explicit LedgerNotes(QWidget* parent = nullptr);

    void show(const LedgerRun& run); // keeps the text that is being edited if it is the same run
    using QWidget::show;
    void editName();
    void editTags();

Q_SIGNALS:
    void edited(const app::LedgerRun& before, const app::LedgerRun& run);

protected:
    bool eventFilter(QObject* watched,
                     QEvent* event) override; // saves the note when it loses focus

private:
    void save();

    LedgerRun m_run;
    QLineEdit *m_name, *m_tags;
    QPlainTextEdit* m_note;
};

// Shows all runs of this machine: the groups at the left, the filtered and sorted list, and the
// details of the current run.
class LedgerPage : public Page
{
    Q_OBJECT

public:
    LedgerPage(const ThemeController& theme, RunLibrary& library, RunLedger& ledger,
               QWidget* parent = nullptr);

    QString title() const override { return tr("Runs"); }
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeActions();
    QWidget* makeGroups();
    QWidget* makeList();
    QWidget* makeDetails();
    QWidget* makeSelectionBar();
    void connectAll();
    void showFacets(std::vector<LedgerFacet> facets);
    LedgerFacet facet() const; // the chosen group
    void showRuns();
    void showCount();
    void showSelection();
    void showDetails(const LedgerRun* run); // nullptr: shows a hint
    void layOutDetails();
    // The action of the empty list. Starts a new run if no runs exist. Otherwise clears the filter
    // or, if there is none, selects the first group.
    void fillEmptyList();
    QStringList openFiles() const;
    void open(std::vector<LedgerRun> runs);
    void compare();
    void repeat();
    // Moves the selected runs to the trash. If all of them are already there, deletes them after a
    // confirmation.
    void trash();
    bool confirmsDeletion(std::size_t runs); // asks the user
    void restore();

    RunLibrary& m_library;
    RunLedger& m_ledger;
    std::vector<LedgerRun> m_runs;     // runs of all groups, including those in progress
    std::vector<LedgerFacet> m_facets; // in the order of the items, without the heading of tags
    QTreeWidget* m_groups;
    LedgerTable* m_table;
    LedgerNotes* m_notes;
    QLineEdit* m_filter;
    QCheckBox* m_onlyVarying;
    QLabel *m_count, *m_selected, *m_difference;
    Band* m_band;
    EmptyState* m_empty;
    QTimer m_late; // delays showRuns(), so that several changes cause one update
    QStackedWidget* m_stack;
    const ThemeController& m_theme;
    QScrollArea* m_details;
    QString m_detailed; // file of the run in m_details
    Details m_shown;
    QWidget *m_groupsColumn = nullptr, *m_detailsColumn = nullptr;
    QAction *m_open, *m_compare, *m_repeat, *m_rename, *m_tag, *m_trash, *m_restore, *m_copy,
        *m_find;
};

} // namespace app
