#include "app/pages/application.h"

#include "engine/base/process.h"

#include <QMessageBox>

#include <exception>
#include <new>
#include <utility>

namespace app {

bool Application::notify(QObject* receiver, QEvent* event)
{
    try {
        return QApplication::notify(receiver, event);
    } catch (const std::bad_alloc&) {
        report(tr("Out of memory. Close some runs."));
    } catch (const std::exception& error) {
        report(tr("%1. This is a bug, please report it.").arg(QString::fromUtf8(error.what())));
    }
    return false;
}

// Shows one message box at a time, because a paint handler may throw again and again.
void Application::report(const QString& what)
{
    engine::printError(QStringLiteral("bubblescope: %1\n").arg(what).toStdString());
    if (std::exchange(m_isReporting, true))
        return;
    QMessageBox::critical(activeWindow(), tr("The last action failed"), what);
    m_isReporting = false;
}

} // namespace app
