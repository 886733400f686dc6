#include "app/timeline/paint/ruler_painter.h"
#include "app/timeline/widget/timeline_widget.h"
#include "tests/app/sample_run.h"
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

TEST_CASE("a press beside the frame moves it there, and the overview's scale moves it on")
{
    const app::RunView view(sample::units({"1f1b", 4, 8, 2}));
    const QRectF area(140, 0, 800, 48);
    const app::TimeAxis whole = app::overviewAxis(view, area, 1);
    const ViewWindow start{whole.time(200), whole.time(400)};
    OverviewDrag drag;
    CHECK(drag.press(view, area, start, {300, 30}) == start);
    CHECK(drag.dragged(10, 1).begin == Approx(whole.time(210)));
    CHECK(drag.press(view, area, start, {399, 30}) == start);
    CHECK(drag.dragged(10, 1) == ViewWindow{start.begin, start.end + 10 * whole.ticksPerPixel()});
    CHECK(drag.press(view, area, start, {700, 30}).centre() == Approx(whole.time(700)));
}
