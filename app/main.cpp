#include "app/figures/figure_command.h"
#include "app/models/settings.h"
#include "app/pages/command_line.h"
#include "app/pages/main_window.h"
#include "app/pages/screenshot.h"
#include "app/widgets/controls/control_style.h"
#include "app/widgets/controls/controls.h"
#include "engine/base/process.h"

#include <QApplication>
#include <QMessageBox>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

namespace {

// Keeps the program running if an event handler throws, for example because memory is exhausted.
class Application : public QApplication
{
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override
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

private:
    // Shows one message box at a time, because a paint handler may throw again and again.
    void report(const QString& what)
    {
        engine::printError(QStringLiteral("bubblescope: %1\n").arg(what).toStdString());
        if (std::exchange(m_isReporting, true))
            return;
        QMessageBox::critical(activeWindow(), tr("The last action failed"), what);
        m_isReporting = false;
    }

    bool m_isReporting = false;
};

int runWindow(int argc, char** argv, const app::CommandLine& line)
{
    std::optional<app::DisplayGuard> guard(std::in_place);
    Application application(argc, argv);
    guard.reset();
    QApplication::setApplicationName(QStringLiteral("bubblescope"));
    QApplication::setApplicationDisplayName(QString());
    QApplication::setDesktopFileName(QStringLiteral("bubblescope"));
    if (const QString problem = app::fontProblem(); !problem.isEmpty()) {
        std::fprintf(stderr, "%s\n", qPrintable(problem));
        return 1;
    }
    app::Settings settings;
    app::ThemeController theme;
    theme.setChoice(line.theme == QStringLiteral("dark") ? app::ThemeController::Choice::Dark
                        : line.theme == QStringLiteral("light")
                        ? app::ThemeController::Choice::Light
                        : settings.theme());
    app::applyLook(application, theme);
    app::MainWindow window(theme, settings);
    fitToScreen(window);
    window.show();
    window.openFiles(line.files);
    if (!line.screenshot.isEmpty())
        app::scheduleScreenshot(window, line);
    return QApplication::exec();
}

// Output that cannot be written, for example to a full disk, makes the program fail.
int withOutputChecked(int status)
{
    const int failed = engine::flushOutput();
    if (failed != 0 && failed != EPIPE)
        std::fprintf(stderr, "bubblescope: cannot write to standard output: %s\n",
                     std::strerror(failed));
    return failed == 0 ? status : 1;
}

} // namespace

int main(int argc, char** argv)
{
    engine::prepareProcess();
    if (argc > 1 && std::string_view(argv[1]) == "figure")
        return withOutputChecked(app::figureCommand(argc, argv));
    QStringList arguments;
    for (int i = 1; i < argc; ++i)
        arguments.append(QString::fromLocal8Bit(argv[i]));
    const app::CommandLine line = app::parseCommandLine(arguments);
    if (!line.error.isEmpty()) {
        std::fprintf(stderr, "%s\n", qPrintable(line.error));
        return 2;
    }
    if (!line.print.isEmpty()) {
        engine::printText(line.print.toStdString());
        return withOutputChecked(0);
    }
    return runWindow(argc, argv, line);
}
