#include "app/start/start_page.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"
#include "profiler/store/trace_store.h"
#include "tests/catch.h"
#include "tests/gui/page_requests.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace app {
namespace {

struct StartSettings
{
    QTemporaryDir folder;
    Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    ThemeController theme;
};

} // namespace

TEST_CASE("without recent runs the start page offers a sample, and the sample opens")
{
    StartSettings start;
    const std::unique_ptr<StartPage> made{StartPage::make(start.theme, start.settings)};
    StartPage& page = *made;
    page.show();
    auto* empty = page.findChild<EmptyState*>(QStringLiteral("noRecent"));
    REQUIRE(empty != nullptr);
    const PageRequests compared(page);
    QTest::mouseClick(empty->button(), Qt::LeftButton);
    REQUIRE(compared.size() == 1);
    const QStringList files = compared.files("compare");
    REQUIRE(files.size() == 2);
    const auto run = profiler::readRun(files.front().toStdString());
    REQUIRE(run.has_value());
    CHECK(run->schedule.shape.microBatches == 8);
}

TEST_CASE("a card of the start page opens its sample or page")
{
    StartSettings start;
    const std::unique_ptr<StartPage> made{StartPage::make(start.theme, start.settings)};
    StartPage& page = *made;
    page.show();
    const auto cards = page.findChildren<QAbstractButton*>(QStringLiteral("sample"));
    REQUIRE(cards.size() == 6);
    CHECK(cards[1]->accessibleDescription().contains(QStringLiteral("simulated, 25.5 units")));
    const PageRequests opened(page);
    QTest::mouseClick(cards[1], Qt::LeftButton);
    CHECK(opened.files("run").size() == 1);
    page.findChild<QAbstractButton*>(QStringLiteral("beginStudy"))->click();
    CHECK(opened.size() == 2);
}

// Said "No run yet" although the list of all runs had five.
TEST_CASE("without recent runs the start page counts those of the list of all runs")
{
    StartSettings start;
    std::vector<LedgerRun> known(5);
    const std::unique_ptr<StartPage> made{
        StartPage::make(start.theme, start.settings, [&] { return known; })};
    StartPage& page = *made;
    const auto texts = [&] {
        QStringList found;
        for (const QLabel* label :
             page.findChild<EmptyState*>(QStringLiteral("noRecent"))->findChildren<QLabel*>())
            found << label->text();
        return found.join(QLatin1Char('|'));
    };
    CHECK(texts().contains(QStringLiteral("No recent runs")));
    CHECK(texts().contains(QStringLiteral("\"All runs\" lists 5 runs.")));
    known.clear();
    page.refresh();
    CHECK(texts().contains(QStringLiteral("No run yet")));
}

TEST_CASE("a recent run is listed with its numbers, opens by a click, and is cleared")
{
    StartSettings start;
    const auto files = sampleFiles(samples().back());
    REQUIRE(files.has_value());
    const auto run = profiler::readRun(files->front().toStdString());
    REQUIRE(run.has_value());
    const RecentRun recent = describeRecent(files->front(), *run, QDateTime::currentDateTime());
    start.settings.addRecent(recent);
    start.settings.addRecent(recent);
    REQUIRE(start.settings.recentRuns().size() == 1);
    CHECK(start.settings.recentRuns().front() == recent);

    const LedgerRun described = describeRun(recent.file, *run);
    const std::unique_ptr<StartPage> made{
        StartPage::make(start.theme, start.settings, [&] { return std::vector{described}; })};
    StartPage& page = *made;
    page.show();
    auto* table = page.findChild<DataTable*>(QStringLiteral("recentRuns"));
    REQUIRE(table->model()->rowCount() == 1);
    const auto cell = [&](int column, int role) {
        return table->model()->index(0, column).data(role).toString();
    };
    CHECK(cell(0, kBelowRole) == QFileInfo(recent.file).fileName());
    CHECK(cell(1, kBelowRole) == QStringLiteral("simulated"));
    CHECK(cell(2, Qt::DisplayRole) == QStringLiteral("30.0 units"));
    CHECK(cell(2, kBelowRole) == QStringLiteral("bubble ") + percent(0.2));
    CHECK(cell(3, Qt::DisplayRole) == QStringLiteral("finished"));
    const PageRequests opened(page);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(table->model()->index(0, 0)).center());
    CHECK(opened.files("run") == QStringList(recent.file));
    QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("clearRecent")), Qt::LeftButton);
    CHECK(table->model()->rowCount() == 0);
    CHECK(start.settings.recentRuns().empty());
}

TEST_CASE("the start page lists runs under way first, and why a run has failed")
{
    StartSettings start;
    RecentRun recent;
    recent.file = start.folder.filePath(QStringLiteral("failed.sqlite"));
    QFile file(recent.file);
    REQUIRE(file.open(QIODevice::WriteOnly));
    start.settings.addRecent(recent);
    std::vector<LedgerRun> runs(2);
    runs[0].file = recent.file;
    runs[0].mode = QStringLiteral("live");
    runs[0].outcome = QStringLiteral("failed");
    runs[0].problem = QStringLiteral("the loss is not a number");
    runs[1].state = QStringLiteral("running, 2 of 5");
    const std::unique_ptr<StartPage> made{
        StartPage::make(start.theme, start.settings, [&] { return runs; })};
    StartPage& page = *made;
    const auto* rows = page.findChild<DataTable*>(QStringLiteral("recentRuns"))->model();
    REQUIRE(rows->rowCount() == 2);
    CHECK(rows->index(0, 2).data() == QStringLiteral("running, 2 of 5"));
    CHECK(rows->index(0, 4).data() == QStringLiteral("now"));
    CHECK(rows->index(1, 2).data() == QStringLiteral("the loss is not a number"));
    CHECK(rows->index(1, 2).data(kExceedsRole).toBool());
    CHECK(rows->index(1, 3).data() == QStringLiteral("failed"));
}

TEST_CASE("the times of recent runs are in everyday words")
{
    const QDateTime now(QDate(2026, 11, 21), QTime(14, 31));
    CHECK(whenText(now.addSecs(-600), now) == QStringLiteral("today, 14:21"));
    CHECK(whenText(now.addDays(-1), now) == QStringLiteral("yesterday, 14:31"));
    CHECK(whenText(now.addDays(-5), now) == QStringLiteral("Monday"));
    CHECK(whenText(now.addDays(-30), now) == QStringLiteral("22 Oct"));
}

TEST_CASE("a file that is gone is not listed")
{
    StartSettings start;
    RecentRun run;
    run.file = start.folder.filePath(QStringLiteral("gone.sqlite"));
    start.settings.addRecent(run);
    CHECK(start.settings.recentRuns().empty());
}

} // namespace app
