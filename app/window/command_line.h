#pragma once

#include <QApplication>
#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace app {

class MainWindow;

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
