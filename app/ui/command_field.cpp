#include "app/ui/command_field.h"

#include "app/ui/icons.h"

#include <QPainter>

namespace app {

CommandField::CommandField(const ThemeController& theme, QWidget* parent)
    : QAbstractButton(parent)
    , m_theme(theme)
{
    setObjectName(QStringLiteral("commandField"));
    setAccessibleName(tr("Search or run a command"));
    setFixedSize(sizeHint());
    setFocusPolicy(Qt::TabFocus);
    connect(&theme, &ThemeController::changed, this, qOverload<>(&QWidget::update));
}

void CommandField::paintEvent(QPaintEvent*)
{
    const Chrome& c = m_theme.theme().chrome;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box(0.5, 4.5, 295, 21);
    painter.setPen(QPen(hasFocus()         ? c.text
                            : underMouse() ? c.lineStrong
                                           : c.line,
                        hasFocus() ? 2 : 1));
    painter.setBrush(c.surface);
    painter.drawRoundedRect(box, 4, 4);
    paintIcon(painter, Icon::Search, QRectF(8, 8.5, 13, 13), c.text2);
    painter.setFont(uiFont(12));
    painter.setPen(c.text2);
    painter.drawText(box.adjusted(26, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     tr("Search or run a command"));
    painter.setFont(uiFont(11));
    painter.setPen(c.text3);
    painter.drawText(box.adjusted(0, 0, -8, 0), Qt::AlignVCenter | Qt::AlignRight,
                     QStringLiteral("Ctrl+K"));
}

} // namespace app
