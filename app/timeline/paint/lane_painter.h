#pragma once

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/ruler_painter.h"
#include "app/timeline/view/find.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/navigation.h"
#include "engine/timeline/run.h"
#include "profiler/figure/palette.h"
#include "profiler/why/why.h"

#include <QColor>
#include <QRectF>
#include <QString>

#include <climits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

class QPainter;

namespace app {

// The critical path of one iteration, for the lanes of a timeline.
struct PathMarks
{
    profiler::Why why;
    // By OpIndex: whether the op is on the path. Both the send and the receive of a message on the
    // path are marked.
    std::vector<bool> ops;

    bool has(const engine::Span& span) const
    {
        return static_cast<int>(span.iteration) == why.path.iteration && ops[span.op];
    }
};
using PathMarksPointer = std::shared_ptr<const PathMarks>;

// A reason for the length of the path, for the ruler and the lanes. Its number is not its place in
// a list, because reasons are numbered by gain.
struct PathReason
{
    int number = 0; // on the ruler; 0: it is shown only while it is highlighted
    QString plate;  // on the ruler while it is highlighted: "2 drain 12.4 ms"
    QString tip;
    engine::DeviceId device;
    engine::Window window;
    std::vector<std::size_t> parts; // indices into CriticalPath::parts, ascending
};

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

// A part of the stacked bar that shows the peak memory of a device. It states the bytes of one
// memory category or, if no memory was recorded, the stash in M_a.
struct MemoryPart
{
    QColor fill;
    double amount = 0;
};
std::vector<MemoryPart> memoryParts(const RunView& view, const profiler::DeviceMetrics& device,
                                    const Theme& theme);
double memoryPeak(const RunView& view, const profiler::DeviceMetrics& device);

// Least lane height, in pixels, for a vertical memory bar with several amounts beside it. In a
// lower lane the bar is horizontal, with one amount.
constexpr double kStandingFrom = 84;

// The memory bar of a device while its run has not ended. It shows the amounts of RunningMemory:
// the arena as an outline, the touched bytes, the live bytes by category, and the planned peak as a
// triangle. The four numbers are to the right of the bar.
struct RunningBar
{
    const RunningMemory& memory;
    const profiler::DeviceMetrics& device; // the device's metrics in any iteration
    QRectF bar, amounts;
    double scale = 1; // bytes of a full bar
};
void paintRunningMemory(QPainter& painter, const RunningBar& running, const Theme& theme);

// Draws the parts from the bottom, or from the left if `bar` is horizontal. `scale` is the amount
// of a full bar.
void paintMemoryParts(QPainter& painter, const std::vector<MemoryPart>& parts, double scale,
                      const QRectF& bar);

// The columns next to the lane of a device. The left one, 140 pixels wide, has the name, the
// stages, the share of compute and a bar of time shares. The right one, 124 pixels wide, has the
// peak memory by category (in M_a if no memory was recorded), or the bubble if lanes are dense.
struct LaneCell
{
    engine::DeviceId device;
    int iteration = -1;
    QRectF area;
    const KernelView* kernels = nullptr; // nullptr unless the lane has kernel rows
};
void paintHeader(const LaneCanvas& on, const LaneCell& cell);
void paintMemoryCell(const LaneCanvas& on, const LaneCell& cell);
// The text of a collapsed group's right cell: the largest peak of its devices, or their mean
// bubble. "" for the lane of one device.
QString groupCellText(const RunView& view, const Lane& lane, int iteration);
QString memoryTitle(const RunView& view, const Lane& lane); // title of the right column

// Draws the shares of forward, backward, W, optimizer and exposed communication. The rest of `area`
// is bubble.
void paintShareBar(QPainter& painter, const profiler::DeviceMetrics& metrics,
                   const BoxColours& colours, const QRectF& area);

// Marks on top of the lanes: outlines of the hovered, selected and focused box, the arrows of a
// micro-batch, a range. They are redrawn whenever the pointer moves; the lanes are not.
void paintFlow(const LaneCanvas& on, const Flow& flow);
// Draws the arrows of every micro-batch, unless there are too many to follow.
void paintAllFlows(const LaneCanvas& on, int iteration);
void paintHits(const LaneCanvas& on, const std::vector<Selection>& hits); // sorted by start
void paintHover(const LaneCanvas& on, const Selection& hover);
void paintSelected(const LaneCanvas& on, const Selection& selection);
// Names cause and length of the longest bubble of each device, where the lane has space.
void paintPlates(const LaneCanvas& on, int iteration);
void paintFocus(const LaneCanvas& on, const Selection& selection); // keyboard focus

// The marked range over the lanes.
void paintRange(QPainter& painter, const TimeAxis& axis, const Theme& theme, engine::Window window,
                const QRectF& lanes);
// The band of a range on the ruler, with its length and ends.
struct RangeBand
{
    engine::Window window;
    QRectF ruler;
};
void paintRangeBand(QPainter& painter, const RulerScale& scale, const TimeAxis& axis,
                    const Theme& theme, const RangeBand& range);

struct PathPicture
{
    const PathMarks& marks;
    const std::vector<PathReason>& reasons; // those with a number are sorted by time
    const TimeAxis& axis;
    const BoxColours& colours;
    int reason = -1; // the highlighted reason; -1: none
};

// Draws the path over the lanes as a line that changes lanes with each message. The pieces of the
// highlighted reason are thicker.
void paintPath(QPainter& painter, const PathPicture& picture, const std::vector<Lane>& lanes);
// Shades the time of the highlighted reason from `top` to `bottom`.
void paintReasonBand(QPainter& painter, const PathPicture& picture, double top, double bottom);
// Draws the numbers of the reasons on the ruler, and the highlighted one as a plate.
void paintReasonMarks(QPainter& painter, const PathPicture& picture, const QRectF& ruler);
// The left and right edges of the numbers on the ruler, from left to right.
std::vector<std::pair<double, double>> reasonPlaces(const std::vector<PathReason>& reasons,
                                                    const TimeAxis& axis);
// The reason whose number is at a point of the ruler; -1: none.
int reasonAt(const std::vector<PathReason>& reasons, const TimeAxis& axis, const QRectF& ruler,
             QPointF at);

} // namespace app
