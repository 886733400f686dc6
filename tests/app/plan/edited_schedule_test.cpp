#include "app/editor/editor_page.h"
#include "app/plan/edited_schedule.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/passes/passes.h"
#include "tests/catch.h"

using namespace app;

namespace {

engine::Schedule built(const char* scheme, int devices, int microBatches)
{
    engine::ScheduleRequest request;
    request.scheme = scheme;
    request.devices = devices;
    request.microBatches = microBatches;
    return *engine::buildSchedule(request);
}

std::string ops(const EditedSchedule& edited, int device)
{
    std::string text;
    for (const engine::Op& op : edited.schedule().program[{device}])
        text += (text.empty() ? "" : " ") + engine::toString(op);
    return text;
}

ScheduleCheck checked(const EditedSchedule& edited)
{
    return checkSchedule(edited.schedule(), QStringLiteral("test"));
}

} // namespace

TEST_CASE("an op moves within its device, swaps with its neighbour, and every step is undone")
{
    EditedSchedule edited(built("1f1b", 2, 2));
    REQUIRE(ops(edited, 0) == "0F0 0F1 0B0 0B1");
    CHECK(edited.move({0, 3}, 0) == OpPlace{0, 0});
    CHECK(ops(edited, 0) == "0B1 0F0 0F1 0B0");
    CHECK(edited.swap({0, 0}, 1) == OpPlace{0, 1});
    CHECK(ops(edited, 0) == "0F0 0B1 0F1 0B0");
    CHECK_FALSE(edited.swap({0, 3}, 1).isValid());
    CHECK_FALSE(edited.move({0, 1}, 1).isValid()); // where it is
    CHECK_FALSE(edited.move({0, 1}, 2).isValid());
    CHECK(edited.undoStack().count() == 2);
    CHECK(edited.undoStack().undoText() == QStringLiteral("move 0B1"));
    edited.undoStack().undo();
    edited.undoStack().undo();
    CHECK(ops(edited, 0) == "0F0 0F1 0B0 0B1");
    edited.undoStack().redo();
    CHECK(ops(edited, 0) == "0B1 0F0 0F1 0B0");
}

TEST_CASE("a restored op follows the op that preceded it")
{
    EditedSchedule edited(built("1f1b", 2, 2));
    CHECK(edited.remove({0, 1}) == OpPlace{0, 1});
    CHECK(ops(edited, 0) == "0F0 0B0 0B1");
    edited.move({0, 2}, 0);
    REQUIRE(edited.removed().size() == 1);
    CHECK(edited.restore(edited.removed().front()) == OpPlace{0, 2});
    CHECK(ops(edited, 0) == "0B1 0F0 0F1 0B0");
    CHECK(edited.removed().empty());
}

TEST_CASE("joint ops move together, and a single one of them is a plain op")
{
    EditedSchedule edited(built("dualpipe", 2, 4));
    int pair = -1;
    const auto& program = edited.schedule().program[{0}];
    for (int i = 0; i < static_cast<int>(program.size()) && pair < 0; ++i)
        if (program[i].flags == engine::OpFlag::JointWithNext)
            pair = i;
    REQUIRE(pair > 0);
    const std::string first = engine::toString(edited.at({0, pair}));
    const std::string second = engine::toString(edited.at({0, pair + 1}));
    CHECK(edited.move({0, pair + 1}, 0) == OpPlace{0, 1});
    CHECK(engine::toString(edited.at({0, 0})) == first);
    CHECK(engine::toString(edited.at({0, 1})) == second);
    CHECK_FALSE(edited.move({0, 0}, 1).isValid()); // not between the two
    edited.remove({0, 1});
    CHECK(edited.at({0, 0}).flags == engine::OpFlag::None);
    edited.undoStack().undo();
    CHECK(edited.at({0, 0}).flags == engine::OpFlag::JointWithNext);
}

TEST_CASE("ops that follow from the order are left out of an edited file")
{
    const engine::Schedule plain = built("1f1b", 2, 2);
    EditedSchedule edited(engine::lower(plain));
    CHECK(edited.schedule().program == plain.program);
    CHECK(edited.leftOut() > 0);
    CHECK(edited.undoStack().isClean());
}

TEST_CASE("a deadlocked order shows how far each device runs")
{
    EditedSchedule edited(built("1f1b", 2, 2));
    REQUIRE(checked(edited).isValid());
    CHECK(checked(edited).reached == std::vector{4, 4});
    edited.move({0, 2}, 1); // 0F0 0B0 0F1 0B1: still fine, only slower
    CHECK(checked(edited).isValid());
    EditedSchedule stuck(built("gpipe", 2, 2));
    REQUIRE(ops(stuck, 1) == "1F0 1F1 1B0 1B1");
    stuck.move({0, 2}, 1); // device 0: 0F0 0B0 0F1; device 1 wants 0F1 before it sends 1B0
    const ScheduleCheck check = checked(stuck);
    CHECK_FALSE(check.isValid());
    CHECK(check.reached == std::vector{1, 1});
    CHECK(check.messages.contains({0, 1}));
}

TEST_CASE("a missing op is restored where the schedule becomes valid")
{
    engine::Schedule schedule = built("1f1b", 2, 3);
    const engine::Op gone = schedule.program[{0}][1];
    schedule.program[{0}].erase(schedule.program[{0}].begin() + 1);
    const ScheduleCheck check = checkSchedule(schedule, QStringLiteral("x"));
    REQUIRE(check.missing.size() == 1);
    CHECK(check.missing.front().op == gone);
    EditedSchedule edited(schedule);
    AbsentOp absent = check.missing.front();
    absent.place = placeFor(edited.schedule(), absent);
    edited.restore(absent);
    CHECK(checked(edited).isValid());
}
