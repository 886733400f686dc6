#pragma once

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/run_view.h"
#include "engine/timeline/run.h"

#include <QRectF>

#include <climits>
#include <memory>
#include <span>
#include <vector>

class QPainter;

namespace app {

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
