#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace app {

// What was asked of `bubblescope` beside `figure`: files to open, or a word to print.
struct CommandLine
{
    QStringList files;
    QString print; // --help, --version: print this and end
    QString error; // wrong usage: one line, exit status 2

    // For pictures of the window (packaging/screenshots.sh): render it into a file and end.
    QString screenshot, page, theme;
    QSize size = {1600, 1000};
};

CommandLine parseCommandLine(const QStringList& arguments); // without the program's name

// Qt ends with an abort where it finds no screen; this prints one line that says what works without
// one, and ends with status 1. Install before the QApplication is made; takes it off again.
class DisplayGuard
{
public:
    DisplayGuard();
    ~DisplayGuard();
    DisplayGuard(const DisplayGuard&) = delete;
    DisplayGuard& operator=(const DisplayGuard&) = delete;
};

// "" when there is a font to write with; else the line that names the package.
QString fontProblem();

} // namespace app
