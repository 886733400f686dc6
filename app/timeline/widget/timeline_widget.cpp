#include "app/timeline/widget/timeline_widget.h"

#include "app/timeline/details/details.h"
#include "app/timeline/paint/ruler_painter.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/widget/timeline_scene.h"

#include <QAccessible>
#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {

namespace {

constexpr int kZoomEnds = 150;   // ms without a change of the zoom
constexpr double kTriangle = 22; // width of the triangle at the left of a lane's header

} // namespace

TimelineWidget::TimelineWidget(const ThemeController& theme, QWidget* parent)
    : TimeCanvas(QStringLiteral("timeline"), theme, parent)
    , m_lanes(this)
{
    m_zoomEnd.setSingleShot(true);
    m_zoomEnd.setInterval(kZoomEnds);
    connect(&m_zoomEnd, &QTimer::timeout, this, &TimelineWidget::fitMessages);
    setAccessibleName(tr("Timeline"));
    setEmptyState(m_scene.emptyTexts());
    relayout();
}

void TimelineWidget::setView(RunViewPointer view, View how)
{
    const bool wasEmpty = isEmpty(), wasHovering = isHovering();
    m_scene.view = std::move(view);
    ++m_overviewSerial;
    endHover();
    setEmptyState(m_scene.emptyTexts());
    relayout();
    if (how == View::FitIteration || wasEmpty) {
        m_lanes.clear();
        forgetHistory();
        setSelection({});
        if (!isEmpty())
            moveTo(*m_scene.fitOf(m_isFollowing
                                      ? static_cast<int>(m_scene.iterations().size()) - 1
                                      : engine::reportedIteration(m_scene.view->timeline())),
                   Remember::No);
    } else {
        showTail();
    }
    updateFlow();
    updateIteration();
    fitMessages();
    if (wasHovering && !isEmpty())
        hover(pointer()); // finds the hovered item again, so that a pending tooltip still appears
}

void TimelineWidget::relayout()
{
    m_scene.layout(size(), m_laneOptions);
    layoutScrollBar(heightOf(m_scene.lanes));
}

void TimelineWidget::changeLanes()
{
    endHover();
    relayout();
}

void TimelineWidget::setCollapsed(std::vector<LaneGroup> groups)
{
    m_laneOptions.collapsed = std::move(groups);
    changeLanes();
    Q_EMIT collapsedChanged();
}

void TimelineWidget::toggleGroup(int device)
{
    const std::vector<LaneGroup> all = laneGroups();
    const LaneGroup* group = groupOf(all, device);
    if (group == nullptr)
        return;
    std::vector<LaneGroup> groups = collapsed();
    if (std::erase(groups, *group) == 0)
        groups.push_back(*group);
    setCollapsed(std::move(groups));
}

void TimelineWidget::toggleLane(int device)
{
    if (groupOf(collapsed(), device) != nullptr)
        return toggleGroup(device);
    if (!m_laneOptions.toggled.insert(device).second)
        m_laneOptions.toggled.erase(device);
    changeLanes();
}

void TimelineWidget::updateAxis()
{
    const QRectF& lanes = m_scene.areas.lanes;
    m_scene.axis
        = {inSight().begin, inSight().end, lanes.left(), lanes.width(), devicePixelRatioF()};
    m_scene.scroll = scrollY();
}

// The lanes change only when a zoom has ended, because boxes that jump are hard to follow.
void TimelineWidget::sightChanged()
{
    updateIteration();
    if (m_scene.areMessagesThin(inSight()) != m_scene.hasOneStrip)
        m_zoomEnd.start();
}

void TimelineWidget::fitMessages()
{
    const bool areThin = m_scene.areMessagesThin(inSight());
    if (areThin == std::exchange(m_scene.hasOneStrip, areThin))
        return;
    endHover();
    relayout();
    contentChanged();
}

void TimelineWidget::updateIteration()
{
    const int now = isEmpty() ? -1 : m_scene.view->iterationAt(inSight().centre());
    if (now == std::exchange(m_scene.iteration, now))
        return;
    contentChanged();
    Q_EMIT iterationChanged(now);
}

void TimelineWidget::updateFlow()
{
    m_scene.flow.reset();
    const Selection& selected = m_scene.selection;
    m_scene.category = selected.kind == Selection::Kind::Category && !isEmpty()
        ? std::make_shared<const CategoryBoxes>(*m_scene.view, selected.iteration,
                                                selected.category)
        : nullptr;
    if (m_scene.look.flow == TimelineLook::Flow::Selected && !m_scene.found && !isEmpty())
        m_scene.flow = flowOf(*m_scene.view, m_scene.selection);
    contentChanged();
}

void TimelineWidget::paintCanvas(QPainter& painter)
{
    m_scene.isFocused = isByKeyboard() && hasFocus();
    const TimelineGeometry& areas = m_scene.areas;
    const TimelinePainter timeline(painter, m_scene, colours());
    timeline.paintFrame();
    const CachedPicture::Key key{
        {}, areas.overview.size(), devicePixelRatioF(), 0, m_overviewSerial};
    timeline.paintTop(m_overview.get(key, Qt::transparent, [&](QPainter& on) {
        on.translate(-areas.overview.topLeft());
        paintOverview(on, *m_scene.view, colours(), areas.overview, devicePixelRatioF());
    }));
    m_lanes.paint(painter, m_scene, sharedColours(), pictureKey(areas.lanes.size()));
    timeline.paintSides();
    timeline.paintMarks();
    timeline.paintLegend();
}

void TimelineWidget::setNotes(std::vector<engine::Note> notes)
{
    const bool had = !m_scene.notes.empty();
    m_scene.notes = std::move(notes);
    if (had != !m_scene.notes.empty())
        relayout();
    update();
}

void TimelineWidget::goToNote(int note)
{
    const auto target = m_scene.noteTarget(note);
    if (!target)
        return;
    if (const auto to = bringIn(target->window, inSight()))
        userMovesTo(*to, Remember::Yes);
    select(*target);
}

void TimelineWidget::setFound(FoundPointer found)
{
    m_scene.found = std::move(found);
    updateFlow();
}

void TimelineWidget::setPath(PathMarksPointer path)
{
    m_scene.path = std::move(path);
    m_scene.reasons.clear();
    m_scene.reason = -1;
    contentChanged();
}

void TimelineWidget::setReasons(std::vector<PathReason> reasons)
{
    m_scene.reasons = std::move(reasons);
    contentChanged();
}

void TimelineWidget::setReason(int reason)
{
    m_scene.reason = reason;
    update();
}

void TimelineWidget::revealReason(int reason)
{
    setReason(reason);
    if (const auto target = m_scene.reasonTarget())
        revealItem(*target);
}

// The first Esc closes the path, the next one clears the selection.
void TimelineWidget::clearSelection()
{
    if (m_scene.path)
        Q_EMIT pathClosed();
    else
        setSelection({});
}

void TimelineWidget::setKernels(KernelViewPointer kernels)
{
    if (m_scene.selection.kind == Selection::Kind::Kernel)
        setSelection({});
    m_scene.kernels = std::move(kernels);
    endHover();
    relayout();
}

void TimelineWidget::setLook(const TimelineLook& look)
{
    if (look == m_scene.look)
        return;
    const TimelineLook before = std::exchange(m_scene.look, look);
    if (!look.areKernelsShown && m_scene.selection.kind == Selection::Kind::Kernel)
        setSelection({});
    if (look.colourBy != before.colourBy)
        setColoursBy(look.colourBy);
    if (look.areKernelsShown != before.areKernelsShown)
        relayout();
    updateFlow();
    showTail();
    Q_EMIT lookChanged(look);
}

void TimelineWidget::setPlan(std::shared_ptr<const engine::Run> plan)
{
    m_scene.plan = plan ? std::make_shared<const Plan>(std::move(plan)) : nullptr;
    contentChanged();
    showTail();
}

void TimelineWidget::setOpsDone(int iterations, std::vector<int> devices)
{
    const auto title = [this] { return isEmpty() ? QString() : m_scene.rulerScale().title; };
    const QString before = title();
    m_scene.planIteration = iterations;
    m_scene.opsDone = std::move(devices);
    if (title() != before)
        contentChanged(); // the ruler changed, and the cached picture has its grid lines
    showTail();
    update();
}

void TimelineWidget::setFollow(bool follow)
{
    if (follow == std::exchange(m_isFollowing, follow))
        return;
    showTail();
    Q_EMIT followChanged(follow);
}

void TimelineWidget::showTail()
{
    if (m_isFollowing && !isEmpty())
        moveTo(m_scene.tail(), Remember::No);
}

void TimelineWidget::showIteration(int iteration)
{
    setFollow(false);
    if (const auto to = m_scene.fitOf(iteration))
        moveTo(*to, Remember::Yes);
}

void TimelineWidget::showPlace(const engine::Note& place)
{
    constexpr double kMargin = 4; // on each side, in durations of the place
    if (isEmpty())
        return;
    const double margin = kMargin * static_cast<double>(place.window.duration());
    userMovesTo({static_cast<double>(place.window.begin) - margin,
                 static_cast<double>(place.window.end) + margin},
                Remember::Yes);
    setSelection(selectionOf(*m_scene.view, place));
}

void TimelineWidget::setSelection(const Selection& to)
{
    if (to == m_scene.selection)
        return;
    m_scene.selection = to;
    updateFlow();
    setAccessibleDescription(m_scene.spoken());
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
    Q_EMIT selectionChanged(m_scene.selection);
}

void TimelineWidget::select(const Selection& selection)
{
    const Selection to = selection; // a copy: `selection` may refer to a member that changes
    setSelection(to);
    if (!isEmpty())
        revealItem(to);
}

void TimelineWidget::revealItem(const Selection& what)
{
    if (!what.isOfTime())
        return;
    reveal(viewOf(what.window));
    const auto device = static_cast<std::size_t>(what.device.value);
    if (!what.device.isValid() || device >= m_scene.lanes.size())
        return;
    if (TimelineLook look = m_scene.look; what.kind == Selection::Kind::Kernel) {
        look.areKernelsShown = true;
        setLook(look);
    }
    if (!m_scene.lanes[device].hasBoxes())
        toggleGroup(what.device.value);
    revealLane(m_scene.lanes[device].top, m_scene.lanes[device].bottom());
}

bool TimelineWidget::hover(QPointF at)
{
    const QString text = m_scene.stripText(at);
    setCursor(m_scene.isOnHandle(at) ? Qt::SizeHorCursor
                  : !text.isEmpty()  ? Qt::PointingHandCursor
                                     : Qt::ArrowCursor);
    if (const QString tip = text + m_scene.columnText(at); !tip.isEmpty())
        QToolTip::showText(mapToGlobal(at.toPoint() + QPoint(8, 8)), tip, this);
    return m_scene.hoverAt(at);
}

std::optional<ViewWindow> TimelineWidget::openAt(QPointF at)
{
    setSelection(m_scene.hit(at));
    return selectedBox();
}

bool TimelineWidget::ownPress(QMouseEvent& event)
{
    const QPointF at = event.position();
    const TimelineGeometry& areas = m_scene.areas;
    const bool isLeft = event.button() == Qt::LeftButton;
    m_overviewDrag.end();
    if (isLeft && areas.notes.contains(at)) {
        goToNote(m_scene.noteAt(at));
    } else if (const int reason = isLeft ? m_scene.reasonAt(at) : -1; reason >= 0) {
        Q_EMIT reasonClicked(reason);
    } else if (isLeft && areas.iterations.contains(at)) {
        showIteration(m_scene.iterationAt(at));
    } else if (areas.overview.contains(at)) {
        remember();
        const auto to = m_overviewDrag.press(*m_scene.view, areas.overview, inSight(), at);
        if (to != inSight())
            userMovesTo(to, Remember::No);
    } else if (areas.lanes.contains(at) || areas.ruler.contains(at)) {
        return false;
    } else if (const int device = m_scene.deviceAt(at); isLeft && device >= 0) {
        if (at.x() < kTriangle)
            toggleLane(device);
        else
            setSelection(m_scene.deviceSelection(device));
    }
    return true;
}

void TimelineWidget::ownDrag(QPointF from, QPointF to)
{
    const double least = extent().duration() > 0 ? m_scene.axis.ticksPerPixel() : 1;
    if (m_overviewDrag.isActive())
        userMovesTo(m_overviewDrag.dragged(to.x() - from.x(), least), Remember::No);
}

bool TimelineWidget::ownWheel(QWheelEvent& event, double notches)
{
    const QPointF at = event.position();
    if (event.modifiers() & Qt::AltModifier) { // some platforms swap the axes with Alt
        const double now = m_scene.lanes.empty() ? LaneOptions::kUsual : m_scene.lanes[0].compute;
        m_laneOptions.compute = std::clamp(m_laneOptions.compute.value_or(now) + 3 * notches,
                                           LaneOptions::kLeast, LaneOptions::kMost);
        changeLanes();
        return true;
    }
    const bool isSideways = event.modifiers() & Qt::ShiftModifier || event.angleDelta().y() == 0;
    if (isSideways || !m_scene.areas.overview.contains(at))
        return false;
    const double about = overviewAxis(*m_scene.view, m_scene.areas.overview, 1).time(at.x());
    zoomByWheel(event, inSight().zoomed(zoomStep(event, notches), about));
    return true;
}

bool TimelineWidget::ownKey(int key, Qt::KeyboardModifiers modifiers)
{
    // Ignores letters with Shift, because they are shortcuts of actions, which may be disabled.
    if (modifiers & Qt::ShiftModifier && key >= Qt::Key_A && key <= Qt::Key_Z)
        return false;
    TimelineLook look = m_scene.look;
    if (key == Qt::Key_C)
        look.colourBy = nextColourBy(look.colourBy);
    if (key == Qt::Key_L)
        look.flow = nextFlow(look.flow);
    if (key == Qt::Key_G)
        look.areKernelsShown = !look.areKernelsShown;
    if (look != m_scene.look) {
        setLook(look);
    } else if (key == Qt::Key_PageUp || key == Qt::Key_PageDown) {
        showIteration(m_scene.iteration + (key == Qt::Key_PageUp ? -1 : 1));
    } else if (key == Qt::Key_Space) {
        setFollow(!m_isFollowing);
    } else if (key >= Qt::Key_1 && key <= Qt::Key_9 && !m_scene.notes.empty()) {
        goToNote(key - Qt::Key_1);
    } else if (const auto to = m_scene.walkedTo(key, modifiers)) {
        setByKeyboard();
        if (*to != m_scene.selection)
            select(*to);
        update();
    } else {
        return false;
    }
    return true;
}

// Opens the context menu. With the mouse, first selects the item under the pointer. With the
// keyboard, the menu is for the selection.
void TimelineWidget::contextMenuEvent(QContextMenuEvent* event)
{
    if (isEmpty())
        return;
    const bool isByMouse = event->reason() == QContextMenuEvent::Mouse;
    if (isByMouse)
        setSelection(m_scene.menuTarget(event->pos()));
    const QRect box = selectionRect().isEmpty() ? rect() : selectionRect();
    Q_EMIT menuRequested(isByMouse ? event->globalPos() : mapToGlobal(box.center()));
}

void TimelineWidget::resizeEvent(QResizeEvent*)
{
    keepFit([this] { relayout(); });
    if (m_scene.areMessagesThin(inSight()) != m_scene.hasOneStrip)
        m_zoomEnd.start();
}

} // namespace app
