#include "app/editor/editor_page.h"
#include "app/setup/setup_page.h"
#include "app/shell/command_palette.h"
#include "app/start/start_page.h"
#include "app/ui/controls.h"
#include "app/window/command_line.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedules/scheme.h"
#include "profiler/store/ledger/ledger.h"
#include "tests/app/fake_worker.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"
#include "tests/gui/click_in_dialog.h"
#include "tests/gui/window.h"

#include <QDialog>
#include <QDir>
#include <QDragEnterEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>

#include <limits>
#include <string>
#include <vector>

namespace app {
namespace {

using QueueOptions = std::vector<std::string>;

// Returns the queues of all windows, and removes them.
QueueOptions takeStoredQueues()
{
    auto ledger = profiler::Ledger::open(ledgerFile().toStdString()).value();
    return ledger.takeQueues([](auto) { return false; }).value();
}

// A page whose user answers "Keep editing".
struct KeptPage : Page
{
    explicit KeptPage(std::shared_ptr<RunDocument> of)
        : run(std::move(of))
    { }
    QString title() const override { return QStringLiteral("Kept"); }
    const RunDocument* document() const override { return run.get(); }
    bool queryClose() override { return mayClose; }

    std::shared_ptr<RunDocument> run;
    bool mayClose = false;
};

} // namespace

// Its run was removed from the open ones although its page stayed.
TEST_CASE("a run stays open with a page that the user does not close")
{
    Window w;
    RunLibrary& library = w.window.library();
    auto* page = new KeptPage(library.add(simulatedRun({"1f1b", 2, 2})));
    w.window.tabs().add(page);
    LedgerRun run;
    run.file = page->run->file();
    CHECK_FALSE(w.window.ledger().close(run));
    CHECK(w.tabs() == 2);
    CHECK(library.contains(*page->run));
    page->mayClose = true;
    CHECK(w.window.ledger().close(run));
    CHECK(w.tabs() == 1);
    CHECK(library.runs().empty());
}

TEST_CASE("the window begins with the start page, which cannot be closed")
{
    Window w;
    CHECK(w.window.currentPage()->title() == QStringLiteral("Start"));
    CHECK_FALSE(w.action("closeCurrent")->isEnabled());
    CHECK_FALSE(w.window.tabs().close(w.window.currentPage()));
}

TEST_CASE("Ctrl+N opens a set-up tab whose actions join the menus, Ctrl+W closes it")
{
    Window w;
    w.action("newRun")->trigger();
    CHECK(w.tabs() == 2);
    CHECK(w.window.currentPage()->title() == QStringLiteral("New run"));
    CHECK(w.window.findChild<QAction*>(QStringLiteral("startRun"))->isEnabled());
    w.action("closeCurrent")->trigger();
    CHECK(w.tabs() == 1);
    CHECK(w.window.currentPage()->title() == QStringLiteral("Start"));
}

// 200 tabs took 1.6 GiB, and nothing said so.
TEST_CASE("many tabs that take much memory are noted, and the others can be closed")
{
    Window w;
    w.window.setMuchMemory(1);
    const auto notice
        = [&] { return w.window.findChild<QPushButton*>(QStringLiteral("noticeAction")); };
    while (w.tabs() < 8)
        w.action("newRun")->trigger();
    CHECK_FALSE(notice()->isVisible());
    w.action("newRun")->trigger();
    REQUIRE(notice()->isVisible());
    CHECK(notice()->text() == QStringLiteral("Close the others"));
    Page* const last = w.window.currentPage();
    notice()->click();
    CHECK(w.tabs() == 2);
    CHECK(w.window.currentPage() == last);
    while (w.tabs() < 12)
        w.action("newRun")->trigger();
    CHECK_FALSE(notice()->isVisible()); // until the memory has doubled
}

// The first F11 after a restart did nothing, and the window that left full screen was small.
TEST_CASE("a window that is restored in full screen leaves it with F11 and is maximised again")
{
    Window first;
    first.window.setWindowState(Qt::WindowMaximized);
    first.action("fullScreen")->trigger();
    REQUIRE(first.window.isFullScreen());
    first.window.close();
    MainWindow next(first.theme, first.settings);
    next.show();
    auto* full = next.findChild<QAction*>(QStringLiteral("fullScreen"));
    CHECK(full->isChecked());
    full->trigger();
    CHECK_FALSE(next.isFullScreen());
    CHECK(next.isMaximized());
    CHECK_FALSE(full->isChecked());
}

TEST_CASE("F10 opens the first menu, and Alt with its letter any")
{
    Window open;
    open.window.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&open.window, kNever));
    auto* bar = open.window.findChild<QMenuBar*>(QStringLiteral("menuBar"));
    QTest::keyClick(&open.window, Qt::Key_F10);
    REQUIRE(bar->activeAction() == bar->actions().constFirst());
    CHECK(bar->activeAction()->menu()->isVisible());
    bar->activeAction()->menu()->close();
    QTest::keyClick(&open.window, Qt::Key_V, Qt::AltModifier);
    REQUIRE(bar->activeAction() != nullptr);
    CHECK(bar->activeAction()->text() == QStringLiteral("&View"));
    CHECK(bar->activeAction()->menu()->isVisible());
}

TEST_CASE("the command palette finds an action by the beginnings of its words and runs it")
{
    Window w;
    w.action("commands")->trigger();
    auto* palette = w.window.findChild<CommandPalette*>();
    REQUIRE(palette->isVisible());
    auto* field = palette->findChild<QLineEdit*>(QStringLiteral("commandText"));
    QTest::keyClicks(field, QStringLiteral("dar"));
    REQUIRE(palette->findChild<QListWidget*>()->count() == 1);
    QTest::keyClick(field, Qt::Key_Return);
    CHECK_FALSE(palette->isVisible());
    CHECK(w.theme.theme().isDark());
    CHECK(w.settings.theme() == ThemeController::Choice::Dark);
}

// "bitpipe" found nothing.
TEST_CASE("the command palette finds schemes, and says if nothing matches")
{
    Window w;
    w.action("commands")->trigger();
    auto* palette = w.window.findChild<CommandPalette*>();
    auto* field = palette->findChild<QLineEdit*>(QStringLiteral("commandText"));
    QTest::keyClicks(field, QStringLiteral("bitpi"));
    REQUIRE(palette->findChild<QListWidget*>()->count() >= 1);
    QTest::keyClick(field, Qt::Key_Return);
    auto* page = qobject_cast<SetupPage*>(w.window.currentPage());
    REQUIRE(page != nullptr);
    CHECK(page->plan().experiment.schedule.scheme == "bitpipe");
    w.action("commands")->trigger();
    QTest::keyClicks(field, QStringLiteral("qqq"));
    auto* list = palette->findChild<QListWidget*>();
    REQUIRE(list->count() == 1);
    CHECK(list->item(0)->text().startsWith(QStringLiteral("Nothing found")));
    QTest::keyClick(field, Qt::Key_Return);
    CHECK(w.window.currentPage() == page);
}

// The list was lower than its rows by the border of the palette, so that two hits had a scroll bar.
TEST_CASE("the command palette is as high as its hits")
{
    Window w;
    w.action("commands")->trigger();
    auto* palette = w.window.findChild<CommandPalette*>();
    auto* field = palette->findChild<QLineEdit*>(QStringLiteral("commandText"));
    auto* list = palette->findChild<QListWidget*>();
    QTest::keyClicks(field, QStringLiteral("new"));
    REQUIRE(list->count() >= 1);
    REQUIRE(list->count() <= 12);
    CHECK(list->viewport()->height() >= list->count() * list->sizeHintForRow(0));
}

TEST_CASE("names that begin with the typed text come before names that contain it")
{
    CHECK(matchQuality(QStringLiteral("File New run"), QStringLiteral("new")) == 2);
    CHECK(matchQuality(QStringLiteral("File New run"), QStringLiteral("ew")) == 1);
    CHECK(matchQuality(QStringLiteral("File New run"), QStringLiteral("fi ru")) == 4);
    CHECK(matchQuality(QStringLiteral("File New run"), QStringLiteral("dark")) == -1);
    CHECK(matchQuality(QStringLiteral("Run Why not faster?"), QStringLiteral("slow")) == 2);
    CHECK(matchQuality(QStringLiteral("File New run"), QStringLiteral("slow")) == -1);
}

TEST_CASE("several files open side by side, one file twice is one tab")
{
    Window w;
    const auto files = sampleFiles(samples().front());
    REQUIRE(files.has_value());
    w.window.openFiles(*files);
    CHECK(w.tabs() == 2);
    w.window.open({"run", {files->front()}});
    w.window.open({"run", {files->front()}});
    CHECK(w.tabs() == 3);
}

// --page why did nothing beside two runs, and --page study nothing beside one.
TEST_CASE("a page of the command line opens beside any number of runs")
{
    Window w;
    CommandLine line;
    line.files = sampleFiles(samples().front()).value();
    w.window.openFiles(line.files);
    line.page = QStringLiteral("why");
    openPage(w.window, line);
    const auto isWhyShown = [&] {
        const auto* why = w.window.findChild<QWidget*>(QStringLiteral("whyPanel"));
        return why != nullptr && why->isVisible();
    };
    CHECK(waitFor(isWhyShown));
    line.page = QStringLiteral("study");
    openPage(w.window, line);
    CHECK(w.window.currentPage()->objectName() == QStringLiteral("studyPage"));
}

// A page of tables without a run in them, and the reason twice, was what one saw.
TEST_CASE("a file that is not a run shows one reason and one action, also among valid runs")
{
    Window w;
    QFile file(w.folder.filePath(QStringLiteral("notes.sqlite")));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("hello");
    file.close();
    w.window.open({"run", {file.fileName()}});
    Page* page = w.window.currentPage();
    auto* failed = page->findChild<QWidget*>(QStringLiteral("failed"));
    REQUIRE(waitFor([&] { return failed->isVisible(); }));
    CHECK_FALSE(page->findChild<QWidget*>(QStringLiteral("stateBand"))->isVisible());
    CHECK_FALSE(page->findChild<QWidget*>(QStringLiteral("detailsDock"))->isVisible());

    const auto files = sampleFiles(samples().at(1));
    REQUIRE(files.has_value());
    w.window.open({"compare", *files + QStringList(file.fileName())});
    auto* refused = w.window.currentPage()->findChild<Band*>(QStringLiteral("refusedBand"));
    REQUIRE(waitFor([&] { return refused->isVisible(); }));
    CHECK(refused->text().contains(QStringLiteral("notes.sqlite")));
}

TEST_CASE("files are opened by dropping them, and text that is dropped is not taken")
{
    Window w;
    const auto files = sampleFiles(samples().front());
    REQUIRE(files.has_value());
    const auto drop = [&](const QMimeData& data) {
        QDragEnterEvent enter({400, 300}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        enter.ignore();
        QCoreApplication::sendEvent(&w.window, &enter);
        if (enter.isAccepted()) {
            QDropEvent event({400, 300}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(&w.window, &event);
        }
        return enter.isAccepted();
    };
    QMimeData text;
    text.setText(QStringLiteral("no file"));
    CHECK_FALSE(drop(text));
    CHECK(w.tabs() == 1);
    QMimeData one, two;
    one.setUrls({QUrl::fromLocalFile(files->front())});
    two.setUrls({QUrl::fromLocalFile(files->front()), QUrl::fromLocalFile(files->back())});
    CHECK(drop(one));
    CHECK(w.window.currentPage()->file() == files->front());
    CHECK(drop(two)); // side by side
    CHECK(w.tabs() == 3);
    CHECK(waitFor(
        [&] { return w.window.currentPage()->title() == QStringLiteral("Compare 2 runs"); }));
}

TEST_CASE(
    "recorded samples are found in the source tree of a build or in the installed data folder")
{
    QTemporaryDir tree;
    const QDir root(tree.path());
    root.mkpath(QStringLiteral("build/dev/bin"));
    root.mkpath(QStringLiteral("bin"));
    const auto found = [&](const char* program) {
        return recordedSampleFolder(root.filePath(QString::fromLatin1(program)));
    };
    CHECK(found("build/dev/bin").isEmpty());
    root.mkpath(QStringLiteral("sample_runs"));
    root.mkpath(QStringLiteral("share/bubblescope/sample_runs"));
    CHECK(found("build/dev/bin") == root.filePath(QStringLiteral("sample_runs")));
    CHECK(found("bin") == root.filePath(QStringLiteral("share/bubblescope/sample_runs")));
}

// Its metrics were computed on the GUI thread, which took seconds for a large run.
TEST_CASE("an opened run is remembered after its metrics are computed in the thread pool")
{
    Window w;
    bool isRemembered = true; // when it has just been read
    QObject::connect(&w.window.library(), &RunLibrary::runRead, &w.window,
                     [&] { isRemembered = !w.settings.recentRuns().empty(); });
    const auto files = sampleFiles(samples().at(1));
    REQUIRE(files.has_value());
    w.window.open({"run", {files->front()}});
    REQUIRE(waitFor([&] { return !w.settings.recentRuns().empty(); }));
    CHECK(w.settings.recentRuns().front().title == QStringLiteral("ZB-V"));
    CHECK_FALSE(isRemembered);
}

TEST_CASE("the list of keys contains the table and every action that has a key")
{
    QAction action(QStringLiteral("&New run"), nullptr);
    action.setShortcut(QKeySequence(QStringLiteral("Ctrl+N")));
    const QList<KeyLine> lines = keyLines({&action});
    CHECK(lines.front().keys == QStringList(QStringLiteral("wheel")));
    CHECK(lines.back().keys == QStringList({QStringLiteral("Ctrl"), QStringLiteral("N")}));
    CHECK(lines.back().text == QStringLiteral("new run"));
}

// Every comparison replaced the runs of the one before.
TEST_CASE("comparing other runs opens another tab, comparing the same runs shows theirs")
{
    Window w;
    QStringList files;
    for (const Sample& sample : samples())
        files += sampleFiles(sample).value_or(QStringList());
    REQUIRE(files.size() >= 2);
    w.window.open({"compare", files.mid(0, 2)});
    const int tabs = w.tabs();
    w.window.open({"compare", files.mid(0, 1)});
    CHECK(w.tabs() == tabs + 1);
    CHECK(waitFor(
        [&] { return w.window.currentPage()->title() == QStringLiteral("Compare 1 run"); }));
    w.window.open({"compare", files.mid(0, 2)});
    CHECK(w.tabs() == tabs + 1);
    CHECK(waitFor(
        [&] { return w.window.currentPage()->title() == QStringLiteral("Compare 2 runs"); }));
}

// They were missing on the start page and in the list of all runs.
TEST_CASE("runs that are only compared are recent runs, too")
{
    Window w;
    QStringList files;
    for (const Sample& sample : samples())
        files += sampleFiles(sample).value_or(QStringList());
    REQUIRE(files.size() >= 2);
    w.window.open({"compare", files.mid(0, 2)});
    CHECK(waitFor([&] { return w.settings.recentRuns().size() == 2; }));
}

// The last fact was cut in its middle.
TEST_CASE("a status bar that is too narrow leaves out whole facts, which the tooltip has")
{
    Window w;
    w.window.show();
    w.window.open({"run", sampleFiles(samples().front()).value()});
    const auto texts = [&] { return w.window.currentPage()->statusTexts(); };
    REQUIRE(waitFor([&] { return texts().size() > 3; }));
    const auto* facts = w.window.findChild<QLabel*>(QStringLiteral("statusFacts"));
    w.window.resize(2400, 1000);
    CHECK(waitFor([&] { return facts->text().endsWith(texts().back()); }));
    w.window.resize(960, 640);
    CHECK(waitFor([&] { return !facts->text().contains(texts().back()); }));
    CHECK(facts->sizeHint().width() <= facts->width());
    CHECK(facts->toolTip().endsWith(texts().back()));
}

TEST_CASE("a new tab is shown once, with its facts in the status bar and their tooltip")
{
    Window w;
    QSignalSpy shown(&w.window.tabs(), &PageTabs::currentChanged);
    w.window.open({"setup"});
    CHECK(shown.count() == 1);
    const auto* facts = w.window.findChild<QLabel*>(QStringLiteral("statusFacts"));
    const QStringList texts = w.window.currentPage()->statusTexts();
    REQUIRE(texts.size() > 1);
    CHECK(facts->text().startsWith(texts.front()));
    CHECK(facts->text().endsWith(texts.back()));
    CHECK(facts->toolTip() == texts.join(QStringLiteral("<br>")));
}

// The page went on to show the error of the first time.
TEST_CASE("a schedule file that was refused is read again when it is opened again")
{
    Window w;
    const QString file = w.folder.filePath(QStringLiteral("schedule.csv"));
    const auto write = [&](const std::string& text) {
        QFile out(file);
        REQUIRE(out.open(QIODevice::WriteOnly));
        out.write(text.c_str());
    };
    write("no schedule");
    w.window.open({"editor", {file}});
    const int tabs = w.tabs();
    const auto* page = dynamic_cast<EditorPage*>(w.window.currentPage());
    REQUIRE(page != nullptr);
    CHECK(page->schedule() == nullptr);
    Q_EMIT w.theme.unitsChanged(); // checked the missing schedule
    engine::ScheduleRequest request;
    request.scheme = "gpipe";
    request.devices = request.microBatches = 2;
    write(engine::writeCsv(*engine::buildSchedule(request)));
    w.window.open({"editor", {file}});
    CHECK(w.tabs() == tabs);
    CHECK(w.window.currentPage() == page);
    CHECK(page->schedule() != nullptr);
}

// The second page edited the same file, so one of them overwrote the edits of the other.
TEST_CASE("a schedule file that is opened by a relative and an absolute path is one tab")
{
    Window w;
    const QString file = w.folder.filePath(QStringLiteral("schedule.csv")),
                  before = QDir::currentPath();
    engine::ScheduleRequest request;
    request.scheme = "gpipe";
    request.devices = request.microBatches = 2;
    QFile out(file);
    REQUIRE(out.open(QIODevice::WriteOnly));
    out.write(QByteArray::fromStdString(engine::writeCsv(*engine::buildSchedule(request))));
    out.close();
    REQUIRE(QDir::setCurrent(w.folder.path()));
    w.window.openFiles({QStringLiteral("schedule.csv")});
    REQUIRE(QDir::setCurrent(before));
    const int tabs = w.tabs();
    w.window.openFiles({file});
    CHECK(w.tabs() == tabs);
    const auto* page = dynamic_cast<EditorPage*>(w.window.currentPage());
    REQUIRE(page != nullptr);
    CHECK(page->file() == file);
}

// They were lost if the window was closed before the question was answered.
TEST_CASE("queued runs of the last session stay stored until they are started or discarded")
{
    constexpr std::int64_t kEnded = std::numeric_limits<int>::max(); // no process has this id
    const QueueOptions left{"--scheme\n1f1b", "--scheme\ngpipe"};
    const auto ledger = [] { return profiler::Ledger::open(ledgerFile().toStdString()).value(); };
    for (const bool isAnswered : {false, true}) {
        REQUIRE(ledger().setQueue(kEnded, left));
        {
            Window w;
            const auto* band = w.window.findChild<Band*>(QStringLiteral("queueBand"));
            REQUIRE(waitFor([&] { return band->isVisible(); }));
            if (isAnswered)
                band->findChild<QPushButton*>(QStringLiteral("discardQueue"))->click();
        } // has written its queue
        CHECK(takeStoredQueues() == (isAnswered ? QueueOptions{} : left));
    }
}

// The runs of a comparison were killed without a question. The first queued run started when the
// running one was stopped, and was lost.
TEST_CASE("closing the window asks about a run that only a comparison shows and keeps its queue")
{
    const FakeWorker worker(QByteArray("echo '{\"event\":\"started\",\"iterations\":1}'\n")
                            + FakeWorker::kForEver);
    const QString devices = QStringLiteral("--devices"); // other ones do not take turns
    {
        Window w;
        RunLibrary& library = w.window.library();
        library.setWorkerProgram(worker.path());
        w.window.startRuns({{devices, QStringLiteral("2")},
                            {devices, QStringLiteral("4")},
                            {devices, QStringLiteral("8")}});
        const auto first = library.runs().at(0);
        clickInDialog("keepRunning");
        CHECK_FALSE(w.window.close());
        CHECK(first->isRunning());
        clickInDialog("stopAndClose");
        CHECK(w.window.close());
        settle(); // delivers the queued call of startNext()
        CHECK_FALSE(library.isAnyRunning());
        CHECK(library.queuedOptions().size() == 2);
    }
    CHECK(takeStoredQueues() == QueueOptions{"--devices\n4", "--devices\n8"});
}

} // namespace app
