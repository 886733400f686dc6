#include "app/ui/focus_ring.h"

#include <QAbstractScrollArea>
#include <QFocusEvent>
#include <QPainter>

namespace app {
namespace {

class Frame : public QWidget
{
public:
    Frame(const ThemeController& theme, QWidget* around)
        : QWidget(around)
        , m_theme(theme)
    {
        setObjectName(QStringLiteral("focusFrame"));
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
        around->installEventFilter(this);
        setGeometry(around->rect());
        raise();
        show();
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Resize)
            setGeometry(parentWidget()->rect());
        return QWidget::eventFilter(watched, event);
    }
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        // Lighter than the ring of a button, because it is around a large area.
        painter.setPen(QPen(m_theme.theme().chrome.text3, 1));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }

private:
    const ThemeController& m_theme;
};

// Returns whether a widget would paint over a frame that the style draws around its content. Scroll
// areas and opaque widgets (the timelines) do.
bool framesNothingItself(const QObject* object)
{
    const auto* widget = qobject_cast<const QWidget*>(object);
    return widget != nullptr
        && (qobject_cast<const QAbstractScrollArea*>(widget) != nullptr
            || widget->testAttribute(Qt::WA_OpaquePaintEvent));
}

} // namespace

FocusRing::FocusRing(const ThemeController& theme, QObject* application)
    : QObject(application)
    , m_theme(theme)
{
    application->installEventFilter(this);
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event)
{
    const bool isMouse = event->type() == QEvent::MouseButtonPress;
    if (event->type() == QEvent::FocusIn) {
        const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
        const bool isByKeyboard = reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason;
        if (isByKeyboard && framesNothingItself(watched) && !m_frame)
            m_frame = new Frame(m_theme, static_cast<QWidget*>(watched));
    } else if ((event->type() == QEvent::FocusOut || isMouse) && m_frame
               && (watched == m_frame->parent() || isMouse)) {
        m_frame->hide();
        m_frame->deleteLater();
        m_frame.clear();
    }
    return QObject::eventFilter(watched, event);
}

} // namespace app
