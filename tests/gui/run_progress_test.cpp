#include "app/plan/schedule_preview.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "tests/gui/opened_run.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QToolTip>

using namespace app;

namespace {

// A worker that has written whole iterations and goes on until it is interrupted.
const char* const kGoesOn = "cp \"$(dirname \"$0\")/run.sqlite\" \"$file\"\n"
                            "trap 'echo \"{\\\"event\\\":\\\"finished\\\",\\\"outcome\\\":"
                            "\\\"cancelled\\\"}\"; exit 0' TERM\n"
                            "echo '{\"event\":\"started\",\"iterations\":7,\"warmup\":0}'\n"
                            "echo '{\"event\":\"iteration\",\"index\":0}'\n"
                            "echo '{\"event\":\"iteration\",\"index\":1}'\n"
                            "while :; do sleep 0.05; done\n";

engine::Run growing()
{
    engine::Run run = simulatedRun({"1f1b", 4, 8, 2});
    run.info.mode = engine::Mode::Live;
    run.info.outcome = engine::Outcome::Running;
    return run;
}

bool says(const OpenedRun& opened, const char* text)
{
    const auto labels = opened.page->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
        return label->text().contains(QString::fromUtf8(text));
    });
}

// A worker whose first iteration is under way.
const char* const kFirstIteration
    = "cp \"$(dirname \"$0\")/run.sqlite\" \"$file\"\n"
      "trap 'echo \"{\\\"event\\\":\\\"finished\\\",\\\"outcome\\\":"
      "\\\"cancelled\\\"}\"; exit 0' TERM\n"
      "echo '{\"event\":\"started\",\"iterations\":7,\"warmup\":0}'\n"
      "echo '{\"event\":\"rows\",\"last\":1}'\n"
      "echo '{\"event\":\"ops\",\"index\":0,\"done\":30,\"all\":110,\"devices\":[27,3,0,0]}'\n"
      "while :; do sleep 0.05; done\n";

} // namespace

// Of the iteration under way, device 0 has run everything and the others nothing.
TEST_CASE("hovering a planned op says when it is planned and whether it has run")
{
    OpenedRun opened(growing(), kGoesOn);
    auto* timeline = opened.find<TimelineWidget>("timeline");
    REQUIRE(waitFor([&] { return says(opened, "Compared with the prediction"); }));
    timeline->zoomToAll(); // two iterations and the plan
    const QImage before = timeline->grab().toImage();
    timeline->setOpsDone(2, {1000, 0, 0, 0});
    CHECK(timeline->grab().toImage() != before);
    const int lanes = timeline->width() - 140 - 124;
    const int steady = 140 + lanes * 5 / 6; // where every device is busy
    const auto says = [&](int y, const char* text) {
        QTest::mouseMove(timeline, {steady, y});
        return waitFor([&] { return QToolTip::text().contains(QLatin1String(text)); });
    };
    CHECK(says(100, "planned "));
    CHECK(says(101, "has run"));
    CHECK(says(225, "not yet run"));
}

TEST_CASE("a running run shows its plan, its prediction and what Stop keeps")
{
    OpenedRun opened(growing(), kGoesOn);
    REQUIRE(waitFor([&] { return opened.document->run() != nullptr; }));
    REQUIRE(waitFor([&] { return says(opened, "Compared with the prediction"); }));
    CHECK(opened.find<QLabel>("detailsTitle")->text() == QStringLiteral("Running"));
    auto* stop = opened.find<QPushButton>("stopDetails");
    CHECK(stop->isVisible());
    CHECK(waitFor([&] { return stop->text() == QString::fromUtf8("Stop, keep 0–1"); }));

    auto* timeline = opened.find<TimelineWidget>("timeline");
    auto* plan = opened.find<SegmentControl>("planSegments");
    CHECK(plan->isVisible());
    CHECK(timeline->look().isPlanShown);
    for (QWidget* part : {static_cast<QWidget*>(plan), opened.find<QWidget>("stopRunButton")})
        CHECK(part->width() >= part->sizeHint().width()); // no text is cut
    const QImage with = timeline->grab().toImage();
    plan->setFocus();
    QTest::keyClick(plan, Qt::Key_Right);
    CHECK_FALSE(timeline->look().isPlanShown);
    CHECK_FALSE(opened.find<QAction>("showPlan")->isChecked());
    CHECK(timeline->grab().toImage() != with);
    opened.find<QAction>("showPlan")->trigger();
    CHECK(timeline->look().isPlanShown);

    QTest::mouseClick(stop, Qt::LeftButton);
    REQUIRE(waitFor([&] { return opened.isRead(); }));
    CHECK_FALSE(opened.find<QWidget>("detailsFooter")->isVisible());
    CHECK_FALSE(plan->isVisible());
    CHECK(opened.find<QLabel>("detailsTitle")->text() != QStringLiteral("Running"));
}

// The toolbar was ahead of the details: "about 8.3 s left" beside "8.4 s left".
TEST_CASE("the toolbar and the details of a running run show the same progress")
{
    OpenedRun opened(growing(), kGoesOn);
    REQUIRE(waitFor([&] { return says(opened, "Compared with the prediction"); }));
    RunProgress progress = opened.document->progress();
    progress.ops = 110;
    for (const int done : {40, 60}) {
        progress.opsDone = done;
        progress.secondsLeft = done;
        opened.document->setProgress(progress);
        const auto isInToolbar
            = [&] { return opened.find<QLabel>("timeLeft")->text() == remainingTime(done); };
        const auto isInDetails = [&] {
            return says(opened, QStringLiteral("%1 of 110").arg(done).toUtf8().constData());
        };
        CHECK(isInToolbar() == isInDetails());
        CHECK(waitFor([&] { return isInToolbar() && isInDetails(); }));
    }
}

TEST_CASE("before the first iteration a plan from assumed costs is outlined and labelled")
{
    engine::Run run = growing();
    run.timeline = {};
    OpenedRun opened(run, kFirstIteration);
    auto* preview = opened.page->findChild<SchedulePreview*>();
    REQUIRE(preview != nullptr);
    REQUIRE(waitFor([&] { return preview->isVisible() && says(opened, "30 of 110 ops"); }));
    CHECK(says(opened, "Plan from assumed costs (F 1, B 2; free links), not from measured times"));
    // The details said "Nothing selected" until there was an iteration.
    CHECK(opened.find<QLabel>("detailsTitle")->text() == QStringLiteral("Running"));
    auto* plan = opened.find<SegmentControl>("planSegments");
    plan->setCurrent(1);
    CHECK_FALSE(preview->isVisible());
    plan->setCurrent(0);
    CHECK(preview->isVisible());
    const QImage filled = preview->grab().toImage();
    preview->setDone({});
    CHECK(preview->grab().toImage() != filled); // what has run
}
