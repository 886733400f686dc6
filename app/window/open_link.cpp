#include "app/window/open_link.h"

#include "app/run/run_page.h"
#include "app/ui/file_dialog.h"
#include "app/window/main_window.h"

#include <QFileInfo>

namespace app {
namespace {

// Returns the file of the open run whose file is named `name`; "" if there is none.
QString openRunNamed(RunLibrary& library, const QString& name)
{
    const RunsModel& runs = library.runs();
    for (int row = 0; row < runs.rowCount(); ++row)
        if (QFileInfo(runs.at(row)->file()).fileName() == name)
            return runs.at(row)->file();
    return {};
}

void showIn(MainWindow& window, const ViewLink& link)
{
    if (auto* page = qobject_cast<RunPage*>(window.open({"run", {link.file}})))
        page->showLink(link);
}

} // namespace

void openLink(MainWindow& window, const QString& text)
{
    auto link = parseViewLink(text);
    if (!link) {
        showLinkMessage(&window, MainWindow::tr("Open a link"),
                        QString::fromStdString(link.error().message));
        return;
    }
    const QString name = QFileInfo(link->file).fileName();
    if (!QFileInfo::exists(link->file))
        link->file = openRunNamed(window.library(), name);
    if (!link->file.isEmpty()) {
        showIn(window, *link);
        return;
    }
    QFileDialog* dialog = openFileDialog(
        {MainWindow::tr("Locate %1, the run of the link").arg(name),
         MainWindow::tr("Runs (*.sqlite);;All files (*)"), "linkDialog", QFileDialog::ExistingFile},
        &window);
    QObject::connect(dialog, &QFileDialog::fileSelected, &window,
                     [&window, link = *link](const QString& file) mutable {
                         link.file = file;
                         showIn(window, link);
                     });
}

} // namespace app
