#pragma once

#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"

#include <QAbstractTableModel>
#include <QHeaderView>
#include <QMetaType>
#include <QString>
#include <QStyledItemDelegate>
#include <QTableView>
#include <Qt>

#include <algorithm>
#include <concepts>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

class QAbstractItemModel;
class QModelIndex;

namespace app {

// Roles that DataTable's delegate draws in addition to a cell's text.

// A double from 0 to 1: draws a neutral bar of this share at the left of the number.
inline constexpr int kShareRole = Qt::UserRole + 1;
// kDifferenceRole is a QString, such as "+4.0", which is drawn small at the right of the value.
// kVerdictRole is a Verdict, which selects the colour of the difference, or of the value if it has
// no difference.
inline constexpr int kDifferenceRole = Qt::UserRole + 2, kVerdictRole = Qt::UserRole + 3;
// A QString, drawn small on a second line: below the difference if the column has differences,
// otherwise below the text, elided in the middle. Rows with second lines need kTwoLines pixels.
inline constexpr int kBelowRole = Qt::UserRole + 17;
inline constexpr int kTwoLines = 52;
// Two bools: whether the cell is a summary (strong), and whether its text is muted (hint).
// kSpanRole is the number of columns that the cell covers; true: the rest of its row. Spans must
// not overlap. In a header it is a bool: whether cells of the column may have one.
inline constexpr int kStrongRole = Qt::UserRole + 4, kHintRole = Qt::UserRole + 5,
                     kSpanRole = Qt::UserRole + 6;
// A const Thumbnail*, drawn at the left (nullptr draws an empty frame), and its share of the width
// as a double from 0 to 1.
inline constexpr int kThumbnailRole = Qt::UserRole + 7, kThumbnailWidthRole = Qt::UserRole + 8;
// A bool: the text is the name of an op and is drawn with fixed pitch.
inline constexpr int kCodeRole = Qt::UserRole + 9;
// A KernelKind as int: draws a swatch in its colour at the left.
inline constexpr int kKernelKindRole = Qt::UserRole + 10;

// An Icon as int, drawn at the left in the colour of the text.
inline constexpr int kIconRole = Qt::UserRole + 11;

// An int from 0 to 3: draws three squares at the left, of which this many are filled.
inline constexpr int kLevelRole = Qt::UserRole + 12;

// An Interval, drawn on the scale of the column (by WhatIfTable's delegate).
inline constexpr int kIntervalRole = Qt::UserRole + 13;
// A QString: the value before the user changed it, drawn struck through (by the delegate of stage
// costs).
inline constexpr int kBeforeRole = Qt::UserRole + 14;

// Two bools: the value exceeds its limit and is drawn in the error colour, whatever its verdict; it
// is drawn in the warning colour.
inline constexpr int kExceedsRole = Qt::UserRole + 16, kWarnsRole = Qt::UserRole + 15;

// A value with its 95 % interval, and the value of the baseline; all from 0 to 1.
struct Interval
{
    double least = 0, value = 0, most = 0, baseline = 0;
    bool isKnown = false; // false: the interval is still being computed
};

enum class Verdict : int { Neutral, Better, Worse };

using SortValue = std::variant<double, QString>;
// Returns the value by which a setting is sorted. Numbers are sorted by value, "16" after "8", and
// come before texts.
SortValue settingSort(const QString& value);

// The title of a column. It is a text such as "Device", a text such as "Peak, %1" with a scale
// whose unit replaces %1, or a function that returns the title.
struct ColumnTitle
{
    // NOLINTBEGIN(google-explicit-constructor): a column is described by an initializer list
    ColumnTitle(const QString& title = {})
        : shown([title] { return title; })
    { }
    ColumnTitle(const QString& title, const Scale& scale)
        : shown([=] { return title.arg(scale.unit()); })
    { }
    ColumnTitle(std::function<QString()> title)
        : shown(std::move(title))
    { }
    // NOLINTEND(google-explicit-constructor)

    std::function<QString()> shown;
};

// The part of a column that does not depend on the rows.
struct ColumnHead
{
    ColumnTitle title;
    Qt::AlignmentFlag alignment;
    QString remark = {}; // follows the definition in the tooltip of the title
};

inline const QString kNoValue = QStringLiteral("–"); // text of a cell without a value

// The text of a cell for what a function or member of its row returns.
inline QString cellText(const QString& text)
{
    return text;
}
inline QString cellText(const std::string& text)
{
    return QString::fromStdString(text);
}
inline QString cellText(std::integral auto count)
{
    return number(static_cast<double>(count), 0);
}
template<class Value>
QString cellText(const std::optional<Value>& value)
{
    return value ? cellText(*value) : kNoValue;
}

// A column, described by functions or members of a row, which return a text or a count. Without
// sortedBy(), the column is sorted by its text. with() adds a role, from this file or from Qt.
// If its function returns an invalid QVariant for a row, that cell keeps the default of the role.
template<typename Row>
struct TableColumn : ColumnHead
{
    using Cell = std::function<QVariant(const Row&)>;
    using Text = std::function<QString(const Row&)>;
    using Sort = std::function<SortValue(const Row&)>;

    template<class Value>
    TableColumn(ColumnTitle header, Value value, Qt::AlignmentFlag align = Qt::AlignRight)
        : ColumnHead{std::move(header), align, {}}
        , text([value = std::move(value)](const Row& row) {
            return app::cellText(std::invoke(value, row));
        })
    { }
    TableColumn& sortedBy(Sort value) { return sortValue = std::move(value), *this; }
    // Shows "–" in place of the text for rows for which `has` returns false.
    template<typename Has>
    TableColumn& onlyIf(Has has)
    {
        text = [has, shown = std::move(text)](const Row& row) {
            return has(row) ? shown(row) : kNoValue;
        };
        return *this;
    }
    TableColumn& with(int role, Cell cell)
    {
        return roles.emplace_back(role, std::move(cell)), *this;
    }
    template<class Value>
    TableColumn& tip(Value value)
    {
        return with(Qt::ToolTipRole, [value = std::move(value)](const Row& row) {
            return QVariant(app::cellText(std::invoke(value, row)));
        });
    }
    TableColumn& tip(const char* fixed)
    {
        return with(Qt::ToolTipRole,
                    [fixed](const Row&) { return QVariant(QString::fromUtf8(fixed)); });
    }
    template<class Judge> // returns a Verdict
    TableColumn& verdict(Judge judge)
    {
        return with(kVerdictRole,
                    [judge](const Row& row) { return QVariant(static_cast<int>(judge(row))); });
    }
    TableColumn& flag(int role) // sets a bool of the roles above in every row
    {
        return with(role, [](const Row&) { return QVariant(true); });
    }

    Text text;
    Sort sortValue;
    std::vector<std::pair<int, Cell>> roles;
};

// The part of TableModel that does not depend on the type of the rows and is compiled once. A `row`
// is an index in the order in which the rows were set.
class SortedTable : public QAbstractTableModel
{
public:
    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_order.size());
    }
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

protected:
    // Returns a tooltip that defines the column `title`; an invalid QVariant if there is none.
    virtual QVariant headerToolTip(int section, const QString& title) const;
    void sortAgain() { sort(m_sortColumn, m_sortOrder); }
    std::size_t rowAt(int shown) const { return m_order[static_cast<std::size_t>(shown)]; }
    void sortRows(std::size_t rows);   // all rows are new
    void appendRows(std::size_t rows); // appends rows up to this total; they are last until sort()

private:
    virtual const ColumnHead& columnHead(int column) const = 0;
    virtual QString cellText(int column, std::size_t row) const = 0;
    virtual QVariant cellRole(int column, std::size_t row, int role) const = 0;
    virtual SortValue cellSort(int column, std::size_t row) const = 0;
    virtual int rowRank(std::size_t row) const = 0;
    virtual bool mayHave(int column, int role) const = 0; // whether cells of the column have it

    std::vector<std::size_t> m_order; // m_order[i]: the row that is shown at position i
    int m_sortColumn = -1;            // -1: unsorted
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

// A read-only table of TableColumns. Sorting is stable, and persistent indexes follow their rows.
// We describe a table by a function that returns its columns, so that a table needs no class.
template<typename Row>
class TableModel : public SortedTable
{
public:
    using SortedTable::SortedTable;

    const Row& at(int shown) const { return m_rows[rowAt(shown)]; }

    // The row as shown whose member has this value; -1: none.
    int rowWith(auto member, const auto& value) const
    {
        for (int row = 0; row < rowCount(); ++row)
            if (std::invoke(member, at(row)) == value)
                return row;
        return -1;
    }

    int columnCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
    }

    using Columns = std::vector<TableColumn<Row>>;

    // The rows in the order in which they were set. Sorting does not change this order.
    const std::vector<Row>& rows() const { return m_rows; }

    void reset(Columns columns, std::vector<Row> rows)
    {
        beginResetModel();
        m_columns = std::move(columns);
        m_rows = std::move(rows);
        sortRows(m_rows.size());
        endResetModel();
    }

    // Replaces the columns; their number must stay the same.
    void describe(Columns columns)
    {
        m_columns = std::move(columns);
        Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    }

    // Replaces the rows [first, first + changed.size()). Rows beyond the end are appended and shown
    // last until the next sort().
    void update(std::size_t first, std::vector<Row> changed)
    {
        const std::size_t known = std::min(changed.size(), m_rows.size() - first);
        const auto added = changed.begin() + static_cast<std::ptrdiff_t>(known);
        std::move(changed.begin(), added, m_rows.begin() + static_cast<std::ptrdiff_t>(first));
        if (!m_rows.empty())
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        if (added == changed.end())
            return;
        const auto end = m_rows.size() + changed.size() - known;
        beginInsertRows({}, rowCount(), static_cast<int>(end) - 1);
        std::move(added, changed.end(), std::back_inserter(m_rows));
        appendRows(end);
        endInsertRows();
    }

protected:
    // Rows of a lower rank come first in any sort order.
    virtual int rank(const Row&) const { return 0; }

private:
    const TableColumn<Row>& column(int number) const
    {
        return m_columns[static_cast<std::size_t>(number)];
    }
    const ColumnHead& columnHead(int number) const override { return column(number); }
    QString cellText(int number, std::size_t row) const override
    {
        return column(number).text(m_rows[row]);
    }
    QVariant cellRole(int number, std::size_t row, int role) const override
    {
        for (const auto& [special, cell] : column(number).roles)
            if (special == role)
                if (QVariant value = cell(m_rows[row]); value.isValid())
                    return value;
        return {};
    }
    SortValue cellSort(int number, std::size_t row) const override
    {
        const auto& value = column(number).sortValue;
        return value ? value(m_rows[row]) : SortValue(cellText(number, row));
    }
    int rowRank(std::size_t row) const override { return rank(m_rows[row]); }
    bool mayHave(int number, int role) const override
    {
        return std::ranges::any_of(column(number).roles,
                                   [&](const auto& special) { return special.first == role; });
    }

    Columns m_columns;
    std::vector<Row> m_rows;
};

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
