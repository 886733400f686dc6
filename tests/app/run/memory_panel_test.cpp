#include "app/memory/memory_page.h"
#include "app/run/run_panels.h"
#include "app/ui/data_table.h"
#include "tests/app/sample_run.h"
#include "tests/app/simulated_run.h"
#include "tests/catch.h"

#include <QScrollArea>
#include <QTest>

using namespace app;

namespace {

struct ShownGpuMemory
{
    ShownGpuMemory()
    {
        panel.resize(1000, 183);
        panel.show();
    }
    void showRun(int gpus)
    {
        auto run = std::make_shared<engine::Run>(*sample::measured({"1f1b", 4, 4, 1}));
        for (int gpu = 0; gpu < gpus; ++gpu) {
            engine::GpuMemory& memory = run->info.gpuMemory.emplace_back();
            memory.gpu = gpu;
            memory.of.fill(std::int64_t{1} << 30);
            memory.used = std::int64_t{16} << 30;
        }
        panel.show(std::make_shared<const RunView>(run), 0);
        QCoreApplication::processEvents();
    }
    DataTable& table() const
    {
        return *panel.findChild<DataTable*>(QStringLiteral("gpuMemoryTable"));
    }
    MemoryAreas& plots() const { return *panel.findChild<MemoryAreas*>(); }
    QScrollArea& scrolled() const { return *panel.findChild<QScrollArea*>(); } // has the plots

    ThemeController theme;
    MemoryPanel panel{theme};
};

} // namespace

TEST_CASE("a run without GPUs has memory plots over the whole width and no table")
{
    ShownGpuMemory shown;
    shown.showRun(0);
    CHECK_FALSE(shown.table().isVisible());
    CHECK(shown.scrolled().width() == 1000);
}

TEST_CASE("a GPU run has a table of memory by owner beside its plots")
{
    ShownGpuMemory shown;
    shown.showRun(2);
    CHECK(shown.table().isVisible());
    CHECK(shown.table().model()->rowCount()
          == engine::kGpuMemoryOwners + 3 + 1); // 6 % are not known of
    CHECK(shown.plots().width() + shown.table().width() <= 1000);
    CHECK(shown.plots().width() >= 480);
    CHECK(shown.table().viewport()->width() >= shown.table().neededWidth() - 2); // no column is cut
    shown.showRun(0);
    CHECK_FALSE(shown.table().isVisible());
    CHECK(shown.scrolled().width() == 1000);
}

TEST_CASE("many GPUs leave the plots half of the width, and the plots follow the panel's")
{
    ShownGpuMemory shown;
    shown.showRun(16);
    CHECK(shown.table().width() <= 500);
    CHECK(shown.plots().width() >= 485);
    shown.panel.resize(700, 300);
    QCoreApplication::processEvents();
    CHECK(shown.plots().width() >= 335);
    CHECK(shown.plots().width() <= 350);
}

// The stash of the plots was the highest total minus the highest rest, which is too little if the
// rest is highest at another time. The memory column had the right one.
TEST_CASE("the stash of a plot is the largest stash of the device")
{
    constexpr std::int64_t kMiB = 1 << 20;
    auto run = std::make_shared<engine::Run>(*sample::measured({"1f1b", 4, 4, 1}));
    const std::int64_t end = run->timeline.iterations[0].window.end;
    run->timeline.memory.push_back({end - 1, 500 * kMiB, engine::MemoryEvent::kNoOp, 0,
                                    engine::MemoryCategory::Buffers}); // no stash is left
    // four stashes of 900 MiB beside 3000 MiB of weights and the like
    CHECK(memoryReport(run, 0).stash({0}) == 3600 * kMiB);
}

TEST_CASE("without recorded memory, the plots show the stash in units of M_a")
{
    const auto run = sharedRun({"1f1b", 4, 8, 2});
    const MemoryReport report = stashReport(RunView(run), 0);
    CHECK(report.amount(report.stash({0})) == QStringLiteral("4.0"));
    CHECK(report.amount(report.stash({3})) == QStringLiteral("1.0"));
    CHECK(report.bytes.unit() == QString::fromUtf8("Mₐ"));
    CHECK(report.steps[{0}].front().time == report.window.begin);
    CHECK_FALSE(report.hasBytes());
    CHECK(memoryReport(run, 0).isEmpty());
}
