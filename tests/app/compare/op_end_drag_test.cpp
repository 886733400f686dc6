#include "app/compare/compare_widget.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

using namespace app;

namespace {

// Three runs without a widget; the first two have the same schedule.
CompareScene sceneOfThree()
{
    CompareScene shown;
    std::vector<RunViewPointer> views;
    for (const char* scheme : {"1f1b", "1f1b", "gpipe"})
        views.push_back(std::make_shared<const RunView>(sample::units({scheme})));
    shown.setRuns(std::move(views), 0, {});
    shown.layout({1384, 582});
    shown.window = shown.fit();
    return shown;
}

// Right of the middle of the first op of a run.
QPointF endOf(const CompareScene& scene, int row)
{
    const auto first = scene.opIn(scene.row(row), 0);
    REQUIRE(first.has_value());
    const QRectF box = scene.boxOf(*first);
    return {box.right(), box.center().y()};
}

} // namespace

TEST_CASE("an op ends where it is dragged, also in the row of a run with the same schedule")
{
    const CompareScene shown = sceneOfThree();
    OpEndDrag drag;
    CHECK_FALSE(drag.isAt(shown, endOf(shown, 1))); // no run can change
    drag.setRun(1);
    CHECK(drag.isAt(shown, endOf(shown, 1)));
    CHECK_FALSE(drag.isAt(shown, endOf(shown, 1) - QPointF(8, 0)));
    CHECK_FALSE(drag.isAt(shown, endOf(shown, 2))); // another schedule

    const auto changed = drag.begin(shown, endOf(shown, 0));
    REQUIRE(changed.has_value());
    CHECK(changed->row == 1);
    CHECK(changed->selection.op == 0);
    const double pixels = static_cast<double>(changed->selection.window.duration())
        / shown.axisOf(shown.row(1)).ticksPerPixel();
    CHECK(drag.moved(2 * pixels) == Approx(3));
    CHECK(drag.moved(2 * pixels) == 1);
    CHECK(drag.moved(0) == Approx(1 / 3.0));
    CHECK(drag.moved(-9 * pixels) > 0); // never empty
    CHECK(drag.end());
    CHECK_FALSE(drag.end());
}
