#include "app/window/window_menus.h"

#include "app/guide/guide_page.h"
#include "app/ui/controls.h"
#include "app/ui/icons.h"
#include "app/ui/setting_table.h"
#include "app/ui/settings.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "app/window/main_window.h"
#include "app/window/page_kinds.h"
#include "app/window/page_tabs.h"
#include "app/window/window_session.h"
#include "engine/experiment/experiment.h"
#include "engine/schedules/scheme.h"

#include <QAction>
#include <QActionGroup>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QPainter>
#include <QPushButton>
#include <QShortcut>

#include <algorithm>
#include <span>

namespace app {

namespace {

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

WindowMenus::WindowMenus(MainWindow& window, ThemeController& theme, Settings& settings)
    : QObject(&window)
    , m_window(window)
    , m_theme(theme)
    , m_settings(settings)
    , m_commandField(
          makeButton(tr("Search or run a command"), QStringLiteral("commandField"), "tool"))
    , m_palette(new CommandPalette(theme, &window))
{
    makeBar();
}

void WindowMenus::place(int width)
{
    m_commandField->move(width - m_commandField->width() - 8, 3);
}

QAction* WindowMenus::add(QMenu* menu, const QString& text, const QString& name,
                          const QKeySequence& keys, const std::function<void()>& trigger)
{
    QAction* action = menu->addAction(text);
    action->setObjectName(name);
    action->setShortcut(keys);
    connect(action, &QAction::triggered, this, trigger);
    m_fixedActions.append(action);
    return action;
}

void WindowMenus::addPages(Menu which)
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

void WindowMenus::makeBar()
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

void WindowMenus::makeFileMenu()
{
    QMenu* file = menu(Menu::File);
    addPages(Menu::File);
    file->addSeparator();
    const auto ask = [&](const QString& text, const char* name, const QString& keys,
                         FileKind kind) {
        add(file, text, QString::fromLatin1(name), keys, [this, kind] { m_window.askFor(kind); });
    };
    ask(tr("&Open runs…"), "open", tr("Ctrl+O"), FileKind::Runs);
    ask(tr("&Import traces…"), "importTraces", tr("Ctrl+Shift+I"), FileKind::Traces);
    ask(tr("Import a &folder of traces…"), "importFolder", {}, FileKind::TraceFolder);
    ask(tr("&Edit a schedule file…"), "editSchedule", tr("Ctrl+Alt+O"), FileKind::Schedule);
    m_reopen = add(file, tr("&Reopen the tabs of the last session"), QStringLiteral("reopenTabs"),
                   tr("Ctrl+Shift+R"), [this] { m_window.session().reopen(); });
    file->addSeparator();
    m_close = add(file, tr("&Close tab"), QStringLiteral("closeCurrent"), tr("Ctrl+W"),
                  [this] { m_window.tabs().close(m_window.currentPage()); });
    add(file, tr("&Quit"), QStringLiteral("quit"), tr("Ctrl+Q"), [this] { m_window.close(); });
}

void WindowMenus::makeViewMenu()
{
    QMenu* view = menu(Menu::View);
    add(view, tr("&Next tab"), QStringLiteral("nextTab"), tr("Ctrl+PgDown"),
        [this] { m_window.tabs().step(1); });
    add(view, tr("&Previous tab"), QStringLiteral("previousTab"), tr("Ctrl+PgUp"),
        [this] { m_window.tabs().step(-1); });
    view->addSeparator();
    makeThemeMenu(view);
    m_fullScreen = add(view, tr("&Full screen"), QStringLiteral("fullScreen"), tr("F11"), [this] {
        m_window.setWindowState(m_window.windowState() ^ Qt::WindowFullScreen);
    });
    m_fullScreen->setCheckable(true);
    m_window.installEventFilter(this);
}

// Updates the check mark of "Full screen", because the window manager also changes the state.
bool WindowMenus::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::WindowStateChange)
        m_fullScreen->setChecked(m_window.isFullScreen());
    return QObject::eventFilter(watched, event);
}

void WindowMenus::makeThemeMenu(QMenu* view)
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

void WindowMenus::makeHelpMenu()
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
        m_window.open({.kind = "guide",
                       .text = GuidePage::chapterAbout(
                           QString::fromLatin1(kind == nullptr ? "" : kind->name))});
    });
    addTopic(tr("&Keys"), "keys", Topic::Keys)->setShortcut(QKeySequence(QStringLiteral("?")));
    addTopic(tr("&Device check"), "devices", Topic::Devices);
    addTopic(tr("Save d&iagnostics…"), "diagnostics", Topic::Messages);
    addTopic(tr("&About Bubblescope"), "about", Topic::About);
}

// The actions of a page come before those of the window and are removed with the page. Empty menus
// are disabled.
void WindowMenus::showPage(const Page& page)
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

// Returns commands that open a run of the ledger, or the set-up page with a scheme.
QList<CommandPalette::Command> WindowMenus::foundCommands()
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
            m_window.open(
                {.kind = "setup",
                 .plan = planFromExperiment(QString::fromStdString(engine::toToml(experiment)))});
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

void WindowMenus::showCommands()
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

} // namespace app
