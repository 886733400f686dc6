#pragma once

#include "profiler/figure/font_metrics.h"
#include "profiler/figure/layout.h"
#include "tests/profiler/figure/figure_runs.h"

// Figures of runs, and what is in them.
namespace tests {

using namespace profiler;

inline Scene figure(const std::vector<engine::Run>& runs, const FigureOptions& options = {})
{
    std::vector<const engine::Run*> pointers;
    for (const auto& run : runs)
        pointers.push_back(&run);
    auto scene = layoutFigure(pointers, options);
    if (!scene)
        FAIL(scene.error().message);
    return *std::move(scene);
}

inline std::string refusal(const std::vector<engine::Run>& runs, const FigureOptions& options)
{
    std::vector<const engine::Run*> pointers;
    for (const auto& run : runs)
        pointers.push_back(&run);
    const auto scene = layoutFigure(pointers, options);
    REQUIRE_FALSE(scene.has_value());
    return scene.error().message;
}

template<class ShapeType>
std::vector<ShapeType> all(const Scene& scene, std::string_view cls)
{
    std::vector<ShapeType> found;
    for (const Group& group : scene.groups)
        for (const SceneShape& shape : group.shapes)
            if (const auto* s = std::get_if<ShapeType>(&shape); s && s->cls.starts_with(cls))
                found.push_back(*s);
    return found;
}

inline double left(const Text& text, double width)
{
    const double share[] = {0, 0.5, 1};
    return text.x - width * share[static_cast<std::size_t>(text.anchor)];
}

inline bool contains(const Rect& r, double x, double y)
{
    return r.x <= x && x <= r.x + r.width && r.y <= y && y <= r.y + r.height;
}

// Every text and box lies on the page, none is smaller than 5 pt, and every number stands in a box.
inline void checkPage(const Scene& scene)
{
    const FontFace font = loadFont(scene.font).value();
    for (const Group& group : scene.groups) {
        Rect last;
        for (const SceneShape& shape : group.shapes) {
            if (const auto* box = std::get_if<Box>(&shape)) {
                last = box->rect;
                CHECK(last.x >= 0);
                CHECK(last.y >= 0);
                CHECK(last.x + last.width <= scene.width);
                CHECK(last.y + last.height <= scene.height);
            }
            const auto* text = std::get_if<Text>(&shape);
            if (!text)
                continue;
            CAPTURE(group.id, text->text, text->cls, text->x, text->size);
            const auto& metrics = text->bold ? font.bold : font.regular;
            const double width = metrics.width(text->text, text->size);
            const double x = left(*text, width);
            CHECK(text->size >= kSmallestType);
            CHECK(x >= -0.01);
            CHECK(x + width <= scene.width + 0.01);
            CHECK(text->baseline <= scene.height);
            if (text->cls != "micro-batch")
                continue;
            CHECK(contains(last, x, text->baseline));
            CHECK(contains(last, x + width, text->baseline - metrics.capHeight(text->size)));
        }
    }
}

} // namespace tests
