#include "app/timeline/view/coordinates.h"
#include "tests/catch.h"

using app::TimeAxis;

TEST_CASE("a box runs from the rounded begin to the rounded end, less a pixel of border")
{
    const TimeAxis axis{0, 100, 140, 100, 1};
    const QRectF box = app::boxRect(axis, {10, 30}, 8, 42);
    CHECK(box == QRectF(150, 8, 19, 42));
    const TimeAxis fine{0, 1000, 0, 100, 1};
    CHECK(app::boxRect(fine, {104, 296}, 0, 10) == QRectF(10, 0, 19, 10)); // 10.4 .. 29.6
}

TEST_CASE("neighbouring boxes leave exactly the border between them, wherever they start")
{
    const TimeAxis axis{0, 1000, 0, 373, 1};
    for (std::int64_t t = 0; t < 900; t += 37) {
        const QRectF left = app::boxRect(axis, {t, t + 37}, 0, 10);
        const QRectF right = app::boxRect(axis, {t + 37, t + 74}, 0, 10);
        CHECK(right.left() - left.right() == 1);
    }
}

TEST_CASE("a box is never narrower than a device pixel")
{
    const TimeAxis axis{0, 1'000'000, 0, 100, 2};
    CHECK(app::boxRect(axis, {500'000, 500'001}, 0, 10).width() == 0.5);
}

TEST_CASE("edges lie on whole device pixels at 150 %")
{
    const TimeAxis axis{0, 977, 140, 500, 1.5};
    const QRectF box = app::boxRect(axis, {111, 333}, 8, 21);
    for (const double edge : {box.left(), box.right(), box.top(), box.bottom()})
        CHECK(edge * 1.5 == Approx(std::round(edge * 1.5)));
}

TEST_CASE("time and pixels are inverses")
{
    const TimeAxis axis{-250, 4711, 140, 828, 1};
    for (const double time : {-250.0, 0.0, 123.25, 4711.0})
        CHECK(axis.time(axis.x(time)) == Approx(time).margin(1e-9));
}

TEST_CASE("which boxes end by a pixel edge follows from their times as from their rectangles")
{
    for (const double dpr : {1.0, 1.5, 2.0}) {
        const TimeAxis axis{100, 1111, 140, 373, dpr};
        for (int pixel = -1; pixel < 374; pixel += 7) {
            const double right = axis.snap(140.0 + pixel);
            const app::BoxesUpTo upTo(axis, right);
            for (std::int64_t begin = 60; begin < 1150; begin += 13)
                for (const std::int64_t length : {0, 1, 4, 40})
                    CHECK(upTo.has({begin, begin + length})
                          == (app::boxRect(axis, {begin, begin + length}, 0, 9).right()
                              < right + 1e-6));
        }
    }
}
