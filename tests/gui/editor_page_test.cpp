#include "app/editor/editor_page.h"
#include "app/plan/schedule_preview.h"
#include "app/ui/controls.h"
#include "app/ui/form.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/notation.h"
#include "engine/schedules/scheme.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <memory>

namespace app {
namespace {

struct Editor
{
    explicit Editor(const char* scheme = "gpipe", int devices = 2, int microBatches = 2)
    {
        engine::ScheduleRequest request;
        request.scheme = scheme;
        request.devices = devices;
        request.microBatches = microBatches;
        page.resize(1400, 860);
        page.show();
        page.edit(*engine::buildSchedule(request), QStringLiteral("mine"));
        grid = page.findChild<QTableView*>(QStringLiteral("grid"));
        page.activateWindow(); // shortcuts are of the active window
        REQUIRE(QTest::qWaitForWindowActive(&page, kNever));
        grid->setFocus();
    }
    QString ops(int device) const
    {
        QStringList names;
        for (const engine::Op& op : page.schedule()->schedule().program[{device}])
            names.append(QString::fromStdString(engine::toString(op)));
        return names.join(QLatin1Char(' '));
    }
    QPoint middle(OpPlace place) const
    {
        return grid->visualRect(grid->model()->index(place.device, place.index)).center();
    }
    OpPlace selected() const { return {grid->currentIndex().row(), grid->currentIndex().column()}; }
    void click(OpPlace place)
    {
        QTest::mouseClick(grid->viewport(), Qt::LeftButton, {}, middle(place));
    }
    void drag(const QPoint& from, const QPoint& to)
    {
        QTest::mousePress(grid->viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(grid->viewport(), (from + to) / 2);
        QTest::mouseMove(grid->viewport(), to);
        QTest::mouseRelease(grid->viewport(), Qt::LeftButton, {}, to);
    }
    void key(Qt::Key key, Qt::KeyboardModifiers with = Qt::NoModifier)
    {
        QTest::keyClick(grid, key, with);
    }
    QString verdict() const { return page.findChild<Band*>()->text(); }
    QAction* action(const char* name) const
    {
        return page.findChild<QAction*>(QString::fromLatin1(name));
    }

    ThemeController theme;
    std::unique_ptr<EditorPage> made{EditorPage::make(theme)};
    EditorPage& page = *made;
    QTableView* grid = nullptr;
};

// Answers the question about changes with one of its buttons, once it is there and says `text`.
void answerUnsaved(const char* button, const char* text = "")
{
    QTimer::singleShot(0, qApp, [button, text] {
        QWidget* dialog = QApplication::activeModalWidget();
        REQUIRE(dialog != nullptr);
        const auto labels = dialog->findChildren<QLabel*>();
        CHECK(std::ranges::any_of(labels, [text](const QLabel* label) {
            return label->text().contains(QString::fromLatin1(text));
        }));
        auto* choice = dialog->findChild<QPushButton*>(QString::fromLatin1(button));
        REQUIRE(choice != nullptr);
        choice->click();
    });
}

} // namespace

TEST_CASE("an op is dragged to another place of its device, and times follow at once")
{
    Editor editor("1f1b");
    REQUIRE(editor.ops(0) == QStringLiteral("0F0 0F1 0B0 0B1"));
    const auto iteration
        = [&] { return editor.page.findChild<KeyNumbers*>()->items().front().value; };
    CHECK(iteration() == QStringLiteral("9"));
    editor.drag(editor.middle({0, 2}), editor.middle({0, 1}) - QPoint(12, 0));
    CHECK(editor.ops(0) == QStringLiteral("0F0 0B0 0F1 0B1"));
    CHECK(iteration() == QStringLiteral("12"));
    CHECK(editor.selected() == OpPlace{0, 1});
    CHECK(editor.page.isModified());
    editor.key(Qt::Key_Z, Qt::ControlModifier);
    CHECK(editor.ops(0) == QStringLiteral("0F0 0F1 0B0 0B1"));
    CHECK(iteration() == QStringLiteral("9"));
    CHECK_FALSE(editor.page.isModified());
    editor.key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    CHECK(iteration() == QStringLiteral("12"));
}

TEST_CASE("an op dropped on another device, or a drag given up, changes nothing")
{
    Editor editor;
    editor.drag(editor.middle({0, 2}), editor.middle({1, 0}));
    CHECK_FALSE(editor.page.isModified());
    QTest::mousePress(editor.grid->viewport(), Qt::LeftButton, {}, editor.middle({0, 2}));
    QTest::mouseMove(editor.grid->viewport(), editor.middle({0, 0}));
    editor.key(Qt::Key_Escape);
    QTest::mouseRelease(editor.grid->viewport(), Qt::LeftButton, {}, editor.middle({0, 0}));
    CHECK_FALSE(editor.page.isModified());
}

TEST_CASE("keys select, swap, delete and restore ops, and violations are listed and marked")
{
    Editor editor;
    editor.click({0, 0});
    editor.key(Qt::Key_Right);
    editor.key(Qt::Key_Right);
    CHECK(editor.selected() == OpPlace{0, 2});
    editor.key(Qt::Key_Left, Qt::ControlModifier); // 0F0 0B0 0F1 0B1: they wait for each other
    CHECK(editor.ops(0) == QStringLiteral("0F0 0B0 0F1 0B1"));
    // The band had the whole cycle, which the list has.
    CHECK(editor.verdict().contains(QStringLiteral("2 devices wait, 6 of 8 ops never run.")));
    CHECK(editor.page.check().messages.contains({0, 1}));
    CHECK_FALSE(editor.action("simulateSchedule")->isEnabled());
    CHECK(editor.page.findChild<QLabel*>(QStringLiteral("timesNote"))
              ->text()
              .contains(QStringLiteral("last valid")));
    editor.click({1, 3});
    editor.key(Qt::Key_F8);
    CHECK(editor.selected() == OpPlace{0, 1});
    editor.key(Qt::Key_Right, Qt::ControlModifier);
    CHECK(editor.verdict().startsWith(QStringLiteral("Valid.")));

    editor.click({1, 3});
    editor.key(Qt::Key_Delete);
    CHECK(editor.ops(1) == QStringLiteral("1F0 1F1 1B0"));
    CHECK_FALSE(editor.page.check().isValid());
    CHECK(editor.page.findChild<QListWidget*>(QStringLiteral("absentOps"))->count() == 1);
    editor.key(Qt::Key_Insert);
    CHECK(editor.ops(1) == QStringLiteral("1F0 1F1 1B0 1B1"));
    CHECK(editor.verdict().startsWith(QStringLiteral("Valid.")));
}

// Ins restored the op that the list has last: it is sorted by device.
TEST_CASE("Ins restores the op that was deleted last, or the selected one")
{
    Editor editor;
    auto* absent = editor.page.findChild<QListWidget*>(QStringLiteral("absentOps"));
    editor.click({1, 3});
    editor.key(Qt::Key_Delete); // 1B1
    editor.click({0, 1});
    editor.key(Qt::Key_Delete); // 0F1
    REQUIRE(absent->count() == 2);
    editor.key(Qt::Key_Insert);
    CHECK(editor.ops(0) == QStringLiteral("0F0 0F1 0B0 0B1"));
    CHECK(editor.ops(1) == QStringLiteral("1F0 1F1 1B0"));
    editor.key(Qt::Key_Z, Qt::ControlModifier); // the restoring
    editor.key(Qt::Key_Z, Qt::ControlModifier); // the deletion of 0F1
    editor.key(Qt::Key_Insert);
    CHECK(editor.ops(1) == QStringLiteral("1F0 1F1 1B0 1B1"));

    editor.click({0, 1});
    editor.key(Qt::Key_Delete);
    editor.click({1, 3});
    editor.key(Qt::Key_Delete);
    absent->setCurrentRow(0);
    editor.key(Qt::Key_Insert);
    CHECK(editor.ops(0) == QStringLiteral("0F0 0F1 0B0 0B1"));
    CHECK(editor.ops(1) == QStringLiteral("1F0 1F1 1B0"));
}

TEST_CASE("a click on a violation goes to its op")
{
    Editor editor;
    editor.click({0, 2});
    editor.key(Qt::Key_Left, Qt::ControlModifier);
    editor.click({1, 3});
    auto* list = editor.page.findChild<QListWidget*>(QStringLiteral("violations"));
    REQUIRE(list->count() == 3); // the deadlock, and who waits for whom
    list->setCurrentRow(0);
    CHECK(editor.selected() == OpPlace{0, 1});
    CHECK(list->item(2)->text()
          == QStringLiteral(
              "Why: 1F1 on device 1 waits for 0F1 on device 0, which comes after 0B0."));
    CHECK(list->item(0)->text().startsWith(QStringLiteral("No device can proceed: ")));
    CHECK(editor.verdict().startsWith(QStringLiteral("Deadlock.")));
    const auto labels = editor.page.findChildren<QLabel*>();
    CHECK(std::ranges::count(labels, QStringLiteral("1 violation"), &QLabel::text) == 1);
    list->setCurrentRow(2);
    CHECK(editor.selected() == OpPlace{1, 1});
    editor.click({0, 0});
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                      list->visualItemRect(list->item(2)).center());
    CHECK(editor.selected() == OpPlace{1, 1}); // the line was the current one already
}

TEST_CASE("revert leads back to the schedule as it was opened or saved, redo returns")
{
    Editor editor("1f1b");
    const QString opened = editor.ops(0);
    CHECK_FALSE(editor.action("revertSchedule")->isEnabled());
    editor.click({0, 1});
    editor.key(Qt::Key_Right, Qt::ControlModifier);
    const QString swapped = editor.ops(0);
    editor.click({0, 3});
    editor.key(Qt::Key_Delete);
    editor.action("revertSchedule")->trigger();
    CHECK(editor.ops(0) == opened);
    CHECK_FALSE(editor.page.isModified());
    editor.key(Qt::Key_Y, Qt::ControlModifier);
    CHECK(editor.ops(0) == swapped);
    QTemporaryDir folder;
    REQUIRE(editor.page.saveTo(folder.filePath(QStringLiteral("x.csv"))));
    editor.click({0, 0});
    editor.key(Qt::Key_Delete);
    editor.action("revertSchedule")->trigger();
    CHECK(editor.ops(0) == swapped);
}

TEST_CASE("times are those of the costs that the set-up had, and Costs changes them")
{
    engine::ScheduleRequest request;
    request.scheme = "1f1b";
    request.devices = 2;
    request.microBatches = 2;
    PredictionRequest costs;
    costs.costs.p2p = {1, 2};
    ThemeController theme;
    const std::unique_ptr<EditorPage> made(EditorPage::make(theme));
    EditorPage& page = *made;
    page.resize(1400, 860);
    page.show();
    page.edit(*engine::buildSchedule(request), QStringLiteral("mine"), costs);
    auto* numbers = page.findChild<KeyNumbers*>();
    const QString with = numbers->items().front().value;
    CHECK(with == QStringLiteral("10"));
    CHECK(page.findChild<QLabel*>(QStringLiteral("timesNote"))
              ->text()
              .contains(QStringLiteral("P2P 0.5")));
    page.findChild<QAction*>(QStringLiteral("editorCosts"))->trigger();
    auto* field = page.findChild<QSpinBox*>(QStringLiteral("costP2p"));
    REQUIRE(field != nullptr);
    CHECK(field->value() == 50);
    field->setValue(0);
    CHECK(numbers->items().front().value == QStringLiteral("9"));
    CHECK(page.findChild<QComboBox*>(QStringLiteral("evict")) == nullptr); // the order is given

    for (const auto& cost : engine::unitCostFields()) {
        INFO(cost.longFlag());
        const bool isSum = cost.longFlag() == "--backward"; // of I and W
        CHECK((page.findChild<QWidget*>(fieldObjectName(cost, "cost")) != nullptr) == !isSum);
    }
    QTest::mouseClick(page.findChild<QAbstractButton*>(QStringLiteral("moreCosts")),
                      Qt::LeftButton);
    auto* optimizer = page.findChild<QSpinBox*>(QStringLiteral("costOptimizer"));
    REQUIRE(optimizer != nullptr);
    CHECK(optimizer->isVisible());
    optimizer->setFocus();
    optimizer->selectAll();
    QTest::keyClicks(optimizer, QStringLiteral("2"));
    QTest::keyClick(optimizer, Qt::Key_Return);
    CHECK(numbers->items().front().value == QStringLiteral("11"));
}

TEST_CASE("a saved schedule is the contract's CSV, and the command names it")
{
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("my schedule.csv"));
    Editor editor("1f1b");
    editor.click({0, 1});
    editor.key(Qt::Key_Right, Qt::ControlModifier);
    CHECK(editor.page.title() == QStringLiteral("mine \u2022"));
    REQUIRE(editor.page.saveTo(file));
    CHECK(editor.page.title() == QStringLiteral("my schedule.csv"));
    QFile written(file);
    REQUIRE(written.open(QIODevice::ReadOnly));
    const auto back = engine::readCsv(written.readAll().toStdString(), "1f1b");
    REQUIRE(back);
    CHECK(back->program == editor.page.schedule()->schedule().program);
    editor.action("copyScheduleCommand")->trigger();
    CHECK(QGuiApplication::clipboard()->text()
          == QStringLiteral("bscope simulate --schedule '%1'").arg(file));
    // The options of `simulate` are not those of `run`, which the hint ignored.
    CHECK(editor.verdict().contains(QStringLiteral("(`bscope run --schedule` trains")));
    QSignalSpy started(&editor.page, &Page::startRequested);
    editor.key(Qt::Key_R, Qt::ControlModifier);
    REQUIRE(started.count() == 1);
    CHECK(started.first().first().value<QList<QStringList>>()
          == QList<QStringList>{{QStringLiteral("--schedule"), file}});
}

TEST_CASE("saving to a read-only folder keeps the changes and shows the reason")
{
    Editor editor;
    editor.click({0, 0});
    editor.key(Qt::Key_Delete);
    CHECK_FALSE(editor.page.saveTo(QStringLiteral("/nonexistent/folder/x.csv")));
    CHECK(editor.verdict().startsWith(QStringLiteral("Not saved.")));
    CHECK(editor.page.isModified());
}

TEST_CASE("closing asks before changes are lost")
{
    Editor editor;
    CHECK(editor.page.queryClose());
    editor.click({0, 0});
    editor.key(Qt::Key_Delete);
    answerUnsaved("keepEditing");
    CHECK_FALSE(editor.page.queryClose());
    answerUnsaved("discardChanges");
    CHECK(editor.page.queryClose());
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("x.csv"));
    REQUIRE(editor.page.saveTo(file));
    editor.action("undo")->trigger();
    REQUIRE(editor.page.isModified());
    answerUnsaved("saveChanges", "loses 1 change "); // since it was saved
    CHECK(editor.page.queryClose());
    CHECK_FALSE(editor.page.isModified());
}

TEST_CASE("in the smallest window nothing of the editor covers anything else")
{
    Editor editor("bitpipe", 4, 4);
    editor.page.resize(960, 550);
    settle();
    const auto rectOf = [&editor](const QWidget* widget) {
        return QRect(widget->mapTo(&editor.page, QPoint()), widget->size());
    };
    const auto* preview = editor.page.findChild<SchedulePreview*>();
    CHECK(rectOf(preview).bottom() < editor.page.height());
    CHECK(rectOf(editor.grid).bottom() < rectOf(preview).top());
    CHECK(editor.grid->height() >= 3 * 36);
    CHECK_FALSE(editor.page.findChild<KeyNumbers*>()->isVisible());
    CHECK(editor.page.findChild<QLabel*>(QStringLiteral("timesNote"))
              ->text()
              .startsWith(QStringLiteral("14 units")));
}

// 160 % text on a screen of 1366 x 768: the last buttons were cut.
TEST_CASE("tools that do not fit are in a menu beside the others")
{
    Editor editor("1f1b");
    editor.page.show();
    auto* more = editor.page.findChild<QToolButton*>(QStringLiteral("moreEditorTools"));
    const auto shown = [&] {
        int count = 0;
        for (const auto* button : more->parentWidget()->findChildren<QPushButton*>()) {
            count += button->isVisible() ? 1 : 0;
            if (button->isVisible())
                CHECK(button->mapTo(&editor.page, button->rect().topRight()).x()
                      < editor.page.width());
        }
        return count;
    };
    editor.page.resize(1600, 900);
    settle();
    const int all = shown();
    CHECK_FALSE(more->isVisible());
    editor.page.resize(854, 480);
    settle();
    CHECK(shown() < all);
    CHECK(more->isVisible());
    CHECK(more->menu()->actions() == editor.page.menuActions(Menu::View));
}

} // namespace app
