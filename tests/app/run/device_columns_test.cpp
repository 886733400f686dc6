#include "app/memory/memory_page.h"
#include "app/run/run_panels.h"
#include "app/ui/text.h"
#include "engine/experiment/experiment_fields.h"
#include "profiler/analysis/device_memory.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QStringList>

using namespace app;
using engine::DeviceId;

namespace {

constexpr double kMiB = 1 << 20;

profiler::RunMetrics metricsOf(const engine::Run& run)
{
    const auto metrics = profiler::metrics(run);
    REQUIRE(metrics.has_value());
    return *metrics;
}

DeviceColumns memoryOf(const engine::Run& run)
{
    return memoryColumns(run, metricsOf(run));
}

// 1F1B on four devices with memory: 3000 MiB of each device stay, and a stash has 900 MiB.
engine::Run measuredRun()
{
    return *sample::measured({"1f1b", 4, 4, 1});
}

QString partsOf(const DeviceColumns& columns)
{
    QStringList names;
    for (const DeviceColumns::Part& part : columns.parts)
        names << part.name;
    return names.join(QStringLiteral(", "));
}

void limitTo(engine::Run& run, std::int64_t bytes)
{
    engine::Experiment experiment;
    experiment.deviceMemory = bytes;
    experiment.reserve = 0;
    run.info.command = commandOf(experiment);
}

} // namespace

TEST_CASE("the columns of the bubble are fill, wait and drain as shares of the iteration")
{
    const auto run = sample::units({"1f1b", 4, 8, 1}); // F 1, B 2: 33 units
    const profiler::RunMetrics metrics = metricsOf(*run);
    const DeviceColumns columns = bubbleColumns(*run, metrics);
    CHECK(partsOf(columns) == QStringLiteral("fill, wait, drain"));
    REQUIRE(columns.amounts.size() == 4);
    const double unit = 1.0 / 33;
    CHECK(columns.amounts[{0}][0] == 0);
    CHECK(columns.amounts[{0}][1] == Approx(9 * unit));
    CHECK(columns.amounts[{0}][2] == 0);
    CHECK(columns.amounts[{3}][0] == Approx(3 * unit));
    CHECK(columns.amounts[{3}][1] == 0);
    CHECK(columns.amounts[{3}][2] == Approx(6 * unit));
    CHECK(*columns.mean == Approx(9 * unit));
    for (const auto& device : metrics.devices)
        CHECK(
            columns.total(device.device)
            == Approx(static_cast<double>(device.bubble) / static_cast<double>(metrics.duration)));
    CHECK(columns.text({3})
          == QStringLiteral("Device 3, %1\ndrain 18.2 %\nwait 0.0 %\nfill 9.1 %\nbubble 27.3 %")
                 .arg(deviceText(*run, {3})));
}

TEST_CASE("the columns of the memory are its categories at the peak of each device")
{
    const engine::Run run = measuredRun();
    const DeviceColumns columns = memoryOf(run);
    CHECK(columns.title == QStringLiteral("Peak memory"));
    CHECK(columns.scale.unit() == QStringLiteral("GiB"));
    CHECK(partsOf(columns)
          == QStringLiteral("weights, gradients, optimizer state, buffers, stash"));
    CHECK(columns.amounts[{0}]
          == std::vector<double>{700 * kMiB, 700 * kMiB, 1400 * kMiB, 200 * kMiB, 3600 * kMiB});
    CHECK(columns.total({3}) == 3900 * kMiB);
    CHECK(columns.highest() == 6600 * kMiB);
    CHECK_FALSE(columns.limit.has_value());
    CHECK(columns.text({0}).endsWith(QStringLiteral("weights 0.68 GiB\npeak 6.45 GiB")));
}

TEST_CASE("a memory category that no device has is not a part of the columns")
{
    engine::Run run = measuredRun();
    std::erase_if(run.timeline.memory, [](const engine::MemoryEvent& event) {
        return event.category == engine::MemoryCategory::Buffers;
    });
    CHECK(partsOf(memoryOf(run)) == QStringLiteral("weights, gradients, optimizer state, stash"));
}

TEST_CASE("without recorded memory the columns are the stash in activations")
{
    const DeviceColumns columns = memoryOf(*sample::units({"1f1b", 4, 8, 1}));
    CHECK(columns.title == QStringLiteral("Peak stash"));
    CHECK(columns.scale.unit() == QStringLiteral("Mₐ"));
    for (int device = 0; device < 4; ++device)
        CHECK(columns.amounts[{device}] == std::vector<double>{4.0 - device});
    CHECK(columns.text({1}).endsWith(QStringLiteral("\nstash 3.0 Mₐ")));
}

TEST_CASE("the tooltip of a device over the limit has the excess")
{
    engine::Run run = measuredRun();
    limitTo(run, std::int64_t{6} << 30); // 6144 MiB; devices have 6600, 5700, 4800 and 3900
    const DeviceColumns columns = memoryOf(run);
    CHECK(columns.isLimitInSight());
    CHECK(columns.isOver({0}));
    CHECK_FALSE(columns.isOver({1}));
    CHECK(columns.text({0}).endsWith(QStringLiteral("peak 6.45 GiB, 0.45 GiB over the limit")));
    CHECK(columns.text({1}).endsWith(QStringLiteral("peak 5.57 GiB, limit 6.00 GiB")));
    limitTo(run, std::int64_t{80} << 30);
    CHECK_FALSE(memoryOf(run).isLimitInSight());
}

TEST_CASE("the limit of a device is the requested one, of the simulated hardware, or of its GPU")
{
    engine::Run run = measuredRun();
    CHECK_FALSE(profiler::deviceMemory(run).isKnown());
    for (const std::int64_t gigabytes : {141, 80, 80, 80})
        run.info.machine.gpus.emplace_back().numbers
            = {{"smCount", 132}, {"totalMemory", gigabytes * 1'000'000'000}};
    CHECK_FALSE(profiler::deviceMemory(run).isKnown()); // emulated: the devices share one GPU
    run.info.mode = engine::Mode::Live;
    CHECK(profiler::deviceMemory(run).bytes == 80'000'000'000);
    run.schedule.shape.dataParallel = 2; // two devices on each
    CHECK_FALSE(profiler::deviceMemory(run).isKnown());
    run.info.mode = engine::Mode::Simulate;
    CHECK_FALSE(profiler::deviceMemory(run).isKnown());
    run.info.memory = {std::int64_t{40} << 30, 3};
    CHECK(profiler::deviceMemory(run) == run.info.memory);
    run.info.memory = {};
    run.info.mode = engine::Mode::Emulate;
    limitTo(run, std::int64_t{1} << 30);
    CHECK(profiler::deviceMemory(run).bytes == std::int64_t{1} << 30);
}

TEST_CASE("labels of devices are powers of two apart, include the last one, and do not overlap")
{
    CHECK(labelledDevices(2, 64, 20) == std::vector{0, 1});
    CHECK(labelledDevices(32, 13, 90) == std::vector{0, 8, 16, 24, 31});
    CHECK(labelledDevices(32, 13, 100) == std::vector{0, 8, 16, 24}); // 31 is too close to 24
    CHECK(labelledDevices(0, 64, 20).empty());
    const std::vector<int> many = labelledDevices(1024, 0.4, 40);
    CHECK(many.size() > 4);
    for (std::size_t k = 1; k < many.size(); ++k)
        CHECK((many[k] - many[k - 1]) * 0.4 >= 40);
}
