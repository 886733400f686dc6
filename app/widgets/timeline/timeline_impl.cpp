#include "app/widgets/timeline/timeline_impl.h"

#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/navigation.h"
#include "app/widgets/controls/empty_state.h"

#include <QAccessible>
#include <QScrollBar>

namespace app {

TimelineWidget::Impl::Impl(TimelineWidget& owner, const ThemeController& controller)
    : widget(owner)
    , theme(controller)
    , scrollBar(new QScrollBar(Qt::Vertical, &owner))
{
    scrollBar->setObjectName(QStringLiteral("timelineScroll"));
    scrollBar->setFocusPolicy(Qt::NoFocus);
    toolTipTimer.setSingleShot(true);
    toolTipTimer.setInterval(300);
    QObject::connect(&toolTipTimer, &QTimer::timeout, &owner, [this] { showToolTip(); });
    QObject::connect(scrollBar, &QScrollBar::valueChanged, &owner, [this] {
        widget.update();
        Q_EMIT widget.viewChanged();
    });
    QObject::connect(&theme, &ThemeController::changed, &owner, [this] { themeChanged(); });
}

TimeAxis TimelineWidget::Impl::axis() const
{
    return {window.begin, window.end, areas.lanes.left(), areas.lanes.width(), dpr()};
}

void TimelineWidget::Impl::themeChanged()
{
    colours.reset();
    widget.update();
}

void TimelineWidget::Impl::relayout()
{
    areas = TimelineGeometry(widget.size(), !notes.empty());
    wishes.available = areas.lanes.height();
    const KernelView* shown = shownKernels();
    wishes.kernels = shown != nullptr ? shown->rows() : std::vector<int>();
    wishes.ranges = shown != nullptr ? shown->ranges().rows() : std::vector<int>();
    lanes = layoutLanes(view ? view->devices() : 0, wishes);
    ++layoutSerial;
    const double hidden = heightOf(lanes) - areas.lanes.height();
    scrollBar->setVisible(hidden > 0 && !isEmpty());
    scrollBar->setRange(0, static_cast<int>(std::max(0.0, std::ceil(hidden))));
    scrollBar->setPageStep(static_cast<int>(areas.lanes.height()));
    scrollBar->setSingleStep(20);
    scrollBar->setGeometry(widget.width() - 10, static_cast<int>(areas.lanes.top()), 10,
                           static_cast<int>(areas.lanes.height()));
    if (empty)
        empty->setGeometry(emptyStateRect(widget.size()));
    widget.update();
    Q_EMIT widget.viewChanged();
}

void TimelineWidget::Impl::updateEmptyState()
{
    delete std::exchange(empty, nullptr);
    if (!isEmpty())
        return;
    EmptyState::Words words;
    words.icon = Icon::Chart;
    words.fact = tr("No iteration yet");
    words.advice = tr("The timeline fills when the first one has been placed.");
    if (view && view->run().info.outcome != engine::Outcome::Running) {
        words.fact = tr("No iteration was recorded");
        words.advice = tr("The run ended before its first iteration was whole.");
    }
    empty = new EmptyState(theme, words, &widget);
    empty->setObjectName(QStringLiteral("timelineEmpty"));
    empty->setGeometry(emptyStateRect(widget.size()));
    empty->show();
}

void TimelineWidget::Impl::show(ViewWindow to, Remember remember)
{
    if (isEmpty())
        return;
    to = limited(to, view->extent());
    if (to == window)
        return;
    if (remember == Remember::Yes)
        history.push(window);
    window = to;
    if (hover.kind != Selection::Kind::None)
        hover = hit(pointer);
    updateIteration();
    widget.update();
    Q_EMIT widget.viewChanged();
}

void TimelineWidget::Impl::userShows(ViewWindow to, Remember remember)
{
    widget.setFollow(false);
    show(to, remember);
}

void TimelineWidget::Impl::fitIteration(int which, Remember remember)
{
    const auto count = isEmpty() ? 0 : static_cast<int>(view->timeline().iterations.size());
    if (which < 0 || which >= count)
        return;
    const auto& one = view->timeline().iterations[static_cast<std::size_t>(which)];
    show(fitted(one.window, areas.lanes.width()), remember);
}

void TimelineWidget::Impl::followTail()
{
    if (isEmpty())
        return;
    const auto& iterations = view->timeline().iterations;
    const int tail = view->run().info.outcome == engine::Outcome::Running
        ? static_cast<int>(iterations.size()) - 1
        : engine::reportedIteration(view->timeline());
    const auto& last = iterations[static_cast<std::size_t>(tail)];
    const auto duration = static_cast<double>(last.window.duration());
    if (window.duration() >= 0.9 * duration) {
        fitIteration(tail, Remember::No);
        return;
    }
    const auto end = static_cast<double>(last.window.end); // closer: now stands at 79 %
    show({end - 0.79 * window.duration(), end + 0.21 * window.duration()}, Remember::No);
}

void TimelineWidget::Impl::updateIteration()
{
    const int now = isEmpty() ? -1 : view->iterationAt(window.centre());
    if (now == std::exchange(iteration, now))
        return;
    Q_EMIT widget.iterationChanged(now);
}

void TimelineWidget::Impl::updateFlow()
{
    flow.reset();
    if (flowMode == FlowMode::Selected && !isEmpty())
        flow = flowOf(*view, selection);
}

void TimelineWidget::Impl::setSelection(const Selection& to)
{
    if (to == selection)
        return;
    selection = to;
    updateFlow();
    widget.setAccessibleDescription(spoken(to));
    QAccessibleEvent event(&widget, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
    widget.update();
    Q_EMIT widget.selectionChanged(selection);
}

void TimelineWidget::Impl::reveal(const Selection& what)
{
    const auto begin = static_cast<double>(what.window.begin);
    const auto end = static_cast<double>(what.window.end);
    if (what.kind == Selection::Kind::None || what.kind == Selection::Kind::Device)
        return;
    if (end <= window.begin || begin >= window.end)
        show(window.moved((begin + end) / 2 - window.centre()), Remember::Yes);
    if (!what.device.isValid() || static_cast<std::size_t>(what.device.value) >= lanes.size())
        return;
    if (what.kind == Selection::Kind::Kernel)
        widget.setKernelsShown(true);
    const Lane& lane = lanes[static_cast<std::size_t>(what.device.value)];
    if (lane.top < scrollBar->value())
        scrollBar->setValue(static_cast<int>(lane.top));
    if (lane.bottom() > scrollBar->value() + areas.lanes.height())
        scrollBar->setValue(static_cast<int>(std::ceil(lane.bottom() - areas.lanes.height())));
}

QString TimelineWidget::Impl::spoken(const Selection& what) const
{
    if (isEmpty() || what.kind == Selection::Kind::None)
        return {};
    const Scale scale = timeScale(view->run().info, what.window.duration());
    const QString length = scale.withUnit(static_cast<double>(what.window.duration()));
    QString device = tr("device %1").arg(what.device.value);
    if (what.kind == Selection::Kind::Bubble)
        return tr("Bubble, %1, %2").arg(device, length);
    if (what.kind == Selection::Kind::Range)
        return tr("Range, %1").arg(length);
    if (what.kind == Selection::Kind::Device)
        return device;
    if (what.kind == Selection::Kind::Kernel) {
        const auto& activity = kernels->activity();
        const auto& name = activity.nameOf(activity.work()[what.work]).label;
        return tr("Kernel %1, %2, %3").arg(QString::fromStdString(name), device, length);
    }
    const auto& op = view->op(what.op);
    return tr("%1, %2, %3, %4").arg(opText(op), opTitle(op.kind), device, length);
}

} // namespace app
