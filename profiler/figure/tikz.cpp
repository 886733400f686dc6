#include "profiler/figure/tikz.h"

#include "profiler/figure/figure_style.h"
#include "profiler/figure/hatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

namespace profiler {
namespace {

std::string colourName(Colour colour)
{
    return "bs" + hex(colour).substr(1);
}

struct Replacement
{
    std::string_view from, to;
};
// Characters that TeX interprets, and characters beyond ASCII that figures contain.
constexpr std::array<Replacement, 17> kReplacements{
    {{"\\", "\\textbackslash{}"},
     {"{", "\\{"},
     {"}", "\\}"},
     {"&", "\\&"},
     {"%", "\\%"},
     {"$", "\\$"},
     {"#", "\\#"},
     {"_", "\\_"},
     {"<", "$<$"}, // text fonts have other characters in their places
     {">", "$>$"},
     {"~", "\\textasciitilde{}"},
     {"^", "\\textasciicircum{}"},
     {"\u2009", "\\,"},
     {"\u2212", "$-$"},
     {"\u00D7", "$\\times$"},
     {"\u2090", "$_a$"},
     {"\u03B8", "$\\theta$"}}};

std::string texText(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const auto* found = std::ranges::find_if(
            kReplacements, [text](const Replacement& r) { return text.starts_with(r.from); });
        if (found != kReplacements.end()) {
            result += found->to;
            text.remove_prefix(found->from.size());
            continue;
        }
        if (static_cast<unsigned char>(text.front()) >= 0x20)
            result += text.front();
        text.remove_prefix(1);
    }
    return result;
}

// Replaces line ends, because they end a TeX comment.
std::string comment(std::string_view text)
{
    std::string result(text);
    std::ranges::replace(result, '\n', ' ');
    return result;
}

class TikzWriter
{
public:
    std::string write(const Scene& scene)
    {
        for (const Group& group : scene.groups) {
            out("% {}\n", comment(group.id));
            for (const SceneShape& shape : group.shapes)
                std::visit([this](const auto& s) { draw(s); }, shape);
        }
        std::string head = fmt::format(
            "% {}\n% {}\n% \\usepackage{{tikz}}, then \\input this file; {} x {} bp.\n",
            comment(scene.title), comment(scene.description), pointText(scene.width),
            pointText(scene.height));
        for (const std::string& colour : m_colours)
            head += fmt::format("\\definecolor{{bs{0}}}{{HTML}}{{{0}}}%\n", colour);
        head += "\\begin{tikzpicture}[x=1bp,y=-1bp,line cap=butt,line join=miter,"
                "every node/.style={inner sep=0pt,outer sep=0pt,font=\\sffamily}]\n";
        head += fmt::format("\\useasboundingbox (0,0) rectangle ({},{});\n", pointText(scene.width),
                            pointText(scene.height));
        return head + m_text + "\\end{tikzpicture}%\n";
    }

private:
    template<class... Arguments>
    void out(fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        fmt::format_to(std::back_inserter(m_text), format, std::forward<Arguments>(arguments)...);
    }

    std::string colour(Colour used)
    {
        m_colours.insert(hex(used).substr(1));
        return colourName(used);
    }

    static std::string path(const std::vector<std::pair<double, double>>& corners)
    {
        std::string text;
        for (const auto& [x, y] : corners)
            text += fmt::format("({},{}) -- ", pointText(x), pointText(y));
        return text + "cycle";
    }

    void draw(const Box& box)
    {
        const auto [x, y, width, height] = box.rect;
        if (box.stroke > 0)
            out("\\filldraw[fill={},draw={},line width={}bp] ", colour(box.fill),
                colour(box.strokeColour), pointText(box.stroke));
        else
            out("\\fill[{}] ", colour(box.fill));
        if (box.cut > 0)
            out("{};", path(outline(box)));
        else
            out("({},{}) rectangle ({},{});", pointText(x), pointText(y), pointText(x + width),
                pointText(y + height));
        out("{}\n", box.op.empty() ? "" : " % " + comment(box.op));
    }

    void draw(const Hatch& hatch)
    {
        if (hatch.hasGround)
            out("\\fill[{}] {};\n", colour(hatch.fill), path(outline(hatch.rect, hatch.cut)));
        const auto lines = hatchLines(hatch);
        if (lines.empty())
            return;
        out("\\draw[{},line width={}bp]", colour(hatch.line), pointText(hatch.width));
        for (const Segment& s : lines)
            out(" ({},{}) -- ({},{})", pointText(s.x1), pointText(s.y1), pointText(s.x2),
                pointText(s.y2));
        out(";\n");
    }

    void draw(const Line& line)
    {
        const std::string dash = line.dashed
            ? fmt::format(",dash pattern=on {0}bp off {0}bp", pointText(kDash * line.width))
            : std::string();
        out("\\draw[{},line width={}bp{}] ({},{}) -- ({},{});\n", colour(line.colour),
            pointText(line.width), dash, pointText(line.x1), pointText(line.y1), pointText(line.x2),
            pointText(line.y2));
    }

    // The document's font may have another width, so a text after a title is placed relative to the
    // title's end.
    void draw(const Text& text)
    {
        constexpr engine::EnumArray<Text::Anchor, const char*, 3> kAnchors{"base west", "base",
                                                                           "base east"};
        const std::string place = text.cls == "run-facts"
            ? fmt::format("[xshift={}bp]bstitle.base east", pointText(text.size))
            : fmt::format("{},{}", pointText(text.x), pointText(text.baseline));
        out("\\node[{}anchor={},text={},font=\\sffamily{}\\fontsize{{{}bp}}{{{}bp}}\\selectfont] "
            "at ({}) {{{}}};\n",
            text.cls == "run-title" ? "name=bstitle," : "", kAnchors[text.anchor],
            colour(text.colour), text.bold ? "\\bfseries" : "", pointText(text.size),
            pointText(1.2 * text.size), place, texText(text.text));
    }

    void draw(const Polygon& polygon)
    {
        out("\\fill[{}] {};\n", colour(polygon.fill), path(polygon.points));
    }

    std::string m_text;
    std::set<std::string> m_colours;
};

} // namespace

std::string toTikz(const Scene& scene)
{
    return TikzWriter().write(scene);
}

} // namespace profiler
