#include "app/ledger/ledger_page.h"
#include "tests/app/simulated_run.h"
#include "tests/catch.h"

#include <QAbstractItemModelTester>

namespace app {
namespace {

LedgerRun ledgerRun(const QString& file, const SimulatedRun& wanted)
{
    return describeRun(file, simulatedRun(wanted));
}

} // namespace

TEST_CASE("a run of the ledger has the numbers of its file, also after it was stored")
{
    LedgerRun run = ledgerRun(QStringLiteral("/runs/a.sqlite"), {"1f1b", 4, 8, 3, true});
    CHECK(run.label.startsWith(QStringLiteral("1F1B")));
    CHECK(run.time().withUnit(run.iteration.value()) == QStringLiteral("33.0 ms"));
    CHECK(run.setting(QStringLiteral("N")) == QStringLiteral("8"));
    run.name = QStringLiteral("baseline");
    run.tags = {QStringLiteral("paper"), QStringLiteral("slow link")};
    const LedgerRun again = fromRow(toRow(run));
    CHECK(again.title() == QStringLiteral("baseline"));
    CHECK(again.tags == run.tags);
    CHECK(again.iteration == run.iteration);
    CHECK(again.settings == run.settings);
}

TEST_CASE("every word of a filter must match a run")
{
    LedgerRun run = ledgerRun(QStringLiteral("/runs/a.sqlite"), {"bitpipe", 4, 8});
    run.tags = {QStringLiteral("paper")};
    CHECK(run.matches(QString()));
    CHECK(run.matches(QStringLiteral("BITPIPE pap")));
    CHECK(run.matches(QStringLiteral("d:4 N:8")));
    CHECK_FALSE(run.matches(QStringLiteral("D:40")));
    CHECK(run.matches(QStringLiteral("D:2,4 state:finished,failed tag:paper mode:simulated")));
    CHECK_FALSE(run.matches(QStringLiteral("state:failed")));
    run.number = 12;
    CHECK(run.matches(QStringLiteral("#12")));
    CHECK_FALSE(run.matches(QStringLiteral("#1")));
    CHECK_FALSE(run.matches(QStringLiteral("bitpipe chimera")));
}

TEST_CASE("settings that vary have a column, and the user chooses others")
{
    LedgerRun other = ledgerRun(QStringLiteral("/runs/b.sqlite"), {"interleaved-1f1b", 4, 8});
    const std::vector<LedgerRun> runs{ledgerRun(QStringLiteral("/runs/a.sqlite"), {"1f1b", 4, 8}),
                                      other};
    LedgerModel model;
    const QAbstractItemModelTester tester(&model);
    LedgerView view;
    model.show(runs, view);
    CHECK(model.shownColumns().contains(QStringLiteral("v")));
    CHECK_FALSE(model.shownColumns().contains(QStringLiteral("W")));
    CHECK_FALSE(model.shownColumns().contains(QStringLiteral("Loss")));
    view.hasVarying = false;
    view.columns = {QStringLiteral("Loss"), QStringLiteral("W")};
    model.show(runs, view);
    CHECK(model.shownColumns() == view.columns);
    CHECK(model.allColumns().contains(QStringLiteral("v")));
    CHECK(model.columnCount() == 5); // state, number and name stay
}

TEST_CASE("each group of runs has the units of its numbers, so that ms and units are apart")
{
    LedgerModel model;
    model.show({ledgerRun(QStringLiteral("/runs/a.sqlite"), {"1f1b", 4, 8}),
                ledgerRun(QStringLiteral("/runs/b.sqlite"), {"1f1b", 4, 8, 3, true})},
               {});
    int iteration = 0;
    while (model.titleOf(iteration) != QStringLiteral("Iteration"))
        ++iteration;
    const auto cell = [&](int row) { return model.index(row, iteration).data().toString(); };
    REQUIRE(model.rowCount() == 4);
    CHECK(model.at(0).head == QStringLiteral("Emulated"));
    CHECK(cell(0) == QStringLiteral("ms"));
    CHECK(cell(1) == QStringLiteral("33.0"));
    CHECK(model.at(2).head == QStringLiteral("Simulated, units"));
    CHECK(cell(2) == QStringLiteral("units"));
    model.sort(iteration, Qt::DescendingOrder); // within the groups
    CHECK(model.at(0).isHead());
    CHECK(model.at(2).isHead());
}

// The search field suggested "scheme:zb-v", which found nothing.
TEST_CASE("a search finds a run by its scheme, and by a setting without its dashes")
{
    LedgerRun run = ledgerRun(QStringLiteral("/runs/a.sqlite"), {"1f1b", 4, 8});
    run.settings.emplace_back(QStringLiteral("--micro-batch-size"), QStringLiteral("2"));
    run.settings.emplace_back(QStringLiteral("model"), QStringLiteral("GPT-2 350M"));
    CHECK(run.matches(QStringLiteral("scheme:zb-v,1f1b")));
    CHECK_FALSE(run.matches(QStringLiteral("scheme:zb-v")));
    CHECK(run.matches(QStringLiteral("micro-batch-size:2 model:gpt-2_350m")));
}

TEST_CASE("a run says how it ended")
{
    engine::Run run = simulatedRun({"1f1b", 4, 8, 3, true});
    const auto state = [&](engine::Outcome outcome) {
        run.info.outcome = outcome;
        return describeRun(QStringLiteral("/runs/a.sqlite"), run).stateName().toStdString();
    };
    CHECK(state(engine::Outcome::Finished) == "finished");
    CHECK(state(engine::Outcome::Cancelled) == "stopped");
    CHECK(state(engine::Outcome::Failed) == "failed");
    CHECK(state(engine::Outcome::Running) == "killed");
}

// The list showed the option "--micro-batch-size".
TEST_CASE("a setting has the label of its field")
{
    CHECK(settingTitle(QStringLiteral("D")) == QStringLiteral("D"));
    CHECK(settingTitle(QStringLiteral("model")) == QStringLiteral("Model"));
    CHECK(settingTitle(QStringLiteral("--micro-batch-size")) == QStringLiteral("Micro-batch size"));
    CHECK(settingTitle(QStringLiteral("--sequence")) == QStringLiteral("Sequence length"));
    CHECK(settingTitle(QStringLiteral("--old-option")) == QStringLiteral("Old option"));
    CHECK(differenceText({QStringLiteral("N"), QStringLiteral("--sequence")})
          == QStringLiteral("differ in N, sequence length"));
    CHECK(differenceText({QStringLiteral("--link-bandwidth-across"), QStringLiteral("--graphs")})
          == QStringLiteral("differ in bandwidth across nodes, CUDA graphs"));
}

// A run under way had an iteration time with a 95 % interval, as if it had ended, and queued runs
// were not listed.
TEST_CASE("runs under way are listed with their state and without results")
{
    std::vector<std::shared_ptr<RunDocument>> open;
    const auto add = [&](const char* file, RunDocument::State state) {
        auto document = std::make_shared<RunDocument>(QString::fromLatin1(file), 1);
        document->setState(state);
        open.push_back(document);
        return document;
    };
    const auto running = add("/runs/a.sqlite", RunDocument::State::Running);
    RunProgress progress;
    progress.done = 2;
    progress.planned = 5;
    running->setProgress(progress);
    add("/runs/b.sqlite", RunDocument::State::Queued);
    add("/runs/c.sqlite", RunDocument::State::Finished);

    LedgerRun recorded = ledgerRun(QStringLiteral("/runs/a.sqlite"), {"1f1b", 4, 8, 3, true});
    recorded.started = QDateTime::fromSecsSinceEpoch(1'000'000);
    const std::vector<LedgerRun> runs = withRunsUnderWay({recorded}, open);
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].file == QStringLiteral("/runs/b.sqlite"));
    CHECK(runs[0].state == QStringLiteral("queued"));
    CHECK(runs[1].state == QStringLiteral("running, 2 of 5"));
    CHECK(runs[1].share == 0.4);
    CHECK_FALSE((runs[1].iteration || runs[1].least));
    // The unknown settings of the queued run do not count as different ones.
    CHECK(varyingSettings(runs).isEmpty());

    LedgerModel model;
    model.show(runs, {});
    model.sort(model.columnCount() - 1, Qt::DescendingOrder);
    const std::vector<LedgerRun> shown = model.runs();
    CHECK(shown[0].isUnderWay());
    CHECK(shown[1].isUnderWay());
}

TEST_CASE("a sentence names four of the settings that differ and counts the others")
{
    const QStringList four = QStringLiteral("D N v W").split(QLatin1Char(' '));
    CHECK(differenceText({}).isEmpty());
    CHECK(differenceText(four) == QStringLiteral("differ in D, N, v, W"));
    CHECK(differenceText(four + QStringList{QStringLiteral("link"), QStringLiteral("model")})
          == QStringLiteral("differ in D, N, v, W and 2 more"));
}

TEST_CASE("runs in the trash are in no other group")
{
    LedgerRun trashed = ledgerRun(QStringLiteral("/runs/trash/a.sqlite"), {"1f1b", 4, 8});
    trashed.origin = QStringLiteral("/runs");
    LedgerRun tagged = ledgerRun(QStringLiteral("/runs/b.sqlite"), {"1f1b", 4, 8});
    tagged.tags = {QStringLiteral("paper")};
    for (const LedgerFacet& facet : ledgerFacets({trashed, tagged}, {tagged.file}, {})) {
        const bool isOfBoth = facet.title != u"Failed or killed" && facet.title != u"Imported"
            && facet.title != u"Running";
        CHECK(facet.count == (isOfBoth ? 1 : 0));
        CHECK(facet.contains(trashed) == (facet.title == u"Trash"));
    }
}

} // namespace app
