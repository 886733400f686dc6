#pragma once

#include "app/documents/run_document.h"
#include "app/documents/run_library.h"
#include "app/ledger/ledger_run.h"
#include "app/ledger/run_ledger.h"
#include "app/shell/page.h"
#include "app/timeline/details/details.h"
#include "app/ui/data_table.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"

#include <QTimer>

#include <functional>
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

// A group to which the list of runs can be limited. Only the group Trash contains runs in the
// trash.
struct LedgerFacet
{
    enum class Of : std::uint8_t { Runs, Trash, Tag };

    QString title;
    std::function<bool(const LedgerRun&)> has = [](const LedgerRun&) { return true; };
    Of of = Of::Runs;
    int count = 0; // number of runs in the group

    bool isSame(const LedgerFacet& other) const { return of == other.of && title == other.title; }
    bool contains(const LedgerRun& run) const
    {
        return run.isTrashed() == (of == Of::Trash) && has(run);
    }
};

// The fixed groups, then one for each tag, sorted by name.
std::vector<LedgerFacet> ledgerFacets(const std::vector<LedgerRun>& runs,
                                      const QStringList& openFiles);

// Adds the open runs that have not ended to the runs of the ledger. If the file of an open run is
// already in the ledger, that entry gets its state; otherwise a new entry is placed first.
std::vector<LedgerRun> withRunsUnderWay(std::vector<LedgerRun> runs,
                                        const std::vector<std::shared_ptr<RunDocument>>& open);

Details describeLedgerRun(const LedgerRun& run); // without reading its file

// Table of the listed runs of the ledger. A setting has a column only if it varies among these runs
// or if all settings are requested.
class LedgerModel : public TableModel<LedgerRun>
{
    Q_OBJECT

public:
    enum class Settings : std::uint8_t { Varying, All };

    explicit LedgerModel(QObject* parent = nullptr);

    // Shows these runs. The sort order is kept if the columns stay the same.
    void show(std::vector<LedgerRun> runs, Settings settings, const QDateTime& now);
    int equalSettings() const { return m_equal; } // number of settings without a column
    QString titleOf(int column) const { return headerData(column, Qt::Horizontal).toString(); }
    // Returns the columns that may be hidden if the window is too narrow. The first ones are hidden
    // first: settings from the last to the first, then iteration times, then tags.
    std::vector<int> dispensable() const;
    int rowOf(const QString& file) const; // -1: not shown

private:
    Columns columns(const QDateTime& now) const;

    QStringList m_settings; // titles of the settings that have a column
    bool m_hasTags = false; // whether there is a column of tags
    int m_equal = 0;
};

// The listed runs, of which several can be selected.
class LedgerTable : public DataTable
{
    Q_OBJECT

public:
    explicit LedgerTable(const ThemeController& theme, QWidget* parent = nullptr);

    // Shows other runs. Keeps the sort order, and the selected and current runs that are among
    // `runs`.
    void show(std::vector<LedgerRun> runs, LedgerModel::Settings settings);
    using QWidget::show;
    LedgerModel& runs() const { return *m_model; }
    std::vector<LedgerRun> selected() const; // in the order shown
    const LedgerRun* current() const;        // nullptr: none
    // Returns the selected runs with all settings; if fewer than two are selected, returns all
    // runs.
    QString csv() const;
    // Texts that count the hidden columns by reason; empty if none is hidden.
    QStringList hiddenColumns() const;

Q_SIGNALS:
    void selectionChangedByUser();
    void columnsChanged(); // hiddenColumns() may have changed
    void openRequested(const app::LedgerRun& run);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void sort(const QString& title, Qt::SortOrder order);

    LedgerModel* m_model;
    bool m_isShowing = false; // show() replaces the rows
    QString m_sortedBy;       // title of a column; "" at first
};

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
