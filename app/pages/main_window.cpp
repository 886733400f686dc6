#include "app/pages/main_window.h"

#include "app/pages/about_dialog.h"
#include "app/pages/device_dialog.h"
#include "app/pages/keys_dialog.h"
#include "app/pages/start_page.h"
#include "app/widgets/controls/command_field.h"
#include "app/widgets/controls/icons.h"
#include "app/widgets/window/command_palette.h"
#include "app/widgets/window/status_line.h"
#include "app/widgets/window/tab_strip.h"

#include <QAction>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QMenuBar>
#include <QMimeData>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace app {
namespace {

QStringList droppedFiles(const QMimeData& data)
{
    QStringList files;
    for (const QUrl& url : data.urls()) {
        if (url.isLocalFile())
            files.append(url.toLocalFile());
    }
    return files;
}

} // namespace

MainWindow::MainWindow(ThemeController& theme, Settings& settings, QWidget* parent)
    : QMainWindow(parent)
    , m_theme(theme)
    , m_settings(settings)
    , m_tabs(new TabStrip(theme))
    , m_stack(new QStackedWidget)
    , m_status(new StatusLine)
    , m_commandField(new CommandField(theme))
    , m_palette(new CommandPalette(theme, this))
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(applicationIcon());
    setMinimumSize(960, 640);
    resize(1600, 1000);
    setAcceptDrops(true);
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addWidget(m_tabs);
    column->addWidget(m_stack, 1);
    setCentralWidget(body);
    setStatusBar(m_status);
    makeMenus();

    connect(m_tabs, &TabStrip::currentChanged, this, &MainWindow::showPage);
    connect(m_tabs, &TabStrip::newRequested, this, [this] { newRun(); });
    connect(m_tabs, &TabStrip::closeRequested, this,
            [this](int index) { closePage(static_cast<Page*>(m_stack->widget(index))); });
    m_start = new StartPage(theme, settings);
    connect(m_start, &StartPage::deviceCheckRequested, this, &MainWindow::showDevices);
    addPage(m_start);
    restoreGeometry(settings.geometry());
}

// The pages go first: they tell the window what they show, and forget the library's runs.
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
    QList<Page*> result;
    for (int i = 0; i < m_stack->count(); ++i)
        result.append(static_cast<Page*>(m_stack->widget(i)));
    return result;
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

void MainWindow::connectPage(Page* page)
{
    connect(page, &Page::titleChanged, this, [this, page] {
        m_tabs->setTitle(m_stack->indexOf(page), page->title());
        updateStatus();
    });
    connect(page, &Page::statusChanged, this, &MainWindow::updateStatus);
    connect(page, &Page::actionsChanged, this, &MainWindow::updateMenus);
    connect(
        page, &Page::closeRequested, this, [this, page] { closePage(page); }, Qt::QueuedConnection);
    connect(page, &Page::newRunRequested, this, &MainWindow::newRun);
    connect(page, &Page::openRequested, this, &MainWindow::openRun);
    connect(page, &Page::openDialogRequested, this, &MainWindow::askForFiles);
    connect(page, &Page::startRequested, this, &MainWindow::startRun);
    connect(page, &Page::startAllRequested, this, &MainWindow::startRuns);
    connect(page, &Page::editRequested, this,
            [this](const std::shared_ptr<const engine::Schedule>& schedule,
                   const PredictionRequest& request) { editSchedule(*schedule, request); });
    connect(page, &Page::compareRequested, this, &MainWindow::compare);
    connect(page, &Page::runOpened, this,
            [this](const QString& file, const std::shared_ptr<const engine::Run>& run) {
                m_settings.addRecent(describeRecent(file, *run, QDateTime::currentDateTime()));
            });
    connectExport(page);
}

void MainWindow::showPage(int index)
{
    if (index < 0 || index >= m_stack->count())
        return;
    m_stack->setCurrentIndex(index);
    m_stack->currentWidget()->setFocus();
    updateMenus();
    updateStatus();
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

void MainWindow::openFiles(const QStringList& files)
{
    QStringList runs;
    for (const QString& file : files) {
        if (file.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive))
            editFile(file);
        else
            runs.append(file);
    }
    if (runs.size() == 1)
        openRun(runs.front());
    else if (!runs.isEmpty())
        compare(runs);
}

void MainWindow::askForSchedule()
{
    auto* dialog = new QFileDialog(this, tr("Edit a schedule file"), QString(),
                                   tr("Schedules (*.csv *.txt);;All files (*)"));
    dialog->setObjectName(QStringLiteral("scheduleDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::editFile);
    dialog->open();
}

void MainWindow::askForFiles()
{
    auto* dialog = new QFileDialog(this, tr("Open runs"), QString(),
                                   tr("Runs (*.sqlite);;Schedules (*.csv);;All files (*)"));
    dialog->setObjectName(QStringLiteral("openDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, &MainWindow::openFiles);
    dialog->open();
}

void MainWindow::showKeys()
{
    (new KeysDialog(m_theme, m_fixedActions + m_pageActions, this))->open();
}

void MainWindow::showAbout()
{
    (new AboutDialog(m_theme, this))->open();
}

void MainWindow::showDevices()
{
    (new DeviceDialog(this))->open();
}

// Every page may refuse: a run under way is not lost by closing the window.
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
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!droppedFiles(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    openFiles(droppedFiles(*event->mimeData()));
}

} // namespace app
