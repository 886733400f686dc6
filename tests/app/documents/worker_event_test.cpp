#include "app/documents/run_document.h"
#include "tests/catch.h"

using namespace app;
using Kind = WorkerEvent::Kind;

TEST_CASE("a line of the worker's progress is read with its fields")
{
    const auto event = parseWorkerEvent(
        R"({"event":"iteration","t":1.5,"index":3,"loss":5.25,"duration":61300000})");
    REQUIRE(event.has_value());
    CHECK(event->kind == Kind::Iteration);
    CHECK(event->time == 1.5);
    CHECK(event->index == 3);
    CHECK(event->loss == 5.25);
    CHECK(event->duration == 61300000);
    const auto started = parseWorkerEvent(R"({"event":"started","iterations":7,"warmup":2})");
    CHECK(started->iterations == 7);
    CHECK(started->warmup == 2);
    CHECK(parseWorkerEvent(R"({"event":"rows","t":2,"last":41806})")->rows == 41806);
    const auto points = parseWorkerEvent(R"({"event":"points","done":3,"all":9,"left":1.5})");
    CHECK(points->kind == Kind::Points);
    CHECK(points->done == 3);
    CHECK(points->all == 9);
    CHECK(points->left == 1.5);
    const auto ops
        = parseWorkerEvent(R"({"event":"ops","index":3,"done":5,"all":8,"devices":[3,2]})");
    CHECK(ops->kind == Kind::Ops);
    CHECK(ops->index == 3);
    CHECK(ops->done == 5);
    CHECK(ops->devices == std::vector{3, 2});
    CHECK(parseWorkerEvent(R"({"event":"finished","outcome":"cancelled"})")->outcome
          == QStringLiteral("cancelled"));
}

TEST_CASE("an unknown event of a newer worker is passed on as such")
{
    CHECK(parseWorkerEvent(R"({"event":"coffee","t":1})")->kind == Kind::Other);
}

TEST_CASE("a line that is no event is ignored")
{
    CHECK_FALSE(parseWorkerEvent("bscope: no such model").has_value());
    CHECK_FALSE(parseWorkerEvent("{\"t\":1}").has_value());
    CHECK_FALSE(parseWorkerEvent("{\"event\":3}").has_value());
    CHECK_FALSE(parseWorkerEvent("").has_value());
}
