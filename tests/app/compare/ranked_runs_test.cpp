#include "app/compare/compare_page.h"
#include "app/compare/compare_widget.h"
#include "app/figures/scene_view.h"
#include "app/ui/data_table.h"
#include "app/ui/theme.h"
#include "tests/app/prepared_views.h"
#include "tests/app/sample_run.h"
#include "tests/app/simulated_run.h"
#include "tests/catch.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

// Comparisons of many runs: one lane per run, ranked.

namespace {

using app::CompareLayout;
using app::CompareWidget;
using profiler::RankBy;
using Runs = std::vector<std::shared_ptr<const engine::Run>>;

Runs sixRuns()
{
    Runs runs;
    for (const char* scheme : {"gpipe", "1f1b", "bitpipe", "zb-h1", "chimera", "interleaved-1f1b"})
        runs.push_back(sample::measured({scheme}));
    return runs;
}

app::CompareNumbersPointer numbersOf(const Runs& runs, std::size_t baseline = 1,
                                     RankBy by = RankBy::Iteration)
{
    const auto numbers = app::compareNumbers(runs, baseline);
    REQUIRE(numbers.has_value());
    return app::rankedBy(*numbers, by, profiler::RankOrder::BestFirst);
}

app::RunNames namesOf(const Runs& runs)
{
    app::RunNames names;
    for (const auto& run : runs)
        names.titles << QString::fromStdString(run->info.label);
    return names;
}

struct Ranked
{
    explicit Ranked(Runs all, QSize size = {1384, 582})
        : runs(std::move(all))
    {
        widget.resize(size);
        widget.setViews(sample::views(runs), 1);
        widget.setNumbers(numbersOf(runs));
        widget.show();
    }
    std::size_t runAt(std::size_t row) const { return widget.rows().rows[row].run; }
    QPoint name(std::size_t row) const // of the row's name, in the widget
    {
        return {100, static_cast<int>(26 + widget.rows().rows[row].top + 12)};
    }
    QPoint chevron(std::size_t row) const { return {44, name(row).y()}; }
    QImage picture()
    {
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(&widget, &leave);
        return widget.grab().toImage();
    }

    Runs runs;
    app::ThemeController theme;
    CompareWidget widget{theme};
};

} // namespace

TEST_CASE("five runs are ranked in lanes of at most 48 pixels, four show their devices")
{
    Runs runs = sixRuns();
    Ranked ranked(runs);
    REQUIRE(ranked.widget.isCompact());
    CHECK(ranked.widget.rows().rows[0].height == CompareLayout::kMostLane + 8);
    CHECK(ranked.widget.rows().hasRoomForDevices());
    const auto numbers = numbersOf(runs);
    for (std::size_t k = 0; k < runs.size(); ++k)
        CHECK(ranked.runAt(k) == numbers->ranking.order[k]);
    runs.resize(4);
    Ranked few(runs);
    CHECK_FALSE(few.widget.isCompact());
    CHECK(few.runAt(0) == 0); // in the order of the runs
}

TEST_CASE("three runs that do not fit are ranked")
{
    Runs runs = sixRuns();
    runs.resize(3);
    CHECK_FALSE(Ranked(runs).widget.isCompact());
    CHECK(Ranked(runs, {1384, 200}).widget.isCompact());
}

TEST_CASE("a click on a name chooses the run, one on its chevron shows the devices")
{
    Ranked ranked(sixRuns());
    QSignalSpy chosen(&ranked.widget, &CompareWidget::runChosen);
    QTest::mouseClick(&ranked.widget, Qt::LeftButton, {}, ranked.name(2));
    REQUIRE(chosen.count() == 1);
    CHECK(chosen[0][0].toInt() == static_cast<int>(ranked.runAt(2)));
    CHECK_FALSE(ranked.widget.isExpanded(ranked.runAt(2)));
    QTest::mouseClick(&ranked.widget, Qt::LeftButton, {}, ranked.chevron(2));
    CHECK(ranked.widget.isExpanded(ranked.runAt(2)));
    CHECK(ranked.widget.rows().rows[2].height > CompareLayout::kMostLane + 4 * 23);
    QTest::mouseClick(&ranked.widget, Qt::LeftButton, {}, ranked.chevron(2));
    CHECK_FALSE(ranked.widget.isExpanded(ranked.runAt(2)));
}

TEST_CASE("the arrow keys choose a run and Enter shows its devices")
{
    Ranked ranked(sixRuns());
    QTest::keyClick(&ranked.widget, Qt::Key_Down);
    CHECK(ranked.widget.current() == static_cast<int>(ranked.runAt(0)));
    QTest::keyClick(&ranked.widget, Qt::Key_Down);
    CHECK(ranked.widget.current() == static_cast<int>(ranked.runAt(1)));
    QTest::keyClick(&ranked.widget, Qt::Key_Return);
    CHECK(ranked.widget.isExpanded(ranked.runAt(1)));
    QTest::keyClick(&ranked.widget, Qt::Key_Up);
    CHECK(ranked.widget.current() == static_cast<int>(ranked.runAt(0)));
}

TEST_CASE("an op of an expanded row is selected by a click")
{
    Ranked ranked(sixRuns());
    ranked.widget.setExpanded(ranked.runAt(0), true);
    QSignalSpy spy(&ranked.widget, &CompareWidget::selectionChanged);
    const auto& row = ranked.widget.rows().rows[0];
    QTest::mouseClick(&ranked.widget, Qt::LeftButton, {},
                      QPoint(230, static_cast<int>(26 + row.lanesTop + 10)));
    REQUIRE(spy.count() == 1);
    CHECK(spy[0][0].toInt() == static_cast<int>(row.run));
    CHECK(spy[0][1].value<app::Selection>().kind == app::Selection::Kind::Op);
}

TEST_CASE("a click on a title asks to rank by its column")
{
    Ranked ranked(sixRuns());
    QSignalSpy spy(&ranked.widget, &CompareWidget::rankRequested);
    QTest::mouseClick(&ranked.widget, Qt::LeftButton, {}, QPoint(1384 - 40, 12));
    REQUIRE(spy.count() == 1);
    CHECK(spy[0][0].value<RankBy>() == RankBy::Messages);
    QTest::mouseClick(&ranked.widget, Qt::LeftButton, {}, QPoint(100, 12));
    REQUIRE(spy.count() == 2);
    CHECK(spy[1][0].value<RankBy>() == RankBy::Name);
}

TEST_CASE("the keys 1 to 4 sort, and a double click on a name opens its timeline")
{
    Ranked ranked(sixRuns());
    QSignalSpy sorts(&ranked.widget, &CompareWidget::rankRequested);
    QTest::keyClick(&ranked.widget, Qt::Key_3);
    REQUIRE(sorts.count() == 1);
    CHECK(sorts[0][0].value<RankBy>() == RankBy::Peak);
    QSignalSpy opened(&ranked.widget, &CompareWidget::openRequested);
    QTest::mouseDClick(&ranked.widget, Qt::LeftButton, {}, ranked.name(1));
    REQUIRE(opened.count() == 1);
    CHECK(opened[0][0].toInt() == static_cast<int>(ranked.runAt(1)));
}

TEST_CASE("columns that do not fit are left out, the iteration stays")
{
    const Runs runs = sixRuns();
    const auto numbers = numbersOf(runs);
    Ranked ranked(runs);
    const auto columns = [&](double width) { return app::layoutColumns(*numbers, 214, width); };
    CHECK(columns(1384).size() == 6);
    CHECK(columns(900).size() < 6);
    REQUIRE(columns(600).size() == 1);
    CHECK(columns(600)[0].key == std::string_view("iteration"));
}

TEST_CASE("runs that do not fit scroll, with the baseline at the bottom")
{
    Ranked ranked(sixRuns(), {1384, 26 + 28 + 3 * 22});
    const QImage top = ranked.picture();
    const int bottomLane = 26 + 2 * 22;
    const auto strip
        = [&](const QImage& picture) { return picture.copy(0, bottomLane + 2, 200, 18); };
    QWheelEvent event(QPointF(50, 60), ranked.widget.mapToGlobal(QPointF(50, 60)), {}, {0, -120},
                      Qt::NoButton, {}, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&ranked.widget, &event);
    const QImage scrolled = ranked.picture();
    CHECK(scrolled != top);
    CHECK(strip(scrolled) == strip(top));
}

TEST_CASE("runs of another mode are below a title, on the same scale")
{
    Runs runs = sixRuns();
    auto predicted = std::make_shared<engine::Run>(*runs[2]);
    predicted->info.mode = engine::Mode::Simulate;
    runs.push_back(predicted);
    Ranked ranked(runs);
    const CompareLayout& rows = ranked.widget.rows();
    REQUIRE(rows.groups.size() == 2);
    CHECK_FALSE(rows.groups[1].hasRuler);
    CHECK(rows.groups[1].longest == rows.groups[0].longest);
    CHECK(rows.rows.back().run == 6);
    CHECK(rows.rows.back().top == rows.groups[1].headTop + rows.groups[1].headHeight());
}

TEST_CASE("aligned at the end all runs end at one place, at the first forward all begin at one")
{
    Ranked ranked(sixRuns());
    ranked.widget.setAlign(app::CompareAlign::End);
    const auto pixel = [&](const app::CompareRow& row, std::int64_t time) {
        return app::compareAxis(ranked.widget.rows(), row, {0, app::kCompareWhole},
                                {0, 0, 1000, 500}, 1)
            .x(static_cast<double>(time));
    };
    for (const auto& row : ranked.widget.rows().rows)
        CHECK(pixel(row, row.window().end) == Approx(1000));
    ranked.widget.setAlign(app::CompareAlign::FirstForward);
    for (const auto& row : ranked.widget.rows().rows)
        CHECK(pixel(row, row.window().begin) == Approx(0));
}

TEST_CASE("the outline of the baseline is drawn over expanded rows only when asked for")
{
    Ranked ranked(sixRuns());
    ranked.widget.setExpanded(ranked.runAt(0), true);
    const QImage without = ranked.picture();
    ranked.widget.setGhost(true);
    const QImage with = ranked.picture();
    CHECK(with != without);
    const app::CompareRow& row = *ranked.widget.rows().rowOf(ranked.runAt(0));
    const int middle = static_cast<int>(26 + row.lanesTop + row.pitch / 2 - 1);
    const QRect numbers(0, middle - 4, with.width(), 8); // of device 0
    CHECK(with.copy(numbers) == without.copy(numbers));
    ranked.widget.setGhost(false);
    CHECK(ranked.picture() == without);
}

// The boxes of the devices were drawn only in expanded rows.
TEST_CASE("the lane shows the boxes of the devices, their mean or the worst one")
{
    Ranked ranked(sixRuns());
    const QImage boxes = ranked.picture();
    ranked.widget.setLane(app::LaneOf::MeanOfDevices);
    CHECK(ranked.picture() != boxes);
    const QImage mean = ranked.picture();
    ranked.widget.setLane(app::LaneOf::WorstDevice);
    CHECK(ranked.picture() != mean);
}

TEST_CASE("the table, the causes and the points choose the same run")
{
    const Runs runs = sixRuns();
    app::ThemeController theme;
    const std::unique_ptr<app::ComparisonPanels> made(app::ComparisonPanels::make(theme));
    app::ComparisonPanels& panels = *made;
    panels.resize(1384, 320);
    panels.setRanked(true);
    panels.show(numbersOf(runs), namesOf(runs));
    panels.show();
    QSignalSpy spy(&panels, &app::ComparisonPanels::runChosen);
    auto* causes = panels.findChild<app::SceneView*>(QStringLiteral("causeBars"));
    auto* points = panels.findChild<app::SceneView*>(QStringLiteral("paretoChart"));
    REQUIRE((causes && points));
    const std::size_t other = panels.current() == 0 ? 2 : 0;
    QTest::mouseClick(causes->viewport(), Qt::LeftButton, {}, causes->rectOf(other).center());
    REQUIRE(spy.count() == 1);
    CHECK(spy[0][0].toInt() == static_cast<int>(other));
    CHECK(points->selectedPoint() == other);
    QTest::mouseClick(points->viewport(), Qt::LeftButton, {}, points->rectOf(3).center());
    REQUIRE(spy.count() == 2);
    CHECK(spy[1][0].toInt() == 3);
    CHECK(causes->selectedPoint() == 3);
}

// Random input added runs to a comparison while one of them was chosen; the causes of bubbles then
// read numbers past their end.
TEST_CASE("a run that the numbers do not have yet is chosen when they arrive")
{
    const Runs runs = sixRuns();
    const Runs before(runs.begin(), runs.begin() + 3);
    app::ThemeController theme;
    const std::unique_ptr<app::ComparisonPanels> made(app::ComparisonPanels::make(theme));
    app::ComparisonPanels& panels = *made;
    panels.show(numbersOf(before), namesOf(before));
    panels.setCurrent(5);
    panels.show(numbersOf(runs), namesOf(runs));
    CHECK(panels.current() == 5);
}

TEST_CASE("the tables per operation and per device have a row per run and a column per kind")
{
    const Runs runs = sixRuns();
    app::TableModel<std::size_t> operations;
    const app::RunTable table = app::operationTable(numbersOf(runs), namesOf(runs));
    operations.reset(table.columns, table.rows);
    CHECK(operations.rowCount() == 6);
    QStringList titles;
    for (int column = 0; column < operations.columnCount(); ++column)
        titles << operations.headerData(column, Qt::Horizontal).toString();
    CHECK(titles.contains(QStringLiteral("Forward, ms")));
    CHECK_FALSE(titles.contains(QStringLiteral("Recompute, ms"))); // no run recomputes
    app::TableModel<std::size_t> devices;
    const app::RunTable perDevice = app::deviceTable(numbersOf(runs), namesOf(runs));
    devices.reset(perDevice.columns, perDevice.rows);
    CHECK(devices.columnCount() == 1 + 4);
    devices.sort(1);
    CHECK(devices.rowWith(std::identity(), std::size_t{0}) >= 0);
}

// The share was 0.0.
TEST_CASE("the bubble of a device without a trace is a dash in a comparison")
{
    const SimulatedRun wanted{"1f1b", 2, 2};
    const Runs runs{std::make_shared<const engine::Run>(withoutLastTrace(simulatedRun(wanted))),
                    sharedRun(wanted)};
    app::TableModel<std::size_t> devices;
    const app::RunTable table = app::deviceTable(numbersOf(runs), namesOf(runs));
    devices.reset(table.columns, table.rows);
    CHECK(devices.index(0, 1).data().toString() == QStringLiteral("–"));
    CHECK(devices.index(0, 2).data().toString() == QStringLiteral("–"));
    CHECK(devices.index(1, 2).data().toString() == QStringLiteral("33.3"));
}
