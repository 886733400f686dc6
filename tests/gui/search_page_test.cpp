#include "app/figures/scene_view.h"
#include "app/plan/run_plan.h"
#include "app/plan/schedule_preview.h"
#include "app/search/search_page.h"
#include "app/setup/setup_page.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedules/scheme.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"
#include "tests/gui/page_requests.h"

#include <QAction>
#include <QClipboard>
#include <QDoubleSpinBox>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QThreadPool>

#include <set>

namespace app {
namespace {

struct SearchTab
{
    explicit SearchTab(double seconds, int devices = 4)
    {
        RunPlan plan;
        plan.experiment.schedule.devices = devices;
        plan.experiment.schedule.microBatches = 2 * devices;
        plan.costs.inputGradient = {11, 10};
        plan.costs.weightGradient = {7, 10};
        plan.costs.backward = {18, 10};
        plan.costs.p2p = {1, 10};
        page->showRequest({.kind = "search", .plan = plan});
        find<QDoubleSpinBox>("searchSeconds")->setValue(seconds);
        page->resize(1600, 910);
        page->show();
    }
    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* found = page->findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }
    void click(const char* button) const
    {
        QTest::mouseClick(find<QPushButton>(button), Qt::LeftButton);
    }
    bool isRunning() const { return find<QAction>("stopSearch")->isEnabled(); }
    bool hasResult() const { return find<QAction>("editFound")->isEnabled(); }
    const Band& sentence() const { return *find<Band>("searchSentence"); }

    ThemeController theme;
    std::unique_ptr<Page> page{makeSearch(theme)};
};

} // namespace

TEST_CASE("a search finds a schedule, and says how much shorter it is")
{
    const SearchTab tab(0.3);
    CHECK(tab.sentence().text().startsWith(QStringLiteral("No search yet.")));
    CHECK_FALSE(tab.hasResult());
    tab.find<QLineEdit>("searchMemory")->setText(QStringLiteral("3"));
    tab.click("searchButton");
    CHECK(tab.isRunning());
    REQUIRE(waitFor([&] { return tab.hasResult(); }));
    CHECK_FALSE(tab.isRunning());
    CAPTURE(tab.sentence().text().toStdString());
    CHECK(tab.sentence().kind() == Band::Kind::Ok);
    CHECK(tab.sentence().text().contains(QStringLiteral(" % shorter than ")));
    CHECK(tab.sentence().text().contains(
        QStringLiteral(", the best published scheme that fits 3 Mₐ; at most ")));
    CHECK(tab.find<DataTable>("searchTable")->model()->rowCount() > 10);
    CHECK_FALSE(tab.find<QLabel>("searchDifferences")->text().isEmpty());
    CHECK(tab.find<SchedulePreview>("searchPreview")->hasPicture());
    CHECK(tab.find<SceneView>("searchChart")->scene() != nullptr);

    const PageRequests requests(*tab.page);
    tab.click("editFoundButton");
    REQUIRE(requests.size() == 1);
    CHECK(std::string_view(requests[0].kind) == "editor");
    CHECK(engine::validate(*requests[0].schedule).empty());
    tab.click("copySearchButton");
    const QString command = QGuiApplication::clipboard()->text();
    CHECK(command.startsWith(
        QStringLiteral("bscope search -D 4 -N 8 --backward 1.8 --input-gradient 1.1 "
                       "--weight-gradient 0.7 --p2p 0.1 --memory 3 --orders ")));
    CHECK(command.endsWith(QStringLiteral(" -o found.csv")));
    CHECK(tab.find<SceneView>("searchMemoryChart")->scene() != nullptr);
    CHECK(tab.find<SchedulePreview>("searchBestPublished")->isVisible());
    auto* differences = tab.find<QLabel>("searchDifferences");
    CHECK(differences->text().contains(QStringLiteral(" ops on 4 devices")));
    const auto numbers = [&] {
        std::set<int> found;
        for (const auto& mark : tab.find<SchedulePreview>("searchPreview")->marks().parts)
            found.insert(mark.number);
        return found;
    };
    const std::set<int> all = numbers(); // of the ops that start earlier and later
    REQUIRE(all.size() == 2);
    Q_EMIT differences->linkHovered(QString::number(*all.begin()));
    CHECK(numbers() == std::set{*all.begin()});
    Q_EMIT differences->linkHovered({});
    CHECK(numbers() == all);
    Q_EMIT differences->linkActivated(QString::number(*all.rbegin()));
    Q_EMIT differences->linkHovered({});
    CHECK(numbers() == std::set{*all.rbegin()});

    // A schedule that was found within a lower limit is shown, and its command repeats it.
    auto* table = tab.find<DataTable>("searchTable");
    const QAbstractItemModel* rows = table->model();
    QModelIndex leanest;
    for (int row = 0; row < rows->rowCount(); ++row)
        if (rows->index(row, 0).data().toString().startsWith(QStringLiteral("Found, ")))
            leanest = rows->index(row, 0); // sorted by length
    REQUIRE(leanest.isValid());
    CHECK(leanest.data().toString() == QStringLiteral("Found, 1.0 Mₐ"));
    const QString before = tab.sentence().text();
    table->setCurrentIndex(leanest);
    Q_EMIT table->clicked(leanest);
    CHECK(tab.sentence().text() != before);
    CHECK(tab.sentence().text().contains(QStringLiteral(" fits 1.5 Mₐ")));
    tab.click("copySearchButton");
    CHECK(QGuiApplication::clipboard()->text().contains(QStringLiteral(" --memory 1.5 --orders ")));

    tab.click("searchLongerButton");
    CHECK(tab.isRunning());
    REQUIRE(waitFor([&] { return tab.hasResult(); }));
    CHECK(tab.sentence().kind() == Band::Kind::Ok);
}

TEST_CASE("Stop ends a search and keeps the best schedule, which is drawn while it searches")
{
    const SearchTab tab(600);
    tab.click("searchButton");
    REQUIRE(waitFor([&] { return tab.sentence().text().contains(QStringLiteral("optimum")); }));
    CHECK(waitFor([&] { return tab.find<SchedulePreview>("searchPreview")->hasPicture(); }));
    CHECK(tab.find<QAction>("keepFound")->isEnabled());
    CHECK(tab.isRunning());
    CHECK_FALSE(tab.find<QLabel>("searchTimeLeft")->text().isEmpty());
    QTest::keyClick(tab.page.get(), Qt::Key_Escape);
    REQUIRE(waitFor([&] { return !tab.isRunning(); }));
    CHECK(tab.hasResult());
    CHECK(tab.sentence().text().contains(QStringLiteral("optimum")));
    CHECK(tab.find<QAction>("startSearch")->isEnabled());
}

TEST_CASE("a closed page ends its search")
{
    SearchTab tab(600, 8);
    tab.click("searchButton");
    REQUIRE(waitFor([&] { return tab.sentence().text().contains(QStringLiteral("optimum")); }));
    tab.page.reset();
    CHECK(QThreadPool::globalInstance()->waitForDone(kNever));
}

TEST_CASE("a memory limit that is none is refused at its field, and one that nothing fits says so")
{
    const SearchTab tab(0.1);
    auto* memory = tab.find<QLineEdit>("searchMemory");
    memory->setText(QStringLiteral("5 apples"));
    CHECK(memory->property("invalid").toBool());
    CHECK(tab.find<QLabel>("searchProblem")->text().startsWith(QStringLiteral("Limit per device")));
    CHECK_FALSE(tab.find<QAction>("startSearch")->isEnabled());
    memory->setText(QStringLiteral("0.1"));
    CHECK_FALSE(memory->property("invalid").toBool());
    tab.click("searchButton");
    REQUIRE(waitFor([&] { return !tab.isRunning(); }));
    CHECK(tab.sentence().kind() == Band::Kind::Error);
    CHECK(tab.sentence().text().contains(QStringLiteral("no order fits 0.1 Mₐ"),
                                         Qt::CaseInsensitive));
    CHECK_FALSE(tab.hasResult());
}

TEST_CASE("the settings of a search come back with the session")
{
    const SearchTab tab(7);
    tab.find<QLineEdit>("searchMemory")->setText(QStringLiteral("9GiB"));
    const QJsonObject state = tab.page->state();
    ThemeController theme;
    const std::unique_ptr<Page> owned(makeSearch(theme));
    Page& restored = *owned;
    CHECK(restored.state() != state);
    restored.restoreState(state);
    CHECK(restored.state() == state);
    CHECK(restored.findChild<QLineEdit*>(QStringLiteral("searchMemory"))->text()
          == QStringLiteral("9GiB"));
}

// A list that was open already did not have it.
TEST_CASE("a kept schedule is in the list of New run when it is shown again")
{
    const ThemeController theme;
    SchemeList list(theme);
    const auto own = [&list] { return list.findChild<QPushButton*>(QStringLiteral("ownScheme")); };
    list.show();
    REQUIRE(own() == nullptr);
    engine::ScheduleRequest request;
    request.scheme = "1f1b";
    const auto kept = keepScheme(QStringLiteral("mine"), engine::buildSchedule(request).value());
    REQUIRE(kept);
    CHECK_FALSE(keepScheme(QStringLiteral("mine"), engine::buildSchedule(request).value()));
    list.hide();
    list.show();
    REQUIRE(own() != nullptr);
    CHECK(own()->text() == QStringLiteral("mine"));
    QString chosen;
    QObject::connect(&list, &SchemeList::ownChosen,
                     [&chosen](const QString& file) { chosen = file; });
    own()->click();
    CHECK(chosen == *kept);
    CHECK(QFile::remove(*kept));
}

} // namespace app
