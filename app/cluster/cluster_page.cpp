#include "app/cluster/cluster_page.h"

#include "app/cluster/check_list.h"
#include "app/cluster/kit_panel.h"
#include "app/cluster/prediction_dock.h"
#include "app/cluster/results_panel.h"
#include "app/ui/controls.h"
#include "app/ui/file_dialog.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/kit/training_kit.h"

#include <QAction>
#include <QBoxLayout>
#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QResizeEvent>
#include <QScrollArea>

#include <utility>

namespace app {
namespace {

constexpr int kFoldDock = 1240, kNarrowPage = 1000;

} // namespace

ClusterPage::ClusterPage(const ThemeController& theme, RunLibrary& library, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_kit(new KitPanel(theme))
    , m_checks(new CheckList(theme))
    , m_results(new ResultsPanel(theme))
    , m_kitNote(makeLabel({}, "hint"))
    , m_checkNote(named(makeLabel({}, "hint"), "checksNote"))
    , m_resultNote(named(makeLabel({}, "hint"), "resultsNote"))
{
    setObjectName(QStringLiteral("clusterPage"));
    makeActions();
    m_dock = new PredictionDock(theme, m_compare);
    m_back = new ResultsController(library, {*m_results, *m_resultNote, *m_compare}, this);
    spaced(new QHBoxLayout(this), {}, 0,
           {{makeScroll(makeCentre()), 1}, makeLine(Qt::Vertical), m_dock});
    connectAll();
}

ClusterPage::ClusterPage(const ThemeController& theme, RunLibrary& library, const ClusterPlan& plan,
                         QWidget* parent)
    : ClusterPage(theme, library, parent)
{
    const engine::Scheme* scheme = engine::findScheme(plan.experiment.schedule.scheme);
    m_source = tr("Set-up of %1")
                   .arg(scheme != nullptr ? shortTitle(fromUtf8(scheme->title))
                                          : fromUtf8(plan.experiment.schedule.scheme));
    m_kit->setPlan(plan, m_source);
    ask();
}

ClusterPage::ClusterPage(const ThemeController& theme, RunLibrary& library,
                         std::shared_ptr<RunDocument> emulated, QWidget* parent)
    : ClusterPage(theme, library, parent)
{
    m_emulated = std::move(emulated);
    m_back->setEmulated(m_emulated);
    connect(m_emulated.get(), &RunDocument::stateChanged, this, &ClusterPage::takeDocument);
    takeDocument();
}

void ClusterPage::takeDocument()
{
    if (m_emulated->run() == nullptr)
        return;
    disconnect(m_emulated.get(), &RunDocument::stateChanged, this, nullptr);
    auto plan = clusterPlanOf(*m_emulated->run());
    m_source = m_emulated->title();
    if (!plan) {
        m_emulated.reset();
        m_back->setEmulated(nullptr);
        m_kit->setPlan(ClusterPlan(), m_source);
        return take(tl::unexpected(plan.error()));
    }
    m_kit->setPlan(*plan, m_source);
    ask();
}

void ClusterPage::makeActions()
{
    m_write = makeAction("writeKitAction", tr("&Write kit…"), tr("Ctrl+S"),
                         [this] { askForKitFolder(); });
    m_archive = makeAction("writeArchiveAction", tr("Write kit as an &archive…"), {},
                           [this] { askForArchive(); });
    m_cancel
        = makeAction("cancelKit", tr("Cancel writing"), tr("Esc"), [this] { m_writer.cancel(); });
    m_watch = makeAction("watchAction", tr("Watch a folder of &results…"), tr("Ctrl+Shift+W"),
                         [this] { m_back->askForFolder(); });
    m_compare = makeAction(
        "compareCluster", tr("&Compare the runs"), tr("Ctrl+Return"), [this] { m_back->compare(); },
        tr("compare prediction, emulated run and measured run op by op"));
    m_copy = makeAction("copyCluster", tr("Copy the &command"), tr("Ctrl+Shift+C"),
                        [this] { QGuiApplication::clipboard()->setText(m_outlook->command); });
    for (QAction* action : {m_write, m_archive, m_cancel, m_compare, m_copy})
        action->setEnabled(false);
}

QWidget* ClusterPage::makeCentre()
{
    auto* centre = makeSurface("plain");
    auto* head = makeBar(
        40, 10,
        {makeLabel(tr("Run on a cluster"), "section"),
         makeLabel(tr("Write a kit, start it on the cluster, and bring the results back."),
                   "small"),
         kStretch});
    spaced(new QVBoxLayout(centre), {}, 0,
           {head, makeLine(Qt::Horizontal),
            makeStep(m_theme, tr("1 What to run"), m_kitNote, m_kit), makeLine(Qt::Horizontal),
            makeStep(m_theme, tr("2 Checks"), m_checkNote, m_checks), makeLine(Qt::Horizontal),
            makeStep(m_theme, tr("3 Bring the results back"), m_resultNote, m_results), kStretch});
    return centre;
}

void ClusterPage::connectAll()
{
    connect(m_kit, &KitPanel::edited, this, [this] {
        m_written.clear();
        m_isOutdated = true;
        if (!m_writer.isWriting())
            m_kit->showWritten({});
        ask();
    });
    connect(&m_theme, &ThemeController::unitsChanged, this, &ClusterPage::showOutlook);
    connect(m_kit, &KitPanel::writeRequested, this, &ClusterPage::askForKitFolder);
    connect(m_kit, &KitPanel::archiveRequested, this, &ClusterPage::askForArchive);
    connect(m_kit, &KitPanel::cancelRequested, m_cancel, &QAction::trigger);
    connect(&m_writer, &KitWriter::progressed, this,
            [this](double share) { m_kit->showWritten(tr("Writing, %1").arg(percent(share, 0))); });
    connect(&m_writer, &KitWriter::written, this, &ClusterPage::kitWritten);
    connect(&m_writer, &KitWriter::failed, this,
            [this](const QString& reason) { endWriting(capitalized(reason)); });
    connect(m_kit, &KitPanel::copyRequested, this, [this](const QString& command) {
        QGuiApplication::clipboard()->setText(command);
        m_kit->showWritten(tr("Copied."));
    });
    connect(m_back, &ResultsController::changed, this, &ClusterPage::statusChanged);
    connect(m_back, &ResultsController::compareRequested, this, [this](const QStringList& files) {
        Q_EMIT pageRequested({"compare", files});
    });
    connect(m_back, &ResultsController::linksMeasured, m_kit, &KitPanel::useLinks);
}

void ClusterPage::ask()
{
    m_outlooks.ask(m_kit->plan());
    m_kit->awaitOutlook();
    enableActions();
}

void ClusterPage::enableActions()
{
    for (QAction* action : {m_write, m_archive})
        action->setEnabled(isCurrent() && !m_writer.isWriting());
    m_copy->setEnabled(isCurrent() && !m_outlook->command.isEmpty());
}

void ClusterPage::take(engine::Result<ClusterOutlook> outlook)
{
    m_problem = outlook ? QString() : fromUtf8(outlook.error().message);
    m_kit->showOutlook(outlook);
    m_outlook.reset();
    if (outlook)
        m_outlook = std::make_shared<const ClusterOutlook>(*std::move(outlook));
    showOutlook();
}

void ClusterPage::showOutlook()
{
    const std::vector<ClusterCheck> checks = m_outlook
        ? m_outlook->checks
        : std::vector<ClusterCheck>{
            {ClusterCheck::Level::Problem, tr("No kit"), capitalized(m_problem)}};
    m_checks->show(checks);
    m_checkNote->setText(tr("%1; checked again at each change").arg(checksText(checks)));
    m_kitNote->setText(m_outlook ? tr("%1, %2").arg(countOf(m_outlook->kit.ranks, "rank"),
                                                    countOf(m_outlook->kit.nodes, "node"))
                                 : QString());
    enableActions();
    m_dock->show(m_outlook && m_outlook->prediction ? &*m_outlook->prediction : nullptr,
                 m_kit->plan());
    m_back->setOutlook(m_outlook, m_kit->plan());
}

void ClusterPage::askForKitFolder()
{
    auto* dialog = openFileDialog({tr("Folder of the kit: a new one, or one to replace"),
                                   {},
                                   "kitFolderDialog",
                                   QFileDialog::Directory},
                                  this);
    dialog->setOption(QFileDialog::ShowDirsOnly, true);
    dialog->setLabelText(QFileDialog::Accept, tr("Write kit"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& chosen) {
        // A kit needs a separate folder. Uses the chosen folder if it is empty or already contains
        // a kit (train.py), otherwise a new folder in it.
        const QDir folder(chosen);
        const bool isOwn = folder.isEmpty() || folder.exists(QStringLiteral("train.py"));
        writeTo(isOwn ? chosen : folder.filePath(kitName()),
                isOwn ? engine::IfExists::Replace : engine::IfExists::Refuse);
    });
}

void ClusterPage::askForArchive()
{
    auto* dialog = openFileDialog({tr("Archive of the kit"), tr("Archives (*.zip *.tar.gz *.tgz)"),
                                   "kitArchiveDialog", QFileDialog::AnyFile},
                                  this);
    dialog->setAcceptMode(QFileDialog::AcceptSave); // asks before a file is replaced
    dialog->setDefaultSuffix(QStringLiteral("zip"));
    dialog->selectFile(kitName() + QStringLiteral(".zip"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& chosen) {
        const bool isArchive = engine::folderInArchive(chosen.toStdString()).has_value();
        writeTo(isArchive ? chosen : chosen + QStringLiteral(".zip"),
                isArchive ? engine::IfExists::Replace : engine::IfExists::Refuse);
    });
}

QString ClusterPage::kitName() const
{
    return QStringLiteral("kit-%1").arg(fromUtf8(m_kit->plan().experiment.schedule.scheme));
}

void ClusterPage::writeTo(const QString& folder, engine::IfExists ifExists)
{
    if (!isCurrent() || m_writer.isWriting())
        return;
    m_isOutdated = false;
    m_kit->showWriting(true);
    m_cancel->setEnabled(true);
    m_writer.write({m_outlook, &m_outlook->kit}, folder, ifExists);
    enableActions();
}

void ClusterPage::endWriting(const QString& text)
{
    m_kit->showWriting(false);
    m_kit->showWritten(text);
    m_cancel->setEnabled(false);
    enableActions();
}

void ClusterPage::kitWritten(const QString& folder)
{
    if (m_isOutdated)
        return endWriting(tr("Written to %1 as set up before the last change.").arg(folder));
    m_written = folder;
    endWriting(tr("Written to %1.").arg(folder));
    // Watches the folder of the kit, because the results arrive there on a shared file system.
    if (QFileInfo(folder).isDir() && !m_back->watcher().isWatching()
        && m_back->results().folder.isEmpty())
        takeResults({folder});
    Q_EMIT statusChanged();
}

QStringList ClusterPage::statusTexts() const
{
    if (!m_outlook)
        return {tr("<b>Kit</b>")};
    QStringList texts{tr("<b>Kit</b> %1").arg(m_source.toHtmlEscaped()),
                      countOf(m_outlook->kit.ranks, "rank")};
    if (!m_written.isEmpty())
        texts.append(tr("written"));
    if (!m_back->results().folder.isEmpty())
        texts.append(tr("%1 of %2 ranks received")
                         .arg(m_back->results().received())
                         .arg(m_back->results().ranks));
    return texts;
}

QString ClusterPage::statusNote() const
{
    if (!m_outlook || !m_outlook->prediction)
        return {};
    const ClusterPrediction& prediction = *m_outlook->prediction;
    return tr("predicted %1")
        .arg(timeScale(prediction.run->info, prediction.metrics.duration)
                 .withUnit(static_cast<double>(prediction.metrics.duration)));
}

QList<QAction*> ClusterPage::menuActions(Menu menu) const
{
    if (menu == Menu::File)
        return {m_write, m_archive, m_cancel, m_watch};
    if (menu == Menu::Run)
        return {m_copy};
    return menu == Menu::Compare ? QList<QAction*>{m_compare} : QList<QAction*>();
}

void ClusterPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    const int width = event->size().width();
    m_dock->setVisible(width >= kFoldDock);
    const int centre = width - (width >= kFoldDock ? m_dock->width() : 0);
    m_kit->setNarrow(centre < kNarrowPage);
    m_results->setNarrow(centre < kNarrowPage);
    m_checks->setColumns(centre < kNarrowPage ? 1 : 2);
}

} // namespace app
