#include "app/figures/figure_recipe.h"
#include "app/settings/settings_page.h"
#include "app/ui/controls.h"
#include "app/ui/message_log.h"
#include "app/ui/settings.h"
#include "app/ui/theme.h"
#include "app/window/command_line.h"
#include "app/window/main_window.h"
#include "engine/base/process.h"

#include <QApplication>

#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

namespace {

// Applies the command line to the window and begins its session. If the command line names files
// or a page, the tabs of the last session stay closed.
void beginSession(app::MainWindow& window, const app::CommandLine& line)
{
    using Tabs = app::WindowSession::Tabs;
    const bool isPlain = line.files.isEmpty() && line.page.isEmpty();
    if (line.size)
        window.resize(*line.size);
    app::openPage(window, line);
    window.session().begin(isPlain && line.restore ? Tabs::Open : Tabs::LeaveClosed);
}

int runWindow(int argc, char** argv, const app::CommandLine& line)
{
    app::Settings settings;
    app::scaleWindow(settings);
    std::optional<app::DisplayGuard> guard(std::in_place);
    app::Application application(argc, argv);
    guard.reset();
    app::addProgramFonts();
    app::keepMessages();
    QApplication::setApplicationName(QStringLiteral("bubblescope"));
    QApplication::setApplicationDisplayName(QString());
    QApplication::setDesktopFileName(QStringLiteral("bubblescope"));
    if (const QString problem = app::fontProblem(); !problem.isEmpty()) {
        std::fprintf(stderr, "%s\n", qPrintable(problem));
        return 1;
    }
    app::ThemeController theme;
    app::applyLookSettings(settings, theme,
                           line.theme == QStringLiteral("dark") ? app::ThemeController::Choice::Dark
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
    else
        beginSession(window, line);
    return QApplication::exec();
}

// Returns `status`, or 1 if the output could not be written, for example to a full disk.
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
try {
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
} catch (const std::exception& error) {
    engine::printError("bubblescope: " + engine::messageOf(error) + "\n");
    return 1;
}
