#pragma once

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/view/find.h"
#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/path_marks.h"
#include "engine/timeline/run.h"

#include <QColor>
#include <QRectF>

#include <climits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

class QPainter;

namespace app {

// Draws the evicts (filled) and loads (outlined) of a device, on the device itself and on its
// partner: in the row below the transfers of a full lane, or as a strip below the boxes.
void paintMoves(const LaneCanvas& on, engine::DeviceId device);
// Draws a line between the two ends of an evict or load, and a frame at the partner's end.
void paintMovePair(const LaneCanvas& on, const Selection& selection);

struct LevelColours
{
    QColor base, stash, line, top; // `line` is drawn along the levels, `top` over each iteration
    QColor guest, guestLine;       // ground and lines of the stashes of a partner
};

// Draws the memory of a device during the visible iterations. Every device pixel shows its highest
// level, so that no peak is lost. Writes into an image, because four rectangles per pixel would be
// slow.
struct MemoryLevels
{
    static constexpr double kAbove = 8; // space above the full level, in pixels

    const MemorySeries& series;
    std::span<const engine::Iteration> iterations;
    double top = 0, height = 0; // extent of the strip; `top` is a whole device pixel
    double full = 1;
    LevelColours colours = {};

    double y(const TimeAxis& axis, double level) const // returns the y of the line for a level
    {
        return axis.snap(top + height - (full > 0 ? level / full : 0) * (height - kAbove));
    }
};
void paintMemoryLevels(QPainter& painter, const TimeAxis& axis, const MemoryLevels& levels);

// The boxes that stand out; the others are dimmed.
struct Highlights
{
    std::optional<Flow> flow = {};
    const Found* found = nullptr;            // the hits of a search
    const PathMarks* path = nullptr;         // ops on the critical path
    const CategoryBoxes* category = nullptr; // boxes of a category of time
};
enum class Labels { None, Numbers, Names }; // "5", "1B5"
using DeviceList = std::span<const engine::DeviceId>;

// Draws the lanes of some devices into the time area: compute boxes, bubbles, transfers, memory.
// Only the visible part is drawn, so the cost depends on the number of pixels.
void paintLanes(const LaneCanvas& on, DeviceList devices, int iteration,
                const Highlights& highlights);
// Draws only the compute boxes of all lanes. `most` is the longest form of their texts. Texts have
// one form in a lane: the longest that fits in all boxes of the run, so that panning does not
// change it.
void paintBoxes(const LaneCanvas& on, Labels most, const Highlights& highlights = {});
// Fills every pixel column of `window` with the exact share of each kind of work, as a mean of the
// devices that have a trace. The rest is bubble.
void paintMean(const LaneCanvas& on, std::span<const int> devices, engine::Window window,
               double top, double height);

// The texts of a box that is `width` pixels wide; those that need more are left out.
BoxText boxText(const engine::Op& op, double width);

// Draws kernels below their ops, row by row, as boxes with the kernel's name if it fits. Kernels
// that are too narrow for a box are drawn as one column per pixel, whose height is the share of
// busy time. Gaps stay visible, and the cost depends on the number of pixels. The part in which an
// NCCL kernel waits is hatched like a bubble.
void paintKernels(const LaneCanvas& on, const KernelView& kernels, DeviceList devices);
// Draws the NVTX rows of a lane as grey boxes, with names where they fit. Draws only one of several
// ranges within one pixel.
void paintRanges(const LaneCanvas& on, const RangeView& ranges, DeviceList devices);

// Draws the hatch of a wait and the frame around it, in a lane or the legend. `origin` is the x at
// which the hatch pattern begins, `edge` the width of the frame.
void paintKernelWait(QPainter& painter, const BoxColours& colours, const QRectF& part,
                     double origin, double edge);

// The predicted next iteration of a growing run.
class Plan
{
public:
    // `run` is a prediction with one iteration, which begins at tick 0, and with the same ops as
    // the run that is being recorded.
    explicit Plan(std::shared_ptr<const engine::Run> run);

    const engine::Run& run() const { return *m_run; }
    std::int64_t duration() const;
    // The compute ops of a device, sorted by time; empty if it has none.
    std::span<const engine::Span> ops(engine::DeviceId device) const;
    int positionOf(std::uint32_t op) const { return static_cast<int>(m_index.positionOf(op)); }

private:
    std::shared_ptr<const engine::Run> m_run;
    engine::OpIndex m_index;
};
using PlanPointer = std::shared_ptr<const Plan>;

struct PlannedOp
{
    engine::DeviceId device;
    engine::Span op; // in ticks of the plan

    friend bool operator==(const PlannedOp&, const PlannedOp&) = default;
};

// A plan at its place on the time axis of the growing run, and the progress of the devices. Does
// not own them.
struct PlanView
{
    const Plan* plan = nullptr; // nullptr: nothing is drawn
    std::int64_t begin = 0;     // start of the planned iteration, in ticks of the growing run
    std::span<const int> devices = {}; // complete ops of each device; empty: unknown
    bool isComplete = false;           // all ops have run, but their times are not known yet

    bool isUnderWay() const { return isComplete || !devices.empty(); }
    // The number of complete ops of a device. The ops of a device run in the planned order.
    int done(engine::DeviceId device) const;
    // The index of the first compute op of a device that has not run; past the end if all have.
    std::size_t next(engine::DeviceId device) const;
    // The planned time up to which all devices have progressed (the minimum over the devices), in
    // ticks of the growing run.
    std::int64_t reached() const;
    engine::Window window() const { return {begin, begin + (plan ? plan->duration() : 0)}; }
    engine::Window windowOf(const engine::Span& op) const
    {
        return {op.begin + begin, op.end + begin};
    }
    // The planned op of a device at a time of the growing run; nullptr: none.
    const engine::Span* at(engine::DeviceId device, double time) const;
};

// Draws the compute ops of a plan. Ops that have run have a pale fill; the next op of each device
// is outlined in its colour, later ops in grey. Merges ops narrower than three pixels, so the cost
// depends on the number of pixels. Also outlines the op under the pointer, if there is one.
void paintPlan(const LaneCanvas& on, const PlanView& plan, DeviceList devices,
               const std::optional<PlannedOp>& hover = {});

// A line through all lanes at the time that a growing run has reached, and that time on the ruler.
struct NowLine
{
    double time = 0;
    QString text;
    QRectF ruler, lanes;
};
void paintNow(QPainter& painter, const NowLine& now, const TimeAxis& axis, const Theme& theme);

} // namespace app
