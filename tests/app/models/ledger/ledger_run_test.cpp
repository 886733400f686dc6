#include "app/models/ledger/ledger_facet.h"
#include "app/models/ledger/ledger_model.h"
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
    run.isStarred = true;
    const LedgerRun again = fromRow(toRow(run));
    CHECK(again.title() == QStringLiteral("baseline"));
    CHECK(again.tags == run.tags);
    CHECK(again.isStarred);
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
    trashed.isStarred = true;
    LedgerRun starred = ledgerRun(QStringLiteral("/runs/b.sqlite"), {"1f1b", 4, 8});
    starred.isStarred = true;
    starred.tags = {QStringLiteral("paper")};
    using Kind = LedgerFacet::Kind;
    for (const LedgerFacet& facet : ledgerFacets({trashed, starred}, {starred.file})) {
        const bool isOfBoth = facet.kind != Kind::Failed && facet.kind != Kind::Imported;
        CHECK(facet.count == (isOfBoth ? 1 : 0));
        CHECK(facet.contains(trashed, {}) == (facet.kind == Kind::Trash));
    }
}

} // namespace app
