#include "app/window/application.h"

#include "app/ui/message_log.h"
#include "engine/base/process.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QMessageBox>
#include <QSlider>

#include <exception>
#include <new>
#include <utility>

namespace app {

QObject* wheelReceiver(QObject* receiver)
{
    const auto isField = [](const QObject* object) {
        return qobject_cast<const QComboBox*>(object) != nullptr
            || qobject_cast<const QAbstractSpinBox*>(object) != nullptr
            || qobject_cast<const QSlider*>(object) != nullptr;
    };
    QObject* field = receiver;
    if (qobject_cast<QLineEdit*>(field) != nullptr && isField(field->parent()))
        field = field->parent();
    return isField(field) && field->parent() != nullptr ? field->parent() : receiver;
}

bool Application::notify(QObject* receiver, QEvent* event)
{
    try {
        return QApplication::notify(
            event->type() == QEvent::Wheel ? wheelReceiver(receiver) : receiver, event);
    } catch (const std::bad_alloc&) {
        report(tr("Out of memory. Close some runs."));
    } catch (const std::exception& error) {
        const auto limit = engine::limitReached(error);
        report(
            limit
                ? QString::fromStdString(*limit)
                : tr("%1. This is a bug, please report it.").arg(QString::fromUtf8(error.what())));
    }
    return false;
}

// Shows one message box at a time, because a paint handler may throw again and again.
void Application::report(const QString& what)
{
    keepError(what);
    engine::printError(QStringLiteral("bubblescope: %1\n").arg(what).toStdString());
    if (std::exchange(m_isReporting, true))
        return;
    QMessageBox::critical(activeWindow(), tr("The last action failed"), what);
    m_isReporting = false;
}

} // namespace app
