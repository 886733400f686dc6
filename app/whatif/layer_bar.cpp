#include "app/whatif/layer_bar.h"

#include "app/ui/numbers.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace app {
namespace {

constexpr int kBar = 26, kStageText = 18, kHandle = 5, kReach = 6;

// The number of layers before each stage, then the total.
std::vector<int> borders(const LayerSplit& split)
{
    std::vector<int> all{0};
    std::partial_sum(split.begin(), split.end(), std::back_inserter(all));
    return all;
}

} // namespace

std::vector<profiler::LayerMove> layerMoves(const LayerSplit& measured, const LayerSplit& split)
{
    const std::vector<int> now = borders(split), before = borders(measured);
    std::vector<profiler::LayerMove> moves;
    for (std::size_t from = 0; from < split.size(); ++from)
        for (std::size_t to = 0; to < split.size(); ++to) {
            const int common
                = std::min(now[to + 1], before[from + 1]) - std::max(now[to], before[from]);
            if (from != to && common > 0)
                moves.push_back({engine::StageId{static_cast<int>(from)},
                                 engine::StageId{static_cast<int>(to)}, common});
        }
    return moves;
}

LayerSplit withMoves(LayerSplit split, const std::vector<profiler::LayerMove>& moves)
{
    for (const profiler::LayerMove& move : moves) {
        split[static_cast<std::size_t>(move.from.value)] -= move.count;
        split[static_cast<std::size_t>(move.to.value)] += move.count;
    }
    return split;
}

std::pair<int, int> borderRange(const LayerSplit& measured, const LayerSplit& split, int border)
{
    const std::vector<int> now = borders(split), before = borders(measured);
    const auto at = static_cast<std::size_t>(border);
    return {std::max(now[at], before[at]) + 1, std::min(now[at + 2], before[at + 2]) - 1};
}

LayerSplit withBorder(const LayerSplit& measured, LayerSplit split, int border, int before)
{
    const auto [least, most] = borderRange(measured, split, border);
    const auto at = static_cast<std::size_t>(border);
    const int moved = std::clamp(before, least, most) - borders(split)[at + 1];
    split[at] += moved;
    split[at + 1] -= moved;
    return split;
}

LayerBar::LayerBar(const ThemeController& theme)
    : ThemedWidget(theme)
{
    setFixedHeight(kBar + kStageText);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
}

void LayerBar::setSplit(const LayerSplit& measured, const LayerSplit& split)
{
    m_measured = measured;
    if (split == m_split)
        return;
    m_split = split;
    m_hovered = m_dragged = -1;
    choose(std::clamp(m_current, 0, std::max(0, borders() - 1)));
    update();
}

int LayerBar::layersBefore(int border) const
{
    return std::accumulate(m_split.begin(), m_split.begin() + border + 1, 0);
}

int LayerBar::borderX(int border) const
{
    return width() * layersBefore(border) / std::max(1, layersBefore(borders()));
}

int LayerBar::borderAt(int x) const
{
    int nearest = -1;
    for (int border = 0, reach = kReach; border < borders(); ++border)
        if (const int to = std::abs(x - borderX(border)); to <= reach) {
            nearest = border;
            reach = to - 1;
        }
    return nearest;
}

void LayerBar::choose(int border)
{
    if (border < 0 || border >= borders())
        return;
    m_current = border;
    const auto at = static_cast<std::size_t>(border);
    setAccessibleDescription(tr("Stage %1: %2, stage %3: %4")
                                 .arg(border)
                                 .arg(countOf(m_split[at], "layer"))
                                 .arg(border + 1)
                                 .arg(countOf(m_split[at + 1], "layer")));
    update();
}

void LayerBar::move(int border, int before)
{
    if (border < 0 || border >= borders())
        return;
    LayerSplit split = withBorder(m_measured, m_split, border, before);
    if (split == m_split)
        return;
    m_split = std::move(split);
    choose(border);
    Q_EMIT changed();
}

void LayerBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Chrome& chrome = theme().chrome;
    painter.fillRect(QRect(0, 0, width(), kBar), isEnabled() ? chrome.pressed : chrome.hover);
    const auto draw = [&](const QRect& area, const QFont& font, const QString& text) {
        painter.setFont(font);
        const bool fits = QFontMetrics(font).horizontalAdvance(text) + kHandle + 2 <= area.width();
        if (fits)
            painter.drawText(area, Qt::AlignCenter, text);
        return fits;
    };
    for (int stage = 0, left = 0; stage <= borders(); left = borderX(stage++)) {
        const int wide = borderX(stage) - left;
        painter.setPen(chrome.text);
        draw({left, 0, wide, kBar}, uiFont(12, QFont::Medium),
             QString::number(m_split[static_cast<std::size_t>(stage)]));
        painter.setPen(chrome.text2);
        if (const QRect below(left, kBar, wide, kStageText);
            !draw(below, uiFont(11), tr("stage %1").arg(stage)))
            draw(below, uiFont(11), QString::number(stage));
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(chrome.surface);
    for (int border = 0; border < borders(); ++border) {
        const bool isChosen = border == m_dragged || (hasFocus() && border == m_current);
        const bool isHot = isChosen || border == m_hovered;
        painter.setPen(QPen(isHot ? chrome.text : chrome.text2, isChosen ? 2 : 1));
        painter.drawRoundedRect(QRectF(borderX(border) - kHandle / 2.0, 1, kHandle, kBar - 2), 2,
                                2);
    }
}

bool LayerBar::event(QEvent* event)
{
    const auto* mouse = dynamic_cast<QMouseEvent*>(event);
    const int x = mouse != nullptr ? mouse->position().toPoint().x() : -1;
    if (event->type() == QEvent::MouseButtonPress && mouse->button() == Qt::LeftButton)
        choose(m_dragged = borderAt(x));
    else if (event->type() == QEvent::MouseButtonRelease)
        m_dragged = -1;
    else if (event->type() == QEvent::MouseMove && width() > 0)
        move(m_dragged, qRound(static_cast<double>(x) * layersBefore(borders()) / width()));
    if (mouse != nullptr || event->type() == QEvent::Leave) {
        m_hovered = mouse != nullptr ? borderAt(x) : -1;
        setCursor(m_dragged >= 0 || m_hovered >= 0 ? Qt::SplitHCursor : Qt::ArrowCursor);
        update();
    }
    return mouse != nullptr || ThemedWidget::event(event);
}

void LayerBar::keyPressEvent(QKeyEvent* event)
{
    const int key = event->key();
    if (key == Qt::Key_Left || key == Qt::Key_Right)
        choose(std::clamp(m_current + (key == Qt::Key_Left ? -1 : 1), 0, borders() - 1));
    else if (key == Qt::Key_Minus || key == Qt::Key_Plus)
        move(m_current, layersBefore(m_current) + (key == Qt::Key_Minus ? -1 : 1));
    else
        QWidget::keyPressEvent(event);
}

QString LayerBar::toolTipAt(QPoint at) const
{
    const int border = borderAt(at.x());
    if (border < 0)
        return {};
    const auto [least, most] = borderRange(m_measured, m_split, border);
    return tr("Drag to move layers between stages %1 and %2 (keys − and +). Stage %1 can end after "
              "layer %3 to %4; every stage keeps at least one of its measured layers.")
        .arg(border)
        .arg(border + 1)
        .arg(least)
        .arg(most);
}

} // namespace app
