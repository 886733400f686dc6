#include "profiler/figure/scene.h"

#include <fmt/format.h>

#include <iterator>

namespace profiler {
namespace {

class SvgWriter
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
        return std::move(m_text);
    }

private:
    template<class... Arguments>
    void out(fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        fmt::format_to(std::back_inserter(m_text), format, std::forward<Arguments>(arguments)...);
    }

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
        std::string text;
        for (const auto& [x, y] : corners)
            text += fmt::format("{}{},{}", text.empty() ? "" : " ", pointText(x), pointText(y));
        return fmt::format(R"(<polygon points="{}")", text);
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

    void draw(const Text& text)
    {
        constexpr engine::EnumArray<Text::Anchor, const char*, 3> kAnchors{"start", "middle",
                                                                           "end"};
        out(R"(<text x="{}" y="{}" font-size="{}" text-anchor="{}"{}{} fill="{}">{}</text>)",
            pointText(text.x), pointText(text.baseline), pointText(text.size),
            kAnchors[text.anchor], attribute("class", text.cls),
            text.bold ? " font-weight=\"bold\"" : "", hex(text.colour), markupText(text.text));
        out("\n");
    }

    void draw(const Polygon& polygon)
    {
        out("{}{} fill=\"{}\"/>\n", points(polygon.points), attribute("class", polygon.cls),
            hex(polygon.fill));
    }

    std::string m_text;
};

} // namespace

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

} // namespace profiler
