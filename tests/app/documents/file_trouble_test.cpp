// Another program locks, deletes or replaces the file of a run that the window follows.
#include "app/documents/run_library.h"
#include "profiler/store/trace_store.h"
#include "tests/app/fake_worker.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"

#include <sqlite3.h>

using namespace app;
using State = RunDocument::State;

namespace {

struct CloseSqlite
{
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
};
using Foreign = std::unique_ptr<sqlite3, CloseSqlite>;

Foreign openForeign(const QString& file, const char* sql)
{
    sqlite3* handle = nullptr;
    REQUIRE(sqlite3_open(file.toUtf8().constData(), &handle) == SQLITE_OK);
    Foreign foreign(handle);
    REQUIRE(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    return foreign;
}

// A run that another program seems to write, opened in the window.
std::shared_ptr<RunDocument> openRunning(RunLibrary& library, const QString& file)
{
    engine::Run run = simulatedRun({"1f1b", 2, 2});
    run.info.outcome = engine::Outcome::Running;
    REQUIRE(profiler::writeRun(file.toStdString(), run).has_value());
    const auto document = library.open(file);
    REQUIRE(waitFor([&] { return document->state() == State::Finished; }));
    CHECK(document->notice().title == QStringLiteral("Not finished."));
    const RunPointer loaded = document->run();
    REQUIRE(waitFor([&] { return document->run() != loaded; })); // the follower has opened it
    return document;
}

} // namespace

TEST_CASE("a foreign lock is shown while it lasts, and the timeline continues after it")
{
    const FakeWorker folder("");
    RunLibrary library;
    const QString file = folder.file("run.sqlite");
    const auto document = openRunning(library, file);
    Foreign foreign = openForeign(file, "BEGIN EXCLUSIVE; UPDATE BS_run SET outcome = 'finished'");
    REQUIRE(waitFor([&] { return document->notice().title == QStringLiteral("Waiting."); }));
    CHECK(document->notice().text
          == file
              + QStringLiteral(" is locked by another program; the timeline continues when it is "
                               "released"));
    foreign.reset(); // rolls back
    REQUIRE(waitFor([&] { return document->notice().title == QStringLiteral("Not finished."); }));
    foreign = openForeign(file, "UPDATE BS_run SET outcome = 'finished'");
    REQUIRE(waitFor([&] { return document->notice() == Notice(); }));
    CHECK(document->run()->info.outcome == engine::Outcome::Finished);
}

TEST_CASE("a deleted and a replaced run file are shown while the run is followed")
{
    const FakeWorker folder("");
    RunLibrary library;
    const QString file = folder.file("run.sqlite");
    const auto document = openRunning(library, file);
    REQUIRE(QFile::rename(file, file + u'x'));
    const auto says = [&](const char* text) {
        return waitFor([&] {
            return document->notice().level == Notice::Level::Error
                && document->notice().text == file + QString::fromUtf8(text);
        });
    };
    CHECK(says(" was deleted or moved: its timeline no longer grows"));
    REQUIRE(QFile::copy(file + u'x', file));
    CHECK(says(" was replaced by another run: open it again"));
    REQUIRE(QFile::remove(file));
    REQUIRE(QFile::rename(file + u'x', file));
    CHECK(waitFor([&] { return document->notice().title == QStringLiteral("Not finished."); }));
}

TEST_CASE("a worker that waits for a lock is shown, until it commits again")
{
    FakeWorker worker(QByteArray("cp \"$(dirname \"$0\")/source.sqlite\" \"$file\"\n"
                                 "echo '{\"event\":\"started\",\"iterations\":3}'\n"
                                 "echo '{\"event\":\"locked\",\"message\":\"a is locked\"}'\n")
                      + FakeWorker::kUntilLetGo + "echo '{\"event\":\"rows\",\"last\":100}'\n"
                      + FakeWorker::kForEver);
    REQUIRE(
        profiler::writeRun(worker.file("source.sqlite").toStdString(), simulatedRun({"1f1b", 2, 2}))
            .has_value());
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    const auto document = library.start({});
    REQUIRE(waitFor([&] { return document->notice().text == QStringLiteral("a is locked"); }));
    worker.letGo(document->file());
    CHECK(waitFor([&] { return document->notice() == Notice(); }));
    library.stop(*document);
}
