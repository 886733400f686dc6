#pragma once

#include "app/documents/run_ledger.h"
#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/ui/theme.h"

#include <QTimer>

#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QStackedWidget;

namespace app {

class Band;
class EmptyState;
class LedgerDetails;
class LedgerFacets;
class LedgerNotes;
class LedgerTable;

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
    void showRuns();
    void showCount();
    void showSelection();
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
    std::vector<LedgerRun> m_runs; // runs of all groups, including those in progress
    LedgerFacets* m_facets;
    LedgerTable* m_table;
    LedgerNotes* m_notes;
    QLineEdit* m_filter;
    QCheckBox* m_onlyVarying;
    QLabel *m_count, *m_selected, *m_difference;
    Band* m_band;
    EmptyState* m_empty;
    QTimer m_late; // delays showRuns(), so that several changes cause one update
    QStackedWidget* m_stack;
    LedgerDetails* m_details;
    QWidget *m_groupsColumn = nullptr, *m_detailsColumn = nullptr;
    QAction *m_open, *m_compare, *m_repeat, *m_star, *m_rename, *m_tag, *m_trash, *m_restore,
        *m_copy, *m_find;
};

} // namespace app
