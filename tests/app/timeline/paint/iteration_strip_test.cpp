#include "app/timeline/paint/ruler_painter.h"
#include "tests/app/simulated_run.h"

#include <QImage>
#include <QPainter>

using namespace app;

namespace {

// Iterations of the given durations, one after the other, in ticks.
std::vector<engine::Iteration> iterationsOf(const std::vector<std::int64_t>& durations)
{
    std::vector<engine::Iteration> all;
    std::int64_t time = 0;
    for (const std::int64_t duration : durations) {
        engine::Iteration one;
        one.number = static_cast<int>(all.size());
        one.window = {time, time + duration};
        time += duration;
        all.push_back(one);
    }
    return all;
}

std::size_t inked(const QImage& image)
{
    std::size_t columns = 0;
    for (int x = 0; x < image.width(); ++x)
        columns += image.pixelColor(x, image.height() / 2) != QColor(Qt::white) ? 1 : 0;
    return columns;
}

} // namespace

TEST_CASE("a pixel column of the strip has the least, median and greatest of its iterations")
{
    const auto iterations = iterationsOf({10, 30, 60, 40, 100});
    const TimeAxis axis{0, 200, 0, 2, 1}; // 100 ticks a pixel
    const auto columns = iterationColumns(iterations, axis);
    REQUIRE(columns.size() == 2);
    CHECK(columns[0].count == 3); // begin at 0, 10 and 40
    CHECK(columns[0].least == 10);
    CHECK(columns[0].median == 30);
    CHECK(columns[0].greatest == 60);
    CHECK(columns[1].count == 2); // begin at 100 and 140
    CHECK(columns[1].left == 1);
    CHECK(columns[1].least == 40);
    CHECK(columns[1].greatest == 100);
}

TEST_CASE("an iteration wider than a pixel fills its own width in the strip")
{
    const auto iterations = iterationsOf({100, 300});
    const auto columns = iterationColumns(iterations, {0, 400, 10, 40, 1});
    REQUIRE(columns.size() == 2);
    CHECK(columns[0].left == 10);
    CHECK(columns[0].right == 20);
    CHECK(columns[1].right == 50);
    CHECK(columns[1].least == columns[1].greatest);
}

TEST_CASE("iterations outside of the view are not in sight")
{
    const auto iterations = iterationsOf(std::vector<std::int64_t>(100, 10));
    const auto inSight = iterationsInSight(iterations, {495, 525, 0, 100, 1});
    REQUIRE(inSight.size() == 4);
    CHECK(inSight.front().number == 49);
    CHECK(iterationsInSight({}, {0, 10, 0, 100, 1}).empty());
}

TEST_CASE("iteration lines of a thousand iterations do not cover the lanes")
{
    engine::Run run = simulatedRun({.scheme = "1f1b", .devices = 2, .microBatches = 2});
    run.timeline.iterations = iterationsOf(std::vector<std::int64_t>(1000, 10));
    const RunView view(std::make_shared<const engine::Run>(run));
    const Theme theme = makeTheme(profiler::ThemeMode::Light);
    const auto lines = [&](double begin, double end) {
        QImage image(800, 20, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        paintIterationEdges({painter, view, {begin, end, 0, 800, 1}, BoxColours(theme, 1), {}},
                            QRectF(0, 0, 800, 20));
        return inked(image);
    };
    CHECK(lines(0, 10'000) == 0);
    CHECK(lines(200, 300) == 20); // of each iteration, the begin and the end
}

TEST_CASE("the ruler counts from the start of the run if every iteration is narrow")
{
    engine::Run run = simulatedRun({.scheme = "1f1b", .devices = 2, .microBatches = 2});
    run.timeline.iterations = iterationsOf(std::vector<std::int64_t>(1000, 10));
    const RunView view(std::make_shared<const engine::Run>(run));
    const RulerScale whole = rulerScale(view, {0, 10'000, 0, 800, 1});
    CHECK(whole.origin == 0);
    CHECK(whole.title.endsWith(QStringLiteral("from run start")));
    CHECK(whole.marks.major.front() >= 0);
    CHECK(rulerScale(view, {501, 509, 0, 800, 1}).origin == 500);
    CHECK(rulerScale(view, {496, 650, 0, 800, 1}).origin == 500); // the first that is in sight
}

TEST_CASE("labels of iterations stand at steps of 1, 2 or 5")
{
    CHECK(labelStep(100, 64) == 1);
    CHECK(labelStep(40, 64) == 2);
    CHECK(labelStep(1, 64) == 100);
    CHECK(labelStep(0.3, 64) == 500);
}

TEST_CASE("a point of the strip has the iterations of its pixel")
{
    engine::Run run
        = simulatedRun({.scheme = "1f1b", .devices = 2, .microBatches = 2, .inNanoseconds = true});
    run.timeline.iterations = iterationsOf({10'000'000, 30'000'000, 60'000'000, 40'000'000});
    const RunView view(std::make_shared<const engine::Run>(run));
    const TimeAxis axis{0, 100e6, 0, 1, 1};
    const IterationStrip strip{view.timeline().iterations, axis, QRectF(0, 0, 2, 30)};
    CHECK(iterationToolTip(view, strip, {0.5, 10})
          == QStringLiteral("Iteration 0 to iteration 2: 10.0 to 60.0 ms, median 30.0 ms"));
    CHECK(iterationToolTip(view, strip, {0.5, 31}).isEmpty());
    const TimeAxis close{10e6, 40e6, 0, 100, 1};
    const IterationStrip wide{view.timeline().iterations, close, QRectF(0, 0, 100, 30)};
    CHECK(iterationToolTip(view, wide, {50, 10}) == QStringLiteral("Iteration 1: 30.0 ms"));
    CHECK(columnAt(wide, {50, 10}).first == 1);
}

// The ruler said "from run start", although it counted from the second warm-up iteration.
TEST_CASE("the ruler names the warm-up iteration from whose start it counts")
{
    engine::Run run = simulatedRun({.scheme = "1f1b", .devices = 2, .microBatches = 2});
    auto& iterations = run.timeline.iterations = iterationsOf({100, 100, 100});
    iterations[0].kind = iterations[1].kind = engine::Iteration::Kind::Warmup;
    iterations[2].number = 0;
    const RunView view(std::make_shared<const engine::Run>(run));
    const RulerScale scale = rulerScale(view, {100, 300, 0, 800, 1});
    CHECK(scale.origin == 100);
    CHECK(scale.title.endsWith(QStringLiteral("from start of warm-up 1")));
    CHECK(rulerScale(view, {0, 300, 0, 800, 1}).title.endsWith(QStringLiteral("from run start")));
}
