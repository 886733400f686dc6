#pragma once

#include "app/models/theme.h"

#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QTableView>

namespace app {

// Draws a cell: number or text, share bar, difference from the baseline.
class CellDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    CellDelegate(const ThemeController& theme, QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    void paintShare(QPainter& painter, const QRect& cell, double share) const;
    QRect paintMarks(QPainter& painter, const QRect& cell, const QModelIndex& index) const;
    QRect paintPicture(QPainter& painter, const QRect& cell, const QModelIndex& index) const;
    QRect paintDifference(QPainter& painter, const QRect& cell, const QModelIndex& index) const;
    QColor textColour(const QModelIndex& index) const;

    const ThemeController& m_theme;
};

// Table header. In a column with differences the title is above the values.
class TableHeader : public QHeaderView
{
    Q_OBJECT

public:
    TableHeader(const ThemeController& theme, QWidget* parent);
    int widthOf(int section) const { return sectionSizeFromContents(section).width(); }

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    QSize sectionSizeFromContents(int section) const override;

private:
    const ThemeController& m_theme;
};

// A read-only table whose columns share the available width.
class DataTable : public QTableView
{
    Q_OBJECT

public:
    DataTable(const ThemeController& theme, int rowHeight, QWidget* parent = nullptr);

    void setModel(QAbstractItemModel* model) override;
    void fitRows();            // limits the height to the rows
    int fittingHeight() const; // of the header and all rows
    int neededWidth() const;   // with every column and all distances in full
    // Columns that are hidden if not all fit, least important first.
    void setDispensable(std::vector<int> columns);
    void setRestColumn(int column); // this column gets the remaining width and elides its texts

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    std::vector<int> allWidths() const;                      // [column], including hidden ones
    std::vector<int> ofShown(std::vector<int> widths) const; // [column], 0 for hidden columns
    int leastWidth() const; // with every column in full and the smallest distances
    void squeeze(std::vector<int>& widths, int tooMuch) const;
    void shareWidth();
    void dropColumns(const std::vector<int>& widths);
    void spanCells();

    std::vector<int> m_dispensable;
    int m_restColumn = -1; // -1: all columns share the remaining width
};

} // namespace app
