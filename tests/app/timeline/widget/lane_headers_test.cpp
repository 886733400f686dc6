#include "app/timeline/widget/timeline_widget.h"
#include "tests/catch.h"

#include <QSignalSpy>

using app::LaneHeaders;
using app::LaneOptions;
using Order = std::vector<int>;

TEST_CASE("a lane that is dragged by its header takes the place of the one under the pointer")
{
    LaneHeaders headers;
    QSignalSpy order(&headers, &LaneHeaders::orderChanged);
    const auto lanes = app::layoutLanes(4, {600, 42, {}});
    const auto middleOf
        = [&](std::size_t lane) { return lanes[lane].top + lanes[lane].height / 2; };
    CHECK(headers.press(60, 0));
    headers.drag(7, middleOf(2), lanes); // a click that is not quite still
    headers.drag(80, lanes[3].bottom() + 1, lanes);
    CHECK(headers.order().isDefault());
    headers.drag(80, middleOf(2), lanes);
    CHECK(headers.order().shown(4) == Order{1, 2, 0, 3});
    headers.release();
    headers.drag(160, middleOf(3), lanes);
    CHECK(headers.order().shown(4) == Order{1, 2, 0, 3});
    CHECK(order.count() == 1);
}

// It moved up and down with each pixel, because the taller lane stayed under the pointer.
TEST_CASE("a short lane moves past a taller one when it would be under the pointer")
{
    LaneHeaders headers;
    LaneOptions options{600, 42, {}};
    options.toggled = {0};
    const auto lanes = app::layoutLanes(4, options);
    REQUIRE(lanes[0].height < lanes[1].height);
    CHECK(headers.press(60, 0));
    headers.drag(20, lanes[1].top + 1, lanes);
    CHECK(headers.order().isDefault());
    headers.drag(20, lanes[1].bottom() - 1, lanes);
    CHECK(headers.order().shown(4) == Order{1, 0, 2, 3});
}

TEST_CASE("the triangle of a header toggles its lane, or expands its group")
{
    LaneHeaders headers;
    QSignalSpy changed(&headers, &LaneHeaders::changed),
        order(&headers, &LaneHeaders::orderChanged);
    CHECK_FALSE(headers.press(LaneHeaders::kTriangle - 1, 3));
    CHECK(headers.options().toggled.contains(3));
    headers.drag(80, 0, app::layoutLanes(4, {600, 42, {}})); // nothing is held
    CHECK_FALSE(headers.press(0, 3));
    CHECK(headers.options().toggled.empty());
    CHECK(changed.count() == 2);
    CHECK(order.count() == 0);

    headers.setOrder({{}, {}, {}, {{"node 0", {0, 1}}, {"node 1", {2, 3}}}});
    headers.toggle(1);
    CHECK(headers.order().collapsed.size() == 1);
    CHECK(headers.order().groupOf(3) != nullptr);
    CHECK(headers.options().toggled.empty());
}

TEST_CASE("a device whose boxes are asked for is neither hidden nor in a group")
{
    LaneHeaders headers;
    headers.setOrder({{}, {3}, {}, {{"node 1", {2, 3}}}});
    headers.show(3);
    CHECK(headers.order().isDefault());
    headers.resize(1'000);
    CHECK(headers.options().compute == LaneOptions::kMost);
}
