#include "app/timeline/paint/lane_painter.h"
#include "tests/catch.h"

#include <QImage>
#include <QPainter>

using namespace app;

namespace {

// Two iterations of 100 ticks each with a gap of 20 between; 2 of base; 8 of stash in [30, 60), and
// for one tick at 80. A row of the strip, 28 high, is half a unit.
struct PaintedLevels
{
    explicit PaintedLevels(double dpr = 1, double begin = 0)
        : axis{begin, begin + 220, 10, 220, dpr}
        , image(static_cast<int>(240 * dpr), static_cast<int>(60 * dpr), QImage::Format_RGB32)
    {
        series.add(0, {2, 0, 0});
        for (const auto& [time, stash] : {std::pair{30, 8}, {60, -8}, {80, 8}, {81, -8}, {150, 8}})
            series.add(time, {0, static_cast<double>(stash), 0});
        series.close();
        image.setDevicePixelRatio(dpr);
        image.fill(Qt::white);
        std::vector<engine::Iteration> iterations(2);
        iterations[0].window = {0, 100};
        iterations[1].window = {120, 220};
        QPainter painter(&image);
        paintMemoryLevels(painter, axis,
                          {series,
                           iterations,
                           20,
                           28,
                           10,
                           {Qt::gray, Qt::cyan, Qt::blue, Qt::black, Qt::red, Qt::darkRed}});
    }
    // Of logical pixels; the strip begins 10 from the left and 20 from the top.
    QColor at(double x, double y) const
    {
        const double dpr = image.devicePixelRatio();
        return image.pixelColor(static_cast<int>((10 + x) * dpr), static_cast<int>((20 + y) * dpr));
    }

    MemorySeries series;
    TimeAxis axis;
    QImage image;
};

} // namespace

TEST_CASE("levels are painted base below stash with a line along them, iteration by iteration")
{
    const PaintedLevels painted;
    CHECK(painted.at(10, 24) == QColor(Qt::blue)); // 2 of 10 in 20 rows: 4 from the bottom
    CHECK(painted.at(10, 25) == QColor(Qt::gray));
    CHECK(painted.at(10, 27) == QColor(Qt::gray));
    CHECK(painted.at(10, 28) == QColor(Qt::white)); // under the strip
    CHECK(painted.at(10, 20) == QColor(Qt::white)); // above the line
    CHECK(painted.at(10, 0) == QColor(Qt::black));  // over the iteration
    CHECK(painted.at(45, 8) == QColor(Qt::blue));
    CHECK(painted.at(45, 9) == QColor(Qt::cyan));
    CHECK(painted.at(45, 23) == QColor(Qt::cyan));
    CHECK(painted.at(45, 24) == QColor(Qt::gray));
    CHECK(painted.at(29, 15) == QColor(Qt::blue)); // the line rises in the pixel at whose end
    CHECK(painted.at(30, 15) == QColor(Qt::cyan)); // the stash comes
    CHECK(painted.at(61, 15) == QColor(Qt::white));
    for (int y = 0; y < 28; ++y)
        CHECK(painted.at(110, y) == QColor(Qt::white)); // between the iterations
    CHECK(painted.at(121, 24) == QColor(Qt::blue));
    CHECK(painted.at(160, 9) == QColor(Qt::cyan));
}

TEST_CASE("a peak of less than a pixel is painted")
{
    PaintedLevels close;
    CHECK(close.at(80, 8) == QColor(Qt::blue));
    CHECK(close.at(79, 15) == QColor(Qt::blue)); // up
    CHECK(close.at(81, 15) == QColor(Qt::blue)); // and down
    const PaintedLevels moved(1, 0.5);           // the tick is half of one pixel, half of the next
    CHECK(moved.at(79, 8) == QColor(Qt::blue));
    CHECK(moved.at(80, 8) == QColor(Qt::blue));
}

TEST_CASE("an iteration that begins or ends out of sight is painted up to the edges, no further")
{
    const PaintedLevels painted(1, -150); // the first one from pixel 150 on
    CHECK(painted.at(149, 26) == QColor(Qt::white));
    CHECK(painted.at(151, 26) == QColor(Qt::gray));
    CHECK(painted.at(219, 26) == QColor(Qt::gray));
    CHECK(painted.at(221, 26) == QColor(Qt::white));
    const PaintedLevels later(1, 50);
    CHECK(later.at(1, 9) == QColor(Qt::cyan)); // 51: in the middle of the stash
    CHECK(later.at(-1, 9) == QColor(Qt::white));
}

TEST_CASE("at a device pixel ratio of two the lines are two device pixels wide")
{
    const PaintedLevels fine(2);
    CHECK(fine.at(10, 24) == QColor(Qt::blue));
    CHECK(fine.at(10, 24.5) == QColor(Qt::blue));
    CHECK(fine.at(10, 25) == QColor(Qt::gray));
    CHECK(fine.at(29.5, 15) == QColor(Qt::blue));
    CHECK(fine.at(30, 15) == QColor(Qt::blue));
    CHECK(fine.at(30.5, 15) == QColor(Qt::cyan));
}

TEST_CASE("the stash of a partner is hatched above the device's own")
{
    MemorySeries series;
    series.add(0, {2, 3, 0});
    series.add(50, {0, 0, 4});
    series.close();
    QImage image(120, 40, QImage::Format_RGB32);
    image.fill(Qt::white);
    std::vector<engine::Iteration> iterations(1);
    iterations[0].window = {0, 100};
    const TimeAxis axis{0, 100, 0, 100, 1};
    {
        QPainter painter(&image);
        paintMemoryLevels(painter, axis,
                          {series,
                           iterations,
                           0,
                           28,
                           10,
                           {Qt::gray, Qt::cyan, Qt::blue, Qt::black, Qt::red, Qt::darkRed}});
    }
    // A unit is two rows: the base from 24, the own stash from 18, the guest from 10.
    int ground = 0, lines = 0;
    for (int x = 55; x < 95; ++x) {
        ground += image.pixelColor(x, 14) == QColor(Qt::red) ? 1 : 0;
        lines += image.pixelColor(x, 14) == QColor(Qt::darkRed) ? 1 : 0;
        CHECK(image.pixelColor(x, 20) == QColor(Qt::cyan));
        CHECK(image.pixelColor(x - 50, 14) == QColor(Qt::white));
    }
    CHECK(ground + lines == 40);
    CHECK(lines > 8);
    CHECK(ground > lines);
}
