#include "app/editor/editor_page.h"
#include "app/run/run_panels.h"
#include "app/window/main_window.h"
#include "tests/app/gpu_sample.h"
#include "tests/gui/opened_run.h"

#include <QAction>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QMenuBar>
#include <QScreen>
#include <QScrollBar>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QWheelEvent>

#include <map>
#include <memory>

using namespace app;

namespace {

QList<QAction*> actionsOf(const QMenu& menu)
{
    QList<QAction*> actions;
    for (QAction* action : menu.actions())
        actions += action->menu() != nullptr ? actionsOf(*action->menu()) : QList{action};
    return actions;
}

QList<QAction*> menuActions(const MainWindow& window)
{
    QList<QAction*> actions;
    for (const QAction* menu : window.menuBar()->actions())
        actions += actionsOf(*menu->menu());
    return actions;
}

bool isListed(const QKeySequence& keys, const QList<KeyLine>& lines)
{
    const QList<KeyLine> own = keyLines({});
    QAction alone;
    alone.setShortcut(keys);
    const QList<KeyLine> with = keyLines({&alone});
    if (with.size() == own.size())
        return true; // a line of the table has it
    const QStringList wanted = with.back().keys;
    const auto modifiers = [](const QStringList& of) {
        return std::ranges::count_if(of, [](const QString& key) {
            return key == u"Ctrl" || key == u"Shift" || key == u"Alt";
        });
    };
    return std::ranges::any_of(lines, [&](const KeyLine& line) {
        return modifiers(line.keys) == modifiers(wanted)
            && std::ranges::all_of(wanted,
                                   [&](const QString& key) { return line.keys.contains(key); });
    });
}

} // namespace

TEST_CASE("every shortcut of every page is on the list of keys while the page is open")
{
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("run.sqlite"));
    REQUIRE(profiler::writeRun(file.toStdString(), simulatedRun({"1f1b", 2, 2})));
    Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    ThemeController theme;
    MainWindow window(theme, settings);
    window.show();
    const auto check = [&window] {
        const QList<KeyLine> lines = keyLines(menuActions(window));
        int shortcuts = 0;
        for (const QAction* action : window.findChildren<QAction*>()) {
            const auto* page = qobject_cast<const Page*>(action->parent());
            const bool isOfAnother = page != nullptr && page != window.currentPage();
            for (const QKeySequence& keys : action->shortcuts()) {
                CAPTURE(action->objectName().toStdString(), keys.toString().toStdString());
                CHECK((isOfAnother || isListed(keys, lines)));
                ++shortcuts;
            }
        }
        CHECK(shortcuts > 10);
        for (const KeyLine& line : lines)
            CHECK((!line.text.isEmpty() && !line.keys.isEmpty()));
    };
    check();
    window.open({"setup"});
    check();
    window.open({"run", {file}});
    check();
    window.findChild<QAction*>(QStringLiteral("querySql"))->trigger();
    check();
    window.open({"compare", {file, file}});
    check();
    window.open({.kind = "editor",
                 .schedule = std::make_shared<const engine::Schedule>(
                     *engine::buildSchedule(engine::ScheduleRequest()))});
    check();
}

// N (a note) and Ctrl+E (a figure) were missing: Ctrl+N and Ctrl+Shift+E had all their keys.
TEST_CASE("a key with other modifiers is another key")
{
    QAction run(QStringLiteral("New run"), nullptr), note(QStringLiteral("Note"), nullptr);
    run.setShortcut(Qt::CTRL | Qt::Key_N);
    note.setShortcut(Qt::Key_N);
    const auto own = keyLines({}).size();
    const QList<KeyLine> lines = keyLines({&run, &note});
    REQUIRE(lines.size() == own + 2);
    CHECK(lines.back().keys == QStringList(QStringLiteral("N")));
    CHECK(keyLines({&note, &note}).size() == own + 1);
}

TEST_CASE("the list of keys is no higher than the screen, and scrolls to its end by keyboard")
{
    ThemeController theme;
    QList<QAction*> actions;
    QObject owner;
    for (int i = 0; i < 26; ++i) {
        actions.append(new QAction(QStringLiteral("action %1").arg(i), &owner));
        actions.back()->setShortcut(
            QKeyCombination(Qt::ControlModifier | Qt::AltModifier, Qt::Key(Qt::Key_A + i)));
    }
    const QTemporaryDir folder;
    const Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    auto* dialog = new HelpDialog(HelpDialog::Topic::Keys, theme, settings, {}, actions);
    dialog->show();
    CHECK(dialog->height() < dialog->screen()->availableGeometry().height());
    auto* scroll = dialog->findChild<QTextBrowser*>();
    REQUIRE(scroll->verticalScrollBar()->maximum() > 0);
    scroll->setFocus();
    for (int i = 0; i < 20; ++i)
        QTest::keyClick(scroll, Qt::Key_PageDown);
    CHECK(scroll->verticalScrollBar()->value() == scroll->verticalScrollBar()->maximum());
    delete dialog;
}

namespace {

// A run with kernels beneath its ops, and the hands of a user.
struct Hands : OpenedRun
{
    explicit Hands(const std::shared_ptr<const engine::Run>& run)
        : OpenedRun(*run, {}, sample::launches(*run))
    {
        timeline = find<TimelineWidget>("timeline");
        REQUIRE(waitFor([&] { return isRead() && timeline->kernels() != nullptr; }));
        page->activateWindow();
        REQUIRE(QTest::qWaitForWindowActive(page.get(), kNever));
        timeline->setFocus();
        forward = opOf("1F1");
    }
    Hands()
        : Hands(sample::measured({"1f1b", 4, 4, 2}))
    { }

    Selection opOf(const char* name) const
    {
        const auto found = parseFind(QString::fromLatin1(name) + QStringLiteral(" iter:0"));
        return Found(RunView(document->run()), *found).hits().at(0);
    }
    void press(int key, Qt::KeyboardModifiers modifiers = {}) const
    {
        QTest::keyClick(timeline, static_cast<Qt::Key>(key), modifiers);
    }
    // What is seen or selected is another thing afterwards.
    bool changes(const std::function<void()>& act) const
    {
        const QImage before = timeline->grab().toImage();
        const Selection selected = timeline->selection();
        act();
        return timeline->selection() != selected || timeline->grab().toImage() != before;
    }
    bool changes(int key, Qt::KeyboardModifiers modifiers = {}) const
    {
        return changes([&] { press(key, modifiers); });
    }
    bool moves(int key, Qt::KeyboardModifiers modifiers = {}) const
    {
        timeline->select(forward);
        const Selection before = timeline->selection();
        press(key, modifiers);
        return timeline->selection() != before
            && timeline->selection().kind != Selection::Kind::None;
    }
    void wheel(Qt::KeyboardModifiers modifiers, int notches = 1) const
    {
        QWheelEvent event(QPointF(500, 200), timeline->mapToGlobal(QPointF(500, 200)), {},
                          QPoint(0, 120 * notches), Qt::NoButton, modifiers, Qt::NoScrollPhase,
                          false);
        QCoreApplication::sendEvent(timeline, &event);
    }
    void drag(Qt::KeyboardModifiers modifiers) const
    {
        QTest::mousePress(timeline, Qt::LeftButton, modifiers, {400, 120});
        QTest::mouseMove(timeline, {450, 120});
        QTest::mouseMove(timeline, {520, 120});
        QTest::mouseRelease(timeline, Qt::LeftButton, modifiers, {520, 120});
    }
    QPoint onOp() const
    {
        timeline->select(forward);
        const QPoint at = timeline->selectionRect().center();
        press(Qt::Key_Escape);
        return at;
    }

    TimelineWidget* timeline = nullptr;
    Selection forward; // 1F1: others stand on every side of it
};

struct EditorHands
{
    EditorHands()
    {
        engine::ScheduleRequest request;
        request.scheme = "1f1b";
        request.devices = request.microBatches = 2;
        page.resize(1400, 860);
        page.show();
        page.edit(*engine::buildSchedule(request), QStringLiteral("mine"));
        page.activateWindow();
        REQUIRE(QTest::qWaitForWindowActive(&page, kNever));
        grid = page.findChild<QTableView*>(QStringLiteral("grid"));
        grid->setFocus();
    }
    auto program() const { return page.schedule()->schedule().program; }
    QPoint middle(OpPlace place) const
    {
        return grid->visualRect(grid->model()->index(place.device, place.index)).center();
    }
    void click(OpPlace place) const
    {
        QTest::mouseClick(grid->viewport(), Qt::LeftButton, {}, middle(place));
    }
    bool changes(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) const
    {
        const auto before = program();
        QTest::keyClick(grid, key, modifiers);
        return program() != before;
    }

    ThemeController theme;
    std::unique_ptr<EditorPage> made{EditorPage::make(theme)};
    EditorPage& page = *made;
    QTableView* grid = nullptr;
};

using Probe = std::function<bool(const Hands&)>;

std::map<QString, Probe> timelineProbes()
{
    const auto text = [](const char* line) { return QString::fromUtf8(line); };
    std::map<QString, Probe> probes;
    const auto all
        = [&](const char* line, std::vector<std::pair<int, Qt::KeyboardModifiers>> keys) {
              probes[text(line)] = [keys](const Hands& hands) {
                  hands.timeline->select(hands.forward);
                  return std::ranges::all_of(
                      keys, [&](const auto& key) { return hands.changes(key.first, key.second); });
              };
          };
    const auto moves = [&](const char* line, std::vector<int> keys) {
        probes[text(line)] = [keys](const Hands& hands) {
            return std::ranges::all_of(keys, [&](int key) { return hands.moves(key); });
        };
    };
    probes[text("wheel")]
        = [](const Hands& hands) { return hands.changes([&] { hands.wheel({}); }); };
    probes[text("Alt wheel")] = [](const Hands& hands) {
        return hands.changes([&] { hands.wheel(Qt::AltModifier, -1); });
    };
    probes[text("drag")] = [](const Hands& hands) {
        hands.drag({});
        return hands.timeline->selection().kind == Selection::Kind::Range;
    };
    probes[text("Shift drag")] = [](const Hands& hands) {
        return hands.changes([&] { hands.drag(Qt::ShiftModifier); })
            && hands.timeline->selection().kind != Selection::Kind::Range;
    };
    all("A D ← →", {{Qt::Key_A, {}}, {Qt::Key_D, {}}, {Qt::Key_Left, {}}, {Qt::Key_Right, {}}});
    all("W S + −", {{Qt::Key_W, {}}, {Qt::Key_S, {}}, {Qt::Key_Plus, {}}, {Qt::Key_Minus, {}}});
    all("F", {{Qt::Key_F, {}}});
    all("0", {{Qt::Key_0, {}}});
    all("Home", {{Qt::Key_0, {}}, {Qt::Key_Home, {}}});
    all("PgUp PgDn", {{Qt::Key_PageDown, {}}, {Qt::Key_PageUp, {}}});
    all("Alt ← →",
        {{Qt::Key_Plus, {}}, {Qt::Key_Left, Qt::AltModifier}, {Qt::Key_Right, Qt::AltModifier}});
    probes[text("Space")] = [](const Hands& hands) {
        hands.press(Qt::Key_Space);
        const bool follows = hands.timeline->follow();
        hands.press(Qt::Key_Space);
        return follows && !hands.timeline->follow();
    };
    probes[text("click")] = [](const Hands& hands) {
        QTest::mouseClick(hands.timeline, Qt::LeftButton, {}, hands.onOp());
        return hands.timeline->selection() == hands.forward;
    };
    probes[text("double-click")] = [](const Hands& hands) {
        const QPoint at = hands.onOp();
        return hands.changes([&] { QTest::mouseDClick(hands.timeline, Qt::LeftButton, {}, at); });
    };
    moves(", .", {Qt::Key_Comma, Qt::Key_Period});
    moves("[ ]", {Qt::Key_BracketLeft, Qt::Key_BracketRight});
    moves("J K", {Qt::Key_J, Qt::Key_K});
    moves("↑ ↓", {Qt::Key_Up, Qt::Key_Down});
    moves("Enter", {Qt::Key_Return});
    probes[text("Shift ↓ ↑")] = [](const Hands& hands) {
        hands.timeline->select(hands.forward);
        hands.press(Qt::Key_Down, Qt::ShiftModifier);
        const bool isIn = hands.timeline->selection().kind == Selection::Kind::Kernel;
        hands.press(Qt::Key_Up, Qt::ShiftModifier);
        return isIn && hands.timeline->selection() == hands.forward;
    };
    probes[text("1 … 9")] = [](const Hands& hands) {
        std::vector<engine::Note> notes(9);
        for (std::size_t i = 0; i < notes.size(); ++i) {
            notes[i].id = static_cast<std::int64_t>(i) + 1;
            notes[i].window = {hands.forward.window.begin + static_cast<std::int64_t>(i) * 1000,
                               hands.forward.window.end + static_cast<std::int64_t>(i) * 1000};
        }
        hands.timeline->setNotes(notes);
        for (int key = Qt::Key_1; key <= Qt::Key_9; ++key) {
            hands.press(key);
            if (hands.timeline->currentNote() != key - Qt::Key_1)
                return false;
        }
        return true;
    };
    probes[text("Ctrl Enter")] = [](const Hands& hands) {
        hands.press(Qt::Key_F, Qt::ControlModifier);
        auto* field = hands.find<QLineEdit>("findField");
        QTest::keyClicks(field, QStringLiteral("op:F"));
        QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
        const auto* tabs = hands.find<QTabBar>("panelTabs");
        return tabs->currentIndex() == static_cast<int>(RunPanels::Panel::Events);
    };
    probes[text("Esc")] = [](const Hands& hands) {
        hands.timeline->select(hands.forward);
        hands.press(Qt::Key_Escape);
        return hands.timeline->selection().kind == Selection::Kind::None;
    };
    return probes;
}

std::map<QString, std::function<bool(const EditorHands&)>> editorProbes()
{
    const auto text = [](const char* line) { return QString::fromUtf8(line); };
    std::map<QString, std::function<bool(const EditorHands&)>> probes;
    probes[text("drag")] = [](const EditorHands& hands) {
        const auto before = hands.program();
        const QPoint from = hands.middle({0, 2}), to = hands.middle({0, 1}) - QPoint(12, 0);
        QTest::mousePress(hands.grid->viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(hands.grid->viewport(), (from + to) / 2);
        QTest::mouseMove(hands.grid->viewport(), to);
        QTest::mouseRelease(hands.grid->viewport(), Qt::LeftButton, {}, to);
        return hands.program() != before;
    };
    probes[text("Ctrl ← →")] = [](const EditorHands& hands) {
        hands.click({0, 1});
        return hands.changes(Qt::Key_Right, Qt::ControlModifier)
            && hands.changes(Qt::Key_Left, Qt::ControlModifier);
    };
    probes[text("Del")] = [](const EditorHands& hands) {
        hands.click({0, 1});
        return hands.changes(Qt::Key_Delete);
    };
    probes[text("Ins")] = [](const EditorHands& hands) {
        hands.click({0, 1});
        return hands.changes(Qt::Key_Delete) && hands.changes(Qt::Key_Insert);
    };
    probes[text("F8")] = [](const EditorHands& hands) {
        hands.click({0, 1});
        hands.changes(Qt::Key_Right, Qt::ControlModifier);
        hands.changes(Qt::Key_Right, Qt::ControlModifier); // behind its backward
        hands.click({1, 0});
        const QModelIndex before = hands.grid->currentIndex();
        QTest::keyClick(hands.grid, Qt::Key_F8);
        return hands.grid->currentIndex() != before;
    };
    return probes;
}

} // namespace

TEST_CASE("every line of the list of keys does something, and every one is tried")
{
    const auto timeline = timelineProbes();
    const auto editor = editorProbes();
    std::size_t tried = 0;
    for (const KeyLine& line : keyLines({})) {
        const QString keys = line.keys.join(QLatin1Char(' '));
        CAPTURE(line.group.toStdString(), keys.toStdString());
        ++tried;
        if (line.group == QStringLiteral("Edit a schedule")) {
            REQUIRE(editor.contains(keys));
            CHECK(editor.at(keys)(EditorHands()));
        } else if (line.group == QStringLiteral("Menus")) {
            CHECK(keys == QStringLiteral("F10")); // which main_window_test.cpp presses
        } else {
            REQUIRE(timeline.contains(keys));
            CHECK(timeline.at(keys)(Hands()));
        }
    }
    CHECK(tried == timeline.size() + editor.size() + 1); // F10
}
