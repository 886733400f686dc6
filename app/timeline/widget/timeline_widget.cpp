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

void LaneHeaders::setOrder(const LaneOrder& order)
{
    if (order == m_options.order)
        return;
    m_options.order = order;
    Q_EMIT changed();
    Q_EMIT orderChanged();
}

void LaneHeaders::toggle(int device)
{
    if (const LaneGroup* group = order().groupOf(device)) {
        LaneOrder to = order();
        to.toggleGroup(*group);
        return setOrder(to);
    }
    if (!m_options.toggled.insert(device).second)
        m_options.toggled.erase(device);
    Q_EMIT changed();
}

void LaneHeaders::show(int device)
{
    LaneOrder to = order();
    to.hidden.erase(device);
    if (const LaneGroup* group = order().groupOf(device))
        to.toggleGroup(*group);
    setOrder(to);
}

void LaneHeaders::resize(double boxes)
{
    m_options.compute = std::clamp(boxes, LaneOptions::kLeast, LaneOptions::kMost);
    Q_EMIT changed();
}

bool LaneHeaders::press(double x, int device)
{
    if (x < kTriangle) {
        toggle(device);
        return false;
    }
    m_held = device;
    return true;
}

void LaneHeaders::drag(double pixels, double y, const std::vector<Lane>& lanes)
{
    constexpr double kLeast = 8; // pixels
    const int over = laneAt(lanes, y);
    if (m_held < 0 || over < 0 || std::abs(pixels) < kLeast)
        return;
    // A taller lane would still be under the pointer after the move, and would move back.
    const Lane &held = lanes[static_cast<std::size_t>(m_held)],
               &other = lanes[static_cast<std::size_t>(over)];
    if (other.top > held.top ? y < other.bottom() - held.height : y >= other.top + held.height)
        return;
    const auto devices = static_cast<int>(lanes.size());
    const std::vector<int> shown = order().shown(devices);
    const auto placeOf = [&](int device) { return std::ranges::find(shown, device); };
    LaneOrder to = order();
    if (to.move(m_held, static_cast<int>(placeOf(over) - placeOf(m_held)), devices))
        setOrder(to);
}

namespace {

constexpr int kZoomEnds = 150; // ms without a change of the zoom

} // namespace

TimelineWidget::TimelineWidget(const ThemeController& theme, QWidget* parent)
    : TimeCanvas(QStringLiteral("timeline"), theme, parent)
    , m_lanes(this)
{
    connect(&m_headers, &LaneHeaders::changed, this, [this] {
        endHover();
        relayout();
    });
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
    m_scene.layout(size(), m_headers.options());
    m_scene.scroll = 0; // layout() has placed the pinned lanes for this scroll offset
    layoutScrollBar(heightOf(m_scene.lanes));
}

void TimelineWidget::updateAxis()
{
    const QRectF& lanes = m_scene.areas.lanes;
    m_scene.axis
        = {inSight().begin, inSight().end, lanes.left(), lanes.width(), devicePixelRatioF()};
    scrollPinned(m_scene.lanes, m_scene.scroll, scrollY());
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
        m_headers.show(what.device.value);
    if (const Lane& lane = m_scene.lanes[device]; !lane.isPinned)
        revealLane(lane.top, lane.bottom());
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
    m_headers.release();
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
        if (m_headers.press(at.x(), device))
            setSelection(m_scene.deviceSelection(device));
    }
    return true;
}

void TimelineWidget::ownDrag(QPointF from, QPointF to)
{
    if (m_scene.areas.header.contains({m_scene.areas.header.center().x(), to.y()}))
        m_headers.drag(to.y() - from.y(), m_scene.laneY(to.y()), m_scene.lanes);
    const double least = extent().duration() > 0 ? m_scene.axis.ticksPerPixel() : 1;
    if (m_overviewDrag.isActive())
        userMovesTo(m_overviewDrag.dragged(to.x() - from.x(), least), Remember::No);
}

bool TimelineWidget::ownWheel(QWheelEvent& event, double notches)
{
    const QPointF at = event.position();
    if (event.modifiers() & Qt::AltModifier) { // some platforms swap the axes with Alt
        const double now = m_scene.lanes.empty() ? LaneOptions::kUsual : m_scene.lanes[0].compute;
        m_headers.resize(m_headers.options().compute.value_or(now) + 3 * notches);
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
