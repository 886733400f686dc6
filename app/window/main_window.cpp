#include "app/window/main_window.h"

#include "app/cluster/cluster_page.h"
#include "app/compare/compare_page.h"
#include "app/editor/editor_page.h"
#include "app/estimator/estimator_page.h"
#include "app/import/import_page.h"
#include "app/ledger/ledger_page.h"
#include "app/memory/memory_page.h"
#include "app/query/query_page.h"
#include "app/run/run_page.h"
#include "app/settings/apply_settings.h"
#include "app/settings/settings_page.h"
#include "app/setup/setup_page.h"
#include "app/shell/notice_bar.h"
#include "app/start/start_page.h"
#include "app/study/study_page.h"
#include "app/ui/control_style.h"
#include "app/ui/controls.h"
#include "app/ui/icons.h"
#include "app/ui/text.h"
#include "app/whatif/what_if.h"
#include "app/whatif/what_if_page.h"
#include "app/window/device_dialog.h"
#include "app/window/keys_dialog.h"
#include "app/window/open_dialogs.h"
#include "app/window/page_tabs.h"
#include "app/window/saved_files.h"
#include "app/window/status_line.h"
#include "app/window/stop_runs.h"
#include "app/window/window_menus.h"
#include "app/window/window_session.h"
#include "profiler/store/trace_store.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>

#include <utility>

namespace app {

MainWindow::MainWindow(ThemeController& theme, Settings& settings, QWidget* parent)
    : QMainWindow(parent)
    , m_theme(theme)
    , m_settings(settings)
    , m_tabs(new PageTabs(theme))
    , m_status(new StatusLine)
    , m_session(new WindowSession(*this, m_tabs->notice(), settings))
    , m_menus(new WindowMenus(*this, theme, settings))
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(applicationIcon());
    setMinimumSize(960, 640);
    resize(1600, 1000);
    setAcceptDrops(true);
    setCentralWidget(m_tabs);
    setStatusBar(m_status);
    followStyleSheet(*menuBar());
    followStyleSheet(*m_status);

    connect(&theme, &ThemeController::unitsChanged, this, [this] {
        if (currentPage() != nullptr)
            updateStatus();
    });
    connect(
        &m_library, &RunLibrary::runRead, this, [this](const QString& file, const RunPointer& run) {
            m_background.run(
                [=, now = QDateTime::currentDateTime()] { return describeRecent(file, *run, now); },
                [this](const RecentRun& recent) { m_settings.addRecent(recent); });
            m_ledger.add(file, run);
        });
    connect(m_tabs, &PageTabs::currentChanged, this, &MainWindow::showPage);
    connect(m_tabs, &PageTabs::newRequested, this, [this] { newRun(); });
    m_start = new StartPage(theme, settings);
    connect(m_start, &StartPage::deviceCheckRequested, this, &MainWindow::showDevices);
    connect(m_start, &StartPage::ledgerRequested, this, &MainWindow::openLedger);
    connect(&m_ledger, &RunLedger::changed, m_start,
            [this] { m_start->setKnownRuns(m_ledger.untrashed()); });
    addPage(m_start);
    keepQueue();
    restoreGeometry(settings.geometry());
}

// Destroys the pages first, because they use the window and the library.
MainWindow::~MainWindow()
{
    delete m_tabs;
}

Page* MainWindow::currentPage() const
{
    return m_tabs->current();
}

void MainWindow::addPage(Page* page)
{
    connectPage(page);
    m_tabs->add(page);
}

template<class Shown>
void MainWindow::showPageAbout(const QString& file)
{
    const auto document = m_library.open(file);
    if (!m_tabs->showIf([&](Page* page) {
            const auto* shown = qobject_cast<Shown*>(page);
            return shown != nullptr && shown->document() == document.get();
        }))
        addPage(new Shown(m_theme, m_library, document));
}

void MainWindow::connectPage(Page* page)
{
    for (const auto signal : {&Page::titleChanged, &Page::statusChanged})
        connect(page, signal, this, [this, page] {
            if (page == currentPage())
                updateStatus();
        });
    connect(page, &Page::actionsChanged, this, [this] { m_menus->showPage(*currentPage()); });
    connect(page, &Page::newRunRequested, this, &MainWindow::newRun);
    connect(page, &Page::openRequested, this, &MainWindow::openRun);
    connect(page, &Page::showRequested, this,
            [this](const auto& run) { showDocument(m_library.openAgain(run)); });
    connect(page, &Page::linkRequested, m_menus, &WindowMenus::showLink);
    connect(page, &Page::openDialogRequested, this, [this] { askFor(FileKind::Runs); });
    connect(page, &Page::importDialogRequested, this, [this] { askFor(FileKind::Traces); });
    connect(page, &Page::importAgainRequested, this, &MainWindow::importTraces);
    connect(page, &Page::importReportRequested, this, &MainWindow::showPageAbout<ImportPage>);
    connect(page, &Page::queryRequested, this, &MainWindow::showPageAbout<QueryPage>);
    connect(page, &Page::memoryRequested, this, &MainWindow::showPageAbout<MemoryPage>);
    connect(page, &Page::whatIfRequested, this, &MainWindow::showPageAbout<WhatIfPage>);
    connect(page, &Page::clusterRequested, this, &MainWindow::openCluster);
    connect(page, &Page::clusterOfRunRequested, this, &MainWindow::showPageAbout<ClusterPage>);
    connect(page, &Page::startRequested, this, &MainWindow::startRun);
    connect(page, &Page::startAllRequested, this, &MainWindow::startRuns);
    connect(page, &Page::editRequested, this,
            [this](const std::shared_ptr<const engine::Schedule>& schedule,
                   const PredictionRequest& request) { editSchedule(*schedule, request); });
    connect(page, &Page::compareRequested, this, &MainWindow::compare);
    connectExports(*this, *page, m_theme, m_tabs->notice());
}

void MainWindow::showPage(Page* page)
{
    m_menus->showPage(*page);
    m_session->tabsChanged();
    updateStatus();
}

void MainWindow::updateStatus()
{
    const Page* page = currentPage();
    m_status->show(page->statusTexts(), page->statusNote());
    setWindowTitle(page == m_start ? QStringLiteral("Bubblescope")
                                   : tr("%1 - Bubblescope").arg(page->title()));
}

SetupPage* MainWindow::newRun(const QString& experimentToml)
{
    auto* page = new SetupPage(m_theme);
    if (!experimentToml.isEmpty())
        page->setPlan(planFromExperiment(experimentToml));
    addPage(page);
    return page;
}

void MainWindow::editSchedule(const engine::Schedule& schedule, const PredictionRequest& request)
{
    auto* page = new EditorPage(m_theme);
    page->edit(schedule,
               tr("%1 D %2, N %3")
                   .arg(schemeLabel(QString::fromStdString(schedule.scheme)))
                   .arg(schedule.shape.devices)
                   .arg(schedule.shape.microBatches),
               request);
    addPage(page);
}

void MainWindow::openLedger()
{
    if (m_tabs->showFirst<LedgerPage>() == nullptr)
        addPage(new LedgerPage(m_theme, m_library, m_ledger));
}

void MainWindow::openEstimator()
{
    if (m_tabs->showFirst<EstimatorPage>() != nullptr)
        return;
    auto* page = new EstimatorPage(m_theme);
    connect(page, &EstimatorPage::setupRequested, this,
            [this](const RunPlan& plan) { newRun()->setPlan(plan); });
    addPage(page);
}

void MainWindow::openStudy(const QString& file)
{
    if (file.isEmpty() || !showPageOf(QFileInfo(file).absoluteFilePath()))
        addPage(new StudyPage(m_theme, file));
}

void MainWindow::openCluster()
{
    const auto* setup = qobject_cast<SetupPage*>(currentPage());
    // Checks the class, because pages about a schedule or a study have a file, too.
    if (qobject_cast<RunPage*>(currentPage()) != nullptr && !currentPage()->file().isEmpty())
        return showPageAbout<ClusterPage>(currentPage()->file());
    addPage(new ClusterPage(m_theme, m_library,
                            clusterPlanOf(setup != nullptr ? setup->plan() : RunPlan())));
}

void MainWindow::editFile(const QString& file)
{
    auto* page
        = showPageOf(file) ? qobject_cast<EditorPage*>(currentPage()) : new EditorPage(m_theme);
    if (page == nullptr || page->schedule() != nullptr)
        return;
    page->open(file);
    if (page != currentPage())
        addPage(page);
}

bool MainWindow::showPageOf(const QString& file)
{
    return m_tabs->showIf([&](Page* page) { return page->file() == file; });
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
    std::vector<std::shared_ptr<RunDocument>> started;
    for (const QStringList& one : options)
        started.push_back(m_library.start(one));
    if (started.size() == 1)
        showDocument(started.front());
    else if (!started.empty())
        compareDocuments(started);
}

void MainWindow::showDocument(const std::shared_ptr<RunDocument>& document)
{
    if (!m_tabs->showIf([&](Page* page) {
            const auto* shown = qobject_cast<RunPage*>(page);
            return shown != nullptr && &shown->document() == document.get();
        }))
        addPage(new RunPage(m_theme, m_library, document));
}

void MainWindow::compare(const QStringList& files,
                         const std::vector<std::shared_ptr<RunDocument>>& open)
{
    std::vector<std::shared_ptr<RunDocument>> documents;
    for (const auto& document : open)
        documents.push_back(m_library.openAgain(document));
    for (const QString& file : files)
        documents.push_back(m_library.open(file));
    compareDocuments(documents);
}

// All comparisons show the ticked runs, so one tab is enough.
void MainWindow::compareDocuments(const std::vector<std::shared_ptr<RunDocument>>& documents)
{
    if (auto* page = m_tabs->showFirst<ComparePage>())
        page->tick(documents);
    else
        addPage(new ComparePage(m_theme, m_library, documents));
}

void MainWindow::showKeys()
{
    (new KeysDialog(m_theme, m_menus->actions(), this))->open();
}

void MainWindow::showDevices()
{
    (new DeviceDialog(m_theme, this))->open();
}

// Asks every page first, so that closing the window does not lose a running run. Holds the queue
// meanwhile, because a queued run that started now would be lost, too.
void MainWindow::closeEvent(QCloseEvent* event)
{
    m_library.holdQueue(true);
    if (!m_tabs->mayCloseAll() || !mayStopAll(m_library, this)) {
        m_library.holdQueue(false);
        return event->ignore();
    }
    m_settings.setGeometry(saveGeometry());
    m_session->end();
    event->accept();
}

void MainWindow::showCommands()
{
    m_menus->showCommands();
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    m_menus->place(width());
}

void MainWindow::openFiles(const QStringList& files)
{
    QStringList runs, traces;
    for (const QString& file : files) {
        if (file.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive))
            editFile(QFileInfo(file).absoluteFilePath());
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

// Stores queued runs for the next window, and offers to start the queued runs of the last window.
void MainWindow::keepQueue()
{
    const auto store = [this] { m_ledger.keepQueue(m_left + m_library.queuedOptions()); };
    connect(&m_library, &RunLibrary::queueChanged, this, store);
    connect(m_start, &StartPage::queueAnswered, this, [this, store](bool start) {
        const QList<QStringList> left = std::exchange(m_left, {});
        startRuns(start ? left : QList<QStringList>());
        store();
    });
    m_ledger.takeQueues([this, store](const QList<QStringList>& left) {
        m_left = left;
        store();
        m_start->offerQueue(static_cast<int>(left.size()));
    });
}

void MainWindow::openSettings(const char* key)
{
    auto* page = m_tabs->showFirst<SettingsPage>();
    if (page == nullptr) {
        page = new SettingsPage(m_theme, m_settings);
        connect(page, &SettingsPage::settingChanged, this,
                [this](const char* changed) { applySetting(changed, m_settings, m_theme); });
        addPage(page);
    }
    if (key != nullptr)
        page->showSetting(key);
}

void MainWindow::announce(const QStringList& files)
{
    announceFiles(m_tabs->notice(), files);
}

bool MainWindow::canReopenTabs() const
{
    return m_session->canReopen();
}

void MainWindow::reopenTabs()
{
    m_session->reopen();
}

} // namespace app
