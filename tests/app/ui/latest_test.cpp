#include "app/ui/background.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <semaphore>
#include <vector>

using namespace app;

namespace {

// Answers with the request, when it is let go.
struct Asked : QObject
{
    using Jobs = Latest<int, int>;
    explicit Asked(Jobs::Older older)
        : jobs(
            this,
            [this](int request) {
                go.acquire();
                if (request < 0)
                    throw std::runtime_error("negative");
                return *engine::CancelScope::flag() ? -1 : request;
            },
            [this](int answer) { answers.push_back(answer); }, older)
    { }
    ~Asked() override { QThreadPool::globalInstance()->waitForDone(); }

    std::counting_semaphore<> go{0};
    std::vector<int> answers;
    Jobs jobs;
};

} // namespace

TEST_CASE("of many requests only the newest is answered")
{
    Asked asked(Asked::Jobs::Older::Dropped);
    for (int request = 1; request <= 9; ++request)
        asked.jobs.ask(request);
    asked.go.release(2); // a third job would wait for ever
    REQUIRE(waitFor([&] { return !asked.jobs.isBusy(); }));
    CHECK(asked.answers == std::vector{9});
}

TEST_CASE("a picture that follows a slider shows the request that ran, too")
{
    Asked asked(Asked::Jobs::Older::Delivered);
    for (int request = 1; request <= 9; ++request)
        asked.jobs.ask(request);
    asked.go.release(2);
    REQUIRE(waitFor([&] { return !asked.jobs.isBusy(); }));
    CHECK(asked.answers == std::vector{1, 9});
}

TEST_CASE("a dropped request has no answer, and the next one has")
{
    Asked asked(Asked::Jobs::Older::Dropped);
    asked.jobs.ask(1);
    asked.jobs.ask(2);
    asked.jobs.drop();
    asked.go.release();
    REQUIRE(waitFor([&] { return !asked.jobs.isBusy(); }));
    asked.go.release();
    asked.jobs.ask(3);
    REQUIRE(waitFor([&] { return !asked.jobs.isBusy(); }));
    CHECK(asked.answers == std::vector{3});
}

TEST_CASE("work that never ends is dropped midway, without an answer and without an error")
{
    QObject owner;
    int answers = 0;
    Latest<bool, int> jobs(
        &owner,
        [](bool isEndless) {
            while (isEndless)
                engine::throwIfCancelled();
            return 1;
        },
        [&](int) { ++answers; });
    jobs.ask(true);
    jobs.ask(false);
    REQUIRE(waitFor([&] { return !jobs.isBusy(); }));
    CHECK(answers == 1);
}
