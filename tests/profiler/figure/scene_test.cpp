#include "profiler/figure/layout.h"
#include "profiler/figure/scene.h"
#include "tests/catch.h"
#include "tests/profiler/figure/figure_runs.h"

#include <cmath>
#include <map>
#include <set>

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

std::string tikz(SceneShape shape)
{
    Scene scene = sceneOf(std::move(shape));
    scene.height = 40.5;
    scene.title = "BitPipe,\nD 4";
    return toTikz(scene);
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

Hatch hatchOf(HatchLines lines)
{
    Hatch hatch;
    hatch.rect = {3, 4, 20, 9};
    hatch.lines = lines;
    return hatch;
}

Scene greyFigure(const std::string& scheme)
{
    const engine::Run run = tests::measuredRun(scheme, 4, 8);
    const engine::Run* const runs[] = {&run};
    FigureOptions options;
    options.palette = "grey";
    options.width = 7 * kPointsPerInch;
    return layoutFigure(runs, options).value();
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

TEST_CASE("a TikZ picture names every colour it uses, once, and has the size of the scene")
{
    Box box;
    box.rect = {10, 5, 12.5, 9};
    box.fill = {0x31, 0x5A, 0xC2};
    box.op = "4F2";
    box.cls = "op F chunk1 up";
    const std::string picture = tikz(box);
    CHECK(has(picture, "\\definecolor{bsF1}{HTML}{315AC2}%\n\\begin{tikzpicture}[x=1bp,y=-1bp"));
    CHECK(has(picture, "\\useasboundingbox (0,0) rectangle (100,40.5);\n% device-0\n"));
    CHECK(has(picture, "\\fill[bsF1] (10,5) rectangle (22.5,14); % 4F2\n\\end{tikzpicture}"));
    CHECK(has(picture, "% BitPipe, D 4\n")); // a comment is one line
}

// TeX ends a comment at a carriage return, so a run could bring commands into the document.
TEST_CASE("a TeX comment has no control characters")
{
    Scene scene;
    scene.title = "a\rb\x7F";
    scene.description = "\x1B[c\r\n\\input{d}";
    Box box;
    box.op = "0F0\r\\x";
    scene.groups.push_back({"e\rf", {box}});
    const std::string picture = toTikz(scene);
    CHECK(picture.find_first_of("\r\x1B\x7F") == std::string::npos);
    CHECK(picture.starts_with("% a b \n%  [c  \\input{d}\n"));
    CHECK(has(picture, "% e f\n"));
    CHECK(has(picture, "; % 0F0 \\x\n"));
}

TEST_CASE("a stroked box with a cut corner is one filled path of five corners")
{
    Box box;
    box.rect = {10, 5, 12.5, 9};
    box.stroke = 0.4;
    box.cut = 2;
    CHECK(has(tikz(box),
              "\\filldraw[fill=bsPlain,draw=bsPlainEdge,line width=0.4bp] (12,5) -- (22.5,5) -- "
              "(22.5,14) -- (10,14) -- (10,7) -- cycle;\n"));
}

TEST_CASE("text is set in the document's font, and what TeX would obey is escaped")
{
    Text text;
    text.x = 3;
    text.baseline = 7;
    text.size = 5.5;
    text.anchor = Text::Anchor::End;
    text.text = "11.3\u2009% of \\a_b {\u2212} #1 & $";
    const std::string picture = tikz(text);
    CHECK(has(picture,
              "\\node[anchor=base east,text=bsInk,font=\\sffamily\\fontsize{5.5bp}"
              "{6.6bp}\\selectfont] at (3,7) "));
    CHECK(
        has(picture, "{11.3\\,\\% of \\textbackslash{}a\\_b \\{\\textminus{}\\} \\#1 \\& \\$};\n"));
    text.bold = true;
    CHECK(has(tikz(text), "\\sffamily\\bfseries\\fontsize"));
}

// In LaTeX's bold sans the titles ran into the facts behind them: they are wider than Roboto's.
TEST_CASE("what follows a title begins where the document's font ends it")
{
    Text title, facts;
    title.text = "BitPipe";
    title.cls = "run-title";
    facts.text = "23.7 ms";
    facts.size = 7;
    facts.x = 70;
    facts.cls = "run-facts";
    CHECK(has(tikz(title), "\\node[name=bstitle,anchor=base west"));
    CHECK(has(tikz(facts), "at ([xshift=7bp]bstitle.base east) {23.7 ms}"));
}

TEST_CASE("lines over a box leave its ground alone")
{
    Hatch hatch;
    hatch.rect = {0, 0, 6, 6};
    CHECK(has(tikz(hatch), "\\fill[bsPlain] (0,0) -- (6,0) -- (6,6) -- (0,6) -- cycle;\n"));
    hatch.hasGround = false;
    CHECK_FALSE(has(tikz(hatch), "\\fill"));
    CHECK(has(tikz(hatch), "\\draw[bsPlainLine,line width=0.3bp]"));
}

// In the text fonts of TeX's default encoding these are inverted ! and ?.
TEST_CASE("less and greater are set in mathematics, whose font has them")
{
    Text text;
    text.text = "B < 2 > 1";
    CHECK(has(tikz(text), "{B \\textless{} 2 \\textgreater{} 1}"));
}

TEST_CASE("colours of a TikZ picture are named by role, so that one definition changes them")
{
    Scene scene;
    Box forward, chunk, swatch;
    forward.cls = "op F";
    forward.fill = swatch.fill = {10, 20, 30};
    chunk.cls = "op F chunk1 up";
    chunk.fill = {40, 50, 60};
    swatch.cls = "swatch";
    Text number, label, facts;
    label.cls = "row-label";
    number.cls = "micro-batch"; // of chunk 1, in the colour of labels
    facts.cls = "run-facts";
    facts.colour = {7, 7, 7};
    scene.groups.push_back({"row", {label, forward, chunk, number, facts}});
    scene.groups.push_back({"legend", {swatch}});
    const std::string picture = toTikz(scene);
    CHECK(has(picture,
              "\\definecolor{bsF}{HTML}{0A141E}%\n\\definecolor{bsF1}{HTML}{28323C}%\n"
              "\\definecolor{bsF1Ink}{HTML}{000000}%\n\\definecolor{bsInk}{HTML}{000000}%\n"
              "\\definecolor{bsRunFacts}{HTML}{070707}%\n\\begin{tikzpicture}"));
    CHECK(has(picture, "% legend\n\\fill[bsF] "));
}

TEST_CASE("every direction of lines has the slope of its name")
{
    for (const Segment& s : hatchLines(hatchOf(HatchLines::Rising)))
        CHECK(s.y2 - s.y1 == Approx(s.x1 - s.x2)); // y points down
    for (const Segment& s : hatchLines(hatchOf(HatchLines::Falling)))
        CHECK(s.y2 - s.y1 == Approx(s.x2 - s.x1));
    for (const Segment& s : hatchLines(hatchOf(HatchLines::Horizontal))) {
        CHECK(s.y1 == Approx(s.y2));
        CHECK(s.x2 - s.x1 == Approx(20));
    }
    for (const Segment& s : hatchLines(hatchOf(HatchLines::Vertical))) {
        CHECK(s.x1 == Approx(s.x2));
        CHECK(std::abs(s.y2 - s.y1) == Approx(9));
    }
    CHECK(hatchLines(hatchOf(HatchLines::Horizontal)).size() == 3); // y = 6, 9, 12
    CHECK(hatchLines(hatchOf(HatchLines::Vertical)).size() == 7);   // x = 3, 6, ... 21
    CHECK(hatchLines(hatchOf(HatchLines::Crossed)).size()
          == hatchLines(hatchOf(HatchLines::Rising)).size()
              + hatchLines(hatchOf(HatchLines::Falling)).size());
    CHECK(hatchLines(hatchOf(HatchLines::None)).empty());
}

TEST_CASE("lines keep clear of a cut corner")
{
    Hatch hatch = hatchOf(HatchLines::Horizontal);
    hatch.cut = 4;
    for (const Segment& s : hatchLines(hatch)) {
        CHECK((s.x1 - 3) + (s.y1 - 4) >= 4 - 1e-9);
        CHECK(s.x2 == Approx(23));
    }
}

TEST_CASE("the grey palette tells ops apart by lines too, with numbers on plain ground")
{
    for (const std::string scheme : {"1f1b", "zb-h1", "bitpipe"}) {
        std::map<std::string, std::set<std::pair<int, int>>> looks; // op and chunk -> lines
        const Scene scene = greyFigure(scheme);
        for (const Group& group : scene.groups) {
            for (std::size_t k = 0; k < group.shapes.size(); ++k) {
                const auto* box = std::get_if<Box>(&group.shapes[k]);
                if (!box || !box->cls.starts_with("op ") || box->cls.starts_with("op OPT"))
                    continue;
                const auto* hatch = k + 1 < group.shapes.size()
                    ? std::get_if<Hatch>(&group.shapes[k + 1])
                    : nullptr;
                const bool isHatched = hatch && hatch->cls == "hatch";
                const std::string look = box->cls.substr(0, box->cls.find(" up"));
                looks[look].insert(
                    {isHatched ? static_cast<int>(hatch->lines) : 0,
                     isHatched ? static_cast<int>(std::lround(100 * hatch->spacing)) : 0});
                if (isHatched && k + 3 < group.shapes.size()) {
                    const auto* plate = std::get_if<Box>(&group.shapes[k + 2]);
                    const auto* number = std::get_if<Text>(&group.shapes[k + 3]);
                    if (number && number->cls == "micro-batch")
                        CHECK((plate && plate->cls == "plate" && plate->fill == box->fill));
                }
            }
        }
        std::set<std::pair<int, int>> all;
        for (const auto& [look, lines] : looks) {
            CAPTURE(scheme, look);
            REQUIRE(lines.size() == 1);               // one look each
            CHECK(all.insert(*lines.begin()).second); // and no two alike
        }
        CHECK(looks.size() >= 2);
    }
}

TEST_CASE("the colours of the other palettes are not hatched")
{
    const engine::Run run = tests::measuredRun("bitpipe", 4, 8);
    const engine::Run* const runs[] = {&run};
    CHECK(toSvg(layoutFigure(runs, {}).value()).find("\"hatch") == std::string::npos);
}
