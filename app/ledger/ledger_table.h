#pragma once

#include "app/ledger/ledger_run.h"
#include "app/ui/data_table.h"
#include "app/ui/table_model.h"

namespace app {

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

} // namespace app
