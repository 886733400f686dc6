// A program of its own, because its QApplication catches exceptions of event handlers: after each
// exception one message box is shown and the program continues.
#include "app/window/command_line.h"

#include <QMessageBox>
#include <QTimer>

#include <cstdio>
#include <functional>
#include <new>
#include <stdexcept>

namespace {

// Throws in an event handler, throws again while the message box is open, closes the box and
// returns the texts of all boxes.
QStringList boxesAfter(const std::function<void()>& thrower)
{
    QStringList texts;
    QTimer closer;
    bool isRepeated = false;
    QObject::connect(&closer, &QTimer::timeout, [&] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        if (box == nullptr)
            return;
        if (!isRepeated) {
            isRepeated = true;
            thrower();
        }
        texts += box->text();
        box->close();
    });
    closer.start(10);
    QTimer::singleShot(0, thrower);
    QTimer::singleShot(500, [] { QApplication::quit(); }); // an event after the exception
    QApplication::exec();
    return texts;
}

bool isShown(const std::function<void()>& thrower, const QString& expected)
{
    const QStringList texts = boxesAfter(thrower);
    if (texts == QStringList{expected})
        return true;
    std::printf("expected one box \"%s\", not %d: \"%s\"\n", qPrintable(expected),
                static_cast<int>(texts.size()), qPrintable(texts.join(QStringLiteral("\", \""))));
    return false;
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    app::Application application(argc, argv);
    const bool memory = isShown([] { throw std::bad_alloc(); },
                                QStringLiteral("Out of memory. Close some runs."));
    const bool bug = isShown([] { throw std::runtime_error("index 7 of 5"); },
                             QStringLiteral("index 7 of 5. This is a bug, please report it."));
    return memory && bug ? 0 : 1;
}
