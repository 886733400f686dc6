#include "profiler/study/study_file.h"
#include "tests/gui/studied.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>

namespace app {

TEST_CASE("a preset that is chosen simulates its grid and names the tab after it")
{
    Studied study;
    CHECK(study.page->title() == QStringLiteral("Study"));
    CHECK(study.summary() == QStringLiteral("20 simulations, not computed yet"));
    auto* presets = study.find<QComboBox>("studyPresets");
    const int odd = presets->findText(QStringLiteral("odd-devices"));
    CHECK(presets->itemData(odd, Qt::ToolTipRole).toString().contains(QStringLiteral("odd")));
    Q_EMIT presets->activated(odd);
    study.waitForEnd();
    CHECK(study.page->title() == QStringLiteral("Study: odd-devices"));
    CHECK(study.summary().startsWith(QStringLiteral("300 simulations, ")));
    CHECK(study.find<QComboBox>("studyMapChart")->currentText() == QStringLiteral("Bubble, D = 5"));
    CHECK(study.find<QLabel>("studyKept")->text()
          == QStringLiteral("Only bitpipe: --set concat=early"));
    CHECK(study.page->statusTexts().contains(
        QStringLiteral("5 values of devices × 5 of micro-batches × 12 of scheme")));
    CHECK(presets->currentText() == QStringLiteral("odd-devices"));
    auto* answer = study.find<Band>("studyAnswer"); // the sentence comes before the charts
    REQUIRE(waitFor([&] { return answer->isVisible(); }));
    CHECK(answer->text().startsWith(QStringLiteral("ZB-V has the shortest iteration in ")));
    study.click("studyCopyAnswer");
    CHECK(QGuiApplication::clipboard()->text().contains(
        QStringLiteral("BitPipe with --set concat=early"))); // the conditions
    CHECK(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("ZB-V has the shortest")));
    study.save("studySave", study.folder.filePath(QStringLiteral("odd-devices.toml")));
    CHECK(presets->currentIndex() == 0); // a file, not the preset of this name
}

TEST_CASE("an empty study page offers the question of every preset, which a click answers")
{
    Studied study;
    const auto cards = study.window.findChildren<QAbstractButton*>(QStringLiteral("studyCard"));
    CHECK(cards.size() == studyPresets().size());
    const auto bandwidth = std::ranges::find_if(cards, [](const QAbstractButton* card) {
        return card->accessibleName() == QStringLiteral("The best scheme by link speed");
    });
    REQUIRE(bandwidth != cards.end());
    QTest::mouseClick(*bandwidth, Qt::LeftButton);
    CHECK(study.find<QComboBox>("studyPresets")->currentText() == QStringLiteral("bandwidth"));
}

TEST_CASE("the run of a grid fills map, lines, front and the table of the selected point")
{
    Studied study;
    study.run();
    CHECK(study.summary().startsWith(QStringLiteral("20 simulations, ")));
    study.waitForMap();
    for (const char* view : {"studyLinesView", "studyFrontView"}) {
        CAPTURE(view);
        REQUIRE(waitFor([&] {
            const auto* chart = study.find<SceneView>(view)->scene();
            return chart != nullptr && !chart->marks.empty();
        }));
    }
    CHECK(study.point() == QStringLiteral("Selected: BitPipe")); // the shortest with N = 4
    CHECK(study.cell(0, 0) == QStringLiteral("Iteration, units"));
    CHECK(study.cell(0, 1) == study.cell(0, 2));
    CHECK(study.cell(0, 3) == QStringLiteral("BitPipe"));
}

TEST_CASE("a click and the arrow keys select a point, which the other charts go through")
{
    Studied study;
    study.run();
    study.waitForMap();
    const StudyData data(study.find<StudyForm>("studyForm")->study());
    const auto eight = pointAt(data.study, {"8", "gpipe"});
    REQUIRE(eight);
    QTest::mouseClick(study.map()->viewport(), Qt::LeftButton, {},
                      study.map()->rectOf(*eight).center());
    CHECK(study.point() == QStringLiteral("Selected: GPipe"));
    CHECK(study.find<QLabel>("studyPointWhere")->text() == QStringLiteral("micro-batches 8"));
    CHECK(study.find<QLabel>("studyFrontWhere")->text() == QStringLiteral("micro-batches 8"));
    CHECK(study.find<QLabel>("studySentence")
              ->text()
              .contains(QStringLiteral("times the iteration of")));
    QTest::keyClick(study.map(), Qt::Key_Right);
    CHECK(study.find<QLabel>("studyPointWhere")->text() == QStringLiteral("micro-batches 16"));
    QTest::keyClick(study.map(), Qt::Key_Down);
    CHECK(study.point() == QStringLiteral("Selected: 1F1B"));
    CHECK(
        study.map()->accessibleDescription().startsWith(QStringLiteral("1F1B, micro-batches 16")));
    auto* chart = study.find<QComboBox>("studyMapChart");
    chart->setFocus();
    QTest::keyClick(chart, Qt::Key_Down);
    CHECK(study.map()->accessibleName() == QStringLiteral("Iteration, units"));
    CHECK(study.point() == QStringLiteral("Selected: 1F1B"));
}

TEST_CASE("an edit of the grid keeps the results until the next run, which computes them anew")
{
    Studied study;
    study.run();
    study.type("micro-batches", "4, 8, 16");
    CHECK(study.summary() == QStringLiteral("15 simulations, not computed yet"));
    CHECK(study.map()->scene() != nullptr);
    study.find<QCheckBox>("studyScheme-zb-v")->click();
    CHECK(study.find<QLabel>("studySchemeCount")->text().startsWith(QStringLiteral("6 of ")));
    CHECK(study.summary() == QStringLiteral("18 simulations, not computed yet"));
    study.run();
    CHECK(study.summary().startsWith(QStringLiteral("18 simulations, ")));
    CHECK(study.page->statusTexts().contains(QStringLiteral("18 points")));
}

// The chart of the earlier study was shown until the next one was drawn, and a click on it crashed
// the window or selected another point.
TEST_CASE("a click on a chart never selects a point of an earlier study")
{
    Studied study;
    study.run();
    study.waitForMap();
    const QPoint last = study.map()->rectOf(19).center();
    study.type("micro-batches", "4");
    int clicks = 0;
    QObject::connect(&study.page->session(), &StudySession::dataRead, study.map(), [&] {
        ++clicks;
        QTest::mouseClick(study.map()->viewport(), Qt::LeftButton, {}, last);
    });
    study.run();
    CHECK(clicks > 0);
    CHECK(waitFor([&] {
        return study.map()->scene() != nullptr && study.map()->scene()->marks.size() == 5;
    }));
}

TEST_CASE("a wrong value of the grid is named at its option, and the grid cannot be run")
{
    Studied study;
    study.type("devices", "4, many");
    CHECK(study.find<QLabel>("devicesProblem")->text().contains(QStringLiteral("many")));
    CHECK_FALSE(study.find<QAbstractButton>("studyRunButton")->isEnabled());
    study.type("devices", "4");
    CHECK(study.find<QLabel>("devicesProblem")->text().isEmpty());
    CHECK(study.find<QAbstractButton>("studyRunButton")->isEnabled());
    for (const char* scheme : {"gpipe", "1f1b", "interleaved-1f1b", "chimera", "bitpipe"})
        study.find<QCheckBox>((std::string("studyScheme-") + scheme).c_str())->click();
    CHECK(study.find<QLabel>("studySchemeProblem")->text()
          == QStringLiteral("No scheme is ticked; tick at least one."));
    CHECK_FALSE(study.action("studyRun")->isEnabled());
}

TEST_CASE("a file with a mistake is not opened, and the mistake is named")
{
    Studied study;
    study.page->open(study.writeToml("[grid]\nscheme = [\"1f2b\"]\n"));
    CHECK(study.notice().startsWith(QStringLiteral("Not opened.")));
    CHECK(study.notice().contains(QStringLiteral("unknown scheme '1f2b'")));
    CHECK(study.page->title() == QStringLiteral("Study"));
    study.window.openFiles(
        {study.writeToml("[grid]\nscheme = [\"bitpipe\", \"chimera\"]\nmicro-batches = [3]\n")});
    study.page = dynamic_cast<StudyPage*>(study.window.currentPage());
    REQUIRE(study.page != nullptr);
    CHECK(study.page->title() == QStringLiteral("Study: own"));
    study.waitForEnd();
    CHECK(study.notice().contains(QStringLiteral("No point of the study is possible")));
    CHECK(study.find<QLabel>("studySentence")->text().startsWith(QStringLiteral("Not possible: ")));
    CHECK_FALSE(study.action("studyOpenPoint")->isEnabled());
}

TEST_CASE("a cancelled study keeps its points, and continues")
{
    Studied study;
    study.page->open(study.writeToml("[fixed]\ndevices = 16\n[grid]\nmicro-batches = [2048, 4096]\n"
                                     "scheme = [\"1f1b\", \"gpipe\", \"zb-h1\", \"chimera\"]\n"));
    CHECK(study.page->session().isRunning());
    CHECK_FALSE(study.find<QComboBox>("studyPresets")->isEnabled());
    study.click("studyCancelButton");
    REQUIRE(waitFor([&] { return !study.page->session().isRunning(); }));
    CHECK(study.notice().startsWith(QStringLiteral("Cancelled.")));
    CHECK(study.find<QAbstractButton>("studyRunButton")->isVisible());
    study.run();
    CHECK(study.summary().startsWith(QStringLiteral("8 simulations, ")));
}

TEST_CASE("the timeline of a point opens as a run, and beside that of the best")
{
    Studied study;
    study.run();
    study.waitForMap();
    QStringList opened, compared;
    QObject::connect(study.page, &Page::pageRequested, study.page, [&](const PageRequest& asked) {
        (asked.files.size() == 1 ? opened : compared) = asked.files;
    });
    CHECK_FALSE(study.action("studyCompareBest")->isEnabled()); // it is the best
    QTest::keyClick(study.map(), Qt::Key_Return);
    REQUIRE(waitFor([&] { return opened.size() == 1; }));
    CHECK(opened.front().contains(QStringLiteral("bitpipe")));
    REQUIRE(waitFor([&] { return study.window.currentPage()->file() == opened.front(); }));
    QTest::keyClick(study.map(), Qt::Key_Up);
    CHECK(study.point() == QStringLiteral("Selected: Chimera"));
    REQUIRE(study.action("studyCompareBest")->isEnabled());
    study.action("studyCompareBest")->trigger();
    CHECK_FALSE(study.action("studyOpenPoint")->isEnabled()); // while it is simulated
    REQUIRE(waitFor([&] { return compared.size() == 2; }));
    CHECK(compared.front().contains(QStringLiteral("chimera")));
}

TEST_CASE("a point is emulated with its options, unless it has some of simulations only")
{
    Studied study;
    study.run();
    study.waitForMap();
    QStringList options;
    study.page->disconnect(SIGNAL(startRequested(QStringList))); // the window would run it
    QObject::connect(study.page, &Page::startRequested, study.page,
                     [&](const QList<QStringList>& all) { options = all.front(); });
    study.action("studyEmulatePoint")->trigger();
    CHECK(options
          == QStringList{QStringLiteral("--mode"), QStringLiteral("emulate"),
                         QStringLiteral("--devices"), QStringLiteral("4"),
                         QStringLiteral("--micro-batches"), QStringLiteral("4"),
                         QStringLiteral("--scheme"), QStringLiteral("bitpipe")});
    study.page->open(QStringLiteral("bandwidth"));
    study.waitForEnd();
    CHECK_FALSE(study.action("studyEmulatePoint")->isEnabled());
    CHECK(study.action("studyOtherMode")->toolTip()
          == QStringLiteral("hardware is an option of simulations only")
                 .replace(QStringLiteral("hardware"), QStringLiteral("p2p")));
}

TEST_CASE("a study of runs is not started when it is opened, and trains every point")
{
    Studied study;
    study.page->open(
        study.writeToml("mode = \"emulate\"\n[fixed]\ndevices = 2\nmicro-batches = 2\nlayers = 4\n"
                        "heads = 2\nsequence = 16\niterations = 3\nwarmup = 0\n[grid]\n"
                        "scheme = [\"1f1b\", \"gpipe\"]\n"));
    CHECK_FALSE(study.page->session().isRunning());
    CHECK(study.summary() == QStringLiteral("2 runs, not computed yet"));
    CHECK(study.action("studyOtherMode")->text() == QStringLiteral("Simulate the grid"));
    study.run();
    CHECK(study.notice() == QString());
    CHECK(study.page->statusTexts().front() == QStringLiteral("<b>Study</b> emulated"));
    CHECK(study.cell(0, 0) == QStringLiteral("Iteration, ms"));
    CHECK(study.cell(0, 1).contains(QStringLiteral(" to "))); // the interval of three iterations
    CHECK_FALSE(study.action("studyOpenPoint")->isEnabled()); // no timeline was kept
    CHECK(study.action("studyEmulatePoint")->isEnabled());
}

// The page said "Press Run for the grid at the left" of no study, even where the grid was folded.
TEST_CASE("a study that is not started at once is named, with its question, and can be run")
{
    Studied study;
    const auto text = [&study](const char* name) { return study.find<QLabel>(name)->text(); };
    CHECK(text("studyStartTitle") == QStringLiteral("A grid of simulations"));
    CHECK(text("studyStartCount") == QStringLiteral("20 simulations, not computed yet"));
    study.run();
    CHECK_FALSE(study.find<QLabel>("studyStartTitle")->isVisible());
    study.window.resize(960, 640);
    settle();
    study.page->open(QStringLiteral("prediction-error"));
    CHECK(study.find<QLabel>("studyStartTitle")->isVisible()); // no charts of the other study
    CHECK(text("studyStartTitle")
          == QStringLiteral("Predictions compared with measurements on this machine"));
    CHECK(text("studyStartQuestion").startsWith(QStringLiteral("How far are predicted from")));
    CHECK(text("studyStartCount") == QStringLiteral("25 runs, not computed yet"));
    CHECK(study.find<QAbstractButton>("studyStartRun")->isEnabled());
    CHECK_FALSE(study.action("studySaveReport")->isEnabled());
    const auto chips = study.find<QLineEdit>("caseLine")->parentWidget()->findChildren<QLabel*>();
    CHECK(std::ranges::count(chips, QStringLiteral("calibrated_chunks"), &QLabel::text) == 1);
}

TEST_CASE("charts, report, results and the study itself are saved")
{
    Studied study;
    study.run();
    study.waitForMap();
    const auto file
        = [&](const char* name) { return study.folder.filePath(QString::fromLatin1(name)); };
    for (const char* name : {"map.pdf", "map.svg", "map.png", "map.tex"})
        study.save("studyExportMap", file(name));
    CHECK(textOfFile(file("map.svg")).contains(QStringLiteral("Chimera")));
    study.save("studySaveCsv", file("results.csv"));
    CHECK(textOfFile(file("results.csv")).startsWith(QStringLiteral("micro-batches,scheme,")));
    study.save("studySaveReport", file("report.html"));
    CHECK(textOfFile(file("report.html")).contains(QStringLiteral("<h2>Results</h2>")));
    study.save("studySave", file("mine.toml"));
    CHECK(study.page->title() == QStringLiteral("Study: mine"));
    const auto saved = openStudy(file("mine.toml"));
    REQUIRE(saved);
    CHECK(*saved == study.find<StudyForm>("studyForm")->study());
    study.action("studyExportMap")->trigger();
    auto* dialog = study.find<QFileDialog>("saveDialog");
    Q_EMIT dialog->fileSelected(file("map.gif"));
    dialog->close();
    REQUIRE(waitFor([&] { return study.page->findChild<QMessageBox*>() != nullptr; }));
    auto* box = study.page->findChild<QMessageBox*>();
    CHECK(box->text().contains(QStringLiteral("use the extension .pdf, .svg, .png or .tex")));
    box->close();
}

TEST_CASE("an option of the study is added from a menu")
{
    Studied study;
    study.click("studyAddOption");
    auto* menu = study.find<QMenu>("studyOptionMenu");
    for (QAction* action : menu->actions())
        if (action->text() == QStringLiteral("p2p"))
            action->trigger();
    menu->close();
    study.type("p2p", "0 to 0.2, 3 steps");
    CHECK(study.summary() == QStringLiteral("60 simulations, not computed yet"));
    study.run();
    CHECK(study.find<QComboBox>("studyLinesAxis")->currentText() == QStringLiteral("P2P message"));
    CHECK(study.find<QLabel>("studyLinesWhere")->text() == QStringLiteral("micro-batches 4"));
}

TEST_CASE("a narrow window folds the definition of a study")
{
    Studied study;
    study.window.resize(960, 640);
    settle();
    CHECK_FALSE(study.find<QWidget>("studyDefinition")->isVisible());
    QTest::keyClick(study.window.currentPage(), Qt::Key_F9);
    CHECK(study.find<QWidget>("studyDefinition")->isVisible());
    CHECK(study.window.width() == 960);
}

} // namespace app
