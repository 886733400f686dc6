#include "app/timeline/view/coordinates.h"
#include "tests/catch.h"

using app::ViewWindow;

TEST_CASE("zooming leaves the instant under the pointer where it is")
{
    const ViewWindow view{100, 300};
    const ViewWindow closer = view.zoomed(0.5, 150);
    CHECK((150 - closer.begin) / closer.duration() == Approx((150 - view.begin) / view.duration()));
    CHECK(closer.duration() == 100);
}

TEST_CASE("the view keeps the run visible and is between a few ticks and twice the run")
{
    const engine::Window run{1000, 2000};
    CHECK(app::limited({0, 1'000'000}, run).duration() == 2000);
    CHECK(app::limited({1500, 1500.001}, run).duration() == Approx(2));
    CHECK(app::limited({5000, 5100}, run).centre() == 2000);
    CHECK(app::limited({-5000, -4900}, run).centre() == 1000);
}

TEST_CASE("fit leaves 10 pixels before the first box and 16 behind the last")
{
    const ViewWindow view = app::fitted({0, 802}, 828);
    CHECK(view.begin == Approx(-10));
    CHECK(view.end == Approx(818));
}

TEST_CASE("the view history works like that of a browser")
{
    app::ZoomHistory history;
    ViewWindow view{0, 1};
    history.push(view);
    view = {1, 2};
    history.push(view);
    view = {2, 3};
    REQUIRE(history.back(view));
    CHECK(view == ViewWindow{1, 2});
    REQUIRE(history.back(view));
    CHECK(view == ViewWindow{0, 1});
    CHECK_FALSE(history.back(view));
    REQUIRE(history.forward(view));
    CHECK(view == ViewWindow{1, 2});
    history.push(view); // somewhere else: what lay ahead is gone
    CHECK_FALSE(history.forward(view));
}
