#include "profiler/figure/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace profiler {

using namespace engine;

namespace {

using Corners = std::vector<std::pair<double, double>>;

// A family of parallel lines: nx * x + ny * y = c for every multiple c of the spacing.
struct Direction
{
    double nx = 1, ny = 1;
};

const std::vector<Direction>& directionsOf(HatchLines lines)
{
    // x + y = c rises to the right, because y points down.
    static const std::array<std::vector<Direction>, 6> kDirections{
        {{}, {{1, 1}}, {{1, -1}}, {{1, 1}, {1, -1}}, {{0, 1}}, {{1, 0}}}};
    return kDirections[static_cast<std::size_t>(lines)];
}

// The part of the line n.nx * x + n.ny * y = c within a convex polygon, whose corners are in
// clockwise order; nullopt if the line does not enter the polygon.
std::optional<Segment> clipped(Direction n, double c, const Corners& corners)
{
    const double length = n.nx * n.nx + n.ny * n.ny;
    const double x0 = c * n.nx / length, y0 = c * n.ny / length; // the point closest to the origin
    const double dx = n.ny, dy = -n.nx;
    double from = -std::numeric_limits<double>::infinity(), to = -from;
    for (std::size_t k = 0; k < corners.size(); ++k) {
        const auto& [ax, ay] = corners[k];
        const auto& [bx, by] = corners[(k + 1) % corners.size()];
        // A point is on the inner side of an edge if the cross product is not negative.
        const double at = (bx - ax) * (y0 - ay) - (by - ay) * (x0 - ax);
        const double slope = (bx - ax) * dy - (by - ay) * dx;
        if (slope == 0 && at < 0)
            return std::nullopt;
        if (slope > 0)
            from = std::max(from, -at / slope);
        if (slope < 0)
            to = std::min(to, -at / slope);
    }
    if (!(from < to))
        return std::nullopt;
    Segment segment{x0 + from * dx, y0 + from * dy, x0 + to * dx, y0 + to * dy};
    if (segment.x1 > segment.x2)
        segment = {segment.x2, segment.y2, segment.x1, segment.y1};
    return segment;
}

} // namespace

std::vector<Segment> hatchLines(const Hatch& hatch)
{
    std::vector<Segment> segments;
    if (hatch.spacing <= 0 || hatch.rect.width <= 0 || hatch.rect.height <= 0)
        return segments;
    const Corners corners = outline(hatch.rect, hatch.cut);
    for (const Direction n : directionsOf(hatch.lines)) {
        double first = std::numeric_limits<double>::infinity(), last = -first;
        for (const auto& [x, y] : corners) {
            first = std::min(first, n.nx * x + n.ny * y);
            last = std::max(last, n.nx * x + n.ny * y);
        }
        for (double c = std::ceil(first / hatch.spacing) * hatch.spacing; c < last;
             c += hatch.spacing)
            if (const auto segment = clipped(n, c, corners))
                segments.push_back(*segment);
    }
    return segments;
}

Corners outline(const Rect& rect, double cut)
{
    const auto [x, y, width, height] = rect;
    Corners corners{{x + width, y}, {x + width, y + height}, {x, y + height}};
    if (cut <= 0) {
        corners.insert(corners.begin(), {x, y});
    } else {
        corners.insert(corners.begin(), {x + cut, y});
        corners.emplace_back(x, y + cut);
    }
    return corners;
}

std::string trimmedNumber(double value, int decimals)
{
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.')
            text.pop_back();
    }
    return text;
}

std::string pointText(double points)
{
    return trimmedNumber(std::round(points * 100) / 100 + 0.0, 2); // + 0.0: no "-0"
}

namespace {

// What is written so far.
struct Output
{
    std::string text;

    template<class... Arguments>
    void out(fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
    }
};

class SvgWriter : Output
{
public:
    std::string write(const Scene& scene)
    {
        out(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}pt" height="{1}pt" viewBox="0 0 {0} {1}")",
            pointText(scene.width), pointText(scene.height));
        out(" font-family=\"'{}', 'Helvetica', 'Arial', sans-serif\" role=\"img\">\n",
            markupText(scene.font));
        out("<title>{}</title>\n<desc>{}</desc>\n", markupText(scene.title),
            markupText(scene.description));
        for (const Group& group : scene.groups) {
            out("<g{}>\n", attribute("id", group.id));
            for (const SceneShape& shape : group.shapes)
                std::visit([this](const auto& s) { draw(s); }, shape);
            out("</g>\n");
        }
        out("</svg>\n");
        return std::move(text);
    }

private:
    static std::string attribute(std::string_view name, const std::string& value)
    {
        return value.empty() ? std::string() : fmt::format(" {}=\"{}\"", name, markupText(value));
    }

    static std::string rect(const Rect& r)
    {
        return fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}")", pointText(r.x),
                           pointText(r.y), pointText(r.width), pointText(r.height));
    }

    static std::string points(const std::vector<std::pair<double, double>>& corners)
    {
        std::string all;
        for (const auto& [x, y] : corners)
            all += fmt::format("{}{},{}", all.empty() ? "" : " ", pointText(x), pointText(y));
        return fmt::format(R"(<polygon points="{}")", all);
    }

    void draw(const Box& box)
    {
        out("{}", box.cut > 0 ? points(outline(box)) : rect(box.rect));
        out("{}{}{}", attribute("id", box.id), attribute("class", box.cls),
            attribute("data-op", box.op));
        out(" fill=\"{}\"", hex(box.fill));
        if (box.stroke > 0)
            out(R"( stroke="{}" stroke-width="{}")", hex(box.strokeColour), pointText(box.stroke));
        out("/>\n");
    }

    void draw(const Hatch& hatch)
    {
        if (hatch.hasGround)
            out("{}{} fill=\"{}\"/>\n", rect(hatch.rect), attribute("class", hatch.cls),
                hex(hatch.fill));
        const auto lines = hatchLines(hatch);
        if (lines.empty())
            return;
        out("<path d=\"");
        for (const Segment& s : lines)
            out("M{},{}L{},{}", pointText(s.x1), pointText(s.y1), pointText(s.x2), pointText(s.y2));
        out("\"{} stroke=\"{}\" stroke-width=\"{}\"/>\n",
            attribute("class", hatch.cls.empty() ? hatch.cls : hatch.cls + "-lines"),
            hex(hatch.line), pointText(hatch.width));
    }

    void draw(const Line& line)
    {
        out(R"(<line x1="{}" y1="{}" x2="{}" y2="{}"{} stroke="{}" stroke-width="{}")",
            pointText(line.x1), pointText(line.y1), pointText(line.x2), pointText(line.y2),
            attribute("class", line.cls), hex(line.colour), pointText(line.width));
        if (line.dashed)
            out(R"( stroke-dasharray="{0} {0}")", pointText(kDash * line.width));
        out("/>\n");
    }

    void draw(const Text& of)
    {
        constexpr EnumArray<Text::Anchor, const char*, 3> kAnchors{"start", "middle", "end"};
        out(R"(<text x="{}" y="{}" font-size="{}" text-anchor="{}"{}{} fill="{}">{}</text>)",
            pointText(of.x), pointText(of.baseline), pointText(of.size), kAnchors[of.anchor],
            attribute("class", of.cls), of.bold ? " font-weight=\"bold\"" : "", hex(of.colour),
            markupText(of.text));
        out("\n");
    }

    void draw(const Polygon& polygon)
    {
        out("{}{} fill=\"{}\"/>\n", points(polygon.points), attribute("class", polygon.cls),
            hex(polygon.fill));
    }
};

} // namespace

void transform(Scene& scene, double by, double right, double down)
{
    const auto lengths = [by](auto&... all) { ((all *= by), ...); };
    const auto place = [=](double& x, double& y) {
        x = by * x + right;
        y = by * y + down;
    };
    const auto change = [&](auto& shape) {
        if constexpr (requires { shape.rect; }) {
            place(shape.rect.x, shape.rect.y);
            lengths(shape.rect.width, shape.rect.height, shape.cut);
        } else if constexpr (requires { shape.points; }) {
            for (auto& [x, y] : shape.points)
                place(x, y);
        } else if constexpr (requires { shape.baseline; }) {
            place(shape.x, shape.baseline);
            lengths(shape.size);
        } else {
            place(shape.x1, shape.y1);
            place(shape.x2, shape.y2);
        }
        if constexpr (requires { shape.spacing; })
            lengths(shape.spacing);
        if constexpr (requires { shape.width; })
            lengths(shape.width);
        if constexpr (requires { shape.stroke; })
            lengths(shape.stroke);
    };
    for (Group& group : scene.groups)
        for (SceneShape& shape : group.shapes)
            std::visit(change, shape);
    lengths(scene.width, scene.height);
}

Scene onPage(Scene scene, double margin, double height)
{
    transform(scene, 1, margin, height > 0 ? (height - scene.height) / 2 : margin);
    scene.width += 2 * margin;
    scene.height = height > 0 ? height : scene.height + 2 * margin;
    return scene;
}

std::string toSvg(const Scene& scene)
{
    return SvgWriter().write(scene);
}

std::string markupText(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else if (c == '"')
            result += "&quot;";
        else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
            result += c;
    }
    return result;
}

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
     {"<", "\\textless{}"}, // most TeX fonts for text have other characters at these codes
     {">", "\\textgreater{}"},
     {"~", "\\textasciitilde{}"},
     {"^", "\\textasciicircum{}"},
     {"\u2009", "\\,"},
     {"\u2212", "\\textminus{}"},
     {"\u00D7", "\\texttimes{}"},
     {"\u2090", "\\textsubscript{a}"},
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

class TikzWriter : Output
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
        return head + text + "\\end{tikzpicture}%\n";
    }

private:
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
        std::string all;
        for (const auto& [x, y] : corners)
            all += fmt::format("({},{}) -- ", pointText(x), pointText(y));
        return all + "cycle";
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
    void draw(const Text& of)
    {
        constexpr EnumArray<Text::Anchor, const char*, 3> kAnchors{"base west", "base",
                                                                   "base east"};
        const std::string place = of.cls == "run-facts"
            ? fmt::format("[xshift={}bp]bstitle.base east", pointText(of.size))
            : fmt::format("{},{}", pointText(of.x), pointText(of.baseline));
        out("\\node[{}anchor={},text={},font=\\sffamily{}\\fontsize{{{}bp}}{{{}bp}}\\selectfont] "
            "at ({}) {{{}}};\n",
            of.cls == "run-title" ? "name=bstitle," : "", kAnchors[of.anchor],
            of.cls == "micro-batch" ? colour(of.colour, m_role + "Ink")
                                    : inkColour(of.colour, of.cls),
            of.bold ? "\\bfseries" : "", pointText(of.size), pointText(1.2 * of.size), place,
            texText(of.text));
    }

    void draw(const Polygon& polygon)
    {
        out("\\fill[{}] {};\n", colour(polygon.fill, camelCase(polygon.cls)), path(polygon.points));
    }

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
