#include "app/documents/run_library.h"
#include "app/shell/runs_dock.h"
#include "tests/app/fake_worker.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"

#include <QApplication>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

#include <functional>
#include <memory>
#include <vector>

using namespace app;

namespace {

// A dock with four runs of D 4, N 4 in units, and two of D 2, N 2 in milliseconds.
struct Dock
{
    Dock()
    {
        for (const char* scheme : {"1f1b", "gpipe", "bitpipe", "chimera"})
            library.add(simulatedRun({scheme, 4, 4}));
        for (const char* scheme : {"1f1b", "gpipe"})
            library.add(simulatedRun({scheme, 2, 2, 1, true}));
        dock.resize(216, 600);
        dock.show();
    }
    QStringList rows() const
    {
        QStringList all;
        for (int row = 0; row < list->model()->rowCount(); ++row)
            all << at(row).data().toString();
        return all;
    }
    QModelIndex at(int row) const { return list->model()->index(row, 0); }
    Qt::CheckState tickOf(int row) const
    {
        return static_cast<Qt::CheckState>(at(row).data(Qt::CheckStateRole).toInt());
    }
    int ticked() const { return static_cast<int>(library.ticked().size()); }
    void toggle(int row)
    {
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualRect(at(row)).topLeft() + QPoint(17, 14));
        settle();
    }
    void filter(const char* text)
    {
        dock.findChild<QLineEdit*>(QStringLiteral("filterRuns"))->setText(QLatin1String(text));
    }

    RunLibrary library;
    ThemeController theme;
    RunsDock dock{theme, library};
    QListView* list = dock.findChild<QListView*>(QStringLiteral("runsList"));
};

// The first run is running and the others are queued; `list` shows them.
struct Queue
{
    explicit Queue(int runs)
    {
        library.setWorkerProgram(worker.path());
        for (int i = 0; i < runs; ++i)
            start({});
        dock.resize(216, 500);
        dock.show();
        dock.setCurrent(started[0].get());
        settle();
    }
    void start(const QStringList& options)
    {
        started.push_back(library.start(options));
        settle();
    }
    std::vector<int> order()
    {
        std::vector<int> numbers;
        for (const auto& run : library.runs())
            numbers.push_back(run->number());
        return numbers;
    }
    // Drags the handle of a row, calls `meanwhile`, and drops it on another row.
    void drag(
        int from, int to, const std::function<void()>& meanwhile = [] {}) const
    {
        const auto grip = [this](int row) {
            return list->visualRect(list->model()->index(row, 0)).topLeft() + QPoint(17, 14);
        };
        QTest::mousePress(list->viewport(), Qt::LeftButton, {}, grip(from));
        meanwhile();
        QTest::mouseMove(list->viewport(), grip(to));
        QTest::mouseRelease(list->viewport(), Qt::LeftButton, {}, grip(to));
    }
    // Opens the menu of a row, calls `meanwhile`, and chooses an entry.
    void choose(int row, const char* entry, const std::function<void()>& meanwhile)
    {
        QTimer::singleShot(0, [&] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            REQUIRE(menu != nullptr);
            meanwhile();
            for (QAction* action : menu->actions())
                if (action->text() == QString::fromLatin1(entry))
                    menu->setActiveAction(action);
            QTest::keyClick(menu, Qt::Key_Return);
        });
        const QRect clicked = list->visualRect(list->model()->index(row, 0));
        Q_EMIT list->customContextMenuRequested(clicked.center());
    }

    FakeWorker worker{QByteArray(FakeWorker::kUntilLetGo) + "exit 1\n"};
    RunLibrary library;
    std::vector<std::shared_ptr<RunDocument>> started;
    ThemeController theme;
    RunsDock dock{theme, library};
    QListView* list = dock.findChild<QListView*>(QStringLiteral("runsList"));
};

} // namespace

TEST_CASE("runs that can be compared form a group with a tick for all of them")
{
    Dock dock;
    const QString first = QStringLiteral("D 4, N 4, simulated, units");
    REQUIRE(dock.rows().size() == 6 + 2);
    CHECK(dock.rows().at(0) == first);
    CHECK(dock.rows().at(5) == QStringLiteral("D 2, N 2, emulated"));
    REQUIRE(dock.ticked() == 6);
    dock.toggle(5);
    CHECK(dock.ticked() == 4);
    CHECK(dock.tickOf(5) == Qt::Unchecked);
    dock.toggle(1);
    CHECK(dock.tickOf(0) == Qt::PartiallyChecked);
    dock.toggle(0);
    CHECK(dock.ticked() == 4);
    dock.toggle(0);
    CHECK(dock.ticked() == 0);
    dock.list->setCurrentIndex(dock.at(2));
    QTest::keyClick(dock.list, Qt::Key_Space);
    CHECK(dock.ticked() == 1);
}

TEST_CASE("a filter hides runs but keeps their ticks, and a group ticks only what is shown")
{
    Dock dock;
    dock.filter("d 4 GPipe");
    CHECK(dock.rows()
          == QStringList{QStringLiteral("D 4, N 4, simulated, units"), QStringLiteral("GPipe")});
    dock.toggle(0);
    CHECK(dock.ticked() == 5);
    dock.filter("");
    CHECK(dock.rows().size() == 8);
}

TEST_CASE("up to four runs have neither headers nor a filter")
{
    RunLibrary library;
    for (const char* scheme : {"1f1b", "gpipe"})
        library.add(simulatedRun({scheme, 4, 4}));
    ThemeController theme;
    RunsDock dock(theme, library);
    dock.show();
    auto* filter = dock.findChild<QLineEdit*>(QStringLiteral("filterRuns"));
    auto* list = dock.findChild<QListView*>(QStringLiteral("runsList"));
    REQUIRE((filter && list));
    CHECK_FALSE(filter->isVisible());
    CHECK(list->model()->rowCount() == 2);
    for (const char* scheme : {"bitpipe", "chimera", "dualpipe"})
        library.add(simulatedRun({scheme, 4, 8}));
    QSignalSpy arranged(list->model(), &QAbstractItemModel::modelReset);
    REQUIRE(arranged.wait());
    CHECK(filter->isVisible());
    CHECK(list->model()->rowCount() == 5 + 2);
    CHECK(arranged.count() == 1); // once for three runs
    QTest::keyClicks(filter, QStringLiteral("bit"));
    CHECK(list->model()->rowCount() == 1 + 1);
}

// The second Alt+Up moved another run, and a drag over two rows moved the run by one.
TEST_CASE("Alt and the arrow keys move the same queued run again, and a drag may skip rows")
{
    Queue queue(4);
    QListView* list = queue.list;
    list->setCurrentIndex(list->model()->index(3, 0));
    for (int i = 0; i < 2; ++i)
        QTest::keyClick(list, Qt::Key_Up, Qt::AltModifier);
    CHECK(queue.order() == std::vector{1, 4, 2, 3});
    queue.drag(1, 3);
    CHECK(queue.order() == std::vector{1, 2, 3, 4});
}

// The run changed places with a hidden one, and the next step moved another run.
TEST_CASE("a queued run moves past the next one that the filter shows")
{
    Queue queue(1);
    for (const char* scheme : {"gpipe", "1f1b", "gpipe", "1f1b", "gpipe"})
        queue.start({QStringLiteral("--scheme"), QString::fromLatin1(scheme)});
    queue.dock.findChild<QLineEdit*>(QStringLiteral("filterRuns"))
        ->setText(QStringLiteral("gpipe"));
    REQUIRE(queue.list->model()->rowCount() == 3);
    queue.list->setCurrentIndex(queue.list->model()->index(0, 0));
    QTest::keyClick(queue.list, Qt::Key_Down, Qt::AltModifier);
    CHECK(queue.order() == std::vector{1, 3, 4, 2, 5, 6});
    QTest::keyClick(queue.list, Qt::Key_Down, Qt::AltModifier);
    CHECK(queue.order() == std::vector{1, 3, 4, 5, 6, 2});
    QTest::keyClick(queue.list, Qt::Key_Down, Qt::AltModifier);
    queue.drag(2, 0);
    CHECK(queue.order() == std::vector{1, 3, 2, 4, 5, 6});
}

// The run that had come into the row of the dragged one was moved.
TEST_CASE("a drag moves its run although another run has left the list")
{
    Queue queue(5);
    queue.drag(3, 1, [&] {
        queue.library.close(*queue.started[1]);
        settle();
    });
    CHECK(queue.order() == std::vector{1, 4, 3, 5});
}

// Its worker was killed, and its page waited forever for the end of the run.
TEST_CASE("a run that starts while its menu is open is not removed from the list")
{
    Queue queue(2);
    queue.choose(1, "Remove from the queue", [&] {
        queue.worker.letGo(queue.started[0]->file());
        REQUIRE(waitFor([&] { return queue.started[1]->isRunning(); }));
    });
    CHECK(queue.started[1]->state() == RunDocument::State::Running);
    CHECK(queue.order() == std::vector{1, 2});
    queue.choose(0, "Remove from the list", [] {});
    CHECK(queue.order() == std::vector{2});
}

// The run that had come into its row was moved.
TEST_CASE("the menu of a run moves this run although other runs have moved meanwhile")
{
    Queue queue(5);
    queue.choose(3, "Run sooner", [&] { queue.library.close(*queue.started[1]); });
    CHECK(queue.order() == std::vector{1, 4, 3, 5});
}
