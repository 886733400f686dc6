#include "app/compare/compare_page.h"
#include "app/compare/compare_widget.h"
#include "app/figures/scene_view.h"
#include "app/timeline/details/details.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"

#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>
#include <QTest>

#include <algorithm>

using namespace app;

namespace {

struct Compared
{
    explicit Compared(const std::vector<SimulatedRun>& wanted)
    {
        std::vector<std::shared_ptr<RunDocument>> documents;
        for (const SimulatedRun& one : wanted)
            documents.push_back(library.add(simulatedRun(one)));
        page.reset(makeComparison(theme, library, documents));
        page->resize(1600, 910);
        page->show();
    }
    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* found = page->findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }
    QAbstractItemModel* table() const { return find<DataTable>("compareTable")->model(); }
    QString difference(int row, int column) const
    {
        return table()->index(row, column).data(kDifferenceRole).toString();
    }
    bool hasRows(int rows) const
    {
        return waitFor([&] { return table()->rowCount() == rows; });
    }

    ThemeController theme;
    RunLibrary library;
    std::unique_ptr<Page> page;
};

} // namespace

// The status bar shows HTML of the program.
TEST_CASE("the status of a comparison shows the label of a file as plain text")
{
    ThemeController theme;
    RunLibrary library;
    engine::Run run = simulatedRun({"1f1b", 2, 2});
    run.info.label = "<img src=x>";
    const std::unique_ptr<Page> page(makeComparison(theme, library, {library.add(std::move(run))}));
    CHECK(page->statusTexts().front() == QStringLiteral("<b>Baseline</b> &lt;img src=x&gt; #1"));
}

TEST_CASE("two runs are compared, and the verdict says which is shorter, by how much and why")
{
    Compared compared({{"1f1b", 4, 4}, {"bitpipe", 4, 4}});
    REQUIRE(compared.hasRows(2));
    CHECK(compared.page->title() == QStringLiteral("Compare 2 runs"));
    CHECK(compared.difference(1, 1) == QStringLiteral("\u22127.0"));
    const auto* verdict = compared.find<Band>("compareBand");
    CHECK(verdict->kind() == Band::Kind::Ok);
    CHECK(verdict->text().startsWith(QStringLiteral("BitPipe is 33.3 % shorter than 1F1B")));
    CHECK(verdict->text().endsWith(
        QString::fromUtf8(" (−7.0 units, exact): 7.0 units less bubble.")));
}

TEST_CASE("another baseline turns the differences around")
{
    Compared compared({{"1f1b", 4, 4}, {"bitpipe", 4, 4}});
    REQUIRE(compared.hasRows(2));
    auto* box = compared.find<QComboBox>("baseline");
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Down);
    REQUIRE(waitFor([&] { return compared.difference(0, 1) == QStringLiteral("+7.0"); }));
    CHECK(compared.difference(1, 1).isEmpty());
}

TEST_CASE("unchecking a run removes it from the comparison, checking adds it")
{
    Compared compared({{"1f1b", 4, 4}, {"bitpipe", 4, 4}, {"gpipe", 4, 4}});
    REQUIRE(compared.hasRows(3));
    RunLibrary& library = compared.library;
    const auto runs = library.runs();
    library.tick(*runs.at(0), false);
    REQUIRE(compared.hasRows(2));
    CHECK(compared.table()->index(0, 0).data().toString()
          == QStringLiteral("BitPipe #2, baseline"));
    library.tick(*runs.at(0));
    CHECK(compared.hasRows(3));
}

TEST_CASE("1F1B is the baseline whichever run is there first, until another one is chosen")
{
    Compared compared({{"bitpipe", 4, 4}, {"1f1b", 4, 4}, {"gpipe", 4, 4}});
    REQUIRE(compared.hasRows(3));
    auto* box = compared.find<QComboBox>("baseline");
    RunLibrary& library = compared.library;
    const auto runs = library.runs();
    library.tick(*runs.at(1), false);
    REQUIRE(compared.hasRows(2));
    CHECK(box->currentIndex() == 0);
    library.tick(*runs.at(1));
    REQUIRE(compared.hasRows(3));
    CHECK(box->currentIndex() == 1);

    box->setFocus();
    QTest::keyClick(box, Qt::Key_Down);
    REQUIRE(box->currentIndex() == 2);
    library.tick(*runs.at(0), false);
    REQUIRE(compared.hasRows(2));
    CHECK(box->currentIndex() == 1);
}

// The figure said how much longer 1F1B is, below a page that says how much shorter the other is.
TEST_CASE("a figure of a comparison has the baseline of the page")
{
    Compared compared({{"bitpipe", 4, 4}, {"gpipe", 4, 4}, {"1f1b", 4, 4}});
    REQUIRE(compared.hasRows(3));
    QStringList schemes;
    QObject::connect(compared.page.get(), &Page::exportRequested, [&](const auto& runs) {
        for (const auto& run : runs)
            schemes.append(QString::fromStdString(run->info.scheme));
    });
    compared.find<QAction>("exportFigure")->trigger();
    CHECK(schemes.join(u' ') == QStringLiteral("1f1b bitpipe gpipe"));
}

TEST_CASE("one run is compared with its own schedule at even costs, in one unit")
{
    Compared compared({{"bitpipe", 4, 4, 1, true}});
    REQUIRE(compared.hasRows(1));
    compared.find<QAction>("comparePrediction")->trigger();
    REQUIRE(compared.hasRows(2));
    CHECK(compared.table()->index(1, 1).data().toString() == QStringLiteral("simulated"));
    CHECK(compared.table()->index(1, 2).data().toString() == QStringLiteral("14.0"));
    CHECK(compared.difference(1, 2) == QStringLiteral("0")); // no jitter in this one
}

TEST_CASE("units and milliseconds are not subtracted, and the page states this")
{
    Compared compared({{"1f1b", 4, 4}, {"1f1b", 4, 4, 1, true}});
    REQUIRE(compared.hasRows(2));
    CHECK(compared.find<Band>("compareBand")->kind() == Band::Kind::Warning);
    CHECK(
        compared.find<Band>("compareBand")->text().startsWith(QStringLiteral("Not comparable: ")));
    CHECK(compared.difference(1, 2).isEmpty());
}

TEST_CASE("an empty comparison explains what to do")
{
    Compared compared({});
    CHECK(compared.table()->rowCount() == 0);
    CHECK(compared.page->title() == QStringLiteral("Compare 0 runs"));
}

namespace {

std::vector<SimulatedRun> fiveSchemes()
{
    return {{"1f1b", 4, 8}, {"gpipe", 4, 8}, {"bitpipe", 4, 8}, {"chimera", 4, 8}, {"zb-h1", 4, 8}};
}

std::vector<std::size_t> shownOrder(const CompareWidget& lanes)
{
    std::vector<std::size_t> order;
    for (const CompareRow& row : lanes.rows().rows)
        order.push_back(row.run);
    return order;
}

} // namespace

TEST_CASE("many runs are ranked, and the page states what is equal and why the first wins")
{
    Compared compared(fiveSchemes());
    REQUIRE(compared.hasRows(5));
    const auto* lanes = compared.find<CompareWidget>("compare");
    CHECK(lanes->isCompact());
    CHECK(compared.find<QLabel>("compareSummary")->text().contains(QStringLiteral("D 4, N 8")));
    CHECK(compared.find<QLabel>("compareSummary")->text().contains(QStringLiteral("scheme, v")));
    CHECK(compared.find<Band>("compareBand")->text().contains(QStringLiteral("shorter than 1F1B")));
    CHECK(compared.find<QWidget>("sortRuns")->isVisible());
    auto* align = compared.find<SegmentControl>("alignRuns");
    REQUIRE(align->isVisible());
    align->setFocus();
    QTest::keyClick(align, Qt::Key_Right);
    CHECK(lanes->rows().align == CompareAlign::FirstForward);
    CHECK(lanes->rows().rows.front().duration() <= lanes->rows().rows.back().duration());
}

TEST_CASE("the runs are sorted by the control, by an action and again in reverse")
{
    Compared compared(fiveSchemes());
    REQUIRE(compared.hasRows(5));
    const auto& lanes = *compared.find<CompareWidget>("compare");
    REQUIRE(waitFor([&] { return lanes.rows().rows.front().run != 0; }));
    auto* sort = compared.find<SegmentControl>("sortRuns");
    sort->setFocus();
    for (int step = 0; step < 3; ++step)
        QTest::keyClick(sort, Qt::Key_Right);
    REQUIRE(sort->current() == 3);
    const auto byName = shownOrder(lanes);
    CHECK(byName
          == std::vector<std::size_t>{0, 2, 3, 1, 4}); // 1F1B, BitPipe, Chimera, GPipe, ZB-H1
    compared.find<QAction>("rankByName")->trigger();
    CHECK(shownOrder(lanes) == std::vector<std::size_t>(byName.rbegin(), byName.rend()));
}

TEST_CASE("a run chosen in the lanes is chosen in the table, and the other way")
{
    Compared compared(fiveSchemes());
    REQUIRE(compared.hasRows(5));
    auto& lanes = *compared.find<CompareWidget>("compare");
    auto* table = compared.find<DataTable>("compareTable");
    REQUIRE(waitFor([&] { return lanes.rows().rows.front().run != 0; }));
    QTest::keyClick(&lanes, Qt::Key_Down);
    QTest::keyClick(&lanes, Qt::Key_Down);
    const auto& rows = static_cast<RowTable<std::size_t>*>(table)->rows();
    const auto rowOf
        = [&](int run) { return rows.rowWith(std::identity(), static_cast<std::size_t>(run)); };
    CHECK(table->currentIndex().row() == rowOf(lanes.current()));
    table->selectRow(rowOf(1));
    CHECK(lanes.current() == 1);
}

// The details of a run stayed when it was removed, and their links selected in another run.
TEST_CASE("an op that is clicked is explained beside the lanes until the runs change")
{
    Compared compared({{"1f1b", 4, 4}, {"gpipe", 4, 4}});
    REQUIRE(compared.hasRows(2));
    auto* lanes = compared.find<CompareWidget>("compare");
    auto* dock = compared.find<QWidget>("detailsDock");
    CHECK_FALSE(dock->isVisible());
    QTest::mouseClick(lanes, Qt::LeftButton, {}, QPoint(156, 26 + 28 + 10));
    CHECK(dock->isVisible());
    const auto* details = compared.find<DetailsPanel>("details");
    CHECK_FALSE(details->text().trimmed().isEmpty());
    compared.library.tick(*compared.library.runs().at(0), false);
    REQUIRE(waitFor([&] { return compared.page->title() == QStringLiteral("Compare 1 run"); }));
    CHECK(details->text().trimmed().isEmpty());
    compared.find<QAbstractButton>("closeDetails")->click();
    CHECK_FALSE(dock->isVisible());
}

TEST_CASE("the table of all parameters opens from the first line")
{
    Compared compared(fiveSchemes());
    REQUIRE(compared.hasRows(5));
    compared.find<QAbstractButton>("allParameters")->click();
    auto* dialog = compared.page->findChild<QDialog*>(QStringLiteral("parametersDialog"));
    REQUIRE(dialog != nullptr);
    auto* table = dialog->findChild<DataTable*>(QStringLiteral("parametersTable"));
    CHECK(table->model()->index(0, 0).data().toString() == QStringLiteral("scheme"));
    // Long values were cut where they differ.
    table->resize(300, 300);
    CHECK(waitFor(
        [&] { return table->rowHeight(0) > table->rowHeight(table->model()->rowCount() - 1); }));
    dialog->close();
}

TEST_CASE("runs in a rectangle of the Pareto chart are compared alone")
{
    Compared compared(fiveSchemes());
    REQUIRE(compared.hasRows(5));
    auto* points = compared.find<SceneView>("paretoChart");
    REQUIRE(waitFor([&] { return points->isVisible() && points->scene() != nullptr; }));
    QWidget* chart = points->viewport();
    auto* only = compared.find<QPushButton>("compareOnly");
    CHECK_FALSE(only->isVisible());
    QTest::mousePress(chart, Qt::LeftButton, {}, {2, 2});
    QTest::mouseMove(chart, {60, 60});
    QTest::mouseMove(chart, chart->rect().bottomRight());
    QTest::mouseRelease(chart, Qt::LeftButton, {}, chart->rect().bottomRight());
    CHECK(points->marked().size() == 5);
    QTest::keyClick(points, Qt::Key_Escape);
    CHECK(points->marked().empty());
    for (const int key : {Qt::Key_Right, Qt::Key_Left, Qt::Key_Up})
        if (points->marked().empty()) // there may be no run in this direction
            QTest::keyClick(points, static_cast<Qt::Key>(key), Qt::ShiftModifier);
    REQUIRE(points->marked().size() == 2);
    CHECK(only->text() == QStringLiteral("Compare only these 2"));
    QTest::mouseClick(only, Qt::LeftButton);
    CHECK(compared.hasRows(2));
}

// The run was read behind the end of the list.
TEST_CASE("a removed run that the lanes or the charts still show is not used")
{
    Compared compared(fiveSchemes());
    REQUIRE(compared.hasRows(5));
    auto* lanes = compared.find<CompareWidget>("compare");
    auto* panels = compared.page->findChild<ComparisonPanels*>();
    QStringList opened;
    QObject::connect(compared.page.get(), &Page::pageRequested,
                     [&](const PageRequest& asked) { opened += asked.files; });
    QObject::connect(compared.page.get(), &Page::titleChanged, [&] {
        Q_EMIT lanes->openRequested(4);
        Q_EMIT lanes->baselineRequested(4);
        Q_EMIT lanes->runChosen(4);
        Q_EMIT panels->onlyRequested({0, 4});
    });
    RunLibrary& library = compared.library;
    const auto runs = library.runs();
    library.tick(*runs.at(4), false);
    REQUIRE(compared.hasRows(4));
    settle();
    CHECK(opened.isEmpty());
    CHECK(compared.find<QComboBox>("baseline")->currentIndex() == 0);
    CHECK(compared.page->title() == QStringLiteral("Compare 4 runs"));
}

// The dock was 185 pixels wide beside the ranking of 32 runs, whose toolbar kept every name, and
// the last tab was cut.
TEST_CASE("at 1280 pixels a ranking leaves the runs their dock and shows all its tabs")
{
    Compared compared(fiveSchemes());
    compared.page->resize(1280, 710);
    REQUIRE(compared.hasRows(5));
    CHECK(waitFor([&] { return compared.find<QWidget>("runsDock")->width() >= 216; }));
    const auto* tabs = compared.find<QTabBar>("compareTabs");
    CHECK(waitFor([&] { return tabs->width() >= tabs->sizeHint().width(); }));
    // The buttons vanished.
    for (const char* icon : {"addRunIcon", "exportFigureIcon"})
        CHECK(waitFor([&] { return compared.find<QWidget>(icon)->isVisible(); }));
    CHECK_FALSE(compared.find<QWidget>("addRunButton")->isVisible());
}

// There was only one comparison, which followed the ticks of every page.
TEST_CASE("several comparisons are open, each with its own runs and ticks")
{
    Compared first({{"1f1b", 4, 4}, {"bitpipe", 4, 4}, {"gpipe", 4, 4}});
    REQUIRE(first.hasRows(3));
    RunLibrary& library = first.library;
    const auto runs = library.runs();
    const std::unique_ptr<Page> second(
        makeComparison(first.theme, first.library, {runs.at(0), runs.at(2)}));
    first.page->hide();
    second->show();
    REQUIRE(waitFor([&] { return second->title() == QStringLiteral("Compare 2 runs"); }));
    library.tick(*runs.at(2), false);
    REQUIRE(waitFor([&] { return second->title() == QStringLiteral("Compare 1 run"); }));
    CHECK(first.page->title() == QStringLiteral("Compare 3 runs"));
    second->hide();
    first.page->show();
    CHECK(library.ticked().size() == 3);
    CHECK(first.page->shows({runs.at(2), runs.at(0), runs.at(1)}));
}

TEST_CASE("T replays the runs with the op times of the baseline, and the verdict says so")
{
    Compared compared({{"1f1b", 4, 4, 3, true}, {"bitpipe", 4, 4, 3, true}});
    REQUIRE(compared.hasRows(2));
    const auto* verdict = compared.find<Band>("compareBand");
    auto* action = compared.find<QAction>("sameOpTimes");
    REQUIRE(waitFor([&] { return action->isEnabled(); }));
    CHECK_FALSE(verdict->text().contains(QStringLiteral("With the op times")));
    action->trigger();
    CHECK(waitFor(
        [&] { return verdict->text().contains(QStringLiteral("With the op times of 1F1B")); }));
    CHECK(compared.find<SegmentControl>("opTimes")->current() == 1);
    action->trigger();
    CHECK(waitFor([&] { return !verdict->text().contains(QStringLiteral("op times of")); }));
}
