#include "engine/schedule/validate.h"
#include "tests/support/pipelines.h"

using namespace engine;
using namespace tests;

TEST_CASE("every scheme is valid, as built and lowered")
{
    for (const Scheme& scheme : schemes())
        for (const int devices : {2, 4, 6, 8, 16})
            for (const int units : {1, 2, 4}) {
                const Schedule schedule
                    = scheduleOf(std::string(scheme.name), devices, units * devices);
                INFO(scheme.name << " D=" << devices << " N=" << units * devices);
                CHECK(validate(schedule).empty());
                CHECK(validate(addP2P(schedule)).empty());
                CHECK(validate(lower(schedule)).empty());
                CHECK(validate(lower(schedule, SyncPolicy::Late)).empty());
            }
}
