#pragma once

#include "engine/base/result.h"

#include <QDialog>
#include <QString>
#include <QStringList>

#include <vector>

class QCheckBox;
class QLabel;
class QListWidget;
class QPlainTextEdit;
class QProcess;
class QPushButton;

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

// Shows the files of a diagnostics folder before it is written, so that the user can read every
// line that leaves the machine. Names of the user and of the machine are replaced unless the user
// includes them.
class DiagnosticsDialog : public QDialog
{
    Q_OBJECT

public:
    // `settings` must outlive the dialog; `errors` are DiagnosticsFacts::errors.
    DiagnosticsDialog(const Settings& settings, const QStringList& errors,
                      QWidget* parent = nullptr);
    ~DiagnosticsDialog() override;

    // Writes the folder into `parent`, which must exist. Shows the reason if that fails.
    void saveIn(const QString& parent);

Q_SIGNALS:
    void saved(const QStringList& files);

private:
    void askForDevices();
    void devicesAnswered();
    void refresh();
    void showFile();
    void chooseFolder();

    const Settings& m_settings;
    DiagnosticsFacts m_facts;
    std::vector<DiagnosticsFile> m_files; // as they will be written
    QProcess* m_worker;
    QListWidget* m_list;
    QPlainTextEdit* m_text;
    QCheckBox* m_withNames;
    QLabel* m_problem;
    QPushButton* m_save;
};

} // namespace app
