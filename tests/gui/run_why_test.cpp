#include "app/why/why_panel.h"
#include "engine/experiment/experiment.h"
#include "tests/gui/opened_run.h"
#include "tests/gui/page_requests.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QToolButton>

using namespace app;

namespace {

struct Explained : OpenedRun
{
    explicit Explained(const SimulatedRun& wanted = {"1f1b", 4, 8, 1, true})
        : Explained(simulatedRun(wanted))
    { }
    explicit Explained(const engine::Run& run)
        : OpenedRun(run)
    {
        REQUIRE(waitFor([&] { return isRead() && summaryRows() > 0; }));
        timeline = find<TimelineWidget>("timeline");
        timeline->setFocus();
    }
    void press(int key) const { QTest::keyClick(timeline, static_cast<Qt::Key>(key)); }
    void open() const
    {
        press(Qt::Key_W);
        REQUIRE(waitFor([&] { return timeline->isPathShown(); }));
    }
    ReasonRow* row(int number) const
    {
        return find<ReasonRow>(qPrintable(QStringLiteral("whyReason%1").arg(number)));
    }
    QString effect(int number) const
    {
        return row(number)->findChild<QLabel*>(QStringLiteral("whyEffect"))->text();
    }
    QString label(const char* name) const { return find<QLabel>(name)->text(); }
    QAction* why() const { return find<QAction>("whyNotFaster"); }
    WhyPanel* panel() const { return find<WhyPanel>("whyPanel"); }
    QStringList summaryHeaders() const
    {
        const auto* model = find<DataTable>("summaryTable")->model();
        QStringList headers;
        for (int c = 0; c < model->columnCount(); ++c)
            headers << model->headerData(c, Qt::Horizontal).toString();
        return headers;
    }

    TimelineWidget* timeline = nullptr;
};

} // namespace

TEST_CASE("W shows the path, the bound, the reasons and what each change would gain")
{
    const Explained run;
    CHECK_FALSE(run.panel()->isVisible());
    run.open();
    CHECK(run.panel()->isVisible());
    CHECK(run.label("detailsDockTitle") == QStringLiteral("Why not faster?"));
    CHECK(run.label("whyIteration") == QStringLiteral("33.0 ms"));
    CHECK(run.label("whyBound").contains(QStringLiteral("24.0 ms")));
    CHECK(run.row(1)->accessibleName()
          == QStringLiteral("Reason 1: Device 3 waits 3.0 ms for its first op 3F0 (fill)"));
    REQUIRE(waitFor([&] { return run.effect(1) != QStringLiteral("computing…"); }));
    CHECK(run.effect(1) == QStringLiteral("with 2 chunks: −4.5 ms"));
    REQUIRE(waitFor([&] { return run.effect(2) != QStringLiteral("computing…"); }));
    CHECK(run.effect(2).endsWith(QStringLiteral("+1.0 ms, worse")));
    REQUIRE(
        waitFor([&] { return run.effect(3) == QStringLiteral("with split backward: −3.0 ms"); }));
}

TEST_CASE("Esc brings the details back, and so do the key and the button")
{
    const Explained run;
    const auto isClosed = [&] {
        return !run.timeline->isPathShown() && !run.panel()->isVisible()
            && run.label("detailsDockTitle") == QStringLiteral("Details");
    };
    run.open();
    run.press(Qt::Key_Escape);
    CHECK(isClosed());
    run.open();
    run.press(Qt::Key_W);
    CHECK(isClosed());
    run.open();
    run.click("closeDetails");
    CHECK(isClosed());
    CHECK(run.find<QAction>("showDetails")->isChecked());
    run.open();
    run.row(1)->setFocus();
    QTest::keyClick(run.row(1), Qt::Key_Escape);
    CHECK(isClosed());
}

TEST_CASE("a click on a reason highlights it, and the arrow keys go on from there")
{
    const Explained run;
    run.open();
    QTest::mouseClick(run.row(3), Qt::LeftButton, {}, QPoint(6, 6));
    CHECK(run.row(3)->isCurrent());
    CHECK(run.panel()->reason() == 2);
    QTest::keyClick(run.row(3), Qt::Key_Up);
    CHECK(run.row(2)->isCurrent());
    CHECK_FALSE(run.row(3)->isCurrent());
    QTest::keyClick(run.row(2), Qt::Key_Up);
    QTest::keyClick(run.row(1), Qt::Key_Up); // stays at the first one
    CHECK(run.panel()->reason() == 0);
}

TEST_CASE("the number of a reason on the ruler chooses it")
{
    const Explained run;
    run.open();
    QSignalSpy clicked(run.timeline, &TimelineWidget::reasonClicked);
    // The fill is the time until 3 of 33 ms: its middle is at 1.5 ms.
    const TimelineGeometry areas(run.timeline->size(), {});
    for (int x = 0; x < 200 && clicked.isEmpty(); x += 4)
        QTest::mouseClick(run.timeline, Qt::LeftButton, {},
                          QPoint(static_cast<int>(areas.ruler.left()) + x,
                                 static_cast<int>(areas.ruler.top()) + 10));
    REQUIRE(clicked.size() == 1);
    CHECK(clicked.front().front().toInt() == 0);
    CHECK(run.row(1)->isCurrent());
}

TEST_CASE("an op in a sentence is a link, and its selection shows the reason")
{
    const Explained run;
    run.open();
    auto* sentence = run.row(1)->findChild<QLabel*>();
    REQUIRE(sentence->text().contains(QStringLiteral("<a href='#")));
    const QString link = sentence->text().section(QLatin1Char('\''), 1, 1);
    Q_EMIT sentence->linkActivated(link);
    const Selection selection = run.timeline->selection();
    CHECK(selection.kind == Selection::Kind::Op);
    CHECK(selection.device == engine::DeviceId{3});
    // The first forward of device 0 is a part of the fill.
    Selection first;
    first.kind = Selection::Kind::Op;
    first.iteration = 0;
    first.device = engine::DeviceId{0};
    first.window = {0, 1'000'000};
    run.timeline->select(first);
    CHECK(run.row(1)->isCurrent());
}

TEST_CASE("the summary has a column for the path while it is shown")
{
    const Explained run;
    CHECK_FALSE(run.summaryHeaders().contains(QStringLiteral("On the path, ms")));
    run.open();
    REQUIRE(run.summaryHeaders().contains(QStringLiteral("On the path, ms")));
    const auto column
        = static_cast<int>(run.summaryHeaders().indexOf(QStringLiteral("On the path, ms")));
    const auto* model = run.find<DataTable>("summaryTable")->model();
    CHECK(model->index(4, column).data().toString() == QStringLiteral("33.0"));
    run.press(Qt::Key_Escape);
    CHECK_FALSE(run.summaryHeaders().contains(QStringLiteral("On the path, ms")));
}

TEST_CASE("the path is listed in the events and copied as text")
{
    const Explained run;
    run.open();
    run.click("whyList");
    const auto* events = run.find<DataTable>("eventsTable");
    CHECK(events->isVisible());
    const int listed = events->model()->rowCount();
    CHECK(listed > 10);
    run.click("whyCopy");
    const QString text = QApplication::clipboard()->text();
    CHECK(text.startsWith(QStringLiteral("Why not faster? 1F1B")));
    CHECK(text.contains(QStringLiteral("1. Device 3 waits 3.0 ms for its first op 3F0 (fill)")));
    run.press(Qt::Key_Escape);
    CHECK(events->model()->rowCount() > listed); // every op again
}

TEST_CASE("the next scheme is compared with the run as a prediction in a file")
{
    const Explained run;
    run.open();
    REQUIRE(waitFor([&] { return run.find<QPushButton>("whyCompare")->isVisible(); }));
    CHECK_FALSE(run.label("whyNextName").isEmpty());
    CHECK(run.label("whyNextGain").contains(QStringLiteral("−")));
    const PageRequests compared(*run.page);
    run.click("whyCompare");
    REQUIRE(waitFor([&] { return !compared.empty(); }));
    const QStringList files = compared.files("compare");
    REQUIRE(files.size() == 1); // and the run, which is open
    const auto predicted = profiler::TraceReader::open(files[0].toStdString());
    REQUIRE(predicted);
    QFile::remove(files[0]);
}

// They kept the colour and the unit of the time when they were computed.
TEST_CASE("the numbers of the next scheme follow the theme")
{
    Explained run;
    run.open();
    REQUIRE(waitFor([&] { return run.find<QPushButton>("whyCompare")->isVisible(); }));
    for (const auto choice : {ThemeController::Choice::Light, ThemeController::Choice::Dark}) {
        run.theme.setChoice(choice);
        CHECK(run.label("whyNextGain").contains(run.theme.theme().chrome.ok.name()));
    }
}

TEST_CASE("a scheme cannot be run from a run without an experiment, and can with one")
{
    engine::Run run = simulatedRun({"1f1b", 4, 8, 1, true});
    {
        const Explained without(run);
        without.open();
        REQUIRE(waitFor([&] { return without.find<QPushButton>("whyRun")->isVisible(); }));
        CHECK_FALSE(without.find<QPushButton>("whyRun")->isEnabled());
        CHECK(without.find<QPushButton>("whyRun")->toolTip().contains(
            QStringLiteral("does not state its experiment")));
    }
    run.info.experiment = "[schedule]\nscheme = \"1f1b\"\ndevices = 4\nmicro_batches = 8\n";
    const Explained with(run);
    with.open();
    REQUIRE(waitFor([&] { return with.find<QPushButton>("whyRun")->isVisible(); }));
    const PageRequests asked(*with.page);
    with.click("whyRun");
    REQUIRE(asked.size() == 1);
    CHECK(asked.front().plan->experiment.schedule.scheme != "1f1b");
}

// New run trained with the schedule file again, whatever its scheme.
TEST_CASE("the next scheme of a run with a schedule file is run without the file")
{
    engine::Run run = simulatedRun({"1f1b", 2, 6, 1, true});
    run.info.experiment = "[schedule]\nfile = \"mine.csv\"\n";
    const Explained with(run);
    with.open();
    REQUIRE(waitFor([&] { return with.find<QPushButton>("whyRun")->isVisible(); }));
    const PageRequests asked(*with.page);
    with.click("whyRun");
    REQUIRE(asked.size() == 1);
    const engine::Experiment* next = &asked.front().plan->experiment;
    CHECK(next->scheduleFile.empty());
    CHECK(next->schedule.devices == 2);
    CHECK(next->schedule.microBatches == 6);
}

TEST_CASE("the search for the next scheme can be cancelled")
{
    WhyAnalysis analysis;
    std::optional<NextSchemeAnswer> answer;
    QObject::connect(&analysis, &WhyAnalysis::nextKnown,
                     [&](const NextSchemeAnswer& known) { answer = known; });
    const RunPointer run = sharedRun({"interleaved-1f1b", 16, 64, 1, true});
    analysis.askNext(run);
    analysis.cancelNextScheme();
    REQUIRE(waitFor([&] { return answer.has_value(); }));
    CHECK(answer->reason.contains(QStringLiteral("cancelled")));
    answer.reset();
    analysis.askNext(run); // searches again
    REQUIRE(waitFor([&] { return answer.has_value(); }));
    CHECK(answer->next != nullptr);
    answer.reset();
    analysis.askNext(run); // known by now
    CHECK(answer.has_value());
}

TEST_CASE("an iteration with one op says why it has no path")
{
    engine::Run bare = simulatedRun({"gpipe", 1, 1, 1, true});
    for (engine::Track& track : bare.timeline.tracks)
        track.spans.resize(std::min<std::size_t>(
            track.spans.size(), track.kind == engine::Track::Kind::Compute ? 1 : 0));
    const Explained run(bare);
    run.press(Qt::Key_W);
    const auto hasReason = [&] {
        const auto* empty = run.panel()->findChild<QWidget*>(QStringLiteral("whyEmpty"));
        const auto lines = empty != nullptr ? empty->findChildren<QLabel*>() : QList<QLabel*>();
        return std::any_of(lines.begin(), lines.end(), [](const QLabel* line) {
            return line->text().startsWith(QStringLiteral("Fewer than two ops"));
        });
    };
    REQUIRE(waitFor(hasReason));
    CHECK_FALSE(run.timeline->isPathShown());
}

TEST_CASE("folded details unfold for the reasons and fold again")
{
    const Explained run;
    run.page->resize(960, 550);
    CHECK_FALSE(run.find<QAction>("showDetails")->isChecked());
    run.open();
    CHECK(run.panel()->isVisible());
    run.press(Qt::Key_Escape);
    CHECK_FALSE(run.find<QAction>("showDetails")->isChecked());
}
