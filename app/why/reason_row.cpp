#include "app/why/reason_row.h"

#include "app/ui/controls.h"
#include "app/why/rich_label.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>

#include <utility>

namespace app {
namespace {

constexpr int kLeft = 12, kNumber = 16, kGap = 10;

} // namespace

ReasonRow::ReasonRow(const ThemeController& theme, int number, const QString& sentence,
                     const QString& plain)
    : m_theme(theme)
    , m_number(number)
    , m_plain(plain)
    , m_sentence(makeRichLabel(sentence))
    , m_effect(named(makeLabel({}, "small"), "whyEffect"))
{
    setObjectName(QStringLiteral("whyReason%1").arg(number));
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Reason %1: %2").arg(number).arg(plain));
    m_sentence->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_sentence->setFocusPolicy(Qt::NoFocus); // the row has the focus instead; Enter shows its op
    m_effect->setWordWrap(true);
    m_effect->hide();
    spaced(new QVBoxLayout(this), {kLeft + kNumber + kGap, 8, 12, 8}, 2, {m_sentence, m_effect});
    connect(m_sentence, &QLabel::linkActivated, this,
            [this](const QString& link) { Q_EMIT opChosen(link.mid(1).toUInt()); });
    connect(&theme, &ThemeController::changed, this, qOverload<>(&QWidget::update));
}

void ReasonRow::setEffect(const QString& text, Effect effect)
{
    m_effect->setText(text);
    setLook(m_effect, "role",
            effect == Effect::Gain ? QStringLiteral("gain") : QStringLiteral("small"));
    m_effect->setVisible(!text.isEmpty());
    setAccessibleDescription(text);
}

void ReasonRow::setCurrent(bool current)
{
    if (std::exchange(m_isCurrent, current) != current)
        update();
}

void ReasonRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Chrome& chrome = m_theme.theme().chrome;
    if (m_isCurrent || m_isOver)
        painter.fillRect(rect(), m_isCurrent ? chrome.selected : chrome.hover);
    if (m_isCurrent)
        painter.fillRect(QRect(0, 0, 3, height()), chrome.text);
    const QRectF box(kLeft, 9, kNumber, kNumber);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(chrome.text, 1.2));
    painter.setBrush(m_isCurrent ? QBrush(chrome.primary) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(box.adjusted(0.6, 0.6, -0.6, -0.6), 3, 3);
    painter.setFont(uiFont(11, QFont::Medium));
    painter.setPen(m_isCurrent ? chrome.primaryText : chrome.text);
    painter.drawText(box, Qt::AlignCenter, QString::number(m_number));
    if (!hasFocus())
        return;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(chrome.text, 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

void ReasonRow::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        Q_EMIT chosen();
}

void ReasonRow::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Up:
        Q_EMIT stepped(-1);
        break;
    case Qt::Key_Down:
        Q_EMIT stepped(1);
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        Q_EMIT chosen();
        break;
    case Qt::Key_Escape:
        Q_EMIT escaped();
        break;
    default:
        QFrame::keyPressEvent(event);
    }
}

void ReasonRow::enterEvent(QEnterEvent*)
{
    m_isOver = true;
    update();
    Q_EMIT hovered(true);
}

void ReasonRow::leaveEvent(QEvent*)
{
    m_isOver = false;
    update();
    Q_EMIT hovered(false);
}

void ReasonRow::focusInEvent(QFocusEvent*)
{
    update();
}

void ReasonRow::focusOutEvent(QFocusEvent*)
{
    update();
}

} // namespace app
