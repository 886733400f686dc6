#include "app/range/range_panel.h"
#include "app/run/run_panels.h"
#include "tests/gui/opened_run.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QTabBar>

using namespace app;

namespace {

struct Marked : OpenedRun
{
    Marked()
        : OpenedRun(simulatedRun({"1f1b", 4, 8, 3}))
    {
        REQUIRE(waitFor([&] { return isRead() && summaryRows() == 5; }));
        timeline = find<TimelineWidget>("timeline");
        tabs = find<QTabBar>("panelTabs");
        timeline->setFocus();
    }
    void drag(double from, double to) const // shares of the width of the timeline
    {
        const auto at = [&](double share) {
            return QPoint(150 + static_cast<int>(share * (timeline->width() - 290)), 200);
        };
        QTest::mousePress(timeline, Qt::LeftButton, {}, at(from));
        QTest::mouseMove(timeline, at((from + to) / 2));
        QTest::mouseMove(timeline, at(to));
        QTest::mouseRelease(timeline, Qt::LeftButton, {}, at(to));
    }
    void type(const char* text) const
    {
        QTest::keyClick(timeline, Qt::Key_R);
        auto* field = find<QLineEdit>("rangeField");
        REQUIRE(field->hasFocus());
        QTest::keyClicks(field, QString::fromUtf8(text));
        QTest::keyClick(field, Qt::Key_Return);
    }
    QString panel() const { return tabs->tabText(tabs->currentIndex()); }
    QAbstractItemModel* table() const { return find<DataTable>("rangeTable")->model(); }
    bool hasDetails(const char* text) const
    {
        const auto labels = page->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->text().contains(QString::fromUtf8(text));
        });
    }

    TimelineWidget* timeline = nullptr;
    QTabBar* tabs = nullptr;
};

} // namespace

TEST_CASE("a dragged range has a tab with a row per device, and Esc removes it")
{
    const Marked run;
    const int range = static_cast<int>(RunPanels::Panel::Range);
    CHECK_FALSE(run.tabs->isTabVisible(range));
    run.drag(0.2, 0.6);
    REQUIRE(run.timeline->selection().kind == Selection::Kind::Range);
    CHECK(run.panel() == QStringLiteral("Range"));
    REQUIRE(waitFor([&] { return run.table()->rowCount() == 5; }));
    CHECK(run.table()->index(4, 0).data().toString() == QStringLiteral("All devices"));
    CHECK(run.tabs->width() >= run.tabs->sizeHint().width()); // every tab can be read
    CHECK(run.find<QLineEdit>("rangeField")->text().startsWith(QStringLiteral("iteration 2, ")));
    CHECK(waitFor([&] { return run.hasDetails("Bubble by cause"); }));
    CHECK(run.find<QWidget>("saveDetails")->isVisible());

    QTest::mouseClick(run.find<QWidget>("copyRange"), Qt::LeftButton);
    CHECK(QGuiApplication::clipboard()->text().startsWith(
        QStringLiteral("Device,\"Compute, units\",\"F, units\",")));
    QTest::mouseClick(run.find<QWidget>("zoomToRange"), Qt::LeftButton);

    run.timeline->setFocus();
    QTest::keyClick(run.timeline, Qt::Key_Escape);
    CHECK_FALSE(run.tabs->isTabVisible(range));
    CHECK(run.panel() == QStringLiteral("Summary"));
    CHECK(run.table()->rowCount() == 0);
    CHECK_FALSE(run.find<QWidget>("detailsFooter")->isVisible());
}

TEST_CASE("a range over several iterations is typed, marked and measured")
{
    const Marked run;
    run.type("iteration 0, 20..40");
    const Selection& marked = run.timeline->selection();
    REQUIRE(marked.kind == Selection::Kind::Range);
    const auto run0 = run.document->run();
    const engine::Window first = run0->timeline.iterations[0].window;
    CHECK(marked.window.begin - first.begin == 20 * run0->info.ticksPerUnit);
    CHECK(marked.window.duration() == 20 * run0->info.ticksPerUnit);
    CHECK(run.timeline->hasFocus());
    REQUIRE(waitFor([&] { return run.table()->rowCount() == 5; }));
    CHECK(run.hasDetails("The transition from iteration 0 to 1"));
}

// The tab was blank, with "Zoom to" and "Note" enabled.
TEST_CASE("without a range the tab says how to mark one, and its actions are disabled")
{
    const Marked run;
    QTest::keyClick(run.timeline, Qt::Key_R);
    auto* hint = run.find<QLabel>("rangeHint");
    auto* zoom = run.find<QWidget>("zoomToRange");
    CHECK(hint->isVisible());
    CHECK_FALSE(zoom->isEnabled());
    CHECK_FALSE(zoom->parentWidget()->toolTip().isEmpty());
    run.type("iteration 0, 20..40");
    CHECK_FALSE(hint->isVisible());
    CHECK(zoom->isEnabled());
}

TEST_CASE("a typed range that cannot be read is explained beside its field")
{
    const Marked run;
    run.type("iteration 7, 1-2");
    CHECK(run.find<QLabel>("rangeProblem")->text()
          == QStringLiteral("The run has no iteration 7; it has 0 to 2"));
    CHECK(run.timeline->selection().kind == Selection::Kind::None);
    auto* field = run.find<QLineEdit>("rangeField");
    QTest::keyClick(field, Qt::Key_Backspace);
    CHECK(run.find<QLabel>("rangeProblem")->text().isEmpty());
    QTest::keyClick(field, Qt::Key_Escape);
    CHECK(run.timeline->hasFocus());
    CHECK(run.panel() == QStringLiteral("Summary"));
}
