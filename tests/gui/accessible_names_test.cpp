#include "app/window/main_window.h"
#include "tests/app/wait_for.h"
#include "tests/gui/walk.h"
#include "tests/support/paths.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTabBar>
#include <QTemporaryDir>

namespace app {
namespace {

// "mainWindow/startPage/QScrollArea/clearRecent"
QString pathOf(const QObject* object)
{
    QStringList path;
    for (; object != nullptr; object = object->parent())
        path.prepend(object->objectName().isEmpty()
                         ? QString::fromLatin1(object->metaObject()->className())
                         : object->objectName());
    return path.join(QLatin1Char('/'));
}

// What the user can change or press. Parts that Qt makes inside of its widgets are spoken with
// them.
bool isInteractive(const QWidget& widget)
{
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    const bool isUnused = widget.isHidden() && button != nullptr && button->text().isEmpty()
        && button->icon().isNull(); // until it gets its text
    const QString type = QString::fromLatin1(widget.metaObject()->className());
    const bool isPlace = widget.isHidden() && type == QStringLiteral("QWidget"); // in the tab order
    if (isUnused || isPlace || type == QStringLiteral("QLineEditIconButton")
        || widget.objectName().startsWith(QStringLiteral("qt_"))
        || qobject_cast<const QScrollBar*>(&widget) != nullptr)
        return false;
    for (const QObject* parent = widget.parent(); parent != nullptr; parent = parent->parent())
        if (qobject_cast<const QComboBox*>(parent) != nullptr
            || qobject_cast<const QAbstractSpinBox*>(parent) != nullptr
            || qobject_cast<const QAbstractItemView*>(parent) != nullptr
            || qobject_cast<const QTabBar*>(parent) != nullptr)
            return false;
    return qobject_cast<const QAbstractButton*>(&widget) != nullptr
        || qobject_cast<const QComboBox*>(&widget) != nullptr
        || qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr
        || qobject_cast<const QAbstractItemView*>(&widget) != nullptr
        || qobject_cast<const QAbstractSlider*>(&widget) != nullptr
        || qobject_cast<const QTabBar*>(&widget) != nullptr
        || qobject_cast<const QLineEdit*>(&widget) != nullptr
        || qobject_cast<const QPlainTextEdit*>(&widget) != nullptr
        || (widget.focusPolicy() & Qt::TabFocus) == Qt::TabFocus;
}

void checkNames(const QWidget* root)
{
    for (QWidget* widget : root->findChildren<QWidget*>()) {
        if (!isInteractive(*widget) || qobject_cast<Page*>(widget) != nullptr
            || widget->focusProxy() != nullptr)
            continue;
        INFO(pathOf(widget).toStdString());
        CHECK_FALSE(nameOf(widget).trimmed().isEmpty());
    }
}

} // namespace

TEST_CASE("every interactive widget of every page has an accessible name")
{
    const QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    ThemeController theme;
    MainWindow window(theme, settings);
    window.show();
    const QString run
        = QString::fromStdString(tests::sourcePath("sample_runs/bitpipe-d4-n8.sqlite"));
    const QString other
        = QString::fromStdString(tests::sourcePath("sample_runs/1f1b-d4-n8.sqlite"));
    window.open({"setup"});
    window.openCluster();
    window.open({"settings"});
    window.open({"estimator"});
    window.open({"search"});
    window.open({"layout"});
    window.open({"study"});
    window.open({"runs"});
    window.open({.kind = "editor",
                 .schedule = std::make_shared<const engine::Schedule>(
                     *engine::buildSchedule(engine::ScheduleRequest()))});
    window.open({"run", {run}});
    window.open({"compare", {run, other}});
    for (const char* about : {"memory", "whatif", "query", "import"})
        window.open({about, {run}});
    settle();
    REQUIRE(window.tabs().pages().size() == 16);
    for (Page* page : window.tabs().pages()) {
        window.tabs().makeCurrent(page);
        settle();
        checkNames(page);
    }
    checkNames(&window); // with the frame around the pages
}

} // namespace app
