#pragma once

#include "engine/timeline/run.h"
#include "engine/timeline/timeline.h"

#include <QPointF>
#include <QRectF>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace app {

// Devices whose lanes can collapse into one, in ascending order.
struct LaneGroup
{
    std::string name; // "node 0", "host gpu-17", "devices 0-7"
    std::vector<int> devices;

    friend bool operator==(const LaneGroup&, const LaneGroup&) = default;
};

enum class LaneKind { Full, Compute, Dense };

// Positions and heights are in logical pixels.
struct Lane
{
    LaneKind kind = LaneKind::Full;
    double top = 0, height = 0; // y before scrolling
    double compute = 42;        // height of the compute boxes
    double memory = 34;         // height of the memory over time, in a full lane
    int kernels = 0;            // rows of kernels, one per stream
    double kernel = kKernel;    // height of a row of kernels
    int ranges = 0;             // rows of NVTX ranges, above the kernels
    bool isHidden = false;      // nothing is drawn: the device is in the lane of its group
    bool hasOneStrip = false;   // messages of all kinds share one row, because they are thin
    LaneGroup group = {};       // without devices: the lane of one device

    bool hasBoxes() const { return !isHidden && group.devices.empty(); }

    double computeTop() const { return top + (kind == LaneKind::Dense ? 1 : 8); }
    double rangeTop(int row) const { return computeTop() + compute + 3 + row * kKernelStep; }
    double kernelTop(int row) const { return rangeTop(ranges) + row * (kernel + 2); }
    double kernelsHeight() const // includes the ranges
    {
        return ranges + kernels > 0 ? ranges * kKernelStep + kernels * (kernel + 2) + 1 : 0;
    }
    double sendTop() const { return computeTop() + compute + 3 + kernelsHeight(); }
    double receiveTop() const { return hasOneStrip ? sendTop() : sendTop() + kTransfer + 2; }
    double reduceTop() const { return hasOneStrip ? sendTop() : receiveTop() + kTransfer + 3; }
    double memoryTop() const { return reduceTop() + kTransfer + (hasOneStrip ? 4 : 5); }
    // The evicts and loads of BPipe: in the row of the all-reduces, or below the boxes.
    double movesTop() const
    {
        return kind == LaneKind::Full ? reduceTop() : computeTop() + compute + 2;
    }
    double movesHeight() const
    {
        return kind == LaneKind::Full ? kTransfer : kind == LaneKind::Compute ? kMoves : 0;
    }
    double bottom() const { return top + height; }
    friend bool operator==(const Lane&, const Lane&) = default;

    static constexpr double kTransfer = 11, kMoves = 5;
    static constexpr double kKernel = 12, kKernelStep = kKernel + 2;
};

// Groups the devices by host or node, or in blocks of eight if the run names neither. Returns no
// groups if there would be only one.
std::vector<LaneGroup> laneGroups(const engine::Run& run);

// The group that has the device; nullptr: none.
const LaneGroup* groupOf(const std::vector<LaneGroup>& groups, int device);

struct LaneOptions
{
    static constexpr double kUsual = 42, kLeast = 21, kMost = 84;

    double available = 0; // height of the whole area
    // Height of compute boxes that the user chose with Alt+wheel. nullopt: kUsual, or less if that
    // does not fit.
    std::optional<double> compute;
    std::set<int> toggled; // devices whose lanes the user expanded or collapsed
    // Rows of kernels; empty: kernels are hidden.
    engine::IdVector<engine::DeviceId, int> kernels = {};
    // Rows of NVTX ranges; empty: ranges are hidden.
    engine::IdVector<engine::DeviceId, int> ranges = {};
    // The groups with one lane each, that of their first device.
    std::vector<LaneGroup> collapsed = {};
    // Whether the run has no pipeline, so that its kernels show what a device does: their rows are
    // high, and the ranges on the host are low.
    bool kernelsDecide = false;
    // Whether all messages are so narrow that they share a row. Boxes are then higher.
    bool hasOneStrip = false;
};

// Returns the lane of every device.
// * If full lanes fit, all lanes are full. To fit, compute boxes shrink to 28 pixels and then
//   memory to 18.
// * Otherwise lanes have only compute boxes, or are dense with 23 or 17 pixels. If dense lanes do
//   not fit either, the caller scrolls.
// * Lanes that would be dense only because of their kernels keep the kernels and scroll.
// * Unless the user chose a height, boxes and memory grow into the remaining height, each up to a
//   limit.
std::vector<Lane> layoutLanes(int devices, const LaneOptions& options);
double heightOf(const std::vector<Lane>& lanes);      // sum of all heights
int laneAt(const std::vector<Lane>& lanes, double y); // -1: no lane
// The devices whose lanes are not hidden and touch the height from `top` to `bottom`.
std::vector<engine::DeviceId> devicesInSight(const std::vector<Lane>& lanes, double top,
                                             double bottom);

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

// The visible stretch of time in ticks, which may be fractional for smooth zooming.
struct ViewWindow
{
    double begin = 0, end = 1;

    double duration() const { return end - begin; }
    double centre() const { return (begin + end) / 2; }
    ViewWindow zoomed(double factor, double about) const // factor < 1 magnifies
    {
        return {about + (begin - about) * factor, about + (end - about) * factor};
    }
    ViewWindow moved(double ticks) const { return {begin + ticks, end + ticks}; }
    friend bool operator==(const ViewWindow&, const ViewWindow&) = default;
};

// Limits the window to at least a few ticks and at most twice the run, and keeps the run visible.
ViewWindow limited(ViewWindow window, engine::Window extent);
// Returns `window` with margins of 10 and 16 pixels, so that the first and the last box do not
// touch the edge.
ViewWindow fitted(engine::Window window, double widthInPixels);

inline ViewWindow viewOf(engine::Window window)
{
    return {static_cast<double>(window.begin), static_cast<double>(window.end)};
}
// Returns the view that shows all of `box`, with the same zoom if possible; nullopt if `inSight`
// already shows it.
std::optional<ViewWindow> bringIn(engine::Window box, ViewWindow inSight);

// The history of views, like that of a browser.
class ZoomHistory
{
public:
    void push(ViewWindow current); // call it before the view changes
    bool back(ViewWindow& current);
    bool forward(ViewWindow& current);
    void clear();

private:
    std::vector<ViewWindow> m_back, m_forward;
};

// The iterations that touch the visible time.
std::span<const engine::Iteration> iterationsInSight(std::span<const engine::Iteration> iterations,
                                                     const TimeAxis& axis);
// False if lines at the edges of the iterations would be so close that they hide the lanes.
bool areEdgesDrawn(std::span<const engine::Iteration> inSight, const TimeAxis& axis);
// The windows of the visible iterations, or the one window of all of them if their edges are not
// drawn.
std::vector<engine::Window> drawnWindows(std::span<const engine::Iteration> iterations,
                                         const TimeAxis& axis);

// The iterations that begin in one pixel column: their number and the least, the median and the
// greatest duration. An iteration wider than a pixel has a separate column.
struct IterationColumn
{
    double left = 0, right = 0; // pixels; `right` is the start of the next column
    std::size_t first = 0, count = 0;
    std::int64_t least = 0, median = 0, greatest = 0;
};
std::vector<IterationColumn> iterationColumns(std::span<const engine::Iteration> inSight,
                                              const TimeAxis& axis);

// The row of iteration times, shown for runs of many iterations.
struct IterationStrip
{
    static constexpr std::size_t kFrom = 20; // shown for more iterations than this

    std::span<const engine::Iteration> iterations; // all iterations of the run
    const TimeAxis& axis;
    QRectF area;
};
// The column at a point; `first` is an index into the iterations of the run. count == 0: none.
IterationColumn columnAt(const IterationStrip& strip, QPointF at);

// Returns the smallest number of 1, 2, 5, 10, 20, ... iterations that are at least `room` pixels
// wide.
int labelStep(double pixelsPerIteration, double room);

} // namespace app
