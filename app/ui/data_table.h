#pragma once

#include "app/ui/controls.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"

#include <QHeaderView>
#include <QString>
#include <QStyledItemDelegate>
#include <QTableView>

#include <map>

class QAbstractItemModel;
class QModelIndex;

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
    QColor lineColour() const { return m_theme.theme().chrome.line; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    QSize sectionSizeFromContents(int section) const override;

private:
    const ThemeController& m_theme;
    const DataTable& m_table;
};

// A read-only table whose columns share the available width. If they do not fit, it scrolls
// sideways, and its first columns stay in sight. Its menu copies it as CSV or LaTeX.
class DataTable : public QTableView
{
    Q_OBJECT

public:
    DataTable(const ThemeController& theme, int rowHeight, QWidget* parent = nullptr);

    void setModel(QAbstractItemModel* model) override;
    // Limits the height to the rows and to `tallest`; Fixed: the table is as high as this limit.
    enum class Fit : std::uint8_t { None, AtMost, Fixed };
    void fitRows(Fit how = Fit::AtMost, int tallest = QWIDGETSIZE_MAX)
    {
        m_fit = how;
        m_tallest = tallest;
        fitHeight();
    }
    int fittingHeight() const; // height of the header, all rows and the scroll bar, if needed
    // Width in pixels that each row of the column reserves for a difference; 0 if no row has one.
    int differenceRoom(int column) const;
    int neededWidth() const; // width that shows every column in full with normal padding
    // The columns that stay in sight while the others scroll; at first the first one.
    void setFrozen(int columns) { m_frozen = columns; }
    int frozenColumns() const { return m_frozen; }
    // The width of the columns that cover others; 0: the table is not scrolled, or is too narrow.
    int frozenWidth() const;
    // Sets the column that gets the remaining width and elides its texts.
    void setRestColumn(int column)
    {
        m_restColumn = column;
        shareWidth();
    }

    QModelIndex indexAt(const QPoint& point) const override;
    QRect visualRect(const QModelIndex& index) const override;
    void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override; // the row

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override; // Left and Right scroll
    void wheelEvent(QWheelEvent* event) override;  // with Shift, scrolls sideways

private:
    std::vector<int> allWidths() const; // the width of each column
    std::vector<int> widths(int room) const;
    void squeeze(std::vector<int>& widths, int tooMuch) const;
    void shareWidth();
    void fitHeight();
    void spanCells();
    void forgetWidths();

    // By column: cached widths of cells and differences. Cleared if the model or the text size
    // changes.
    mutable std::vector<int> m_ofCells;
    mutable std::map<int, int> m_ofDifferences;
    Fit m_fit = Fit::None;
    int m_tallest = 0, m_frozen = 1;
    int m_restColumn = -1; // the column that gets the remaining width; -1: all columns share it
};

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

// The header and the cells of a table as they are shown. A cell includes its difference.
QString csvOf(const QAbstractItemModel& model);
// A tabular environment that needs no packages.
QString latexOf(const QAbstractItemModel& model);

// Returns the verdict on a value that exceeds `baseline` by `difference`. A positive difference
// gets `more`, a negative one the opposite. A difference gets Neutral if it is at most 1 % of the
// baseline or is 0 when rounded to `decimals`.
Verdict differenceVerdict(double difference, double baseline, int decimals,
                          Verdict more = Verdict::Worse);

// The colour of a text with this verdict.
QColor verdictInk(const Chrome& chrome, Verdict verdict, const QColor& neutral);
// The colour of a cell with the verdict of its kVerdictRole.
QColor verdictInk(const Chrome& chrome, const QModelIndex& cell, const QColor& neutral);

} // namespace app
