#include "app/ui/data_table.h"
#include "tests/catch.h"

#include <QHeaderView>
#include <QImage>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QTest>

namespace {

constexpr int kColumns = 10;

// Counts how often the texts of its cells are read.
class CountingModel : public QStandardItemModel
{
public:
    using QStandardItemModel::QStandardItemModel;

    QVariant data(const QModelIndex& index, int role) const override
    {
        reads += role == Qt::DisplayRole ? 1 : 0;
        return QStandardItemModel::data(index, role);
    }

    mutable int reads = 0;
};

// A word and nine numbers, whose headers are wider than they.
struct ShownTable
{
    ShownTable()
        : model(1, kColumns)
    {
        const QVariant right
            = QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
        for (int column = 0; column < kColumns; ++column) {
            model.setHeaderData(column, Qt::Horizontal, QStringLiteral("Optimizer"));
            model.setData(model.index(0, column), QStringLiteral("12.5"));
            if (column > 0)
                model.setHeaderData(column, Qt::Horizontal, right, Qt::TextAlignmentRole);
        }
        table.setModel(&model);
        table.resize(2000, 100);
        table.show();
        comfortable = table.neededWidth();
    }
    void shrinkBy(int pixels)
    {
        table.resize(comfortable - pixels, 100);
        table.fitRows();
    }
    int width() const
    {
        int sum = 0;
        for (int column = 0; column < kColumns; ++column)
            sum += widthOf(column);
        return sum;
    }
    bool scrolls() const { return width() > table.viewport()->width(); }
    int widthOf(int column) const { return table.columnWidth(column); }

    CountingModel model;
    app::ThemeController theme;
    app::DataTable table{theme, 26};
    int comfortable = 0;
};

} // namespace

TEST_CASE("columns of numbers move closer together before a table scrolls")
{
    ShownTable shown;
    shown.shrinkBy(0);
    const int first = shown.widthOf(0), last = shown.widthOf(kColumns - 1);
    const int high = shown.table.maximumHeight();
    CHECK_FALSE(shown.scrolls());
    shown.shrinkBy(30);
    CHECK_FALSE(shown.scrolls());
    CHECK(shown.widthOf(0) == first); // a word, at the left
    CHECK(shown.widthOf(kColumns - 1) < last);
    CHECK(shown.table.maximumHeight() == high); // no bar below the rows
    shown.shrinkBy(400);
    CHECK(shown.scrolls());
    CHECK(shown.table.maximumHeight() > high);
    CHECK(last - shown.widthOf(kColumns - 1) < 9); // nothing is cut
}

TEST_CASE("where the width suffices no column shrinks")
{
    ShownTable shown;
    shown.shrinkBy(0);
    CHECK(shown.width() + 2 >= shown.comfortable);
}

// Names of metrics were elided beside an empty half of the rest column.
TEST_CASE("the rest column gives its width up before the first column is elided")
{
    QStandardItemModel model(1, 3);
    const QStringList texts{QStringLiteral("Speed-up over 1F1B in units"), QStringLiteral("14.7"),
                            QString(100, QLatin1Char('m'))};
    for (int column = 0; column < 3; ++column)
        model.setData(model.index(0, column), texts.at(column));
    app::ThemeController theme;
    app::DataTable table(theme, 26);
    table.setModel(&model);
    table.setRestColumn(2);
    table.resize(2000, 100);
    table.show();
    const int first = table.columnWidth(0);
    table.resize(first + 400, 100);
    CHECK(table.columnWidth(0) == first);
    CHECK(table.columnWidth(2) >= 160);
    table.resize(first + 150, 100);
    CHECK(table.columnWidth(0) < first);
}

// Names of schemes were cut after three letters.
TEST_CASE("a picture does not take the room of the name beside it")
{
    constexpr int kPicture = 74;
    ShownTable shown;
    const QModelIndex first = shown.model.index(0, 0);
    const auto narrowest = [&] {
        shown.shrinkBy(0);
        shown.shrinkBy(shown.comfortable - 200);
        return shown.widthOf(0);
    };
    shown.model.setData(first, QStringLiteral("Interleaved zero bubble with a long name"));
    const int without = narrowest();
    shown.model.setData(first, 0, app::kThumbnailRole);
    CHECK(narrowest() == without + kPicture);
}

TEST_CASE("the first columns of a table that scrolls sideways stay in sight")
{
    ShownTable shown;
    shown.table.setFrozen(2);
    shown.shrinkBy(400);
    auto* bar = shown.table.horizontalScrollBar();
    const int second = shown.widthOf(0) + shown.widthOf(1);
    CHECK(shown.table.frozenWidth() == 0); // nothing is scrolled
    bar->setValue(bar->maximum());
    CHECK(shown.table.frozenWidth() == second);
    const QModelIndex frozen = shown.model.index(0, 1), last = shown.model.index(0, kColumns - 1);
    CHECK(shown.table.visualRect(frozen).left() == shown.widthOf(0));
    CHECK(shown.table.visualRect(last).right() < shown.table.viewport()->width());
    CHECK(shown.table.indexAt(shown.table.visualRect(frozen).center()) == frozen);
    CHECK(shown.table.indexAt(shown.table.visualRect(last).center()) == last);
    // A click on the title of a column that stays sorts by this column.
    shown.table.setSortingEnabled(true);
    shown.table.horizontalHeader()->setSectionsClickable(true);
    QTest::mouseClick(shown.table.horizontalHeader()->viewport(), Qt::LeftButton, {},
                      {shown.widthOf(0) + 20, 10});
    CHECK(shown.table.horizontalHeader()->sortIndicatorSection() == 1);
    // Its cells are painted over those that scroll.
    const QImage before = shown.table.viewport()->grab({0, 0, second, 26}).toImage();
    bar->setValue(bar->maximum() - 20);
    CHECK(shown.table.viewport()->grab({0, 0, second, 26}).toImage() == before);
}

TEST_CASE("Left and Right scroll a table, and another row does not")
{
    ShownTable shown;
    shown.shrinkBy(400);
    const auto* bar = shown.table.horizontalScrollBar();
    QTest::keyClick(&shown.table, Qt::Key_Right);
    const int scrolled = bar->value();
    CHECK(scrolled > 0);
    shown.table.setCurrentIndex(shown.model.index(0, 0));
    CHECK(bar->value() == scrolled);
    QTest::keyClick(&shown.table, Qt::Key_Left);
    CHECK(bar->value() < scrolled);
}

TEST_CASE("the cells of a table are measured again only if they have changed")
{
    ShownTable shown;
    shown.model.reads = 0;
    shown.shrinkBy(30);
    shown.table.setRestColumn(0);
    CHECK(shown.model.reads == 0);
    const int before = shown.table.neededWidth();
    shown.model.setData(shown.model.index(0, 0), QString(100, QLatin1Char('m')));
    CHECK(shown.table.neededWidth() > before + 100);
}

// Sections are not narrower than 30 pixels, which the sum of the widths ignored: a bar appeared and
// covered the last row.
TEST_CASE("a cell covers the columns to its right if its row says so")
{
    app::ThemeController theme;
    app::DataTable table(theme, 24);
    app::TableModel<int> model;
    const auto self = [](int number) { return number; };
    model.reset({{QStringLiteral("Number"), self},
                 app::TableColumn<int>(QStringLiteral("Square"), self)
                     .with(app::kSpanRole,
                           [](int number) { return number > 1 ? QVariant(true) : QVariant(); }),
                 {QStringLiteral("Cube"), self}},
                {1, 2});
    table.setModel(&model);
    CHECK(table.columnSpan(0, 1) == 1);
    CHECK(table.columnSpan(1, 1) == 2);
    CHECK(table.columnSpan(1, 0) == 1);
    model.sort(0, Qt::DescendingOrder);
    CHECK(table.columnSpan(0, 1) == 2);
    CHECK(table.columnSpan(1, 1) == 1);
}

// The window crashed when it was closed while a page whose models are members was visible.
TEST_CASE("a table whose model is destroyed can be hidden")
{
    app::ThemeController theme;
    app::DataTable table(theme, 24);
    {
        app::TableModel<int> model;
        model.reset({{QStringLiteral("Number"), [](int number) { return number; }}}, {1, 2});
        table.setModel(&model);
        table.show();
    }
    table.hide();
    CHECK_FALSE(table.isVisible());
}

TEST_CASE("a table of narrow columns does not scroll at the width that it needs")
{
    QStandardItemModel model(1, kColumns);
    for (int column = 0; column < kColumns; ++column)
        model.setHeaderData(column, Qt::Horizontal, QStringLiteral("b"));
    const app::ThemeController theme;
    app::DataTable table(theme, 26);
    table.setModel(&model);
    table.resize(table.neededWidth(), 100);
    table.show();
    int width = 0;
    for (int column = 0; column < kColumns; ++column)
        width += table.columnWidth(column);
    CHECK(width <= table.viewport()->width());
}

TEST_CASE("a table is copied as CSV and as LaTeX, in which no character is a command")
{
    app::TableModel<int> model;
    model.reset({{QStringLiteral("Scheme, 50 %"),
                  [](int number) { return number == 1 ? QStringLiteral("1F1B_x") : QString(); },
                  Qt::AlignLeft},
                 {QStringLiteral("Peak, Mₐ"),
                  [](int number) { return QStringLiteral("−%1 ± 2\u202Fµs").arg(number); }}},
                {1, 2});
    CHECK(app::csvOf(model)
          == QStringLiteral("\"Scheme, 50 %\",\"Peak, Mₐ\"\n1F1B_x,−1 ± 2\u202Fµs\n,−2 ± "
                            "2\u202Fµs\n"));
    CHECK(app::latexOf(model)
          == QStringLiteral("\\begin{tabular}{lr}\n"
                            "  Scheme, 50 \\% & Peak, M$_a$ \\\\\n"
                            "  \\hline\n"
                            "  1F1B\\_x & $-$1 $\\pm$ 2\\,$\\mu$s \\\\\n"
                            "   & $-$2 $\\pm$ 2\\,$\\mu$s \\\\\n"
                            "\\end{tabular}\n"));
}
