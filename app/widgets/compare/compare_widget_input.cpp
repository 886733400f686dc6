#include "app/timeline/details/tool_tip.h"
#include "app/timeline/view/walk_keys.h"
#include "app/widgets/compare/compare_scene_painter.h"
#include "app/widgets/compare/compare_widget.h"

#include <QContextMenuEvent>
#include <QMenu>

#include <algorithm>
#include <utility>

// The mouse and the keys of a comparison.

namespace app {

// Chooses the next row of a compact comparison.
void CompareWidget::stepRun(int by)
{
    const auto& rows = m_scene.rows.rows;
    const CompareRow* now = m_scene.current < 0
        ? nullptr
        : m_scene.rows.rowOf(static_cast<std::size_t>(m_scene.current));
    const int last = static_cast<int>(rows.size()) - 1;
    const int to = now ? static_cast<int>(now - rows.data()) + by : by > 0 ? 0 : last;
    choose(static_cast<int>(rows[static_cast<std::size_t>(std::clamp(to, 0, last))].run));
}

void CompareWidget::click(QPointF at)
{
    if (const CompareColumn* title = m_scene.titleAt(at)) {
        Q_EMIT rankRequested(title->ranksBy());
        return;
    }
    if (isCompact() && at.y() < CompareScene::kRuler && at.x() < timeArea().left()) {
        Q_EMIT rankRequested(profiler::RankBy::Name);
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
    if (event->reason() == QContextMenuEvent::Keyboard && m_scene.current >= 0)
        return showMenu(static_cast<std::size_t>(m_scene.current), event->globalPos());
    const QPointF at = event->pos();
    const double y = at.y() - CompareScene::kRuler + scrollY();
    for (const CompareRow& row : m_scene.rows.rows)
        if (y >= row.top && y < row.top + row.height && at.y() >= CompareScene::kRuler)
            return showMenu(row.run, event->globalPos());
}

void CompareWidget::showMenu(std::size_t run, const QPoint& at)
{
    QMenu menu(this);
    const int index = static_cast<int>(run);
    connect(menu.addAction(tr("Open timeline")), &QAction::triggered, this,
            [this, index] { Q_EMIT openRequested(index); });
    connect(menu.addAction(tr("Set as baseline")), &QAction::triggered, this,
            [this, index] { Q_EMIT baselineRequested(index); });
    if (isCompact())
        connect(menu.addAction(isExpanded(run) ? tr("Hide devices") : tr("Show devices")),
                &QAction::triggered, this, [this, run] { setExpanded(run, !isExpanded(run)); });
    menu.exec(at);
}

bool CompareWidget::hover(QPointF at)
{
    if (endAt(at))
        setCursor(Qt::SplitHCursor);
    else
        unsetCursor();
    const CompareScene::Mark under = m_scene.hit(at);
    return under != std::exchange(m_scene.hover, under);
}

QString CompareWidget::rowToolTip(const CompareRow& row) const
{
    QStringList lines{compareSubtitle(row)};
    const Scale scale = compareTime(m_scene.rows, row);
    if (m_scene.numbers) {
        const auto& run = m_scene.numbers->comparison.runs[row.run];
        if (run.interval)
            lines << tr("95 % interval: %1 to %2")
                         .arg(scale.text(static_cast<double>(run.interval->least)),
                              scale.withUnit(static_cast<double>(run.interval->most)));
    }
    lines << (row.isExpanded ? tr("Enter hides the devices") : tr("Enter shows the devices"));
    return toolTipPage(QString::fromStdString(row.name),
                       scale.withUnit(static_cast<double>(row.window().duration())), lines);
}

QString CompareWidget::toolTip() const
{
    if (m_scene.hover.selection.kind == Selection::Kind::None)
        return rowToolTip(m_scene.row(m_scene.hover.row));
    return toolTipText(*m_scene.row(m_scene.hover.row).view, m_scene.hover.selection);
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
    if (mark.row < 0)
        return std::nullopt;
    if (mark.selection.kind == Selection::Kind::None) {
        const std::size_t run = m_scene.row(mark.row).run;
        if (!m_scene.isChevron(mark, at))
            setExpanded(run, !isExpanded(run));
        return std::nullopt;
    }
    setSelected(mark);
    return m_scene.shareOf(m_scene.row(mark.row), mark.selection.window);
}

bool CompareWidget::ownKey(int key, Qt::KeyboardModifiers)
{
    if (key == Qt::Key_B) {
        blink();
        return true;
    }
    const bool isOnRow = isCompact() && m_scene.selected.row < 0;
    if (isOnRow && (key == Qt::Key_Up || key == Qt::Key_Down)) {
        stepRun(key == Qt::Key_Up ? -1 : 1);
        return true;
    }
    if (isOnRow && (key == Qt::Key_Return || key == Qt::Key_Enter) && m_scene.current >= 0) {
        const auto run = static_cast<std::size_t>(m_scene.current);
        setExpanded(run, !isExpanded(run));
        return true;
    }
    const bool isFolded
        = m_scene.current < 0 || !isExpanded(static_cast<std::size_t>(m_scene.current));
    if (!isWalkKey(key) || (isOnRow && isFolded))
        return false;
    if (const auto to = m_scene.walkedTo(key)) {
        setSelected(*to);
        reveal(*to);
    }
    return true;
}

} // namespace app
