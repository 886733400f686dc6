#pragma once

#include "app/documents/run_document.h"
#include "app/documents/run_library.h"
#include "app/ledger/run_ledger.h"
#include "app/shell/page.h"
#include "app/timeline/details/details.h"
#include "app/ui/data_table.h"
#include "app/ui/settings.h"

#include <functional>
#include <set>
#include <vector>

namespace app {

// A group to which the list of runs can be limited. Only the group Trash contains runs in the
// trash.
struct LedgerFacet
{
    enum class Of : std::uint8_t { Runs, Trash, Tag, Search };

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

// The fixed groups, then one for each tag, sorted by name, and one for each saved search.
std::vector<LedgerFacet> ledgerFacets(const std::vector<LedgerRun>& runs,
                                      const QStringList& openFiles, const QStringList& searches);

// Adds the open runs that have not ended to the runs of the ledger. If the file of an open run is
// already in the ledger, that entry gets its state; otherwise a new entry is placed first.
std::vector<LedgerRun> withRunsUnderWay(std::vector<LedgerRun> runs,
                                        const std::vector<std::shared_ptr<RunDocument>>& open);

// What the list of runs shows.
struct LedgerView
{
    enum class Groups : int { Mode, Model, Tag }; // runs of another mode are in another group

    Groups groups = Groups::Mode;
    QStringList columns{};  // that the user chose; empty: those that are shown at first
    bool hasVarying = true; // settings that vary have a column, too
    QStringList openFiles{};
    QDateTime now = QDateTime::currentDateTime();
};

// A line of the list: a run, or the head of a group, which has the units of its runs, so that ms
// and units never share a column.
struct LedgerLine
{
    LedgerRun run;
    QString head, remark{}; // "Emulated", "9 runs"; "" for a run
    std::size_t group = 0;
    Scale time{}, token{}, bytes{}; // of the group
    Scale share{0.01, 1, QStringLiteral("%")}, plain{};
    bool isOpen = false;

    bool isHead() const { return !head.isEmpty(); }
};

// The runs in groups, each below its head. The columns sort within the groups.
class LedgerModel : public TableModel<LedgerLine>
{
public:
    enum Column : int { State, Number, Name };

    explicit LedgerModel(QObject* parent = nullptr);

    void show(const std::vector<LedgerRun>& runs, const LedgerView& view);
    QStringList allColumns() const { return m_all; } // that can be chosen, in their order
    const QStringList& shownColumns() const { return m_shown; } // after the first three
    QString titleOf(int column) const { return headerData(column, Qt::Horizontal).toString(); }
    std::vector<LedgerRun> runs() const; // in the order shown

private:
    int rank(const LedgerLine& line) const override
    {
        return static_cast<int>(2 * line.group) + (line.isHead() ? 0 : 1);
    }

    void addColumn(const TableColumn<LedgerLine>& column, bool isShown, Columns& columns);
    Columns chooseColumns(const std::vector<LedgerRun>& runs, const LedgerView& view);

    QStringList m_all, m_shown;
};

// The list of runs, of which several can be selected, also by their check boxes. A click on the
// head of a group folds it.
class LedgerTable : public DataTable
{
    Q_OBJECT

public:
    explicit LedgerTable(const ThemeController& theme);

    // Shows other runs. Keeps the sort order, and the selected and current runs that are among
    // `runs`.
    void show(const std::vector<LedgerRun>& runs, const LedgerView& view);
    using QWidget::show;
    LedgerModel& model() const { return *m_model; }
    std::vector<LedgerRun> selected() const; // in the order shown
    const LedgerRun* current() const;        // nullptr: none
    // Returns the selected runs with all settings; if fewer than two are selected, returns all
    // runs.
    QString csv() const;
    bool isFolded(const QString& head) const { return m_folded.contains(head); }

Q_SIGNALS:
    void selectionChangedByUser();
    void openRequested(const app::LedgerRun& run);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    QItemSelectionModel::SelectionFlags selectionCommand(const QModelIndex& index,
                                                         const QEvent* event) const override;

private:
    void sort(const QString& title, Qt::SortOrder order);
    void fold();

    LedgerModel* m_model;
    bool m_isShowing = false; // show() replaces the rows
    bool m_isOnCheck = false; // the last mouse press was on a check box
    QString m_sortedBy;       // title of a column; "" at first
    std::set<QString> m_folded;
};

// What the page shows of the selected runs, without reading their files: all of one run; of
// several the numbers and settings that differ, and those that do not.
Details describeLedgerRuns(const std::vector<LedgerRun>& runs);

// The page with all runs of this machine: the groups at the left, the filtered and sorted list, and
// the details of the selected runs.
Page* makeLedger(const ThemeController& theme, Settings& settings, RunLibrary& library,
                 RunLedger& ledger);

} // namespace app
