#include "app/whatif/what_if_page.h"
#include "tests/app/simulated_run.h"
#include "tests/catch.h"

#include <QAbstractItemModelTester>

namespace app {
namespace {

WhatIfRow rowOf(const char* scheme, std::int64_t milliseconds, std::int64_t gib)
{
    WhatIfRow row;
    row.scheme = QString::fromLatin1(scheme);
    row.isKnown = row.hasInterval = true;
    row.iteration = row.least = row.most = milliseconds * 1'000'000;
    row.deviceBytes.push_back(gib << 30);
    row.deviceBytes.push_back(std::int64_t{1} << 30);
    return row;
}

QString cell(const QAbstractItemModel& model, int row, int column)
{
    return model.index(row, column).data().toString();
}

// F 1 ms, B 2 ms on both stages.
struct Costs
{
    bool edit(int row, int column, const char* text)
    {
        return model.setData(model.index(row, column), QString::fromLatin1(text));
    }

    const engine::Run run = simulatedRun({"1f1b", 2, 4, 1, true});
    WhatIfEdits edits{run};
    QObject owner;
    QAbstractTableModel& model
        = *makeStageCosts(run.schedule, profiler::measuredTimes(run).value(), edits, &owner);
    QAbstractItemModelTester tester{&model};
};

} // namespace

TEST_CASE("schemes are ranked by their iteration, those that do not fit come last with the reason")
{
    WhatIfModel model(100'000'000);
    const QAbstractItemModelTester tester(&model);
    CHECK(model.best().isEmpty());
    WhatIfRow refused;
    refused.scheme = QStringLiteral("chimera");
    refused.reason = QStringLiteral("needs an even number of devices");
    model.update({rowOf("gpipe", 110, 9), rowOf("zb-v", 80, 6), rowOf("1f1b", 100, 4), refused});
    CHECK(model.best() == QStringLiteral("zb-v"));
    CHECK(cell(model, 0, 0) == QStringLiteral("ZB-V"));
    CHECK(cell(model, 0, 1) == QStringLiteral("80.0"));
    CHECK(cell(model, 0, 2) == QStringLiteral("\u221220.0"));
    const auto verdict = [&](int row) {
        return static_cast<Verdict>(model.index(row, 2).data(kVerdictRole).toInt());
    };
    const auto between = [](WhatIfRow row, int least, int most) {
        row.least = std::int64_t{least} * 1'000'000;
        row.most = std::int64_t{most} * 1'000'000;
        return row;
    };
    model.update({between(rowOf("gpipe", 110, 9), 104, 116), between(rowOf("zb-v", 80, 6), 76, 84),
                  between(rowOf("1f1b", 98, 4), 92, 104)});
    CHECK(verdict(0) == Verdict::Better);
    CHECK(verdict(1) == Verdict::Neutral); // its interval includes the measured iteration
    CHECK(verdict(2) == Verdict::Worse);
    model.update({rowOf("gpipe", 110, 9), rowOf("zb-v", 80, 6), rowOf("1f1b", 100, 4)});
    CHECK(cell(model, 2, 0) == QStringLiteral("GPipe"));
    CHECK(cell(model, model.rowOf(QStringLiteral("chimera")), 1) == refused.reason);
    CHECK(model.fitting() == 3);

    model.setMemory({std::int64_t{10} << 30, 50});
    CHECK(model.best() == QStringLiteral("1f1b"));
    CHECK(cell(model, 1, 1)
          == QStringLiteral("6.00 GiB on device 0, 1.00 GiB too much (5.0 GiB usable of 10.0 "
                            "GiB: reserve 50 %)"));
    CHECK(model.index(1, 1).data(kSpanRole).toBool());
    CHECK(cell(model, 0, 5) == QStringLiteral("fits"));
}

// Every difference of the own order had a colour.
TEST_CASE("a difference within the error of the replay is not distinguishable")
{
    for (const int most : {101, 99}) {
        WhatIfModel model(100'000'000);
        WhatIfRow own = rowOf("own-order", 70, 4);
        own.hasInterval = false;
        own.most = most * 1'000'000;
        model.update({own});
        const auto verdict = static_cast<Verdict>(model.index(0, 2).data(kVerdictRole).toInt());
        CHECK(verdict == (most < 100 ? Verdict::Better : Verdict::Neutral));
    }
}

TEST_CASE("a row keeps its numbers until new ones arrive")
{
    WhatIfModel model(100'000'000);
    model.update({rowOf("zb-v", 80, 6)});
    model.update({rowOf("gpipe", 70, 6)});
    CHECK(model.find(QStringLiteral("zb-v"))->iteration == 80'000'000);
    CHECK(model.rowOf(QStringLiteral("zb-v")) == 1);
}

TEST_CASE("measured times are edited, and the edits are replaced")
{
    Costs costs;
    QAbstractTableModel& model = costs.model;
    REQUIRE(model.rowCount() == 3);
    CHECK(cell(model, 0, 1) == QStringLiteral("1.00"));
    CHECK(cell(model, 2, 2) == QStringLiteral("4.00")); // the sum of B
    CHECK(costs.edit(0, 1, "1,5"));
    CHECK(costs.edit(1, 2, "1"));
    CHECK(cell(model, 2, 1) == QStringLiteral("2.50"));
    CHECK(model.index(0, 1).data(kBeforeRole).toString() == QStringLiteral("1.00"));
    CHECK(costs.edits.changes().editedCells() == 2);
    CHECK(costs.edits.changes().times.at({1, engine::OpKind::Backward}) == 1'000'000);
    WhatIfChanges edits;
    edits.times[{0, engine::OpKind::Forward}] = 3'000'000;
    costs.edits.take(edits);
    CHECK(cell(model, 0, 1) == QStringLiteral("3.00"));
    costs.edits.reset();
    CHECK(cell(model, 0, 1) == QStringLiteral("1.00"));
}

TEST_CASE("only measured times above 0 are accepted")
{
    Costs costs;
    for (const char* text : {"0", "-1", "", "x", "nan", "inf", "1e300"})
        CHECK_FALSE(costs.edit(0, 1, text));
    CHECK_FALSE(costs.edit(2, 1, "3")); // the sum
    CHECK_FALSE(costs.edit(0, 0, "3")); // the number of the stage
    CHECK(costs.edit(0, 1, "1.00"));    // unchanged
    CHECK(costs.edits.changes().times.empty());
}

TEST_CASE("the share of W in B is assumed and can be given, if only B was measured")
{
    Costs costs;
    CHECK(cell(costs.model, 0, 3) == QStringLiteral("50.0"));
    CHECK(costs.edit(1, 3, "40"));
    CHECK(cell(costs.model, 0, 3) == QStringLiteral("40.0"));
    CHECK(*costs.edits.changes().weightShare == Approx(0.4));
    CHECK_FALSE(costs.edit(1, 3, "100"));

    const engine::Run split = simulatedRun({"zb-h1", 2, 4, 1, true});
    WhatIfEdits edits(split);
    const QAbstractTableModel& measured = *makeStageCosts(
        split.schedule, profiler::measuredTimes(split).value(), edits, &costs.owner);
    const int share = measured.columnCount() - 3;
    CHECK(measured.headerData(share, Qt::Horizontal, Qt::DisplayRole).toString()
          == QStringLiteral("W, %"));
    CHECK_FALSE(measured.flags(measured.index(0, share)).testFlag(Qt::ItemIsEditable));
}

} // namespace app
