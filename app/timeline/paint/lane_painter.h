#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/paint/box_painter.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/find.h"
#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/path_marks.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "engine/timeline/run.h"

#include <QColor>
#include <QRectF>

#include <climits>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

class QPainter;

namespace app {

struct MovesPicture
{
    const RunView& view;
    const TimeAxis& axis;
    const BoxColours& colours;
};
// Draws the evicts (filled) and loads (outlined) of a device, on the device itself and on its
// partner: in the row below the transfers of a full lane, or as a strip below the boxes.
void paintMoves(QPainter& painter, const MovesPicture& picture, engine::DeviceId device,
                const Lane& lane);
// Draws a line between the two ends of an evict or load, and a frame at the partner's end.
void paintMovePair(QPainter& painter, const MovesPicture& picture, const std::vector<Lane>& lanes,
                   const Selection& selection);

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

// Draws the lanes of one run into the time area: compute boxes, bubbles, transfers, memory. Only
// the visible part is drawn, so the cost depends on the number of pixels. MarksPainter draws
// selection and hover.
class LanePainter
{
public:
    enum class Labels { None, Numbers, Names }; // "5", "1B5"

    LanePainter(QPainter& painter, const RunView& view, const TimeAxis& axis,
                const BoxColours& colours);

    // The longest form of the texts. Texts have one form in a lane: the longest that fits in all
    // boxes of the run, so that panning does not change it.
    void setLabels(Labels labels) { m_most = labels; }
    void setFlow(std::optional<Flow> flow) { m_flow = flow; }
    void setFound(const Found* found) { m_found = found; } // dims ops not found; may be nullptr
    void setPath(const PathMarks* path) { m_path = path; } // dims ops off the path; may be nullptr
    // Dims other boxes than those of a category of time; may be nullptr.
    void setCategory(const CategoryBoxes* category) { m_category = category; }
    void paint(engine::DeviceId device, const Lane& lane, int iteration);
    void paintCompute(engine::DeviceId device, double top, double height);
    // Fills every pixel column of `window` with the exact share of each kind of work, as a mean of
    // the devices that have a trace. The rest is bubble.
    void paintMean(std::span<const int> devices, engine::Window window, double top, double height);

private:
    void paintGroup(const Lane& lane);
    Labels labelsOf(engine::DeviceId device, double height) const;
    BoxText textOf(const engine::Op& op, double width) const;
    BoxColours::Emphasis emphasis(const engine::Span& span) const;
    bool isInFlow(std::uint32_t op, int iteration) const;
    void paintPiece(engine::DeviceId device, const Piece& piece, double top, double height);
    void paintOp(const Piece& piece, double top, double height);
    void paintDense(engine::DeviceId device, engine::Window window, double top, double height);
    ColumnColours selectedColours(ColumnColours dimmed, profiler::TimeCategory category) const;
    void paintShares(engine::Window window, double top, double height,
                     const std::function<Busy(double time)>& before);
    // Draws the narrow lanes below the boxes: messages, all-reduces, memory over time.
    void paintTransfers(engine::DeviceId device, engine::Track::Kind kind, double top);
    void paintTransfer(const engine::Span& span, double top);
    void paintMemory(engine::DeviceId device, const Lane& lane, int iteration);
    MemoryLevels levelsOf(engine::DeviceId device, const Lane& lane) const;
    void paintPeak(const MemoryLevels& levels, int iteration);

    QPainter& m_painter;
    const RunView& m_view;
    const TimeAxis& m_axis;
    const BoxColours& m_colours;
    BoxPainter m_boxes;
    std::optional<Flow> m_flow;
    const Found* m_found = nullptr;
    const PathMarks* m_path = nullptr;
    const CategoryBoxes* m_category = nullptr;
    Labels m_most = Labels::Names, m_labels = Labels::Names;
};

// The texts of a box that is `width` pixels wide; those that need more are left out.
BoxText boxText(const engine::Op& op, double width);

// Draws kernels below their ops, row by row, as boxes with the kernel's name if it fits. Kernels
// that are too narrow for a box are drawn as one column per pixel, whose height is the share of
// busy time. Gaps stay visible, and the cost depends on the number of pixels. The part in which an
// NCCL kernel waits is hatched like a bubble.
class KernelPainter
{
public:
    KernelPainter(QPainter& painter, const KernelView& kernels, const TimeAxis& axis,
                  const BoxColours& colours);

    void paint(engine::DeviceId device, const Lane& lane);

private:
    struct Row
    {
        engine::DeviceId device;
        int row = 0;
        double top = 0, height = 0;
    };
    void paintRow(const Row& row);
    void paintBoxes(const Row& row, std::span<const engine::Span> spans);
    void paintBox(const Row& row, const engine::Span& span);
    void paintName(std::uint32_t work, const QRectF& within, QColor ink);
    void paintColumnsOf(const Row& row, engine::Window window);

    QPainter& m_painter;
    const KernelView& m_kernels;
    const TimeAxis& m_axis;
    const BoxColours& m_colours;
    KernelColumnColours m_columns;
};

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
// depends on the number of pixels.
class PlanPainter
{
public:
    PlanPainter(QPainter& painter, const RunView& view, const TimeAxis& axis,
                const BoxColours& colours);

    void paint(const PlanView& plan, engine::DeviceId device, const Lane& lane);
    // Outlines the op under the pointer.
    void paintHover(const PlanView& plan, const engine::Span& op, const Lane& lane);

private:
    void outline(const QRectF& box, const QColor& colour);
    void fill(const engine::Span& op, engine::Window window, const Lane& lane);
    void flush(bool isDone);

    QPainter& m_painter;
    const RunView& m_view;
    const TimeAxis& m_axis;
    const BoxColours& m_colours;
    BoxPainter m_boxes;
    QRectF m_merged; // encloses ops that are too narrow for separate boxes
};

// A line through all lanes at the time that a growing run has reached, and that time on the ruler.
struct NowLine
{
    double time = 0;
    QString text;
    QRectF ruler, lanes;
};
void paintNow(QPainter& painter, const NowLine& now, const TimeAxis& axis, const Theme& theme);

} // namespace app
