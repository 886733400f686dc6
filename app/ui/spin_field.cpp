#include "app/ui/spin_field.h"

#include <QFontMetrics>
#include <QPainter>

namespace app {
namespace {

constexpr int kWidth = 96;
constexpr int kButtons = 24; // width at the right
constexpr int kNumber = 52;  // width reserved for the value

} // namespace

SpinField::SpinField(const ThemeController& theme, QWidget* parent)
    : QSpinBox(parent)
    , m_theme(theme)
{
    setFixedWidth(kWidth);
    setFrame(false);
    setAccelerated(true);
    setKeyboardTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void SpinField::setReason(const QString& reason)
{
    if (reason == m_reason)
        return;
    m_reason = reason;
    setProperty("invalid", !reason.isEmpty());
    setToolTip(reason);
    const int text = QFontMetrics(uiFont(11)).horizontalAdvance(reason);
    setFixedWidth(reason.isEmpty() ? kWidth : std::max(kWidth, kNumber + text + kButtons + 8));
    update();
}

void SpinField::paintEvent(QPaintEvent* event)
{
    QSpinBox::paintEvent(event);
    if (m_reason.isEmpty())
        return;
    QPainter painter(this);
    painter.setFont(uiFont(11));
    painter.setPen(m_theme.theme().chrome.error);
    painter.drawText(rect().adjusted(kNumber, 0, -kButtons - 4, 0),
                     Qt::AlignVCenter | Qt::AlignRight, m_reason);
}

} // namespace app
