#include "app/window/open_dialogs.h"

#include "app/ui/file_dialog.h"

namespace app {
namespace {

FileQuestion questionFor(FileKind kind)
{
    switch (kind) {
    case FileKind::Schedule:
        return {MainWindow::tr("Edit a schedule file"),
                MainWindow::tr("Schedules (*.csv *.txt);;All files (*)"), "scheduleDialog",
                QFileDialog::ExistingFile};
    case FileKind::Traces:
        return {MainWindow::tr("Import traces of one job"),
                MainWindow::tr("Traces (*.json *.json.* *.sqlite *.sqlite.* *.zip *.tar *.tar.* "
                               "*.tgz);;All files (*)"),
                "tracesDialog", QFileDialog::ExistingFiles};
    case FileKind::TraceFolder:
        return {MainWindow::tr("Import a folder of traces of one job"), QString(),
                "traceFolderDialog", QFileDialog::Directory};
    case FileKind::Runs:
        break;
    }
    return {MainWindow::tr("Open runs"),
            MainWindow::tr("Runs (*.sqlite);;Schedules (*.csv);;Studies (*.toml);;All files (*)"),
            "openDialog", QFileDialog::ExistingFiles};
}

void openFiles(MainWindow& window, FileKind kind, const QStringList& files)
{
    if (kind == FileKind::Runs)
        window.openFiles(files);
    else if (kind == FileKind::Schedule)
        window.editFile(files.front());
    else
        window.importTraces(files);
}

} // namespace

void askForFiles(MainWindow& window, FileKind kind)
{
    QFileDialog* dialog = openFileDialog(questionFor(kind), &window);
    // Starts in the folder of the recorded runs, unless the dialog remembers another folder.
    if (kind == FileKind::Runs && dialog->directory() == QDir::current()
        && QDir(runsFolder()).exists())
        dialog->setDirectory(runsFolder());
    QObject::connect(dialog, &QFileDialog::filesSelected, &window,
                     [&window, kind](const QStringList& files) { openFiles(window, kind, files); });
}

} // namespace app
