#include "app/import/import_page.h"
#include "app/ui/text.h"
#include "tests/app/model_texts.h"
#include "tests/app/simulated_run.h"

using namespace app;
using tests::kStrict;

namespace {

// A run of two devices whose second iteration begins at 10 ms.
engine::Run importedRun()
{
    engine::Run run = simulatedRun({"1f1b", 2, 2, 2, true});
    run.timeline.iterations[0].window = {0, 10'000'000};
    run.timeline.iterations[1].window = {10'000'000, 20'000'000};
    run.timeline.iterations[1].number = 7;
    engine::ImportReport report;
    report.onGpu = report.stagesKnown = report.microBatchesKnown = true;
    report.matches = {
        {"torch-pp", "void ns::gemm(int)", 1, 0, 1, {14'000'000, 17'000'000}},
        {"torch-pp", "ncclDevKernel_SendRecv", {}, {}, {}, {25'000'000, 26'000'000}},
        {"", "elementwise", 0, {}, 0, {2'000'000, 2'500'000}},
        {"torch-pp", "of no device", 9, {}, {}, {0, 1}},
        {"torch-pp", "of no op", 0, 4'000'000, {}, {0, 1}},
        {"torch-pp", "of no iteration", 0, {}, 2, {0, 1}},
    };
    run.info.import = report;
    return run;
}

struct Matches : TableModel<ImportMatch>
{
    static constexpr int kAt = 4; // a column

    void show(const engine::Run& run, const std::string& rule)
    {
        auto rows = importMatches(run, rule);
        auto columns = matchColumns(run.info, rows);
        reset(std::move(columns), std::move(rows));
    }
    std::string row(int number) const
    {
        QStringList texts;
        for (int column = 0; column < kAt; ++column)
            texts.append(index(number, column).data().toString());
        return texts.join(u'|').toStdString();
    }
};

} // namespace

TEST_CASE("the matches of a rule name their device, op and iteration, if they have one")
{
    const engine::Run run = importedRun();
    const QString op = opName(engine::opAt(run.schedule, engine::OpIndex(run.schedule), 0));
    Matches model;
    const QAbstractItemModelTester tester(&model, kStrict);
    model.show(run, "torch-pp");
    REQUIRE(model.rowCount() == 2); // what the run does not have is left out
    CHECK(model.row(0) == QStringLiteral("gemm|device 1|%1|7").arg(op).toStdString());
    CHECK(*model.at(0).begin == 4'000'000);
    CHECK(model.index(0, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("gemm")));
    CHECK(model.row(1) == "ncclDevKernel_SendRecv|another copy|–|–");
    CHECK(model.index(1, Matches::kAt).data().toString().toStdString() == "–");
    CHECK(model.headerData(Matches::kAt, Qt::Horizontal).toString().startsWith(u"At, "));

    model.show(run, "");
    REQUIRE(model.rowCount() == 1);
    CHECK(model.row(0) == "elementwise|device 0|–|0");
}

TEST_CASE("the first column of matches on CPUs has ranges, with their whole names")
{
    engine::Run run = importedRun();
    run.info.import->onGpu = false;
    run.info.import->matches = {
        {"", "autograd::engine::evaluate_function: MmBackward0", 0, {}, 0, {2'000'000, 2'500'000}}};
    Matches model;
    model.show(run, "");
    CHECK(model.headerData(0, Qt::Horizontal).toString() == QStringLiteral("Range"));
    CHECK(model.index(0, 0).data().toString()
          == QStringLiteral("autograd::engine::evaluate_function: MmBackward0"));
}
