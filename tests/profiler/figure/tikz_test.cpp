#include "profiler/figure/scene.h"
#include "tests/catch.h"

using namespace profiler;

namespace {

std::string tikz(SceneShape shape)
{
    Scene scene;
    scene.width = 100;
    scene.height = 40.5;
    scene.title = "BitPipe,\nD 4";
    scene.groups.push_back({"device-0", {std::move(shape)}});
    return toTikz(scene);
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

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
    CHECK(has(picture, "{11.3\\,\\% of \\textbackslash{}a\\_b \\{$-$\\} \\#1 \\& \\$};\n"));
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
    CHECK(has(tikz(text), "{B $<$ 2 $>$ 1}"));
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
