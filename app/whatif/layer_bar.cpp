#include "app/whatif/layer_bar.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <numeric>

namespace app {
namespace {

constexpr int kLayerBarHeight = 26, kStageTextHeight = 18, kHandleWidth = 5, kReach = 6;

} // namespace

LayerBar::LayerBar(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setFixedHeight(kLayerBarHeight + kStageTextHeight);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
}

void LayerBar::setSplit(LayerSplit split)
{
    m_split = std::move(split);
    m_current = std::min(m_current, std::max(0, borders() - 1));
    m_hovered = m_dragged = -1;
    speak();
    update();
}

int LayerBar::layers() const
{
    return std::accumulate(m_split.begin(), m_split.end(), 0);
}

int LayerBar::before(int border) const
{
    return std::accumulate(m_split.begin(), m_split.begin() + border + 1, 0);
}

int LayerBar::borderX(int border) const
{
    return width() * before(border) / std::max(1, layers());
}

int LayerBar::borderAt(int x) const
{
    int nearest = -1;
    for (int border = 0; border < borders(); ++border)
        if (std::abs(x - borderX(border)) <= kReach
            && (nearest < 0 || std::abs(x - borderX(border)) < std::abs(x - borderX(nearest))))
            nearest = border;
    return nearest;
}

void LayerBar::choose(int border)
{
    if (border < 0 || border >= borders())
        return;
    m_current = border;
    speak();
    update();
}

void LayerBar::move(int border, int before)
{
    if (border < 0 || border >= borders())
        return;
    LayerSplit split = withBorder(m_split, border, before);
    if (split == m_split)
        return;
    m_split = std::move(split);
    speak();
    update();
    Q_EMIT changed();
}

void LayerBar::speak()
{
    if (borders() < 1)
        return setAccessibleDescription({});
    const auto at = static_cast<std::size_t>(m_current);
    setAccessibleDescription(tr("Stage %1: %2, stage %3: %4")
                                 .arg(m_current)
                                 .arg(countOf(m_split[at], "layer"))
                                 .arg(m_current + 1)
                                 .arg(countOf(m_split[at + 1], "layer")));
}

void LayerBar::paintStage(QPainter& painter, int stage) const
{
    const Chrome& chrome = theme().chrome;
    const int left = stage == 0 ? 0 : borderX(stage - 1);
    const int right = stage == borders() ? width() : borderX(stage);
    const QRect box(left, 0, right - left, kLayerBarHeight);
    const auto draw = [&](const QRect& area, const QFont& font, const QString& text) {
        if (QFontMetrics(font).horizontalAdvance(text) + kHandleWidth + 2 > area.width())
            return;
        painter.setFont(font);
        painter.drawText(area, Qt::AlignCenter, text);
    };
    painter.setPen(chrome.text);
    draw(box, uiFont(12, QFont::Medium), QString::number(m_split[static_cast<std::size_t>(stage)]));
    painter.setPen(chrome.text2);
    const QRect below(left, kLayerBarHeight, right - left, kStageTextHeight);
    const QString name = tr("stage %1").arg(stage);
    const bool isWide = QFontMetrics(uiFont(11)).horizontalAdvance(name) + 8 <= below.width();
    draw(below, uiFont(11), isWide ? name : QString::number(stage));
}

void LayerBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Chrome& chrome = theme().chrome;
    painter.fillRect(QRect(0, 0, width(), kLayerBarHeight),
                     isEnabled() ? chrome.pressed : chrome.hover);
    for (int stage = 0; stage <= borders() && !m_split.empty(); ++stage)
        paintStage(painter, stage);
    painter.setRenderHint(QPainter::Antialiasing);
    for (int border = 0; border < borders(); ++border) {
        const bool isChosen = border == m_dragged || (hasFocus() && border == m_current);
        const bool isHot = isChosen || border == m_hovered;
        painter.setPen(QPen(isHot ? chrome.text : chrome.text2, isChosen ? 2 : 1));
        painter.setBrush(chrome.surface);
        painter.drawRoundedRect(
            QRectF(borderX(border) - kHandleWidth / 2.0, 1, kHandleWidth, kLayerBarHeight - 2), 2,
            2);
    }
}

void LayerBar::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_dragged = borderAt(event->position().toPoint().x());
    choose(m_dragged);
}

void LayerBar::mouseMoveEvent(QMouseEvent* event)
{
    const int x = event->position().toPoint().x();
    m_hovered = borderAt(x);
    setCursor(m_dragged >= 0 || m_hovered >= 0 ? Qt::SplitHCursor : Qt::ArrowCursor);
    if (m_dragged >= 0 && width() > 0)
        move(m_dragged, qRound(static_cast<double>(x) * layers() / width()));
    update();
}

void LayerBar::mouseReleaseEvent(QMouseEvent*)
{
    m_dragged = -1;
    update();
}

void LayerBar::leaveEvent(QEvent*)
{
    m_hovered = -1;
    update();
}

void LayerBar::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left:
        return choose(m_current - 1);
    case Qt::Key_Right:
        return choose(m_current + 1);
    case Qt::Key_Minus:
        return move(m_current, before(m_current) - 1);
    case Qt::Key_Plus:
        return move(m_current, before(m_current) + 1);
    default:
        QWidget::keyPressEvent(event);
    }
}

QString LayerBar::toolTipAt(QPoint at) const
{
    const int border = borderAt(at.x());
    if (border < 0)
        return {};
    const auto [least, most] = borderRange(m_split, border);
    return tr("Drag to move layers between stages %1 and %2 (keys − and +). Stage %1 can end after "
              "layer %3 to %4; every stage keeps at least one of its measured layers.")
        .arg(border)
        .arg(border + 1)
        .arg(least)
        .arg(most);
}

} // namespace app
