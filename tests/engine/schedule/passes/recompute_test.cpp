#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/passes/passes.h"
#include "tests/support/golden.h"
#include "tests/support/pipelines.h"
#include "tests/support/text_schedule.h"

using namespace engine;
using namespace tests;

TEST_CASE("a RECOMPUTE precedes each B or I")
{
    CHECK(programOf(addRecompute(scheduleFrom({"0F0 0F1 0B0 0I1 0W1"})))
          == std::vector<std::string>{"0F0 0F1 0RECOMPUTE0 0B0 0RECOMPUTE1 0I1 0W1"});
    CHECK(programOf(addRecompute(scheduleFrom({"0F0 0B0 0F1u 0B1u", "0F2 (0F3 0B2) 0B3"})))[1]
          == "0F2 0RECOMPUTE2 0F3 0B2 0RECOMPUTE3 0B3");
}

TEST_CASE("an evicted stash is loaded first, then used to recompute")
{
    const Schedule schedule
        = addRecompute(addEvictLoad(scheduleOf("1f1b", 4, 6), EvictPolicy::Lazy).value());
    CHECK_THAT(programOf(schedule).front(),
               Catch::Contains("0B2 0LOAD3 0RECOMPUTE3 0B3 0RECOMPUTE4 0B4"));
    CHECK(validate(lower(schedule)).empty());
}

TEST_CASE("every scheme can recompute: one before each B or I, valid, and the same from its file")
{
    for (const Scheme& scheme : schemes()) {
        const auto built = buildSchedule(requestOf(std::string(scheme.name), 4, 8));
        REQUIRE(built);
        INFO(scheme.name);
        const Schedule schedule = addRecompute(*built);
        for (const engine::DeviceId d : schedule.program.ids()) {
            const auto count = [](const std::vector<Op>& ops, OpKind kind) {
                return std::ranges::count(ops, kind, &Op::kind);
            };
            CHECK(count(schedule.program[d], OpKind::Recompute)
                  == count(built->program[d], OpKind::Backward)
                      + count(built->program[d], OpKind::BackwardInput));
        }
        CHECK(validate(schedule).empty());
        CHECK(validate(lower(schedule)).empty());
        const auto again = readCsv(writeCsv(schedule), scheme.name);
        REQUIRE(again);
        CHECK(again->program == schedule.program);
    }
}

TEST_CASE("each half of a backward recomputes its half")
{
    const Schedule schedule = addRecompute(scheduleOf("chimera", 4, 8, {{"concat", "halving"}}));
    CHECK_THAT(programOf(schedule).front(), Catch::Contains("3RECOMPUTE2u.0 3B2u.0"));
    CHECK(validate(lower(schedule)).empty());
    CHECK(readCsv(writeCsv(schedule)).value().program == schedule.program);
}
