#pragma once

#include <QApplication>

namespace app {

// Keeps the program running if an event handler throws, for example because memory is exhausted:
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
