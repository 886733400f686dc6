#include "app/memory/memory_page.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/window/main_window.h"
#include "profiler/store/trace_store.h"
#include "tests/app/sample_run.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"
#include "tests/gui/page_requests.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <algorithm>

namespace app {
namespace {

struct OpenedMemoryPage
{
    explicit OpenedMemoryPage(const std::shared_ptr<const engine::Run>& run)
    {
        REQUIRE(profiler::writeRun(file.toStdString(), *run));
        page.reset(makeMemory(theme, library, library.open(file)));
        page->resize(1600, 900);
        page->show();
    }
    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* found = page->findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }
    int rows(const char* table) const { return find<DataTable>(table)->model()->rowCount(); }

    QTemporaryDir folder;
    QString file = folder.filePath(QStringLiteral("run.sqlite"));
    ThemeController theme;
    RunLibrary library;
    std::unique_ptr<Page> page;
};

} // namespace

TEST_CASE("the memory page of a BPipe run lists what is alive, pairs devices and copies as CSV")
{
    const OpenedMemoryPage opened(sample::measured({"bpipe", 4, 8, 1}));
    REQUIRE(waitFor([&] { return opened.rows("memoryTable") == 4; }));
    CHECK(opened.rows("aliveTable") > 4);
    auto* order = opened.find<SegmentControl>("memoryOrder");
    CHECK(order->isVisible());
    CHECK(order->current() == 1); // pairs
    auto* areas = opened.find<MemoryAreas>("memoryAreas");
    areas->choose({2}, areas->time());
    CHECK(opened.find<QLabel>("aliveTitle")->text() == QStringLiteral("Device 2"));
    CHECK(opened.find<DataTable>("memoryTable")->currentIndex().row() == 2);
    opened.find<QAction>("copyAlive")->trigger();
    CHECK(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("Category,Op,")));
}

// The list kept the title and the bytes of the device that was chosen before.
TEST_CASE("a device whose memory was not recorded has no bytes of another one")
{
    engine::Run run = *sample::measured({"1f1b", 4, 8, 1});
    std::erase_if(run.timeline.memory, [](const auto& event) { return event.device == 3; });
    const OpenedMemoryPage opened(std::make_shared<const engine::Run>(std::move(run)));
    REQUIRE(waitFor([&] { return opened.rows("memoryTable") == 4; }));
    CHECK_FALSE(opened.find<QLabel>("aliveValue")->text().isEmpty());
    auto* areas = opened.find<MemoryAreas>("memoryAreas");
    areas->choose({3}, areas->time());
    CHECK(areas->accessibleDescription() == QStringLiteral("Device 3: not recorded"));
    CHECK(opened.find<QLabel>("aliveTitle")->text() == QStringLiteral("Device 3"));
    CHECK(opened.find<QLabel>("aliveValue")->text().isEmpty());
    CHECK(opened.page->statusNote() == QStringLiteral("not recorded"));
    CHECK(opened.find<DataTable>("memoryTable")->currentIndex().row() == 3);
    CHECK(opened.rows("aliveTable") == 0);
}

TEST_CASE("the memory page of a run without memory says so")
{
    const OpenedMemoryPage opened(sample::units({"1f1b", 2, 2, 1}));
    REQUIRE(waitFor([&] { return opened.rows("memoryTable") == 2; }));
    CHECK(opened.find<QWidget>("memoryEmpty")->isVisible());
    const auto labels = opened.find<QWidget>("memoryEmpty")->findChildren<QLabel*>();
    CHECK(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->text() == QStringLiteral("This run was simulated in abstract cost units");
    }));
    CHECK_FALSE(opened.find<SegmentControl>("memoryOrder")->isVisible());
    CHECK_FALSE(opened.find<QAction>("copyAlive")->isEnabled());
}

// Showed a table of dashes with "0.0" without moves, an empty list and the order of the pairs.
TEST_CASE("the memory page of a simulated BPipe run offers a new run in place of empty parts")
{
    engine::Run simulated = *sample::units({"bpipe", 4, 8, 1});
    simulated.info.experiment = "[schedule]\ndevices = 2\n";
    const OpenedMemoryPage opened(std::make_shared<const engine::Run>(std::move(simulated)));
    REQUIRE(waitFor([&] { return opened.rows("memoryTable") == 4; }));
    for (const char* part : {"memoryOrder", "withoutMoves", "memoryTable", "aliveTable"})
        CHECK_FALSE(opened.find<QWidget>(part)->isVisible());
    const auto* memory = opened.find<DataTable>("memoryTable")->model();
    for (int column = 0; column < memory->columnCount(); ++column)
        CHECK(memory->index(0, column).data().toString() != QStringLiteral("0.0"));
    CHECK(opened.page->statusTexts().value(1).contains(QStringLiteral(" per iteration")));
    const PageRequests asked(*opened.page);
    opened.find<QPushButton>("emptyAction")->click();
    REQUIRE(asked.size() == 1);
    CHECK(asked.front().plan->experiment.schedule.devices == 2);
}

} // namespace app
