#include "app/documents/run_document.h"
#include "app/run/run_page.h"
#include "app/setup/setup_page.h"
#include "app/ui/controls.h"
#include "app/ui/settings.h"
#include "app/window/export_dialog.h"
#include "app/window/main_window.h"
#include "tests/app/wait_for.h"
#include "tests/gui/walk.h"
#include "tests/profiler/figure/figure_runs.h"

#include <QApplication>
#include <QPointer>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>

namespace app {
namespace {

// By keyboard only: everything is reached, says what it is, and Esc leads out.
void checkKeyboard(QDialog* dialog)
{
    const QPointer<QDialog> owned = dialog; // some delete themselves when they are closed
    CAPTURE(dialog->objectName().toStdString());
    dialog->show();
    dialog->activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(dialog, kNever));
    checkWalk(dialog);
    QTest::keyClick(dialog, Qt::Key_Escape);
    CHECK_FALSE(dialog->isVisible());
    settle();
    delete owned.data();
}

} // namespace

TEST_CASE("Tab reaches everything in the export dialog, and every choice is named")
{
    ThemeController theme;
    auto* dialog = new ExportDialog(
        theme, {std::make_shared<const engine::Run>(tests::unitRun("bitpipe", 4, 4))});
    dialog->findChild<QTimer*>(QStringLiteral("figureTyping"))->setInterval(0);
    auto* times = dialog->findChild<SegmentControl*>(QStringLiteral("figureTimes"));
    CHECK(times->accessibleName() == QStringLiteral("Times: measured"));
    dialog->show();
    times->setFocus();
    QTest::keyClick(times, Qt::Key_Right);
    CHECK(times->accessibleName() == QStringLiteral("Times: schematic"));
    QTest::keyClick(times, Qt::Key_Left);
    checkKeyboard(dialog);
}

TEST_CASE("Tab reaches everything in the message and question dialogs")
{
    ThemeController theme;
    const QTemporaryDir folder;
    const Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    checkKeyboard(new HelpDialog(HelpDialog::Topic::Keys, theme, settings, {}, {}));
    auto* scheme = new SchemeDialog(theme);
    scheme->show(engine::ScheduleRequest(), nullptr);
    checkKeyboard(scheme);
    checkKeyboard(makeUnsavedDialog(QStringLiteral("mine.csv"), 2));
    RunDocument document(QStringLiteral("run.sqlite"), 1);
    document.setState(RunDocument::State::Running);
    QTimer::singleShot(0, &document, [] {
        auto* stop = QApplication::activeModalWidget();
        REQUIRE(stop != nullptr);
        CHECK(QTest::qWaitForWindowActive(stop));
        checkWalk(stop);
        QTest::keyClick(stop, Qt::Key_Escape);
    });
    CHECK_FALSE(mayStop(
        document, [] {}, nullptr));
}

} // namespace app
