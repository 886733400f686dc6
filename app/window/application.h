#pragma once

#include <QApplication>

namespace app {

// Returns the widget that handles a wheel event over `receiver`. For a combo box, spin box or
// slider it is the parent, so that the wheel scrolls the page and does not change a value. For
// other widgets it is `receiver`.
QObject* wheelReceiver(QObject* receiver);

// Keeps the program alive if an event handler throws, for example when memory is exhausted, and
// reports the exception on standard error and in a message box. Applies wheelReceiver().
class Application : public QApplication
{
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override;

private:
    void report(const QString& what);

    bool m_isReporting = false;
};

} // namespace app
