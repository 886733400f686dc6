#include "app/run/run_lanes.h"

#include "app/run/run_actions.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/numbers.h"

#include <QAction>

#include <algorithm>

namespace app {

RunLanes::RunLanes(TimelineWidget& timeline, const RunActions& actions, QObject* parent)
    : QObject(parent)
    , m_timeline(timeline)
    , m_actions(actions)
{
    const RunActions::Lanes& lanes = actions.lanes;
    const auto edit = [this](QAction* action, auto what) {
        connect(action, &QAction::triggered, this, [this, what] {
            change([this, what](LaneOrder& order) { what(order, device()); });
        });
    };
    const auto all = [this] { return m_timeline.devices(); };
    edit(lanes.hide, [all](LaneOrder& order, int device) { order.hide(device, all()); });
    edit(lanes.hideOthers,
         [all](LaneOrder& order, int device) { order.hideOthers(device, all()); });
    edit(lanes.pin, [](LaneOrder& order, int device) { order.togglePin(device); });
    edit(lanes.up, [all](LaneOrder& order, int device) { order.move(device, -1, all()); });
    edit(lanes.down, [all](LaneOrder& order, int device) { order.move(device, 1, all()); });
    edit(lanes.group, [this](LaneOrder& order, int) { order.toggleGroup(*group()); });
    connect(lanes.groupAll, &QAction::triggered, this, [this] {
        LaneOrder order = m_timeline.lanes().order();
        order.collapsed = m_timeline.laneGroups();
        m_timeline.lanes().setOrder(order);
    });
    connect(lanes.expand, &QAction::triggered, this, [this] {
        if (device() >= 0)
            m_timeline.lanes().toggle(device());
    });
    connect(lanes.showAll, &QAction::triggered, this, [this] { m_timeline.lanes().setOrder({}); });
    connect(&timeline.lanes(), &LaneHeaders::orderChanged, this, [this] {
        update();
        Q_EMIT changed();
    });
    update();
}

int RunLanes::device() const
{
    const Selection& selection = m_timeline.selection();
    const bool isOnLane = selection.kind != Selection::Kind::None && selection.device.isValid();
    return isOnLane && selection.device.value < m_timeline.devices() ? selection.device.value : -1;
}

// The group of the selected lane; nullopt if no lane is selected or it belongs to no group.
std::optional<LaneGroup> RunLanes::group() const
{
    for (LaneGroup& one : m_timeline.laneGroups())
        if (std::ranges::find(one.devices, device()) != one.devices.end())
            return std::move(one);
    return std::nullopt;
}

void RunLanes::change(const std::function<void(LaneOrder&)>& edit)
{
    if (device() < 0)
        return;
    LaneOrder order = m_timeline.lanes().order();
    edit(order);
    m_timeline.lanes().setOrder(order);
}

void RunLanes::update()
{
    const RunActions::Lanes& lanes = m_actions.lanes;
    const LaneOrder& order = m_timeline.lanes().order();
    const bool isOnLane = device() >= 0;
    const bool hasOthers = isOnLane && order.shown(m_timeline.devices()).size() > 1;
    for (QAction* action : {lanes.pin, lanes.expand})
        action->setEnabled(isOnLane);
    for (QAction* action : {lanes.hide, lanes.hideOthers, lanes.up, lanes.down})
        action->setEnabled(hasOthers);
    lanes.pin->setText(isOnLane && order.pinned.contains(device()) ? tr("Unpin the lane")
                                                                   : tr("Pin the lane to the top"));
    lanes.group->setEnabled(group().has_value());
    lanes.group->setText(isOnLane && order.groupOf(device()) != nullptr
                             ? tr("Expand the group of lanes")
                             : tr("Collapse the group of lanes"));
    lanes.groupAll->setEnabled(order.collapsed != m_timeline.laneGroups());
    lanes.showAll->setEnabled(!order.isDefault());
}

QStringList RunLanes::status() const
{
    const LaneOrder& order = m_timeline.lanes().order();
    QStringList texts;
    if (!order.hidden.empty())
        texts << tr("%1 of %2 lanes hidden").arg(order.hidden.size()).arg(m_timeline.devices());
    if (!order.pinned.empty())
        texts << tr("%1 pinned").arg(order.pinned.size());
    if (!order.order.empty())
        texts << tr("lanes reordered");
    if (!order.collapsed.empty())
        texts << tr("%1 collapsed").arg(countOf(std::ssize(order.collapsed), "group"));
    return texts.isEmpty() ? texts : QStringList{texts.join(QStringLiteral(", "))};
}

} // namespace app
