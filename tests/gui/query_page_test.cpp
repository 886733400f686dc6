#include "app/query/query_page.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/window/main_window.h"
#include "profiler/store/trace_store.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>
#include <QTreeWidget>

namespace app {
namespace {

struct Console
{
    Console()
    {
        REQUIRE(profiler::writeRun(file.toStdString(), simulatedRun({"1f1b", 4, 4})));
        page.reset(makeQuery(theme, library, library.open(file)));
        page->resize(1200, 800);
        page->show();
        page->activateWindow();
        REQUIRE(QTest::qWaitForWindowActive(page.get(), kNever));
        REQUIRE(waitFor([&] { return rows() > 0; })); // of the first recipe
    }
    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* found = page->findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }
    QAbstractItemModel* model() const { return find<DataTable>("queryRows")->model(); }
    int rows() const { return model()->rowCount(); }
    void type(const char* sql) const
    {
        auto* editor = find<QPlainTextEdit>("queryEditor");
        editor->setFocus();
        editor->selectAll();
        QTest::keyClicks(editor, QString::fromLatin1(sql));
    }
    QString band() const { return find<Band>("queryBand")->text(); }

    QTemporaryDir folder;
    QString file = folder.filePath(QStringLiteral("run.sqlite"));
    ThemeController theme;
    RunLibrary library;
    std::unique_ptr<Page> page;
};

} // namespace

TEST_CASE("Ctrl+Return runs the typed query, and its rows are copied as CSV")
{
    const Console console;
    console.type("SELECT stage, device FROM BS_placement ORDER BY stage");
    QTest::keyClick(console.find<QPlainTextEdit>("queryEditor"), Qt::Key_Return,
                    Qt::ControlModifier);
    REQUIRE(waitFor([&] { return console.rows() == 4 && console.model()->columnCount() == 2; }));
    CHECK(console.model()->index(3, 1).data().toString() == QStringLiteral("3"));
    QTest::mouseClick(console.find<QPushButton>("copyRowsButton"), Qt::LeftButton);
    CHECK(QGuiApplication::clipboard()->text()
          == QStringLiteral("stage,device\n0,0\n1,1\n2,2\n3,3\n"));
}

// The next start replaced it by the first recipe.
TEST_CASE("the session keeps the query of a console, which runs again")
{
    const Console console;
    console.type("SELECT stage, device FROM BS_placement");
    const QJsonObject state = console.page->state();
    const Console next;
    next.page->restoreState(state);
    CHECK(next.page->state() == state);
    CHECK(waitFor([&] { return next.rows() == 4 && next.model()->columnCount() == 2; }));
}

TEST_CASE("an invalid query is reported with its position, and the run is unchanged")
{
    const Console console;
    console.type("SELECT absent FROM BS_span");
    QTest::mouseClick(console.find<QPushButton>("runQueryButton"), Qt::LeftButton);
    REQUIRE(waitFor([&] { return console.find<Band>("queryBand")->isVisible(); }));
    CHECK(console.band() == QStringLiteral("No rows. No such column: absent."));
    CHECK(console.rows() == 0);
    console.type("DELETE FROM BS_span");
    console.find<QAction>("runQuery")->trigger();
    CHECK(
        waitFor([&] { return console.band().startsWith(QStringLiteral("No rows. Only SELECT")); }));
}

TEST_CASE("Esc stops an endless query")
{
    const Console console;
    console.type("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) "
                 "FROM n");
    console.find<QAction>("runQuery")->trigger();
    CHECK(console.find<QAction>("stopQuery")->isEnabled());
    QTest::keyClick(console.find<QPlainTextEdit>("queryEditor"), Qt::Key_Escape);
    REQUIRE(waitFor([&] { return !console.find<QAction>("stopQuery")->isEnabled(); }));
    CHECK(console.band() == QStringLiteral("No rows. The query was stopped."));
}

TEST_CASE("a recipe is run when it is chosen, and its text can be edited")
{
    const Console console;
    auto* recipes = console.find<QComboBox>("queryRecipes");
    recipes->setFocus();
    QTest::keyClick(recipes, Qt::Key_Down); // the longest ops
    CHECK(waitFor([&] {
        return console.model()->headerData(0, Qt::Horizontal, Qt::DisplayRole).toString()
            == QStringLiteral("iteration");
    }));
    CHECK(console.find<QPlainTextEdit>("queryEditor")
              ->toPlainText()
              .contains(QStringLiteral("ORDER BY duration_ticks DESC")));
}

TEST_CASE("tables and columns are filtered, and Enter inserts their names")
{
    const Console console;
    auto* tree = console.find<QTreeWidget>("schemaTree");
    REQUIRE(waitFor([&] { return tree->topLevelItemCount() > 10; }));
    QTest::keyClicks(console.find<QLineEdit>("schemaFilter"), QStringLiteral("gradient_norm"));
    QList<QTreeWidgetItem*> shown;
    for (int i = 0; i < tree->topLevelItemCount(); ++i)
        if (!tree->topLevelItem(i)->isHidden())
            shown.append(tree->topLevelItem(i));
    REQUIRE(shown.size() == 1);
    CHECK(shown.front()->text(0) == QStringLiteral("BS_iteration"));
    CHECK(shown.front()->isExpanded());
    console.type("SELECT");
    tree->setFocus();
    tree->setCurrentItem(shown.front()->child(5)); // "end"
    QTest::keyClick(tree, Qt::Key_Return);
    CHECK(console.find<QPlainTextEdit>("queryEditor")->toPlainText()
          == QStringLiteral("SELECT \"end\""));
}

// The tables were read only once.
TEST_CASE("a console that is opened before its file exists shows the tables afterwards")
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("run.sqlite"));
    ThemeController theme;
    RunLibrary library;
    const auto document = std::make_shared<RunDocument>(file, 1);
    document->setState(RunDocument::State::Queued);
    const std::unique_ptr<Page> page(makeQuery(theme, library, document));
    QThreadPool::globalInstance()->waitForDone();
    settle(); // the query and the tables have failed
    const auto* tree = page->findChild<QTreeWidget*>(QStringLiteral("schemaTree"));
    REQUIRE(tree->topLevelItemCount() == 0);
    REQUIRE(profiler::writeRun(file.toStdString(), simulatedRun({"1f1b", 4, 4})));
    const QSignalSpy titles(page.get(), &Page::titleChanged);
    document->setState(RunDocument::State::Finished);
    CHECK(titles.size() == 1);
    CHECK(waitFor([&] { return tree->topLevelItemCount() > 10; }));
}

TEST_CASE("Q opens the console of a run, and again shows the same tab")
{
    QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    ThemeController theme;
    MainWindow window(theme, settings);
    window.show();
    window.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&window, kNever));
    const QString file = folder.filePath(QStringLiteral("run.sqlite"));
    REQUIRE(profiler::writeRun(file.toStdString(), simulatedRun({"1f1b", 4, 4})));
    window.open({"run", {file}});
    auto* timeline = window.currentPage()->findChild<TimelineWidget*>();
    REQUIRE(waitFor([&] { return timeline->isVisible(); }));
    timeline->setFocus();
    QTest::keyClick(timeline, Qt::Key_Q);
    auto* page = window.currentPage();
    CHECK(page->objectName() == QStringLiteral("queryPage"));
    window.open({"run", {file}});
    window.currentPage()->findChild<QAction*>(QStringLiteral("querySql"))->trigger();
    CHECK(window.currentPage() == page);
}

} // namespace app
