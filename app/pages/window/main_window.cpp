#include "app/pages/window/main_window.h"

#include "app/models/text.h"
#include "app/models/whatif/what_if.h"
#include "app/pages/cluster/cluster_page.h"
#include "app/pages/compare/compare_page.h"
#include "app/pages/dialogs/about_dialog.h"
#include "app/pages/dialogs/device_dialog.h"
#include "app/pages/dialogs/keys_dialog.h"
#include "app/pages/editor/editor_page.h"
#include "app/pages/estimator/estimator_page.h"
#include "app/pages/import/import_page.h"
#include "app/pages/ledger/ledger_page.h"
#include "app/pages/memory/memory_page.h"
#include "app/pages/query/query_page.h"
#include "app/pages/run/run_page.h"
#include "app/pages/session/saved_files.h"
#include "app/pages/session/window_session.h"
#include "app/pages/setup/setup_page.h"
#include "app/pages/start/start_page.h"
#include "app/pages/study/study_page.h"
#include "app/pages/whatif/what_if_page.h"
#include "app/pages/window/window_menus.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/icons.h"
#include "app/widgets/window/notice_bar.h"
#include "app/widgets/window/status_line.h"
#include "app/widgets/window/tab_strip.h"

#include <QCloseEvent>
#include <QFileInfo>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace app {

MainWindow::MainWindow(ThemeController& theme, Settings& settings, QWidget* parent)
    : QMainWindow(parent)
    , m_theme(theme)
    , m_settings(settings)
    , m_tabs(new TabStrip(theme))
    , m_stack(new QStackedWidget)
    , m_status(new StatusLine)
    , m_notice(new NoticeBar(theme))
    , m_session(new WindowSession(*this, *m_notice, settings))
    , m_menus(new WindowMenus(*this, theme, settings))
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(applicationIcon());
    setMinimumSize(960, 640);
    resize(1600, 1000);
    setAcceptDrops(true);
    auto* body = new QWidget;
    spaced(new QVBoxLayout(body), {}, 0, {m_tabs, m_notice, {m_stack, 1}});
    setCentralWidget(body);
    setStatusBar(m_status);

    connect(m_tabs, &TabStrip::currentChanged, this, &MainWindow::showPage);
    connect(m_tabs, &TabStrip::newRequested, this, [this] { newRun(); });
    connect(m_tabs, &TabStrip::closeRequested, this,
            [this](int index) { closePage(static_cast<Page*>(m_stack->widget(index))); });
    m_start = new StartPage(theme, settings);
    connect(m_start, &StartPage::deviceCheckRequested, this, &MainWindow::showDevices);
    connect(m_start, &StartPage::ledgerRequested, this, &MainWindow::openLedger);
    addPage(m_start);
    keepQueue();
    restoreGeometry(settings.geometry());
}

// Destroys the pages first, because they use the window and the library.
MainWindow::~MainWindow()
{
    disconnect(m_tabs, nullptr, this, nullptr);
    delete m_stack;
}

Page* MainWindow::currentPage() const
{
    return static_cast<Page*>(m_stack->currentWidget());
}

QList<Page*> MainWindow::pages() const
{
    QList<Page*> pages;
    for (int i = 0; i < m_stack->count(); ++i)
        pages.append(static_cast<Page*>(m_stack->widget(i)));
    return pages;
}

Page* MainWindow::addPage(Page* page)
{
    connectPage(page);
    m_stack->addWidget(page);
    const int index = m_tabs->addTab(
        page->title(), page->isClosable() ? TabStrip::Closing::Allowed : TabStrip::Closing::Fixed);
    m_tabs->setCurrent(index);
    showPage(index);
    return page;
}

template<class Shown>
void MainWindow::showPageAbout(const QString& file)
{
    const auto document = m_library.open(file);
    if (!showPageIf([&](Page* page) {
            const auto* shown = qobject_cast<Shown*>(page);
            return shown != nullptr && shown->document() == document.get();
        }))
        addPage(new Shown(m_theme, m_library, document));
}

void MainWindow::connectPage(Page* page)
{
    connect(page, &Page::titleChanged, this, [this, page] {
        m_tabs->setTitle(m_stack->indexOf(page), page->title());
        updateStatus();
    });
    connect(page, &Page::statusChanged, this, &MainWindow::updateStatus);
    connect(page, &Page::actionsChanged, this, [this] { m_menus->showPage(*currentPage()); });
    connect(
        page, &Page::closeRequested, this, [this, page] { closePage(page); }, Qt::QueuedConnection);
    connect(page, &Page::newRunRequested, this, &MainWindow::newRun);
    connect(page, &Page::openRequested, this, &MainWindow::openRun);
    connect(page, &Page::openDialogRequested, this, [this] { askFor(FileKind::Runs); });
    connect(page, &Page::importDialogRequested, this, [this] { askFor(FileKind::Traces); });
    connect(page, &Page::importAgainRequested, this, &MainWindow::importTraces);
    connect(page, &Page::importReportRequested, this, &MainWindow::showPageAbout<ImportPage>);
    connect(page, &Page::queryRequested, this, &MainWindow::showPageAbout<QueryPage>);
    connect(page, &Page::memoryRequested, this, &MainWindow::showPageAbout<MemoryPage>);
    connect(page, &Page::whatIfRequested, this, &MainWindow::showPageAbout<WhatIfPage>);
    connect(page, &Page::clusterRequested, this, &MainWindow::openCluster);
    connect(page, &Page::startRequested, this, &MainWindow::startRun);
    connect(page, &Page::startAllRequested, this, &MainWindow::startRuns);
    connect(page, &Page::editRequested, this,
            [this](const std::shared_ptr<const engine::Schedule>& schedule,
                   const PredictionRequest& request) { editSchedule(*schedule, request); });
    connect(page, &Page::compareRequested, this, &MainWindow::compare);
    connect(page, &Page::runOpened, this,
            [this](const QString& file, const std::shared_ptr<const engine::Run>& run) {
                m_settings.addRecent(describeRecent(file, *run, QDateTime::currentDateTime()));
                m_ledger.add(file, run);
            });
    connectExports(*this, *page, m_theme, *m_notice);
}

void MainWindow::showPage(int index)
{
    if (index < 0 || index >= m_stack->count())
        return;
    m_stack->setCurrentIndex(index);
    m_stack->currentWidget()->setFocus();
    m_menus->showPage(*currentPage());
    m_session->tabsChanged();
    updateStatus();
}

void MainWindow::makeCurrent(Page* page)
{
    m_tabs->setCurrent(m_stack->indexOf(page));
}

bool MainWindow::closePage(Page* page)
{
    if (!page->isClosable() || !page->queryClose())
        return false;
    const int index = m_stack->indexOf(page);
    m_stack->removeWidget(page);
    m_tabs->removeTab(index);
    page->deleteLater();
    showPage(m_tabs->current());
    return true;
}

void MainWindow::updateStatus()
{
    const Page* page = currentPage();
    m_status->show(page->statusTexts(), page->statusNote());
    setWindowTitle(page == m_start ? QStringLiteral("Bubblescope")
                                   : tr("%1 - Bubblescope").arg(page->title()));
}

void MainWindow::stepTab(int by)
{
    const int count = m_tabs->count();
    m_tabs->setCurrent((m_tabs->current() + by + count) % count);
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
    if (!showPageIf([](Page* page) { return qobject_cast<LedgerPage*>(page) != nullptr; }))
        addPage(new LedgerPage(m_theme, m_library, m_ledger));
}

void MainWindow::openEstimator()
{
    if (showPageIf([](Page* page) { return qobject_cast<EstimatorPage*>(page) != nullptr; }))
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
    if (setup == nullptr && !currentPage()->file().isEmpty())
        return showPageAbout<ClusterPage>(currentPage()->file());
    addPage(new ClusterPage(m_theme, m_library,
                            clusterPlanOf(setup != nullptr ? setup->plan() : RunPlan())));
}

void MainWindow::editFile(const QString& file)
{
    if (showPageOf(file))
        return;
    auto* page = new EditorPage(m_theme);
    page->open(file);
    addPage(page);
}

bool MainWindow::showPageIf(const std::function<bool(Page*)>& isIt)
{
    for (int i = 0; i < m_stack->count(); ++i)
        if (isIt(static_cast<Page*>(m_stack->widget(i)))) {
            m_tabs->setCurrent(i);
            return true;
        }
    return false;
}

bool MainWindow::showPageOf(const QString& file)
{
    return showPageIf([&](Page* page) { return page->file() == file; });
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
    if (!showPageOf(document->file()))
        addPage(new RunPage(m_theme, m_library, document));
}

void MainWindow::compare(const QStringList& files)
{
    std::vector<std::shared_ptr<RunDocument>> documents;
    for (const QString& file : files)
        documents.push_back(m_library.open(file));
    compareDocuments(documents);
}

// All comparisons show the ticked runs, so one tab is enough.
void MainWindow::compareDocuments(const std::vector<std::shared_ptr<RunDocument>>& documents)
{
    if (showPageIf([](Page* page) { return qobject_cast<ComparePage*>(page) != nullptr; }))
        static_cast<ComparePage*>(currentPage())->tick(documents);
    else
        addPage(new ComparePage(m_theme, m_library, documents));
}

void MainWindow::showKeys()
{
    (new KeysDialog(m_theme, m_menus->actions(), this))->open();
}

void MainWindow::showAbout()
{
    (new AboutDialog(m_theme, this))->open();
}

void MainWindow::showDevices()
{
    (new DeviceDialog(m_theme, this))->open();
}

// Every page may refuse, so that closing the window does not lose a running run.
void MainWindow::closeEvent(QCloseEvent* event)
{
    for (int i = m_stack->count() - 1; i >= 0; --i) {
        auto* page = static_cast<Page*>(m_stack->widget(i));
        if (page->isClosable() && !page->queryClose()) {
            m_tabs->setCurrent(i);
            event->ignore();
            return;
        }
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

} // namespace app
