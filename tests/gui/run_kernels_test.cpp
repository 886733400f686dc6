#include "app/run/run_panels.h"
#include "tests/app/gpu_sample.h"
#include "tests/gui/opened_run.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QTabBar>

using namespace app;

namespace {

// A file with the kernels of one iteration, opened.
struct OpenedKernels : OpenedRun
{
    explicit OpenedKernels(const engine::Run& run, const sample::LaunchWish& wish = {})
        : OpenedRun(run, {}, sample::launches(run, wish))
    { }
    bool hasKernels() const
    {
        const auto& kernels = find<TimelineWidget>("timeline")->kernels();
        return kernels && !kernels->isEmpty();
    }
    TableModel<profiler::KernelRow>& table() const
    {
        auto* shown = dynamic_cast<RowTable<profiler::KernelRow>*>(find<DataTable>("kernelTable"));
        REQUIRE(shown != nullptr);
        return shown->rows();
    }
    std::vector<profiler::KernelRow> rows() const
    {
        std::vector<profiler::KernelRow> shown;
        for (int row = 0; row < table().rowCount(); ++row)
            shown.push_back(table().at(row));
        return shown;
    }
    void choose(const char* combo, int index) const
    {
        auto* box = find<QComboBox>(combo);
        box->setCurrentIndex(index);
        Q_EMIT box->activated(index);
    }
};

} // namespace

TEST_CASE("a run with kernels shows them under their ops, by the key and by the toolbar")
{
    OpenedKernels opened(*sample::measured({"1f1b", 2, 4, 1}));
    REQUIRE(waitFor([&] { return opened.hasKernels(); }));
    auto* timeline = opened.find<TimelineWidget>("timeline");
    CHECK_FALSE(timeline->look().areKernelsShown);
    CHECK_FALSE(opened.find<QWidget>("laneSegments")->isHidden());
    auto* action = opened.find<QAction>("showKernels");
    action->trigger();
    CHECK(timeline->look().areKernelsShown);
    CHECK(action->isChecked());
    action->trigger();
    CHECK_FALSE(timeline->look().areKernelsShown);
}

// The second request was ignored, so the kernels of the run were never shown again.
TEST_CASE("the kernels of a run are read again after they were unknown")
{
    const OpenedKernels opened(*sample::measured({"1f1b", 2, 4, 1}));
    REQUIRE(waitFor([&] { return opened.hasKernels(); }));
    opened.document->setState(RunDocument::State::Running);
    CHECK_FALSE(opened.hasKernels());
    opened.document->setState(RunDocument::State::Finished);
    CHECK(waitFor([&] { return opened.hasKernels(); }));
}

TEST_CASE("the table of kernels is filtered by op type, device and selection, and copied as CSV")
{
    const auto run = sample::measured({"1f1b", 2, 4, 1});
    OpenedKernels opened(*run);
    REQUIRE(waitFor([&] { return opened.hasKernels(); }));
    // Four kernels a compute op type: F, B and OPT, and the copies of the two kinds of send.
    CHECK(opened.table().rowCount() == 3 * 4 + 2);
    std::int64_t whole = 0;
    for (const auto& row : opened.rows())
        whole += row.count;
    opened.choose("kernelOp", 1);
    CHECK(opened.table().rowCount() == 4);
    CHECK(opened.find<QComboBox>("kernelOp")->currentText() == QLatin1String("Forward"));
    opened.choose("kernelOp", 0);
    opened.choose("kernelDevice", 1);
    std::int64_t ofOne = 0;
    for (const auto& row : opened.rows())
        ofOne += row.count;
    CHECK(ofOne < whole);
    opened.choose("kernelDevice", 0);
    opened.choose("kernelScope", 2);
    auto* timeline = opened.find<TimelineWidget>("timeline");
    timeline->select(timeline->kernels()->select(0));
    CHECK(opened.table().rowCount() == 4); // of the op that the kernel belongs to
    opened.click("copyKernels");
    const QString csv = QGuiApplication::clipboard()->text();
    CHECK(csv.startsWith(QLatin1String("op,kernel,kind,count,total_ns")));
    CHECK(csv.count(QLatin1Char('\n')) == 5);
    CHECK(csv.contains(QLatin1String("\"void engine::cuda::eachPack<4, "))); // has commas: quoted
}

TEST_CASE("the table of kernels counts all iterations of a selected range")
{
    const auto run
        = sample::measured({.scheme = "1f1b", .devices = 2, .microBatches = 4, .iterations = 2});
    OpenedKernels opened(*run, {.iteration = 1});
    REQUIRE(waitFor([&] { return opened.hasKernels(); }));
    const int whole = opened.table().rowCount();
    REQUIRE(whole > 0);
    opened.choose("kernelScope", 2);
    const auto& iterations = run->timeline.iterations;
    const std::int64_t begin = iterations[0].window.begin;
    auto* timeline = opened.find<TimelineWidget>("timeline");
    const auto select = [&](std::int64_t end) {
        timeline->select({.kind = Selection::Kind::Range, .iteration = 0, .window = {begin, end}});
    };
    select(iterations[1].window.end);
    CHECK(opened.table().rowCount() == whole);
    select(iterations[1].window.begin - 1);
    CHECK(opened.table().rowCount() == 0);
}

TEST_CASE("the columns of the table of kernels sort")
{
    OpenedKernels opened(*sample::measured({"1f1b", 2, 4, 1}));
    REQUIRE(waitFor([&] { return opened.hasKernels(); }));
    auto& model = opened.table();
    model.sort(static_cast<int>(KernelColumn::Mean), Qt::AscendingOrder);
    CHECK(std::ranges::is_sorted(opened.rows(), {}, [](const auto& row) { return row.mean(); }));
    model.sort(static_cast<int>(KernelColumn::Count), Qt::DescendingOrder);
    CHECK(std::ranges::is_sorted(opened.rows(), std::greater{}, &profiler::KernelRow::count));
}

TEST_CASE("a run without kernels shows the reason in the table, and the key opens it")
{
    OpenedRun opened(*sample::measured({"1f1b", 2, 4, 1}));
    auto* panel = opened.find<KernelPanel>("kernelPanel");
    const auto says = [&](const char* text) {
        for (const QLabel* label : panel->findChildren<QLabel*>())
            if (label->text().contains(QLatin1String(text)))
                return true;
        return false;
    };
    REQUIRE(waitFor([&] { return says("used the CPU"); }));
    opened.find<QAction>("showKernels")->trigger();
    CHECK_FALSE(opened.find<TimelineWidget>("timeline")->look().areKernelsShown);
    CHECK_FALSE(opened.find<QAction>("showKernels")->isChecked());
    auto* tabs = opened.find<QTabBar>("panelTabs");
    CHECK(tabs->tabText(tabs->currentIndex()) == QLatin1String("Kernels"));
}

TEST_CASE("the Memory tab of a GPU run lists memory by owner")
{
    engine::Run run = *sample::measured({"1f1b", 2, 4, 1});
    for (const int gpu : {0, 1}) {
        engine::GpuMemory& memory = run.info.gpuMemory.emplace_back();
        memory.gpu = gpu;
        memory[engine::GpuMemoryOwner::Weights] = std::int64_t{3} << 30;
        memory[engine::GpuMemoryOwner::Contexts] = std::int64_t{1} << 30;
        memory.used = memory.known();
    }
    const OpenedRun opened(run);
    REQUIRE(waitFor([&] { return opened.isRead() && opened.summaryRows() == 3; }));
    auto* table = opened.find<DataTable>("gpuMemoryTable");
    CHECK_FALSE(table->isVisible());
    opened.find<QTabBar>("panelTabs")->setCurrentIndex(static_cast<int>(RunPanels::Panel::Memory));
    CHECK(table->isVisible());
    const auto text
        = [&](int row, int column) { return table->model()->index(row, column).data().toString(); };
    REQUIRE(table->model()->rowCount() == 5);
    CHECK(text(0, 0) == QStringLiteral("Weights"));
    CHECK(text(0, 1) == QStringLiteral("6.00"));
    CHECK(text(1, 4) == QStringLiteral("1.00"));
    CHECK(text(3, 0) == QStringLiteral("Reported by the driver"));
    CHECK(text(3, 1) == QStringLiteral("8.00"));

    const OpenedRun other(*sample::measured({"1f1b", 2, 4, 1}));
    REQUIRE(waitFor([&] { return other.isRead() && other.summaryRows() == 3; }));
    other.find<QTabBar>("panelTabs")->setCurrentIndex(static_cast<int>(RunPanels::Panel::Memory));
    CHECK_FALSE(other.find<QWidget>("gpuMemoryTable")->isVisible());
}
