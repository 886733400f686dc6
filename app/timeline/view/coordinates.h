#pragma once

#include "engine/timeline/timeline.h"

#include <QRectF>

#include <algorithm>
#include <cmath>
#include <concepts>

namespace app {

// Maps time to the screen. No other code converts between ticks and pixels. Pixels are logical;
// positions snap to device pixels, so that boxes stay sharp at a scale of 150 %.
struct TimeAxis
{
    double begin = 0, end = 1;  // ticks at the left and the right edge
    double left = 0, width = 1; // logical pixels
    double dpr = 1;             // device pixels per logical pixel

    double ticksPerPixel() const { return (end - begin) / width; }
    double pixels(double ticks) const { return ticks / ticksPerPixel(); }
    double x(double time) const { return left + (time - begin) / ticksPerPixel(); }
    double x(std::integral auto time) const { return x(static_cast<double>(time)); }
    double time(double x) const { return begin + (x - left) * ticksPerPixel(); }
    double right() const { return left + width; }

    double snap(double logical) const { return std::round(logical * dpr) / dpr; }
    double devicePixel() const { return 1.0 / dpr; }
    // Width of the border between boxes: about one logical pixel, in whole device pixels.
    double gap() const { return std::max(1.0, std::round(dpr)) / dpr; }
    // Clamps times far outside of the view, because painters have a limited range of coordinates.
    double snappedX(double time) const
    {
        return snap(std::clamp(x(time), left - 64.0, right() + 64.0));
    }
    double snappedX(std::integral auto time) const { return snappedX(static_cast<double>(time)); }
    engine::Window window() const
    {
        return {static_cast<std::int64_t>(std::floor(begin)),
                static_cast<std::int64_t>(std::ceil(end))};
    }
    friend bool operator==(const TimeAxis&, const TimeAxis&) = default;
};

// Returns the rectangle of a time window, rounded to whole device pixels, including the border.
inline QRectF stretch(const TimeAxis& axis, engine::Window window, double top, double height)
{
    const double x1 = axis.snappedX(window.begin);
    const double x2 = axis.snappedX(window.end);
    return {x1, axis.snap(top), x2 - x1, axis.snap(top + height) - axis.snap(top)};
}

// Returns the width by which the text in a stretch() is chosen. It is the same for all ops of one
// duration, although their edges snap to different pixels.
inline double widthForText(const TimeAxis& axis, engine::Window window)
{
    return std::min(axis.snap(axis.pixels(static_cast<double>(window.duration()))),
                    stretch(axis, window, 0, 0).width() + axis.devicePixel());
}

// Returns the box of an op. It ends one border before the end of its stretch(), and is at least one
// device pixel wide.
inline QRectF boxRect(const TimeAxis& axis, engine::Window window, double top, double height)
{
    QRectF rect = stretch(axis, window, top, height);
    rect.setWidth(std::max(rect.width() - axis.gap(), axis.devicePixel()));
    return rect;
}

// Tests whether the box of a time window ends at or before the pixel edge `right`. Agrees with
// boxRect() but is cheaper if there are many boxes per pixel.
struct BoxesUpTo
{
    BoxesUpTo(const TimeAxis& axis, double right)
        : begin(axis.time(right - axis.devicePixel() / 2))
        , end(axis.time(right + axis.gap() + axis.devicePixel() / 2))
    { }
    bool has(engine::Window window) const
    {
        return static_cast<double>(window.begin) < begin && static_cast<double>(window.end) < end;
    }

    double begin, end;
};

// Levels of detail, by the width of an op's time window on the screen, in pixels.
constexpr double kCoverageBelow = 3.0; // columns of exact shares instead of boxes
constexpr double kThinBelow = 5.0;     // thin boxes, with a border of 0.6 pixels
constexpr double kNumberFrom = 11.0, kTwoDigitsFrom = 17.0, kNameFrom = 44.0;

} // namespace app
