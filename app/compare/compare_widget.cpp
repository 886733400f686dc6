#include "app/compare/compare_widget.h"

#include "app/compare/compare_painter.h"
#include "app/timeline/view/navigation.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
namespace {

constexpr double kNear = 4; // a drag starts at most this many pixels from the end of an op

} // namespace

std::optional<OpEndDrag::Found> OpEndDrag::find(const CompareScene& scene, QPointF at) const
{
    const CompareRow* to = m_run < 0 ? nullptr : scene.rows.rowOf(static_cast<std::size_t>(m_run));
    if (to == nullptr || scene.rows.isCompact)
        return std::nullopt;
    for (const double left : {kNear, 0.0}) {
        const CompareScene::Mark mark = scene.hit(at - QPointF(left, 0));
        if (mark.selection.kind != Selection::Kind::Op || mark.selection.window.duration() <= 0
            || std::abs(scene.boxOf(mark).right() - at.x()) > kNear
            || scene.row(mark.row).view->run().schedule != to->view->run().schedule)
            continue;
        if (const auto changed = scene.opIn(*to, mark.selection.op))
            return Found{mark, *changed};
    }
    return std::nullopt;
}

// Stores the time scale for the whole drag, because the view may be fitted again meanwhile.
std::optional<CompareScene::Mark> OpEndDrag::begin(const CompareScene& scene, QPointF at)
{
    const auto found = find(scene, at);
    if (!found)
        return std::nullopt;
    m_isActive = true;
    m_ticksPerPixel = scene.axisOf(scene.row(found->at.row)).ticksPerPixel();
    m_before = found->at.selection.window.duration();
    m_now = found->changed.selection.window.duration();
    return found->changed;
}

double OpEndDrag::moved(double pixels)
{
    const std::int64_t least = std::max<std::int64_t>(1, m_before / 100);
    const std::int64_t now = std::max<std::int64_t>(
        least, std::llround(static_cast<double>(m_before) + pixels * m_ticksPerPixel));
    return static_cast<double>(now) / static_cast<double>(std::exchange(m_now, now));
}

bool OpEndDrag::end()
{
    return std::exchange(m_isActive, false);
}

CompareWidget::CompareWidget(const ThemeController& theme, QWidget* parent)
    : TimeCanvas(QStringLiteral("compare"), theme, parent)
{
    setAccessibleName(tr("Comparison of runs"));
    setViews({}, 0);
}

void CompareWidget::setViews(std::vector<RunViewPointer> views, std::size_t baseline,
                             const RunNames& names)
{
    const bool isOther = views.size() != m_scene.runs.size();
    m_scene.setRuns(std::move(views), baseline, names);
    QStringList labels;
    for (const RunViewPointer& view : m_scene.runs)
        labels << QString::fromStdString(view->run().info.label);
    endHover();
    setSelected({});
    setAccessibleDescription(labels.join(QStringLiteral(", ")));
    if (m_scene.runs.empty())
        setEmptyState(EmptyState::Texts{
            Icon::Compare, tr("Nothing to compare yet"), tr("Tick two or more runs."), {}});
    else
        setEmptyState(std::nullopt);
    relayout();
    if (isOther) {
        forgetHistory();
        moveTo(m_scene.fit(), Remember::No);
    }
}

void CompareWidget::replaceView(std::size_t run, RunViewPointer view)
{
    const CompareScene::Mark mark = m_scene.selected;
    const bool isSelected = mark.row >= 0 && m_scene.row(mark.row).run == run;
    m_scene.runs[run] = std::move(view);
    endHover();
    keepFit([this] { relayout(); });
    if (!isSelected)
        return;
    const auto now = mark.selection.kind == Selection::Kind::Op
        ? m_scene.opIn(m_scene.row(mark.row), mark.selection.op)
        : std::nullopt;
    setSelected(now.value_or(CompareScene::Mark()));
}

void CompareWidget::setNumbers(CompareNumbersPointer numbers)
{
    keepFit([&] { // the columns change the width of the time area
        m_scene.arrangement.numbers = std::move(numbers);
        setSelected({}); // the order of the rows may change
        orderRows();
    });
}

void CompareWidget::setPredictedPeak(std::size_t run, std::int64_t bytes)
{
    if (std::exchange(m_scene.arrangement.predictedPeaks[run], bytes) != bytes)
        keepFit([this] { relayout(); });
}

void CompareWidget::setBaseline(std::size_t run)
{
    m_scene.arrangement.baseline = run;
    setSelected({}); // the order of the rows may change
    relayout();
}

void CompareWidget::setCurrent(int run)
{
    if (run == std::exchange(m_scene.current, run) || run < 0)
        return;
    if (const CompareRow* row = m_scene.chosen(); row && isCompact()) {
        const double height = timeArea().height() - 2 * m_scene.rows.rowHeight();
        if (row->top < scrollY() || row->top > scrollY() + height)
            scrollTo(static_cast<int>(row->top - height / 2));
    }
    contentChanged();
}

void CompareWidget::setExpanded(std::size_t run, bool isExpanded)
{
    if (isExpanded)
        m_scene.arrangement.expanded.insert(run);
    else
        m_scene.arrangement.expanded.erase(run);
    setSelected({});
    relayout();
}

void CompareWidget::setLane(LaneOf lane)
{
    m_scene.arrangement.lane = lane;
    relayout();
}

void CompareWidget::setAlign(CompareAlign align)
{
    m_scene.arrangement.align = align;
    relayout();
    moveTo(m_scene.fit(), Remember::No);
}

void CompareWidget::setGhost(bool hasGhost)
{
    m_scene.hasGhost = hasGhost;
    contentChanged();
}

void CompareWidget::blink()
{
    auto& order = m_scene.arrangement.order;
    const std::size_t baseline = m_scene.arrangement.baseline;
    const std::size_t other = m_scene.current >= 0 && m_scene.current != static_cast<int>(baseline)
        ? static_cast<std::size_t>(m_scene.current)
        : (baseline == 0 ? 1 : 0);
    const auto one = std::ranges::find(order, baseline), two = std::ranges::find(order, other);
    if (one == order.end() || two == order.end())
        return;
    std::iter_swap(one, two);
    setSelected({});
    relayout();
    contentChanged();
}

void CompareWidget::setEditable(int run)
{
    m_opEnd.setRun(run);
    unsetCursor();
}

void CompareWidget::select(std::size_t run, const Selection& selection)
{
    if (const CompareRow* row = m_scene.rows.rowOf(run))
        selectAndReveal({m_scene.indexOf(*row), selection});
}

int CompareWidget::heightFor(double rows)
{
    return static_cast<int>(std::ceil(CompareScene::kRuler + CompareScene::kLegend + rows));
}

void CompareWidget::orderRows()
{
    m_scene.arrangement.order.clear();
    relayout();
}

void CompareWidget::relayout()
{
    const bool wasCompact = isCompact();
    m_scene.layout(size());
    layoutScrollBar(m_scene.contentHeight());
    if (wasCompact != isCompact())
        Q_EMIT styleChanged();
}

void CompareWidget::updateAxis()
{
    m_scene.window = inSight();
    m_scene.dpr = devicePixelRatioF();
    m_scene.scroll = scrollY();
}

void CompareWidget::paintCanvas(QPainter& painter)
{
    const ComparePainter comparison(painter, m_scene, colours());
    comparison.paintFrame();
    const QSizeF size(m_scene.size.width(), m_scene.area.height());
    painter.drawPixmap(QPointF(0, m_scene.area.top()),
                       m_rows.get(pictureKey(size), look().chrome.surface, [this](QPainter& on) {
                           ComparePainter(on, m_scene, colours()).paintRows();
                       }));
    comparison.paintMarks();
    comparison.paintLegend();
}

std::optional<ViewWindow> CompareWidget::selectedBox() const
{
    const CompareScene::Mark& selected = m_scene.selected;
    return selected.row < 0
        ? std::nullopt
        : std::optional(m_scene.shareOf(m_scene.row(selected.row), selected.selection.window));
}

void CompareWidget::setSelected(const CompareScene::Mark& mark)
{
    if (mark == m_scene.selected)
        return;
    m_scene.selected = mark;
    update();
    const int run = mark.row < 0 ? -1 : static_cast<int>(m_scene.row(mark.row).run);
    Q_EMIT selectionChanged(run, mark.selection);
    if (run >= 0)
        choose(run);
}

void CompareWidget::selectAndReveal(const CompareScene::Mark& mark)
{
    setSelected(mark);
    const CompareRow& row = m_scene.row(mark.row);
    reveal(m_scene.shareOf(row, mark.selection.window));
    const double top = row.lanesTop + mark.selection.device.value * row.pitch;
    const double pinned = isCompact() ? m_scene.rows.rowHeight() : 0;
    revealLane(top - CompareLayout::kTitle, top + row.pitch + pinned);
}

void CompareWidget::choose(int run)
{
    if (run == m_scene.current)
        return;
    setCurrent(run);
    Q_EMIT runChosen(run);
}

void CompareWidget::click(QPointF at)
{
    if (const auto by = m_scene.rankAt(at)) {
        Q_EMIT rankRequested(*by);
        return;
    }
    const CompareScene::Mark mark = m_scene.hit(at);
    if (mark.row < 0 || mark.selection.kind != Selection::Kind::None)
        return setSelected(mark);
    const std::size_t run = m_scene.row(mark.row).run;
    setSelected({});
    choose(static_cast<int>(run));
    if (m_scene.isChevron(mark, at))
        setExpanded(run, !isExpanded(run));
}

void CompareWidget::contextMenuEvent(QContextMenuEvent* event)
{
    const bool isAboutChosen
        = event->reason() == QContextMenuEvent::Keyboard && m_scene.current >= 0;
    const CompareRow* row
        = event->pos().y() < CompareScene::kRuler ? nullptr : m_scene.rowAt(event->pos());
    if (!isAboutChosen && row == nullptr)
        return;
    const int index = isAboutChosen ? m_scene.current : static_cast<int>(row->run);
    const auto run = static_cast<std::size_t>(index);
    QMenu menu(this);
    connect(menu.addAction(tr("Open timeline")), &QAction::triggered, this,
            [this, index] { Q_EMIT openRequested(index); });
    connect(menu.addAction(tr("Set as baseline")), &QAction::triggered, this,
            [this, index] { Q_EMIT baselineRequested(index); });
    if (isCompact())
        connect(menu.addAction(isExpanded(run) ? tr("Hide devices") : tr("Show devices")),
                &QAction::triggered, this, [this, run] { setExpanded(run, !isExpanded(run)); });
    menu.exec(event->globalPos());
}

bool CompareWidget::hover(QPointF at)
{
    if (m_opEnd.isAt(m_scene, at))
        setCursor(Qt::SplitHCursor);
    else
        unsetCursor();
    const CompareScene::Mark under = m_scene.hit(at);
    return under != std::exchange(m_scene.hover, under);
}

void CompareWidget::selectRange(QPointF from, double toX)
{
    if (const auto range = m_scene.rangeAt(from, toX))
        setSelected(*range);
}

std::optional<ViewWindow> CompareWidget::openAt(QPointF at)
{
    if (at.y() < CompareScene::kRuler && at.x() >= timeArea().left()) {
        zoomToFit();
        return std::nullopt;
    }
    const CompareScene::Mark mark = m_scene.hit(at);
    const CompareRow* row = at.y() < CompareScene::kRuler ? nullptr : m_scene.rowAt(at);
    if (row && at.x() < timeArea().left() && mark.selection.kind == Selection::Kind::None
        && !m_scene.isChevron(mark, at))
        Q_EMIT openRequested(static_cast<int>(row->run)); // the name of the run
    if (mark.row < 0 || mark.selection.kind == Selection::Kind::None)
        return std::nullopt;
    setSelected(mark);
    return selectedBox();
}

bool CompareWidget::ownPress(QMouseEvent& event)
{
    const auto changed = event.button() == Qt::LeftButton && event.modifiers() == Qt::NoModifier
        ? m_opEnd.begin(m_scene, event.position())
        : std::nullopt;
    if (changed)
        setSelected(*changed);
    return changed.has_value();
}

void CompareWidget::ownDrag(QPointF from, QPointF to)
{
    if (const double ratio = m_opEnd.moved(to.x() - from.x()); ratio != 1)
        Q_EMIT opScaled(ratio, false);
}

void CompareWidget::mouseReleaseEvent(QMouseEvent* event)
{
    TimeCanvas::mouseReleaseEvent(event);
    if (m_opEnd.end())
        Q_EMIT opScaled(1, true);
}

bool CompareWidget::ownKey(int key, Qt::KeyboardModifiers)
{
    if (isCompact() && key >= Qt::Key_1 && key <= Qt::Key_4) {
        Q_EMIT rankRequested(kSorts[key - Qt::Key_1]);
        return true;
    }
    const bool isOnRow = isCompact() && m_scene.selected.row < 0;
    if (isOnRow && (key == Qt::Key_Up || key == Qt::Key_Down)) {
        choose(static_cast<int>(m_scene.steppedRun(key == Qt::Key_Up ? -1 : 1)));
        return true;
    }
    const auto run = static_cast<std::size_t>(std::max(0, m_scene.current));
    if (isOnRow && (key == Qt::Key_Return || key == Qt::Key_Enter) && m_scene.current >= 0) {
        setExpanded(run, !isExpanded(run));
        return true;
    }
    const bool isFolded = m_scene.current < 0 || !isExpanded(run);
    if (!isWalkKey(key) || (isOnRow && isFolded))
        return false;
    if (const auto to = m_scene.walkedTo(key))
        selectAndReveal(*to);
    return true;
}

void CompareWidget::resizeEvent(QResizeEvent*)
{
    keepFit([this] { orderRows(); });
}

} // namespace app
