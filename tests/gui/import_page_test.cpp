#include "app/import/import_page.h"
#include "app/plan/schedule_preview.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/window/main_window.h"
#include "tests/app/wait_for.h"
#include "tests/profiler/import/traces.h"
#include "tests/support/temporary_folder.h"

#include <QAction>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>

#include <algorithm>

namespace app {
namespace {

struct ImportWindow
{
    ImportWindow()
    {
        window.resize(1600, 1000);
        window.show();
        activate();
    }
    void activate()
    {
        window.activateWindow();
        REQUIRE(QTest::qWaitForWindowActive(&window, kNever));
    }
    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* found = window.currentPage()->findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }
    bool showsReport() const { return find<QWidget>("rulesTable")->isVisible(); }
    void drop(const QString& path)
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter({400, 300}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &enter);
        REQUIRE(enter.isAccepted());
        QDropEvent event({400, 300}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &event);
    }
    void write(const tests::TorchTraceOptions& options = {}, int missing = -1)
    {
        tests::writeTorchTraces(traces.path(), tests::simulatedRun("1f1b", 4, 8), options, missing);
    }
    QString trace(const char* name) const
    {
        return QString::fromStdString((traces / name).string());
    }
    QString folder() const { return QString::fromStdString(traces.path().string()); }
    static QStringList runs()
    {
        const QDir all(QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation)
                       + QStringLiteral("/bubblescope/runs"));
        return all.entryList({QStringLiteral("*import*.sqlite")}, QDir::Files);
    }

    tests::TemporaryFolder traces;
    QTemporaryDir home;
    Settings settings{home.filePath(QStringLiteral("settings.ini"))};
    ThemeController theme;
    MainWindow window{theme, settings};
};

} // namespace

TEST_CASE("a dropped folder of traces becomes a run, whose report opens it")
{
    ImportWindow w;
    w.write();
    const auto before = ImportWindow::runs().size();
    w.drop(w.folder());
    REQUIRE(waitFor([&] { return w.showsReport(); }));
    CHECK(ImportWindow::runs().size() == before + 1);
    CHECK(w.window.currentPage()->title().toStdString() == "Import: 1F1B #1");
    CHECK(
        w.find<QLabel>("coverageTitle")->text().endsWith(QStringLiteral("of op time classified")));
    CHECK(w.find<QWidget>("replayBand")->accessibleName().startsWith(QStringLiteral("Replayed")));

    QTest::keyClick(w.find<QWidget>("openImported"), Qt::Key_Space);
    CHECK(w.window.currentPage()->objectName() == QStringLiteral("runPage"));
    const QString run = w.window.currentPage()->file();
    CHECK(QFileInfo::exists(run));

    // The report is one key away, in the tab that has it.
    REQUIRE(waitFor([&] { return w.find<QWidget>("importReportButton")->isVisible(); }));
    auto* timeline = w.window.currentPage()->findChild<TimelineWidget*>();
    REQUIRE(waitFor([&] { return timeline->isVisible(); }));
    w.activate(); // shortcuts need it; a synthetic drop takes it away
    timeline->setFocus();
    QTest::keyClick(timeline, Qt::Key_I);
    CHECK(w.window.currentPage()->objectName() == QStringLiteral("importPage"));
    w.window.tabs().close(w.window.currentPage());
    w.window.open({"run", {run}});
    QTest::mouseClick(w.find<QWidget>("importReportButton"), Qt::LeftButton);
    CHECK(w.window.currentPage()->objectName() == QStringLiteral("importPage"));
    CHECK(w.showsReport());
}

TEST_CASE("the matches of the selected rule are listed, outlined and opened in the run")
{
    ImportWindow w;
    tests::TorchTraceOptions options;
    options.onGpu = true;
    w.write(options);
    w.window.openFiles({w.folder()});
    REQUIRE(waitFor([&] { return w.showsReport(); }));
    auto* rules = w.find<DataTable>("rulesTable");
    auto* matches = w.find<DataTable>("matchesTable");
    const auto* preview = w.find<SchedulePreview>("importPreview");
    const auto* empty = w.find<QLabel>("noMatches");
    CHECK(rules->currentIndex().row() == 0);
    CHECK(matches->model()->rowCount() > 0);
    REQUIRE(waitFor([&] { return preview->hasPicture(); }));
    CHECK_FALSE(preview->marks().parts.empty());
    CHECK(empty->isHidden());

    rules->setFocus();
    QTest::keyClick(rules, Qt::Key_Escape);
    CHECK_FALSE(rules->currentIndex().isValid());
    CHECK(matches->model()->rowCount() == 0);
    CHECK(preview->marks().parts.empty());
    CHECK(empty->text() == QStringLiteral("Select a rule to list what it matches."));

    rules->selectRow(0);
    const int other = preview->marks().iteration == 0 ? 1 : 0; // the trace has two iterations
    int row = 0;
    while (matches->model()->index(row, 3).data().toInt() != other)
        REQUIRE(++row < matches->model()->rowCount());
    matches->selectRow(row);
    CHECK(preview->marks().iteration == other);
    const QString op = matches->model()->index(row, 2).data().toString();
    matches->setFocus();
    QTest::keyClick(matches, Qt::Key_Return);
    REQUIRE(w.window.currentPage()->objectName() == QStringLiteral("runPage"));
    const auto* timeline = w.window.currentPage()->findChild<TimelineWidget*>();
    REQUIRE(waitFor([&] { return timeline->selection().kind == Selection::Kind::Op; }));
    CHECK(timeline->selection().iteration == other);
    CHECK(timeline->accessibleDescription().contains(op));
}

TEST_CASE("at a low coverage the report lists first what no rule matches")
{
    ImportWindow w;
    tests::writeText(w.traces / "a.json", R"([
        {"ph":"X","cat":"user_annotation","name":"PP:0F0","pid":1,"tid":1,"ts":10,"dur":10},
        {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":11,"dur":8},
        {"ph":"X","cat":"cpu_op","name":"aten::zeros","pid":1,"tid":1,"ts":22,"dur":50},
        {"ph":"X","cat":"user_annotation","name":"PP:0B0","pid":1,"tid":1,"ts":80,"dur":10},
        {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":81,"dur":6}])");
    w.window.openFiles({w.trace("a.json")});
    REQUIRE(waitFor([&] { return w.showsReport(); }));
    const auto* rules = w.find<DataTable>("rulesTable");
    CHECK(rules->currentIndex().row() == rules->model()->rowCount() - 1);
    const auto* matches = w.find<DataTable>("matchesTable");
    REQUIRE(matches->model()->rowCount() == 1);
    CHECK(matches->model()->index(0, 0).data().toString() == QStringLiteral("aten::zeros"));
    CHECK(w.find<QLabel>("matchesTitle")->text() == QStringLiteral("Matches: unclassified"));
    CHECK(w.find<QLabel>("matchesCount")->text() == QStringLiteral("All 1 shown"));
    const auto* preview = w.find<SchedulePreview>("importPreview");
    CHECK(preview->marks().areUncertain);
    CHECK(preview->marks().parts.size() == 1);
}

TEST_CASE("a rank without a trace is named in the report and in the run")
{
    ImportWindow w;
    w.write({}, 2);
    w.window.openFiles({w.folder()});
    REQUIRE(waitFor([&] { return w.showsReport(); }));
    CHECK(w.find<QLabel>("rankSummary")->text() == QStringLiteral("Missing: rank 2"));
    CHECK(w.find<DataTable>("ranksTable")->model()->index(2, 1).data()
          == QStringLiteral("no trace was imported"));
    CHECK_FALSE(
        w.window.currentPage()->findChildren<QWidget*>(QStringLiteral("importWarning")).isEmpty());
    QTest::mouseClick(w.find<QWidget>("openImported"), Qt::LeftButton);
    const auto* summary = w.find<DataTable>("summaryTable");
    REQUIRE(waitFor([&] { return summary->model()->rowCount() == 5; }));
    CHECK(summary->model()->index(2, 0).data().toString() == QStringLiteral("Device 2, no trace"));
}

TEST_CASE("the report of an import fits a window of 960 by 640 pixels")
{
    ImportWindow w;
    w.window.resize(960, 640);
    w.write({}, 2);
    w.window.openFiles({w.folder()});
    REQUIRE(waitFor([&] { return w.showsReport(); }));
    const QWidget* report
        = w.window.currentPage()->findChild<QWidget*>(QStringLiteral("importReport"));
    const auto* scroll = report->findChild<QScrollArea*>();
    CHECK(waitFor([&] { return scroll->horizontalScrollBar()->maximum() == 0; }));
    const auto isBelowRules = [&] {
        const auto topOf = [&](const char* table) {
            return w.find<QWidget>(table)->mapTo(report, QPoint()).y();
        };
        return topOf("matchesTable") > topOf("rulesTable");
    };
    CHECK(waitFor(isBelowRules));
    w.window.resize(1600, 1000);
    CHECK(waitFor([&] { return !isBelowRules(); }));
}

TEST_CASE("a long name in the report of an import is elided, and complete in its tooltip")
{
    ImportWindow w;
    tests::TorchTraceOptions options;
    options.host = "node-7-with-a-long-name-in-the-cluster-of-R&D";
    w.write(options);
    w.window.openFiles({w.folder()});
    REQUIRE(waitFor([&] { return w.showsReport(); }));
    w.window.resize(960, 640);
    const auto notes
        = w.window.currentPage()->findChildren<ElidedLabel*>(QStringLiteral("factNote"));
    CHECK(std::ranges::any_of(notes, [&options](const ElidedLabel* note) {
        return note->text() == QString::fromStdString(options.host);
    }));
}

TEST_CASE("traces that cannot be imported leave one sentence and the way to others")
{
    ImportWindow w;
    tests::writeText(w.traces / "config.json", R"({"lr": 1})");
    w.window.openFiles({w.trace("config.json")});
    auto* failed = w.find<EmptyState>("importFailed");
    REQUIRE(waitFor([&] { return failed->isVisible(); }));
    const auto labels = failed->findChildren<QLabel*>();
    CHECK(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->text().contains(QStringLiteral("config.json has no timestamped events"));
    }));
    QTest::mouseClick(failed->button(), Qt::LeftButton);
    const auto* dialog = w.window.findChild<QFileDialog*>(QStringLiteral("tracesDialog"));
    REQUIRE(dialog != nullptr);
    CHECK(dialog->isVisible());
}

TEST_CASE("a cancelled import closes its tab and leaves no file")
{
    ImportWindow w;
    w.write();
    const QStringList before = ImportWindow::runs();
    w.window.open({"import", {w.folder()}});
    QTest::mouseClick(w.find<QWidget>("cancelImport"), Qt::LeftButton);
    REQUIRE(waitFor([&] { return w.window.currentPage()->title() == QStringLiteral("Start"); }));
    QThreadPool::globalInstance()->waitForDone();
    CHECK(ImportWindow::runs() == before);
}

TEST_CASE("the menu asks for trace files and for a folder of them")
{
    ImportWindow w;
    QTest::keyClick(&w.window, Qt::Key_I, Qt::ControlModifier | Qt::ShiftModifier);
    const auto* files = w.window.findChild<QFileDialog*>(QStringLiteral("tracesDialog"));
    REQUIRE(files != nullptr);
    CHECK(files->fileMode() == QFileDialog::ExistingFiles);
    w.window.findChild<QAction*>(QStringLiteral("importFolder"))->trigger();
    auto* folder = w.window.findChild<QFileDialog*>(QStringLiteral("traceFolderDialog"));
    REQUIRE(folder != nullptr);
    w.write();
    Q_EMIT folder->filesSelected({w.folder()});
    CHECK(waitFor([&] { return w.showsReport(); }));
}

} // namespace app
