#include "tests/cli/bscope.h"

#include <sqlite3.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

using namespace cli_test;

// A worker that is held hears no signal but SIGCONT: once its window was gone it stood there for
// good, with its memory, and its file was never finished.
TEST_CASE("a paused worker whose window dies resumes, stops, and keeps complete iterations")
{
    const Folder folder;
    const pid_t window = fork();
    if (window == 0) {
        const Process worker(folder,
                             words("run --scheme 1f1b --devices 2 --micro-batches 2 --iterations "
                                   "100000 --progress jsonl -o run.sqlite"));
        const bool runs = becomesTrue([&] {
            return worker.errorSoFar().find("\"event\":\"iteration\"") != std::string::npos;
        });
        kill(worker.id(), SIGSTOP);
        _exit(runs ? 0 : 1); // like a crash, without any report
    }
    int status = 0;
    waitpid(window, &status, 0);
    REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    CHECK(becomesTrue([&] {
        return readText(folder / "err").find("\"outcome\":\"cancelled\"") != std::string::npos;
    }));
    CHECK(bscope(folder, "analyze run.sqlite --json").json()["outcome"] == "cancelled");
}

TEST_CASE("a run whose file is locked reports this, waits, and loses nothing")
{
    const Folder folder;
    Process worker(folder,
                   words("run --scheme 1f1b --devices 2 --micro-batches 2 --layers 8 --width 16 "
                         "--heads 2 --sequence 16 --iterations 100000 --progress jsonl "
                         "-o run.sqlite"));
    const auto says = [&](const char* event, std::size_t from = 0) {
        return becomesTrue(
            [&] { return worker.errorSoFar().find(event, from) != std::string::npos; });
    };
    REQUIRE(says("\"event\":\"iteration\""));
    sqlite3* other = nullptr;
    REQUIRE(sqlite3_open((folder / "run.sqlite").c_str(), &other) == SQLITE_OK);
    sqlite3_busy_timeout(other, 10'000);
    REQUIRE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
    REQUIRE(says(
        "run.sqlite is locked by another program; the run continues when the lock is released"));
    sqlite3_close(other);
    CHECK(says("\"event\":\"iteration\"", worker.errorSoFar().find("is locked by another")));
    kill(worker.id(), SIGINT);
    const Printed printed = worker.wait();
    CHECK(contains(printed.err, "\"outcome\":\"cancelled\""));
    std::size_t reported = 0;
    for (const std::string& line : lines(printed.err))
        reported += contains(line, "\"event\":\"iteration\"") ? 1 : 0;
    CHECK(bscope(folder, "export run.sqlite --format json").json()["iterations"].size()
          >= reported);
}

// Only SIGKILL ended a worker whose window was busy, or that waited for a library.
TEST_CASE("a second SIGTERM ends a run that does not react to the first one")
{
    const Folder folder;
    REQUIRE(mkfifo((folder / "err").c_str(), 0600) == 0);
    const int pipe = open((folder / "err").c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(fcntl(pipe, F_SETPIPE_SZ, 4096) == 4096);
    Process worker(folder,
                   words("run --layers 8 --width 16 --heads 2 --sequence 16 --iterations 100000 "
                         "--progress jsonl -o run.sqlite"));
    int before = 0, full = 0, times = 0; // the pipe is full when its bytes stay the same
    REQUIRE(becomesTrue([&] {
        ioctl(pipe, FIONREAD, &full);
        times = full == before && full > 3000 ? times + 1 : 0;
        before = full;
        return times == 30;
    }));
    CHECK(becomesTrue([&] {
        kill(worker.id(), SIGTERM);
        return !worker.isRunning();
    }));
    close(pipe);
    fs::remove(folder / "err");
    CHECK(worker.wait().status == -SIGTERM);
}

TEST_CASE("a worker reports the position of every device within an iteration")
{
    const Folder folder;
    const auto ran
        = bscope(folder,
                 "run --scheme 1f1b --devices 2 --micro-batches 8 --layers 8 --width 256 "
                 "--heads 4 --iterations 2 --warmup 0 --progress jsonl -o run.sqlite");
    int reports = 0;
    std::vector<int> before{0, 0, 0}; // of the devices, and the iteration
    std::istringstream lines(ran.err);
    for (std::string line; std::getline(lines, line);) {
        const auto event = nlohmann::json::parse(line, nullptr, false);
        if (event.is_discarded() || event["event"] != "ops")
            continue;
        ++reports;
        const int done = event["done"];
        const std::vector<int> devices = event["devices"];
        REQUIRE(devices.size() == 2);
        CHECK(done <= event["all"].get<int>());
        const bool isSame = event["index"] == before[2];
        CHECK((devices[0] >= before[0] || !isSame));
        CHECK((devices[1] >= before[1] || !isSame));
        before = {devices[0], devices[1], event["index"]};
    }
    CHECK(reports > 0);
}
