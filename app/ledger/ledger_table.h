#pragma once

#include "app/ledger/ledger_model.h"
#include "app/ui/data_table.h"

namespace app {

// The listed runs, of which several can be selected. A click on a star toggles it.
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
    void starToggled(const app::LedgerRun& run);
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
