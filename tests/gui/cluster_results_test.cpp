#include "app/cluster/cluster_page.h"
#include "profiler/store/trace_store.h"
#include "tests/app/busy_pool.h"
#include "tests/app/wait_for.h"
#include "tests/profiler/import/traces.h"

#include <QAction>
#include <QPushButton>

#include <memory>
#include <optional>

using namespace app;

namespace {

// Awaits the traces of four ranks.
struct Results
{
    Results()
    {
        auto outlook = std::make_shared<ClusterOutlook>();
        outlook->kit.ranks = 4;
        panel.setOutlook(outlook, {});
        panel.watcher().setInterval(20);
        QObject::connect(&panel, &ResultsPanel::compareRequested,
                         [this](const QStringList& files) { compared = files; });
    }
    static QString nameOf(const tests::TemporaryFolder& folder)
    {
        return QString::fromStdString(folder.path().string());
    }
    // Whether the last imported run has this number of ranks.
    bool haveRanks(std::size_t ranks)
    {
        panel.compare();
        if (compared.isEmpty())
            return false;
        const auto run = profiler::readRun(compared.back().toStdString());
        return run && run->info.import && run->info.import->ranks.size() == ranks;
    }

    ThemeController theme;
    RunLibrary library;
    QAction action;
    const std::unique_ptr<ResultsPanel> made{ResultsPanel::make(theme, library, action)};
    ResultsPanel& panel = *made;
    QStringList compared;
    tests::TemporaryFolder traces, others;
};

} // namespace

// The traces that arrived during or after an import of some ranks were never imported.
TEST_CASE("the traces of all ranks are imported although some ranks were imported before")
{
    Results results;
    const engine::Run run = tests::simulatedRun("1f1b", 4, 8);
    tests::writeTorchTraces(results.traces.path(), run, {}, 3);
    results.panel.take({Results::nameOf(results.traces)});
    REQUIRE(waitFor([&] { return results.panel.results().received() == 3; }));
    results.panel.findChild<QPushButton*>(QStringLiteral("importReceived"))->click();
    tests::writeTorchTraces(results.traces.path(), run);
    CHECK(waitFor([&] { return results.haveRanks(4); }));
}

// They were ignored without a message.
TEST_CASE("traces that are dropped during an import are imported in place of the others")
{
    Results results;
    tests::writeTorchTraces(results.traces.path(), tests::simulatedRun("1f1b", 4, 8));
    tests::writeTorchTraces(results.others.path(), tests::simulatedRun("1f1b", 2, 4));
    const auto filesOf = [](const tests::TemporaryFolder& folder) {
        QStringList files;
        for (const ResultFile& file : resultFiles(Results::nameOf(folder)))
            files.append(file.path);
        return files;
    };
    std::optional<tests::BusyPool> busy(std::in_place); // the first import waits for it
    results.panel.take(filesOf(results.traces));
    results.panel.take(filesOf(results.others));
    busy.reset();
    CHECK(waitFor([&] { return results.haveRanks(2); }));
}
