#include "profiler/figure/figure_parts.h"
#include "profiler/figure/legend_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace profiler {
namespace {

using engine::OpKind;

// A kind of span gets a legend entry only if one span of this kind is at least this wide on paper.
constexpr double kThinnestSeen = 0.35; // points

std::string longestText(const std::vector<FigureRun>& runs, const FigureStyle& style)
{
    double longest = 0;
    for (const FigureRun& run : runs)
        longest = std::max(longest, run.units(run.longestOp));
    const TimeUnit unit = style.schematic ? style.unit : timeUnit(longest);
    return fmt::format("{} {}", unitNumber(longest / unit.units, 2), unit.name);
}

LegendContent contentOf(const std::vector<FigureRun>& runs, const FigureStyle& style, ColourBy by)
{
    LegendContent found;
    found.by = by;
    found.longest = longestText(runs, style);
    for (const FigureRun& run : runs) {
        const double pointsPerTick = scaleOf(run, style).pointsPerTick;
        const auto isSeen = [pointsPerTick](engine::Window window) {
            return window.duration() * pointsPerTick >= kThinnestSeen;
        };
        for (const FigureRow& row : run.rows) {
            found.hasBubble
                = found.hasBubble || std::ranges::any_of(row.bubbles, isSeen, &Bubble::window);
            found.hasExposed = found.hasExposed || std::ranges::any_of(row.exposed, isSeen);
            for (const FigureOp& op : row.ops) {
                found.chunks[op.op.kind].insert(op.chunk);
                found.isUp = found.isUp || op.op.replica > 0;
                found.groups = std::max(found.groups, 1 + colourGroup(op.op, op.chunk, by));
            }
        }
    }
    return found;
}

std::vector<LegendEntry> entriesOf(LegendContent content, const FigureStyle& style,
                                   const FigureOptions& options)
{
    const Palette& palette = style.palette;
    content.isUp = content.isUp && options.directionMark;
    content.hasBubble = content.hasBubble && options.bubbles != BubbleStyle::Blank;
    std::vector<LegendEntry> entries = legendEntries(content, palette);
    using enum engine::Track::Kind;
    for (const auto& [lane, text, shortText] :
         {std::tuple(Send, "messages sent", "sent"),
          std::tuple(Receive, "messages received", "received"),
          std::tuple(AllReduce, "all-reduces", "all-reduces"),
          std::tuple(Copy, "copies", "copies")})
        if (std::ranges::find(style.lanes, lane) != style.lanes.end())
            entries.push_back(
                {LegendEntry::Look::Fills, {palette.laneFill(lane)}, text, shortText});
    if (options.memory) {
        entries.push_back({LegendEntry::Look::Fills, {palette.stash}, "stash", "stash"});
        entries.push_back(
            {LegendEntry::Look::Fills, {palette.optimizerState}, "other memory", "other memory"});
    }
    return entries;
}

double gapOf(const FigureStyle& style)
{
    return 1.3 * style.size;
}

Rect swatchOf(const FigureStyle& style)
{
    return {0, 0, 1.25 * style.size, 0.95 * style.size};
}

// Legend entries with their texts and positions.
struct Arranged
{
    std::vector<std::string> texts;
    std::vector<LegendPosition> places;
    int lines = 0;
    double right = 0; // right end of the last line
};

Arranged arrange(const std::vector<LegendEntry>& entries, const FigureStyle& style,
                 const LegendPlace& place, std::string LegendEntry::*text)
{
    Arranged all;
    std::vector<double> widths;
    for (const LegendEntry& entry : entries) {
        all.texts.push_back(entry.*text);
        widths.push_back(static_cast<double>(entry.fills.size()) * swatchOf(style).width
                         + 0.4 * style.size + style.width(entry.*text, style.size));
    }
    all.places = legendPositions(widths, gapOf(style), place.right - style.plotLeft);
    if (!entries.empty()) {
        all.lines = all.places.back().line;
        all.right = style.plotLeft + all.places.back().x + widths.back();
    }
    return all;
}

// Uses the short texts if the legend fits only with them, or if they need fewer lines.
Arranged arrange(const std::vector<LegendEntry>& entries, const FigureStyle& style,
                 const LegendPlace& place)
{
    const auto fits
        = [&](const Arranged& all) { return all.lines == 0 && all.right <= place.lastRight; };
    Arranged full = arrange(entries, style, place, &LegendEntry::text);
    Arranged shorter = arrange(entries, style, place, &LegendEntry::shortText);
    return !fits(full) && (fits(shorter) || shorter.lines < full.lines) ? shorter : full;
}

void addSwatch(Group& group, const LegendEntry& entry, std::size_t fill, const Rect& rect,
               const FigureStyle& style)
{
    if (entry.look == LegendEntry::Look::Bubble) {
        group.shapes.emplace_back(Hatch{.rect = rect,
                                        .fill = style.palette.bubble,
                                        .line = style.palette.bubbleLine,
                                        .spacing = 0.55 * style.size,
                                        .cls = "bubble"});
        return;
    }
    const bool isUp = entry.look == LegendEntry::Look::Up;
    const Colour colour = isUp ? style.palette.gradients : entry.fills[fill];
    const Box box{.rect = rect,
                  .fill = colour,
                  .stroke = style.edgeWidth(),
                  .strokeColour = style.edge(colour),
                  .cut = isUp ? 0.4 * rect.height : 0,
                  .id = {},
                  .cls = "swatch",
                  .op = {}};
    group.shapes.emplace_back(box);
    if (fill < entry.hatches.size() && entry.hatches[fill].density > 0)
        group.shapes.emplace_back(style.hatchOver(box, entry.hatches[fill]));
}

} // namespace

Legend layoutLegend(const std::vector<FigureRun>& runs, const FigureStyle& style,
                    const FigureOptions& options, const LegendPlace& place)
{
    const auto entries = entriesOf(contentOf(runs, style, options.colourBy), style, options);
    const Arranged all = arrange(entries, style, place);
    const auto top = [&](int line) { return place.top + 1.7 * style.size * line; };
    const auto baseline = [&](int line) {
        return style.baseline(top(line) + swatchOf(style).height / 2, style.size);
    };
    Legend legend{{"legend", {}}, baseline(all.lines), all.right <= place.lastRight};
    for (std::size_t e = 0; e < entries.size(); ++e) {
        const auto [line, left] = all.places[e];
        Rect swatch = swatchOf(style);
        swatch.x = style.plotLeft + left;
        swatch.y = top(line);
        for (std::size_t f = 0; f < entries[e].fills.size(); ++f) {
            addSwatch(legend.group, entries[e], f, swatch, style);
            swatch.x += swatch.width;
        }
        legend.group.shapes.emplace_back(Text{.x = swatch.x + 0.4 * style.size,
                                              .baseline = baseline(line),
                                              .size = style.size,
                                              .text = all.texts[e],
                                              .colour = style.palette.ink,
                                              .cls = "legend-text"});
    }
    return legend;
}

} // namespace profiler
