#include "tests/cli/bscope.h"

#include <chrono>
#include <thread>

using namespace cli_test;

namespace {

template<class Fact>
bool becomesTrue(const Fact& fact)
{
    for (int i = 0; i < 3000; ++i) {
        if (fact())
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

} // namespace

// A worker that is held hears no signal but SIGCONT: once its window was gone it stood there for
// good, with its memory, and its file was never finished.
TEST_CASE("a worker that is held when its window dies goes on, stops, and keeps what it has")
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
