#include "app/widgets/timeline/overview_drag.h"
#include "tests/catch.h"

using app::OverviewDrag;
using app::ViewWindow;

TEST_CASE("the overview's frame has handles at its edges unless it is too narrow for them")
{
    const QRectF frame(100, 0, 60, 48);
    CHECK(OverviewDrag::gripAt(frame, 103) == OverviewDrag::Grip::Begin);
    CHECK(OverviewDrag::gripAt(frame, 130) == OverviewDrag::Grip::Frame);
    CHECK(OverviewDrag::gripAt(frame, 158) == OverviewDrag::Grip::End);
    CHECK(OverviewDrag::gripAt(QRectF(100, 0, 12, 48), 101) == OverviewDrag::Grip::Frame);
    CHECK(OverviewDrag::isOnHandle(frame, 155));
    CHECK_FALSE(OverviewDrag::isOnHandle(frame, 130));
}

TEST_CASE("an edge of the frame never passes the other one")
{
    OverviewDrag drag;
    CHECK_FALSE(drag.isActive());
    drag.begin(OverviewDrag::Grip::Begin, {100, 200});
    CHECK(drag.moved(30, 1) == ViewWindow{130, 200});
    CHECK(drag.moved(500, 1) == ViewWindow{199, 200});
    drag.begin(OverviewDrag::Grip::End, {100, 200});
    CHECK(drag.moved(-500, 1) == ViewWindow{100, 101});
    drag.begin(OverviewDrag::Grip::Frame, {100, 200});
    CHECK(drag.moved(-500, 1) == ViewWindow{-400, -300});
    drag.end();
    CHECK_FALSE(drag.isActive());
}
