#include "app/timeline/widget/timeline_scene.h"

#include "app/timeline/details/details_kernel.h"
#include "app/timeline/details/tool_tip.h"
#include "app/timeline/paint/header_painter.h"
#include "app/timeline/paint/iteration_strip.h"
#include "app/timeline/paint/overview_painter.h"
#include "app/timeline/paint/path_painter.h"
#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/walk_keys.h"
#include "app/timeline/widget/overview_drag.h"
#include "app/timeline/widget/time_canvas.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <algorithm>

namespace app {

std::optional<EmptyState::Texts> TimelineScene::emptyTexts() const
{
    if (!isEmpty())
        return std::nullopt;
    if (view && view->run().info.outcome != engine::Outcome::Running)
        return EmptyState::Texts{Icon::Chart,
                                 TimeCanvas::tr("No iteration was recorded"),
                                 TimeCanvas::tr("The run ended before its first iteration was "
                                                "complete."),
                                 {}};
    return EmptyState::Texts{Icon::Chart,
                             TimeCanvas::tr("No iteration yet"),
                             TimeCanvas::tr("The timeline fills when the first iteration is "
                                            "complete."),
                             {}};
}

bool TimelineScene::areMessagesThin(const ViewWindow& window) const
{
    constexpr double kThin = 2;
    return !isEmpty() && !view->occurs().has(engine::OpKind::Evict)
        && static_cast<double>(view->occurs().longestMessage) * areas.lanes.width()
        < kThin * window.duration();
}

bool TimelineScene::areLanesDense() const
{
    return std::ranges::any_of(
        lanes, [](const Lane& lane) { return !lane.isHidden && lane.kind == LaneKind::Dense; });
}

void TimelineScene::layout(QSizeF size, LaneOptions options)
{
    const bool hasMany = !isEmpty() && iterations().size() > IterationStrip::kFrom;
    areas = TimelineGeometry(size, {hasMany, !notes.empty()});
    options.available = areas.lanes.height();
    options.hasOneStrip = hasOneStrip;
    const KernelView* drawn = drawnKernels();
    options.kernels = drawn != nullptr ? drawn->rows() : engine::IdVector<engine::DeviceId, int>();
    options.ranges
        = drawn != nullptr ? drawn->ranges().rows() : engine::IdVector<engine::DeviceId, int>();
    lanes = layoutLanes(view ? view->devices() : 0, options);
}

std::optional<ViewWindow> TimelineScene::fitOf(int which) const
{
    if (isEmpty() || which < 0 || which >= static_cast<int>(iterations().size()))
        return std::nullopt;
    return fitted(iterations()[static_cast<std::size_t>(which)].window, areas.lanes.width());
}

PlanView TimelineScene::drawnPlan() const
{
    const bool isGrowing = !isEmpty() && view->run().info.outcome == engine::Outcome::Running;
    if (!isGrowing || !look.isPlanShown || !plan)
        return {};
    PlanView drawn{plan.get(), view->extent().end};
    const int next = static_cast<int>(iterations().size());
    if (planIteration == next)
        drawn.devices = opsDone;
    drawn.isComplete = planIteration > next; // it has ended, but its times are not read yet
    return drawn;
}

std::optional<PlannedOp> TimelineScene::plannedAt(QPointF at) const
{
    const PlanView drawn = drawnPlan();
    const int k = areas.lanes.contains(at) ? laneAt(lanes, laneY(at.y())) : -1;
    if (drawn.plan == nullptr || k < 0)
        return std::nullopt;
    const Lane& lane = lanes[static_cast<std::size_t>(k)];
    const double above = laneY(at.y()) - lane.computeTop();
    const engine::DeviceId device{k};
    const auto* op = lane.hasBoxes() && above >= 0 && above < lane.compute
        ? drawn.at(device, axis.time(at.x()))
        : nullptr;
    return op == nullptr ? std::nullopt : std::optional(PlannedOp{device, *op});
}

QString TimelineScene::plannedText(const PlannedOp& planned) const
{
    const PlanView drawn = drawnPlan();
    if (drawn.plan == nullptr)
        return {};
    const Scale scale = timeScale(view->run().info, drawn.plan->duration());
    const bool isDone = drawn.plan->positionOf(planned.op.op) < drawn.done(planned.device);
    const engine::Window window{planned.op.begin, planned.op.end};
    return toolTipPage(
        opName(view->run().info, view->op(planned.op.op)),
        TimeCanvas::tr("planned %1").arg(scale.withUnit(static_cast<double>(window.duration()))),
        {TimeCanvas::tr("device %1, %2 %3 of its iteration")
             .arg(QString::number(planned.device.value), rangeText(window, 0, scale), scale.unit()),
         isDone ? TimeCanvas::tr("has run; measured times appear when its iteration is complete")
                : TimeCanvas::tr("not yet run; predicted from the iterations so far")});
}

engine::Window TimelineScene::extent() const
{
    engine::Window all = view->extent();
    if (const PlanView drawn = drawnPlan(); drawn.plan != nullptr)
        all.end = drawn.window().end;
    return all;
}

RulerScale TimelineScene::rulerScale() const
{
    const PlanView drawn = drawnPlan();
    const bool isFromPlan = drawn.plan != nullptr && drawn.reached() > drawn.begin
        && axis.window().contains(drawn.begin);
    return app::rulerScale(*view, axis, isFromPlan ? std::optional(drawn.begin) : std::nullopt);
}

ViewWindow TimelineScene::tail() const
{
    const int last = view->run().info.outcome == engine::Outcome::Running
        ? static_cast<int>(iterations().size()) - 1
        : std::max(0, engine::reportedIteration(view->timeline()));
    const engine::Window window = iterations()[static_cast<std::size_t>(last)].window;
    const double duration = axis.end - axis.begin;
    constexpr double kNow = 0.79; // place of the current time, as a share of the width
    const PlanView drawn = drawnPlan();
    const std::int64_t ahead = drawn.plan == nullptr ? 0 : drawn.reached() - drawn.begin;
    const auto begin = static_cast<double>(window.begin + ahead),
               end = static_cast<double>(window.end + ahead);
    if (duration < 0.9 * static_cast<double>(window.duration()))
        return {end - kNow * duration, end + (1 - kNow) * duration};
    return drawn.plan == nullptr ? *fitOf(last) : ViewWindow{begin, begin + (end - begin) / kNow};
}

Selection TimelineScene::rangeBetween(double fromX, double toX) const
{
    const double a = axis.time(fromX), b = axis.time(toX);
    return {.kind = Selection::Kind::Range,
            .iteration = view->iterationAt(std::min(a, b)),
            .window = {std::llround(std::min(a, b)), std::llround(std::max(a, b))}};
}

Selection TimelineScene::deviceSelection(int device) const
{
    return {.kind = Selection::Kind::Device,
            .iteration = iteration,
            .device = engine::DeviceId{device}};
}

QString TimelineScene::stripText(QPointF at) const
{
    const int note = noteAt(at);
    if (note >= 0)
        return toolTipText(fromUtf8(notes[static_cast<std::size_t>(note)].text));
    if (const int under = reasonAt(at); under >= 0)
        return toolTipText(reasons[static_cast<std::size_t>(under)].tip);
    return isEmpty() ? QString() : iterationToolTip(*view, iterationStrip(), at);
}

int TimelineScene::reasonAt(QPointF at) const
{
    return path && areas.ruler.contains(at) ? app::reasonAt(reasons, axis, areas.ruler, at) : -1;
}

std::optional<Selection> TimelineScene::reasonTarget() const
{
    const auto at = static_cast<std::size_t>(reason);
    if (isEmpty() || !path || reason < 0 || at >= reasons.size())
        return std::nullopt;
    return Selection{.kind = Selection::Kind::Op,
                     .iteration = path->why.path.iteration,
                     .device = reasons[at].device,
                     .window = reasons[at].window};
}

int TimelineScene::iterationAt(QPointF at) const
{
    const IterationColumn column = isEmpty() ? IterationColumn() : columnAt(iterationStrip(), at);
    return column.count == 0 ? -1 : static_cast<int>(column.first + column.count / 2);
}

IterationStrip TimelineScene::iterationStrip() const
{
    return {iterations(), axis, areas.iterations};
}

bool TimelineScene::isOnHandle(QPointF at) const
{
    const QRectF& area = areas.overview;
    const QRectF frame = overviewWindowRect(*view, area, {axis.begin, axis.end});
    return area.contains(at) && OverviewDrag::isOnHandle(frame, at.x());
}

int TimelineScene::noteAt(QPointF at) const
{
    return areas.notes.contains(at) ? app::noteAt(noteStrip(), at) : -1;
}

Selection TimelineScene::hit(QPointF at) const
{
    if (isEmpty() || !areas.lanes.contains(at))
        return {};
    return selectionAt(*view, axis, lanes, {at.x(), laneY(at.y())}, drawnKernels());
}

Selection TimelineScene::menuTarget(QPointF at) const
{
    if (const int device = deviceAt(at); device >= 0)
        return deviceSelection(device);
    const bool isInRange = selection.kind == Selection::Kind::Range && areas.lanes.contains(at)
        && selection.window.contains(std::llround(axis.time(at.x())));
    return isInRange ? selection : hit(at);
}

bool TimelineScene::hoverAt(QPointF at)
{
    const auto planned = plannedAt(at);
    const Selection under = planned ? Selection() : hit(at);
    const bool isOther = under != hover || planned != plannedHover;
    hover = under;
    plannedHover = planned;
    return isOther;
}

void TimelineScene::endHover()
{
    hover = {};
    plannedHover.reset();
}

std::optional<Selection> TimelineScene::walkedTo(int key, Qt::KeyboardModifiers modifiers) const
{
    const bool isOnKernel = selection.kind == Selection::Kind::Kernel;
    const auto step = kernels ? kernelStep(key, modifiers, isOnKernel) : std::nullopt;
    if (!step && !isWalkKey(key))
        return std::nullopt;
    const auto to = step ? walkedKernel(*view, *kernels, selection, *step)
                         : walked(*view, selection, iteration, key);
    return to.value_or(selection);
}

int TimelineScene::deviceAt(QPointF at) const
{
    return areas.header.contains(at) ? laneAt(lanes, laneY(at.y())) : -1;
}

QString TimelineScene::columnText(QPointF at) const
{
    const int lane = !isEmpty() && areas.column.contains(at) ? laneAt(lanes, laneY(at.y())) : -1;
    return lane < 0 ? QString()
                    : groupCellText(*view, lanes[static_cast<std::size_t>(lane)], iteration);
}

QString TimelineScene::toolTip(QPointF at) const
{
    if (plannedHover)
        return plannedText(*plannedHover);
    if (hover.kind == Selection::Kind::Kernel)
        return kernelToolTip(*view, *kernels, hover);
    const double y = laneY(at.y());
    const int lane = laneAt(lanes, y);
    const HostRange* range = nullptr;
    if (hover.kind == Selection::Kind::Range && drawnKernels() != nullptr && lane >= 0)
        range = rangeAt(kernels->ranges(), engine::DeviceId{lane}, axis,
                        lanes[static_cast<std::size_t>(lane)], {at.x(), y});
    return range != nullptr ? rangeToolTip(*view, *range) : toolTipText(*view, hover);
}

QString TimelineScene::spoken() const
{
    if (isEmpty() || selection.kind == Selection::Kind::None)
        return {};
    const Scale scale = timeScale(view->run().info, selection.window.duration());
    const QString length = scale.withUnit(static_cast<double>(selection.window.duration()));
    const QString device = TimeCanvas::tr("device %1").arg(selection.device.value);
    switch (selection.kind) {
    case Selection::Kind::Bubble:
        return TimeCanvas::tr("Bubble, %1, %2").arg(device, length);
    case Selection::Kind::Range:
        return TimeCanvas::tr("Range, %1").arg(length);
    case Selection::Kind::Device:
        return device;
    case Selection::Kind::Category:
        return TimeCanvas::tr("%1, %2").arg(
            fromUtf8(profiler::timeCategoryName(selection.category)),
            countOf(category ? std::ssize(category->all()) : 0, "box"));
    case Selection::Kind::Kernel: {
        const auto& activity = kernels->activity();
        const auto& name = activity.nameOf(activity.work()[selection.work]).label;
        return TimeCanvas::tr("Kernel %1, %2, %3")
            .arg(QString::fromStdString(name), device, length);
    }
    default: {
        const auto& op = view->op(selection.op);
        return TimeCanvas::tr("%1, %2, %3, %4")
            .arg(opName(view->run().info, op), opTitle(op.kind), device, length);
    }
    }
}

QRectF TimelineScene::boxOf(const Selection& what) const
{
    return isEmpty() ? QRectF()
                     : rectOf(*view, axis, lanes, what).translated(0, areas.lanes.top() - scroll);
}

NoteStrip TimelineScene::noteStrip() const
{
    return {notes, axis, areas.notes, currentNote()};
}

std::optional<Selection> TimelineScene::noteTarget(int note) const
{
    if (isEmpty() || note < 0 || note >= static_cast<int>(notes.size()))
        return std::nullopt;
    return selectionOf(*view, notes[static_cast<std::size_t>(note)]);
}

int TimelineScene::currentNote() const
{
    if (isEmpty() || selection.kind == Selection::Kind::None)
        return -1;
    for (std::size_t k = 0; k < notes.size(); ++k) {
        const engine::Note& note = notes[k];
        const bool isOfOp = selection.kind == Selection::Kind::Op && note.op == selection.op;
        if ((isOfOp || note.window == selection.window) // cheap test before selectionOf()
            && selectionOf(*view, note) == selection)
            return static_cast<int>(k);
    }
    return -1;
}

} // namespace app
