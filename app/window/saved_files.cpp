#include "app/window/saved_files.h"

#include "app/shell/notice_bar.h"
#include "app/shell/run_saver.h"
#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/window/export_dialog.h"
#include "app/window/main_window.h"

#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QUrl>

namespace app {
namespace {

void openFolder(NoticeBar& notice, const QString& folder)
{
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder)))
        notice.say(
            Band::Kind::Warning, MainWindow::tr("The folder was not opened."),
            MainWindow::tr("No file manager is available. The files are in %1.").arg(folder));
}

// Returns the files of the runs, without those that have none, such as predictions.
QStringList filesOf(const RunsModel& open,
                    const std::vector<std::shared_ptr<const engine::Run>>& runs)
{
    QStringList files;
    for (const auto& run : runs)
        for (int row = 0; row < open.rowCount(); ++row)
            if (const auto document = open.at(row);
                document->run() == run && !document->file().isEmpty()) {
                files << document->file();
                break;
            }
    return files;
}

} // namespace

void announceFiles(NoticeBar& notice, const QStringList& files)
{
    QStringList names;
    for (const QString& file : files)
        names.append(QFileInfo(file).fileName());
    const QString folder = QFileInfo(files.value(0)).absolutePath();
    notice.say(Band::Kind::Ok, MainWindow::tr("%1 saved.").arg(countOf(files.size(), "file")),
               MainWindow::tr("%1 in %2")
                   .arg(names.join(QStringLiteral(", ")), QDir::toNativeSeparators(folder)),
               {MainWindow::tr("Open folder"), [&notice, folder] { openFolder(notice, folder); }});
}

void connectExports(MainWindow& window, Page& page, const ThemeController& theme, NoticeBar& notice)
{
    auto* saver = new RunSaver(&page);
    QObject::connect(&page, &Page::traceRequested, &window,
                     [&notice, saver](const std::shared_ptr<RunDocument>& document) {
                         if (document->run() && !document->isPartlyRead())
                             saver->saveTrace(document->run(), document->file());
                         else
                             notice.say(Band::Kind::Warning, MainWindow::tr("Nothing to export."),
                                        MainWindow::tr("The run has not been read yet."));
                     });
    const auto announce = [&notice](const QStringList& files) { announceFiles(notice, files); };
    QObject::connect(&page, &Page::filesSaved, &window, announce);
    QObject::connect(&page, &Page::exportRequested, &window,
                     [&window, &page, &theme,
                      announce](const std::vector<std::shared_ptr<const engine::Run>>& runs) {
                         auto* dialog = new ExportDialog(theme, runs, &window);
                         QObject::connect(dialog, &ExportDialog::exported, &window, announce);
                         dialog->setIteration(page.exportedIteration());
                         dialog->setNotes(page.notes());
                         dialog->setFiles(filesOf(window.library().runs(), runs));
                         if (const auto range = page.exportedRange())
                             dialog->setRange(*range);
                         dialog->setAttribute(Qt::WA_DeleteOnClose);
                         fitToScreen(*dialog);
                         dialog->open();
                     });
}

} // namespace app
