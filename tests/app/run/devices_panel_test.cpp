#include "app/run/run_panels.h"
#include "engine/experiment/experiment_fields.h"
#include "profiler/store/trace_store.h"
#include "tests/app/sample_run.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"
#include "tests/support/paths.h"

#include <QLabel>
#include <QTest>

#include <algorithm>

using namespace app;
using engine::DeviceId;

namespace {

struct ShownDevices
{
    explicit ShownDevices(QSize size = {1000, 183})
    {
        panel.resize(size);
        panel.show();
        QObject::connect(&panel, &DevicesPanel::chosen, &panel,
                         [this](DeviceId device) { chosen.push_back(device.value); });
    }
    void showRun(const engine::Run& run)
    {
        const auto metrics = profiler::metrics(run);
        REQUIRE(metrics.has_value());
        panel.showMetrics(run, *metrics);
        QCoreApplication::processEvents();
    }
    SceneView& chart(const char* name) const
    {
        auto* found = panel.findChild<SceneView*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return *found;
    }
    SceneView& memory() const { return chart("devicesMemory"); }
    SceneView& bubble() const { return chart("devicesBubble"); }

    std::vector<int> chosen;
    ThemeController theme;
    DevicesPanel panel{theme};
};

engine::Run measuredRun(int devices)
{
    return *sample::measured({"1f1b", devices, 4, 1});
}

QPoint middleOf(const SceneView& chart, std::size_t device)
{
    return chart.rectOf(device).center();
}

bool hasColour(SceneView& chart, const QRect& area, const QColor& colour)
{
    const QImage image = chart.viewport()->grab().toImage();
    const double ratio = image.devicePixelRatio();
    for (int y = area.top(); y <= area.bottom(); ++y)
        if (image.pixelColor(static_cast<int>(area.center().x() * ratio),
                             static_cast<int>(y * ratio))
            == colour)
            return true;
    return false;
}

DeviceColumns peakColumns(const engine::Run& run)
{
    return memoryColumns(run, *profiler::metrics(run));
}

} // namespace

TEST_CASE("before the first iteration the devices panel says when its columns appear")
{
    ShownDevices shown;
    const auto* empty = shown.panel.findChild<QLabel*>(QStringLiteral("devicesEmpty"));
    REQUIRE(empty != nullptr);
    CHECK(empty->isVisible());
    CHECK_FALSE(shown.memory().isVisible());
    shown.showRun(measuredRun(4));
    CHECK_FALSE(empty->isVisible());
    CHECK(shown.memory().isVisible());
    CHECK(shown.bubble().isVisible());
}

TEST_CASE("a click and the arrow keys choose a device, and its tooltip has the numbers")
{
    ShownDevices shown;
    shown.showRun(measuredRun(4));
    SceneView& memory = shown.memory();
    QTest::mouseClick(memory.viewport(), Qt::LeftButton, {}, middleOf(memory, 2));
    CHECK(shown.chosen == std::vector{2});
    CHECK(memory.selectedPoint() == 2);
    CHECK(memory.accessibleDescription() == peakColumns(measuredRun(4)).text({2}));
    QTest::mouseClick(memory.viewport(), Qt::LeftButton, {}, {4, 4});
    CHECK(shown.chosen == std::vector{2});

    shown.panel.mark({2}); // as the page does: both charts show the selection
    SceneView& bubble = shown.bubble();
    for (const Qt::Key key : {Qt::Key_Left, Qt::Key_Home, Qt::Key_Left, Qt::Key_End, Qt::Key_Right})
        QTest::keyClick(&bubble, key);
    CHECK(shown.chosen == std::vector{2, 1, 0, 3}); // there is nothing left of the first device
}

TEST_CASE("a map shows in which iterations a device was slow, once the run is complete")
{
    profiler::Stragglers found;
    found.iterations = 3;
    found.numbers = {2, 3, 4};
    for (const int device : {0, 1}) {
        found.devices.push_back({});
        found.devices.back().device = DeviceId{device};
        found.devices.back().excesses = {0, device == 1 ? 0.2 : 0, 0};
    }
    ChartLook look;
    look.style.width = 400;
    look.style.height = 160;
    const profiler::MarkedScene map = paceMap(found, look);
    CHECK(map.marks.size() == 2);
    const std::string svg = profiler::toSvg(map.scene);
    CHECK(svg.find(">20.0<") != std::string::npos);
    const auto count = [&svg](const std::string& colour) {
        std::size_t number = 0;
        for (auto at = svg.find(colour); at != std::string::npos; at = svg.find(colour, at + 1))
            ++number;
        return number;
    };
    CHECK(count(profiler::hex(look.style.high)) == 2); // the cell and the end of the scale
    CHECK(count(profiler::hex(look.style.low)) == 6);

    found.devices.back().excess = {0.12, profiler::Spread::Interval, -0.014, 0.139};
    found.devices.back().slowest = 1;
    CHECK(paceText(found, {1})
          == QStringLiteral("Device 1: 12.0 % longer, median (95 % interval \u22121.4 to +13.9 %); "
                            "the slowest in 1 of 3 iterations"));
    found.devices.back().excess = {-0.03};
    found.devices.back().mayHaveMoreWork = true;
    CHECK(paceText(found, {1})
              .startsWith(QStringLiteral("Device 1: 3.0 % shorter, median (interval unknown); not "
                                         "compared: its first or last stage")));
    const std::string hatched = profiler::toSvg(paceMap(found, look).scene);
    CHECK(hatched.find(">20.0<") == std::string::npos);

    ShownDevices shown;
    const auto run = std::make_shared<const engine::Run>(
        profiler::readRun(tests::sourcePath("sample_runs/1f1b-d4-n8.sqlite")).value());
    shown.showRun(*run);
    CHECK_FALSE(shown.chart("devicesPace").isVisible());
    shown.panel.comparePaces(run);
    CHECK(waitFor([&] { return shown.chart("devicesPace").isVisible(); }));
    for (const int width : {900, 1000}) { // three charts need more width than two
        shown.panel.resize(width, 183);
        QCoreApplication::processEvents();
        CHECK((shown.memory().geometry().bottom() < shown.bubble().geometry().top())
              == (width == 900));
    }
    CHECK(shown.chart("devicesPace")
              .accessibleName()
              .startsWith(QStringLiteral("No device is a straggler")));
}

TEST_CASE("only the column of a device over the limit has the error colour")
{
    ShownDevices shown;
    engine::Run run = measuredRun(4);
    const QColor error = shown.theme.theme().chrome.error;
    const auto isRed = [&](int device) {
        return hasColour(shown.memory(), shown.memory().rectOf(static_cast<std::size_t>(device)),
                         error);
    };
    shown.showRun(run);
    CHECK_FALSE(isRed(0));
    engine::Experiment experiment;
    experiment.deviceMemory = std::int64_t{6} << 30; // device 0 needs 6.45 GiB, device 1 5.57
    experiment.reserve = 0;
    run.info.command = commandOf(experiment);
    shown.showRun(run);
    CHECK(isRed(0));
    CHECK_FALSE(isRed(1));
}

TEST_CASE("the columns have the colours of the theme")
{
    ShownDevices shown;
    shown.showRun(measuredRun(4));
    for (const auto choice : {ThemeController::Choice::Light, ThemeController::Choice::Dark}) {
        shown.theme.setChoice(choice);
        const Theme& theme = shown.theme.theme();
        const QRect column = shown.memory().rectOf(3);
        for (const auto& part : peakColumns(measuredRun(4)).parts)
            CHECK(hasColour(shown.memory(), column, toQt(theme.palette.*part.fill)));
    }
}

TEST_CASE("two devices have narrow columns, and of many devices each pixel shows the highest")
{
    ShownDevices shown;
    shown.showRun(measuredRun(2));
    CHECK(shown.memory().rectOf(1).width() <= 41);
    CHECK(shown.memory().rectOf(1).left() < 200);

    DeviceColumns columns = peakColumns(measuredRun(2));
    columns.amounts.assign(1024, columns.amounts[{0}]);
    columns.names.assign(1024, QStringLiteral("Device"));
    columns.amounts[{777}][0] *= 2;
    ChartLook look;
    look.style.width = 400;
    const auto marks = deviceChart(columns, look).marks;
    CHECK(marks.size() < 400);
    CHECK(marks.size() > 300);
    CHECK(std::ranges::count(marks, std::size_t{777}, &profiler::SceneMark::point) == 1);
}

TEST_CASE("the charts are beside each other, or above each other in a narrow panel")
{
    ShownDevices shown;
    shown.showRun(measuredRun(8));
    CHECK(shown.memory().geometry().right() < shown.bubble().geometry().left());
    shown.panel.resize(600, 183);
    QCoreApplication::processEvents();
    CHECK(shown.memory().geometry().bottom() < shown.bubble().geometry().top());
    CHECK(shown.memory().height() >= 152);
}
