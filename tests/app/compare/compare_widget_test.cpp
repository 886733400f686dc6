#include "app/compare/compare_widget.h"
#include "app/ui/data_table.h"
#include "tests/app/prepared_views.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

namespace {

using app::CompareWidget;
using app::Selection;

struct ShownComparison
{
    explicit ShownComparison(const std::vector<std::shared_ptr<const engine::Run>>& runs)
    {
        widget.resize(1384, 582);
        widget.setViews(sample::views(runs), 0);
        widget.show();
    }
    QImage picture() // without what the pointer adds
    {
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(&widget, &leave);
        return widget.grab().toImage();
    }

    app::ThemeController theme;
    CompareWidget widget{theme};
};

double pixelsPerUnit(const app::CompareLayout& layout, std::size_t row)
{
    const auto axis = app::compareAxis(layout, layout.rows[row], {0, app::kCompareWhole},
                                       {140, 0, 1000, 500}, 1);
    return layout.rows[row].ticksPerUnit() / axis.ticksPerPixel();
}

} // namespace

TEST_CASE("runs of one unit have one scale, however long each is")
{
    // 1F1B: 33 units of 1 tick; BitPipe: 27 units of several ticks.
    const auto all = sample::views({sample::units({"1f1b"}), sample::units({"bitpipe"})});
    const auto layout = app::layoutComparison(all, {{0, 1}, 0}, 600);
    REQUIRE(layout.groups.size() == 1);
    CHECK(pixelsPerUnit(layout, 0) == Approx(pixelsPerUnit(layout, 1)));
    CHECK(pixelsPerUnit(layout, 0) == Approx(1000.0 / 33));
}

TEST_CASE("abstract units and measured time never share a scale, the baseline's unit is on top")
{
    const auto all = sample::views(
        {sample::units({"1f1b"}), sample::measured({"1f1b"}), sample::units({"bitpipe"})});
    const auto layout = app::layoutComparison(all, {{0, 1, 2}, 1}, 600);
    REQUIRE(layout.groups.size() == 2);
    CHECK_FALSE(layout.groups[0].isInUnits);
    CHECK(layout.rows[0].run == 1);
    CHECK(layout.rows[1].run == 0);
    CHECK(layout.rows[2].run == 2);
    CHECK(layout.groups[1].headTop == layout.rows[0].height);
}

TEST_CASE("an empty comparison shows a text")
{
    ShownComparison shown({});
    CHECK(shown.widget.findChild<QWidget*>(QStringLiteral("compareEmpty")));
    shown.widget.setViews(sample::views({sample::units()}), 0);
    CHECK_FALSE(shown.widget.findChild<QWidget*>(QStringLiteral("compareEmpty")));
}

TEST_CASE("a click selects an op of the run that is drawn there")
{
    ShownComparison shown({sample::units({"1f1b"}), sample::units({"gpipe"})});
    QSignalSpy spy(&shown.widget, &CompareWidget::selectionChanged);
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, QPoint(156, 26 + 28 + 10));
    REQUIRE(spy.count() == 1);
    CHECK(spy[0][0].toInt() == 0);
    CHECK(spy[0][1].value<Selection>().kind == Selection::Kind::Op);
    const int second = 28 + 4 * 56 + 12; // two runs: lanes of the largest height
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, QPoint(156, 26 + second + 28 + 10));
    REQUIRE(spy.count() == 2);
    CHECK(spy[1][0].toInt() == 1);
    QTest::keyClick(&shown.widget, Qt::Key_Escape);
    REQUIRE(spy.count() == 3);
    CHECK(spy[2][0].toInt() == -1);
}

TEST_CASE("four rows have the usual height, fewer grow")
{
    const auto pitch = [](std::size_t runs, double available) {
        std::vector<std::shared_ptr<const engine::Run>> same(runs, sample::units({"1f1b"}));
        std::vector<std::size_t> order;
        for (std::size_t k = 0; k < runs; ++k)
            order.push_back(k);
        const auto all = sample::views(same);
        return app::layoutComparison(all, {order, 0}, available).rows.front();
    };
    CHECK(pitch(4, 528).pitch == 23);
    CHECK(pitch(4, 528).height == 132);
    CHECK(pitch(2, 528).pitch == 56);
    CHECK(pitch(2, 2000).pitch == 56);                        // a lane, not a wall
    CHECK(pitch(2, 60).height == app::CompareLayout::kLeast); // two runs are never compact
}

TEST_CASE("memory bars have one scale over all runs, bytes and stash apart")
{
    const auto all = sample::views({sample::measured({"1f1b"}), sample::measured({"gpipe"}),
                                    sample::units({"1f1b"}), sample::units({"gpipe"})});
    const auto layout = app::layoutComparison(all, {{0, 1, 2, 3}, 0}, 600);
    const auto scale
        = [&](std::size_t row) { return app::memoryScale(layout, *layout.rows[row].view); };
    CHECK(scale(2) == 8); // GPipe holds all micro-batches; M_a is one of them on one device
    constexpr double kMiB = 1 << 20;
    CHECK(scale(0) == (3000 + 8 * 900) * kMiB);
    CHECK(scale(1) == scale(0));
    CHECK(scale(3) == scale(2));
}

TEST_CASE("a click on a device's name or on its memory bar selects the device")
{
    ShownComparison shown({sample::measured({"1f1b"}), sample::measured({"gpipe"})});
    QSignalSpy spy(&shown.widget, &CompareWidget::selectionChanged);
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, QPoint(100, 26 + 28 + 56 + 10));
    REQUIRE(spy.count() == 1);
    CHECK(spy[0][1].value<Selection>().kind == Selection::Kind::Device);
    CHECK(spy[0][1].value<Selection>().device == engine::DeviceId{1});
    const int bars = 1384 - 128 + 16; // left edge of device 0's
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, QPoint(bars + 2 * 24 + 5, 26 + 100));
    REQUIRE(spy.count() == 2);
    CHECK(spy[1][1].value<Selection>().kind == Selection::Kind::Device);
    CHECK(spy[1][1].value<Selection>().device == engine::DeviceId{2});
}

TEST_CASE("the keys walk the boxes of a run and from the last lane to the run below")
{
    ShownComparison shown({sample::units({"1f1b", 2, 2, 1}), sample::units({"gpipe", 2, 2, 1})});
    QSignalSpy spy(&shown.widget, &CompareWidget::selectionChanged);
    const auto last = [&] { return spy.back()[1].value<Selection>(); };
    QTest::keyClick(&shown.widget, Qt::Key_Period); // nothing selected: the first op
    REQUIRE(spy.count() == 1);
    CHECK(last().op == 0);
    QTest::keyClick(&shown.widget, Qt::Key_Period);
    CHECK(last().op != 0);
    CHECK(last().device == engine::DeviceId{0});
    QTest::keyClick(&shown.widget, Qt::Key_Comma);
    CHECK(last().op == 0);
    QTest::keyClick(&shown.widget, Qt::Key_BracketRight);
    CHECK(last().device == engine::DeviceId{1});
    QTest::keyClick(&shown.widget, Qt::Key_Return); // what it waited for: back where it came from
    CHECK(last().device == engine::DeviceId{0});
    CHECK(spy.back()[0].toInt() == 0);
    QTest::keyClick(&shown.widget, Qt::Key_Down);
    QTest::keyClick(&shown.widget, Qt::Key_Down);
    CHECK(spy.back()[0].toInt() == 1);
    CHECK(last().device == engine::DeviceId{0});
    QTest::keyClick(&shown.widget, Qt::Key_Up);
    CHECK(spy.back()[0].toInt() == 0);
    CHECK(last().device == engine::DeviceId{1});
}

TEST_CASE("the wheel zooms all runs together, Alt and the arrows walk the history")
{
    ShownComparison shown({sample::units({"1f1b"}), sample::units({"gpipe"})});
    const QImage fitted = shown.picture();
    const QPoint at(600, 100);
    QWheelEvent event(at, shown.widget.mapToGlobal(at), {}, {0, 360}, Qt::NoButton, {},
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&shown.widget, &event);
    const QImage zoomed = shown.picture();
    CHECK(zoomed != fitted);
    QTest::keyClick(&shown.widget, Qt::Key_Left, Qt::AltModifier);
    CHECK(shown.picture() == fitted);
    QTest::keyClick(&shown.widget, Qt::Key_Right, Qt::AltModifier);
    CHECK(shown.picture() == zoomed);
    QTest::keyClick(&shown.widget, Qt::Key_0);
    CHECK(shown.picture() == fitted);
}

TEST_CASE("a run without an iteration is shown beside the others")
{
    auto empty = std::make_shared<engine::Run>(*sample::units({"1f1b"}));
    empty->timeline = {};
    ShownComparison shown({sample::units({"gpipe"}), empty});
    CHECK_FALSE(shown.picture().isNull());
    shown.widget.setBaseline(1);
    CHECK_FALSE(shown.picture().isNull());
}

TEST_CASE("the tooltip of a run shows its name as plain text")
{
    auto marked = std::make_shared<engine::Run>(*sample::units({"1f1b"}));
    marked->info.label = "a <b>";
    app::CompareScene scene;
    scene.setRuns(sample::views({marked, sample::units({"gpipe"})}), 0, {});
    scene.layout({1384, 582});
    scene.hover.row = 0;
    CHECK(scene.toolTip().contains(QLatin1String("<code>a &lt;b&gt;</code>")));
}

// At 960 x 640 a lane had 5 pixels beside a column of numbers.
TEST_CASE("in a low and narrow widget the key numbers are in the titles, and boxes have numbers")
{
    app::CompareScene scene;
    scene.setRuns(sample::views({sample::units({"1f1b"}), sample::units({"bitpipe"})}), 0, {});
    scene.layout({960, 582});
    CHECK(scene.rows.hasColumn);
    scene.layout({960, 240});
    CHECK_FALSE(scene.rows.hasColumn);
    CHECK(scene.area.right() == 960);
    CHECK(scene.rows.rows[0].lanes[3].compute >= 11);
    CHECK(scene.rows.height <= scene.area.height());
    scene.layout({1384, 240});
    CHECK(scene.rows.hasColumn);
}

// The title lacked the interval and the difference, and an unknown iteration was " ms".
TEST_CASE("a title without a column has the iteration, its interval and the difference")
{
    const std::vector runs{sample::measured({"1f1b", 4, 8, 5}),
                           sample::measured({"gpipe", 4, 8, 5})};
    app::CompareScene scene;
    scene.setRuns(sample::views(runs), 0, {});
    scene.arrangement.numbers
        = std::make_shared<const app::CompareNumbers>(app::compareNumbers(runs, 0).value());
    scene.layout({960, 240});
    REQUIRE_FALSE(scene.rows.hasColumn);
    scene.rows.rows[1].least = 80'000'000;
    scene.rows.rows[1].most = 90'000'000;
    const auto title = scene.title(scene.rows.rows[1]);
    CHECK(title[0].text.endsWith(QStringLiteral(" ms (80.0 to 90.0)")));
    CHECK(title[1].text == app::signedPercent(scene.change(scene.rows.rows[1])->share()));
    CHECK(title[1].verdict == scene.verdict(scene.rows.rows[1]));
    CHECK_FALSE(scene.change(scene.rows.rows[0])); // the baseline

    auto damaged = std::make_shared<engine::Run>(*runs[1]);
    damaged->info.damage = "rows are missing";
    scene.setRuns(sample::views({runs[0], damaged}), 0, {});
    scene.layout({960, 240});
    CHECK_FALSE(app::compareIteration(scene.rows, scene.rows.rows[1]));
    CHECK_FALSE(scene.change(scene.rows.rows[1]));
    CHECK(scene.title(scene.rows.rows[1])[0].text == app::kNoValue);
}
