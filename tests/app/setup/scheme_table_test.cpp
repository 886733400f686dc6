#include "app/setup/setup_page.h"
#include "app/ui/data_table.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QAction>
#include <QPushButton>
#include <QSignalSpy>

using namespace app;

namespace {

struct Table
{
    Table()
    {
        table.resize(900, 400);
        table.show();
        table.setPlan(plan);
    }
    bool isAnswered() const
    {
        const SchemeTableModel& model = table.model();
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.at(row).prediction() == nullptr && model.at(row).reason().isEmpty())
                return false;
        return model.rowCount() > 0;
    }

    ThemeController theme;
    QAction copy;
    RunPlan plan;
    SchemeTable table{theme, &copy};
};

} // namespace

TEST_CASE("the table predicts every scheme at the numbers of its plan, without a page")
{
    Table t;
    REQUIRE(waitFor([&] { return t.isAnswered(); }));
    const SchemeTableModel& model = t.table.model();
    const auto units = [&](const char* scheme) {
        return model.at(model.rowOf(QString::fromLatin1(scheme))).prediction()->metrics.duration;
    };
    CHECK(units("bitpipe") < units("gpipe"));
    const auto before = units("gpipe");
    t.plan.experiment.schedule.microBatches = 4;
    t.table.setPlan(t.plan);
    CHECK(waitFor([&] { return t.isAnswered() && units("gpipe") < before; }));
}

TEST_CASE("selected schemes are run together, and those that cannot be trained are named")
{
    Table t;
    t.plan.experiment.model.layers = 4; // too few for eight stages
    t.table.setPlan(t.plan);
    REQUIRE(waitFor([&] { return t.isAnswered(); }));
    auto* view = t.table.findChild<DataTable*>(QStringLiteral("schemeTable"));
    view->clearSelection();
    for (const char* scheme : {"gpipe", "1f1b", "bitpipe"})
        view->selectionModel()->select(
            t.table.model().index(t.table.model().rowOf(QString::fromLatin1(scheme)), 0),
            QItemSelectionModel::Select | QItemSelectionModel::Rows);
    QSignalSpy spy(&t.table, &SchemeTable::runRequested);
    t.table.findChild<QPushButton*>(QStringLiteral("runMarked"))->click();
    REQUIRE(spy.count() == 1);
    CHECK(spy.front().at(0).value<QList<QStringList>>().size() == 2);
    CHECK(spy.front().at(1).toStringList() == QStringList(QStringLiteral("bitpipe")));
}

// The row of the chosen scheme was below the visible ones.
TEST_CASE("the table scrolls to the chosen scheme")
{
    Table t;
    REQUIRE(waitFor([&] { return t.isAnswered(); }));
    auto* view = t.table.findChild<DataTable*>(QStringLiteral("schemeTable"));
    const auto isSeen = [&](const char* scheme) {
        const int row = t.table.model().rowOf(QString::fromLatin1(scheme));
        const QRect cell = view->visualRect(t.table.model().index(row, 0));
        return view->viewport()->rect().contains(QPoint(cell.left(), cell.center().y()));
    };
    CHECK(isSeen("bitpipe"));
    CHECK_FALSE(isSeen("gpipe"));
    t.plan.experiment.schedule.scheme = "gpipe";
    t.table.setPlan(t.plan);
    CHECK(waitFor([&] { return isSeen("gpipe"); }));
}

// The numbers of earlier settings looked like those of the new ones, and were copied as such.
TEST_CASE("numbers of earlier settings are not copied, and are muted once others have arrived")
{
    const auto predicted = [](const char* scheme, int microBatches) {
        PredictionRequest request;
        request.schedule.scheme = scheme;
        request.schedule.devices = 4;
        request.schedule.microBatches = microBatches;
        return std::make_shared<const engine::Result<Prediction>>(predict(request));
    };
    const QString gpipe = QStringLiteral("gpipe"), other = QStringLiteral("1f1b");
    const std::vector<SchemeTableModel::Row> rows{{gpipe, gpipe, {}, {}}, {other, other, {}, {}}};
    SchemeTableModel model;
    const auto isMuted = [&model](int row) { return model.index(row, 1).data(kHintRole).toBool(); };
    model.setRows(rows);
    model.answer({{gpipe, predicted("gpipe", 4)}, {other, predicted("1f1b", 4)}});
    CHECK(model.isComplete());
    CHECK_FALSE(model.csv().contains(QStringLiteral("gpipe,,")));
    const QString before = model.index(0, 1).data().toString();
    model.setRows(rows);
    CHECK_FALSE(model.isComplete());
    CHECK(model.index(0, 1).data().toString() == before);
    CHECK(model.csv().contains(QStringLiteral("gpipe,,,,,,,\n1f1b,,,,,,,\n")));
    CHECK_FALSE(isMuted(0));
    model.answer(std::vector<std::pair<QString, SchemeTableModel::Answer>>()); // none arrived yet
    CHECK_FALSE(isMuted(0));
    model.answer(gpipe, predicted("gpipe", 8));
    CHECK_FALSE(isMuted(0));
    CHECK(isMuted(1));
    CHECK_FALSE(model.csv().contains(QStringLiteral("gpipe,,")));
    CHECK(model.csv().contains(QStringLiteral("1f1b,,,,,,,\n")));
}
