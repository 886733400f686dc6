#include "app/cluster/cluster_page.h"
#include "app/window/main_window.h"
#include "profiler/store/trace_store.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"
#include "tests/gui/window.h"

#include <QListView>
#include <QPushButton>
#include <QTabBar>
#include <QTest>

#include <memory>

namespace app {

// The start page was shown, and the first prediction was compared with itself.
TEST_CASE("predictions are shown and compared from the list of runs")
{
    Window w;
    RunLibrary& library = w.window.library();
    const auto first = library.add(simulatedRun({"1f1b", 2, 2}));
    const auto second = library.add(simulatedRun({"gpipe", 2, 2}));
    w.window.open({"compare", {}, {first, second}});
    const auto show = [&](int row) {
        settle();
        auto* list = w.window.currentPage()->findChild<QListView*>(QStringLiteral("runsList"));
        REQUIRE(list != nullptr);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualRect(list->model()->index(row, 0)).center());
        const auto* page = w.window.currentPage();
        return page->document();
    };
    CHECK(show(1) == second.get());
    CHECK(show(0) == first.get());
    CHECK(show(1) == second.get());
    CHECK(w.tabs() == 4);
    w.window.currentPage()->findChild<QPushButton*>(QStringLiteral("compareRuns"))->click();
    CHECK(library.ticked().size() == 2);
    CHECK(w.tabs() == 4);
}

// The tab with the run of the old file was shown.
TEST_CASE("a file that replaced the one of a tab is shown in a tab of its own")
{
    Window w;
    const QString file = w.folder.filePath(QStringLiteral("run.sqlite"));
    const auto schemeShown = [&](const char* written) {
        REQUIRE(profiler::writeRun(file.toStdString(), simulatedRun({written, 2, 2}),
                                   engine::IfExists::Replace));
        w.window.open({"run", {file}});
        const auto* page = w.window.currentPage();
        const RunDocument& document = *page->document();
        REQUIRE(waitFor([&] { return document.state() == RunDocument::State::Finished; }));
        return document.run()->info.scheme;
    };
    CHECK(schemeShown("1f1b") == "1f1b");
    CHECK(schemeShown("gpipe") == "gpipe");
    CHECK(w.tabs() == 3);
}

// A tab of its run was opened first, so that the tabs had another order.
TEST_CASE("a session opens the page of a run on a cluster without a tab of the run")
{
    Window w;
    const QString file = w.folder.filePath(QStringLiteral("run.sqlite"));
    REQUIRE(profiler::writeRun(file.toStdString(), simulatedRun({"1f1b", 2, 2})));
    QStringList missing;
    const Page* page = openTab(w.window, {QStringLiteral("cluster"), {file}, {}}, missing);
    CHECK(dynamic_cast<const ClusterPage*>(page) != nullptr);
    CHECK(page == w.window.currentPage());
    CHECK(w.tabs() == 2); // with the start page
}

// The tab showed RD.sqlite.
TEST_CASE("a tab shows the & in the name of a file")
{
    struct NamedPage : Page
    {
        QString title() const override { return name; }
        QString name = QStringLiteral("R&D.sqlite");
    };
    const ThemeController theme;
    const std::unique_ptr<PageTabs> made{PageTabs::make(theme)};
    PageTabs& tabs = *made;
    auto* page = new NamedPage;
    tabs.add(page);
    const auto* bar = tabs.findChild<QTabBar*>();
    CHECK(bar->tabText(0) == QStringLiteral("R&&D.sqlite"));
    page->name = QStringLiteral("A&B.sqlite");
    Q_EMIT page->titleChanged();
    CHECK(bar->tabText(0) == QStringLiteral("A&&B.sqlite"));
}

} // namespace app
