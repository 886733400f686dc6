#include "app/widgets/timeline/lane_headers.h"
#include "tests/catch.h"

#include <QSignalSpy>

using app::LaneHeaders;
using app::LaneOptions;
using Order = std::vector<int>;

TEST_CASE("a lane that is dragged by its header takes the place of the one under the pointer")
{
    LaneHeaders headers;
    QSignalSpy order(&headers, &LaneHeaders::orderChanged);
    CHECK(headers.press(60, 0));
    headers.drag(7, 2, 4); // a click that is not quite still
    headers.drag(80, -1, 4);
    CHECK(headers.order().isDefault());
    headers.drag(80, 2, 4);
    CHECK(headers.order().shown(4) == Order{1, 2, 0, 3});
    headers.release();
    headers.drag(160, 3, 4);
    CHECK(headers.order().shown(4) == Order{1, 2, 0, 3});
    CHECK(order.count() == 1);
}

TEST_CASE("the triangle of a header toggles its lane, or expands its group")
{
    LaneHeaders headers;
    QSignalSpy changed(&headers, &LaneHeaders::changed),
        order(&headers, &LaneHeaders::orderChanged);
    CHECK_FALSE(headers.press(LaneHeaders::kTriangle - 1, 3));
    CHECK(headers.options().toggled.contains(3));
    headers.drag(80, 0, 4); // nothing is held
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
