#include "profiler/figure/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace profiler {
namespace {

constexpr double kSmallestGrey = 1.25; // ratio of luminances that a laser printer keeps apart

// What one row shows: its op boxes, the numbers in them, and how they stand out.
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
        return {true, "every ink at least 4.5 : 1"};
    return {false, fmt::format("{}: ink {:.1f} : 1", worst->name, worst->ink)};
}

// Fills of one chunk by kind of op: "F" -> its colour. Tints of one kind may come near another's:
// a number and its place tell them apart.
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
