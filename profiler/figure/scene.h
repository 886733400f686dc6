#pragma once

#include "profiler/figure/palette.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace profiler {

// Types for the layout of a figure: boxes, lines, hatches and texts. Positions are in points (1/72
// in), with y pointing down. Back-ends draw a scene: SVG and TikZ here, QPainter (screen, PDF, PNG)
// in app/figures. The same input gives the same bytes.
struct Rect
{
    double x = 0, y = 0, width = 0, height = 0;
};

struct Box
{
    Rect rect;
    Colour fill;
    double stroke = 0; // line width in points; 0: no edge
    Colour strokeColour;
    // The length by which the leading top corner is cut off, which marks the up direction; 0: not
    // cut.
    double cut = 0;
    // Id, class and data-op of the SVG element: "d1-5", "op B chunk1 up", "1B5". May be empty.
    std::string id, cls, op;
};

// A background with parallel lines. Both are clipped to a rect, or to a box with a cut corner.
// hatchLines() computes the lines.
struct Hatch
{
    Rect rect;
    Colour fill, line;
    // Distance and width of the lines in points. The distance of sloping lines is measured along x.
    double spacing = 3, width = 0.3;
    std::string cls;
    HatchLines lines = HatchLines::Rising;
    double cut = 0;        // see Box::cut
    bool hasGround = true; // false: no background, only lines over an existing box
};

constexpr double kDash = 3; // length of a dash and of a gap, as a multiple of the line width

struct Line
{
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0, width = 0.5;
    Colour colour;
    bool dashed = false;
    std::string cls;
};

struct Text
{
    enum class Anchor : std::uint8_t { Start, Middle, End };

    double x = 0, baseline = 0, size = 6;
    std::string text;
    Colour colour;
    Anchor anchor = Anchor::Start;
    bool bold = false;
    std::string cls;
};

struct Polygon // A filled polygon, for arrow heads and areas
{
    std::vector<std::pair<double, double>> points;
    Colour fill;
    std::string cls;
};

using SceneShape = std::variant<Box, Hatch, Line, Text, Polygon>;

struct Group // a row, an axis or a legend: <g id="device-2">
{
    std::string id;
    std::vector<SceneShape> shapes;
};

struct Scene
{
    double width = 0, height = 0;
    std::string font = "Roboto";    // font family of all texts
    std::string title, description; // metadata of the file: run, command, program
    // Creation date of the PDF in UTC, which is the start of the first run: "20261121034633".
    std::string date;
    std::vector<Group> groups;
};

// Where something that can be chosen is drawn, such as a point of a study.
struct SceneMark
{
    std::size_t point = 0;
    Rect rect;           // area of the cell, the bar or the marker
    std::size_t row = 0; // number of the row or the line to which the mark belongs
};

struct MarkedScene
{
    Scene scene;
    std::vector<SceneMark> marks;
};

struct Segment
{
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

// Clipped to the outline of the hatch, so that the code that draws the lines needs no clipping.
// Lines are placed relative to the page, so that they continue from one bubble to an adjacent one.
std::vector<Segment> hatchLines(const Hatch& hatch);

// The corners of a box in clockwise order from the upper left: four, or five if a corner is cut.
std::vector<std::pair<double, double>> outline(const Rect& rect, double cut);
inline std::vector<std::pair<double, double>> outline(const Box& box)
{
    return outline(box.rect, box.cut);
}

// Multiplies all lengths, and then moves everything.
void transform(Scene& scene, double by, double right, double down);
// The scene with an empty margin on all sides and, if `height` is not 0, centred in this height.
// All lengths are in points.
Scene onPage(Scene scene, double margin, double height);

// Writes the scene as an SVG file: a group with an id for each row, an element with class and
// data-op for each box, and texts as text. Colours are attributes, so that style sheets can
// override them.
std::string toSvg(const Scene& scene);

// A number without trailing zeros: "26.5", "14".
std::string trimmedNumber(double value, int decimals);
std::string pointText(double points); // a length in a file: "239.76", "-0.5", "0"

// Escapes markup and removes control characters in text of unknown origin, for SVG and HTML.
std::string markupText(std::string_view text);

// Writes the scene as a `tikzpicture` for \input, with named colours and a comment for each group.
// Texts stay text, so that they have the font of the document. Needs only \usepackage{tikz}.
// Lengths are in bp (1/72 in), so that the printed size is that of the scene.
std::string toTikz(const Scene& scene);

} // namespace profiler
