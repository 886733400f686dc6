#include "app/ledger/ledger_page.h"
#include "app/ledger/run_ledger.h"
#include "app/ui/controls.h"
#include "app/window/main_window.h"
#include "engine/base/version.h"
#include "profiler/store/trace_store.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"
#include "tests/gui/exporting.h"

#include <QAction>
#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeWidget>

#include <algorithm>

namespace app {
namespace {

// While it exists, an empty folder for data. It must exist before a window, which opens the ledger
// on another thread.
struct DataFolder
{
    DataFolder() { REQUIRE((folder.isValid() && isSet)); }
    ~DataFolder() { qputenv("XDG_DATA_HOME", before); }

    QByteArray before = qgetenv("XDG_DATA_HOME");
    QTemporaryDir folder;
    bool isSet = qputenv("XDG_DATA_HOME", folder.path().toUtf8());
};

// A window on its own data folder with recorded runs.
struct LedgerWindow
{
    LedgerWindow()
    {
        for (const int microBatches : {4, 8, 16})
            write({"1f1b", 4, microBatches, 3, true});
        write({"bitpipe", 4, 8, 3, true});
    }

    void write(const SimulatedRun& wanted)
    {
        engine::Run run = simulatedRun(wanted);
        run.info.program = engine::buildId();
        QDir().mkpath(runsFolder());
        const QString file = QStringLiteral("%1/%2-%3.sqlite")
                                 .arg(runsFolder(), QString::fromLatin1(wanted.scheme))
                                 .arg(wanted.microBatches);
        REQUIRE(profiler::writeRun(file.toStdString(), run));
    }
    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* found = page->findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }
    void open()
    {
        window.resize(1600, 1000);
        window.show();
        window.open({"runs"});
        page = window.currentPage();
        REQUIRE(page->objectName() == QStringLiteral("ledgerPage"));
        table = find<LedgerTable>("ledgerTable");
        REQUIRE(waitFor([&] { return rows() == 4 && window.ledger().unread() == 0; }));
    }
    int rows() const { return static_cast<int>(table->model().runs().size()); }
    void click(const std::function<bool(const LedgerLine&)>& isIt,
               Qt::KeyboardModifiers keys = {}) const // on the first line
    {
        for (int row = 0; row < table->model().rowCount(); ++row)
            if (isIt(table->model().at(row)))
                return QTest::mouseClick(
                    table->viewport(), Qt::LeftButton, keys,
                    table->visualRect(table->model().index(row, LedgerModel::State)).center());
    }
    void select(const QString& part) const
    {
        click([&](const LedgerLine& line) { return line.run.file.contains(part); });
    }

    DataFolder data;
    QTemporaryDir settingsFolder;
    Settings settings{settingsFolder.filePath(QStringLiteral("settings.ini"))};
    ThemeController theme;
    MainWindow window{theme, settings};
    Page* page = nullptr;
    LedgerTable* table = nullptr;
};

} // namespace

TEST_CASE("all recorded runs are listed, and words and parameters filter them")
{
    LedgerWindow ledger;
    ledger.open();
    auto* filter = ledger.find<QLineEdit>("ledgerFilter");
    QTest::keyClicks(filter, QStringLiteral("1f1b"));
    CHECK(ledger.rows() == 3);
    QTest::keyClicks(filter, QStringLiteral(" N:16"));
    CHECK(ledger.rows() == 1);
    QTest::keyClicks(filter, QStringLiteral(" chimera"));
    CHECK(ledger.rows() == 0);
    CHECK_FALSE(ledger.table->isVisible()); // the empty state says so
    // It offered only "New run".
    auto* empty = ledger.find<EmptyState>("ledgerEmpty");
    CHECK(empty->button()->text() == QStringLiteral("Clear the search"));
    QTest::mouseClick(empty->button(), Qt::LeftButton);
    CHECK(filter->text().isEmpty());
    CHECK(ledger.rows() == 4);
}

TEST_CASE("a finished word with a key is a chip, and a saved search is a group")
{
    LedgerWindow ledger;
    ledger.open();
    auto* words = ledger.find<QLineEdit>("ledgerFilter");
    QTest::keyClicks(words, QStringLiteral("scheme:1f1b "));
    CHECK(words->text().isEmpty());
    auto* chip = ledger.find<QPushButton>("searchChip");
    CHECK(chip->text() == QStringLiteral("scheme: 1f1b"));
    CHECK(ledger.rows() == 3);

    QTest::mouseClick(chip, Qt::LeftButton);
    auto* values = ledger.find<QMenu>("chipValues");
    REQUIRE(values->actions().size() == 2);
    CHECK(values->actions()[0]->text() == QStringLiteral("1f1b\t3"));
    values->actions()[1]->trigger();
    CHECK(ledger.rows() == 4);
    values->close();

    auto* save = ledger.find<QPushButton>("saveSearch");
    QTest::mouseClick(save, Qt::LeftButton);
    CHECK_FALSE(save->isEnabled());
    QTest::keyClick(words, Qt::Key_Backspace);
    QTest::keyClicks(words, QStringLiteral("N:16"));
    CHECK(ledger.rows() == 1);
    words->clear();
    auto* groups = ledger.find<QTreeWidget>("ledgerFacets");
    auto* saved = groups->topLevelItem(groups->topLevelItemCount() - 1);
    CHECK(saved->text(0) == QStringLiteral("scheme:1f1b,bitpipe"));
    CHECK(saved->text(1) == QStringLiteral("4"));
}

// Each opened run listed all runs again, also while the page was hidden.
TEST_CASE("runs that are opened together are listed later, and not while the page is hidden")
{
    LedgerWindow ledger;
    ledger.open();
    settle();
    QStringList files;
    for (const LedgerRun& run : ledger.window.ledger().runs())
        files.append(run.file);
    const QSignalSpy listed(&ledger.table->model(), &QAbstractItemModel::modelReset);
    for (const QString& file : files)
        ledger.window.library().open(file);
    CHECK(listed.isEmpty());
    REQUIRE(waitFor([&] { return !listed.isEmpty(); }));
    CHECK(listed.size() < files.size()); // two at most: the files may just have been read

    ledger.window.open({"setup"});
    CHECK_FALSE(ledger.page->isVisible());
    ledger.write({"gpipe", 4, 8, 3, true});
    ledger.window.library().open(QStringLiteral("%1/gpipe-8.sqlite").arg(runsFolder()));
    ledger.window.ledger().refresh();
    REQUIRE(waitFor([&] { return ledger.window.ledger().runs().size() == 5; }));
    settle();
    CHECK(ledger.rows() == 4);
    ledger.window.open({"runs"});
    REQUIRE(waitFor([&] { return ledger.rows() == 5; }));
}

TEST_CASE("a name and tags that the user adds are there in the next window")
{
    LedgerWindow ledger;
    ledger.open();
    ledger.select(QStringLiteral("bitpipe-8"));
    auto* name = ledger.find<QLineEdit>("ledgerName");
    QTest::keyClick(ledger.table, Qt::Key_F2);
    CHECK(name->hasFocus());
    QTest::keyClicks(name, QStringLiteral("main run"));
    QTest::keyClick(name, Qt::Key_Return);
    auto* tags = ledger.find<QLineEdit>("ledgerTags");
    tags->setFocus();
    QTest::keyClicks(tags, QStringLiteral("paper, slow link"));
    QTest::keyClick(tags, Qt::Key_Return);
    REQUIRE(waitFor([&] {
        const LedgerRun* run = ledger.table->current();
        return run != nullptr && run->title() == QStringLiteral("main run")
            && run->tags.size() == 2;
    }));

    RunLedger next; // the tags are written in the background
    const auto findTagged = [&] {
        return std::ranges::find(next.runs(), 2,
                                 [](const LedgerRun& run) { return run.tags.size(); });
    };
    QSignalSpy listed(&next, &RunLedger::changed);
    next.refresh();
    REQUIRE(waitFor([&] {
        if (next.runs().size() == 4 && findTagged() != next.runs().end())
            return true;
        if (!listed.isEmpty()) { // each answer is waited for
            listed.clear();
            next.refresh();
        }
        return false;
    }));
    CHECK(findTagged()->name == QStringLiteral("main run"));
    CHECK(findTagged()->tags == QStringList{QStringLiteral("paper"), QStringLiteral("slow link")});
}

TEST_CASE("a note that is being typed is stored when the window closes")
{
    LedgerWindow ledger;
    ledger.open();
    ledger.select(QStringLiteral("bitpipe-8"));
    auto* note = ledger.find<QPlainTextEdit>("ledgerNote");
    note->setFocus();
    QTest::keyClicks(note, QStringLiteral("slow"));
    CHECK(ledger.window.findChild<PageTabs*>()->mayCloseAll());
    CHECK(note->hasFocus());
    CHECK(std::ranges::any_of(ledger.window.ledger().runs(), [](const LedgerRun& run) {
        return run.note == QStringLiteral("slow");
    }));
}

// Leaving the field stored the name that it still showed.
TEST_CASE("a name that another window changed replaces one that the user did not edit")
{
    LedgerWindow ledger;
    ledger.open();
    ledger.select(QStringLiteral("bitpipe-8"));
    LedgerRun run = *ledger.table->current();
    auto* name = ledger.find<QLineEdit>("ledgerName");
    name->setFocus();
    settle();
    REQUIRE(name->hasFocus());
    const auto change = [&](const char* now) { // by the other window
        const LedgerRun before = run;
        run.name = QString::fromLatin1(now);
        ledger.window.ledger().setUserData(before, run);
        settle();
    };
    change("second");
    CHECK(name->text() == run.name);
    QTest::keyClicks(name, QStringLiteral(" try"));
    change("third");
    CHECK(name->text() == QStringLiteral("second try"));
    QTest::keyClick(name, Qt::Key_Return);
    CHECK(waitFor([&] { return ledger.table->current()->name == QStringLiteral("second try"); }));
}

TEST_CASE("a run that is moved to the trash leaves its folder and comes back")
{
    LedgerWindow ledger;
    ledger.open();
    const QString file = runsFolder() + QStringLiteral("/bitpipe-8.sqlite");
    ledger.select(QStringLiteral("bitpipe-8"));
    QTest::keyClick(ledger.table, Qt::Key_Delete);
    REQUIRE(waitFor([&] { return ledger.rows() == 3; }));
    CHECK_FALSE(QFileInfo::exists(file));
    CHECK(QFileInfo::exists(trashFolder() + QStringLiteral("/bitpipe-8.sqlite")));
    auto* facets = ledger.find<QTreeWidget>("ledgerFacets");
    constexpr int kTrash = 5;
    facets->setCurrentItem(facets->topLevelItem(kTrash));
    REQUIRE(ledger.rows() == 1);
    ledger.select(QStringLiteral("bitpipe-8"));
    QTest::mouseClick(ledger.find<QPushButton>("restoreLedgerButton"), Qt::LeftButton);
    REQUIRE(waitFor([&] { return ledger.rows() == 0; }));
    CHECK(QFileInfo::exists(file));
}

// The button was named "Move to trash", and Enter confirmed.
TEST_CASE("runs in the trash are deleted only by a button of that name, and Enter keeps them")
{
    LedgerWindow ledger;
    ledger.open();
    const QString file = trashFolder() + QStringLiteral("/bitpipe-8.sqlite");
    const auto* button = ledger.find<QPushButton>("trashLedgerButton");
    ledger.select(QStringLiteral("bitpipe-8"));
    CHECK(button->text() == QStringLiteral("Move to trash"));
    QTest::keyClick(ledger.table, Qt::Key_Delete);
    REQUIRE(waitFor([&] { return ledger.rows() == 3; }));
    auto* facets = ledger.find<QTreeWidget>("ledgerFacets");
    constexpr int kTrash = 5;
    facets->setCurrentItem(facets->topLevelItem(kTrash));
    REQUIRE(ledger.rows() == 1);
    ledger.select(QStringLiteral("bitpipe-8"));
    CHECK(button->text() == QStringLiteral("Delete forever…"));
    whenAsked<QMessageBox>([](QMessageBox& box) { QTest::keyClick(&box, Qt::Key_Return); });
    ledger.find<QAction>("trashLedgerRuns")->trigger();
    settle();
    CHECK(QFileInfo::exists(file));
    press("deleteForever");
    ledger.find<QAction>("trashLedgerRuns")->trigger();
    CHECK(waitFor([&] { return ledger.rows() == 0 && !QFileInfo::exists(file); }));
}

TEST_CASE("an open run is closed and moved to the trash in one step, which can be undone")
{
    LedgerWindow ledger;
    ledger.open();
    const QString file = runsFolder() + QStringLiteral("/bitpipe-8.sqlite");
    ledger.window.library().open(file);
    ledger.select(QStringLiteral("bitpipe-8"));
    ledger.find<QAction>("trashLedgerRuns")->trigger();
    REQUIRE(waitFor([&] { return ledger.rows() == 3; }));
    CHECK(ledger.window.library().find(file) == nullptr);
    CHECK_FALSE(QFileInfo::exists(file));
    QTest::mouseClick(ledger.find<QPushButton>("undoTrash"), Qt::LeftButton);
    REQUIRE(waitFor([&] { return ledger.rows() == 4; }));
    CHECK(QFileInfo::exists(file));
}

// The file was moved although its page stayed.
TEST_CASE("the file of a run whose page the user keeps is not moved to the trash")
{
    LedgerWindow ledger;
    ledger.open();
    const QString file = runsFolder() + QStringLiteral("/bitpipe-8.sqlite");
    ledger.window.library().open(file);
    ledger.window.ledger().setClosing([](const QString&) { return false; });
    ledger.select(QStringLiteral("bitpipe-8"));
    ledger.find<QAction>("trashLedgerRuns")->trigger();
    settle();
    CHECK(ledger.rows() == 4);
    CHECK(QFileInfo::exists(file));
    CHECK_FALSE(ledger.find<QPushButton>("undoTrash")->isVisible());
}

// A click before the run was in the trash did nothing, and an error disappeared with the offer.
TEST_CASE("Undo is enabled when the run is in the trash, and an error replaces it for good")
{
    LedgerWindow ledger;
    ledger.open();
    ledger.select(QStringLiteral("bitpipe-8"));
    const auto* undo = ledger.find<QPushButton>("undoTrash");
    const auto* ends = ledger.find<QTimer>("undoEnds");
    ledger.find<QAction>("trashLedgerRuns")->trigger();
    CHECK((undo->isVisible() && !undo->isEnabled()));
    REQUIRE(waitFor([&] { return undo->isEnabled(); }));
    CHECK(ends->isActive());
    Q_EMIT ledger.window.ledger().failed(QStringLiteral("disk full"));
    CHECK_FALSE(ends->isActive());
    CHECK(ledger.find<Band>("ledgerBand")->isVisible());
}

// Each window counted its runs from 1.
TEST_CASE("a run has the number of the ledger in its tab, too")
{
    LedgerWindow ledger;
    ledger.open();
    ledger.select(QStringLiteral("bitpipe-8"));
    const LedgerRun run = *ledger.table->current();
    CHECK(run.number > 0);
    const auto document = ledger.window.library().open(run.file);
    REQUIRE(waitFor([&] { return document->run() != nullptr; }));
    CHECK(document->title().endsWith(QStringLiteral("#%1").arg(run.number)));
}

TEST_CASE("a click on the head of a group folds it")
{
    LedgerWindow ledger;
    ledger.open();
    CHECK_FALSE(ledger.table->isRowHidden(1));
    const auto isHead = [](const LedgerLine& line) { return line.isHead(); };
    ledger.click(isHead);
    CHECK(ledger.table->isRowHidden(1));
    CHECK_FALSE(ledger.table->isRowHidden(0));
    ledger.click(isHead);
    CHECK_FALSE(ledger.table->isRowHidden(1));
}

TEST_CASE("check boxes and Space select runs, and a click on the head of a group keeps them")
{
    LedgerWindow ledger;
    ledger.open();
    LedgerTable& table = *ledger.table;
    const auto check = [&](int row) {
        const QRect cell = table.visualRect(table.model().index(row, LedgerModel::State));
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, cell.topLeft() + QPoint(12, 12));
    };
    table.clearSelection();
    check(1);
    check(3);
    CHECK(table.selected().size() == 2);
    ledger.click([](const LedgerLine& line) { return line.isHead(); });
    CHECK(table.selected().size() == 2);
    ledger.click([](const LedgerLine& line) { return line.isHead(); });
    check(3);
    REQUIRE(table.selected().size() == 1);
    CHECK(table.selected().front().file == table.model().at(1).run.file);
    QTest::keyClick(&table, Qt::Key_Space); // on row 3
    CHECK(table.selected().size() == 2);
}

TEST_CASE("the details of two or three runs are a table of what differs")
{
    LedgerWindow ledger;
    ledger.open();
    std::vector<LedgerRun> runs;
    for (const LedgerRun& run : ledger.table->model().runs())
        if (run.size() == QStringLiteral("4 × 8"))
            runs.push_back(run);
    REQUIRE(runs.size() == 2);
    const Details two = describeLedgerRuns(runs);
    REQUIRE(two.sections.size() == 2);
    const DetailsTable& table = two.sections[0].table;
    CHECK(table.columns.size() == 2);
    CHECK(table.columns[0] == QStringLiteral("#%1").arg(runs[0].number));
    QStringList names;
    for (const DetailsTable::Row& row : table.rows) {
        names.append(row.name);
        CHECK(row.cells.size() == 2);
        CHECK(row.cells[0] != row.cells[1]);
    }
    CHECK(names.contains(QStringLiteral("Bubble, %")));
    CHECK(names.contains(QStringLiteral("v")));
    CHECK_FALSE(names.contains(QStringLiteral("N"))); // is equal
    const Details four = describeLedgerRuns(ledger.table->model().runs());
    CHECK(four.sections[0].table.rows.empty());
    const auto bubble
        = std::ranges::find(four.sections[0].rows, QStringLiteral("Bubble, %"), &DetailsRow::name);
    REQUIRE(bubble != four.sections[0].rows.end());
    CHECK(bubble->value.contains(QStringLiteral(" to ")));
}

TEST_CASE("a tag is added to all selected runs at once")
{
    LedgerWindow ledger;
    ledger.open();
    ledger.table->selectAll();
    settle();
    ledger.find<QAction>("tagLedgerRun")->trigger();
    auto* tag = ledger.find<QLineEdit>("newTag");
    QTest::keyClicks(tag, QStringLiteral("paper"));
    QTest::keyClick(tag, Qt::Key_Return);
    CHECK(std::ranges::all_of(ledger.window.ledger().runs(), [](const LedgerRun& run) {
        return run.tags == QStringList{QStringLiteral("paper")};
    }));
}

TEST_CASE("selected runs are compared")
{
    LedgerWindow ledger;
    ledger.open();
    QStringList compared;
    QObject::connect(ledger.page, &Page::pageRequested,
                     [&](const PageRequest& asked) { compared = asked.files; });
    CHECK_FALSE(ledger.find<QPushButton>("compareLedgerButton")->isEnabled());
    ledger.table->selectAll();
    settle();
    CHECK(ledger.find<QLabel>("ledgerSelected")->text() == QStringLiteral("4 runs selected"));
    CHECK(
        ledger.find<QLabel>("ledgerDifference")->text().startsWith(QStringLiteral("differ in N")));
    ledger.find<QAction>("compareLedgerRuns")->trigger();
    CHECK(compared.size() == 4);
}

TEST_CASE("the selected runs are copied with all settings, or all runs if one is selected")
{
    LedgerWindow ledger;
    ledger.open();
    const auto lines = [&] {
        ledger.find<QAction>("copyLedger")->trigger();
        return QGuiApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    };
    ledger.select(QStringLiteral("1f1b-4"));
    CHECK(lines().size() == 1 + 4);
    CHECK(lines().front().contains(QStringLiteral(",D,N,"))); // D is equal and has no column
    QTest::keyClick(ledger.table, Qt::Key_A, Qt::ControlModifier);
    ledger.click([](const LedgerLine& line) { return !line.isHead(); }, Qt::ControlModifier);
    CHECK(lines().size() == 1 + 3);
}

TEST_CASE("a narrow list scrolls sideways, and hides no column")
{
    LedgerWindow ledger;
    ledger.open();
    ledger.window.resize(960, 640);
    settle();
    CHECK(ledger.table->horizontalHeader()->hiddenSectionCount() == 0);
    ledger.table->resize(400, ledger.table->height());
    CHECK(ledger.table->horizontalScrollBar()->maximum() > 0);
    CHECK(ledger.table->frozenColumns() == 3); // state, number and name
}

// With 300 runs selected, Open did not return for 30 s.
TEST_CASE("selected runs are opened one after another, at most ten")
{
    LedgerWindow ledger;
    ledger.open();
    ledger.table->selectAll();
    const auto before = ledger.window.tabs().pages().size();
    auto* open = ledger.find<QAction>("openLedgerRun");
    open->trigger();
    CHECK(ledger.window.tabs().pages().size() == before + 1);
    REQUIRE(waitFor([&] { return ledger.window.tabs().pages().size() == before + 4; }));

    for (const int microBatches : {5, 6, 7, 9, 10, 11, 12})
        ledger.write({"gpipe", 4, microBatches, 3, true});
    ledger.window.open({"runs"});
    ledger.window.ledger().refresh();
    REQUIRE(waitFor([&] { return ledger.rows() == 11; }));
    ledger.table->selectAll();
    settle();
    CHECK_FALSE(open->isEnabled());
    CHECK(ledger.find<QAction>("compareLedgerRuns")->isEnabled());
}

// The error was reported before the page existed, so the page only said "No run yet".
TEST_CASE("the page says that the list of runs cannot be read")
{
    const DataFolder data;
    QDir().mkpath(QFileInfo(ledgerFile()).path());
    QFile file(ledgerFile());
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("no database, but long enough to be read as one");
    file.close();
    Settings settings(data.folder.filePath(QStringLiteral("settings.ini")));
    ThemeController theme;
    MainWindow window(theme, settings);
    const QSignalSpy failed(&window.ledger(), &RunLedger::unreadable);
    window.show();
    REQUIRE(waitFor([&] { return !failed.isEmpty(); }));
    window.open({"runs"});
    auto* band = window.currentPage()->findChild<Band*>(QStringLiteral("ledgerBand"));
    CHECK(waitFor([&] { return band->isVisible(); }));
    // It was called "not changed", as after an edit.
    CHECK(band->text().startsWith(QStringLiteral("The list of runs cannot be read.")));
    CHECK(band->text().contains(QStringLiteral("move it away")));
}

TEST_CASE("runs that were queued when the program ended are offered by the next window")
{
    LedgerWindow ledger;
    {
        QDir().mkpath(QFileInfo(ledgerFile()).path());
        auto stored = profiler::Ledger::open(ledgerFile().toStdString()).value();
        constexpr std::int64_t kEnded = 999'999'999; // larger than any process number
        REQUIRE(stored.setQueue(kEnded, {"--scheme\n1f1b", "--scheme\ngpipe"}));
    }
    MainWindow next(ledger.theme, ledger.settings);
    next.show();
    auto* band = next.findChild<Band*>(QStringLiteral("queueBand"));
    REQUIRE(waitFor([&] { return band->isVisible(); }));
    CHECK(band->text().startsWith(QStringLiteral("2 queued runs not started.")));
    QTest::mouseClick(next.findChild<QPushButton*>(QStringLiteral("discardQueue")), Qt::LeftButton);
    CHECK_FALSE(band->isVisible());
    CHECK(next.library().queuedOptions().size() == 0);
}

} // namespace app
