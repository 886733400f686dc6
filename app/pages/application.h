#pragma once

#include <QApplication>

namespace app {

// Keeps the program alive if an event handler throws, for example when memory is exhausted, and
// reports the exception on standard error and in a message box.
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
