#include "app/import/coverage_bar.h"

#include "app/ui/kernel_colours.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace app {
namespace {

constexpr int kBarHeight = 26, kBarTop = 2, kPartPadding = 8;

QColor inkOn(const QColor& fill)
{
    constexpr int kHalf = 140;
    return qGray(fill.rgb()) < kHalf ? QColor(Qt::white) : QColor(0x0E, 0x11, 0x16);
}

} // namespace

CoverageBar::CoverageBar(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setFixedHeight(kBarHeight + 2 * kBarTop);
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("Share of time by rule"));
}

void CoverageBar::show(std::vector<CoveragePart> parts)
{
    m_parts = std::move(parts);
    m_current = -1;
    update();
}

void CoverageBar::setCurrent(int part)
{
    m_current = part;
    if (part >= 0 && part < static_cast<int>(m_parts.size()))
        setAccessibleDescription(textOf(m_parts[static_cast<std::size_t>(part)]));
    update();
}

void CoverageBar::choose(int part)
{
    if (part < 0 || part >= static_cast<int>(m_parts.size()))
        return;
    setCurrent(part);
    Q_EMIT chosen(part);
}

QRect CoverageBar::box(int part) const
{
    double before = 0;
    for (int i = 0; i < part; ++i)
        before += m_parts[static_cast<std::size_t>(i)].share;
    const int left = qRound(before * width());
    const int right = qRound((before + m_parts[static_cast<std::size_t>(part)].share) * width());
    return {left, kBarTop, std::max(1, right - left - 1), kBarHeight};
}

int CoverageBar::partAt(int x) const
{
    for (int part = 0; part < static_cast<int>(m_parts.size()); ++part)
        if (x <= box(part).right() + 1)
            return part;
    return -1;
}

QString CoverageBar::textOf(const CoveragePart& part) const
{
    return tr("%1: %2").arg(part.name, percent(part.share));
}

void CoverageBar::paintPart(QPainter& painter, int part) const
{
    const Theme& theme = this->theme();
    const CoveragePart& shown = m_parts[static_cast<std::size_t>(part)];
    const QRect area = box(part);
    const QColor fill = coverageColour(theme, shown.isClassified ? part : -1);
    painter.fillRect(area, fill);
    if (!shown.isClassified) {
        painter.setPen(theme.chrome.error);
        painter.drawRect(area.adjusted(0, 0, -1, -1));
    }
    painter.setFont(uiFont(11, QFont::Medium));
    painter.setPen(shown.isClassified ? inkOn(fill) : theme.chrome.error);
    const QFontMetrics metrics(painter.font());
    const QString share = percent(shown.share);
    const int names = metrics.horizontalAdvance(shown.name),
              shares = metrics.horizontalAdvance(share);
    const QRect inside = area.adjusted(kPartPadding, 0, -kPartPadding, 0);
    if (names + shares + kPartPadding <= inside.width()) {
        painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter, shown.name);
        painter.drawText(inside, Qt::AlignRight | Qt::AlignVCenter, share);
    } else if (shares <= inside.width()) {
        painter.drawText(inside, Qt::AlignCenter, share);
    }
}

void CoverageBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Chrome& chrome = theme().chrome;
    if (m_parts.empty())
        painter.fillRect(rect().adjusted(0, kBarTop, 0, -kBarTop), chrome.hover);
    for (int part = 0; part < static_cast<int>(m_parts.size()); ++part)
        paintPart(painter, part);
    if (m_current >= 0) {
        painter.setPen(QPen(hasFocus() ? chrome.text : chrome.text2, 2));
        painter.drawRect(box(m_current).adjusted(1, -1, 0, 1));
    } else if (hasFocus()) {
        painter.setPen(QPen(chrome.text, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void CoverageBar::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        choose(partAt(event->position().toPoint().x()));
}

void CoverageBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)
        choose(event->key() == Qt::Key_Left ? m_current - 1 : m_current + 1);
    else
        QWidget::keyPressEvent(event);
}

QString CoverageBar::toolTipAt(QPoint at) const
{
    const int part = partAt(at.x());
    return part < 0 ? QString() : textOf(m_parts[static_cast<std::size_t>(part)]);
}

} // namespace app
