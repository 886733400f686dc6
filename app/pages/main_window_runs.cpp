#include "app/models/text.h"
#include "app/pages/compare_page.h"
#include "app/pages/editor_page.h"
#include "app/pages/export_dialog.h"
#include "app/pages/main_window.h"
#include "app/pages/run_page.h"
#include "app/pages/setup_page.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/window/tab_strip.h"

#include <QStackedWidget>

namespace app {

void MainWindow::newRun(const QString& experimentToml)
{
    auto* page = new SetupPage(m_theme);
    if (!experimentToml.isEmpty())
        page->setPlan(planFromExperiment(experimentToml));
    addPage(page);
}

void MainWindow::editSchedule(const engine::Schedule& schedule, const PredictionRequest& request)
{
    const engine::Scheme* scheme = engine::findScheme(schedule.scheme);
    auto* page = new EditorPage(m_theme);
    page->edit(schedule,
               tr("%1 D %2, N %3")
                   .arg(scheme != nullptr ? shortTitle(fromUtf8(scheme->title))
                                          : QString::fromStdString(schedule.scheme))
                   .arg(schedule.shape.devices)
                   .arg(schedule.shape.microBatches),
               request);
    addPage(page);
}

void MainWindow::editFile(const QString& file)
{
    if (showPageOf(file))
        return;
    auto* page = new EditorPage(m_theme);
    page->open(file);
    addPage(page);
}

bool MainWindow::showPageOf(const QString& file)
{
    for (Page* page : pages()) {
        if (page->file() == file) {
            m_tabs->setCurrent(m_stack->indexOf(page));
            return true;
        }
    }
    return false;
}

void MainWindow::openRun(const QString& file)
{
    showDocument(m_library.open(file));
}

void MainWindow::startRun(const QStringList& options)
{
    showDocument(m_library.start(options));
}

void MainWindow::startRuns(const QList<QStringList>& options)
{
    std::shared_ptr<RunDocument> first;
    for (const QStringList& one : options) {
        const auto document = m_library.start(one);
        if (first == nullptr)
            first = document;
    }
    if (first != nullptr)
        showDocument(first);
}

void MainWindow::showDocument(const std::shared_ptr<RunDocument>& document)
{
    if (!showPageOf(document->file()))
        addPage(new RunPage(m_theme, m_library, document));
}

void MainWindow::compare(const QStringList& files)
{
    std::vector<std::shared_ptr<RunDocument>> documents;
    for (const QString& file : files)
        documents.push_back(m_library.open(file));
    addPage(new ComparePage(m_theme, m_library, documents));
}

void MainWindow::connectExport(Page* page)
{
    connect(page, &Page::exportRequested, this,
            [this, page](const std::vector<std::shared_ptr<const engine::Run>>& runs) {
                auto* dialog = new ExportDialog(m_theme, runs, this);
                dialog->setIteration(page->exportedIteration());
                dialog->setNotes(page->notes());
                dialog->setAttribute(Qt::WA_DeleteOnClose);
                fitToScreen(*dialog);
                dialog->open();
            });
}

} // namespace app
