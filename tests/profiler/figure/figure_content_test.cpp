#include "profiler/figure/scene.h"
#include "tests/profiler/figure/drawn_figure.h"

using namespace profiler;
using tests::all, tests::checkPage, tests::figure, tests::refusal;

TEST_CASE("a figure of a range draws the parts of ops in it and its own shares of bubbles")
{
    const engine::Run run = tests::measuredRun("1f1b", 4, 4); // F 1 ms, B 2 ms
    FigureOptions options;
    options.range = {2.5, 7.5};
    const Scene scene = figure({run}, options);
    const Box first = all<Box>(scene, "op ").front();
    CHECK(first.cls == "op F cut");
    CHECK(first.stroke == 0); // a cut op has no edge
    CHECK(all<Text>(scene, "tick-label").front().text == "2.5");
    CHECK(all<Text>(scene, "bubble-share").size() == 4);
    double bubble = 0, row = 0;
    for (const SceneShape& shape : scene.groups[0].shapes) {
        if (const auto* hatch = std::get_if<Hatch>(&shape))
            bubble += hatch->rect.width;
        if (const auto* text = std::get_if<Text>(&shape); text && text->cls == "bubble-share")
            row = std::stod(text->text);
    }
    const Line axis = all<Line>(scene, "axis").front();
    CHECK(row == Approx(100 * bubble / (axis.x2 - axis.x1)).margin(0.05));
    checkPage(scene);
    options.title = true;
    CHECK(all<Text>(figure({run}, options), "run-facts")[0].text.starts_with("2.5 to 7.5 of "));
    options.range = {500, 600};
    CHECK(refusal({run}, options).find("nothing to draw from 500 to 600 ms") != std::string::npos);
}

TEST_CASE("the figure of a range that is the iteration is the figure of the iteration")
{
    const engine::Run run = tests::measuredRun("bitpipe", 4, 4);
    FigureOptions options;
    const Scene whole = figure({run}, options);
    const auto& last = run.timeline.iterations.back().window;
    options.range = {0, static_cast<double>(last.duration()) / 1e6};
    CHECK(toSvg(figure({run}, options)) == toSvg(whole));
}

TEST_CASE("runs that end after the range have no end line")
{
    FigureOptions options;
    options.range = {0, 3};
    const Scene scene
        = figure({tests::measuredRun("1f1b", 4, 8), tests::measuredRun("bitpipe", 4, 8)}, options);
    CHECK(all<Line>(scene, "run-end").empty());
    CHECK(all<Line>(scene, "baseline").empty());
    checkPage(scene);
}

// B covered the F that the device runs at the same time.
TEST_CASE("a joint F and B of DualPipe are one cell, with F above")
{
    const Scene scene = figure({tests::unitRun("dualpipe", 4, 8)});
    int halves = 0;
    for (const Group& group : scene.groups) {
        std::vector<Box> boxes;
        for (const SceneShape& shape : group.shapes)
            if (const auto* box = std::get_if<Box>(&shape); box && box->cls.starts_with("op "))
                boxes.push_back(*box);
        for (std::size_t i = 1; i < boxes.size(); ++i) {
            const Rect &one = boxes[i - 1].rect, &other = boxes[i].rect;
            if (one.x != other.x)
                continue;
            ++halves;
            const bool isFirstAbove = boxes[i - 1].cls.starts_with("op F");
            CHECK((isFirstAbove ? one : other).y + one.height
                  == Approx((isFirstAbove ? other : one).y));
        }
    }
    CHECK(halves > 10);
    checkPage(scene);
}
