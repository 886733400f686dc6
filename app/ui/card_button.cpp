#include "app/ui/card_button.h"

#include <QKeyEvent>
#include <QPainter>

namespace app {

CardButton::CardButton(const ThemeController& theme, QWidget* parent)
    : QAbstractButton(parent)
    , m_theme(theme)
{
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    connect(&theme, &ThemeController::changed, this, qOverload<>(&QWidget::update));
}

void CardButton::paintEvent(QPaintEvent*)
{
    const Chrome& c = theme().chrome;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool strong = hasFocus() || isChecked();
    const double width = strong ? 2 : 1, half = width / 2;
    const bool hover = isEnabled() && underMouse();
    QColor fill = isDown() && isEnabled() ? c.pressed : hover ? c.hover : c.surface;
    if (m_isPrimary)
        fill = hover ? c.text2 : c.primary;
    const QColor frame = strong ? (m_isPrimary ? c.lineStrong : c.text)
        : m_isPrimary           ? fill
                                : c.line;
    painter.setBrush(fill);
    painter.setPen(m_hasFrame || hasFocus() ? QPen(frame, width) : QPen(Qt::NoPen));
    painter.drawRoundedRect(QRectF(rect()).adjusted(half, half, -half, -half), m_hasFrame ? 6 : 0,
                            m_hasFrame ? 6 : 0);
    painter.setRenderHint(QPainter::Antialiasing, false);
    paintContent(painter);
}

void CardButton::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        click();
    else
        QAbstractButton::keyPressEvent(event);
}

void CardButton::text(QPainter& painter, const QRectF& box, const QString& text, const Type& type,
                      Qt::Alignment alignment) const
{
    painter.setFont(type.font);
    painter.setPen(type.ink);
    const QString shown = QFontMetrics(type.font).elidedText(text, Qt::ElideRight,
                                                             static_cast<int>(box.width()) + 1);
    painter.drawText(box, static_cast<int>(alignment | Qt::AlignVCenter), shown);
}

} // namespace app
