#include "app/widgets/timeline/timeline_widget.h"

#include "app/timeline/details/details_kernel.h"
#include "app/timeline/paint/overview_painter.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/view/view_keys.h"
#include "app/timeline/view/walk_keys.h"
#include "app/widgets/timeline/timeline_painter.h"

#include <QAccessible>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>
#include <utility>

namespace app {
TimelineWidget::TimelineWidget(const ThemeController& theme, QWidget* parent)
    : TimeCanvas(QStringLiteral("timeline"), theme, parent)
    , m_lanes(this)
{
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
            fitIteration(m_isFollowing ? static_cast<int>(m_scene.iterations().size()) - 1
                                       : engine::reportedIteration(m_scene.view->timeline()),
                         Remember::No);
    } else if (m_isFollowing && !isEmpty()) {
        moveTo(m_scene.tail(), Remember::No);
    }
    updateFlow();
    updateIteration();
    if (wasHovering && !isEmpty())
        hover(pointer()); // a tooltip that is about to appear does
}

void TimelineWidget::updateAxis()
{
    const QRectF& lanes = m_scene.areas.lanes;
    m_scene.axis
        = {inSight().begin, inSight().end, lanes.left(), lanes.width(), devicePixelRatioF()};
    scrollPinned(m_scene.lanes, m_scene.scroll, scrollY());
    m_scene.scroll = scrollY();
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
    if (m_flowMode == FlowMode::Selected && !isEmpty())
        m_scene.flow = flowOf(*m_scene.view, m_scene.selection);
    m_scene.areAllFlowsShown = m_flowMode == FlowMode::All;
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

void TimelineWidget::setFound(FoundPointer found)
{
    m_scene.found = std::move(found);
    contentChanged();
}

void TimelineWidget::setFollow(bool follow)
{
    if (m_isFollowing == follow)
        return;
    m_isFollowing = follow;
    if (follow && !isEmpty())
        moveTo(m_scene.tail(), Remember::No);
    Q_EMIT followChanged(follow);
}

void TimelineWidget::setFlowMode(FlowMode mode)
{
    if (m_flowMode == mode)
        return;
    m_flowMode = mode;
    updateFlow();
    Q_EMIT flowModeChanged(mode);
}

void TimelineWidget::setColourBy(ColourBy by)
{
    if (m_colourBy == by)
        return;
    m_colourBy = by;
    setColoursBy(by);
    Q_EMIT colourByChanged(by);
}

void TimelineWidget::showIteration(int iteration)
{
    setFollow(false);
    fitIteration(iteration, Remember::Yes);
}

bool TimelineWidget::showLink(const ViewLink& link)
{
    setColourBy(static_cast<ColourBy>(std::min(link.colouring, kColourBys - 1)));
    setKernelsShown(link.areKernelsShown);
    if (!isEmpty())
        userMovesTo(link.window, Remember::Yes);
    const std::optional<Selection> to = m_scene.selectionIn(link);
    setSelection(to.value_or(Selection()));
    return to.has_value();
}

void TimelineWidget::zoomToAll()
{
    if (!isEmpty())
        userMovesTo(fitted(extent(), m_scene.areas.lanes.width()), Remember::Yes);
}

void TimelineWidget::zoomToSelection()
{
    const auto& window = m_scene.selection.window;
    if (isEmpty() || m_scene.selection.kind == Selection::Kind::None || window.duration() <= 0)
        zoomToFit();
    else
        userMovesTo(centredThenFitted(inSight(), viewOf(window)), Remember::Yes);
}

void TimelineWidget::fitIteration(int which, Remember remember)
{
    if (const auto to = m_scene.fitOf(which))
        moveTo(*to, remember);
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
    const Selection to = selection; // a copy, because `selection` may belong to what changes
    setSelection(to);
    if (!isEmpty())
        reveal(to);
}

bool TimelineWidget::hover(QPointF at)
{
    const QRectF& overview = m_scene.areas.overview;
    const bool isOnHandle = overview.contains(at)
        && OverviewDrag::isOnHandle(overviewWindowRect(*m_scene.view, overview, inSight()), at.x());
    const QString text = m_scene.stripText(at);
    setCursor(isOnHandle            ? Qt::SizeHorCursor
                  : !text.isEmpty() ? Qt::PointingHandCursor
                                    : Qt::ArrowCursor);
    if (const QString tip = text + m_scene.columnText(at); !tip.isEmpty())
        QToolTip::showText(mapToGlobal(at.toPoint() + QPoint(8, 8)), tip, this);
    const auto planned = m_scene.plannedAt(at);
    const Selection under = planned ? Selection() : m_scene.hit(at);
    const bool isOther = under != m_scene.hover || planned != m_scene.plannedHover;
    m_scene.hover = under;
    m_scene.plannedHover = planned;
    return isOther;
}

std::optional<ViewWindow> TimelineWidget::openAt(QPointF at)
{
    const Selection under = m_scene.hit(at);
    if (under.kind == Selection::Kind::None || under.kind == Selection::Kind::Device)
        return std::nullopt;
    setSelection(under);
    return viewOf(under.window);
}

bool TimelineWidget::ownPress(QMouseEvent& event)
{
    const QPointF at = event.position();
    const TimelineGeometry& areas = m_scene.areas;
    const bool isLeft = event.button() == Qt::LeftButton;
    m_overviewDrag.end();
    m_heldLane = -1;
    if (isLeft && areas.notes.contains(at))
        goToNote(m_scene.noteAt(at));
    else if (const int reason = isLeft ? m_scene.reasonAt(at) : -1; reason >= 0)
        Q_EMIT reasonClicked(reason);
    else if (isLeft && areas.iterations.contains(at))
        showIteration(m_scene.iterationAt(at));
    else if (areas.overview.contains(at))
        pressOverview(at);
    else if (areas.lanes.contains(at) || areas.ruler.contains(at))
        return false;
    else if (const int device = m_scene.deviceAt(at); isLeft && device >= 0)
        pressHeader(at, device);
    return true;
}

void TimelineWidget::pressOverview(QPointF at)
{
    const QRectF& area = m_scene.areas.overview;
    const QRectF frame = overviewWindowRect(*m_scene.view, area, inSight());
    const OverviewDrag::Grip grip = OverviewDrag::gripAt(frame, at.x());
    remember();
    if (grip == OverviewDrag::Grip::Frame && !frame.contains(at)) {
        const double time = overviewAxis(*m_scene.view, area, 1).time(at.x());
        userMovesTo(inSight().moved(time - inSight().centre()), Remember::No);
    }
    m_overviewDrag.begin(grip, inSight());
}

void TimelineWidget::ownDrag(QPointF from, QPointF to)
{
    if (m_heldLane >= 0)
        dragLane(from, to);
    if (!m_overviewDrag.isActive())
        return;
    const TimeAxis whole = overviewAxis(*m_scene.view, m_scene.areas.overview, 1);
    const double least = extent().duration() > 0 ? m_scene.axis.ticksPerPixel() : 1;
    userMovesTo(m_overviewDrag.moved((to.x() - from.x()) * whole.ticksPerPixel(), least),
                Remember::No);
}

bool TimelineWidget::ownWheel(QWheelEvent& event, double notches)
{
    const QPointF at = event.position();
    if (event.modifiers() & Qt::AltModifier) { // Alt exchanges the axes on some platforms
        const double now = m_scene.lanes.empty() ? LaneOptions::kUsual : m_scene.lanes[0].compute;
        m_laneOptions.compute = std::clamp(m_laneOptions.compute.value_or(now) + 3 * notches,
                                           LaneOptions::kLeast, LaneOptions::kMost);
        relayout();
        return true;
    }
    const bool isSideways = event.modifiers() & Qt::ShiftModifier || event.angleDelta().y() == 0;
    if (isSideways || !m_scene.areas.overview.contains(at))
        return false;
    const double about = overviewAxis(*m_scene.view, m_scene.areas.overview, 1).time(at.x());
    userMovesTo(inSight().zoomed(zoomStep(event, notches), about), Remember::Yes);
    return true;
}

// Moves from the selected box or kernel to another one; without a selection, to the first op of the
// iteration.
bool TimelineWidget::walkKey(int key, Qt::KeyboardModifiers modifiers)
{
    std::optional<Selection> to;
    const bool isOnKernel = m_scene.selection.kind == Selection::Kind::Kernel;
    const auto step = m_scene.kernels ? kernelStep(key, modifiers, isOnKernel) : std::nullopt;
    if (step)
        to = walkedKernel(*m_scene.view, *m_scene.kernels, m_scene.selection, *step);
    else if (isWalkKey(key))
        to = walked(*m_scene.view, m_scene.selection, m_scene.iteration, key);
    else
        return false;
    setByKeyboard();
    if (to)
        select(*to);
    update();
    return true;
}

bool TimelineWidget::ownKey(int key, Qt::KeyboardModifiers modifiers)
{
    // A letter with Shift belongs to an action, which may be disabled.
    if (modifiers & Qt::ShiftModifier && key >= Qt::Key_A && key <= Qt::Key_Z)
        return false;
    switch (key) {
    case Qt::Key_PageUp:
        showIteration(m_scene.iteration - 1);
        return true;
    case Qt::Key_PageDown:
        showIteration(m_scene.iteration + 1);
        return true;
    case Qt::Key_Space:
        setFollow(!m_isFollowing);
        return true;
    case Qt::Key_C:
        setColourBy(nextColourBy(m_colourBy));
        return true;
    case Qt::Key_L:
        setFlowMode(static_cast<FlowMode>((static_cast<int>(m_flowMode) + 1) % 3));
        return true;
    case Qt::Key_G:
        setKernelsShown(!m_scene.areKernelsShown);
        return true;
    default:
        if (key < Qt::Key_1 || key > Qt::Key_9 || m_scene.notes.empty())
            return walkKey(key, modifiers);
        goToNote(key - Qt::Key_1);
        return true;
    }
}

// A resize keeps the visible time, or shows the whole iteration again if exactly one was shown.
void TimelineWidget::resizeEvent(QResizeEvent*)
{
    const int iteration = m_scene.iteration;
    const bool wasFitted = m_scene.fitOf(iteration) == inSight();
    relayout();
    if (wasFitted)
        fitIteration(iteration, Remember::No);
}

} // namespace app
