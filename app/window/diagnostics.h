#pragma once

#include "engine/base/result.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace app {

class Settings;

// A file of the diagnostics folder, which a user can attach to a bug report.
struct DiagnosticsFile
{
    QString name; // "about.txt"
    QString what; // one line about its contents
    QString text;

    friend bool operator==(const DiagnosticsFile&, const DiagnosticsFile&) = default;
};

// The part of the diagnostics that only the window knows.
struct DiagnosticsFacts
{
    QString devices;    // output of `bscope devices --json`, or why it is missing
    QStringList errors; // last errors of runs, oldest first
};

// Returns files about the program, the machine, the devices, the settings, and the last messages
// and errors. The files contain no run, no recent files and no open tabs.
std::vector<DiagnosticsFile> diagnostics(const Settings& settings, const DiagnosticsFacts& facts);

// Makes a text anonymous: replaces the home folder by "~", and the user name and the host name by
// USER and HOST where they are whole words.
QString withoutNames(QString text);

// Creates `folder` and writes the files into it. The folder must not exist.
engine::Result<void> saveDiagnostics(const std::vector<DiagnosticsFile>& files,
                                     const QString& folder);

} // namespace app
