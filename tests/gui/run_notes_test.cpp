#include "app/run/run_panels.h"
#include "app/ui/controls.h"
#include "profiler/store/notes.h"
#include "tests/gui/opened_run.h"

#include <QAction>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QTabBar>
#include <QToolButton>

#include <algorithm>

using namespace app;

namespace {

constexpr int kSubject = 1, kText = 5; // columns of the table

struct Noted : OpenedRun
{
    Noted()
        : OpenedRun(simulatedRun({"1f1b", 4, 8, 2}))
    {
        REQUIRE(waitFor([&] { return isRead() && summaryRows() == 5; }));
        timeline = find<TimelineWidget>("timeline");
        table = find<DataTable>("notesTable");
        timeline->setFocus();
    }
    void press(int key, Qt::KeyboardModifiers modifiers = {}) const
    {
        QTest::keyClick(timeline, static_cast<Qt::Key>(key), modifiers);
    }
    // An op of the last iteration; the keyboard selects the first one.
    void selectOp() const
    {
        press(Qt::Key_Escape);
        press(Qt::Key_Period);
        REQUIRE(timeline->selection().kind == Selection::Kind::Op);
    }
    void write(const char* words) const
    {
        press(Qt::Key_N);
        auto* field = find<QLineEdit>("noteField");
        REQUIRE(field->isVisible());
        QTest::keyClicks(field, QString::fromLatin1(words));
        QTest::keyClick(field, Qt::Key_Return);
    }
    std::vector<engine::Note> stored() const
    {
        const auto notes = profiler::readNotes(document->file().toStdString());
        REQUIRE(notes);
        return *notes;
    }
    bool waitForStored(std::size_t count) const
    {
        return waitFor([&] { // a file that is being written may be locked
            const auto notes = profiler::readNotes(document->file().toStdString());
            return notes && notes->size() == count;
        });
    }
    QString cell(int row, int column) const
    {
        return table->model()->index(row, column).data().toString();
    }

    TimelineWidget* timeline = nullptr;
    DataTable* table = nullptr;
};

} // namespace

TEST_CASE("N writes a sentence to the selected op, it is stored, listed and found again")
{
    Noted run;
    run.selectOp();
    const Selection op = run.timeline->selection();
    run.write("comes late");
    CHECK_FALSE(run.find<QWidget>("noteBar")->isVisible());
    CHECK(run.timeline->hasFocus());
    REQUIRE(run.waitForStored(1));
    const engine::Note note = run.stored().front();
    CHECK(note.text == "comes late");
    CHECK(note.op == op.op);
    CHECK(note.iteration == op.iteration);
    CHECK(note.window == op.window);
    CHECK(run.cell(0, kSubject) == QStringLiteral("0F0 on device 0"));
    CHECK(run.cell(0, kText) == QStringLiteral("comes late"));
    CHECK(run.timeline->currentNote() == 0);

    run.press(Qt::Key_Escape);
    run.press(Qt::Key_PageUp); // another iteration
    CHECK(run.timeline->currentNote() == -1);
    run.press(Qt::Key_1);
    CHECK(run.timeline->selection() == op);
    CHECK(run.timeline->iteration() == op.iteration); // brought into view

    const std::unique_ptr<Page> made(makeRunPage(run.theme, run.library, run.document));
    Page& again = *made;
    again.show();
    CHECK(waitFor([&] {
        return again.findChild<DataTable*>(QStringLiteral("notesTable"))->model()->rowCount() == 1;
    }));
}

TEST_CASE("a note is edited in the table and deleted, and every step is undone and redone")
{
    Noted run;
    run.selectOp();
    run.write("first");
    REQUIRE(run.waitForStored(1));
    run.find<QTabBar>("panelTabs")->setCurrentIndex(static_cast<int>(RunPanels::Panel::Notes));
    const QModelIndex words = run.table->model()->index(0, kText);
    CHECK(run.table->model()->setData(words, QStringLiteral("  second\nthought ")));
    REQUIRE(waitFor([&] { return run.stored().front().text == "second thought"; }));
    run.table->selectRow(0);
    QTest::keyClick(run.table, Qt::Key_Delete);
    REQUIRE(run.waitForStored(0));
    CHECK(run.find<QWidget>("notesEmpty")->isVisible());
    QAction* undo = run.find<QAction>("undoNote");
    QAction* redo = run.find<QAction>("redoNote");
    undo->trigger();
    REQUIRE(run.waitForStored(1));
    undo->trigger();
    REQUIRE(waitFor([&] { return run.stored().front().text == "first"; }));
    undo->trigger();
    REQUIRE(run.waitForStored(0));
    CHECK_FALSE(undo->isEnabled());
    redo->trigger();
    REQUIRE(run.waitForStored(1));
    CHECK(run.cell(0, kText) == QStringLiteral("first"));
}

TEST_CASE("M bookmarks a range, a flag in the strip leads to it, and lanes make room for the strip")
{
    Noted run;
    const QPoint begin(300, 300), end(500, 300);
    QTest::mousePress(run.timeline, Qt::LeftButton, {}, begin);
    QTest::mouseMove(run.timeline, (begin + end) / 2);
    QTest::mouseMove(run.timeline, end);
    QTest::mouseRelease(run.timeline, Qt::LeftButton, {}, end);
    const Selection range = run.timeline->selection();
    REQUIRE(range.kind == Selection::Kind::Range);
    run.press(Qt::Key_M);
    REQUIRE(run.waitForStored(1));
    CHECK(run.stored().front().text.empty());
    CHECK_FALSE(run.stored().front().op);
    CHECK(run.cell(0, kText) == QStringLiteral("bookmark"));
    CHECK(run.cell(0, kSubject) == QStringLiteral("all devices"));
    run.press(Qt::Key_Escape);
    QTest::mouseClick(run.timeline, Qt::LeftButton, {}, QPoint(300, 48 + 26 + 8));
    CHECK(run.timeline->selection() == range);
}

TEST_CASE("a bookmark does not move the note that is being written to another op")
{
    Noted run;
    run.selectOp();
    const Selection first = run.timeline->selection();
    run.press(Qt::Key_N);
    run.timeline->setFocus();
    run.press(Qt::Key_Period);
    const Selection second = run.timeline->selection();
    REQUIRE(second.op != first.op);
    run.press(Qt::Key_M);
    REQUIRE(run.waitForStored(1));
    CHECK(run.stored().front().op == second.op);
    auto* field = run.find<QLineEdit>("noteField");
    QTest::keyClicks(field, QStringLiteral("late"));
    QTest::keyClick(field, Qt::Key_Return);
    REQUIRE(run.waitForStored(2));
    const auto notes = run.stored();
    const auto note
        = std::ranges::find(notes, std::string("late"), [](const auto& one) { return one.text; });
    REQUIRE(note != notes.end());
    CHECK(note->op == first.op);
}

TEST_CASE("N without a selection explains what to select")
{
    Noted run;
    run.press(Qt::Key_Escape);
    run.press(Qt::Key_N);
    CHECK_FALSE(run.find<QWidget>("noteBar")->isVisible());
    CHECK(run.find<QWidget>("noteBand")->isVisible());
    run.click("dismissNoteBand");
    run.press(Qt::Key_M);
    CHECK(run.find<QWidget>("noteBand")->isVisible());
    CHECK(run.stored().empty());
    run.click("dismissNoteBand");
    run.find<QTabBar>("panelTabs")->setCurrentIndex(static_cast<int>(RunPanels::Panel::Notes));
    QTest::mouseClick(run.find<QWidget>("notesEmpty")->findChild<QAbstractButton*>(),
                      Qt::LeftButton);
    CHECK(run.find<QWidget>("noteBand")->isVisible());
    CHECK(run.find<Band>("noteBand")->text().contains(QStringLiteral("Select an op")));
}

// The test runs as root, too, who may write everything: the file is gone instead.
TEST_CASE("a note that cannot be written is reverted, reported and offered for a copy")
{
    Noted run;
    const QString file = run.document->file(), away = file + QStringLiteral(".away");
    REQUIRE(QFile::rename(file, away));
    run.selectOp();
    run.write("lost?");
    auto* band = run.find<Band>("noteBand");
    REQUIRE(waitFor([&] { return band->isVisible(); }));
    CHECK(band->text().contains(QStringLiteral("The note was not saved.")));
    REQUIRE(waitFor([&] { return run.table->model()->rowCount() == 0; }));
    CHECK_FALSE(run.find<QAction>("undoNote")->isEnabled());

    REQUIRE(QFile::rename(away, file));
    QStringList opened;
    QObject::connect(run.page.get(), &Page::pageRequested,
                     [&](const PageRequest& asked) { opened += asked.files; });
    run.click("copyForNote");
    auto* dialog = run.find<QFileDialog>("copyDialog");
    const QString copy = run.folder.file("copy.sqlite");
    Q_EMIT dialog->fileSelected(copy);
    REQUIRE(waitFor([&] { return opened == QStringList(copy); }));
    const auto notes = profiler::readNotes(copy.toStdString());
    REQUIRE(notes);
    REQUIRE(notes->size() == 1);
    CHECK(notes->front().text == "lost?");
    CHECK(run.stored().empty());
    QFile::remove(copy);
}

TEST_CASE("notes that another window adds or deletes are updated")
{
    Noted run;
    const std::string file = run.document->file().toStdString();
    engine::Note other;
    other.id = 7;
    other.window = {0, 10};
    other.text = "from the other window";
    REQUIRE(profiler::putNote(file, other));
    REQUIRE(waitFor([&] { return run.table->model()->rowCount() == 1; }));
    CHECK(run.cell(0, kText) == QStringLiteral("from the other window"));
    REQUIRE(profiler::removeNote(file, 7));
    CHECK(waitFor([&] { return run.table->model()->rowCount() == 0; }));
}

TEST_CASE("a note is never written to a run that replaced the file")
{
    Noted run;
    run.selectOp();
    const std::string file = run.document->file().toStdString();
    engine::Run later = simulatedRun({"gpipe", 4, 8, 2});
    later.info.command = "bscope simulate --scheme gpipe";
    REQUIRE(profiler::writeRun(file, later, engine::IfExists::Replace));
    run.write("meant for the first run");
    CHECK(waitFor([&] { return run.find<Band>("noteBand")->isVisible(); }));
    CHECK(waitFor([&] { return run.table->model()->rowCount() == 0; }));
    CHECK(run.stored().empty());
}
