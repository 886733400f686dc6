#include "profiler/figure/legend_entries.h"

#include "engine/schedule/notation.h"
#include "profiler/analysis/measure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace profiler {
namespace {

using namespace engine;
using LegendChunks = std::map<OpKind, std::set<int>>;

std::string kindText(OpKind kind)
{
    return kind == OpKind::OptimizerStep ? "optimizer"
        : isTransfer(kind)               ? "message"
                                         : lowered(kindTitle(kind));
}

// ", chunk 0 and 1", or ", chunk 0, 1, 2 ..." if several chunks have one colour.
std::string chunkText(const std::set<int>& chunks, std::size_t colours)
{
    const bool isCut = colours < chunks.size();
    const auto end = std::next(chunks.begin(), static_cast<int>(isCut ? colours : colours - 1));
    const std::string first = fmt::format(", chunk {}", fmt::join(chunks.begin(), end, ", "));
    return isCut ? first + " ..." : fmt::format("{} and {}", first, *end);
}

// Merges B and I into one entry that names both, because they have the same colour.
LegendChunks withOneBackward(LegendChunks kinds)
{
    const auto input = kinds.find(OpKind::BackwardInput), whole = kinds.find(OpKind::Backward);
    if (input != kinds.end() && whole != kinds.end()) {
        whole->second.merge(input->second);
        kinds.erase(input);
    }
    return kinds;
}

LegendEntry kindEntry(OpKind kind, const std::set<int>& chunks, bool first, const Palette& palette)
{
    LegendEntry entry{.fills = {}, .text = kindText(kind), .shortText = kindText(kind)};
    for (const int chunk : chunks) {
        const Colour fill = palette.fill(kind, chunk);
        if (std::ranges::find(entry.fills, fill) != entry.fills.end())
            continue;
        entry.fills.push_back(fill);
        entry.hatches.push_back(palette.hatch(kind, chunk));
    }
    if (kind == OpKind::OptimizerStep)
        entry.edge = palette.optimizerEdge;
    if (first && entry.fills.size() > 1)
        entry.text += chunkText(chunks, entry.fills.size());
    return entry;
}

// One per micro-batch, stage, direction or chunk, each with the colours of its forward and its
// backward.
std::vector<LegendEntry> hueEntries(const LegendContent& content, const Palette& palette)
{
    const bool isDirection = content.by == ColourBy::Direction;
    const std::string group
        = isDirection ? "down" : fmt::format("{} 0", colourByNames()[std::size_t(content.by)]);
    std::vector<LegendEntry> entries;
    for (int k = 0; k < std::min(content.groups, kHues); ++k) {
        const std::string number = isDirection ? "up"
            : k + kHues < content.groups       ? fmt::format("{}, {} \u2026", k, k + kHues)
                                               : std::to_string(k);
        entries.push_back(
            {.fills = {hueFill(palette, k, Tint::Forward), hueFill(palette, k, Tint::Backward)},
             .text = k == 0 ? group + ": forward, backward" : number,
             .shortText = k == 0 ? group : number});
    }
    return entries;
}

LegendEntry durationEntry(const LegendContent& content, const Palette& palette)
{
    LegendEntry entry{.fills = {},
                      .text = fmt::format("duration of an op, 0 to {}", content.longest),
                      .shortText = fmt::format("0 to {}", content.longest)};
    for (int step = 0; step < kDurationSteps; ++step)
        entry.fills.push_back(durationFill(palette, step));
    return entry;
}

} // namespace

std::vector<LegendEntry> legendEntries(const LegendContent& content, const Palette& palette)
{
    std::vector<LegendEntry> entries;
    if (content.by == ColourBy::Duration)
        entries.push_back(durationEntry(content, palette));
    else if (content.by != ColourBy::Operation)
        entries = hueEntries(content, palette);
    bool isTransfer = false;
    const auto kinds = withOneBackward(content.chunks);
    for (const auto& [kind, chunks] : kinds) {
        if (content.by != ColourBy::Operation && isCompute(kind) && kind != OpKind::OptimizerStep)
            continue;
        LegendEntry entry = kindEntry(kind, chunks, entries.empty(), palette);
        if (kind == OpKind::Backward && kinds.size() < content.chunks.size())
            entry.text += ", " + kindText(OpKind::BackwardInput);
        const bool wasTransfer
            = std::exchange(isTransfer, !isCompute(kind) && kind != OpKind::OptimizerStep);
        if (isTransfer && wasTransfer)
            entries.back().text += ", " + entry.text;
        else
            entries.push_back(std::move(entry));
    }
    const auto add
        = [&](bool occurs, LegendEntry::Look look, const char* text, const char* shortText) {
              if (occurs)
                  entries.push_back({look, {palette.exposed()}, text, shortText});
          };
    add(content.hasExposed, LegendEntry::Look::Fills, "exposed communication", "exposed comm.");
    add(content.isUp, LegendEntry::Look::Up, "direction up", "up");
    add(content.hasBubble, LegendEntry::Look::Bubble, "bubble", "bubble");
    return entries;
}

std::vector<LegendPosition> legendPositions(std::span<const double> widths, double gap,
                                            double width)
{
    std::vector<LegendPosition> places;
    LegendPosition next;
    for (const double needed : widths) {
        if (next.x > 0 && next.x + needed > width)
            next = {next.line + 1, 0};
        places.push_back(next);
        next.x += needed + gap;
    }
    return places;
}

} // namespace profiler
