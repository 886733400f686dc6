#include "app/run/device_chart.h"
#include "engine/experiment/experiment_fields.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QLabel>
#include <QTest>

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
    DeviceChart& chart(const char* name) const
    {
        auto* found = panel.findChild<DeviceChart*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return *found;
    }
    DeviceChart& memory() const { return chart("devicesMemory"); }
    DeviceChart& bubble() const { return chart("devicesBubble"); }

    std::vector<int> chosen;
    ThemeController theme;
    DevicesPanel panel{theme};
};

engine::Run measuredRun(int devices)
{
    return *sample::measured({"1f1b", devices, 4, 1});
}

QPoint middleOf(const DeviceChart& chart, int device)
{
    return chart.columnOf({device}).center().toPoint();
}

bool hasColour(DeviceChart& chart, const QRectF& area, const QColor& colour)
{
    const QImage image = chart.grab().toImage();
    const double ratio = image.devicePixelRatio();
    const QRect inner = area.toAlignedRect();
    for (int y = inner.top(); y <= inner.bottom(); ++y)
        if (image.pixelColor(static_cast<int>(inner.center().x() * ratio),
                             static_cast<int>(y * ratio))
            == colour)
            return true;
    return false;
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
    DeviceChart& memory = shown.memory();
    QTest::mouseClick(&memory, Qt::LeftButton, {}, middleOf(memory, 2));
    CHECK(shown.chosen == std::vector{2});
    CHECK(memory.marked() == DeviceId{2});
    CHECK(memory.accessibleDescription().startsWith(QStringLiteral("Device 2, ")));
    CHECK(memory.toolTipAt(middleOf(memory, 2)) == memory.columns().text({2}));
    CHECK(memory.toolTipAt({4, 4}).isEmpty());
    QTest::mouseClick(&memory, Qt::LeftButton, {}, {4, 4});
    CHECK(shown.chosen == std::vector{2});

    shown.panel.mark({2}); // as the page does: both charts show the selection
    DeviceChart& bubble = shown.bubble();
    QTest::keyClick(&bubble, Qt::Key_Left);
    QTest::keyClick(&bubble, Qt::Key_Home);
    QTest::keyClick(&bubble, Qt::Key_Left); // stays at the first device
    QTest::keyClick(&bubble, Qt::Key_End);
    QTest::keyClick(&bubble, Qt::Key_Right);
    CHECK(shown.chosen == std::vector{2, 1, 0, 0, 3, 3});
}

TEST_CASE("only the column of a device over the limit has the error colour")
{
    ShownDevices shown;
    engine::Run run = measuredRun(4);
    const QColor error = shown.theme.theme().chrome.error;
    const auto isRed = [&](int device) {
        return hasColour(shown.memory(), shown.memory().columnOf({device}), error);
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
        const QRectF column = shown.memory().columnOf({3});
        for (const auto& part : shown.memory().columns().parts)
            CHECK(hasColour(shown.memory(), column, toQt(theme.palette.*part.fill)));
    }
}

TEST_CASE("two devices have narrow columns, and of many devices each pixel shows the highest")
{
    ShownDevices shown;
    shown.showRun(measuredRun(2));
    CHECK(shown.memory().columnOf({1}).width() <= 40);
    CHECK(shown.memory().columnOf({1}).left() < 200);

    DeviceColumns columns = shown.memory().columns();
    columns.amounts.assign(1024, columns.amounts[{0}]);
    columns.names.assign(1024, QStringLiteral("Device"));
    columns.amounts[{777}][0] *= 2;
    DeviceChart chart("many", shown.theme);
    chart.resize(400, 183);
    chart.show(columns);
    std::vector<int> found;
    const double left = chart.columnOf({0}).left(), right = chart.columnOf({1023}).right();
    for (double x = left; x < right - 1; ++x) {
        const DeviceId device = chart.deviceAt(x);
        REQUIRE(device.isValid());
        if (device == DeviceId{777})
            found.push_back(static_cast<int>(x));
    }
    CHECK(found.size() == 1);
    CHECK_FALSE(chart.deviceAt(left - 1).isValid());
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
