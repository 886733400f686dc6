#include "app/window/main_window.h"

#include "app/guide/guide_page.h"
#include "app/ledger/ledger_page.h"
#include "app/run/run_page.h"
#include "app/setup/setup_page.h"
#include "app/shell/command_palette.h"
#include "app/shell/run_saver.h"
#include "app/start/start_page.h"
#include "app/ui/control_style.h"
#include "app/ui/controls.h"
#include "app/ui/form.h"
#include "app/ui/text.h"
#include "app/window/export_dialog.h"
#include "app/window/page_kinds.h"
#include "app/window/page_tabs.h"
#include "app/window/window_session.h"
#include "engine/base/check.h"
#include "engine/experiment/experiment.h"
#include "engine/schedules/scheme.h"
#include "profiler/store/trace_store.h"

#include <QAction>
#include <QActionGroup>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QDir>
#include <QDragEnterEvent>
#include <QEvent>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QObject>
#include <QPainter>
#include <QPushButton>
#include <QShortcut>
#include <QStatusBar>
#include <QUrl>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <span>
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

class Logo : public ThemedWidget
{
public:
    Logo(const ThemeController& theme, QWidget* parent)
        : ThemedWidget(theme, parent)
    {
        setFixedSize(32, 30);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        paintLogo(painter, QRectF(11, 7, 16, 16), theme().isDark());
    }
};

} // namespace

// The menu bar: the actions of the window and of the current page, the command field at the right,
// and the palette that searches all actions, runs and schemes.
class WindowMenus : public QObject
{
public:
    WindowMenus(MainWindow& window, ThemeController& theme, Settings& settings)
        : QObject(&window)
        , m_window(window)
        , m_theme(theme)
        , m_settings(settings)
        , m_palette(new CommandPalette(theme, &window))
    {
        makeBar();
    }

    // The actions of a page come before those of the window and are removed with the page. Empty
    // menus are disabled.
    void showPage(const Page& page)
    {
        for (QMenu* menu : m_menus) {
            for (QAction* action : m_pageActions)
                menu->removeAction(action);
        }
        m_pageActions.clear();
        for (std::size_t i = 0; i < m_menus.size(); ++i) {
            const QList<QAction*> own = page.menuActions(static_cast<Menu>(i));
            QAction* before = m_menus[i]->actions().value(0);
            m_menus[i]->insertActions(before, own);
            m_pageActions += own;
            if (before != nullptr && !own.isEmpty()) {
                QAction* separator = m_menus[i]->insertSeparator(before);
                m_pageActions.append(separator);
            }
            m_menus[i]->setEnabled(!m_menus[i]->actions().isEmpty());
        }
        m_close->setEnabled(page.isClosable());
        m_reopen->setEnabled(m_window.session().canReopen());
    }

    // Places the command field in a window of this width.
    void place(int width) { m_commandField->move(width - m_commandField->width() - 8, 3); }

    void showCommands()
    {
        QList<CommandPalette::Command> commands;
        const auto list = [&](const QMenu& menu, const QList<QAction*>& actions) {
            for (QAction* action : actions) {
                const auto isSame = [action](const CommandPalette::Command& command) {
                    return command.action == action;
                };
                const bool isKnown = std::any_of(commands.begin(), commands.end(), isSame)
                    || action->objectName() == QStringLiteral("commands");
                if (!action->isSeparator() && action->menu() == nullptr && !isKnown)
                    commands.append({action, QString(menu.title()).remove(QLatin1Char('&'))});
            }
        };
        for (const QMenu* menu : m_menus) {
            list(*menu, menu->actions());
            for (const QAction* action : menu->actions()) {
                if (action->menu() != nullptr)
                    list(*action->menu(), action->menu()->actions());
            }
        }
        list(*m_help, m_help->actions());
        commands += foundCommands();
        const QPoint corner = m_commandField->mapToGlobal(QPoint(m_commandField->width(), 0));
        m_palette->open(commands, corner, [this](const QString& text) {
            QList<CommandPalette::Command> found;
            for (QAction* action : m_window.currentPage()->foundActions(text))
                found.append({action, tr("in this run")});
            return found;
        });
    }

    QList<QAction*> actions() const { return m_fixedActions + m_pageActions; }

protected:
    // Sets the check mark of "Full screen" to the state of the window.
    // Updates the check mark of "Full screen", because the window manager also changes the state.
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::WindowStateChange)
            m_fullScreen->setChecked(m_window.isFullScreen());
        return QObject::eventFilter(watched, event);
    }

private:
    void makeBar()
    {
        QMenuBar* bar = m_window.menuBar();
        bar->setObjectName(QStringLiteral("menuBar"));
        bar->setNativeMenuBar(false);
        bar->setFixedHeight(30);
        new Logo(m_theme, bar); // in the padding at the left that the style sheet reserves
        // As a corner widget, it would get the padding for the logo at its right.
        m_commandField->setParent(bar);
        m_commandField->setFixedWidth(296);
        m_commandField->setFocusPolicy(Qt::TabFocus);
        followTheme(m_commandField, Icon::Search, m_theme);
        spaced(new QHBoxLayout(m_commandField), {0, 0, 8, 0}, 0,
               {kStretch, makeLabel(QStringLiteral("Ctrl+K"), "small")});
        const QStringList titles
            = {tr("&File"), tr("&Run"), tr("&View"), tr("&Compare"), tr("&Analyze"), tr("&Export")};
        for (std::size_t i = 0; i < m_menus.size(); ++i)
            m_menus[i] = bar->addMenu(titles.at(static_cast<qsizetype>(i)));
        m_help = bar->addMenu(tr("&Help"));
        makeFileMenu();
        makeViewMenu();
        makeHelpMenu();
        menu(Menu::Run)->addAction(m_window.findChild<QAction*>(QStringLiteral("newRun")));
        addPages(Menu::Run);
        add(menu(Menu::Compare), tr("Compare &files…"), QStringLiteral("compareFiles"),
            tr("Ctrl+Shift+O"), [this] { m_window.askFor(FileKind::Runs); });
        connect(m_commandField, &QPushButton::clicked, this, &WindowMenus::showCommands);
        // Qt opens the bar by Alt alone, but not by F10, as other desktop programs on Linux do.
        connect(new QShortcut(Qt::Key_F10, &m_window), &QShortcut::activated, bar,
                [bar] { bar->setActiveAction(bar->actions().constFirst()); });
    }

    // The entries of pageKinds().
    void addPages(Menu which)
    {
        for (const PageKind& kind : pageKinds()) {
            const auto& [of, name, text, key] = kind.entry;
            if (text == nullptr || of != which)
                continue;
            add(menu(which), QString::fromUtf8(text), QString::fromLatin1(name),
                QKeySequence(QLatin1String(key)), [this, &kind] {
                    if (kind.name == std::string_view("cluster"))
                        m_window.openCluster();
                    else
                        m_window.open({kind.name});
                });
        }
    }

    void makeFileMenu()
    {
        QMenu* file = menu(Menu::File);
        addPages(Menu::File);
        file->addSeparator();
        const auto ask
            = [&](const QString& text, const char* name, const QString& keys, FileKind kind) {
                  add(file, text, QString::fromLatin1(name), keys,
                      [this, kind] { m_window.askFor(kind); });
              };
        ask(tr("&Open runs…"), "open", tr("Ctrl+O"), FileKind::Runs);
        ask(tr("&Import traces…"), "importTraces", tr("Ctrl+Shift+I"), FileKind::Traces);
        ask(tr("Import a &folder of traces…"), "importFolder", {}, FileKind::TraceFolder);
        ask(tr("&Edit a schedule file…"), "editSchedule", tr("Ctrl+Alt+O"), FileKind::Schedule);
        m_reopen
            = add(file, tr("&Reopen the tabs of the last session"), QStringLiteral("reopenTabs"),
                  tr("Ctrl+Shift+R"), [this] { m_window.session().reopen(); });
        file->addSeparator();
        m_close = add(file, tr("&Close tab"), QStringLiteral("closeCurrent"), tr("Ctrl+W"),
                      [this] { m_window.tabs().close(m_window.currentPage()); });
        add(file, tr("&Quit"), QStringLiteral("quit"), tr("Ctrl+Q"), [this] { m_window.close(); });
    }

    void makeViewMenu()
    {
        QMenu* view = menu(Menu::View);
        add(view, tr("&Next tab"), QStringLiteral("nextTab"), tr("Ctrl+PgDown"),
            [this] { m_window.tabs().step(1); });
        add(view, tr("&Previous tab"), QStringLiteral("previousTab"), tr("Ctrl+PgUp"),
            [this] { m_window.tabs().step(-1); });
        view->addSeparator();
        makeThemeMenu(view);
        m_fullScreen
            = add(view, tr("&Full screen"), QStringLiteral("fullScreen"), tr("F11"), [this] {
                  m_window.setWindowState(m_window.windowState() ^ Qt::WindowFullScreen);
              });
        m_fullScreen->setCheckable(true);
        m_window.installEventFilter(this);
    }

    void makeThemeMenu(QMenu* view)
    {
        QMenu* themes = view->addMenu(tr("&Theme"));
        auto* group = new QActionGroup(this);
        // Updates the check mark, because the settings page and a reset also change the theme.
        connect(themes, &QMenu::aboutToShow, group, [this, group] {
            group->actions().at(static_cast<int>(m_theme.choice()))->setChecked(true);
        });
        const QStringList titles = {tr("Same as the &system"), tr("&Light"), tr("&Dark")};
        const QStringList names = {QStringLiteral("themeSystem"), QStringLiteral("themeLight"),
                                   QStringLiteral("themeDark")};
        for (int i = 0; i < titles.size(); ++i) {
            const auto choice = static_cast<ThemeController::Choice>(i);
            QAction* action = add(themes, titles.at(i), names.at(i), {}, [this, choice] {
                m_settings.setTheme(choice);
                m_theme.setChoice(choice);
            });
            action->setCheckable(true);
            action->setChecked(choice == m_theme.choice());
            group->addAction(action);
        }
    }

    void makeHelpMenu()
    {
        add(m_help, tr("&Search or run a command"), QStringLiteral("commands"), tr("Ctrl+K"),
            [this] { showCommands(); });
        using Topic = HelpDialog::Topic;
        const auto addTopic = [this](const QString& text, const char* name, Topic topic) {
            return add(m_help, text, QString::fromLatin1(name), {},
                       [this, topic] { m_window.showHelp(topic); });
        };
        add(m_help, tr("&Guide"), QStringLiteral("guide"), tr("F1"), [this] {
            const PageKind* kind = m_window.currentPage()->kind();
            m_window.open(
                {.kind = "guide",
                 .text = chapterAbout(QString::fromLatin1(kind == nullptr ? "" : kind->name))});
        });
        addTopic(tr("&Keys"), "keys", Topic::Keys)->setShortcut(QKeySequence(QStringLiteral("?")));
        addTopic(tr("&Device check"), "devices", Topic::Devices);
        addTopic(tr("Save d&iagnostics…"), "diagnostics", Topic::Messages);
        addTopic(tr("&About Bubblescope"), "about", Topic::About);
    }

    // Returns commands that open a run of the ledger, or the set-up page with a scheme.
    QList<CommandPalette::Command> foundCommands()
    {
        constexpr std::size_t kMostRuns = 200;
        m_found = std::make_unique<QObject>();
        QList<CommandPalette::Command> commands;
        const auto found = [&](const QString& text, const QString& place, auto run) {
            auto* action = new QAction(menuText(text), m_found.get());
            connect(action, &QAction::triggered, &m_window, run);
            commands.append({action, place});
        };
        for (const engine::Scheme& scheme : engine::schemes())
            found(fromUtf8(scheme.title), tr("scheme"), [this, &scheme] {
                engine::Experiment experiment;
                experiment.schedule.scheme = scheme.name;
                m_window.open({.kind = "setup",
                               .plan = planFromExperiment(
                                   QString::fromStdString(engine::toToml(experiment)))});
            });
        for (const Setting& setting : settingTable())
            found(setting.title, tr("setting"), [this, &setting] {
                m_window.open({.kind = "settings", .text = QLatin1String(setting.key)});
            });
        const std::vector<LedgerRun>& runs = m_window.ledger().runs();
        for (const LedgerRun& run : std::span(runs).first(std::min(runs.size(), kMostRuns)))
            if (!run.isTrashed())
                found(run.title() + QLatin1Char(' ') + run.tags.join(QLatin1Char(' ')),
                      tr("run, %1").arg(
                          whenText(run.started.toLocalTime(), QDateTime::currentDateTime())),
                      [this, file = run.file] {
                          m_window.open({"run", {file}});
                      });
        return commands;
    }

    QAction* add(QMenu* menu, const QString& text, const QString& name, const QKeySequence& keys,
                 const std::function<void()>& trigger)
    {
        QAction* action = menu->addAction(text);
        action->setObjectName(name);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, trigger);
        m_fixedActions.append(action);
        return action;
    }

    QMenu* menu(Menu which) const { return m_menus[static_cast<std::size_t>(which)]; }

    MainWindow& m_window;
    ThemeController& m_theme;
    Settings& m_settings;
    QPushButton* m_commandField
        = makeButton(tr("Search or run a command"), QStringLiteral("commandField"),
                     "tool"); // at the right end of the bar; a click or Ctrl+K opens the palette
    CommandPalette* m_palette;
    std::array<QMenu*, 6> m_menus{}; // indexed by Menu
    QMenu* m_help = nullptr;
    QAction *m_close = nullptr, *m_reopen = nullptr, *m_fullScreen = nullptr;
    std::unique_ptr<QObject> m_found; // owns the actions of foundCommands()
    QList<QAction*> m_fixedActions;   // actions of the window
    QList<QAction*> m_pageActions;    // actions of the current page
};

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
