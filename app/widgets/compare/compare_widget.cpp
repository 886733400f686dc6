#include "app/widgets/compare/compare_widget.h"

#include "app/widgets/compare/compare_impl.h"
#include "app/widgets/controls/empty_state.h"
#include "app/widgets/timeline/timeline_geometry.h"

#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>

#include <numeric>

namespace app {

CompareWidget::Impl::Impl(CompareWidget& owner, const ThemeController& controller)
    : widget(owner)
    , theme(controller)
    , scrollBar(new QScrollBar(Qt::Vertical, &owner))
{
    scrollBar->setObjectName(QStringLiteral("compareScroll"));
    scrollBar->setFocusPolicy(Qt::NoFocus);
    toolTipTimer.setSingleShot(true);
    toolTipTimer.setInterval(300);
    QObject::connect(&toolTipTimer, &QTimer::timeout, &owner, [this] { showToolTip(); });
    QObject::connect(scrollBar, &QScrollBar::valueChanged, &owner, [this] { widget.update(); });
    QObject::connect(&theme, &ThemeController::changed, &owner, [this] {
        colours.reset();
        widget.update();
    });
}

QRectF CompareWidget::Impl::rowsArea() const
{
    return {kHeader, kRuler, std::max(1.0, widget.width() - kHeader - kColumn),
            std::max(0.0, widget.height() - kRuler - kLegend)};
}

void CompareWidget::Impl::relayout()
{
    const QRectF area = rowsArea();
    layout = layoutComparison(runs, order, baseline, area.height());
    ++serial;
    const double hidden = layout.height - area.height();
    scrollBar->setVisible(hidden > 0);
    scrollBar->setRange(0, static_cast<int>(std::max(0.0, std::ceil(hidden))));
    scrollBar->setPageStep(static_cast<int>(area.height()));
    scrollBar->setSingleStep(20);
    scrollBar->setGeometry(widget.width() - 10, static_cast<int>(area.top()), 10,
                           static_cast<int>(area.height()));
    if (empty)
        empty->setGeometry(emptyStateRect(widget.size()));
    widget.update();
}

void CompareWidget::Impl::updateEmptyState()
{
    delete std::exchange(empty, nullptr);
    if (!runs.empty())
        return;
    EmptyState::Words words;
    words.icon = Icon::Compare;
    words.fact = tr("Nothing to compare yet");
    words.advice = tr("Choose two or more runs.");
    empty = new EmptyState(theme, words, &widget);
    empty->setObjectName(QStringLiteral("compareEmpty"));
    empty->setGeometry(emptyStateRect(widget.size()));
    empty->show();
}

void CompareWidget::Impl::show(ViewWindow to, Remember remember)
{
    to = limited(to, {0, static_cast<std::int64_t>(kCompareWhole)});
    if (to == window)
        return;
    if (remember == Remember::Yes)
        history.push(window);
    window = to;
    if (hover.row >= 0)
        hover = hit(pointer);
    widget.update();
}

// From the first op to the end of the longest run; a run that is longer than the baseline has room
// for its difference.
void CompareWidget::Impl::fit(Remember remember)
{
    show(fitted({0, static_cast<std::int64_t>(kCompareWhole)}, rowsArea().width() - 16), remember);
}

TimeAxis CompareWidget::Impl::axisOf(const CompareRow& row) const
{
    return compareAxis(layout, row, window, rowsArea(), widget.devicePixelRatioF());
}

const CompareRow* CompareWidget::Impl::baselineOf(const CompareRow& row) const
{
    for (const auto& other : layout.rows) {
        if (other.run == baseline)
            return &other != &row && other.group == row.group && other.iteration >= 0
                    && row.iteration >= 0
                ? &other
                : nullptr;
    }
    return nullptr;
}

void CompareWidget::Impl::setSelected(const Mark& mark)
{
    if (mark == selected)
        return;
    selected = mark;
    widget.update();
    const int run
        = mark.row < 0 ? -1 : static_cast<int>(layout.rows[static_cast<std::size_t>(mark.row)].run);
    Q_EMIT widget.selectionChanged(run, mark.selection);
}

CompareWidget::CompareWidget(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m(std::make_unique<Impl>(*this, theme))
{
    setObjectName(QStringLiteral("compare"));
    setAccessibleName(tr("Comparison of runs"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    m->updateEmptyState();
}

CompareWidget::~CompareWidget() = default;

void CompareWidget::setRuns(std::vector<std::shared_ptr<const engine::Run>> runs,
                            std::size_t baseline)
{
    std::vector<RunViewPointer> views;
    for (auto& run : runs) {
        if (run)
            views.push_back(std::make_shared<const RunView>(std::move(run)));
    }
    setViews(std::move(views), baseline);
}

void CompareWidget::setViews(std::vector<RunViewPointer> views, std::size_t baseline)
{
    const bool isOther = views.size() != m->runs.size();
    m->runs = std::move(views);
    QStringList names;
    for (const RunViewPointer& view : m->runs)
        names << QString::fromStdString(view->run().info.label);
    m->order.resize(m->runs.size());
    std::iota(m->order.begin(), m->order.end(), std::size_t{0});
    m->baseline = baseline;
    m->hover = {};
    m->setSelected({});
    setAccessibleDescription(names.join(QStringLiteral(", ")));
    m->updateEmptyState();
    m->relayout();
    if (isOther) {
        m->history.clear();
        m->fit(Impl::Remember::No);
    }
}

void CompareWidget::setBaseline(std::size_t run)
{
    m->baseline = run;
    m->setSelected({}); // rows may change places
    m->relayout();
}

int CompareWidget::greatestHeight() const
{
    return static_cast<int>(
        std::ceil(Impl::kRuler + Impl::kLegend + app::greatestHeight(m->layout)));
}

QSize CompareWidget::sizeHint() const
{
    return {1384, 582};
}

QSize CompareWidget::minimumSizeHint() const
{
    return {400, 200};
}

void CompareWidget::zoomToFit()
{
    m->fit(Impl::Remember::Yes);
}

void CompareWidget::zoomBack()
{
    if (m->history.back(m->window))
        update();
}

void CompareWidget::zoomForward()
{
    if (m->history.forward(m->window))
        update();
}

void CompareWidget::blink()
{
    if (m->order.size() < 2)
        return;
    std::swap(m->order[0], m->order[1]);
    m->setSelected({});
    m->relayout();
}

void CompareWidget::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    m->paint(painter);
}

void CompareWidget::resizeEvent(QResizeEvent* event)
{
    const QRectF before(0, 0,
                        std::max(1.0, event->oldSize().width() - Impl::kHeader - Impl::kColumn), 1);
    const bool wasFitted
        = m->window == fitted({0, static_cast<std::int64_t>(kCompareWhole)}, before.width() - 16);
    m->relayout();
    if (wasFitted || !event->oldSize().isValid())
        m->fit(Impl::Remember::No);
}

} // namespace app
