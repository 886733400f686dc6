#include "app/run/run_page.h"
#include "app/run/run_panels.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"
#include "tests/gui/click_in_dialog.h"
#include "tests/gui/opened_run.h"
#include "tests/gui/page_requests.h"

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QSignalSpy>
#include <QSplitter>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>

using namespace app;

namespace {

using Opened = OpenedRun;

// A worker that has written whole iterations and goes on until it is interrupted.
const char* const kEndless = "cp \"$(dirname \"$0\")/run.sqlite\" \"$file\"\n"
                             "trap 'echo \"{\\\"event\\\":\\\"finished\\\",\\\"outcome\\\":"
                             "\\\"cancelled\\\"}\"; exit 0' TERM\n"
                             "echo '{\"event\":\"started\",\"iterations\":7,\"warmup\":2}'\n"
                             "echo '{\"event\":\"iteration\",\"index\":0}'\n"
                             "while :; do sleep 0.05; done\n";

engine::Run unfinished(const SimulatedRun& wanted)
{
    engine::Run run = simulatedRun(wanted);
    run.info.outcome = engine::Outcome::Running;
    return run;
}

} // namespace

TEST_CASE("an opened run shows its numbers, its mode and its name")
{
    Opened opened(simulatedRun({"bitpipe", 4, 4, 2}));
    REQUIRE(waitFor([&] { return opened.isRead() && opened.summaryRows() == 5; }));
    CHECK(opened.page->title() == QStringLiteral("BitPipe #1"));
    CHECK(opened.page->statusTexts().value(0) == QStringLiteral("<b>Simulated</b> 4 devices"));
    // 8 stages x 4 micro-batches x F and B; sends and receives count as messages only
    CHECK(opened.page->statusTexts().value(1).startsWith(QStringLiteral("64 compute ops, ")));
    CHECK(opened.page->statusNote()
          == QStringLiteral("iteration 1: 14.0 units, bubble 14.3\u202F%"));
    CHECK(opened.find<QWidget>("stateBand")->isHidden());
    CHECK(opened.find<QLabel>("detailsTitle")->text() == QStringLiteral("BitPipe"));
}

TEST_CASE("the stepper walks the iterations, and every number follows")
{
    Opened opened(simulatedRun({"1f1b", 4, 4, 3}));
    REQUIRE(waitFor([&] { return opened.isRead() && opened.summaryRows() == 5; }));
    auto* timeline = opened.find<TimelineWidget>("timeline");
    REQUIRE(timeline->iteration() == 2); // the last one is the headline
    CHECK_FALSE(opened.find<QToolButton>("nextIteration")->isEnabled());
    CHECK(opened.page->exportedIteration() == -1); // the headline
    opened.click("previousIteration");
    CHECK(timeline->iteration() == 1);
    CHECK(opened.page->exportedIteration() == 1);
    CHECK(opened.find<QLabel>("iterationName")->text() == QStringLiteral("1"));
    CHECK(waitFor(
        [&] { return opened.page->statusNote().startsWith(QStringLiteral("iteration 1: ")); }));
}

TEST_CASE("a click on an event selects it in the timeline")
{
    Opened opened(simulatedRun({"1f1b", 2, 2}));
    REQUIRE(waitFor([&] { return opened.isRead(); }));
    opened.find<QTabBar>("panelTabs")->setCurrentIndex(static_cast<int>(RunPanels::Panel::Events));
    auto* events = opened.find<DataTable>("eventsTable");
    REQUIRE(waitFor([&] { return events->model()->rowCount() > 3; }));
    const QRect row = events->visualRect(events->model()->index(2, 0));
    QTest::mouseClick(events->viewport(), Qt::LeftButton, {}, row.center());
    const Selection& selection = opened.find<TimelineWidget>("timeline")->selection();
    CHECK(selection.kind == Selection::Kind::Op);
    CHECK(events->currentIndex().row() == 2);
}

TEST_CASE("a running run asks before its page closes, and keeping it running is the default")
{
    Opened opened(unfinished({"1f1b", 4, 4, 2}), kEndless);
    CHECK(opened.page->title() == QStringLiteral("BitPipe #1")); // the default, before it began
    REQUIRE(waitFor([&] { return opened.document->run() != nullptr; }));
    CHECK(opened.page->title().startsWith(QStringLiteral("1F1B")));
    clickInDialog("keepRunning");
    CHECK_FALSE(opened.page->queryClose());
    CHECK(opened.document->isRunning());

    clickInDialog("stopAndClose");
    CHECK(opened.page->queryClose());
    CHECK_FALSE(opened.document->isRunning());
    CHECK(opened.document->notice().text
          == QStringLiteral("Iterations 0–1 are complete and were kept."));
    CHECK(opened.page->queryClose()); // nothing to ask any more
}

TEST_CASE("the stop dialog counts iterations while the run continues")
{
    ThemeController theme;
    RunDocument document(QStringLiteral("run.sqlite"), 1);
    document.setState(RunDocument::State::Running);
    int stops = 0;
    QTimer::singleShot(0, &document, [&] {
        const QWidget* dialog = QApplication::activeModalWidget();
        REQUIRE(dialog != nullptr);
        const auto* text = dialog->findChild<QLabel*>(QStringLiteral("stopText"));
        REQUIRE(text != nullptr);
        CHECK(text->text().startsWith(QStringLiteral("The worker is starting")));
        document.setProgress({2, 7, 2});
        CHECK(text->text().startsWith(QStringLiteral("2 of 7 iterations are complete")));
        document.setProgress({3, 7, 2});
        CHECK(text->text().startsWith(QStringLiteral("3 of 7 iterations are complete")));
        dialog->findChild<QPushButton*>(QStringLiteral("stopAndClose"))->click();
        CHECK(stops == 1);
        document.setProgress({4, 7, 2});
        CHECK(text->text().startsWith(QStringLiteral("Stopping.")));
        document.setState(RunDocument::State::Finished);
    });
    CHECK(mayStop(
        document, [&] { ++stops; }, nullptr));
}

TEST_CASE("a real worker trains, and the page fills iteration by iteration up to the median")
{
    ThemeController theme;
    RunLibrary library; // the bscope beside this program
    const QString options = QStringLiteral("--scheme 1f1b --devices 2 --micro-batches 2 --layers 2 "
                                           "--iterations 3 --warmup 1");
    const auto document = library.start(options.split(u' '));
    const std::unique_ptr<Page> made(makeRunPage(theme, library, document));
    Page& page = *made;
    page.resize(1600, 910);
    page.show();
    REQUIRE(waitFor([&] { return !document->isRunning(); }));
    INFO(document->log().join(u'\n').toStdString());
    REQUIRE(document->state() == RunDocument::State::Finished);
    CHECK(document->notice().level == Notice::Level::None);
    CHECK(document->progress().done == 4);
    const engine::Timeline& timeline = document->run()->timeline;
    REQUIRE(timeline.iterations.size() == 5);
    CHECK(timeline.iterations.back().kind == engine::Iteration::Kind::Replay);
    const int shown = page.findChild<TimelineWidget*>(QStringLiteral("timeline"))->iteration();
    CHECK(shown == engine::reportedIteration(timeline));
    CHECK(timeline.iterations[shown].kind == engine::Iteration::Kind::Measured);
    CHECK(QFile::remove(document->file()));
}

TEST_CASE("Stop in the toolbar keeps complete iterations and offers to run again")
{
    Opened opened(unfinished({"bitpipe", 4, 4, 2}), kEndless);
    REQUIRE(waitFor([&] { return opened.document->run() != nullptr; }));
    CHECK(opened.find<QWidget>("stopRunButton")->isVisible());
    opened.click("stopRunButton");
    REQUIRE(waitFor([&] { return opened.isRead(); }));
    CHECK(opened.find<QWidget>("stateBand")->isVisible());
    CHECK_FALSE(opened.find<QWidget>("stopRunButton")->isVisible());
    opened.click("dismissBand");
    CHECK_FALSE(opened.find<QWidget>("stateBand")->isVisible());
}

// The next snapshot of a running run showed it again.
TEST_CASE("a notice that was closed stays closed until there is another one")
{
    ThemeController theme;
    RunLibrary library;
    const auto document = std::make_shared<RunDocument>(QStringLiteral("/runs/new.sqlite"), 1);
    document->setState(RunDocument::State::Running);
    const std::unique_ptr<Page> made(makeRunPage(theme, library, document));
    Page& page = *made;
    page.show();
    const auto* band = page.findChild<QWidget*>(QStringLiteral("stateBand"));
    const auto say = [&](const char* text) {
        document->setNotice({Notice::Level::Warning, QString::fromLatin1(text), {}});
    };
    say("No GPU counters.");
    CHECK(band->isVisible());
    page.findChild<QPushButton*>(QStringLiteral("dismissBand"))->click();
    document->setRun(std::make_shared<const engine::Run>(unfinished({"1f1b", 2, 2})));
    CHECK_FALSE(band->isVisible());
    say("The disk is full.");
    CHECK(band->isVisible());
}

TEST_CASE("details fold first, then the runs, then the tables")
{
    Opened opened(simulatedRun({"1f1b", 4, 4}));
    REQUIRE(waitFor([&] { return opened.isRead(); }));
    const auto isShown = [&](const char* name) { return opened.find<QWidget>(name)->isVisible(); };
    CHECK((isShown("detailsDock") && isShown("runsDock") && isShown("summaryTable")));
    opened.page->resize(1280, 910);
    CHECK((!isShown("detailsDock") && isShown("runsDock")));
    opened.page->resize(1100, 910);
    CHECK_FALSE(isShown("runsDock"));
    opened.page->resize(1100, 620);
    CHECK_FALSE(isShown("summaryTable"));
    opened.page->resize(1600, 910);
    CHECK((isShown("detailsDock") && isShown("runsDock") && isShown("summaryTable")));
}

TEST_CASE("the page of a file that is not a run shows the reason")
{
    FakeWorker folder("");
    ThemeController theme;
    RunLibrary library;
    const auto document = library.open(folder.path()); // a shell script
    const std::unique_ptr<Page> made(makeRunPage(theme, library, document));
    Page& page = *made;
    page.resize(1600, 910);
    page.show();
    REQUIRE(waitFor([&] { return document->state() == RunDocument::State::Failed; }));
    auto* failed = page.findChild<QWidget*>(QStringLiteral("failed"));
    CHECK(failed->isVisible());
    CHECK(failed->findChild<QLabel*>()->text() == QStringLiteral("Not opened."));
    CHECK_FALSE(page.findChild<QWidget*>(QStringLiteral("stateBand"))->isVisible());
    // Had the whole toolbar of a run, and "no metrics yet".
    CHECK_FALSE(page.findChild<QWidget*>(QStringLiteral("runToolbar"))->isVisible());
    CHECK(page.statusTexts().value(0) == QStringLiteral("not opened"));
}

TEST_CASE("the dock opens, checks and compares runs with the mouse")
{
    Opened opened(simulatedRun({"1f1b", 2, 2}));
    REQUIRE(waitFor([&] { return opened.isRead(); }));
    using Runs = std::vector<std::shared_ptr<RunDocument>>;
    const PageRequests asked(*opened.page);
    auto* list = opened.find<QListView>("runsList");
    const QRect row = list->visualRect(list->model()->index(0, 0));
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, row.topLeft() + QPoint(17, 14));
    CHECK(opened.library.ticked().empty());
    CHECK_FALSE(opened.find<QWidget>("compareRuns")->isEnabled());
    CHECK(asked.empty());
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, row.topLeft() + QPoint(17, 14));
    // "Compare 1 run" was enabled and asked to tick two.
    const auto* compare = opened.find<QPushButton>("compareRuns");
    CHECK(compare->text() == QStringLiteral("Start a comparison"));
    CHECK(compare->toolTip().contains(QStringLiteral("its prediction")));
    // In a narrow dock it was cut to "Start a compariso".
    auto* columns = qobject_cast<QSplitter*>(compare->parentWidget()->parentWidget());
    REQUIRE(columns != nullptr);
    columns->setSizes({1, 2000, 1});
    CHECK(compare->width() >= compare->sizeHint().width());
    opened.click("compareRuns");
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].kind == std::string("compare"));
    CHECK(asked[0].runs == Runs{opened.document});
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, row.center());
    REQUIRE(asked.size() == 2);
    CHECK(asked[1].kind == std::string("run"));
    CHECK(asked[1].runs == Runs{opened.document});
}

// The files had only the iterations that were read.
TEST_CASE("a run is exported only after it was read completely")
{
    ThemeController theme;
    RunLibrary library;
    const auto document = std::make_shared<RunDocument>(QStringLiteral("/runs/large.sqlite"), 1);
    RunProgress progress;
    progress.read = 0.5;
    document->setProgress(progress);
    document->setRun(std::make_shared<const engine::Run>(simulatedRun({"1f1b", 2, 2})));
    const std::unique_ptr<Page> made(makeRunPage(theme, library, document));
    const Page& page = *made;
    for (const bool isRead : {false, true}) {
        if (isRead)
            document->setState(RunDocument::State::Finished);
        for (const char* action : {"exportFigure", "exportReport"})
            CHECK(page.findChild<QAction*>(QString::fromLatin1(action))->isEnabled() == isRead);
    }
}

TEST_CASE("HTML in the texts of a run is shown as text")
{
    static ThemeController look;
    applyLook(*qApp, look);
    engine::Run recorded = simulatedRun({"1f1b", 4, 8, 2});
    for (std::string* text : {&recorded.info.label, &recorded.info.command, &recorded.info.link,
                              &recorded.info.deviceName, &recorded.info.timing,
                              &recorded.info.failure, &recorded.info.model})
        *text = "<img src=/dev/zero>";
    recorded.info.outcome = engine::Outcome::Failed;
    OpenedRun run(recorded);
    REQUIRE(waitFor([&] { return run.summaryRows() == 5; }));
    settle();
    int shown = 0;
    for (const QLabel* label : run.page->findChildren<QLabel*>()) {
        if (!label->text().contains(QStringLiteral("<img")))
            continue;
        CAPTURE(label->objectName().toStdString(), label->text().toStdString());
        CHECK(label->textFormat() == Qt::PlainText);
        ++shown;
    }
    for (const QString& fact : run.page->statusTexts()) // shown as rich text
        CHECK_FALSE(fact.contains(QStringLiteral("<img")));
    CHECK(toolTipText(QStringLiteral("<img>")) == QStringLiteral("<qt>&lt;img&gt;</qt>"));
    CHECK(toolTipText(QString(10'000, QLatin1Char('x'))).size() == 4097);
    CHECK(shown > 0);
}
