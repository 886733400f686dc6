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
    CHECK(run.iterations.size() == 3);
    CHECK(run.setting(QStringLiteral("N")) == QStringLiteral("8"));
    run.name = QStringLiteral("baseline");
    run.tags = {QStringLiteral("paper"), QStringLiteral("slow link")};
    const LedgerRun again = fromRow(toRow(run));
    CHECK(again.title() == QStringLiteral("baseline"));
    CHECK(again.tags == run.tags);
    CHECK(again.iteration == run.iteration);
    CHECK(again.iterations == run.iterations);
    CHECK(again.settings == run.settings);
    CHECK(*again.thumbnail == *run.thumbnail);
}

TEST_CASE("every word of a filter must match a run")
{
    LedgerRun run = ledgerRun(QStringLiteral("/runs/a.sqlite"), {"bitpipe", 4, 8});
    run.tags = {QStringLiteral("paper")};
    CHECK(run.matches(QString()));
    CHECK(run.matches(QStringLiteral("BITPIPE pap")));
    CHECK(run.matches(QStringLiteral("d:4 N:8")));
    CHECK_FALSE(run.matches(QStringLiteral("D:40")));
    CHECK_FALSE(run.matches(QStringLiteral("bitpipe chimera")));
}

TEST_CASE("only settings that vary have a column")
{
    const std::vector<LedgerRun> runs{ledgerRun(QStringLiteral("/runs/a.sqlite"), {"1f1b", 4, 8}),
                                      ledgerRun(QStringLiteral("/runs/b.sqlite"), {"1f1b", 4, 16})};
    LedgerModel model;
    const QAbstractItemModelTester tester(&model);
    const auto hasColumn = [&](const char* title) {
        for (int column = 0; column < model.columnCount(); ++column)
            if (model.titleOf(column) == QString::fromLatin1(title))
                return true;
        return false;
    };
    model.show(runs, LedgerModel::Settings::Varying, QDateTime());
    CHECK(hasColumn("N"));
    CHECK_FALSE(hasColumn("D"));
    CHECK(model.equalSettings() > 0);
    model.show(runs, LedgerModel::Settings::All, QDateTime());
    CHECK(hasColumn("D"));
    CHECK(model.equalSettings() == 0);
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
    CHECK(varyingSettings({&runs[0], &runs[1]}).isEmpty());

    LedgerModel model;
    model.show(runs, LedgerModel::Settings::Varying, QDateTime());
    model.sort(model.columnCount() - 1, Qt::DescendingOrder);
    CHECK(model.at(0).isUnderWay());
    CHECK(model.at(0).file == QStringLiteral("/runs/b.sqlite"));
    CHECK(model.at(1).file == QStringLiteral("/runs/a.sqlite"));
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
    for (const LedgerFacet& facet : ledgerFacets({trashed, tagged}, {tagged.file})) {
        const bool isOfBoth = facet.title != u"Failed" && facet.title != u"Imported";
        CHECK(facet.count == (isOfBoth ? 1 : 0));
        CHECK(facet.contains(trashed) == (facet.title == u"Trash"));
    }
}

} // namespace app
