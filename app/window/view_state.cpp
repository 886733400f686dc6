#include "app/window/view_state.h"

#include "app/query/query_page.h"
#include "app/run/run_panels.h"
#include "app/timeline/widget/timeline_widget.h"

#include <QAction>
#include <QJsonArray>
#include <QJsonObject>
#include <QSplitter>
#include <QTabBar>

#include <cmath>

namespace app {
namespace {

const QString kSplitters = QStringLiteral("splitters"), kTabs = QStringLiteral("tabs"),
              kDocks = QStringLiteral("docks"), kTime = QStringLiteral("time"),
              kFolded = QStringLiteral("folded"), kFlow = QStringLiteral("flow"),
              kColourBy = QStringLiteral("colourBy"), kLanes = QStringLiteral("lanes"),
              kOrder = QStringLiteral("order"), kHidden = QStringLiteral("hidden"),
              kPinned = QStringLiteral("pinned"), kGroups = QStringLiteral("groups"),
              kName = QStringLiteral("name"), kDevices = QStringLiteral("devices"),
              kQuery = QStringLiteral("query");
// Checkable actions that show or hide a dock.
constexpr const char* kDockActions[] = {"showRuns", "showDetails", "showForm"};

// Uses saveState(), because it includes the sizes of hidden parts.
QJsonArray splitterStates(const Page& page)
{
    QJsonArray all;
    for (const QSplitter* splitter : page.findChildren<QSplitter*>())
        all.append(QString::fromLatin1(splitter->saveState().toBase64()));
    return all;
}

void restoreSplitters(const Page& page, const QJsonArray& all)
{
    const QList<QSplitter*> splitters = page.findChildren<QSplitter*>();
    if (all.size() != splitters.size())
        return;
    for (int i = 0; i < splitters.size(); ++i)
        splitters.at(i)->restoreState(QByteArray::fromBase64(all.at(i).toString().toLatin1()));
}

QJsonArray chosenTabs(const Page& page)
{
    QJsonArray chosen;
    for (const QTabBar* bar : page.findChildren<QTabBar*>())
        chosen.append(bar->currentIndex());
    return chosen;
}

void chooseTabs(const Page& page, const QJsonArray& chosen)
{
    const QList<QTabBar*> bars = page.findChildren<QTabBar*>();
    if (chosen.size() != bars.size())
        return;
    for (int i = 0; i < bars.size(); ++i)
        if (const int tab = chosen.at(i).toInt(); bars.at(i)->isTabVisible(tab))
            bars.at(i)->setCurrentIndex(tab);
}

QAction* dockAction(const Page& page, const char* name)
{
    auto* action = page.findChild<QAction*>(QString::fromLatin1(name));
    return action != nullptr && action->isCheckable() ? action : nullptr;
}

QJsonArray arrayOf(const auto& devices)
{
    QJsonArray all;
    for (const int device : devices)
        all.append(device);
    return all;
}

template<class Devices>
Devices devicesOf(const QJsonValue& value)
{
    Devices devices;
    for (const QJsonValue one : value.toArray())
        devices.insert(devices.end(), one.toInt(-1));
    return devices;
}

QJsonObject stateOf(const LaneOrder& order)
{
    QJsonArray groups;
    for (const LaneGroup& group : order.collapsed)
        groups.append(QJsonObject{{kName, QString::fromStdString(group.name)},
                                  {kDevices, arrayOf(group.devices)}});
    return {{kOrder, arrayOf(order.order)},
            {kHidden, arrayOf(order.hidden)},
            {kPinned, arrayOf(order.pinned)},
            {kGroups, groups}};
}

LaneOrder laneOrderOf(const QJsonObject& state)
{
    LaneOrder order{devicesOf<std::vector<int>>(state.value(kOrder)),
                    devicesOf<std::set<int>>(state.value(kHidden)),
                    devicesOf<std::set<int>>(state.value(kPinned)),
                    {}};
    for (const QJsonValue value : state.value(kGroups).toArray()) {
        const QJsonObject group = value.toObject();
        order.collapsed.push_back({group.value(kName).toString().toStdString(),
                                   devicesOf<std::vector<int>>(group.value(kDevices))});
    }
    return order;
}

void saveTimeline(QJsonObject& state, const TimelineWidget& timeline)
{
    if (timeline.iteration() >= 0)
        state.insert(kTime, QJsonArray{timeline.inSight().begin, timeline.inSight().end});
    state.insert(kFlow, static_cast<int>(timeline.look().flow));
    if (!timeline.lanes().order().isDefault())
        state.insert(kLanes, stateOf(timeline.lanes().order()));
    state.insert(kColourBy, static_cast<int>(timeline.look().colourBy));
}

void restoreTimeline(const QJsonObject& state, TimelineWidget& timeline)
{
    using Arrows = TimelineLook::Flow;
    TimelineLook look = timeline.look();
    const int flow = state.value(kFlow).toInt(-1), colourBy = state.value(kColourBy).toInt(-1);
    if (flow >= 0 && flow <= static_cast<int>(Arrows::All))
        look.flow = static_cast<Arrows>(flow);
    if (colourBy >= 0 && colourBy < kColourBys)
        look.colourBy = static_cast<ColourBy>(colourBy);
    timeline.setLook(look);
    if (state.contains(kLanes))
        timeline.lanes().setOrder(laneOrderOf(state.value(kLanes).toObject()));
    const QJsonArray time = state.value(kTime).toArray();
    const ViewWindow window{time.at(0).toDouble(), time.at(1).toDouble()};
    if (time.size() == 2 && std::isfinite(window.duration()) && window.duration() > 0)
        timeline.setInSight(window);
}

} // namespace

QJsonObject viewState(const Page& page)
{
    QJsonObject docks;
    for (const char* name : kDockActions)
        if (const QAction* action = dockAction(page, name))
            docks.insert(QString::fromLatin1(name), action->isChecked());
    QJsonObject state{
        {kSplitters, splitterStates(page)}, {kTabs, chosenTabs(page)}, {kDocks, docks}};
    if (const auto* panels = page.findChild<RunPanels*>())
        state.insert(kFolded, panels->isFolded());
    if (const auto* timeline = page.findChild<TimelineWidget*>())
        saveTimeline(state, *timeline);
    if (const auto* console = qobject_cast<const QueryPage*>(&page))
        state.insert(kQuery, console->query());
    return state;
}

void restoreView(Page& page, const QJsonObject& state)
{
    const QJsonObject docks = state.value(kDocks).toObject();
    for (const char* name : kDockActions) {
        const QJsonValue isShown = docks.value(QString::fromLatin1(name));
        if (QAction* action = dockAction(page, name); action != nullptr && isShown.isBool())
            action->setChecked(isShown.toBool());
    }
    chooseTabs(page, state.value(kTabs).toArray());
    if (auto* panels = page.findChild<RunPanels*>(); panels != nullptr && state.contains(kFolded))
        panels->setFolded(state.value(kFolded).toBool());
    restoreSplitters(page, state.value(kSplitters).toArray());
    if (auto* timeline = page.findChild<TimelineWidget*>())
        restoreTimeline(state, *timeline);
    if (auto* console = qobject_cast<QueryPage*>(&page);
        console != nullptr && state.value(kQuery).isString())
        console->setQuery(state.value(kQuery).toString());
}

} // namespace app
