#include "app/figures/scene_view.h"
#include "app/timeline/details/details.h"
#include "tests/gui/opened_run.h"

#include <QLabel>
#include <QPushButton>

using namespace app;

namespace {

struct Answered : OpenedRun
{
    explicit Answered(const engine::Run& run)
        : OpenedRun(run)
    {
        REQUIRE(waitFor([&] { return isRead() && summaryRows() > 0; }));
        bar = find<SceneView>("timeBar");
        timeline = find<TimelineWidget>("timeline");
    }
    QString text(const char* label) const { return find<QLabel>(label)->text(); }
    QString parts() const { return bar->accessibleName().section(QStringLiteral(": "), 1); }

    SceneView* bar = nullptr;
    TimelineWidget* timeline = nullptr;
};

} // namespace

TEST_CASE("the strip states the bubble and where the time goes, with the numbers of the table")
{
    const Answered run(simulatedRun({"1f1b", 4, 4, 1, true}));
    CHECK(run.find<QPushButton>("answerBubble")->text() == QStringLiteral("42.9\u202F%"));
    CHECK(run.text("answerDetail") == QStringLiteral("9.0 of 21.0 ms per device"));
    CHECK(run.text("answerWhere") == QStringLiteral("Where the 21.0 ms go, mean of 4 devices"));
    CHECK(run.parts() == QStringLiteral("F 4.0, B 8.0, fill 1.5, wait 4.5, drain 3.0"));
    const auto* table = run.find<DataTable>("summaryTable")->model();
    QStringList last;
    for (int column = 2; column < 9; ++column)
        last << table->index(4, column).data().toString();
    CHECK(last.join(u'|') == QStringLiteral("4.0|8.0|0.0|1.5|4.5|3.0|9.0"));
}

TEST_CASE("a run of one device has no bubble, and no part for one")
{
    const Answered run(simulatedRun({"1f1b", 1, 4}));
    CHECK(run.text("answerCaption") == QStringLiteral("No bubble"));
    CHECK_FALSE(run.find<QPushButton>("answerBubble")->isVisible());
    CHECK(run.parts() == QStringLiteral("F 4.0, B 8.0"));
}

// A number beside a missing trace would look like a measurement.
TEST_CASE("the strip of a run without a trace of every device has the reason in place of numbers")
{
    ThemeController theme;
    RunLibrary library;
    const auto document = std::make_shared<RunDocument>(QStringLiteral("/runs/traces"), 1);
    engine::Run lacking = withoutLastTrace(simulatedRun({"1f1b", 2, 2}));
    lacking.info.import->onGpu = true;
    lacking.info.import->workKnown = GENERATE(false, true); // the bar had the means of the others
    document->setRun(std::make_shared<const engine::Run>(lacking));
    document->setState(RunDocument::State::Finished);
    const std::unique_ptr<Page> made(makeRunPage(theme, library, document));
    Page& page = *made;
    page.show();
    const auto text = [&](const char* name) {
        return page.findChild<QLabel*>(QString::fromLatin1(name))->text();
    };
    REQUIRE(waitFor([&] { return text("answerCaption") == QStringLiteral("Bubble unknown"); }));
    CHECK(text("answerDetail").toStdString() == whyUnknown(lacking.info));
    CHECK_FALSE(page.findChild<QPushButton*>(QStringLiteral("answerBubble"))->isVisible());
    CHECK(page.findChild<SceneView*>(QStringLiteral("timeBar"))->scene()->marks.empty());
}

TEST_CASE("the strip names the faster scheme and its gain, or that none is faster")
{
    const Answered slow(simulatedRun({"1f1b", 4, 4, 1, true}));
    REQUIRE(waitFor([&] {
        return slow.text("answerNext")
            == QStringLiteral("Interleaved zero bubble: 12.8 to 16.2 ms");
    }));
    CHECK(slow.text("answerGain").startsWith(QStringLiteral("(\u2212")));
    const Answered fast(simulatedRun({"1f1b", 1, 4, 1, true}));
    CHECK(waitFor(
        [&] { return fast.text("answerNext") == QStringLiteral("No scheme here is faster"); }));
    CHECK_FALSE(fast.find<QLabel>("answerGain")->isVisible());
}

TEST_CASE("in a narrow page the strip keeps bubble, bar and buttons")
{
    const Answered run(simulatedRun({"1f1b", 4, 4, 1, true}));
    const auto isShown = [&](const char* name) { return run.find<QWidget>(name)->isVisible(); };
    run.page->resize(960, 560);
    CHECK((isShown("whyNotFasterButton") && isShown("whatIfButton") && isShown("answerBubble")));
    CHECK_FALSE(isShown("answerNext"));
    CHECK(waitFor([&] { return isShown("answerWhere"); }));
    auto* strip = run.find<QWidget>("answerStrip");
    CHECK(strip->height() == 51);
    strip->resize(700, 51);
    CHECK_FALSE(isShown("answerWhere"));
}

TEST_CASE("a click on a part of the bar selects its boxes, and Esc or another click clears them")
{
    const Answered run(simulatedRun({"1f1b", 4, 4, 1, true}));
    const auto* table = run.find<DataTable>("summaryTable")->model();
    const auto strong = [&] {
        QStringList titles;
        for (int column = 0; column < table->columnCount(); ++column)
            if (table->headerData(column, Qt::Horizontal, kStrongRole).toBool())
                titles << table->headerData(column, Qt::Horizontal).toString();
        return titles.join(u'|');
    };
    const auto click = [&] {
        const auto wait = static_cast<std::size_t>(profiler::TimeCategory::Wait);
        QTest::mouseClick(run.bar->viewport(), Qt::LeftButton, {}, run.bar->rectOf(wait).center());
    };
    const auto selected = [&] { return run.timeline->selection().kind; };
    click();
    CHECK(selected() == Selection::Kind::Category);
    CHECK(strong() == QStringLiteral("Wait, ms"));
    const QString details = run.find<DetailsPanel>("details")->text();
    CHECK(details.contains(QStringLiteral("Wait, selected\t4.5 ms per device, 21.4\u202F%")));
    CHECK(details.contains(QStringLiteral("Device 0 wait: B of micro-batch 0\t6.0")));
    QTest::keyClick(run.timeline, Qt::Key_Escape);
    CHECK(selected() == Selection::Kind::None);
    CHECK(strong().isEmpty());
    click();
    click();
    CHECK(selected() == Selection::Kind::None);
    run.click("answerBubble");
    CHECK(run.timeline->selection().category == profiler::TimeCategory::Bubble);
    CHECK(strong() == QStringLiteral("Bubble, ms"));
}

TEST_CASE("Left and Right walk the parts of the bar, and Enter zooms to the longest box")
{
    const Answered run(simulatedRun({"1f1b", 4, 4, 1, true}));
    run.bar->setFocus();
    for (int k = 0; k < 4; ++k) // F, B, fill, wait
        QTest::keyClick(run.bar, Qt::Key_Right);
    CHECK(run.timeline->selection().category == profiler::TimeCategory::Wait);
    QTest::keyClick(run.bar, Qt::Key_Left);
    CHECK(run.timeline->selection().category == profiler::TimeCategory::Fill);
    const double all = run.timeline->inSight().duration();
    QTest::keyClick(run.bar, Qt::Key_Return);
    CHECK(run.timeline->selection().kind == Selection::Kind::Bubble);
    CHECK(run.timeline->selection().device.value == 3); // fill 3.0 ms
    CHECK(run.timeline->inSight().duration() <= all);
}
