#include "app/documents/run_document.h"
#include "tests/app/fake_worker.h"
#include "tests/app/wait_for.h"

#include <QSignalSpy>

#include <chrono>
#include <csignal>
#include <optional>
#include <vector>

using namespace app;
using How = WorkerEnd::How;

namespace {

// A process under test, what it said and how it ended.
struct WatchedProcess
{
    explicit WatchedProcess(const FakeWorker& worker,
                            std::chrono::milliseconds patience = kPatience)
    {
        QObject::connect(&process, &RunProcess::eventReceived, &process,
                         [this](const WorkerEvent& event) { events.push_back(event); });
        QObject::connect(&process, &RunProcess::ended, &process,
                         [this](const WorkerEnd& how) { end = how; });
        process.setPatience(patience);
        process.start(worker.path(),
                      {QStringLiteral("run"), QStringLiteral("--iterations"), QStringLiteral("5"),
                       QStringLiteral("-o"), worker.file("run.sqlite")});
    }
    bool started() const { return !events.empty(); }

    static constexpr std::chrono::minutes kPatience{10}; // nobody is killed for being slow
    RunProcess process;
    std::vector<WorkerEvent> events;
    std::optional<WorkerEnd> end;
};

} // namespace

TEST_CASE("a worker that finishes has reported all its lines, in order")
{
    const FakeWorker worker("echo '{\"event\":\"started\",\"iterations\":5}' >&2\n"
                            "echo '{\"event\":\"iteration\",\"index\":0,\"loss\":5.5}' >&2\n"
                            "printf '{\"event\":\"finished\",\"outcome\":\"finished\"}' >&2\n");
    WatchedProcess run(worker);
    REQUIRE(waitFor([&] { return run.end.has_value(); }));
    CHECK(run.end->how == How::Finished);
    REQUIRE(run.events.size() == 3); // the last line has no newline
    CHECK(run.events[0].iterations == 5);
    CHECK(run.events[1].loss == 5.5);
}

TEST_CASE("a worker of another build is refused before it runs, and both builds are named")
{
    const FakeWorker worker("touch \"$file\"\n", FakeWorker::Build::Other);
    WatchedProcess run(worker);
    REQUIRE(waitFor([&] { return run.end.has_value(); }));
    CHECK(run.end->how == How::Refused);
    CHECK(run.end->text.contains(QStringLiteral("0.0.1+other")));
    CHECK_FALSE(QFile::exists(worker.file("run.sqlite")));
}

TEST_CASE("stop sends SIGTERM, and the worker decides when to end")
{
    const FakeWorker worker("trap 'echo \"{\\\"event\\\":\\\"finished\\\",\\\"outcome\\\":"
                            "\\\"cancelled\\\"}\"; exit 0' TERM\n"
                            "echo '{\"event\":\"started\",\"iterations\":5}'\n"
                            "while :; do sleep 0.05; done\n");
    WatchedProcess run(worker);
    REQUIRE(waitFor([&] { return run.started(); }));
    run.process.stop();
    REQUIRE(waitFor([&] { return run.end.has_value(); }));
    CHECK(run.end->how == How::Cancelled);
    CHECK(run.end->text.isEmpty());
}

TEST_CASE("a worker that ignores SIGTERM is killed, which is reported")
{
    const FakeWorker worker("trap '' TERM\n"
                            "echo '{\"event\":\"started\",\"iterations\":5}'\n"
                            "while :; do sleep 0.05; done\n");
    WatchedProcess run(worker, std::chrono::milliseconds(1));
    REQUIRE(waitFor([&] { return run.started(); }));
    run.process.stop();
    REQUIRE(waitFor([&] { return run.end.has_value(); }));
    CHECK(run.end->how == How::Cancelled);
    CHECK(run.end->text == QStringLiteral("The worker stopped responding and was terminated."));
}

// Only the worker was killed, so a stopped run waited for the answer forever.
TEST_CASE("a program that does not answer --version is killed when the run is stopped")
{
    const FakeWorker worker("", FakeWorker::Build::Silent);
    WatchedProcess run(worker, std::chrono::milliseconds(1));
    run.process.stop();
    REQUIRE(waitFor([&] { return run.end.has_value(); }));
    CHECK(run.end->how == How::Cancelled);
    CHECK(run.end->text == QStringLiteral("Stopped before the run began."));
}

TEST_CASE("a worker killed from outside names the signal")
{
    const FakeWorker worker("echo '{\"event\":\"started\",\"iterations\":5}'\nkill -KILL $$\n");
    WatchedProcess run(worker);
    REQUIRE(waitFor([&] { return run.end.has_value(); }));
    CHECK(run.end->how == How::Killed);
    CHECK(run.end->text == QStringLiteral("Killed by signal 9."));
}

TEST_CASE("a worker that fails is quoted: its failed event, else its last line")
{
    const FakeWorker telling("echo '{\"event\":\"failed\",\"message\":\"no such text file\"}'\n"
                             "exit 1\n");
    WatchedProcess first(telling);
    REQUIRE(waitFor([&] { return first.end.has_value(); }));
    CHECK(first.end->how == How::Failed);
    CHECK(first.end->text == QStringLiteral("no such text file"));

    const FakeWorker terse("echo 'bscope: 8 stages need --layers 8 at least' >&2\nexit 2\n");
    WatchedProcess second(terse);
    REQUIRE(waitFor([&] { return second.end.has_value(); }));
    CHECK(second.end->text == QStringLiteral("bscope: 8 stages need --layers 8 at least"));
}

TEST_CASE("a missing program is refused")
{
    RunProcess process;
    std::optional<WorkerEnd> end;
    QObject::connect(&process, &RunProcess::ended, &process,
                     [&](const WorkerEnd& how) { end = how; });
    process.start(QStringLiteral("/nowhere/bscope"), {QStringLiteral("run")});
    REQUIRE(waitFor([&] { return end.has_value(); }));
    CHECK(end->how == How::Refused);
}
