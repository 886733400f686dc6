#include "app/run/run_panels.h"
#include "tests/gui/opened_run.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabBar>
#include <QToolButton>

using namespace app;

namespace {

struct Searched : OpenedRun
{
    Searched()
        : OpenedRun(simulatedRun({"1f1b", 4, 8, 2}))
    {
        REQUIRE(waitFor([&] { return isRead() && summaryRows() == 5; }));
        timeline = find<TimelineWidget>("timeline");
        QTest::keyClick(timeline, Qt::Key_F, Qt::ControlModifier);
        field = find<QLineEdit>("findField");
    }
    QString answer() const { return find<QLabel>("findAnswer")->text(); }

    TimelineWidget* timeline = nullptr;
    QLineEdit* field = nullptr;
};

} // namespace

TEST_CASE("Ctrl+F looks for ops, and Enter walks the hits there and back")
{
    Searched search;
    REQUIRE(search.find<QWidget>("findBar")->isVisible());
    QTest::keyClicks(search.field, QStringLiteral("op:B mb:3 stage:2"));
    CHECK(search.answer() == QStringLiteral("2 hits"));
    QTest::keyClick(search.field, Qt::Key_Return);
    CHECK(search.answer() == QStringLiteral("2B3, hit 2 of 2")); // the view shows iteration 1
    CHECK(search.timeline->selection().iteration == 1);
    QTest::keyClick(search.field, Qt::Key_Return);
    CHECK(search.answer() == QStringLiteral("2B3, hit 1 of 2"));
    CHECK(search.timeline->selection().iteration == 0);
    CHECK(search.timeline->iteration() == 0); // brought into view
    QTest::keyClick(search.field, Qt::Key_Return, Qt::ShiftModifier);
    CHECK(search.answer() == QStringLiteral("2B3, hit 2 of 2"));
    QTest::keyClick(search.field, Qt::Key_Escape);
    CHECK_FALSE(search.find<QWidget>("findBar")->isVisible());
    CHECK(search.timeline->hasFocus());
}

TEST_CASE("a search without results names the facet that excludes everything")
{
    Searched search;
    QTest::keyClicks(search.field, QStringLiteral("op:B mb:9"));
    CHECK(search.answer() == QStringLiteral("no op matches mb:9; micro-batches are 0 to 7"));
    CHECK(search.field->property("invalid").toBool());
    CHECK_FALSE(search.find<QToolButton>("findNext")->isEnabled());
    QTest::keyClick(search.field, Qt::Key_Backspace);
    QTest::keyClicks(search.field, QStringLiteral("2"));
    CHECK(search.answer() == QStringLiteral("8 hits"));
    CHECK_FALSE(search.field->property("invalid").toBool());
}

TEST_CASE("Select all lists the hits of all iterations and sums them up, until Esc")
{
    Searched search;
    const auto* events = search.find<DataTable>("eventsTable");
    const auto title = [&] { return search.find<QLabel>("detailsTitle")->text(); };
    CHECK_FALSE(search.find<QPushButton>("findSelectAll")->isEnabled());
    QTest::keyClicks(search.field, QStringLiteral("op:B mb:3 stage:2"));
    search.click("findSelectAll");
    CHECK(search.find<QTabBar>("panelTabs")->currentIndex()
          == static_cast<int>(RunPanels::Panel::Events));
    REQUIRE(waitFor([&] { return events->model()->rowCount() == 2; }));
    CHECK(title() == QStringLiteral("2 hits"));

    const QRect row = events->visualRect(events->model()->index(0, 0));
    QTest::mouseClick(events->viewport(), Qt::LeftButton, {}, row.center());
    CHECK(search.timeline->selection().iteration == 0);
    CHECK(search.timeline->iteration() == 0); // brought into view
    CHECK(title().contains(QStringLiteral("2B3")));
    CHECK(events->model()->rowCount() == 2); // a hit was selected
    CHECK(events->selectionModel()->isRowSelected(0));

    QTest::keyClick(search.field, Qt::Key_Escape);
    CHECK(waitFor([&] { return events->model()->rowCount() > 2; }));
}

TEST_CASE("Ctrl+Enter selects all hits, and the next selection lists every op again")
{
    Searched search;
    const auto* events = search.find<DataTable>("eventsTable");
    QTest::keyClicks(search.field, QStringLiteral("op:B mb:3"));
    QTest::keyClick(search.field, Qt::Key_Return); // one hit
    QTest::keyClick(search.field, Qt::Key_Return, Qt::ControlModifier);
    CHECK(search.timeline->selection().kind == Selection::Kind::None);
    CHECK(waitFor([&] { return events->model()->rowCount() == 8; }));
    CHECK(search.find<QLabel>("detailsTitle")->text() == QStringLiteral("8 hits"));
    QTest::keyClick(search.timeline, Qt::Key_Period); // the first op, which is a forward
    CHECK(search.timeline->selection().kind == Selection::Kind::Op);
    CHECK(waitFor([&] { return events->model()->rowCount() > 8; }));
    CHECK(events->selectionModel()->hasSelection()); // the op, after its row is there
    CHECK(search.find<QWidget>("findBar")->isVisible());
}

TEST_CASE("a facet can be added with the mouse")
{
    Searched search;
    QTest::keyClicks(search.field, QStringLiteral("op:F"));
    search.click("facet-mb");
    CHECK(search.field->text() == QStringLiteral("op:F mb:"));
    CHECK(search.field->hasFocus());
}

TEST_CASE("C and L go through colours and flows, and the toolbar follows")
{
    Searched search;
    QTest::keyClick(search.field, Qt::Key_Escape);
    auto* colours = search.find<QComboBox>("colourBy");
    CHECK(colours->currentText() == QStringLiteral("operation"));
    QTest::keyClick(search.timeline, Qt::Key_C);
    CHECK(search.timeline->look().colourBy == ColourBy::MicroBatch);
    CHECK(colours->currentText() == QStringLiteral("micro-batch"));
    QTest::keyClick(search.timeline, Qt::Key_L);
    CHECK(search.timeline->look().flow == TimelineLook::Flow::All);
    QTest::keyClick(search.timeline, Qt::Key_L);
    CHECK(search.timeline->look().flow == TimelineLook::Flow::Off);
    auto* segments = search.find<QWidget>("flowSegments");
    QTest::mouseClick(segments, Qt::LeftButton, {}, QPoint(segments->width() - 6, 8));
    CHECK(search.timeline->look().flow == TimelineLook::Flow::All);
}

// At 1280 pixels the list "operation" and the segments "off, selected, all" had no names, although
// buttons with icons had their texts.
TEST_CASE("a narrow toolbar gives up the texts of buttons before the names of controls")
{
    Searched search;
    const auto isNamed = [&](const char* text) {
        for (const QLabel* label : search.page->findChildren<QLabel*>())
            if (label->text() == QLatin1String(text) && label->isVisible())
                return true;
        return false;
    };
    const auto* find = search.find<QPushButton>("findButton");
    const auto narrows = [&](int width) {
        search.page->resize(width, 910);
        return find->text().isEmpty();
    };
    int width = 1800;
    while (width > 960 && !narrows(width))
        width -= 20;
    REQUIRE(find->text().isEmpty());
    CHECK(isNamed("Colour by"));
    CHECK(isNamed("Flow"));
}

TEST_CASE("with the details folded a selection is explained under its box, with a link")
{
    Searched search;
    auto* popover = search.find<QWidget>("selectionPopover");
    QTest::keyClick(search.field, Qt::Key_Escape);
    QTest::keyClick(search.timeline, Qt::Key_Period); // the first op
    CHECK_FALSE(popover->isVisible());                // the dock has it
    search.page->resize(1280, 910);
    REQUIRE(popover->isVisible());
    CHECK(search.find<QLabel>("popoverTitle")->text().startsWith(QStringLiteral("0F0")));
    const QRect box = search.timeline->selectionRect();
    CHECK(popover->geometry().top() > box.bottom());
    CHECK(search.timeline->rect().contains(popover->geometry()));
    auto* sentence = search.find<QLabel>("popoverSentence");
    REQUIRE(sentence->text().contains(QStringLiteral("Go to ")));
    const auto before = search.timeline->selection();
    Q_EMIT sentence->linkActivated({});
    CHECK_FALSE(search.timeline->selection() == before);
    QTest::keyClick(search.timeline, Qt::Key_Escape);
    CHECK_FALSE(popover->isVisible());
}
