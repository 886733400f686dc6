#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace app {

// The command line of `bubblescope` without `figure`: files to open, or a text to print.
struct CommandLine
{
    QStringList files;
    QString print; // --help, --version: print this and exit
    QString error; // wrong usage: one line, exit status 2

    // For packaging/screenshots.sh: renders the window into a file and exits.
    QString screenshot, page, theme;
    QSize size = {1600, 1000}; // pixels
    bool force = false;        // replaces the screenshot's file
};

CommandLine parseCommandLine(const QStringList& arguments); // without the program's name

// Qt aborts without a screen; this prints what works without one and exits with status 1. Install
// before the QApplication is created; the destructor uninstalls it.
class DisplayGuard
{
public:
    DisplayGuard();
    ~DisplayGuard();
    DisplayGuard(const DisplayGuard&) = delete;
    DisplayGuard& operator=(const DisplayGuard&) = delete;
};

// "" if a font is available; else a message that names the package.
QString fontProblem();

} // namespace app
