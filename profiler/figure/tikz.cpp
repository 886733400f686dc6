#include "profiler/figure/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace profiler {
namespace {

// "row-label" -> "RowLabel".
std::string camelCase(std::string_view cls)
{
    std::string result;
    bool isFirst = true;
    for (const char c : cls) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0)
            isFirst = true;
        else
            result += std::exchange(isFirst, false)
                ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
                : c;
    }
    return result.empty() ? "Plain" : result;
}

// "op F chunk1 up" -> "F1"; chunk 0 has no number.
std::string opRole(std::string_view cls)
{
    const std::string_view name = cls.substr(3);
    const auto chunk = name.find(" chunk");
    std::string role(name.substr(0, name.find(' ')));
    if (chunk != std::string_view::npos)
        role += name.substr(chunk + 6, name.find(' ', chunk + 1) - chunk - 6);
    return role;
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
     {"<", "$<$"}, // most TeX fonts for text have other characters at these codes
     {">", "$>$"},
     {"~", "\\textasciitilde{}"},
     {"^", "\\textasciicircum{}"},
     {"\u2009", "\\,"},
     {"\u2212", "$-$"},
     {"\u00D7", "$\\times$"},
     {"\u2090", "$_a$"},
     {"\u03B8", "$\\theta$"}}};

bool isControl(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
}

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
        if (!isControl(text.front()))
            result += text.front();
        text.remove_prefix(1);
    }
    return result;
}

// Replaces control characters in text for a TeX comment. A line feed or a carriage return would end
// the comment, and the rest of the text would be TeX.
std::string comment(std::string_view text)
{
    std::string result(text);
    std::ranges::replace_if(result, isControl, ' ');
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
        for (const auto& [role, colour] : m_colours)
            head += fmt::format("\\definecolor{{bs{}}}{{HTML}}{{{}}}%\n", role,
                                hex(colour).substr(1));
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

    // "bsF1" for the first colour of the role "F1", "bsF1b" for the second.
    std::string colour(Colour used, std::string role)
    {
        while (m_colours.try_emplace(role, used).first->second != used)
            role += 'b';
        return "bs" + role;
    }

    // The name of the box's colour is made from its role: that of its op. Another box (swatch,
    // plate) has the role of an earlier box with the same fill or, if there is no such box, a role
    // named after its class.
    std::string roleOf(const Box& box) const
    {
        if (box.cls.starts_with("op "))
            return opRole(box.cls);
        const auto shown
            = std::ranges::find(m_fills, box.fill, &std::pair<std::string, Colour>::second);
        return shown != m_fills.end() ? shown->first : camelCase(box.cls);
    }

    // The first colour that is used is "bsInk"; other colours are named after the class of the text
    // or line.
    std::string inkColour(Colour used, std::string_view cls)
    {
        const auto ink = m_colours.try_emplace("Ink", used).first;
        return ink->second == used ? "bsInk" : colour(used, camelCase(cls));
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
        m_role = roleOf(box);
        if (!m_colours.contains(m_role))
            m_fills.emplace_back(m_role, box.fill);
        const std::string fill = colour(box.fill, m_role);
        if (box.stroke > 0)
            out("\\filldraw[fill={},draw={},line width={}bp] ", fill,
                colour(box.strokeColour, m_role + "Edge"), pointText(box.stroke));
        else
            out("\\fill[{}] ", fill);
        if (box.cut > 0)
            out("{};", path(outline(box)));
        else
            out("({},{}) rectangle ({},{});", pointText(x), pointText(y), pointText(x + width),
                pointText(y + height));
        out("{}\n", box.op.empty() ? "" : " % " + comment(box.op));
    }

    void draw(const Hatch& hatch)
    {
        const std::string role = hatch.cls == "hatch" ? m_role : camelCase(hatch.cls);
        if (hatch.hasGround && !m_colours.contains(role))
            m_fills.emplace_back(role, hatch.fill);
        if (hatch.hasGround)
            out("\\fill[{}] {};\n", colour(hatch.fill, role), path(outline(hatch.rect, hatch.cut)));
        const auto lines = hatchLines(hatch);
        if (lines.empty())
            return;
        out("\\draw[{},line width={}bp]", colour(hatch.line, role + "Line"),
            pointText(hatch.width));
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
        out("\\draw[{},line width={}bp{}] ({},{}) -- ({},{});\n",
            line.cls == "up-mark" ? colour(line.colour, m_role + "Ink")
                                  : inkColour(line.colour, line.cls),
            pointText(line.width), dash, pointText(line.x1), pointText(line.y1), pointText(line.x2),
            pointText(line.y2));
    }

    // The facts of a run follow its title. Because texts may be wider in the document's font, the
    // facts are placed relative to the end of the title.
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
            text.cls == "micro-batch" ? colour(text.colour, m_role + "Ink")
                                      : inkColour(text.colour, text.cls),
            text.bold ? "\\bfseries" : "", pointText(text.size), pointText(1.2 * text.size), place,
            texText(text.text));
    }

    void draw(const Polygon& polygon)
    {
        out("\\fill[{}] {};\n", colour(polygon.fill, camelCase(polygon.cls)), path(polygon.points));
    }

    std::string m_text;
    std::map<std::string, Colour> m_colours;             // role -> colour
    std::vector<std::pair<std::string, Colour>> m_fills; // in the order of first use
    std::string m_role;                                  // role of the last box
};

} // namespace

std::string toTikz(const Scene& scene)
{
    return TikzWriter().write(scene);
}

} // namespace profiler
