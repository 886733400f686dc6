#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace app {

class MainWindow;

// The parsed command line of `bubblescope`, except that of `bubblescope figure`.
struct CommandLine
{
    QStringList files;
    QString print; // --help, --version: the text to print before exiting
    QString error; // why the arguments are invalid, one line; exit status 2

    QString page, theme;
    std::optional<QSize> size; // pixels; nullopt: the last size
    bool restore = true;       // whether the tabs of the last session are opened

    // The file into which to render the window before exiting; for packaging/screenshots.sh.
    QString screenshot;
    bool force = false; // whether an existing screenshot is replaced
};

// `arguments` excludes the name of the program.
CommandLine parseCommandLine(const QStringList& arguments);

// If no display is available, prints the commands that do not need one and exits with status 1; Qt
// alone would abort. Create it before the QApplication; the destructor restores Qt's message
// handler.
class DisplayGuard
{
public:
    DisplayGuard();
    ~DisplayGuard();
    DisplayGuard(const DisplayGuard&) = delete;
    DisplayGuard& operator=(const DisplayGuard&) = delete;
};

// Returns a message that names the font package if no font is available, otherwise "".
QString fontProblem();

// Opens the page or dialog of --page. For a page about a run, the page of that run must be current.
void openPage(MainWindow& window, const CommandLine& line);

// Opens the page, renders the window as `line` requests and quits. Waits until the pages have read
// and simulated their runs. For packaging/screenshots.sh.
void scheduleScreenshot(MainWindow& window, const CommandLine& line);

} // namespace app
