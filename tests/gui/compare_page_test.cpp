#include "app/models/tables/table_roles.h"
#include "app/pages/compare_page.h"
#include "app/widgets/controls/data_table.h"
#include "tests/app/jobs/wait_for.h"
#include "tests/app/simulated_run.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>

using namespace app;

namespace {

struct Compared
{
    explicit Compared(const std::vector<SimulatedRun>& wanted)
    {
        std::vector<std::shared_ptr<RunDocument>> documents;
        for (const SimulatedRun& one : wanted)
            documents.push_back(library.add(simulatedRun(one)));
        page = std::make_unique<ComparePage>(theme, library, documents);
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
    QAbstractItemModel* table() const { return find<DataTable>("compareTable")->model(); }
    QString difference(int row, int column) const
    {
        return table()->index(row, column).data(kDifferenceRole).toString();
    }
    bool hasRows(int rows) const
    {
        return waitFor([&] { return table()->rowCount() == rows; });
    }

    ThemeController theme;
    RunLibrary library;
    std::unique_ptr<ComparePage> page;
};

} // namespace

TEST_CASE("two runs are compared, and a sentence explains why one is shorter")
{
    Compared compared({{"1f1b", 4, 4}, {"bitpipe", 4, 4}});
    REQUIRE(compared.hasRows(2));
    CHECK(compared.page->title() == QStringLiteral("Compare 2 runs"));
    CHECK(compared.difference(1, 1) == QStringLiteral("\u22127.0"));
    const QString sentence = compared.find<QLabel>("sentence")->text();
    CHECK(sentence.contains(QStringLiteral("7.0 units shorter")));
    CHECK(sentence.contains(QStringLiteral("less bubble")));
}

TEST_CASE("another baseline turns the differences around")
{
    Compared compared({{"1f1b", 4, 4}, {"bitpipe", 4, 4}});
    REQUIRE(compared.hasRows(2));
    auto* box = compared.find<QComboBox>("baseline");
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Down);
    REQUIRE(waitFor([&] { return compared.difference(0, 1) == QStringLiteral("+7.0"); }));
    CHECK(compared.difference(1, 1).isEmpty());
}

TEST_CASE("unchecking a run removes it from the comparison, checking adds it")
{
    Compared compared({{"1f1b", 4, 4}, {"bitpipe", 4, 4}, {"gpipe", 4, 4}});
    REQUIRE(compared.hasRows(3));
    RunsModel& runs = compared.library.runs();
    runs.setChecked(runs.at(0).get(), false);
    REQUIRE(compared.hasRows(2));
    CHECK(compared.table()->index(0, 0).data().toString() == QStringLiteral("BitPipe #2"));
    runs.setChecked(runs.at(0).get(), true);
    CHECK(compared.hasRows(3));
}

TEST_CASE("1F1B is the baseline whichever run is there first, until another one is chosen")
{
    Compared compared({{"bitpipe", 4, 4}, {"1f1b", 4, 4}, {"gpipe", 4, 4}});
    REQUIRE(compared.hasRows(3));
    auto* box = compared.find<QComboBox>("baseline");
    RunsModel& runs = compared.library.runs();
    runs.setChecked(runs.at(1).get(), false);
    REQUIRE(compared.hasRows(2));
    CHECK(box->currentIndex() == 0);
    runs.setChecked(runs.at(1).get(), true);
    REQUIRE(compared.hasRows(3));
    CHECK(box->currentIndex() == 1);

    box->setFocus();
    QTest::keyClick(box, Qt::Key_Down);
    REQUIRE(box->currentIndex() == 2);
    runs.setChecked(runs.at(0).get(), false);
    REQUIRE(compared.hasRows(2));
    CHECK(box->currentIndex() == 1);
}

// The figure said how much longer 1F1B is, below a page that says how much shorter the other is.
TEST_CASE("a figure of a comparison has the baseline of the page")
{
    Compared compared({{"bitpipe", 4, 4}, {"gpipe", 4, 4}, {"1f1b", 4, 4}});
    REQUIRE(compared.hasRows(3));
    QStringList schemes;
    QObject::connect(compared.page.get(), &Page::exportRequested, [&](const auto& runs) {
        for (const auto& run : runs)
            schemes.append(QString::fromStdString(run->info.scheme));
    });
    compared.find<QAction>("exportFigure")->trigger();
    CHECK(schemes.join(u' ') == QStringLiteral("1f1b bitpipe gpipe"));
}

TEST_CASE("one run is compared with its own schedule at even costs, in one unit")
{
    Compared compared({{"bitpipe", 4, 4, 1, true}});
    REQUIRE(compared.hasRows(1));
    compared.find<QAction>("comparePrediction")->trigger();
    REQUIRE(compared.hasRows(2));
    CHECK(compared.table()->index(1, 1).data().toString() == QStringLiteral("simulated"));
    CHECK(compared.table()->index(1, 2).data().toString() == QStringLiteral("14.0"));
    CHECK(compared.difference(1, 2) == QStringLiteral("0")); // no jitter in this one
}

TEST_CASE("units and milliseconds are not subtracted, and the page states this")
{
    Compared compared({{"1f1b", 4, 4}, {"1f1b", 4, 4, 1, true}});
    REQUIRE(compared.hasRows(2));
    CHECK(compared.find<QWidget>("compareBand")->isVisible());
    CHECK(compared.difference(1, 2).isEmpty());
}

TEST_CASE("an empty comparison explains what to do")
{
    Compared compared({});
    CHECK(compared.table()->rowCount() == 0);
    CHECK(compared.page->title() == QStringLiteral("Compare 0 runs"));
}
