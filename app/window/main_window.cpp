#include "app/window/main_window.h"

#include "app/ledger/ledger_table.h"
#include "app/run/run_page.h"
#include "app/run/run_state_view.h"
#include "app/setup/setup_page.h"
#include "app/shell/run_saver.h"
#include "app/start/start_page.h"
#include "app/ui/control_style.h"
#include "app/ui/controls.h"
#include "app/ui/file_dialog.h"
#include "app/ui/icons.h"
#include "app/ui/numbers.h"
#include "app/window/export_dialog.h"
#include "app/window/page_kinds.h"
#include "app/window/page_tabs.h"
#include "app/window/window_menus.h"
#include "app/window/window_session.h"
#include "engine/base/check.h"
#include "profiler/store/trace_store.h"

#include <QCloseEvent>
#include <QDesktopServices>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QStatusBar>
#include <QUrl>

#include <utility>

namespace app {
namespace {

void openFolder(PageTabs& tabs, const QString& folder)
{
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder)))
        tabs.say(Band::Kind::Warning, MainWindow::tr("The folder was not opened."),
                 MainWindow::tr("No file manager is available. The files are in %1.").arg(folder));
}

// Returns the files of the runs, without those that have none, such as predictions.
QStringList filesOf(const RunLibrary& library,
                    const std::vector<std::shared_ptr<const engine::Run>>& runs)
{
    QStringList files;
    for (const auto& run : runs)
        for (const auto& document : library.runs())
            if (document->run() == run && !document->file().isEmpty()) {
                files << document->file();
                break;
            }
    return files;
}

// With a button that opens their folder.
void announceFiles(PageTabs& tabs, const QStringList& files)
{
    QStringList names;
    for (const QString& file : files)
        names.append(QFileInfo(file).fileName());
    const QString folder = QFileInfo(files.value(0)).absolutePath();
    tabs.say(Band::Kind::Ok, MainWindow::tr("%1 saved.").arg(countOf(files.size(), "file")),
             MainWindow::tr("%1 in %2")
                 .arg(names.join(QStringLiteral(", ")), QDir::toNativeSeparators(folder)),
             {MainWindow::tr("Open folder"), [&tabs, folder] { openFolder(tabs, folder); }});
}

// Opens the export dialog for the runs of a page on request, and announces the files that the
// dialog and the page save.
void connectExports(MainWindow& window, Page& page, const ThemeController& theme, PageTabs& tabs)
{
    auto* saver = new RunSaver(&page);
    QObject::connect(&page, &Page::traceRequested, &window,
                     [&tabs, saver](const std::shared_ptr<RunDocument>& document) {
                         if (document->run() && !document->isPartlyRead())
                             saver->saveTrace(document->run(), document->file());
                         else
                             tabs.say(Band::Kind::Warning, MainWindow::tr("Nothing to export."),
                                      MainWindow::tr("The run has not been read yet."));
                     });
    const auto announce = [&tabs](const QStringList& files) { announceFiles(tabs, files); };
    QObject::connect(&page, &Page::filesSaved, &window, announce);
    QObject::connect(&page, &Page::exportRequested, &window,
                     [&window, &page, &theme,
                      announce](const std::vector<std::shared_ptr<const engine::Run>>& runs) {
                         auto* dialog = new ExportDialog(theme, runs, &window);
                         QObject::connect(dialog, &ExportDialog::exported, &window, announce);
                         dialog->setIteration(page.exportedIteration());
                         dialog->setNotes(page.notes());
                         dialog->setFiles(filesOf(window.library(), runs));
                         if (const auto range = page.exportedRange())
                             dialog->setRange(*range);
                         dialog->setAttribute(Qt::WA_DeleteOnClose);
                         fitToScreen(*dialog);
                         dialog->open();
                     });
}

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

// Asks whether to stop each run in progress. Returns false if a run continues.
bool mayStopAll(RunLibrary& library, QWidget* parent)
{
    const RunLibrary::Runs runs = library.runs();
    return std::ranges::all_of(runs, [&](const auto& run) {
        return mayStop(
            *run, [&] { library.stop(*run); }, parent);
    });
}

} // namespace

MainWindow::MainWindow(ThemeController& theme, Settings& settings, QWidget* parent)
    : QMainWindow(parent)
    , m_theme(theme)
    , m_settings(settings)
    , m_tabs(new PageTabs(theme))
    , m_facts(named(new QLabel, "statusFacts"))
    , m_note(named(new QLabel, "statusNote"))
    , m_session(new WindowSession(*this, settings))
    , m_menus(new WindowMenus(*this, theme, settings))
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(applicationIcon());
    setMinimumSize(960, 640);
    resize(1600, 1000);
    setAcceptDrops(true);
    setCentralWidget(m_tabs);
    statusBar()->setFixedHeight(24);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(m_facts, 1);
    statusBar()->addPermanentWidget(m_note);
    m_facts->setTextFormat(Qt::RichText);
    m_facts->setProperty(kHtmlToolTip, true);
    m_facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    statusBar()->setContentsMargins(10, 0, 8, 0);
    followStyleSheet(*menuBar());
    followStyleSheet(*statusBar());

    for (const auto signal : {&ThemeController::unitsChanged, &ThemeController::changed})
        connect(&theme, signal, this, [this] {
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
    connect(m_tabs, &PageTabs::newRequested, this, [this] { open({"setup"}); });
    m_start = new StartPage(theme, settings,
                            [this] { return withRunsUnderWay(m_ledger.runs(), m_library.runs()); });
    connect(&m_library, &RunLibrary::runChanged, m_start, &StartPage::refreshLater);
    connect(m_start, &StartPage::deviceCheckRequested, this,
            [this] { showHelp(HelpDialog::Topic::Devices); });
    connect(&m_ledger, &RunLedger::changed, m_start, [this] {
        m_start->refresh();
        for (const auto& run : m_library.runs())
            if (!run->file().isEmpty())
                run->setNumber(m_ledger.number(run->file()));
    });
    m_ledger.setClosing([this](const QString& file) {
        const auto document = m_library.find(file);
        bool isClosed = true;
        for (Page* page : m_tabs->pages())
            if (document != nullptr && page->document() == document.get())
                isClosed = m_tabs->close(page) && isClosed;
        if (document != nullptr && isClosed)
            m_library.close(*document);
        return isClosed;
    });
    m_library.setNumbering([this](const QString& file) { return m_ledger.number(file); });
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
    noteMemory();
}

// Notes how much memory many tabs take, and again when it has doubled.
void MainWindow::noteMemory()
{
    constexpr int kMany = 8;
    const auto count = std::ranges::count_if(m_tabs->pages(), &Page::isClosable);
    QFile status(QStringLiteral("/proc/self/statm")); // in pages: virtual, resident
    if (count < kMany || !status.open(QIODevice::ReadOnly))
        return;
    const double bytes = status.readLine().split(' ').value(1).toDouble()
        * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (bytes < m_noteFrom)
        return;
    m_noteFrom = 2 * bytes;
    m_tabs->say(Band::Kind::Neutral, tr("%1 tabs are open.").arg(count),
                tr("The window uses %1 of memory.")
                    .arg(byteScale(static_cast<std::int64_t>(bytes)).withUnit(bytes)),
                {tr("Close the others"), [this] { closeOthers(); }});
}

// Whether a tab shows the run; the user may keep a tab that is to be closed.
bool MainWindow::isShown(const RunDocument& run) const
{
    return std::ranges::any_of(m_tabs->pages(),
                               [&](const Page* page) { return page->document() == &run; });
}

void MainWindow::closeOthers()
{
    const Page* kept = currentPage();
    for (Page* page : m_tabs->pages())
        if (page != kept)
            m_tabs->close(page);
    const bool comparesTicked = kept->document() == nullptr;
    for (const auto& run : m_library.runs())
        if (!isShown(*run) && !run->isRunning() && !run->isQueued()
            && !(comparesTicked && m_library.isTicked(*run)))
            m_library.close(*run);
}

void MainWindow::connectPage(Page* page)
{
    for (const auto signal : {&Page::titleChanged, &Page::statusChanged})
        connect(page, signal, this, [this, page] {
            if (page == currentPage())
                updateStatus();
        });
    connect(page, &Page::actionsChanged, this, [this] { m_menus->showPage(*currentPage()); });
    connect(page, &Page::pageRequested, this, &MainWindow::open);
    connect(page, &Page::filesRequested, this, &MainWindow::askFor);
    connect(page, &Page::startRequested, this, &MainWindow::startRuns);
    connectExports(*this, *page, m_theme, *m_tabs);
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
    m_note->setText(page->statusNote());
    showFacts();
    setWindowTitle(page == m_start ? QStringLiteral("Bubblescope")
                                   : tr("%1 - Bubblescope").arg(page->title()));
}

// Leaves out the last facts that do not fit beside the note. The tool tip has all of them.
void MainWindow::showFacts()
{
    constexpr int kMargins = 40;
    const QStringList all = currentPage()->statusTexts();
    m_facts->setToolTip(all.join(QStringLiteral("<br>")));
    const int width = this->width() - m_note->sizeHint().width() - kMargins;
    const QString separator = QStringLiteral("&nbsp;&nbsp;|&nbsp;&nbsp;");
    qsizetype count = all.size();
    do {
        m_facts->setText(all.mid(0, count).join(separator)
                         + (count < all.size() ? separator + QChar(0x2026) : QString()));
    } while (m_facts->sizeHint().width() > width && --count > 0);
}

Page* MainWindow::open(const PageRequest& request)
{
    const PageKind* found = findPageKind(QString::fromLatin1(request.kind));
    CHECK(found != nullptr);
    const PageKind& kind = *found;
    PageRequest resolved = request;
    for (auto& run : resolved.runs)
        run = m_library.openAgain(run);
    const QString file = request.files.value(0);
    const bool areTraces
        = kind.about == PageKind::About::Traces && profiler::mayBeTrace(file.toStdString());
    if (kind.tabs != PageKind::Tabs::PerFile && !areTraces)
        for (const QString& run : request.files)
            resolved.runs.push_back(m_library.open(run));
    const auto isShown = [&](Page* page) {
        using Tabs = PageKind::Tabs;
        if (page->kind() != &kind || kind.tabs == Tabs::Many)
            return false;
        if (kind.tabs == Tabs::PerRuns)
            return page->shows(resolved.runs);
        if (kind.tabs == Tabs::PerRun)
            return !resolved.runs.empty() && page->document() == resolved.runs.front().get();
        return kind.tabs == Tabs::One
            || (!file.isEmpty() && page->file() == QFileInfo(file).absoluteFilePath());
    };
    if (!m_tabs->showIf(isShown)) {
        Page* page = kind.make({m_theme, m_settings, m_library, m_ledger}, resolved);
        page->setKind(kind);
        addPage(page);
    }
    currentPage()->showRequest(resolved);
    if (!request.state.isEmpty())
        currentPage()->restoreState(request.state);
    return currentPage();
}

void MainWindow::openCluster()
{
    PageRequest request{"cluster"};
    const RunDocument* run = currentPage()->document();
    if (const auto* setup = qobject_cast<SetupPage*>(currentPage()))
        request.plan = setup->plan();
    else if (run != nullptr && !run->file().isEmpty())
        request.files = {run->file()};
    open(request);
}

void MainWindow::startRuns(const QList<QStringList>& options)
{
    const RunLibrary::Runs started = m_library.startAll(options);
    if (!started.empty())
        open({started.size() == 1 ? "run" : "compare", {}, started});
}

void MainWindow::showHelp(HelpDialog::Topic topic)
{
    QStringList errors;
    for (const auto& run : m_library.runs())
        if (const Notice& notice = run->notice(); notice.level != Notice::Level::None)
            errors.append(notice.title + QLatin1Char(' ') + notice.text);
    auto* dialog = new HelpDialog(topic, m_theme, m_settings, errors, m_menus->actions(), this);
    connect(dialog, &HelpDialog::saved, this,
            [this](const QStringList& files) { announceFiles(*m_tabs, files); });
    dialog->open();
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
    if (currentPage() != nullptr)
        showFacts();
}

void MainWindow::openFiles(const QStringList& files)
{
    QStringList runs, traces;
    for (const QString& file : files) {
        if (file.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive))
            open({"editor", {QFileInfo(file).absoluteFilePath()}});
        else if (file.endsWith(QStringLiteral(".toml"), Qt::CaseInsensitive))
            open({"study", {file}});
        else
            (profiler::mayBeTrace(file.toStdString()) ? traces : runs).append(file);
    }
    if (!traces.isEmpty())
        open({"import", traces});
    if (!runs.isEmpty())
        open({runs.size() == 1 ? "run" : "compare", runs});
}

void MainWindow::askFor(FileKind kind)
{
    QFileDialog* dialog = openFileDialog(questionFor(kind), this);
    // Starts in the folder of the recorded runs, unless the dialog remembers another folder.
    if (kind == FileKind::Runs && dialog->directory() == QDir::current()
        && QDir(runsFolder()).exists())
        dialog->setDirectory(runsFolder());
    connect(dialog, &QFileDialog::filesSelected, this, [this, kind](const QStringList& files) {
        if (kind == FileKind::Runs)
            openFiles(files);
        else if (kind == FileKind::Schedule)
            open({"editor", {files.front()}});
        else
            open({"import", files});
    });
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

} // namespace app
