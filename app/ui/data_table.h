#pragma once

#include "app/ui/theme.h"

#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QTableView>

#include <map>

namespace app {

class DataTable;

// Draws a cell: a number or text, a share bar, or the difference from the baseline.
class CellDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    CellDelegate(const ThemeController& theme, DataTable* table); // `table` owns it

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    const Theme& theme() const { return m_theme.theme(); }

private:
    void paintShare(QPainter& painter, const QRect& cell, double share) const;
    QRect paintLevel(QPainter& painter, const QRect& cell, int filled) const;
    QRect paintPicture(QPainter& painter, const QRect& cell, const QModelIndex& index) const;
    QRect paintBelow(QPainter& painter, const QRect& cell, const QModelIndex& index) const;
    QRect paintDifference(QPainter& painter, const QRect& cell, const QModelIndex& index) const;

    const ThemeController& m_theme;
    const DataTable& m_table;
};

// A table header. Titles of columns with differences are aligned with the values.
class TableHeader : public QHeaderView
{
    Q_OBJECT

public:
    TableHeader(const ThemeController& theme, DataTable* table); // `table` owns it
    int widthOf(int section) const { return sectionSizeFromContents(section).width(); }

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    QSize sectionSizeFromContents(int section) const override;

private:
    const ThemeController& m_theme;
    const DataTable& m_table;
};

// A read-only table whose columns share the available width. Its menu copies it as CSV or LaTeX.
class DataTable : public QTableView
{
    Q_OBJECT

public:
    DataTable(const ThemeController& theme, int rowHeight, QWidget* parent = nullptr);

    void setModel(QAbstractItemModel* model) override;
    void fitRows() { setMaximumHeight(fittingHeight()); } // limits the height to the rows
    int fittingHeight() const;                            // height of the header and all rows
    // Width in pixels that each row of the column reserves for a difference; 0 if no row has one.
    int differenceRoom(int column) const;
    // Width that shows every column in full with normal padding, including dispensable columns that
    // are hidden now.
    int neededWidth() const { return sumWithDispensable(allWidths()) + 2; }
    // Sets the columns that are hidden, in this order, if the table is too narrow.
    void setDispensable(std::vector<int> columns)
    {
        for (const int column : m_dispensable) // shows columns hidden earlier
            setColumnHidden(column, false);
        m_dispensable = std::move(columns);
        shareWidth();
    }
    // Sets the column that gets the remaining width and elides its texts.
    void setRestColumn(int column)
    {
        m_restColumn = column;
        shareWidth();
    }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    std::vector<int> allWidths() const; // the width of each column, including hidden ones
    // Returns `widths` with 0 for hidden columns.
    std::vector<int> ofShown(std::vector<int> widths) const;
    int leastWidth() const; // width that shows every visible column in full with least padding
    void squeeze(std::vector<int>& widths, int tooMuch) const;
    void shareWidth();
    void dropColumns(std::vector<int> widths);
    int
    sumWithDispensable(const std::vector<int>& widths) const; // includes hidden dispensable columns
    void spanCells();
    void forgetWidths();

    // By column: cached widths of cells and differences. Cleared if the model or the text size
    // changes.
    mutable std::vector<int> m_ofCells;
    mutable std::map<int, int> m_ofDifferences;
    std::vector<int> m_dispensable;
    int m_restColumn = -1; // the column that gets the remaining width; -1: all columns share it
};

} // namespace app
