#include "profiler/figure/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace profiler {
namespace {

constexpr double kSmallestGrey = 1.25; // luminance ratio that a laser printer keeps distinct

// A row of the figure: its op boxes, how many of them have numbers, and the contrast of these.
struct RowFacts
{
    std::string name;
    int boxes = 0, numbers = 0;
    double smallest = 1e9, ink = 21;
};

bool holdsNumber(const Box& box)
{
    return box.cls.starts_with("op ") && !box.cls.starts_with("op OPT");
}

RowFacts factsOf(const Group& row)
{
    RowFacts facts;
    const Box* last = nullptr;
    for (const SceneShape& shape : row.shapes) {
        if (const auto* box = std::get_if<Box>(&shape)) {
            last = box;
            facts.boxes += holdsNumber(*box);
        }
        const auto* text = std::get_if<Text>(&shape);
        if (text && text->cls == "row-label")
            facts.name = text->text;
        if (!text || text->cls != "micro-batch" || !last)
            continue;
        ++facts.numbers;
        facts.smallest = std::min(facts.smallest, text->size);
        facts.ink = std::min(facts.ink, contrast(text->colour, last->fill));
    }
    return facts;
}

FigureCheck checkNumbers(const std::vector<RowFacts>& rows, const FigureOptions& options)
{
    if (!options.microBatches || rows.empty())
        return {true, "no numbers"};
    const auto worst = std::ranges::max_element(
        rows, {}, [](const RowFacts& row) { return row.boxes - row.numbers; });
    if (worst->boxes > worst->numbers)
        return {
            false,
            fmt::format("{}: {} numbers do not fit", worst->name, worst->boxes - worst->numbers)};
    const auto smallest = std::ranges::min(rows, {}, &RowFacts::smallest).smallest;
    return {true, fmt::format("smallest number {:.3g} pt", smallest)};
}

FigureCheck checkInk(const std::vector<RowFacts>& rows)
{
    const auto worst = std::ranges::min_element(rows, {}, &RowFacts::ink);
    if (worst == rows.end() || worst->ink >= kSmallestInk)
        return {true, "contrast of numbers at least 4.5 : 1"};
    return {false, fmt::format("{}: contrast of numbers only {:.1f} : 1", worst->name, worst->ink)};
}

// The fills of the ops of chunk 0: "F" -> its colour. Tints of other chunks may be similar to
// another kind; numbers and positions distinguish them.
std::map<std::string, Colour> fillsOf(const Scene& scene)
{
    std::map<std::string, Colour> fills;
    for (const Group& group : scene.groups)
        for (const SceneShape& shape : group.shapes) {
            const auto* box = std::get_if<Box>(&shape);
            if (!box || !box->cls.starts_with("op "))
                continue;
            if (box->cls.find("chunk") != std::string::npos)
                continue;
            const auto end = box->cls.find(' ', 3);
            fills.emplace(box->cls.substr(3, end == std::string::npos ? end : end - 3), box->fill);
        }
    return fills;
}

FigureCheck checkGrey(const Scene& scene)
{
    const auto fills = fillsOf(scene);
    for (auto one = fills.begin(); one != fills.end(); ++one)
        for (auto other = std::next(one); other != fills.end(); ++other)
            if (contrast(one->second, other->second) < kSmallestGrey)
                return {false,
                        fmt::format("{} and {} look alike in grey", one->first, other->first)};
    return {true, "legible in grey"};
}

} // namespace

std::vector<FigureCheck> checkFigure(const Scene& scene, const FigureOptions& options)
{
    std::vector<RowFacts> rows;
    for (const Group& group : scene.groups)
        if (RowFacts facts = factsOf(group); !facts.name.empty())
            rows.push_back(std::move(facts));
    return {checkNumbers(rows, options), checkInk(rows), checkGrey(scene)};
}

} // namespace profiler
