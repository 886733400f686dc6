#include "app/pages/dialogs/open_dialogs.h"
#include "app/pages/import/import_page.h"
#include "app/pages/window/main_window.h"
#include "app/widgets/controls/controls.h"
#include "profiler/store/trace_store.h"

#include <QDragEnterEvent>
#include <QMimeData>

// The files that a main window is given.

namespace app {

void MainWindow::openFiles(const QStringList& files)
{
    QStringList runs, traces;
    for (const QString& file : files) {
        if (file.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive))
            editFile(file);
        else if (file.endsWith(QStringLiteral(".toml"), Qt::CaseInsensitive))
            openStudy(file);
        else
            (profiler::mayBeTrace(file.toStdString()) ? traces : runs).append(file);
    }
    if (!traces.isEmpty())
        importTraces(traces);
    if (runs.size() == 1)
        openRun(runs.front());
    else if (!runs.isEmpty())
        compare(runs);
}

void MainWindow::askFor(FileKind kind)
{
    askForFiles(*this, kind);
}

void MainWindow::importTraces(const QStringList& paths, const QString& rules)
{
    addPage(new ImportPage(m_theme, m_library, paths, rules));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!localFiles(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    openFiles(localFiles(*event->mimeData()));
}

} // namespace app
