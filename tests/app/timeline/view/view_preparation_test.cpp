#include "app/timeline/view/run_view.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"

using namespace app;

namespace {

// Many more spans than are prepared at once.
RunPointer large()
{
    return sharedRun({"1f1b", 8, 64, 120});
}

struct Asked
{
    Asked()
    {
        QObject::connect(&preparation, &ViewPreparation::ready, &preparation,
                         [this](const auto& views) { answers.push_back(views); });
    }
    ViewPreparation preparation;
    std::vector<std::vector<RunViewPointer>> answers;
};

} // namespace

TEST_CASE("a small run is prepared before ask returns")
{
    Asked asked;
    const RunPointer run = sharedRun({"1f1b", 4, 4});
    asked.preparation.ask({run});
    REQUIRE(asked.answers.size() == 1);
    CHECK(asked.answers[0][0]->shared() == run);
    CHECK_FALSE(asked.preparation.isBusy());
}

TEST_CASE("a large run is prepared in the thread pool, and only the newest of several is delivered")
{
    Asked asked;
    const RunPointer first = large(), second = large(), third = sharedRun({"1f1b", 4, 4});
    asked.preparation.ask({first});
    CHECK(asked.preparation.isBusy());
    CHECK(asked.answers.empty());
    asked.preparation.ask({second});
    asked.preparation.ask({second, third});
    REQUIRE(waitFor([&] { return !asked.answers.empty(); }));
    REQUIRE(asked.answers.size() == 1);
    REQUIRE(asked.answers[0].size() == 2);
    CHECK(asked.answers[0][0]->shared() == second);
    CHECK(asked.answers[0][1]->shared() == third);
}

TEST_CASE("a run that was prepared already is not prepared again")
{
    Asked asked;
    const RunPointer run = large();
    asked.preparation.ask({run});
    REQUIRE(waitFor([&] { return asked.answers.size() == 1; }));
    asked.preparation.ask({sharedRun({"1f1b", 4, 4}), run});
    REQUIRE(asked.answers.size() == 2); // at once: what is new is small
    CHECK(asked.answers[1][1] == asked.answers[0][0]);
}
