#include "app/widgets/timeline/timeline_widget.h"

#include <QContextMenuEvent>

#include <algorithm>
#include <cmath>

// The lanes of a timeline: their layout, their arrangement by the user, and their kernels.
namespace app {

void TimelineWidget::relayout()
{
    m_scene.layout(size(), m_laneOptions);
    m_scene.scroll = 0; // the pinned lanes are at their places without scrolling
    layoutScrollBar(heightOf(m_scene.lanes));
}

void TimelineWidget::setKernels(KernelViewPointer kernels)
{
    if (m_scene.selection.kind == Selection::Kind::Kernel)
        setSelection({});
    m_scene.kernels = std::move(kernels);
    endHover();
    relayout();
}

void TimelineWidget::setKernelsShown(bool shown)
{
    if (m_scene.areKernelsShown == shown)
        return;
    m_scene.areKernelsShown = shown;
    if (!shown && m_scene.selection.kind == Selection::Kind::Kernel)
        setSelection({});
    relayout();
    Q_EMIT kernelsShownChanged(shown);
}

void TimelineWidget::reveal(const Selection& what)
{
    const ViewWindow box = viewOf(what.window);
    if (what.kind == Selection::Kind::None || what.kind == Selection::Kind::Device)
        return;
    if (box.end <= inSight().begin || box.begin >= inSight().end)
        moveTo(inSight().moved(box.centre() - inSight().centre()), Remember::Yes);
    const auto device = static_cast<std::size_t>(what.device.value);
    if (!what.device.isValid() || device >= m_scene.lanes.size())
        return;
    if (what.kind == Selection::Kind::Kernel)
        setKernelsShown(true);
    if (!m_scene.lanes[device].hasBoxes()) {
        LaneOrder order = m_laneOptions.order;
        order.hidden.erase(what.device.value);
        if (const LaneGroup* group = order.groupOf(what.device.value))
            order.toggleGroup(LaneGroup(*group));
        setLaneOrder(order);
    }
    const Lane& lane = m_scene.lanes[device];
    if (lane.isPinned)
        return;
    const double height = m_scene.areas.lanes.height();
    if (lane.top < scrollY())
        scrollTo(static_cast<int>(lane.top));
    if (lane.bottom() > scrollY() + height)
        scrollTo(static_cast<int>(std::ceil(lane.bottom() - height)));
}

void TimelineWidget::setLaneOrder(const LaneOrder& order)
{
    if (order == m_laneOptions.order)
        return;
    m_laneOptions.order = order;
    endHover();
    relayout();
    contentChanged();
    Q_EMIT laneOrderChanged();
}

std::vector<LaneGroup> TimelineWidget::laneGroups() const
{
    return isEmpty() ? std::vector<LaneGroup>() : app::laneGroups(m_scene.view->run());
}

void TimelineWidget::toggleLane(int device)
{
    if (const LaneGroup* group = m_laneOptions.order.groupOf(device)) {
        LaneOrder order = m_laneOptions.order;
        order.toggleGroup(LaneGroup(*group));
        setLaneOrder(order);
        return;
    }
    if (!m_laneOptions.toggled.insert(device).second)
        m_laneOptions.toggled.erase(device);
    relayout();
}

// A click on the triangle expands or collapses the lane; elsewhere it selects the device.
void TimelineWidget::pressHeader(QPointF at, int device)
{
    if (at.x() < 22) {
        toggleLane(device);
        return;
    }
    m_heldLane = device;
    setSelection(m_scene.deviceSelection(device));
}

// A lane that is dragged by its header takes the place of the lane under the pointer.
void TimelineWidget::dragLane(QPointF from, QPointF to)
{
    constexpr double kLeast = 8;
    const int over = m_scene.deviceAt({m_scene.areas.header.center().x(), to.y()});
    if (std::abs(to.y() - from.y()) < kLeast || over < 0 || over == m_heldLane)
        return;
    const std::vector<int> shown = m_laneOptions.order.shown(m_scene.view->devices());
    const auto placeOf
        = [&](int device) { return std::ranges::find(shown, device) - shown.begin(); };
    LaneOrder order = m_laneOptions.order;
    if (order.move(m_heldLane, static_cast<int>(placeOf(over) - placeOf(m_heldLane)),
                   m_scene.view->devices()))
        setLaneOrder(order);
}

void TimelineWidget::setPlan(std::shared_ptr<const engine::Run> plan)
{
    m_scene.plan = plan ? std::make_shared<const Plan>(std::move(plan)) : nullptr;
    planChanged();
}

void TimelineWidget::setOpsDone(int iterations, std::vector<int> devices)
{
    const QString ruler = isEmpty() ? QString() : m_scene.rulerScale().title;
    m_scene.planIteration = iterations;
    m_scene.opsDone = std::move(devices);
    if (isEmpty())
        return;
    if (m_scene.rulerScale().title != ruler)
        contentChanged(); // the grid, which is part of the picture of the lanes
    if (m_isFollowing)
        moveTo(m_scene.tail(), Remember::No);
    update();
}

void TimelineWidget::planChanged()
{
    contentChanged();
    if (m_isFollowing && !isEmpty())
        moveTo(m_scene.tail(), Remember::No);
}

void TimelineWidget::setPlanShown(bool shown)
{
    if (m_scene.isPlanShown == shown)
        return;
    m_scene.isPlanShown = shown;
    planChanged();
    Q_EMIT planShownChanged(shown);
}

engine::Window TimelineWidget::extent() const
{
    engine::Window all = m_scene.view->extent();
    if (const PlanView plan = m_scene.drawnPlan(); plan.plan != nullptr)
        all.end = plan.window().end;
    return all;
}

// The menu is about the item under the pointer, which is selected; a marked range stays if the
// pointer is in it. By keyboard, it is about the selection.
void TimelineWidget::contextMenuEvent(QContextMenuEvent* event)
{
    if (isEmpty())
        return;
    const bool isByMouse = event->reason() == QContextMenuEvent::Mouse;
    const QPointF at = event->pos();
    const int device = isByMouse ? m_scene.deviceAt(at) : -1;
    const Selection& now = m_scene.selection;
    const bool isInRange = now.kind == Selection::Kind::Range && m_scene.areas.lanes.contains(at)
        && now.window.contains(std::llround(m_scene.axis.time(at.x())));
    if (device >= 0)
        setSelection(m_scene.deviceSelection(device));
    else if (isByMouse && !isInRange)
        setSelection(m_scene.hit(at));
    const QPoint place = isByMouse
        ? event->globalPos()
        : mapToGlobal(selectionRect().isEmpty() ? rect().center() : selectionRect().center());
    Q_EMIT menuRequested(place);
}

} // namespace app
