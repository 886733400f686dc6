#include "app/jobs/run_library.h"
#include "app/widgets/window/grouped_runs.h"
#include "app/widgets/window/runs_dock.h"
#include "tests/app/jobs/fake_worker.h"
#include "tests/app/jobs/wait_for.h"
#include "tests/app/simulated_run.h"

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QListView>
#include <QSignalSpy>
#include <QTest>

#include <vector>

using namespace app;

namespace {

// Four runs of D 4, N 4 in units, and two of D 2, N 2 in milliseconds.
struct Dock
{
    Dock()
    {
        for (const char* scheme : {"1f1b", "gpipe", "bitpipe", "chimera"})
            library.add(simulatedRun({scheme, 4, 4}));
        for (const char* scheme : {"1f1b", "gpipe"})
            library.add(simulatedRun({scheme, 2, 2, 1, true}));
    }
    QStringList rows(const GroupedRuns& groups) const
    {
        QStringList all;
        for (int row = 0; row < groups.rowCount(); ++row)
            all << groups.index(row).data().toString();
        return all;
    }
    int ticked() const { return static_cast<int>(library.runs().checked().size()); }

    mutable RunLibrary library;
};

} // namespace

TEST_CASE("runs that can be compared form a group with a tick for all of them")
{
    Dock dock;
    GroupedRuns groups(dock.library.runs());
    const QAbstractItemModelTester tester(&groups);
    REQUIRE(groups.rowCount() == 6 + 2);
    const QModelIndex first = groups.index(0), second = groups.index(5);
    CHECK(first.data(GroupedRuns::HeaderRole).toBool());
    CHECK(first.data().toString() == QStringLiteral("D 4, N 4, simulated, units"));
    CHECK(first.data(RunsModel::ValueRole).toString() == QStringLiteral("4"));
    CHECK(second.data().toString() == QStringLiteral("D 2, N 2, emulated"));
    REQUIRE(dock.ticked() == 6);
    groups.setData(second, Qt::Unchecked, Qt::CheckStateRole);
    CHECK(dock.ticked() == 4);
    CHECK(second.data(Qt::CheckStateRole).toInt() == Qt::Unchecked);
    groups.setData(groups.index(1), Qt::Unchecked, Qt::CheckStateRole);
    CHECK(first.data(Qt::CheckStateRole).toInt() == Qt::PartiallyChecked);
    groups.setData(first, Qt::Checked, Qt::CheckStateRole);
    CHECK(dock.ticked() == 4);
}

TEST_CASE("a filter hides runs but keeps their ticks, and a group ticks only what is shown")
{
    Dock dock;
    GroupedRuns groups(dock.library.runs());
    groups.setFilter(QStringLiteral("d 4 GPipe"));
    CHECK(dock.rows(groups)
          == QStringList{QStringLiteral("D 4, N 4, simulated, units"), QStringLiteral("GPipe")});
    groups.setData(groups.index(0), Qt::Unchecked, Qt::CheckStateRole);
    CHECK(dock.ticked() == 5);
    groups.setFilter({});
    CHECK(groups.rowCount() == 8);
}

TEST_CASE("up to four runs have neither headers nor a filter")
{
    RunLibrary library;
    for (const char* scheme : {"1f1b", "gpipe"})
        library.add(simulatedRun({scheme, 4, 4}));
    ThemeController theme;
    RunsDock dock(theme, library.runs());
    dock.show();
    auto* filter = dock.findChild<QLineEdit*>(QStringLiteral("filterRuns"));
    auto* list = dock.findChild<QListView*>(QStringLiteral("runsList"));
    REQUIRE((filter && list));
    CHECK_FALSE(filter->isVisible());
    CHECK(list->model()->rowCount() == 2);
    for (const char* scheme : {"bitpipe", "chimera", "dualpipe"})
        library.add(simulatedRun({scheme, 4, 8}));
    CHECK(filter->isVisible());
    QSignalSpy arranged(list->model(), &QAbstractItemModel::modelReset);
    REQUIRE(arranged.wait());
    CHECK(list->model()->rowCount() == 5 + 2);
    CHECK(arranged.count() == 1); // once for three runs
    QTest::keyClicks(filter, QStringLiteral("bit"));
    CHECK(list->model()->rowCount() == 1 + 1);
}

TEST_CASE("a click on the tick of a header ticks its group")
{
    Dock dock;
    ThemeController theme;
    RunsDock widget(theme, dock.library.runs());
    widget.resize(216, 600);
    widget.show();
    auto* list = widget.findChild<QListView*>(QStringLiteral("runsList"));
    const QRect header = list->visualRect(list->model()->index(0, 0));
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, header.topLeft() + QPoint(17, 14));
    CHECK(dock.ticked() == 2);
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, header.topLeft() + QPoint(17, 14));
    CHECK(dock.ticked() == 6);
}

// The second Alt+Up moved another run, and a drag over two rows moved the run by one.
TEST_CASE("Alt and the arrow keys move the same queued run again, and a drag may skip rows")
{
    const FakeWorker worker(FakeWorker::kForEver);
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    std::vector<RunDocument*> started; // the first one runs
    for (int i = 0; i < 4; ++i)
        started.push_back(library.start({}).get());
    const ThemeController theme;
    RunsDock dock(theme, library.runs());
    QObject::connect(
        &dock, &RunsDock::moveInQueueRequested, &library,
        [&](const RunDocument& document, int by) { library.moveInQueue(document, by); });
    dock.resize(216, 500);
    dock.show();
    dock.setCurrent(started[0]);
    settle();
    const auto order = [&] {
        std::vector<int> numbers;
        for (int row = 0; row < library.runs().rowCount(); ++row)
            numbers.push_back(library.runs().at(row)->number());
        return numbers;
    };
    auto* list = dock.findChild<QListView*>(QStringLiteral("runsList"));
    list->setCurrentIndex(list->model()->index(3, 0));
    for (int i = 0; i < 2; ++i)
        QTest::keyClick(list, Qt::Key_Up, Qt::AltModifier);
    CHECK(order() == std::vector{1, 4, 2, 3});
    const auto grip = [&](int row) {
        return list->visualRect(list->model()->index(row, 0)).topLeft() + QPoint(17, 14);
    };
    QTest::mousePress(list->viewport(), Qt::LeftButton, {}, grip(1));
    QTest::mouseMove(list->viewport(), grip(3));
    QTest::mouseRelease(list->viewport(), Qt::LeftButton, {}, grip(3));
    CHECK(order() == std::vector{1, 2, 3, 4});
}
