#include "app/compare/compare_widget.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/form.h"
#include "app/whatif/what_if_page.h"
#include "app/window/main_window.h"
#include "profiler/store/trace_store.h"
#include "tests/gui/page_requests.h"
#include "tests/gui/what_if_tab.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>

namespace app {
namespace {

void openRow(const WhatIfTab& tab, const QString& scheme)
{
    auto* view = tab.find<DataTable>("whatIfTable");
    const auto* model = static_cast<const WhatIfModel*>(view->model());
    Q_EMIT view->activated(model->index(model->rowOf(scheme), 0));
}

} // namespace

TEST_CASE("the page shows the shortest scheme above a ranking of all of them")
{
    const WhatIfTab tab;
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    CHECK(tab.table()->rowCount() == static_cast<int>(whatIfSchemes().size()));
    const QString best = tab.table()->index(0, 0).data().toString();
    CHECK(tab.sentence().startsWith(best + QStringLiteral(" would take ")));
    CHECK(tab.sentence().contains(QStringLiteral(" instead of 33.0 ms ")));
    CHECK(tab.find<QComboBox>("whatIfScheme")->currentText() == best);
    CHECK(tab.find<CompareWidget>("compare")->accessibleDescription().endsWith(best));
    CHECK(tab.page.title().startsWith(QStringLiteral("What if: 1F1B")));
}

TEST_CASE("the shortest schedule is searched for the times of the run")
{
    const WhatIfTab tab;
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    const PageRequests requests(tab.page);
    QTest::mouseClick(tab.find<QPushButton>("searchTimes"), Qt::LeftButton);
    REQUIRE(requests.size() == 1);
    CHECK(std::string_view(requests[0].kind) == "search");
    REQUIRE(requests[0].plan);
    CHECK(requests[0].plan->source.kind == CostSource::Kind::Recorded);
    CHECK(requests[0].plan->source.run->info.scheme == "1f1b");
    CHECK(requests[0].plan->experiment.schedule.devices == 4);
    CHECK(requests[0].plan->experiment.schedule.microBatches == 8);
}

// The row said "peak 5.0 Mₐ", beside the bytes of the measured run and of the ranking.
TEST_CASE("the predicted timeline has the predicted peak in bytes")
{
    const WhatIfTab tab;
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    auto* compare = tab.find<CompareWidget>("compare");
    REQUIRE(compare->rows().rowOf(1) != nullptr);
    CHECK(comparePeak(*compare->rows().rowOf(1)).endsWith(QString::fromUtf8(" Mₐ"))); // unknown
    compare->setPredictedPeak(1, 20 << 20);
    CHECK(comparePeak(*compare->rows().rowOf(1)) == QStringLiteral("20.00 MiB"));
}

TEST_CASE("a click or an arrow key in the ranking chooses another scheme")
{
    const WhatIfTab tab;
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    auto* view = tab.find<DataTable>("whatIfTable");
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, tab.centreOf("whatIfTable", 2, 0));
    const QString third = tab.table()->index(2, 0).data().toString();
    CHECK(tab.sentence().startsWith(third));
    REQUIRE(waitFor([&] {
        return tab.find<CompareWidget>("compare")->accessibleDescription().endsWith(third);
    }));
    QTest::keyClick(view, Qt::Key_Down);
    CHECK(tab.sentence().startsWith(tab.table()->index(3, 0).data().toString()));
}

TEST_CASE("a slower stage is typed into its cell, and undone")
{
    const WhatIfTab tab;
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    auto* costs = tab.find<DataTable>("costTable");
    const QString before = tab.sentence();
    QTest::mouseClick(costs->viewport(), Qt::LeftButton, {}, tab.centreOf("costTable", 3, 1));
    QTest::mouseDClick(costs->viewport(), Qt::LeftButton, {}, tab.centreOf("costTable", 3, 1));
    tab.type("2");
    CHECK(tab.find<QLabel>("costEdits")->text().startsWith(QStringLiteral("1 cell edited")));
    REQUIRE(waitFor([&] { return tab.isPredicted() && tab.sentence() != before; }));
    const QString slower = tab.sentence();

    // The same by the keyboard, on another cell.
    costs->setFocus();
    costs->setCurrentIndex(costs->model()->index(2, 1));
    QTest::keyClick(costs, Qt::Key_F2);
    tab.type("2");
    CHECK(tab.find<QLabel>("costEdits")->text().startsWith(QStringLiteral("2 cells edited")));
    tab.find<QAction>("undoEdit")->trigger();
    QTest::mouseClick(tab.find<QPushButton>("undoEdit"), Qt::LeftButton);
    CHECK_FALSE(tab.find<QLabel>("costEdits")->text().contains(QStringLiteral("edited")));
    CHECK(waitFor([&] { return tab.isPredicted() && tab.sentence() == before; }));
    CHECK(slower != before);
}

TEST_CASE("a time of 0 stays in the field, which Enter does not leave")
{
    const WhatIfTab tab;
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    auto* costs = tab.find<DataTable>("costTable");
    costs->setFocus();
    costs->setCurrentIndex(costs->model()->index(0, 1));
    QTest::keyClick(costs, Qt::Key_Return);
    tab.type("0");
    auto* editor = tab.find<QLineEdit>("costEditor");
    CHECK(editor->isVisible());
    CHECK(editor->property("invalid").toBool());
    QTest::keyClick(editor, Qt::Key_Escape);
    settle();
    CHECK_FALSE(tab.find<QLabel>("costEdits")->text().contains(QStringLiteral("edited")));
}

TEST_CASE("changes of links and micro-batches are in the command, and a reset removes them")
{
    const WhatIfTab tab;
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    auto* slider = tab.find<QSlider>("linkSlider");
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_PageUp);
    CHECK(tab.find<QLabel>("linkSpeed")->text() == QStringLiteral("× 2.00"));
    auto* number = tab.find<SpinField>("microBatches");
    number->setFocus();
    number->selectAll();
    QTest::keyClicks(number, QStringLiteral("16"));
    REQUIRE(waitFor([&] {
        tab.find<QAction>("copyWhatIf")->trigger();
        return QGuiApplication::clipboard()->text().endsWith(
            QStringLiteral("--micro-batches 16 --link-speed 2"));
    }));
    CHECK(tab.find<Band>("whatIfNotice")->text().startsWith(QStringLiteral("Copied. bscope")));
    QTest::mouseClick(tab.find<QPushButton>("resetEdits"), Qt::LeftButton);
    CHECK(slider->value() == 0);
    CHECK(number->value() == 8);
    CHECK(tab.find<QAction>("undoEdit")->isEnabled());
    CHECK(waitFor([&] {
        tab.find<QAction>("copyWhatIf")->trigger();
        return !QGuiApplication::clipboard()->text().contains(QStringLiteral("--link"));
    }));
}

TEST_CASE("layers are moved by dragging a border or by keys, and reset")
{
    const WhatIfTab tab;
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    auto* bar = tab.find<LayerBar>("layerBar");
    CHECK_FALSE(bar->isVisible()); // the run does not state its layers
    auto* layers = tab.find<SpinField>("layers");
    layers->setFocus();
    layers->selectAll();
    QTest::keyClicks(layers, QStringLiteral("32"));
    REQUIRE(bar->isVisible());
    settle();
    const int height = bar->height() / 4, layer = bar->width() / 32;
    QTest::mousePress(bar, Qt::LeftButton, {}, QPoint(bar->borderX(0), height));
    QTest::mouseMove(bar, QPoint(bar->borderX(0) - 2 * layer, height));
    QTest::mouseRelease(bar, Qt::LeftButton, {}, QPoint(bar->borderX(0), height));
    CHECK(bar->split() == LayerSplit{6, 10, 8, 8});
    QTest::keyClick(bar, Qt::Key_Right);
    QTest::keyClick(bar, Qt::Key_Right);
    QTest::keyClick(bar, Qt::Key_Plus);
    CHECK(bar->split() == LayerSplit{6, 10, 9, 7});
    CHECK(bar->accessibleDescription() == QStringLiteral("Stage 2: 9 layers, stage 3: 7 layers"));
    CHECK(waitFor([&] {
        tab.find<QAction>("copyWhatIf")->trigger();
        return QGuiApplication::clipboard()->text().endsWith(
            QStringLiteral("--move-layers 0:1=2 --move-layers 3:2=1 --layers 32"));
    }));
    QTest::mouseClick(tab.find<QPushButton>("resetEdits"), Qt::LeftButton);
    CHECK(bar->split() == LayerSplit{8, 8, 8, 8});
}

TEST_CASE("the prediction is written as a simulated run and opened")
{
    WhatIfTab tab;
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    const PageRequests asked(tab.page);
    QTest::mouseClick(tab.find<QPushButton>("openPredictionButton"), Qt::LeftButton);
    REQUIRE(waitFor([&] { return !asked.empty(); }));
    auto reader = profiler::TraceReader::open(asked.files("run").value(0).toStdString());
    REQUIRE(reader);
    engine::Run written;
    REQUIRE(reader->poll(written));
    CHECK(written.info.mode == engine::Mode::Simulate);
    CHECK(QString::fromStdString(written.info.label)
          == tab.find<QComboBox>("whatIfScheme")->currentText());
    CHECK(written.info.command.starts_with("bscope whatif"));
    QFile::remove(asked.files("run").value(0));
}

// Ctrl+Return wrote the run of the previous scheme under the command of the new one.
TEST_CASE("nothing is saved or exported until the newly chosen scheme is predicted")
{
    const WhatIfTab tab;
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    auto* schemes = tab.find<QComboBox>("whatIfScheme");
    schemes->setCurrentIndex(schemes->findData(QStringLiteral("gpipe")));
    Q_EMIT schemes->activated(schemes->currentIndex());
    for (const char* name : {"openPrediction", "copyWhatIf", "exportFigure", "openSchedule"})
        CHECK_FALSE(tab.find<QAction>(name)->isEnabled());
    CHECK(waitFor([&] { return tab.isPredicted(); }));
}

// The order was built again from the scheme, so an order from a file did not open.
TEST_CASE("the own order opens in the editor as the run has it")
{
    engine::Run run = measuredRun();
    run.schedule.scheme = "file";
    const WhatIfTab tab(run);
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    const PageRequests asked(tab.page);
    openRow(tab, kOwnOrder);
    REQUIRE(asked.size() == 1);
    const auto opened = asked.front().schedule;
    REQUIRE(opened != nullptr);
    CHECK(opened->scheme == "file");
    CHECK(engine::lower(*opened).program == run.schedule.program);
}

// A double click had no effect.
TEST_CASE("a schedule that does not exist is refused with the reason")
{
    const WhatIfTab tab(simulatedRun({"1f1b", 3, 6, 3, true}));
    REQUIRE(waitFor([&] { return tab.isPredicted(); }));
    openRow(tab, QStringLiteral("chimera"));
    const QString notice = tab.find<Band>("whatIfNotice")->text();
    CHECK(notice.startsWith(QStringLiteral("Not opened. ")));
    CHECK(notice.contains(QStringLiteral("even")));
}

TEST_CASE("a run that lacks a stage is refused with the reason")
{
    engine::Run run = measuredRun();
    const engine::OpIndex index(run.schedule);
    for (engine::Track& track : run.timeline.tracks)
        std::erase_if(track.spans, [&](const engine::Span& span) {
            const engine::Op& op = engine::opAt(run.schedule, index, span.op);
            return op.kind == engine::OpKind::Backward && op.stage.value == 3;
        });
    const WhatIfTab tab(std::move(run));
    auto* refused = tab.find<EmptyState>("whatIfRefused");
    REQUIRE(waitFor([&] {
        const auto labels = refused->findChildren<QLabel*>();
        return std::ranges::any_of(labels, [](const QLabel* label) {
            return label->text().contains(QStringLiteral("no measured backward"));
        });
    }));
    CHECK(refused->isVisible());
    for (const char* name : {"undoEdit", "redoEdit", "resetWhatIf"})
        CHECK_FALSE(tab.find<QAction>(name)->isEnabled());
}

// Was a page without a button, a blank status bar and the name of the file in its tab.
TEST_CASE("the page of a simulated run offers a new run with its settings")
{
    engine::Run run = simulatedRun({"1f1b", 2, 2});
    run.info.experiment = "[schedule]\ndevices = 2\n";
    const WhatIfTab tab(std::move(run));
    auto* refused = tab.find<EmptyState>("whatIfRefused");
    REQUIRE(waitFor([&] { return refused->button()->isVisible(); }));
    CHECK(tab.page.title().startsWith(QStringLiteral("What if: 1F1B")));
    CHECK(tab.page.statusTexts() == QStringList{QStringLiteral("<b>Simulated</b> 2 devices")});
    const PageRequests asked(tab.page);
    refused->button()->click();
    REQUIRE(asked.size() == 1);
    CHECK(asked.front().plan->experiment.schedule.devices == 2);
}

TEST_CASE("P opens the page from a run, and again shows the same tab")
{
    QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    ThemeController theme;
    MainWindow window(theme, settings);
    window.show();
    window.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&window, kNever));
    const QString file = folder.filePath(QStringLiteral("run.sqlite"));
    REQUIRE(profiler::writeRun(file.toStdString(), measuredRun()));
    window.open({"run", {file}});
    auto* runPage = window.currentPage();
    auto* action = runPage->findChild<QAction*>(QStringLiteral("whatIf"));
    REQUIRE(waitFor(
        [&] { return action->isEnabled() && runPage->findChild<TimelineWidget*>()->isVisible(); }));
    runPage->findChild<TimelineWidget*>()->setFocus();
    QTest::keyClick(runPage->findChild<TimelineWidget*>(), Qt::Key_P);
    auto* page = window.currentPage();
    CHECK(page->objectName() == QStringLiteral("whatIfPage"));
    window.open({"run", {file}});
    action->trigger();
    CHECK(window.currentPage() == page);
}

TEST_CASE("a simulated run shows why nothing can be predicted from it")
{
    QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    ThemeController theme;
    MainWindow window(theme, settings);
    window.show();
    const QString file = folder.filePath(QStringLiteral("run.sqlite"));
    REQUIRE(profiler::writeRun(file.toStdString(), simulatedRun({"1f1b", 4, 4})));
    window.open({"run", {file}});
    auto* action = window.currentPage()->findChild<QAction*>(QStringLiteral("whatIf"));
    REQUIRE(waitFor([&] { return action->toolTip().contains(QStringLiteral("is simulated")); }));
    CHECK_FALSE(action->isEnabled());
}

} // namespace app
