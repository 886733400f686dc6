#include "app/widgets/timeline/timeline_widget.h"

#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/view/view_keys.h"
#include "app/widgets/timeline/timeline_impl.h"

#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

namespace app {

TimelineWidget::TimelineWidget(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m(std::make_unique<Impl>(*this, theme))
{
    setObjectName(QStringLiteral("timeline"));
    setAccessibleName(tr("Timeline"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    m->updateEmptyState();
    m->relayout();
}

TimelineWidget::~TimelineWidget() = default;

void TimelineWidget::setRun(std::shared_ptr<const engine::Run> run, View how)
{
    setView(run ? std::make_shared<const RunView>(std::move(run)) : nullptr, how);
}

void TimelineWidget::setView(RunViewPointer view, View how)
{
    const bool wasEmpty = m->isEmpty();
    m->view = std::move(view);
    m->pictureKey = {}; // a new run may lie where the old one lay in memory
    m->overviewKey = {};
    m->hover = {};
    m->updateEmptyState();
    m->relayout();
    if (how == View::FitIteration || wasEmpty) {
        m->history.clear();
        m->setSelection({});
        if (!m->isEmpty())
            m->fitIteration(m->isFollowing
                                ? static_cast<int>(m->view->timeline().iterations.size()) - 1
                                : engine::reportedIteration(m->view->timeline()),
                            Impl::Remember::No);
    } else if (m->isFollowing) {
        m->followTail();
    }
    m->updateFlow();
    m->updateIteration();
    update();
}

void TimelineWidget::setKernels(KernelViewPointer kernels)
{
    if (m->selection.kind == Selection::Kind::Kernel)
        m->setSelection({});
    m->kernels = std::move(kernels);
    m->hover = {};
    m->pictureKey = {};
    m->relayout();
}

const KernelViewPointer& TimelineWidget::kernels() const
{
    return m->kernels;
}

bool TimelineWidget::areKernelsShown() const
{
    return m->areKernelsShown;
}

void TimelineWidget::setKernelsShown(bool shown)
{
    if (m->areKernelsShown == shown)
        return;
    m->areKernelsShown = shown;
    if (!shown && m->selection.kind == Selection::Kind::Kernel)
        m->setSelection({});
    m->relayout();
    Q_EMIT kernelsShownChanged(shown);
}

int TimelineWidget::iteration() const
{
    return m->iteration;
}

void TimelineWidget::showIteration(int iteration)
{
    setFollow(false);
    m->fitIteration(iteration, Impl::Remember::Yes);
}

const Selection& TimelineWidget::selection() const
{
    return m->selection;
}

void TimelineWidget::select(const Selection& selection)
{
    m->setSelection(selection);
    if (!m->isEmpty())
        m->reveal(selection);
}

bool TimelineWidget::follow() const
{
    return m->isFollowing;
}

TimelineWidget::FlowMode TimelineWidget::flowMode() const
{
    return m->flowMode;
}

QSize TimelineWidget::sizeHint() const
{
    return {1092, 654};
}

QSize TimelineWidget::minimumSizeHint() const
{
    return {360, 200};
}

void TimelineWidget::zoomToFit()
{
    setFollow(false);
    m->fitIteration(m->iteration, Impl::Remember::Yes);
}

void TimelineWidget::zoomToAll()
{
    if (!m->isEmpty())
        m->userShows(fitted(m->view->extent(), m->areas.lanes.width()), Impl::Remember::Yes);
}

void TimelineWidget::zoomToSelection()
{
    const auto& window = m->selection.window;
    if (m->isEmpty() || m->selection.kind == Selection::Kind::None || window.duration() <= 0) {
        zoomToFit();
        return;
    }
    const ViewWindow box{static_cast<double>(window.begin), static_cast<double>(window.end)};
    m->userShows(centredThenFitted(m->window, box), Impl::Remember::Yes);
}

void TimelineWidget::zoomBack()
{
    ViewWindow to = m->window;
    if (m->history.back(to))
        m->userShows(to, Impl::Remember::No);
}

void TimelineWidget::zoomForward()
{
    ViewWindow to = m->window;
    if (m->history.forward(to))
        m->userShows(to, Impl::Remember::No);
}

void TimelineWidget::setFollow(bool follow)
{
    if (m->isFollowing == follow)
        return;
    m->isFollowing = follow;
    if (follow)
        m->followTail();
    Q_EMIT followChanged(follow);
}

void TimelineWidget::setFlowMode(FlowMode mode)
{
    if (m->flowMode == mode)
        return;
    m->flowMode = mode;
    m->updateFlow();
    update();
    Q_EMIT flowModeChanged(mode);
}

ColourBy TimelineWidget::colourBy() const
{
    return m->colourBy;
}

void TimelineWidget::setColourBy(ColourBy by)
{
    if (m->colourBy == by)
        return;
    m->colourBy = by;
    m->colours.reset();
    update();
    Q_EMIT colourByChanged(by);
}

void TimelineWidget::setFound(FoundPointer found)
{
    m->found = std::move(found);
    ++m->layoutSerial; // the picture of the lanes is another one
    update();
}

QRect TimelineWidget::selectionRect() const
{
    if (m->isEmpty())
        return {};
    const QRectF box = rectOf(*m->view, m->axis(), m->lanes, m->selection)
                           .translated(0, m->areas.lanes.top() - m->scrollBar->value());
    return box.intersected(m->areas.lanes).toAlignedRect();
}

void TimelineWidget::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    m->paint(painter);
}

// A resize keeps the fit: the same stretch of time, unless it showed exactly one iteration.
void TimelineWidget::resizeEvent(QResizeEvent*)
{
    const auto& iterations
        = m->isEmpty() ? std::vector<engine::Iteration>() : m->view->timeline().iterations;
    const bool wasFitted = m->iteration >= 0
        && m->window
            == fitted(iterations[static_cast<std::size_t>(m->iteration)].window,
                      m->areas.lanes.width());
    m->relayout();
    if (wasFitted)
        m->fitIteration(m->iteration, Impl::Remember::No);
}

void TimelineWidget::leaveEvent(QEvent*)
{
    m->toolTipTimer.stop();
    m->hover = {};
    update();
}

} // namespace app
