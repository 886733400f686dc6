#include "profiler/figure/figure_legend.h"

#include "profiler/figure/figure_row.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace profiler {
namespace {

using engine::OpKind;

struct Entry
{
    enum class Look : std::uint8_t { Fills, Up, Bubble };

    Look look = Look::Fills;
    std::vector<Colour> fills;
    std::string text, shortText;
    std::vector<OpHatch> hatches = {}; // of the fills; empty: plain
};

// Which chunks of which kind of op, and what else, a figure shows.
struct Occurring
{
    std::map<OpKind, std::set<int>> chunks;
    bool up = false, bubble = false, exposed = false;
};

// Spans too narrow to be seen on paper have no legend entry.
constexpr double kThinnestSeen = 0.35; // points

Occurring occurring(const std::vector<FigureRun>& runs, const FigureStyle& style)
{
    Occurring found;
    for (const FigureRun& run : runs) {
        const double pointsPerTick = scaleOf(run, style).pointsPerTick;
        const auto isSeen = [pointsPerTick](engine::Window window) {
            return window.duration() * pointsPerTick >= kThinnestSeen;
        };
        for (const FigureRow& row : run.rows) {
            found.bubble
                = found.bubble || std::ranges::any_of(row.bubbles, isSeen, &Bubble::window);
            found.exposed = found.exposed || std::ranges::any_of(row.exposed, isSeen);
            for (const FigureOp& op : row.ops) {
                found.chunks[op.op.kind].insert(op.chunk);
                found.up = found.up || op.op.replica > 0;
            }
        }
    }
    return found;
}

std::string kindText(OpKind kind)
{
    switch (kind) {
    case OpKind::Forward:
        return "forward";
    case OpKind::Backward:
        return "backward";
    case OpKind::BackwardInput:
        return "backward, input";
    case OpKind::BackwardWeight:
        return "backward, weights";
    case OpKind::Recompute:
        return "recompute";
    default:
        return "optimizer";
    }
}

Entry kindEntry(OpKind kind, const std::set<int>& chunks, bool first, const Palette& palette)
{
    Entry entry{.fills = {}, .text = kindText(kind), .shortText = kindText(kind)};
    engine::Op op;
    op.kind = kind;
    for (const int chunk : chunks) {
        const Colour fill = palette.fill(op, chunk);
        if (std::ranges::find(entry.fills, fill) != entry.fills.end())
            continue;
        entry.fills.push_back(fill);
        entry.hatches.push_back(palette.hatch(op, chunk));
    }
    if (first && entry.fills.size() > 1)
        entry.text += fmt::format(", chunk {} and {}",
                                  fmt::join(chunks.begin(), std::prev(chunks.end()), ", "),
                                  *chunks.rbegin());
    return entry;
}

std::vector<Entry> entriesOf(const Occurring& found, const Palette& palette,
                             const FigureOptions& options)
{
    std::vector<Entry> entries;
    for (const auto& [kind, chunks] : found.chunks)
        entries.push_back(kindEntry(kind, chunks, entries.empty(), palette));
    const auto add = [&](bool occurs, Entry::Look look, const char* text, const char* shortText) {
        if (occurs)
            entries.push_back({look, {palette.exposed()}, text, shortText});
    };
    add(found.exposed, Entry::Look::Fills, "exposed communication", "exposed comm.");
    add(found.up && options.directionMark, Entry::Look::Up, "direction up", "up");
    add(found.bubble && options.bubbles != BubbleStyle::Blank, Entry::Look::Bubble, "bubble",
        "bubble");
    if (options.memory) {
        entries.push_back({Entry::Look::Fills, {palette.stash}, "stash", "stash"});
        entries.push_back(
            {Entry::Look::Fills, {palette.optimizerState}, "other memory", "other memory"});
    }
    return entries;
}

class LegendLayout
{
public:
    LegendLayout(std::vector<Entry> entries, const FigureStyle& style, const LegendPlace& place)
        : m_entries(std::move(entries))
        , m_style(style)
        , m_place(place)
    {
        m_legend.group.id = "legend";
    }

    Legend layout()
    {
        bool shorten = !fitsOneLine(false);
        if (shorten && !fitsOneLine(true))
            shorten = fewerLines();
        m_x = m_style.plotLeft;
        m_top = m_place.top;
        for (const Entry& entry : m_entries)
            addEntry(entry, shorten ? entry.shortText : entry.text);
        m_legend.besides = m_x - gap() <= m_place.lastRight;
        m_legend.bottom = m_style.baseline(m_top + swatchHeight() / 2, m_style.size);
        return std::move(m_legend);
    }

private:
    double gap() const { return 1.3 * m_style.size; }
    double swatchWidth() const { return 1.25 * m_style.size; }
    double swatchHeight() const { return 0.95 * m_style.size; }
    double width(const Entry& entry, const std::string& text) const
    {
        return entry.fills.size() * swatchWidth() + 0.4 * m_style.size
            + m_style.width(text, m_style.size);
    }

    double total(bool shorten) const
    {
        double sum = -gap();
        for (const Entry& entry : m_entries)
            sum += width(entry, shorten ? entry.shortText : entry.text) + gap();
        return sum;
    }
    bool fitsOneLine(bool shorten) const
    {
        return m_style.plotLeft + total(shorten) <= m_place.lastRight;
    }
    // Neither fits one line: short texts where they save a line.
    bool fewerLines() const
    {
        const double line = m_place.right - m_style.plotLeft;
        return static_cast<int>(total(true) / line) < static_cast<int>(total(false) / line);
    }

    void addEntry(const Entry& entry, const std::string& text)
    {
        const double needed = width(entry, text);
        if (m_x > m_style.plotLeft && m_x + needed > m_place.right) {
            m_x = m_style.plotLeft;
            m_top += 1.7 * m_style.size;
        }
        double x = m_x;
        for (std::size_t f = 0; f < entry.fills.size(); ++f) {
            addSwatch(entry.look, entry.fills[f], {x, m_top, swatchWidth(), swatchHeight()},
                      f < entry.hatches.size() ? entry.hatches[f] : OpHatch());
            x += swatchWidth();
        }
        m_legend.group.shapes.emplace_back(
            Text{.x = x + 0.4 * m_style.size,
                 .baseline = m_style.baseline(m_top + swatchHeight() / 2, m_style.size),
                 .size = m_style.size,
                 .text = text,
                 .colour = m_style.palette.ink,
                 .cls = "legend-text"});
        m_x += needed + gap();
    }

    void addSwatch(Entry::Look look, Colour fill, const Rect& rect, OpHatch hatch)
    {
        if (look == Entry::Look::Bubble) {
            m_legend.group.shapes.emplace_back(Hatch{.rect = rect,
                                                     .fill = m_style.palette.bubble,
                                                     .line = m_style.palette.bubbleLine,
                                                     .spacing = 0.55 * m_style.size,
                                                     .cls = "bubble"});
            return;
        }
        const bool up = look == Entry::Look::Up;
        const Colour colour = up ? m_style.palette.gradients : fill;
        const Box box{.rect = rect,
                      .fill = colour,
                      .stroke = m_style.edgeWidth(),
                      .strokeColour = m_style.edge(colour),
                      .cut = up ? 0.4 * rect.height : 0,
                      .id = {},
                      .cls = "swatch",
                      .op = {}};
        m_legend.group.shapes.emplace_back(box);
        if (hatch.density > 0)
            m_legend.group.shapes.emplace_back(m_style.hatchOver(box, hatch));
    }

    std::vector<Entry> m_entries;
    const FigureStyle& m_style;
    const LegendPlace& m_place;
    Legend m_legend;
    double m_x = 0, m_top = 0;
};

} // namespace

Legend layoutLegend(const std::vector<FigureRun>& runs, const FigureStyle& style,
                    const FigureOptions& options, const LegendPlace& place)
{
    return LegendLayout(entriesOf(occurring(runs, style), style.palette, options), style, place)
        .layout();
}

} // namespace profiler
