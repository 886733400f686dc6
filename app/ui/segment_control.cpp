#include "app/ui/segment_control.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <utility>

namespace app {
namespace {

constexpr int kTextPadding = 10; // left and right of the text

QFont fontOf(bool current)
{
    return uiFont(12, current ? QFont::Medium : QFont::Normal);
}

} // namespace

SegmentControl::SegmentControl(const ThemeController& theme, QStringList choices, QWidget* parent)
    : ThemedWidget(theme, parent)
    , m_choices(std::move(choices))
{
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    setFixedHeight(28);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    speak();
}

void SegmentControl::setCurrent(int choice)
{
    if (choice == m_current || choice < 0 || choice >= m_choices.size())
        return;
    m_current = choice;
    speak();
    update();
    Q_EMIT currentChanged(choice);
}

void SegmentControl::setName(const QString& name)
{
    m_name = name;
    speak();
}

void SegmentControl::setText(int choice, const QString& text)
{
    m_choices[choice] = text;
    speak();
    updateGeometry();
    update();
}

// Sets the accessible name: "Times: measured".
void SegmentControl::speak()
{
    const QString choice = m_choices.value(m_current);
    setAccessibleName(m_name.isEmpty() ? choice : tr("%1: %2").arg(m_name, choice));
}

void SegmentControl::setCompact()
{
    setFixedHeight(24);
}

QSize SegmentControl::sizeHint() const
{
    const QRect last = segment(static_cast<int>(m_choices.size()) - 1);
    return {last.right() + 1, height()};
}

// Widths are measured with the bold font, so that nothing moves when the choice changes.
QRect SegmentControl::segment(int choice) const
{
    const QFontMetrics metrics(fontOf(true));
    int x = 0, width = 0;
    for (int i = 0; i <= choice; ++i) {
        x += width;
        width = metrics.horizontalAdvance(m_choices.at(i)) + 2 * kTextPadding;
    }
    return {x, 0, width, height()};
}

int SegmentControl::choiceAt(const QPoint& position) const
{
    for (int i = 0; i < m_choices.size(); ++i) {
        if (segment(i).contains(position))
            return i;
    }
    return -1;
}

void SegmentControl::paintEvent(QPaintEvent*)
{
    const Chrome& c = theme().chrome;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    QPainterPath clip;
    clip.addRoundedRect(frame, 4, 4);
    painter.fillPath(clip, c.surface);
    for (int i = 0; i < m_choices.size(); ++i) {
        const QRect box = segment(i);
        painter.save();
        painter.setClipPath(clip);
        if (i == m_current || i == m_hovered)
            painter.fillRect(box, i == m_current ? c.pressed : c.hover);
        if (i > 0)
            painter.fillRect(QRect(box.left(), 0, 1, height()), c.lineStrong);
        painter.restore();
        painter.setFont(fontOf(i == m_current));
        painter.setPen(i == m_current ? c.text : c.text2);
        painter.drawText(box, Qt::AlignCenter, m_choices.at(i));
    }
    painter.setPen(QPen(hasFocus() ? c.text : c.lineStrong, hasFocus() ? 2 : 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(hasFocus() ? frame.adjusted(0.5, 0.5, -0.5, -0.5) : frame, 4, 4);
}

void SegmentControl::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const int choice = choiceAt(event->position().toPoint());
    choice == m_current ? Q_EMIT chosenAgain(choice) : setCurrent(choice);
}

void SegmentControl::mouseMoveEvent(QMouseEvent* event)
{
    m_hovered = choiceAt(event->position().toPoint());
    update();
}

void SegmentControl::leaveEvent(QEvent*)
{
    m_hovered = -1;
    update();
}

void SegmentControl::keyPressEvent(QKeyEvent* event)
{
    const int step = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (step != 0)
        setCurrent(m_current + step);
    else if (event->key() == Qt::Key_Space)
        Q_EMIT chosenAgain(m_current);
    else
        QWidget::keyPressEvent(event);
}

} // namespace app
