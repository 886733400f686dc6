#include "app/timeline/view/navigation.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <Qt>

using namespace app;

namespace {

// 1F1B on four devices; nothing selected yet.
struct Walk
{
    RunView view{sample::units({"1f1b", 4, 8, 1})};

    Selection go(const Selection& from, std::initializer_list<int> keys) const
    {
        Selection at = from;
        for (const int key : keys) {
            CHECK(isWalkKey(key));
            const auto next = walked(view, at, 0, key);
            REQUIRE(next);
            at = *next;
        }
        return at;
    }
    int microBatch(const Selection& at) const { return view.op(at.op).microBatch.value; }
};

} // namespace

TEST_CASE("the first key of all selects the first op, whichever it is")
{
    const Walk walk;
    for (const int key : {Qt::Key_J, Qt::Key_Period, Qt::Key_Down, Qt::Key_Return})
        CHECK(walk.go({}, {key}) == *firstOp(walk.view, 0));
}

TEST_CASE("J and K select the next and previous micro-batch, comma and period move along the lane")
{
    const Walk walk;
    const Selection first = walk.go({}, {Qt::Key_J});
    REQUIRE(walk.microBatch(first) == 0);
    CHECK(walk.microBatch(walk.go(first, {Qt::Key_J, Qt::Key_J})) == 2);
    CHECK(walk.go(first, {Qt::Key_J, Qt::Key_J, Qt::Key_K, Qt::Key_K}) == first);
    const Selection next = walk.go(first, {Qt::Key_Period});
    CHECK(next.window.begin == first.window.end);
    CHECK(walk.go(next, {Qt::Key_Comma}) == first);
}

TEST_CASE("brackets move along the flow, Up and Down between devices")
{
    const Walk walk;
    const Selection first = walk.go({}, {Qt::Key_J});
    const Selection after = walk.go(first, {Qt::Key_BracketRight});
    CHECK(after.device == engine::DeviceId{1});
    CHECK(walk.microBatch(after) == 0);
    CHECK(walk.go(after, {Qt::Key_BracketLeft}) == first);
    const Selection below = walk.go(first, {Qt::Key_Down});
    CHECK(below.device == engine::DeviceId{1});
    CHECK(walk.go(below, {Qt::Key_Up}).device == engine::DeviceId{0});
    CHECK_FALSE(isWalkKey(Qt::Key_X));
    CHECK_FALSE(walked(walk.view, first, 0, Qt::Key_X));
}

TEST_CASE("a bubble is walked from as an op is, and Return and Enter lead from both to the cause")
{
    const Walk walk;
    Selection bubble = walk.go({}, {Qt::Key_J, Qt::Key_Down});
    while (bubble.kind != Selection::Kind::Bubble)
        bubble = walk.go(bubble, {Qt::Key_Period});
    CHECK(walk.go(bubble, {Qt::Key_Period}).window.begin == bubble.window.end);
    const auto cause = toCause(walk.view, bubble);
    REQUIRE(cause);
    CHECK(walk.go(bubble, {Qt::Key_Return}) == *cause);
    CHECK(walk.go(bubble, {Qt::Key_Enter}) == *cause);
}
