#include "app/pages/main_window.h"
#include "app/widgets/controls/command_field.h"
#include "app/widgets/controls/icons.h"
#include "app/widgets/window/command_palette.h"

#include <QAction>
#include <QActionGroup>
#include <QMenuBar>
#include <QPainter>

#include <algorithm>

namespace app {
namespace {

class Logo : public QWidget
{
public:
    Logo(const ThemeController& theme, QWidget* parent)
        : QWidget(parent)
        , m_theme(theme)
    {
        setFixedSize(32, 30);
        connect(&theme, &ThemeController::changed, this, qOverload<>(&QWidget::update));
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        paintLogo(painter, QRectF(11, 7, 16, 16), m_theme.theme().isDark());
    }

private:
    const ThemeController& m_theme;
};

} // namespace

QAction* MainWindow::addMenuAction(QMenu* menu, const QString& text, const QString& name,
                                   const QKeySequence& keys)
{
    QAction* action = menu->addAction(text);
    action->setObjectName(name);
    action->setShortcut(keys);
    m_fixedActions.append(action);
    return action;
}

void MainWindow::makeMenus()
{
    QMenuBar* bar = menuBar();
    bar->setObjectName(QStringLiteral("menuBar"));
    bar->setNativeMenuBar(false);
    bar->setFixedHeight(30);
    new Logo(m_theme, bar); // in the padding that the style sheet leaves at the left
    m_commandField->setParent(
        bar); // a corner widget would keep the logo's padding at the right too
    const QStringList titles
        = {tr("File"), tr("Run"), tr("View"), tr("Compare"), tr("Analyze"), tr("Export")};
    for (std::size_t i = 0; i < m_menus.size(); ++i)
        m_menus[i] = bar->addMenu(titles.at(static_cast<qsizetype>(i)));
    m_help = bar->addMenu(tr("Help"));
    makeFileMenu();
    makeViewMenu();
    makeHelpMenu();
    menu(Menu::Run)->addAction(findChild<QAction*>(QStringLiteral("newRun")));
    connect(addMenuAction(menu(Menu::Compare), tr("Compare &files…"),
                          QStringLiteral("compareFiles"), tr("Ctrl+Shift+O")),
            &QAction::triggered, this, &MainWindow::askForFiles);
    connect(m_commandField, &CommandField::clicked, this, &MainWindow::showCommands);
}

void MainWindow::makeFileMenu()
{
    QMenu* file = menu(Menu::File);
    connect(addMenuAction(file, tr("&New run"), QStringLiteral("newRun"), tr("Ctrl+N")),
            &QAction::triggered, this, [this] { newRun(); });
    connect(addMenuAction(file, tr("&Open runs…"), QStringLiteral("open"), tr("Ctrl+O")),
            &QAction::triggered, this, &MainWindow::askForFiles);
    connect(addMenuAction(file, tr("&Edit a schedule file…"), QStringLiteral("editSchedule"),
                          tr("Ctrl+Shift+E")),
            &QAction::triggered, this, &MainWindow::askForSchedule);
    file->addSeparator();
    connect(addMenuAction(file, tr("&Close tab"), QStringLiteral("closeCurrent"), tr("Ctrl+W")),
            &QAction::triggered, this, [this] { closePage(currentPage()); });
    connect(addMenuAction(file, tr("&Quit"), QStringLiteral("quit"), tr("Ctrl+Q")),
            &QAction::triggered, this, &QWidget::close);
}

void MainWindow::makeViewMenu()
{
    QMenu* view = menu(Menu::View);
    connect(addMenuAction(view, tr("&Next tab"), QStringLiteral("nextTab"), tr("Ctrl+PgDown")),
            &QAction::triggered, this, [this] { stepTab(1); });
    connect(
        addMenuAction(view, tr("&Previous tab"), QStringLiteral("previousTab"), tr("Ctrl+PgUp")),
        &QAction::triggered, this, [this] { stepTab(-1); });
    view->addSeparator();
    makeThemeMenu(view);
    QAction* full
        = addMenuAction(view, tr("&Full screen"), QStringLiteral("fullScreen"), tr("F11"));
    full->setCheckable(true);
    connect(full, &QAction::toggled, this,
            [this](bool on) { on ? showFullScreen() : showNormal(); });
}

void MainWindow::makeThemeMenu(QMenu* view)
{
    QMenu* themes = view->addMenu(tr("&Theme"));
    auto* group = new QActionGroup(this);
    const QStringList titles = {tr("As the &system"), tr("&Light"), tr("&Dark")};
    const QStringList names = {QStringLiteral("themeSystem"), QStringLiteral("themeLight"),
                               QStringLiteral("themeDark")};
    for (int i = 0; i < titles.size(); ++i) {
        const auto choice = static_cast<ThemeController::Choice>(i);
        QAction* action = addMenuAction(themes, titles.at(i), names.at(i), {});
        action->setCheckable(true);
        action->setChecked(choice == m_theme.choice());
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, choice] {
            m_settings.setTheme(choice);
            m_theme.setChoice(choice);
        });
    }
}

void MainWindow::makeHelpMenu()
{
    connect(addMenuAction(m_help, tr("&Search or run a command"), QStringLiteral("commands"),
                          tr("Ctrl+K")),
            &QAction::triggered, this, &MainWindow::showCommands);
    QAction* keys = addMenuAction(m_help, tr("&Keys"), QStringLiteral("keys"), {});
    keys->setShortcuts({QKeySequence(Qt::Key_F1), QKeySequence(QStringLiteral("?"))});
    connect(keys, &QAction::triggered, this, &MainWindow::showKeys);
    connect(addMenuAction(m_help, tr("&Device check"), QStringLiteral("devices"), {}),
            &QAction::triggered, this, &MainWindow::showDevices);
    connect(addMenuAction(m_help, tr("&About Bubblescope"), QStringLiteral("about"), {}),
            &QAction::triggered, this, &MainWindow::showAbout);
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    m_commandField->move(width() - m_commandField->width(), 0);
}

// A page's actions stand before the window's own, and go with the page. A menu that would be empty
// is off: there is nothing in it that works.
void MainWindow::updateMenus()
{
    for (QMenu* menu : m_menus) {
        for (QAction* action : m_pageActions)
            menu->removeAction(action);
    }
    m_pageActions.clear();
    for (std::size_t i = 0; i < m_menus.size(); ++i) {
        const QList<QAction*> own = currentPage()->menuActions(static_cast<Menu>(i));
        QAction* before = m_menus[i]->actions().value(0);
        m_menus[i]->insertActions(before, own);
        m_pageActions += own;
        if (before != nullptr && !own.isEmpty()) {
            QAction* separator = m_menus[i]->insertSeparator(before);
            m_pageActions.append(separator);
        }
        m_menus[i]->setEnabled(!m_menus[i]->actions().isEmpty());
    }
    findChild<QAction*>(QStringLiteral("closeCurrent"))->setEnabled(currentPage()->isClosable());
}

void MainWindow::showCommands()
{
    QList<CommandPalette::Command> commands;
    const auto add = [&](const QMenu& menu, const QList<QAction*>& actions) {
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
        add(*menu, menu->actions());
        for (const QAction* action : menu->actions()) {
            if (action->menu() != nullptr)
                add(*action->menu(), action->menu()->actions());
        }
    }
    add(*m_help, m_help->actions());
    const QPoint corner = m_commandField->mapToGlobal(QPoint(m_commandField->width() - 4, 2));
    m_palette->open(commands, corner);
}

} // namespace app
