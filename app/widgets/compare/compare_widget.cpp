#include "app/widgets/compare/compare_widget.h"

#include "app/timeline/details/tool_tip.h"
#include "app/timeline/view/view_keys.h"
#include "app/timeline/view/walk_keys.h"
#include "app/widgets/compare/compare_scene_painter.h"

#include <QPainter>
#include <QResizeEvent>

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

void CompareWidget::setViews(std::vector<RunViewPointer> views, std::size_t baseline)
{
    const bool isOther = views.size() != m_scene.runs.size();
    m_scene.runs = std::move(views);
    QStringList names;
    for (const RunViewPointer& view : m_scene.runs)
        names << QString::fromStdString(view->run().info.label);
    m_scene.order.resize(m_scene.runs.size());
    std::iota(m_scene.order.begin(), m_scene.order.end(), std::size_t{0});
    m_scene.baseline = baseline;
    endHover();
    setSelected({});
    setAccessibleDescription(names.join(QStringLiteral(", ")));
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

void CompareWidget::setBaseline(std::size_t run)
{
    m_scene.baseline = run;
    setSelected({}); // rows may be exchanged
    relayout();
}

int CompareWidget::greatestHeight() const
{
    return static_cast<int>(std::ceil(CompareScene::kRuler + CompareScene::kLegend
                                      + app::greatestHeight(m_scene.rows)));
}

void CompareWidget::relayout()
{
    m_scene.layout(size());
    layoutScrollBar(m_scene.rows.height);
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
    const CachedPicture::Key key = pictureKey({m_scene.size.width(), timeArea().height()});
    painter.drawPixmap(QPointF(0, CompareScene::kRuler),
                       m_rows.get(key, look().chrome.surface, [&](QPainter& on) {
                           on.translate(0, -scrollY());
                           CompareScenePainter(on, m_scene, colours()).paintRows();
                       }));
    comparison.paintMarks();
    comparison.paintLegend();
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
    if (m_scene.order.size() < 2)
        return;
    std::swap(m_scene.order[0], m_scene.order[1]);
    setSelected({});
    relayout();
}

void CompareWidget::setSelected(const CompareScene::Mark& mark)
{
    if (mark == m_scene.selected)
        return;
    m_scene.selected = mark;
    update();
    Q_EMIT selectionChanged(mark.row < 0 ? -1 : static_cast<int>(m_scene.row(mark.row).run),
                            mark.selection);
}

void CompareWidget::reveal(const CompareScene::Mark& mark)
{
    const CompareRow& row = m_scene.row(mark.row);
    const ViewWindow box = m_scene.shareOf(row, mark.selection.window);
    if (box.end <= inSight().begin || box.begin >= inSight().end)
        moveTo(inSight().moved(box.centre() - inSight().centre()), Remember::Yes);
    const double top = row.lanesTop + mark.selection.device.value * row.pitch;
    const double height = timeArea().height();
    if (top - CompareLayout::kTitle < scrollY())
        scrollTo(static_cast<int>(top - CompareLayout::kTitle));
    if (top + row.pitch > scrollY() + height)
        scrollTo(static_cast<int>(std::ceil(top + row.pitch - height)));
}

bool CompareWidget::hover(QPointF at)
{
    const CompareScene::Mark under = m_scene.hit(at);
    return under != std::exchange(m_scene.hover, under);
}

QString CompareWidget::toolTip() const
{
    return toolTipText(*m_scene.row(m_scene.hover.row).view, m_scene.hover.selection);
}

void CompareWidget::selectRange(QPointF from, double toX)
{
    if (const auto range = m_scene.rangeAt(from, toX))
        setSelected(*range);
}

std::optional<ViewWindow> CompareWidget::openAt(QPointF at)
{
    const CompareScene::Mark mark = m_scene.hit(at);
    if (mark.row < 0)
        return std::nullopt;
    setSelected(mark);
    return m_scene.shareOf(m_scene.row(mark.row), mark.selection.window);
}

bool CompareWidget::ownKey(int key, Qt::KeyboardModifiers)
{
    if (key == Qt::Key_B) {
        blink();
        return true;
    }
    if (!isWalkKey(key))
        return false;
    if (const auto to = m_scene.walkedTo(key)) {
        setSelected(*to);
        reveal(*to);
    }
    return true;
}

void CompareWidget::resizeEvent(QResizeEvent* event)
{
    const bool wasFitted = inSight() == m_scene.fit() || !event->oldSize().isValid();
    relayout();
    if (wasFitted)
        moveTo(m_scene.fit(), Remember::No);
}

} // namespace app
