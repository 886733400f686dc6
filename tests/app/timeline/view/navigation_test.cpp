#include "app/timeline/view/navigation.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/text.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

namespace {

using app::Selection;
using app::Step;

// What the selection is, in the notation of ops; "bubble" for one.
std::string name(const app::RunView& view, const std::optional<Selection>& selection)
{
    if (!selection || selection->kind == Selection::Kind::None)
        return "none";
    if (selection->kind == Selection::Kind::Bubble)
        return "bubble";
    return app::opName(view.run().info, view.op(selection->op)).toStdString();
}

std::string walk(const app::RunView& view, Selection from, int steps,
                 std::optional<Selection> (*go)(const app::RunView&, const Selection&, Step))
{
    std::string names = name(view, from);
    for (int k = 0; k < steps; ++k) {
        const auto to = go(view, from, Step::Next);
        names += " " + name(view, to);
        if (!to)
            break;
        from = *to;
    }
    return names;
}

} // namespace

TEST_CASE("the keys walk a lane op by op and bubble by bubble")
{
    // 1F1B, D = 2, N = 2:  device 0 | 0F0 0F1 .... 0B0 .... 0B1
    const app::RunView view(sample::units({"1f1b", 2, 2, 1}));
    const auto first = app::firstOp(view, 0);
    REQUIRE(first);
    CHECK(walk(view, *first, 9, app::inLane) == "0F0 0F1 bubble 0B0 bubble 0B1 none");
    CHECK_FALSE(app::inLane(view, *first, Step::Previous));
}

TEST_CASE("the keys walk a micro-batch through its stages and back")
{
    const app::RunView view(sample::units({"1f1b", 3, 3, 1}));
    CHECK(walk(view, *app::firstOp(view, 0), 9, app::alongFlow) == "0F0 1F0 2F0 2B0 1B0 0B0 none");
}

TEST_CASE("the keys walk the micro-batches of one op")
{
    const app::RunView view(sample::units({"bitpipe", 4, 4, 1}));
    CHECK(walk(view, *app::selectOp(view, app::firstOp(view, 0)->op, 0), 9, app::toMicroBatch)
          == "0F0 0F1 0F2u 0F3u none");
}

TEST_CASE("a bubble belongs to the micro-batch that it waits for")
{
    const app::RunView view(sample::units({"1f1b", 2, 2, 1}));
    auto at = *app::firstOp(view, 0);
    at = *app::inLane(view, *app::inLane(view, at, Step::Next), Step::Next);
    REQUIRE(at.kind == Selection::Kind::Bubble);
    CHECK(app::flowOf(view, at)->microBatch == engine::MicroBatchId{0});
}

TEST_CASE("pointing finds the box that is drawn there, in every lane and at its edges")
{
    const app::RunView view(sample::measured({"bitpipe", 4, 8, 1}));
    const auto extent = view.extent();
    const app::TimeAxis axis{static_cast<double>(extent.begin), static_cast<double>(extent.end),
                             140, 900, 1};
    const auto lanes = app::layoutLanes(4, {600, 42, {}});
    for (const auto& track : view.timeline().tracks) {
        for (const auto& span : track.spans) {
            const auto selection = *app::selectOp(view, span.op, 0);
            const QRectF box = app::rectOf(view, axis, lanes, selection);
            REQUIRE_FALSE(box.isEmpty());
            if (box.width() < 4)
                continue;
            const auto found = app::selectionAt(view, axis, lanes, box.center());
            CHECK(name(view, found) == name(view, selection));
        }
    }
}

TEST_CASE("nothing is selected beside the iteration or between the lanes")
{
    const app::RunView view(sample::units({"1f1b", 2, 2, 1}));
    const app::TimeAxis axis{-100, 100, 0, 200, 1};
    const auto lanes = app::layoutLanes(2, {600, 42, {}});
    CHECK(app::selectionAt(view, axis, lanes, {10, 20}).kind == Selection::Kind::None);
    CHECK(app::selectionAt(view, axis, lanes, {101, 4}).kind == Selection::Kind::None);
    CHECK(app::selectionAt(view, axis, lanes, {101, 20}).kind == Selection::Kind::Op);
}

TEST_CASE("Enter leads from an op or a bubble to what it waited for")
{
    const app::RunView view(sample::units({"1f1b", 2, 2, 1}));
    const auto next = *app::alongFlow(view, *app::firstOp(view, 0), Step::Next);
    CHECK(name(view, next) == "1F0");
    const auto received = app::toCause(view, next);
    REQUIRE(received);
    CHECK(received->lane == engine::Track::Kind::Receive);
    const auto sent = app::toCause(view, *received);
    REQUIRE(sent);
    CHECK(sent->lane == engine::Track::Kind::Send);
    CHECK(name(view, app::toCause(view, *sent)) == "0F0");
    CHECK_FALSE(app::toCause(view, *app::firstOp(view, 0))); // it waited for nothing
    auto bubble = *app::firstOp(view, 0);
    while (bubble.kind != Selection::Kind::Bubble)
        bubble = *app::inLane(view, bubble, Step::Next);
    CHECK(name(view, app::toCause(view, bubble)) == "1B0");
}
