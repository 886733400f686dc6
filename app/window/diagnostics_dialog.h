#pragma once

#include "app/window/diagnostics.h"

#include <QDialog>

class QCheckBox;
class QLabel;
class QListWidget;
class QPlainTextEdit;
class QProcess;
class QPushButton;

namespace app {

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
