#include "app/memory/memory_page.h"
#include "app/ui/data_table.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QSignalSpy>
#include <QTest>

#include <memory>

using namespace app;

namespace {

std::shared_ptr<const MemoryReport> reportOf(const sample::Wish& wish)
{
    return std::make_shared<const MemoryReport>(memoryReport(sample::measured(wish), 0));
}

struct ShownAreas
{
    explicit ShownAreas(const sample::Wish& wish = {"1f1b", 4, 4, 1})
        : report(reportOf(wish))
    {
        areas.resize(900, 600);
        areas.show(report);
        areas.show();
    }

    ThemeController theme;
    std::shared_ptr<const MemoryReport> report;
    const std::unique_ptr<MemoryAreas> made{MemoryAreas::make(theme)};
    MemoryAreas& areas = *made;
};

} // namespace

TEST_CASE("the memory page starts at the peak of the first device")
{
    const ShownAreas shown;
    const auto& steps = shown.report->steps[{0}];
    CHECK(shown.areas.device() == engine::DeviceId{0});
    CHECK(shown.areas.time() == profiler::peakOf(steps).time);
    CHECK(shown.areas.accessibleDescription().startsWith(QStringLiteral("Device 0 at ")));
}

TEST_CASE("arrow keys move the cursor of the memory page by changes, and between devices")
{
    ShownAreas shown;
    const auto& steps = shown.report->steps[{0}];
    QTest::keyClick(&shown.areas, Qt::Key_Home);
    CHECK(shown.areas.time() == shown.report->window.begin);
    QTest::keyClick(&shown.areas, Qt::Key_Right);
    CHECK(shown.areas.time() == steps[1].time);
    QTest::keyClick(&shown.areas, Qt::Key_Left);
    CHECK(shown.areas.time() == steps[0].time);
    const auto time = shown.areas.time();
    QSignalSpy chosen(&shown.areas, &MemoryAreas::chosen);
    QTest::keyClick(&shown.areas, Qt::Key_Down); // two columns of 450 pixels
    CHECK(shown.areas.device() == engine::DeviceId{2});
    CHECK(shown.areas.time() == time);
    CHECK(chosen.size() == 1);
    QTest::keyClick(&shown.areas, Qt::Key_BracketRight);
    CHECK(shown.areas.time() == profiler::peakTimes(shown.report->steps[{2}]).front());
}

// The time at the cursor covered one digit of the tick beside it.
TEST_CASE("a tick under the time of the cursor has no number")
{
    ShownAreas shown;
    const Chrome& chrome = shown.theme.theme().chrome;
    const auto tickAfter = [&](const QImage& image, int left) {
        while (left < image.width() && image.pixelColor(left, 22) != chrome.text3)
            ++left;
        return left;
    };
    const int tick = tickAfter(shown.areas.grab().toImage(), 150);
    REQUIRE(tick < 400);
    QTest::mouseMove(&shown.areas, {tick - 8, 60});
    const QImage image = shown.areas.grab().toImage();
    int right = tick - 8; // of the box with the time
    while (image.pixelColor(right, 5) == chrome.text)
        ++right;
    REQUIRE((right > tick + 3 && right < tick + 30));
    int ink = 0;
    for (int x = right; x < tick + 40; ++x)
        for (int y = 0; y < 18; ++y)
            ink += image.pixelColor(x, y) != chrome.surfaceAlt ? 1 : 0;
    CHECK(ink == 0);
}

TEST_CASE("a click in a panel chooses its device and time, and no memory draws nothing")
{
    ShownAreas shown;
    QTest::mouseClick(&shown.areas, Qt::LeftButton, {}, {450 + 300, 60});
    CHECK(shown.areas.device() == engine::DeviceId{1});
    CHECK(shown.areas.time() > shown.report->window.begin);
    shown.areas.show(std::make_shared<const MemoryReport>(memoryReport(sample::units(), 0)));
    QTest::keyClick(&shown.areas, Qt::Key_Right);
    CHECK_FALSE(shown.areas.grab().isNull());
}

TEST_CASE("the chart of memory that is exported has every device and no cursor")
{
    const ShownAreas shown;
    const std::string svg = profiler::toSvg(shown.areas.scene());
    for (const char* text : {"Device 0", "Device 3", "peak, GiB", "Time in ms"})
        CHECK(svg.find(text) != std::string::npos);
}

// The panels of a run that recorded only its total memory said "stash 0.00".
TEST_CASE("memory of unknown category shows no stash")
{
    ShownAreas shown;
    CHECK(profiler::toSvg(shown.areas.scene()).find("stash ") != std::string::npos);
    engine::Run run = *shown.report->run;
    for (engine::MemoryEvent& event : run.timeline.memory)
        event.category = engine::MemoryCategory::Unknown;
    shown.areas.show(std::make_shared<const MemoryReport>(
        memoryReport(std::make_shared<const engine::Run>(std::move(run)), 0)));
    CHECK(profiler::toSvg(shown.areas.scene()).find("stash ") == std::string::npos);
}

// A picture of the panels of 1,024 devices had 200 MB.
TEST_CASE("a part of the panels is painted as in the whole")
{
    ShownAreas shown({"1f1b", 8, 8, 1});
    const QImage whole = shown.areas.grab().toImage();
    const QRect part(0, 250, 900, 200);
    CHECK(shown.areas.grab(part).toImage() == whole.copy(part));
    CHECK(shown.areas.grab().toImage() == whole);
}

TEST_CASE("the order of pairs has evictors at the left and their partners at the right")
{
    const auto report = reportOf({"bpipe", 4, 8, 1});
    REQUIRE(report->hasPairs());
    const auto pairs = report->order(MemoryReport::Order::Pairs);
    REQUIRE(pairs.size() == 4);
    CHECK(pairs[0] == engine::DeviceId{0});
    CHECK(pairs[1] == engine::DeviceId{3});
    CHECK(report->role({0}) == QStringLiteral("evicts to 3"));
    CHECK(report->role({3}) == QStringLiteral("accepts from 0"));
    CHECK(report->order(MemoryReport::Order::Devices)[1] == engine::DeviceId{1});
    CHECK_FALSE(reportOf({"1f1b", 4, 4, 1})->hasPairs());
}

TEST_CASE("the table of what is alive ends with its sum, which is the memory at that time")
{
    const auto report = reportOf({"1f1b", 4, 4, 1});
    TableModel<AliveRow> model;
    const auto& peak = profiler::peakOf(report->steps[{1}]);
    showAlive(model, *report, {1}, peak.time);
    const int last = model.rowCount() - 1;
    CHECK(model.index(last, 0).data().toString() == QStringLiteral("Alive"));
    CHECK(model.index(last, 5).data().toString() == report->amount(peak.total()));
    CHECK(model.index(0, 0).data().toString() == QStringLiteral("stash"));
    CHECK(model.index(0, 1).data().toString() == QStringLiteral("1F0"));
    const QString csv = csvOf(model);
    CHECK(csv.startsWith(QStringLiteral("Category,Op,Micro-batch,Stage,\"Since, ms\",GiB\n")));
    CHECK(csv.count(QLatin1Char('\n')) == model.rowCount() + 1);
}

TEST_CASE("a device without a plan has a peak and no prediction")
{
    TableModel<engine::DeviceId> model;
    showMemory(model, reportOf({"1f1b", 4, 4, 1}));
    REQUIRE(model.rowCount() == 4);
    CHECK(model.headerData(1, Qt::Horizontal).toString() == QStringLiteral("Predicted"));
    CHECK(model.index(0, 1).data().toString() == QStringLiteral("–"));
    CHECK(model.index(0, 2).data().toString() != QStringLiteral("–"));
}

// The peaks of a simulation were called "Measured peak", beside four columns of dashes.
TEST_CASE("the memory of a simulated run is predicted, and nothing else is shown as unknown")
{
    engine::Run run = *sample::measured({"1f1b", 4, 4, 1});
    run.info.mode = engine::Mode::Simulate;
    const auto report = std::make_shared<const MemoryReport>(
        memoryReport(std::make_shared<const engine::Run>(std::move(run)), 0));
    TableModel<engine::DeviceId> model;
    showMemory(model, report);
    REQUIRE(model.columnCount() == 2);
    CHECK(model.headerData(1, Qt::Horizontal).toString() == QStringLiteral("Predicted"));
    CHECK(model.index(0, 1).data().toString()
          == report->amount(profiler::peakOf(report->steps[{0}]).total()));
}

// It had 0.0 % of the limit.
TEST_CASE("a device whose memory was not recorded has no share of the limit")
{
    engine::Run run = *sample::measured({"1f1b", 4, 4, 1});
    run.info.mode = engine::Mode::Simulate;
    run.info.memory.bytes = 80'000'000'000;
    std::erase_if(run.timeline.memory, [](const auto& event) { return event.device == 3; });
    TableModel<engine::DeviceId> model;
    showMemory(model,
               std::make_shared<const MemoryReport>(
                   memoryReport(std::make_shared<const engine::Run>(std::move(run)), 0)));
    REQUIRE(model.columnCount() == 3);
    CHECK(model.headerData(2, Qt::Horizontal).toString() == QStringLiteral("Of limit, %"));
    CHECK(model.index(2, 2).data().toString() != QStringLiteral("–"));
    CHECK(model.index(3, 2).data().toString() == QStringLiteral("–"));
}

// The axis ended at the highest peak, such as 66.91 GiB.
TEST_CASE("without a limit the axis of the memory ends at a plain number above the peaks")
{
    const auto report = reportOf({"1f1b", 4, 4, 1}); // 3000 MiB and four stashes of 900 MiB
    CHECK(report->amount(report->highest) == QStringLiteral("6.50"));
}

// The page said that there is no limit, while the Devices panel showed devices over it. A limit far
// above the peaks would flatten them.
TEST_CASE("the limit of the memory page is the memory of the device, shown if it is in sight")
{
    const auto reportWith = [](std::int64_t scale) {
        engine::Run run = *sample::measured({"1f1b", 4, 4, 1}); // 6600 MiB at most
        run.info.mode = engine::Mode::Simulate;
        run.info.memory.bytes = 80'000'000'000;
        for (engine::MemoryEvent& event : run.timeline.memory)
            event.bytes *= scale;
        return memoryReport(std::make_shared<const engine::Run>(std::move(run)), 0);
    };
    const MemoryReport far = reportWith(1);
    REQUIRE(far.limit.has_value());
    CHECK_FALSE(far.isLimitInSight());
    CHECK(far.amount(far.highest) == QStringLiteral("6.50"));
    const MemoryReport near = reportWith(10);
    CHECK(near.limit == far.limit);
    CHECK(near.isLimitInSight());
    CHECK(near.highest == near.limit);
    const MemoryReport over = reportWith(20);
    CHECK(over.isLimitInSight());
    CHECK(over.highest > over.limit);
}
