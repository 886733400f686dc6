#include "app/figures/scene_view.h"
#include "app/ui/controls.h"
#include "app/why/why_panel.h"
#include "engine/experiment/experiment.h"
#include "tests/gui/opened_run.h"
#include "tests/gui/page_requests.h"
#include "tests/support/paths.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QToolButton>

using namespace app;

namespace {

// Its gains are exact.
engine::Run simulatedOnly(const SimulatedRun& wanted)
{
    engine::Run run = simulatedRun(wanted);
    run.info.mode = engine::Mode::Simulate;
    return run;
}

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
        press(Qt::Key_Y);
        REQUIRE(waitFor([&] { return timeline->isPathShown(); }));
    }
    QFrame* row(int number) const
    {
        return find<QFrame>(qPrintable(QStringLiteral("whyReason%1").arg(number)));
    }
    QString effect(int number) const
    {
        return row(number)->findChild<QLabel*>(QStringLiteral("whyEffect"))->text();
    }
    void openWhole() const // waits for the effects
    {
        open();
        REQUIRE(waitFor([&] { return effect(1) != QStringLiteral("computing…"); }));
        settle(); // layouts show new rows later
    }
    QStringList bars() const // the texts of the waterfall
    {
        QStringList texts;
        for (const auto& group : find<SceneView>("whyWaterfall")->scene()->scene.groups)
            for (const auto& shape : group.shapes)
                if (const auto* text = std::get_if<profiler::Text>(&shape))
                    texts << QString::fromStdString(text->text);
        return texts;
    }
    QFrame* row(const char* name) const { return find<QFrame>(name); }
    QString label(const char* name) const { return find<QLabel>(name)->text(); }
    QAction* why() const { return find<QAction>("whyNotFaster"); }
    WhyPanel* panel() const { return find<WhyPanel>("whyPanel"); }
    std::optional<std::size_t> reason() const // the chosen one
    {
        return find<SceneView>("whyWaterfall")->selectedPoint();
    }
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

TEST_CASE("Y shows how much could go, and from what the iteration adds up")
{
    const Explained run;
    CHECK_FALSE(run.panel()->isVisible());
    run.open();
    CHECK(run.panel()->isVisible());
    CHECK(run.label("detailsDockTitle") == QStringLiteral("Why not faster?"));
    CHECK(run.label("whyTitle") == QStringLiteral("9.0 of 33.0 ms could go"));
    CHECK(run.label("whyBound")
          == QStringLiteral(
              "At least 24.0 ms with these costs: the work of device 3, which has most of it."));
    CHECK(run.bars()
          == QStringList{QStringLiteral("24.0"), QStringLiteral("busiest"),
                         QStringLiteral("device 3"), QStringLiteral("+6.0"),
                         QStringLiteral("drain"), QStringLiteral("+3.0"), QStringLiteral("fill"),
                         QStringLiteral("33.0"), QStringLiteral("iteration")});
}

// Gains of less than the errors of earlier predictions were coloured and ranked.
TEST_CASE("a gain within the errors of earlier predictions is a range without a bar")
{
    const Explained run; // emulated
    run.openWhole();
    CHECK(run.effect(1).contains(QStringLiteral(" to −"))); // 2 chunks: −4.5 of 33
    CHECK(run.row(1)->findChild<QProgressBar*>() != nullptr);
    CHECK(run.effect(2).contains(QStringLiteral(" to +"))); // a split backward: −3.0
    CHECK(run.row(2)->findChild<QProgressBar*>() == nullptr);
}

TEST_CASE("reasons are numbered by gain, and changes that would be slower are folded")
{
    const Explained run(simulatedOnly({"1f1b", 4, 8, 1, true}));
    run.openWhole();
    CHECK(run.row(1)->accessibleName()
          == QStringLiteral("Reason 1: Device 3 waits 3.0 ms for its first op 3F0 (fill)"));
    CHECK(run.row(1)->accessibleDescription() == QStringLiteral("with 2 chunks: −4.5"));
    CHECK(run.row(2)->accessibleName().startsWith(QStringLiteral("Reason 2: Drain 6.0 ms")));
    CHECK(run.effect(2) == QStringLiteral("−3.0"));
    CHECK(run.row(1)->findChild<QProgressBar*>()->value() == 64); // the largest gain
    CHECK(run.row(2)->findChild<QProgressBar*>()->value() == 43); // 3.0 / 4.5
    CHECK(run.find<QPushButton>("whySlower")->text()
          == QStringLiteral("1 change that would be slower"));
    CHECK_FALSE(run.row(3)->isVisible());
    run.find<QPushButton>("whySlower")->click();
    CHECK(run.row(3)->isVisible());
    CHECK(run.effect(3) == QStringLiteral("+1.0"));
}

TEST_CASE("in time order the reasons keep their numbers")
{
    const Explained run({"gpipe", 4, 8, 1, true});
    run.openWhole();
    const auto isDrain = [&](int number) {
        return run.row(number)->accessibleName().contains(QStringLiteral("Drain"));
    };
    const QString first = run.row(1)->accessibleName();
    run.find<SegmentControl>("whyOrder")->setCurrent(1);
    Q_EMIT run.find<SegmentControl>("whyOrder")->currentChanged(1);
    CHECK_FALSE(isDrain(1)); // at the end of the iteration
    CHECK((run.row(1)->accessibleName() == first || run.row(2)->accessibleName() == first));
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
    run.press(Qt::Key_Y);
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

TEST_CASE("a click on a reason chooses it, and the arrow keys go on from there")
{
    const Explained run;
    run.openWhole();
    QTest::mouseClick(run.row(2), Qt::LeftButton, {}, QPoint(6, 6));
    CHECK(run.row(2)->property("current").toBool());
    CHECK(run.reason() == 2U); // in time order
    QTest::keyClick(run.row(2), Qt::Key_Up);
    CHECK(run.row(1)->property("current").toBool());
    CHECK_FALSE(run.row(2)->property("current").toBool());
    QTest::keyClick(run.row(1), Qt::Key_Up); // stays at the first one
    CHECK(run.reason() == 0U);
}

TEST_CASE("a bar of the waterfall chooses its reason, and Esc releases it before it closes")
{
    const Explained run;
    run.openWhole();
    auto* chart = run.find<SceneView>("whyWaterfall");
    QTest::mouseClick(chart->viewport(), Qt::LeftButton, {}, chart->rectOf(2).center());
    CHECK(run.row(2)->property("current").toBool()); // the drain
    QTest::mouseClick(run.row(1), Qt::LeftButton, {}, QPoint(6, 6));
    CHECK(chart->selectedPoint() == std::optional<std::size_t>(0));
    run.press(Qt::Key_Escape);
    CHECK(run.reason() == std::nullopt);
    CHECK(run.panel()->isVisible());
    run.press(Qt::Key_Escape);
    CHECK_FALSE(run.panel()->isVisible());
}

TEST_CASE("the number of a reason on the ruler chooses it")
{
    const Explained run;
    run.openWhole();
    QSignalSpy clicked(run.timeline, &TimelineWidget::reasonClicked);
    // The fill is the time until 3 of 33 ms: its middle is at 1.5 ms.
    const TimelineGeometry areas(run.timeline->size(), {});
    for (int x = 0; x < 200 && clicked.isEmpty(); x += 4)
        QTest::mouseClick(run.timeline, Qt::LeftButton, {},
                          QPoint(static_cast<int>(areas.ruler.left()) + x,
                                 static_cast<int>(areas.ruler.top()) + 10));
    REQUIRE(clicked.size() == 1);
    CHECK(clicked.front().front().toInt() == 0);
    CHECK(run.row(1)->property("current").toBool());
}

TEST_CASE("an op in a sentence is a link, and its selection shows the reason")
{
    const Explained run;
    run.openWhole();
    auto* sentence = run.row(1)->findChild<QLabel*>(QStringLiteral("whySentence"));
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
    CHECK(run.row(1)->property("current").toBool());
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
    REQUIRE(waitFor([&] { return events->model()->rowCount() > 10; }));
    const int listed = events->model()->rowCount();
    run.click("whyCopy");
    const QString text = QApplication::clipboard()->text();
    CHECK(text.startsWith(QStringLiteral("1F1B")));
    CHECK(text.contains(QStringLiteral("device 3: work 24.0 ms, drain 6.0 ms, fill 3.0 ms")));
    CHECK(text.contains(QStringLiteral("1. Device 3 waits 3.0 ms for its first op 3F0 (fill)")));
    run.press(Qt::Key_Escape);
    CHECK(waitFor([&] { return events->model()->rowCount() > listed; })); // every op again
}

TEST_CASE("the selected scheme is compared with the run as a prediction in a file")
{
    const Explained run;
    run.open();
    REQUIRE(waitFor([&] { return run.find<QPushButton>("whyCompare")->isVisible(); }));
    CHECK(run.row("whyScheme1")->property("current").toBool());
    QTest::mouseClick(run.row("whyScheme2"), Qt::LeftButton, {}, QPoint(6, 6));
    CHECK_FALSE(run.row("whyScheme1")->property("current").toBool());
    const QString name = run.row("whyScheme2")->accessibleName().section(QLatin1Char(':'), 0, 0);
    CHECK(run.find<QPushButton>("whyRun")->text() == QStringLiteral("Run %1…").arg(name));
    const PageRequests compared(*run.page);
    run.click("whyCompare");
    REQUIRE(waitFor([&] { return !compared.empty(); }));
    const QStringList files = compared.files("compare");
    REQUIRE(files.size() == 1); // and the run, which is open
    const auto predicted = profiler::TraceReader::open(files[0].toStdString());
    REQUIRE(predicted);
    QFile::remove(files[0]);
}

TEST_CASE("a memory limit marks the schemes that do not fit and selects the first that does")
{
    const Explained run(
        profiler::readRun(tests::sourcePath("sample_runs/1f1b-d4-n8.sqlite")).value());
    run.open();
    REQUIRE(waitFor([&] { return run.find<QPushButton>("whyCompare")->isVisible(); }));
    const auto isProblem = [&](int scheme) {
        return run.row(qPrintable(QStringLiteral("whyScheme%1").arg(scheme)))
            ->accessibleName()
            .contains(QStringLiteral("does not fit: "));
    };
    CHECK_FALSE(isProblem(1));
    run.find<QLineEdit>("whyLimit")->setText(QStringLiteral("15"));
    CHECK(run.label("whyLimitUnit") == QStringLiteral("MiB"));
    int current = 0;
    for (int scheme = 1; scheme <= 4; ++scheme)
        if (run.row(qPrintable(QStringLiteral("whyScheme%1").arg(scheme)))
                ->property("current")
                .toBool())
            current = scheme;
    REQUIRE(current > 0);
    CHECK_FALSE(isProblem(current));
    for (int scheme = 1; scheme < current; ++scheme)
        CHECK(isProblem(scheme));
    run.find<QLineEdit>("whyLimit")->setText(QStringLiteral("1"));
    CHECK(run.label("whyNoneFits").startsWith(QStringLiteral("None fits; ")));
    CHECK_FALSE(run.find<QPushButton>("whyRun")->isEnabled());
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

TEST_CASE("the search for faster schemes can be cancelled, and starts again")
{
    const Explained run({"1f1b", 32, 256, 1, true}); // large, so that the search takes a while
    const auto cancel
        = [&] { return run.panel()->findChild<QPushButton*>(QStringLiteral("whyCancel")); };
    run.press(Qt::Key_Y);
    REQUIRE(waitFor([&] { return cancel() != nullptr; }));
    cancel()->click();
    REQUIRE(waitFor([&] {
        const auto* text = run.panel()->findChild<QLabel*>(QStringLiteral("whyNoScheme"));
        return text != nullptr && text->text().contains(QStringLiteral("cancelled"));
    }));
    run.press(Qt::Key_Escape);
    run.press(Qt::Key_Y);
    REQUIRE(waitFor([&] { return cancel() != nullptr; }));
}

TEST_CASE("a closed panel keeps nothing of the path")
{
    const Explained run;
    run.openWhole();
    std::weak_ptr<const PathMarks> path;
    QObject::connect(run.panel(), &WhyPanel::pathChanged,
                     [&](const PathMarksPointer& marks) { path = marks; });
    run.press(Qt::Key_Y);
    run.open();
    REQUIRE(waitFor([&] { return run.effect(1) != QStringLiteral("computing…"); }));
    const std::weak_ptr<const PathMarks> shown = path;
    CHECK_FALSE(shown.expired());
    run.press(Qt::Key_Y);
    CHECK(waitFor([&] { return shown.expired(); }));
}

TEST_CASE("an iteration with one op says why it has no path")
{
    engine::Run bare = simulatedRun({"gpipe", 1, 1, 1, true});
    for (engine::Track& track : bare.timeline.tracks)
        track.spans.resize(std::min<std::size_t>(
            track.spans.size(), track.kind == engine::Track::Kind::Compute ? 1 : 0));
    const Explained run(bare);
    run.press(Qt::Key_Y);
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
