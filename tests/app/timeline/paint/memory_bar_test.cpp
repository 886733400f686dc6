#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/ui/theme.h"
#include "tests/catch.h"

#include <QImage>
#include <QPainter>

using namespace app;

namespace {

// A bar of 100 bytes, one per pixel: 20 of weights, 10 of buffers and 10 of stash are live.
struct PaintedMemoryBar
{
    explicit PaintedMemoryBar(std::optional<std::int64_t> touched, bool isOverPlan = false)
        : theme(makeTheme(profiler::ThemeMode::Light))
        , image(120, 120, QImage::Format_RGB32)
    {
        profiler::DeviceMetrics device;
        device.bytesAtPeak[engine::MemoryCategory::Weights] = 20;
        const RunningMemory memory{{30, 40, 40}, touched, 80, 70, isOverPlan};
        image.fill(theme.chrome.surface);
        QPainter painter(&image);
        paintRunningMemory(painter,
                           {memory, device, QRectF(10, 10, 22, 100), QRectF(40, 10, 76, 100), 100},
                           theme);
    }
    QColor at(int bytes) const { return image.pixelColor(20, 110 - bytes); }
    QColor left(int bytes) const { return image.pixelColor(6, 110 - bytes); }
    bool hasRedText(int line) const
    {
        for (int y = 10 + 17 * line; y < 27 + 17 * line; ++y)
            for (int x = 40; x < 116; ++x)
                if (const QColor pixel = image.pixelColor(x, y); pixel.red() > pixel.green() + 60)
                    return true;
        return false;
    }

    Theme theme;
    QImage image;
};

} // namespace

TEST_CASE("a running memory bar has the live kinds over the touched bytes in the outlined arena")
{
    const PaintedMemoryBar painted(75);
    const auto& palette = painted.theme.palette;
    const Chrome& chrome = painted.theme.chrome;
    CHECK(painted.at(10) == toQt(palette.weights));
    CHECK(painted.at(25) == toQt(palette.buffers));
    CHECK(painted.at(35) == toQt(palette.stash));
    CHECK(painted.at(60) == mixed(toQt(palette.forward), chrome.surface, 0.72));
    CHECK(painted.at(78) == chrome.surface); // in the arena, not touched
    CHECK(painted.at(80) == chrome.text2);   // its outline
    CHECK(painted.at(90) == chrome.surface);
    CHECK(painted.left(70) == chrome.text); // the triangle of the plan
    CHECK_FALSE(painted.left(60) == chrome.text);
    CHECK(PaintedMemoryBar(std::nullopt).at(60) == chrome.surface);
}

TEST_CASE("touched bytes beyond the arena and a passed plan have the colour of errors")
{
    const PaintedMemoryBar painted(90, true);
    CHECK(painted.at(60) == painted.theme.chrome.error);
    CHECK(painted.left(70) == painted.theme.chrome.error);
    for (const int line : {0, 1, 2, 3}) {
        CAPTURE(line);
        CHECK(painted.hasRedText(line) == (line == 1 || line == 3));
        CHECK_FALSE(PaintedMemoryBar(80).hasRedText(line));
    }
}
