#include "app/widgets/compare/compare_widget.h"

#include "app/timeline/view/view_keys.h"
#include "app/widgets/compare/compare_scene_painter.h"

#include <QPainter>
#include <QResizeEvent>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace app {

CompareWidget::CompareWidget(const ThemeController& theme, QWidget* parent)
    : TimeCanvas(QStringLiteral("compare"), theme, parent)
{
    setAccessibleName(tr("Comparison of runs"));
    setViews({}, 0);
}

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

void CompareWidget::setViews(std::vector<RunViewPointer> views, std::size_t baseline,
                             const QStringList& titles)
{
    const bool isOther = views.size() != m_scene.runs.size();
    std::vector<bool> expanded;
    int current = -1;
    for (const RunViewPointer& view : views) { // runs that stay keep their state
        const auto before = std::ranges::find(m_scene.runs, view);
        const auto index = static_cast<std::size_t>(before - m_scene.runs.begin());
        expanded.push_back(before != m_scene.runs.end() && isExpanded(index));
        if (before != m_scene.runs.end() && static_cast<int>(index) == m_scene.current)
            current = static_cast<int>(expanded.size()) - 1;
    }
    m_scene.runs = std::move(views);
    m_scene.current = current;
    m_scene.numbers = nullptr;
    QStringList names;
    for (const RunViewPointer& view : m_scene.runs)
        names << QString::fromStdString(view->run().info.label);
    m_scene.arrangement.expanded = std::move(expanded);
    m_scene.arrangement.baseline = baseline;
    m_scene.arrangement.titles.clear();
    for (const QString& title : titles)
        m_scene.arrangement.titles.push_back(title.toStdString());
    m_pictures.assign(m_scene.runs.size(), {});
    endHover();
    setSelected({});
    setAccessibleDescription(names.join(QStringLiteral(", ")));
    if (m_scene.runs.empty())
        setEmptyState(EmptyState::Texts{
            Icon::Compare, tr("Nothing to compare yet"), tr("Tick two or more runs."), {}});
    else
        setEmptyState(std::nullopt);
    orderRows();
    if (isOther) {
        forgetHistory();
        moveTo(m_scene.fit(), Remember::No);
    }
}

void CompareWidget::replaceView(std::size_t run, RunViewPointer view)
{
    const bool wasFitted = inSight() == m_scene.fit();
    CompareScene::Mark mark = m_scene.selected;
    const bool isSelected = mark.row >= 0 && m_scene.row(mark.row).run == run;
    m_scene.runs[run] = std::move(view);
    m_pictures[run] = {};
    endHover();
    relayout();
    if (wasFitted)
        moveTo(m_scene.fit(), Remember::No);
    if (!isSelected)
        return;
    const RunView& now = *m_scene.runs[run];
    const auto span = mark.selection.kind == Selection::Kind::Op
        ? now.spanOf(mark.selection.op, m_scene.row(mark.row).iteration)
        : std::nullopt;
    if (span)
        mark.selection.window = span->window();
    setSelected(span ? mark : CompareScene::Mark());
}

// Tall rows keep the order of the runs; compact ones follow the ranking.
void CompareWidget::orderRows()
{
    auto& order = m_scene.arrangement.order;
    order.resize(m_scene.runs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    relayout();
    if (!isCompact() || !m_scene.numbers)
        return;
    order = m_scene.numbers->ranking.order;
    relayout();
}

void CompareWidget::setNumbers(CompareNumbersPointer numbers)
{
    const bool wasFitted = inSight() == m_scene.fit();
    m_scene.numbers = std::move(numbers);
    setSelected({}); // rows may be exchanged
    orderRows();
    if (wasFitted)
        moveTo(m_scene.fit(), Remember::No); // the columns change the width of the time area
}

void CompareWidget::setBaseline(std::size_t run)
{
    m_scene.arrangement.baseline = run;
    setSelected({}); // rows may be exchanged
    relayout();
}

void CompareWidget::setCurrent(int run)
{
    if (run == std::exchange(m_scene.current, run) || run < 0)
        return;
    if (const CompareRow* row = m_scene.rows.rowOf(static_cast<std::size_t>(run));
        row && isCompact()) {
        const double height = timeArea().height() - 2 * CompareLayout::kLane;
        if (row->top < scrollY() || row->top > scrollY() + height)
            scrollTo(static_cast<int>(row->top - height / 2));
    }
    contentChanged();
}

bool CompareWidget::isExpanded(std::size_t run) const
{
    const auto& expanded = m_scene.arrangement.expanded;
    return run < expanded.size() && expanded[run];
}

void CompareWidget::setExpanded(std::size_t run, bool isExpanded)
{
    auto& expanded = m_scene.arrangement.expanded;
    expanded.resize(std::max(expanded.size(), run + 1));
    expanded[run] = isExpanded;
    setSelected({});
    relayout();
}

void CompareWidget::setLane(LaneOf lane)
{
    m_scene.lane = lane;
    contentChanged();
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

void CompareWidget::select(std::size_t run, const Selection& selection)
{
    const CompareRow* row = m_scene.rows.rowOf(run);
    if (!row)
        return;
    const CompareScene::Mark mark{static_cast<int>(row - m_scene.rows.rows.data()), selection};
    setSelected(mark);
    reveal(mark);
}

int CompareWidget::greatestHeight() const
{
    return static_cast<int>(std::ceil(CompareScene::kRuler + CompareScene::kLegend
                                      + app::greatestHeight(m_scene.rows)));
}

void CompareWidget::relayout()
{
    const CompareStyle style = m_scene.rows.style;
    m_scene.layout(size());
    layoutScrollBar(m_scene.contentHeight());
    if (style != m_scene.rows.style)
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
    const CompareScenePainter comparison(painter, m_scene, colours());
    comparison.paintFrame();
    const QRectF area = timeArea();
    painter.save();
    painter.setClipRect(QRectF(0, area.top(), width(), area.height()));
    painter.translate(0, area.top() - scrollY());
    paintRows(painter);
    painter.restore();
    comparison.paintMarks();
    comparison.paintLegend();
}

// Each row is a picture of its own, so that scrolling copies pictures and zooming draws only the
// visible rows.
void CompareWidget::paintRows(QPainter& painter)
{
    const CompareScenePainter comparison(painter, m_scene, colours());
    const double top = scrollY(), bottom = top + timeArea().height();
    comparison.paintGround();
    for (const CompareRow& row : m_scene.rows.rows)
        if (row.top < bottom && row.top + row.height > top)
            paintRow(painter, row);
    comparison.paintOverRows();
    const CompareRow* base = m_scene.baseline();
    if (!m_scene.isBaselinePinned())
        return;
    const QRectF strip(0, bottom - CompareLayout::kLane, width(), CompareLayout::kLane);
    painter.setClipRect(strip);
    painter.fillRect(strip, look().chrome.surface);
    painter.translate(0, strip.top() - base->top);
    paintRow(painter, *base);
    painter.fillRect(QRectF(0, base->top, width(), 1), look().chrome.lineStrong);
}

void CompareWidget::paintRow(QPainter& painter, const CompareRow& row)
{
    CachedPicture::Key key = pictureKey({m_scene.size.width(), row.height});
    key.scroll = 0;
    painter.drawPixmap(QPointF(0, row.top),
                       m_pictures[row.run].get(key, look().chrome.surface, [&](QPainter& on) {
                           on.translate(0, -row.top);
                           CompareScenePainter(on, m_scene, colours()).paintRow(row);
                       }));
}

void CompareWidget::zoomToAll()
{
    moveTo(fitted(extent(), timeArea().width() - 16), Remember::Yes);
}

void CompareWidget::zoomToSelection()
{
    const CompareScene::Mark& selected = m_scene.selected;
    if (selected.row < 0 || selected.selection.window.duration() <= 0) {
        zoomToFit();
        return;
    }
    const ViewWindow box = m_scene.shareOf(m_scene.row(selected.row), selected.selection.window);
    moveTo(centredThenFitted(inSight(), box), Remember::Yes);
}

void CompareWidget::blink()
{
    auto& order = m_scene.arrangement.order;
    if (order.size() < 2)
        return;
    std::swap(order[0], order[1]);
    setSelected({});
    relayout();
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

void CompareWidget::choose(int run)
{
    if (run == m_scene.current)
        return;
    setCurrent(run);
    Q_EMIT runChosen(run);
}

void CompareWidget::reveal(const CompareScene::Mark& mark)
{
    const CompareRow& row = m_scene.row(mark.row);
    const ViewWindow box = m_scene.shareOf(row, mark.selection.window);
    if (box.end <= inSight().begin || box.begin >= inSight().end)
        moveTo(inSight().moved(box.centre() - inSight().centre()), Remember::Yes);
    const double top = row.lanesTop + mark.selection.device.value * row.pitch;
    const double height = timeArea().height() - (isCompact() ? CompareLayout::kLane : 0);
    if (top - CompareLayout::kTitle < scrollY())
        scrollTo(static_cast<int>(top - CompareLayout::kTitle));
    if (top + row.pitch > scrollY() + height)
        scrollTo(static_cast<int>(std::ceil(top + row.pitch - height)));
}

void CompareWidget::resizeEvent(QResizeEvent* event)
{
    const bool wasFitted = inSight() == m_scene.fit() || !event->oldSize().isValid();
    orderRows();
    if (wasFitted)
        moveTo(m_scene.fit(), Remember::No);
}

} // namespace app
