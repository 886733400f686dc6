#include "app/timeline/details/details_kernel.h"
#include "app/timeline/details/tool_tip.h"
#include "app/timeline/paint/overview_painter.h"
#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/view_keys.h"
#include "app/timeline/view/walk_keys.h"
#include "app/widgets/timeline/timeline_impl.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

namespace app {
namespace {
constexpr double kDragFrom = 4; // pixels
constexpr double kNotch = 120;  // of a wheel
constexpr double kHandle = 6;   // reach of the overview's handles
} // namespace

Selection TimelineWidget::Impl::hit(QPointF at) const
{
    if (isEmpty() || !areas.lanes.contains(at))
        return {};
    return selectionAt(*view, axis(), lanes, at.x(),
                       at.y() - areas.lanes.top() + scrollBar->value(), shownKernels());
}

const HostRange* TimelineWidget::Impl::rangeUnder(QPointF at) const
{
    const double y = at.y() - areas.lanes.top() + scrollBar->value();
    const int lane = laneAt(lanes, y);
    if (shownKernels() == nullptr || lane < 0)
        return nullptr;
    return rangeAt(kernels->ranges(), engine::DeviceId{lane}, axis(),
                   lanes[static_cast<std::size_t>(lane)], {at.x(), y});
}

int TimelineWidget::Impl::foldAt(QPointF at) const
{
    if (!areas.header.contains(at))
        return -1;
    return laneAt(lanes, at.y() - areas.lanes.top() + scrollBar->value());
}

void TimelineWidget::Impl::press(QMouseEvent& event)
{
    const QPointF at = event.position();
    isByKeyboard = false;
    toolTipTimer.stop();
    QToolTip::hideText();
    pressedAt = at;
    pressedWindow = window;
    const bool pans = event.button() == Qt::MiddleButton
        || (event.button() == Qt::LeftButton && event.modifiers() & Qt::ShiftModifier);
    if (areas.notes.contains(at) && event.button() == Qt::LeftButton && chooseNote(at))
        return;
    if (areas.overview.contains(at)) {
        const QRectF frame = overviewWindowRect(*view, areas.overview, window);
        const bool isSmall = frame.width() < 3 * kHandle;
        history.push(window);
        dragging = !isSmall && std::abs(at.x() - frame.left()) <= kHandle ? Drag::OverviewBegin
            : !isSmall && std::abs(at.x() - frame.right()) <= kHandle     ? Drag::OverviewEnd
                                                                          : Drag::OverviewMove;
        if (dragging == Drag::OverviewMove && !frame.contains(at)) {
            const double time = overviewAxis(*view, areas.overview, 1).time(at.x());
            userShows(window.moved(time - window.centre()), Remember::No);
            pressedWindow = window;
        }
    } else if (areas.lanes.contains(at) || areas.ruler.contains(at)) {
        dragging = pans ? Drag::Pan : event.button() == Qt::LeftButton ? Drag::Press : Drag::None;
        if (pans)
            history.push(window);
    } else if (const int device = foldAt(at); device >= 0 && event.button() == Qt::LeftButton) {
        if (at.x() < 22) {
            if (!wishes.toggled.insert(device).second)
                wishes.toggled.erase(device);
            relayout();
        } else {
            Selection whole;
            whole.kind = Selection::Kind::Device;
            whole.device = engine::DeviceId{device};
            whole.iteration = iteration;
            setSelection(whole);
        }
    }
}

void TimelineWidget::Impl::drag(QPointF to)
{
    if (dragging == Drag::Press && std::abs(to.x() - pressedAt.x()) >= kDragFrom)
        dragging = Drag::Range;
    const TimeAxis time = axis();
    const double moved = to.x() - pressedAt.x();
    const double ticks = moved * overviewAxis(*view, areas.overview, 1).ticksPerPixel();
    const double least = view->extent().duration() > 0 ? time.ticksPerPixel() : 1;
    switch (dragging) {
    case Drag::Pan:
        userShows(pressedWindow.moved(-moved * time.ticksPerPixel()), Remember::No);
        break;
    case Drag::OverviewMove:
        userShows(pressedWindow.moved(ticks), Remember::No);
        break;
    case Drag::OverviewBegin:
        userShows(
            {std::min(pressedWindow.begin + ticks, pressedWindow.end - least), pressedWindow.end},
            Remember::No);
        break;
    case Drag::OverviewEnd:
        userShows(
            {pressedWindow.begin, std::max(pressedWindow.end + ticks, pressedWindow.begin + least)},
            Remember::No);
        break;
    case Drag::Range: {
        const double a = time.time(pressedAt.x());
        const double b = time.time(std::clamp(to.x(), time.left, time.right()));
        Selection range;
        range.kind = Selection::Kind::Range;
        range.iteration = view->iterationAt((a + b) / 2);
        range.window = {std::llround(std::min(a, b)), std::llround(std::max(a, b))};
        setSelection(range);
        break;
    }
    case Drag::Press:
    case Drag::None:
        break;
    }
}

void TimelineWidget::Impl::release(QMouseEvent& event)
{
    if (dragging == Drag::Press && event.button() == Qt::LeftButton)
        setSelection(hit(event.position()));
    dragging = Drag::None;
}

void TimelineWidget::Impl::hoverAt(QPointF at)
{
    pointer = at;
    const Selection under = hit(at);
    const QRectF frame = isEmpty() ? QRectF() : overviewWindowRect(*view, areas.overview, window);
    const bool onHandle = areas.overview.contains(at)
        && (std::abs(at.x() - frame.left()) <= kHandle
            || std::abs(at.x() - frame.right()) <= kHandle);
    const int note = areas.notes.contains(at) ? noteAt(noteStrip(), at) : -1;
    widget.setCursor(onHandle        ? Qt::SizeHorCursor
                         : note >= 0 ? Qt::PointingHandCursor
                                     : Qt::ArrowCursor);
    if (note >= 0)
        QToolTip::showText(widget.mapToGlobal(at.toPoint() + QPoint(8, 8)),
                           QString::fromStdString(notes[static_cast<std::size_t>(note)].text),
                           &widget);
    if (under == hover)
        return;
    hover = under;
    QToolTip::hideText();
    toolTipTimer.stop();
    if (hover.kind != Selection::Kind::None)
        toolTipTimer.start();
    widget.update();
}

void TimelineWidget::Impl::showToolTip()
{
    if (isEmpty() || hover.kind == Selection::Kind::None)
        return;
    const HostRange* range = hover.kind == Selection::Kind::Range ? rangeUnder(pointer) : nullptr;
    const QString text = range != nullptr       ? rangeToolTip(*view, *range)
        : hover.kind == Selection::Kind::Kernel ? kernelToolTip(*view, *kernels, hover)
                                                : toolTipText(*view, hover);
    QToolTip::showText(widget.mapToGlobal(pointer.toPoint() + QPoint(8, 8)), text, &widget);
}

void TimelineWidget::Impl::wheel(QWheelEvent& event)
{
    const QPoint delta = event.angleDelta();
    const double notches = (delta.y() != 0 ? delta.y() : delta.x()) / kNotch;
    const bool isSideways = delta.y() == 0 && delta.x() != 0;
    const QPointF at = event.position();
    if (event.modifiers() & Qt::AltModifier) { // Alt turns the wheel's axis on some platforms
        const double now = lanes.empty() ? LaneWishes::kUsual : lanes.front().compute;
        wishes.compute = std::clamp(wishes.compute.value_or(now) + 3 * notches, LaneWishes::kLeast,
                                    LaneWishes::kMost);
        relayout();
    } else if (areas.header.contains(at) || areas.column.contains(at)) {
        scrollBar->setValue(scrollBar->value() - static_cast<int>(notches * 60));
    } else if (event.modifiers() & Qt::ShiftModifier || isSideways) {
        userShows(window.moved(-notches * window.duration() / 10), Remember::No);
    } else {
        const double step = event.modifiers() & Qt::ControlModifier ? 1.05 : 1.25;
        const bool isOnOverview = areas.overview.contains(at);
        const double about = isOnOverview
            ? overviewAxis(*view, areas.overview, 1).time(at.x())
            : axis().time(std::clamp(at.x(), areas.lanes.left(), areas.lanes.right()));
        history.push(window);
        userShows(window.zoomed(std::pow(step, -notches), about), Remember::No);
    }
    hoverAt(at);
}

// Shift and up or down lead from an op into its kernels and out again; on a kernel the keys of the
// lane walk its stream.
bool TimelineWidget::Impl::kernelKey(int key, Qt::KeyboardModifiers modifiers)
{
    if (!kernels || !(modifiers & Qt::ShiftModifier || selection.kind == Selection::Kind::Kernel))
        return false;
    std::optional<KernelStep> step;
    switch (key) {
    case Qt::Key_Comma:
        step = KernelStep::Previous;
        break;
    case Qt::Key_Period:
        step = KernelStep::Next;
        break;
    case Qt::Key_Up:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        step = KernelStep::Out;
        break;
    case Qt::Key_Down:
        step = KernelStep::Into;
        break;
    default:
        break;
    }
    if (!step)
        return false;
    isByKeyboard = true;
    if (const auto to = walkedKernel(*view, *kernels, selection, *step))
        widget.select(*to);
    widget.update();
    return true;
}

// From the selected box to another; where nothing is selected, to the first of the iteration.
bool TimelineWidget::Impl::walkKey(int key)
{
    if (!isWalkKey(key))
        return false;
    isByKeyboard = true;
    if (const auto to = walked(*view, selection, iteration, key))
        widget.select(*to);
    widget.update();
    return true;
}

bool TimelineWidget::Impl::viewCommand(ViewKey command)
{
    return perform(command, window,
                   {[this](ViewWindow to, bool isRemembered) {
                        userShows(to, isRemembered ? Remember::Yes : Remember::No);
                    },
                    [this] { widget.zoomBack(); }, [this] { widget.zoomForward(); },
                    [this] { widget.zoomToSelection(); }, [this] { widget.zoomToFit(); },
                    [this] { widget.zoomToAll(); }, [this] { setSelection({}); }});
}

bool TimelineWidget::Impl::key(int key, Qt::KeyboardModifiers modifiers)
{
    if (isEmpty())
        return false;
    if (viewCommand(viewKey(key, modifiers)))
        return true;
    switch (key) {
    case Qt::Key_PageUp:
        widget.showIteration(iteration - 1);
        return true;
    case Qt::Key_PageDown:
        widget.showIteration(iteration + 1);
        return true;
    case Qt::Key_Space:
        widget.setFollow(!isFollowing);
        return true;
    case Qt::Key_C:
        widget.setColourBy(nextColourBy(colourBy));
        return true;
    case Qt::Key_L:
        widget.setFlowMode(static_cast<FlowMode>((static_cast<int>(flowMode) + 1) % 3));
        return true;
    case Qt::Key_G:
        widget.setKernelsShown(!areKernelsShown);
        return true;
    default:
        if (key >= Qt::Key_1 && key <= Qt::Key_9 && !notes.empty()) {
            goToNote(key - Qt::Key_1);
            return true;
        }
        return kernelKey(key, modifiers) || walkKey(key);
    }
}

void TimelineWidget::mousePressEvent(QMouseEvent* event)
{
    if (!m->isEmpty())
        m->press(*event);
}

void TimelineWidget::mouseMoveEvent(QMouseEvent* event)
{
    if (m->isEmpty())
        return;
    if (m->dragging != Impl::Drag::None)
        m->drag(event->position());
    else
        m->hoverAt(event->position());
}

void TimelineWidget::mouseReleaseEvent(QMouseEvent* event)
{
    if (!m->isEmpty())
        m->release(*event);
}

void TimelineWidget::mouseDoubleClickEvent(QMouseEvent* event)
{
    const Selection under = m->hit(event->position());
    if (under.kind == Selection::Kind::None || under.kind == Selection::Kind::Device)
        return;
    m->setSelection(under);
    const double centre = static_cast<double>(under.window.begin + under.window.end) / 2;
    const ViewWindow box{static_cast<double>(under.window.begin),
                         static_cast<double>(under.window.end)};
    if (box.duration() > 0)
        m->userShows(box.zoomed(1.25, centre), Impl::Remember::Yes);
}

void TimelineWidget::wheelEvent(QWheelEvent* event)
{
    if (!m->isEmpty())
        m->wheel(*event);
    event->accept();
}

void TimelineWidget::keyPressEvent(QKeyEvent* event)
{
    if (!m->key(event->key(), event->modifiers()))
        QWidget::keyPressEvent(event);
}

} // namespace app
