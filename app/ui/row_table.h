#pragma once

#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/table_model.h"

#include <QHeaderView>

namespace app {

// A table together with its rows. Most tables of a page show rows and nothing more, so a page
// names the table once, and show() replaces columns, rows and height.
template<class Row>
class RowTable : public DataTable
{
public:
    // `rest`: the column that gets the remaining width; -1: all share it.
    RowTable(const ThemeController& theme, int rowHeight, const char* name, const QString& title,
             int rest = -1)
        : DataTable(theme, rowHeight)
    {
        named(this, name, title);
        setModel(&m_rows);
        setRestColumn(rest);
    }
    using QWidget::show;
    void show(std::vector<TableColumn<Row>> columns, std::vector<Row> rows)
    {
        m_rows.reset(std::move(columns), std::move(rows));
    }
    // Is hidden without rows, and as high as its rows need, but at most `tallest`.
    void fit(int tallest = QWIDGETSIZE_MAX)
    {
        setVisible(m_rows.rowCount() > 0);
        fitRows(Fit::Fixed, tallest);
    }
    TableModel<Row>& rows() { return m_rows; }
    const TableModel<Row>& rows() const { return m_rows; }
    const Row& at(int shown) const { return m_rows.at(shown); }
    const Row* current() const // nullptr: none
    {
        const int row = currentIndex().row();
        return row < 0 || row >= m_rows.rowCount() ? nullptr : &m_rows.at(row);
    }

private:
    TableModel<Row> m_rows;
};

} // namespace app
