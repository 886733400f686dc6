#include "app/documents/run_library.h"
#include "app/ledger/run_ledger.h"
#include "profiler/store/ledger/ledger.h"
#include "profiler/store/sqlite.h"
#include "profiler/store/trace_store.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QSignalSpy>

#include <algorithm>

using namespace app;

namespace {

QString inRuns(const char* name)
{
    return runsFolder() + QLatin1Char('/') + QString::fromLatin1(name);
}

// A run whose rows are still in "-wal".
profiler::TraceWriter writing(const QString& file, const engine::Run& run)
{
    QDir().mkpath(runsFolder());
    auto writer = profiler::TraceWriter::create(file.toStdString(), run.info, run.schedule,
                                                engine::IfExists::Replace);
    REQUIRE(writer.has_value());
    writer->append(profiler::batchOf(run.timeline, 0, 0));
    REQUIRE(writer->flush().has_value());
    return std::move(*writer);
}

// Leaves what a writer that is killed now would leave.
void copyAsKilled(const QString& file, const QString& killed)
{
    for (const char* suffix : {"", "-wal", "-shm"})
        REQUIRE(
            QFile::copy(file + QString::fromLatin1(suffix), killed + QString::fromLatin1(suffix)));
}

struct Changes
{
    Changes()
    {
        REQUIRE(waitFor([&] { return !listed.isEmpty(); }));
    }
    // Waits until the runs were listed again.
    template<class... Runs>
    void apply(void (RunLedger::*change)(const Runs&...), const Runs&... runs)
    {
        listed.clear();
        (ledger.*change)(runs...);
        REQUIRE(waitFor([&] { return !listed.isEmpty(); }));
    }

    RunLedger ledger;
    QSignalSpy listed{&ledger, &RunLedger::changed};
    QSignalSpy failed{&ledger, &RunLedger::failed};
};

} // namespace

// The main file alone was moved: the recorded iterations in "-wal" were lost.
TEST_CASE("a killed run is trashed, restored and deleted with the files beside it")
{
    const engine::Run run = simulatedRun({"1f1b", 2, 2});
    const QString file = inRuns("growing.sqlite");
    const auto writer = writing(file, run);
    LedgerRun killed;
    killed.file = inRuns("killed.sqlite");
    copyAsKilled(file, killed.file);
    Changes changes;

    changes.apply(&RunLedger::moveToTrash, killed);
    CHECK(QDir(runsFolder()).entryList({QStringLiteral("killed*")}, QDir::Files).isEmpty());
    LedgerRun trashed;
    trashed.file = trashFolder() + QStringLiteral("/killed.sqlite");
    trashed.origin = runsFolder();
    changes.apply(&RunLedger::restore, trashed);
    CHECK(QDir(trashFolder()).isEmpty());
    const auto restored = profiler::readRun(killed.file.toStdString());
    REQUIRE(restored.has_value());
    CHECK(restored->timeline.tracks == run.timeline.tracks);

    REQUIRE(QFile::remove(killed.file));
    copyAsKilled(file, killed.file);
    changes.apply(&RunLedger::deleteForever, killed);
    CHECK(QDir(runsFolder()).entryList({QStringLiteral("killed*")}, QDir::Files).isEmpty());
    CHECK(changes.failed.isEmpty());
}

// The second one was named half2-sqlite.%3, which is not the name of a run.
TEST_CASE("a second run of one name keeps its name in the trash, also with a place marker in it")
{
    LedgerRun run;
    run.file = inRuns("half%1.sqlite");
    Changes changes;
    for (int time = 0; time < 2; ++time) {
        QDir().mkpath(runsFolder());
        REQUIRE(profiler::writeRun(run.file.toStdString(), simulatedRun({"1f1b", 2, 2})));
        changes.apply(&RunLedger::moveToTrash, run);
    }
    CHECK(changes.failed.isEmpty());
    for (const char* name : {"/half%1.sqlite", "/half%1-2.sqlite"})
        CHECK(QFile::remove(trashFolder() + QString::fromLatin1(name)));
}

TEST_CASE("a run that is still being written is neither trashed nor deleted")
{
    LedgerRun growing;
    growing.file = inRuns("growing.sqlite");
    const auto writer = writing(growing.file, simulatedRun({"1f1b", 2, 2}));
    Changes changes;
    for (const auto change : {&RunLedger::moveToTrash, &RunLedger::deleteForever}) {
        changes.apply(change, growing);
        REQUIRE(changes.failed.size() == 1);
        CHECK(changes.failed.takeFirst().front().toString()
              == growing.file + QStringLiteral(" is still being written: stop the run first"));
        CHECK(QFileInfo::exists(growing.file));
    }
}

// It was listed as killed, because its file has no outcome yet.
TEST_CASE("a run that another window writes is running, and killed when its writer is gone")
{
    const QString file = inRuns("other.sqlite"), killed = inRuns("killed.sqlite");
    engine::Run run = simulatedRun({"1f1b", 2, 2});
    run.info.outcome = engine::Outcome::Running;
    const auto writer = writing(file, run);
    copyAsKilled(file, killed);
    Changes changes;
    changes.ledger.refresh();
    const auto state = [&](const QString& name) {
        const auto listed = std::ranges::find(changes.ledger.runs(), name, &LedgerRun::file);
        return listed == changes.ledger.runs().end() ? QString() : listed->stateName();
    };
    REQUIRE(waitFor([&] { return !state(file).isEmpty() && !state(killed).isEmpty(); }));
    CHECK(state(file) == QStringLiteral("running"));
    CHECK(state(killed) == QStringLiteral("killed"));

    // The window opened it, which listed it as killed; later rows are in "-wal".
    changes.listed.clear();
    changes.ledger.add(file, std::make_shared<const engine::Run>(run));
    REQUIRE(waitFor([&] { return !changes.listed.isEmpty(); }));
    CHECK(state(file) == QStringLiteral("running"));
    auto stored = profiler::Ledger::open(ledgerFile().toStdString()).value();
    REQUIRE(stored.putContents(toRow(describeRun(file, run))));
    changes.ledger.refresh();
    CHECK(waitFor([&] {
        const auto rows = stored.rows().value();
        const auto row = std::ranges::find(rows, file.toStdString(), &profiler::LedgerRow::file);
        return row != rows.end() && fromRow(*row).kind() == LedgerRun::State::Running;
    }));
    for (const char* suffix : {"", "-wal", "-shm"})
        QFile::remove(killed + QString::fromLatin1(suffix));
}

// The window waited for the lock of the ledger and for a look at every file.
TEST_CASE("numbers are known before the runs are listed, unless the ledger does not respond")
{
    const QString missing = inRuns("missing.sqlite");
    LedgerRun run;
    run.file = missing;
    run.number = 1'000;
    auto putRun = [&] {
        auto stored = profiler::Ledger::open(ledgerFile().toStdString()).value();
        const auto put = stored.putContents(toRow(run));
        CAPTURE(put ? std::string() : put.error().message);
        REQUIRE(put.has_value());
    };
    putRun();
    {
        RunLedger ledger;
        CHECK(ledger.runs().empty());
        CHECK(ledger.number(missing) == 1'000);
        CHECK(ledger.number(inRuns("new.sqlite")) == 1'001);
    }
    putRun();
    auto lock
        = profiler::Database::open(ledgerFile().toStdString(), profiler::Database::Access::Create)
              .value();
    REQUIRE(lock.execute("BEGIN EXCLUSIVE"));
    QElapsedTimer time;
    time.start();
    RunLedger ledger;
    CHECK(time.elapsed() < profiler::kLockWait.count() / 2);
    CHECK(ledger.number(missing) == 1); // not known yet
    REQUIRE(lock.execute("COMMIT"));
    const QSignalSpy listed(&ledger, &RunLedger::changed);
    REQUIRE(waitFor([&] { return !listed.isEmpty(); }));
    CHECK(ledger.number(inRuns("new.sqlite")) > 1'000);
}

// A name was overwritten by the older one if a tag was added before the runs were listed again.
TEST_CASE("what the user adds to a run is in the list at once")
{
    const QString file = inRuns("edited.sqlite");
    const auto run = std::make_shared<const engine::Run>(simulatedRun({"1f1b", 2, 2}));
    QDir().mkpath(runsFolder());
    REQUIRE(profiler::writeRun(file.toStdString(), *run, engine::IfExists::Replace).has_value());
    Changes changes;
    changes.ledger.add(file, run);
    const auto listed
        = [&] { return std::ranges::find(changes.ledger.runs(), file, &LedgerRun::file); };
    REQUIRE(waitFor([&] { return listed() != changes.ledger.runs().end(); }));
    LedgerRun edited = *listed();
    edited.name = QStringLiteral("baseline");
    changes.ledger.setUserData(*listed(), edited);
    CHECK(listed()->name == edited.name);
    edited = *listed();
    edited.tags = QStringList{QStringLiteral("paper")};
    changes.apply(&RunLedger::setUserData, *listed(), edited);
    CHECK(listed()->name == edited.name);
    CHECK(listed()->tags == edited.tags);
}

// Every window also wrote the name and tags that it had read.
TEST_CASE("what two windows add to a run is stored without what they did not change")
{
    const QString file = inRuns("shared.sqlite");
    const engine::Run run = simulatedRun({"1f1b", 2, 2});
    QDir().mkpath(runsFolder());
    REQUIRE(profiler::writeRun(file.toStdString(), run, engine::IfExists::Replace).has_value());
    auto stored = profiler::Ledger::open(ledgerFile().toStdString()).value();
    REQUIRE(stored.putContents(toRow(describeRun(file, run))));
    {
        Changes one, other; // both have read the run
        const auto listed = [&](const Changes& window) {
            return *std::ranges::find(window.ledger.runs(), file, &LedgerRun::file);
        };
        LedgerRun named = listed(one), tagged = listed(other);
        named.name = QStringLiteral("baseline");
        tagged.tags = QStringList{QStringLiteral("paper")};
        one.ledger.setUserData(listed(one), named);
        other.ledger.setUserData(listed(other), tagged);
    } // have stored them
    const auto rows = stored.rows().value();
    const auto row = std::ranges::find(rows, file.toStdString(), &profiler::LedgerRow::file);
    REQUIRE(row != rows.end());
    CHECK(row->name == "baseline");
    CHECK(row->tags == "paper");
}

// Its size and time are those of the first attempt, so it was not read again.
TEST_CASE("a file that could not be read is read again when the runs are listed again")
{
    LedgerRun locked;
    locked.file = inRuns("locked.sqlite");
    locked.problem = QStringLiteral("locked by another program");
    QDir().mkpath(runsFolder());
    REQUIRE(profiler::writeRun(locked.file.toStdString(), simulatedRun({"1f1b", 2, 2}),
                               engine::IfExists::Replace));
    REQUIRE(profiler::Ledger::open(ledgerFile().toStdString()).value().putContents(toRow(locked)));
    Changes changes;
    const auto listed
        = [&] { return *std::ranges::find(changes.ledger.runs(), locked.file, &LedgerRun::file); };
    CHECK(listed().isUnreadable());
    changes.ledger.refresh();
    CHECK(waitFor([&] { return !listed().isUnreadable(); }));
    CHECK(listed().mode == QStringLiteral("simulated"));
}

// The work that wakes the waiting thread was overtaken by the next one, which had a higher
// priority.
TEST_CASE("of two queues that are stored one after the other the last one stays")
{
    constexpr int kTries = 50;
    for (int i = 0; i < kTries; ++i) {
        const QStringList last{QStringLiteral("--devices"), QString::number(i)};
        {
            Changes idle; // the thread waits for work
            idle.ledger.keepQueue({{QStringLiteral("--scheme"), QStringLiteral("gpipe")}});
            idle.ledger.keepQueue({last});
        } // has stored them
        auto stored = profiler::Ledger::open(ledgerFile().toStdString()).value();
        const auto exists = [](auto) { return false; };
        CHECK(stored.takeQueues(exists).value()
              == std::vector{last.join(QLatin1Char('\n')).toStdString()});
    }
}
