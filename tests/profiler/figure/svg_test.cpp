#include "profiler/figure/scene.h"
#include "tests/catch.h"

#include <cmath>

using namespace profiler;

namespace {

Scene sceneOf(SceneShape shape)
{
    Scene scene;
    scene.width = 100;
    scene.height = 40;
    scene.title = "a < b & \"c\"";
    scene.groups.push_back({"device-0", {std::move(shape)}});
    return scene;
}

} // namespace

TEST_CASE("an op box is one element with id, class and data-op")
{
    Box box;
    box.rect = {10, 5, 12.5, 9};
    box.fill = {0x31, 0x5A, 0xC2};
    box.id = "d0-3";
    box.cls = "op F chunk1";
    box.op = "4F2";
    const std::string svg = toSvg(sceneOf(box));
    CHECK(svg.find("<g id=\"device-0\">\n<rect x=\"10\" y=\"5\" width=\"12.5\" height=\"9\" "
                   "id=\"d0-3\" class=\"op F chunk1\" data-op=\"4F2\" fill=\"#315AC2\"/>\n</g>")
          != std::string::npos);
    box.cut = 2;
    CHECK(toSvg(sceneOf(box)).find("<polygon points=\"12,5 22.5,5 22.5,14 10,14 10,7\"")
          != std::string::npos);
}

TEST_CASE("text is written as text, with XML's special characters escaped")
{
    Text text;
    text.text = "<7 & \x01up";
    text.anchor = Text::Anchor::Middle;
    const std::string svg = toSvg(sceneOf(text));
    CHECK(svg.find("text-anchor=\"middle\" fill=\"#000000\">&lt;7 &amp; up</text>")
          != std::string::npos);
    CHECK(svg.find("<title>a &lt; b &amp; &quot;c&quot;</title>") != std::string::npos);
    CHECK(svg.find("width=\"100pt\" height=\"40pt\" viewBox=\"0 0 100 40\"") != std::string::npos);
}

TEST_CASE("hatch lines end at their rect and continue in its neighbour")
{
    Hatch hatch;
    hatch.rect = {3, 4, 20, 9};
    const auto inside = [&](double x, double y) {
        return x >= 3 - 1e-9 && x <= 23 + 1e-9 && y >= 4 - 1e-9 && y <= 13 + 1e-9;
    };
    const auto lines = hatchLines(hatch);
    REQUIRE(lines.size() == 9); // x + y = 9, 12, ... 33
    for (const Segment& s : lines) {
        CHECK(inside(s.x1, s.y1));
        CHECK(inside(s.x2, s.y2));
        CHECK(s.x1 + s.y1 == Approx(s.x2 + s.y2)); // 45 degrees
    }
    hatch.rect.x = 23;
    CHECK(std::fmod(hatchLines(hatch)[0].x1 + hatchLines(hatch)[0].y1, hatch.spacing)
          == Approx(0).margin(1e-9));
}
