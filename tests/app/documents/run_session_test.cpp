#include "app/documents/run_library.h"
#include "profiler/store/trace_store.h"
#include "tests/app/fake_worker.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"

#include <QElapsedTimer>
#include <QFileInfo>

#include <set>

using namespace app;
using State = RunDocument::State;

namespace {

QByteArray contents(const QString& file)
{
    QFile read(file);
    return read.open(QIODevice::ReadOnly) ? read.readAll().trimmed() : QByteArray();
}

} // namespace

TEST_CASE("the log and progress of a run show its start, its iterations and its end")
{
    const engine::Run run = simulatedRun({"bitpipe", 4, 4, 3});
    FakeWorker worker("cp \"$(dirname \"$0\")/source.sqlite\" \"$file\"\n"
                      "echo '{\"event\":\"started\",\"iterations\":3}'\n"
                      "for i in 0 1 2; do\n"
                      "  echo \"{\\\"event\\\":\\\"iteration\\\",\\\"index\\\":$i,"
                      "\\\"loss\\\":5.5,\\\"duration\\\":61300000}\"\n"
                      "  echo '{\"event\":\"rows\",\"last\":100}'\ndone\n"
                      "echo '{\"event\":\"finished\",\"outcome\":\"finished\"}'\n");
    REQUIRE(profiler::writeRun(worker.file("source.sqlite").toStdString(), run).has_value());
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    const auto document = library.start({QStringLiteral("--scheme"), QStringLiteral("bitpipe")});
    CHECK(document->state() == State::Running);
    CHECK(library.isAnyRunning());
    CHECK(QFileInfo(document->file()).fileName().contains(QStringLiteral("-bitpipe-D4-N8")));
    REQUIRE(waitFor([&] { return !document->isRunning(); }));
    CHECK(document->state() == State::Finished);
    CHECK(document->notice().level == Notice::Level::None);
    CHECK(document->progress().done == 3);
    REQUIRE(document->run() != nullptr);
    CHECK(document->run()->timeline.tracks == run.timeline.tracks);
    CHECK(document->log().join(u'\n').contains(QStringLiteral("61.3 ms, loss 5.50")));
    QFile::remove(document->file());
}

TEST_CASE("a killed worker leaves the recorded iterations, and the window names them")
{
    engine::Run run = simulatedRun({"1f1b", 4, 4, 2});
    run.info.outcome = engine::Outcome::Running;
    FakeWorker worker("cp \"$(dirname \"$0\")/source.sqlite\" \"$file\"\n"
                      "echo '{\"event\":\"started\",\"iterations\":5}'\nkill -KILL $$\n");
    REQUIRE(profiler::writeRun(worker.file("source.sqlite").toStdString(), run).has_value());
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    const auto document = library.start({});
    REQUIRE(waitFor([&] { return !document->isRunning(); }));
    CHECK(document->state() == State::Finished);
    CHECK(document->notice().level == Notice::Level::Error);
    CHECK(document->notice().title == QStringLiteral("The worker ended."));
    CHECK(document->notice().text
          == QStringLiteral("Killed by signal 9. Iterations 0–1 are complete and were kept."));
    CHECK(document->notice().canRepeat);
    QFile::remove(document->file());
}

TEST_CASE("a run that never began is a failed document with the worker's reason")
{
    FakeWorker worker("echo 'bscope: D = 3 is odd; try 4' >&2\nexit 2\n");
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    const auto document = library.start({});
    REQUIRE(waitFor([&] { return !document->isRunning(); }));
    CHECK(document->state() == State::Failed);
    CHECK(document->notice().text.startsWith(QStringLiteral("D = 3 is odd; try 4.")));
}

TEST_CASE("without a folder for runs nothing is started, and the notice says what to do")
{
    const QByteArray before = qgetenv("XDG_DATA_HOME");
    FakeWorker worker("exit 0\n");
    qputenv("XDG_DATA_HOME", worker.path().toUtf8()); // a file: no folder can be made in it
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    const auto document = library.start({});
    before.isNull() ? qunsetenv("XDG_DATA_HOME") : qputenv("XDG_DATA_HOME", before);
    CHECK(document->state() == State::Failed);
    CHECK(document->notice().title == QStringLiteral("Not started."));
    CHECK(document->notice().text.contains(QStringLiteral("set XDG_DATA_HOME")));
}

TEST_CASE("opening a file twice gives the same document, and reads it again only after a failure")
{
    FakeWorker folder("");
    REQUIRE(profiler::writeRun(folder.file("a.sqlite").toStdString(), simulatedRun({"1f1b", 2, 2}))
                .has_value());
    RunLibrary library;
    const auto document = library.open(folder.file("a.sqlite"));
    CHECK(library.open(folder.file("a.sqlite")) == document);
    REQUIRE(waitFor([&] { return document->state() != State::Loading; }));
    CHECK(document->state() == State::Finished);

    const auto missing = library.open(folder.file("none.sqlite"));
    REQUIRE(waitFor([&] { return missing->state() != State::Loading; }));
    CHECK(missing->state() == State::Failed);
    CHECK(missing->notice().title == QStringLiteral("Not opened."));

    // It stayed refused until the window was closed.
    REQUIRE(QFile::copy(folder.file("a.sqlite"), folder.file("none.sqlite")));
    CHECK(library.open(folder.file("none.sqlite")) == missing);
    REQUIRE(waitFor([&] { return missing->state() != State::Loading; }));
    CHECK(missing->state() == State::Finished);
    CHECK(missing->notice() == Notice());
}

TEST_CASE("runs wait in a queue for the running one and start automatically")
{
    FakeWorker worker(QByteArray("echo '{\"event\":\"started\",\"iterations\":1}'\n")
                      + FakeWorker::kUntilLetGo
                      + "echo '{\"event\":\"failed\",\"message\":\"enough\"}'\nexit 1\n");
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    const auto first = library.start({});
    const auto second = library.start({});
    const auto third = library.start({});
    CHECK(first->isRunning());
    CHECK(second->isQueued());
    CHECK(second->file() != third->file()); // of the same second
    CHECK(library.queuedOptions().size() == 2);
    library.stop(*second);
    CHECK(second->state() == State::Failed);
    CHECK(second->notice().text.contains(QStringLiteral("removed from the queue")));
    worker.letGo(first->file());
    REQUIRE(waitFor([&] { return third->isRunning(); }));
    CHECK_FALSE(first->isRunning());
    worker.letGo(third->file());
    REQUIRE(waitFor([&] { return !third->isRunning(); }));
    CHECK(library.queuedOptions().size() == 0);
}

// They ran one after the other, so that drift of the machine reached some of them.
TEST_CASE("runs that differ only in their scheme take turns in one worker")
{
    const auto event
        = [](const char* fields) { return QByteArray("echo '{\"event\":") + fields + "}'\n"; };
    FakeWorker worker("echo \"$arguments\" > \"$0-arguments\"\nmkdir -p \"$file\"\n"
                      "cp \"$(dirname \"$0\")/source.sqlite\" \"$file/1f1b-D2-N8.sqlite\"\n"
                      + event(R"("started","run":0,"iterations":2)")
                      + event(R"("started","run":1,"iterations":2)")
                      + event(R"("iteration","run":0,"index":0,"duration":61300000)")
                      + event(R"("iteration","run":1,"index":0,"duration":61300000)")
                      + event(R"("iteration","run":0,"index":1,"duration":61300000)")
                      + event(R"("finished","run":0,"outcome":"finished")")
                      + event(R"("failed","run":1,"message":"out of memory")") + "exit 1\n");
    REQUIRE(profiler::writeRun(worker.file("source.sqlite").toStdString(),
                               simulatedRun({"1f1b", 2, 8, 2}))
                .has_value());
    const auto options = [](const char* scheme, const char* devices) {
        return QStringList{QStringLiteral("--scheme"), QString::fromLatin1(scheme),
                           QStringLiteral("--devices"), QString::fromLatin1(devices)};
    };
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    const auto runs = library.startAll({options("1f1b", "2"), options("gpipe", "2")});
    REQUIRE(runs.size() == 2);
    CHECK((runs[0]->isRunning() && runs[1]->isRunning()));
    const QString folder = QFileInfo(runs[0]->file()).path();
    CHECK(runs[1]->file() == folder + QStringLiteral("/gpipe-D2-N8.sqlite"));
    REQUIRE(waitFor([&] { return !runs[0]->isRunning() && !runs[1]->isRunning(); }));
    CHECK(contents(worker.path() + QStringLiteral("-arguments"))
          == "run --devices 2 --scheme 1f1b --scheme gpipe --progress jsonl -o " + folder.toUtf8());
    CHECK(runs[0]->notice().level == Notice::Level::None);
    CHECK(runs[0]->progress().done == 2);
    CHECK(runs[0]->state() == State::Finished);
    CHECK(runs[1]->notice().text.contains(QStringLiteral("Out of memory.")));
    CHECK(runs[1]->progress().done == 1);
    QDir(folder).removeRecursively();
}

TEST_CASE("groups that are started in one second have their own folders, and runs their numbers")
{
    FakeWorker worker(FakeWorker::kForEver);
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    library.setPatience(std::chrono::milliseconds(0));
    QStringList numbered;
    library.setNumbering([&](const QString& file) {
        numbered.append(file);
        return static_cast<int>(numbered.size());
    });
    const auto options = [](const char* scheme) {
        return QStringList{QStringLiteral("--scheme"), QString::fromLatin1(scheme)};
    };
    std::set<QString> folders;
    QStringList files;
    for (int group = 0; group < 3; ++group)
        for (const auto& run : library.startAll(
                 {options("1f1b"), group == 0 ? QStringList() : options("gpipe")})) { // bitpipe
            folders.insert(QFileInfo(run->file()).path());
            files.append(run->file());
            CHECK(run->number() == files.size());
        }
    CHECK(folders.size() == 3);
    CHECK(numbered == files);
    // Runs that differ in more than the scheme, or in nothing, are not a group.
    const QStringList devices = {QStringLiteral("--devices"), QStringLiteral("4")};
    const QList<QList<QStringList>> others
        = {{options("1f1b"), options("gpipe") + devices}, {options("1f1b"), options("1f1b")}};
    for (const QList<QStringList>& apart : others)
        for (const auto& run : library.startAll(apart))
            CHECK(QFileInfo(run->file()).path() == QFileInfo(*folders.begin()).path());
    for (const QString& folder : folders)
        CHECK(QDir(folder).removeRecursively());
}

// Its page went on to show that it was queued or being read.
TEST_CASE("a queued run or one that is being read has failed when it is removed from the list")
{
    FakeWorker worker(FakeWorker::kForEver);
    REQUIRE(profiler::writeRun(worker.file("a.sqlite").toStdString(), simulatedRun({"1f1b", 2, 2}))
                .has_value());
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    const auto running = library.start({});
    const QStringList options{QStringLiteral("--scheme"), QStringLiteral("gpipe")};
    const auto queued = library.start(options);
    const auto loading = library.open(worker.file("a.sqlite"));
    for (const auto& removed : {queued, loading}) {
        library.close(*removed);
        CHECK(removed->state() == State::Failed);
        CHECK(removed->notice().text.contains(QStringLiteral("removed from the")));
        CHECK_FALSE(library.contains(*removed));
    }
    CHECK(queued->options() == options); // "Run again" of its page starts them
    CHECK(library.queuedOptions().size() == 0);
    CHECK(running->isRunning());
}

// The messages about a replaced file say "open it again", which showed the old run.
TEST_CASE("a file that replaced the one that was read is opened as another document")
{
    FakeWorker folder("");
    const QString file = folder.file("a.sqlite");
    const auto write = [&](const char* scheme) {
        REQUIRE(profiler::writeRun(file.toStdString(), simulatedRun({scheme, 2, 2}),
                                   engine::IfExists::Replace)
                    .has_value());
    };
    RunLibrary library;
    const auto openFully = [&] {
        auto document = library.open(file);
        REQUIRE(waitFor([&] { return document->state() == State::Finished; }));
        return document;
    };
    write("1f1b");
    const auto first = openFully();
    CHECK(library.open(file) == first);
    write("gpipe");
    const auto second = openFully();
    CHECK(second != first);
    CHECK(first->run()->info.scheme == "1f1b"); // its page still shows it
    CHECK(second->run()->info.scheme == "gpipe");
    CHECK_FALSE(library.contains(*first));
}

TEST_CASE("two windows never choose the same name for a new run")
{
    FakeWorker worker(QByteArray("echo '{\"event\":\"started\",\"iterations\":1}'\n")
                      + FakeWorker::kForEver);
    RunLibrary one, other;
    std::set<QString> names;
    std::vector<std::shared_ptr<RunDocument>> documents;
    for (int i = 0; i < 4; ++i) // of one second, or of two
        for (RunLibrary* library : {&one, &other}) {
            library->setWorkerProgram(worker.path());
            documents.push_back(library->start({}));
            names.insert(documents.back()->file());
        }
    const auto written = writeNewRun(simulatedRun({"bitpipe", 4, 8}));
    REQUIRE(written.has_value());
    names.insert(*written);
    CHECK(names.size() == 9);
    QFile::remove(*written);
    for (RunLibrary* library : {&one, &other})
        while (!library->queuedOptions().isEmpty())
            for (const auto& document : documents)
                library->stop(*document);
}

TEST_CASE("new runs are ticked until the user changes a tick")
{
    RunLibrary library;
    const auto first = library.add(simulatedRun({"bitpipe", 4, 4}));
    const auto second = library.add(simulatedRun({"gpipe", 4, 4}));
    CHECK(library.ticked().size() == 2);
    library.tick(*second, false);
    const auto third = library.add(simulatedRun({"1f1b", 4, 4})); // not added to the comparison
    CHECK(library.ticked() == RunLibrary::Runs{first});
    for (const auto& run : {first, second, third})
        library.close(*run);
    CHECK(library.runs().empty());
    library.add(simulatedRun({"1f1b", 4, 4}));
    CHECK(library.ticked().size() == 1);
}

TEST_CASE("a run is found by every path of its file, also when the file is written later")
{
    const FakeWorker folder("");
    const QString file = folder.file("a.sqlite"), link = folder.file("link.sqlite");
    RunLibrary library;
    library.open(folder.file("b.sqlite"));
    const auto run = library.open(file);
    REQUIRE(QFile::link(file, link));
    CHECK(library.find(link) == nullptr); // the file is missing
    QFile written(file);
    REQUIRE(written.open(QIODevice::WriteOnly));
    CHECK(library.find(file) == run);
    CHECK(library.find(link) == run);
}

TEST_CASE("moving a queued run updates the list")
{
    FakeWorker worker(QByteArray("echo '{\"event\":\"started\",\"iterations\":1}'\n")
                      + FakeWorker::kForEver);
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    const auto first = library.start({});
    const auto second = library.start({});
    const auto third = library.start({});
    const auto fourth = library.start({});
    library.moveInQueue(*fourth, -1);
    CHECK(library.runs().at(2) == fourth);
    CHECK(library.runs().at(3) == third);
    library.moveInQueue(*fourth, -5); // not before the one that works
    CHECK(library.runs().at(0) == first);
    CHECK(library.runs().at(1) == fourth);
    library.moveInQueue(*second, 1);
    CHECK(library.runs().at(3) == second);
    library.moveInQueue(*first, 2); // it works: it has no place to give
    CHECK(library.runs().at(0) == first);
    library.stop(*first);
    REQUIRE(waitFor([&] { return fourth->isRunning(); }));
    CHECK(third->isQueued());
    for (const auto& one : {third, second, fourth})
        library.stop(*one);
}

TEST_CASE("ops of the iteration under way count towards the progress and the predicted end")
{
    FakeWorker worker(
        QByteArray(
            "echo '{\"event\":\"started\",\"iterations\":3,\"warmup\":1}'\nsleep 0.1\n"
            "echo '{\"event\":\"ops\",\"index\":0,\"done\":4,\"all\":8,\"devices\":[3,1]}'\n"
            "echo '{\"event\":\"ops\",\"index\":2,\"done\":8,\"all\":8,\"devices\":[4,4]}'\n")
        + FakeWorker::kUntilLetGo + "echo '{\"event\":\"iteration\",\"duration\":1}'\n"
        + FakeWorker::kForEver);
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    const auto run = library.start({});
    const auto& progress = run->progress();
    REQUIRE(waitFor([&] { return progress.ops > 0; }));
    CHECK(progress.iterations() == 0.5);
    CHECK(progress.devices == std::vector{3, 1}); // not those of an iteration that comes later
    CHECK(progress.secondsLeft == Approx(5 * progress.secondsSoFar)); // 0.5 of 3 iterations
    worker.letGo(run->file());
    REQUIRE(waitFor([&] { return progress.done == 1; }));
    CHECK(progress.iterations() == 1);
    CHECK(progress.devices.empty());
    library.stop(*run);
}

TEST_CASE("the duration of a queued run is estimated from the FLOPs of a similar run")
{
    FakeWorker worker(QByteArray("echo '{\"event\":\"started\",\"iterations\":7,\"warmup\":2}'\n")
                      + FakeWorker::kUntilLetGo
                      + "echo '{\"event\":\"iteration\",\"duration\":1}'\n" + FakeWorker::kForEver);
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    const QString iterations = QStringLiteral("--iterations");
    const auto first = library.start({});
    const auto longer = library.start({iterations, QStringLiteral("12")}); // 14 of 7, with warm-up
    const auto live = library.start({QStringLiteral("--mode"), QStringLiteral("live")});
    CHECK(longer->progress().secondsLeft < 0); // nothing is known yet
    REQUIRE(waitFor([&] { return first->progress().planned == 7; }));
    QTest::qWait(100); // a hundred at least, so that what it took is more than nothing
    worker.letGo(first->file());
    REQUIRE(waitFor([&] { return first->progress().done == 1; }));
    const double one = first->progress().secondsSoFar;
    CHECK(one > 0);
    CHECK(longer->progress().secondsLeft == Approx(14 * one).epsilon(0.01));
    CHECK(live->progress().secondsLeft < 0);
    for (const auto& each : {live, longer, first})
        library.stop(*each);
}

// The pause counted towards the duration, and so towards the remaining time.
TEST_CASE("a paused worker makes no progress until it is resumed, and can be stopped")
{
    FakeWorker worker("trap 'exit 0' TERM\necho $$ > \"$(dirname \"$0\")/id\"\n"
                      "echo '{\"event\":\"started\",\"iterations\":100000}'\n"
                      "while true; do echo '{\"event\":\"rows\",\"last\":1}'\n"
                      "echo '{\"event\":\"iteration\",\"duration\":1}'; sleep 0.01; done\n");
    RunLibrary library;
    library.setWorkerProgram(worker.path());
    QElapsedTimer sinceStart, sincePause;
    sinceStart.start();
    const auto document = library.start({});
    REQUIRE(waitFor([&] { return document->progress().done > 2; }));
    const qint64 untilPause = sinceStart.elapsed();
    library.setPaused(*document, true);
    sincePause.start();
    CHECK(document->isPaused());
    const QString status
        = QStringLiteral("/proc/%1/stat").arg(QString::fromLatin1(contents(worker.file("id"))));
    REQUIRE(waitFor([&] { return contents(status).contains(") T "); })); // it is held
    settle(); // what was written already comes in, and it is the last
    const int done = document->progress().done;
    // Longer than the run had worked, so that a time that includes the pause is too long.
    REQUIRE(waitFor([&] { return sincePause.elapsed() > 2 * untilPause; }));
    const qint64 paused = sincePause.elapsed();
    library.setPaused(*document, false);
    REQUIRE(waitFor([&] { return document->progress().done > done; }));
    const double worked = static_cast<double>(sinceStart.elapsed() - paused) / 1000;
    CHECK(document->progress().secondsSoFar <= worked);
    library.setPaused(*document, true);
    library.stop(*document);
    CHECK_FALSE(document->isPaused());
    REQUIRE(waitFor([&] { return !document->isRunning(); }));
}

TEST_CASE("a large file shows its first iterations while the rest is read")
{
    const engine::Run run = simulatedRun({"1f1b", 8, 64, 150}); // 420,000 spans
    FakeWorker folder("exit 0\n");
    const QString file = folder.file("large.sqlite");
    REQUIRE(profiler::writeRun(file.toStdString(), run).has_value());
    RunLibrary library;
    const auto document = library.open(file);
    std::size_t atFirst = 0;
    QObject::connect(document.get(), &RunDocument::runChanged, document.get(), [&] {
        if (document->state() == State::Loading && atFirst == 0)
            atFirst = document->run()->timeline.iterations.size();
    });
    REQUIRE(waitFor([&] { return document->state() == State::Finished; }));
    CHECK(atFirst > 0);
    CHECK(atFirst < run.timeline.iterations.size());
    CHECK(document->progress().read > 0.5);
    CHECK(document->progress().read < 1);
    CHECK(document->run()->timeline.tracks == run.timeline.tracks);
}
