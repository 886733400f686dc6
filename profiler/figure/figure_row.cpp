#include "engine/schedule/notation.h"
#include "profiler/figure/figure_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace profiler {
namespace {

// In points: 5 in a paper, more if the figure has a larger font (on a slide).
double smallestNumber(double labelSize)
{
    return std::max(kSmallestType, 0.6 * labelSize);
}

// Smallest distance in points between a number and the edge of its box.
constexpr double kDigitMargin = 0.3;
constexpr double kThinnestEdged = 1.2; // in points; narrower boxes have no edge

std::string numberOf(const engine::Op& op)
{
    return op.microBatch.isValid() ? std::to_string(op.microBatch.value) : std::string();
}

// An op with the class "cut" has neither an edge nor the mark of the up direction.
std::string classOf(const FigureOp& op, ColourBy by)
{
    std::string cls = fmt::format("op {}", engine::kindName(op.op.kind));
    if (op.chunk > 0)
        cls += fmt::format(" chunk{}", op.chunk);
    if (op.op.replica > 0)
        cls += " up";
    if (op.isCut)
        cls += " cut";
    if (isColouredByDuration(op.op, by))
        cls += fmt::format(" by-duration-{}", durationStep(op.length));
    else if (const int group = colourGroup(op.op, op.chunk, by); group >= 0)
        cls += fmt::format(" by-{}-{}", colourByNames()[static_cast<std::size_t>(by)], group);
    return cls;
}

class RowLayout
{
public:
    RowLayout(const FigureRow& row, const FigureStyle& style, const FigureOptions& options,
              const RowPlace& place)
        : m_row(row)
        , m_style(style)
        , m_options(options)
        , m_place(place)
    {
        m_group.id = fmt::format("{}device-{}", place.prefix, row.device.value);
    }

    Group layout()
    {
        addLabel(fmt::format("Device {}", m_row.device.value), Text::Anchor::Start, 0, "row-label");
        for (const Bubble& bubble : m_row.bubbles)
            addBubble(bubble);
        for (const auto& window : m_row.exposed)
            m_group.shapes.emplace_back(Box{.rect = rect(window),
                                            .fill = m_style.palette.exposed(),
                                            .strokeColour = {},
                                            .id = {},
                                            .cls = "exposed",
                                            .op = {}});
        for (const FigureOp& op : m_row.ops)
            addOp(op);
        for (const FigureOp& transfer : m_row.transfers)
            addTransfer(transfer);
        if (m_options.bubbleShare && !m_style.sharesAreEqual && !m_row.bubbleShare.empty())
            addLabel(m_row.bubbleShare, Text::Anchor::End, m_options.width, "bubble-share");
        return std::move(m_group);
    }

private:
    Rect rect(engine::Window window) const
    {
        const double left = m_place.scale.x(window.begin);
        return {left, m_place.top, m_place.scale.x(window.end) - left, m_style.rowHeight()};
    }
    double middle() const { return m_place.top + m_style.rowHeight() / 2; }

    void addLabel(std::string text, Text::Anchor anchor, double x, const char* cls)
    {
        m_group.shapes.emplace_back(Text{.x = x,
                                         .baseline = m_style.baseline(middle(), m_style.size),
                                         .size = m_style.size,
                                         .text = std::move(text),
                                         .colour = m_style.palette.ink,
                                         .anchor = anchor,
                                         .cls = cls});
    }

    void addBubble(const Bubble& bubble)
    {
        if (m_options.bubbles == BubbleStyle::Blank)
            return;
        Rect area = rect(bubble.window);
        // Shrinks the area if rows touch each other. Otherwise the hatch would cover the lower
        // edges of the row above.
        if (m_style.rowGap() == 0) {
            area.y += m_style.edgeWidth() / 2;
            area.height -= m_style.edgeWidth();
        }
        m_group.shapes.emplace_back(Hatch{.rect = area,
                                          .fill = m_style.palette.bubble,
                                          .line = m_style.palette.bubbleLine,
                                          .spacing = 0.55 * m_style.size,
                                          .cls = "bubble"});
        if (m_options.bubbles == BubbleStyle::WithCause)
            addCause(bubble, area);
    }

    void addCause(const Bubble& bubble, const Rect& area)
    {
        constexpr engine::EnumArray<Bubble::Kind, const char*, 3> kNames{"fill", "wait", "drain"};
        const std::string name = kNames[bubble.kind];
        const double size = std::max(kSmallestType, 0.7 * m_style.size);
        const double width = m_style.width(name, size);
        if (width + 0.6 * size > area.width)
            return;
        addPlate(area, width + 0.2 * size, size, m_style.palette.bubble);
        addNumber(name, area, size, m_style.palette.ink, "cause");
    }

    // Adds a plain background in the middle of `area`, so that a text of the given width is legible
    // over a hatch.
    void addPlate(const Rect& area, double width, double size, Colour fill)
    {
        const Rect plate{area.x + area.width / 2 - width / 2 - 0.1 * size,
                         area.y + area.height / 2 - 0.6 * size, width + 0.2 * size, 1.2 * size};
        m_group.shapes.emplace_back(Box{
            .rect = plate, .fill = fill, .strokeColour = {}, .id = {}, .cls = "plate", .op = {}});
    }

    void addOp(const FigureOp& op)
    {
        Rect area = rect(op.window);
        if (op.half != FigureOp::Half::Both)
            area.height /= 2;
        if (op.half == FigureOp::Half::Lower)
            area.y += area.height;
        const auto [fill, hatch]
            = opLook(m_style.palette, op.op, op.chunk, op.length, m_options.colourBy);
        Box box{.rect = area,
                .fill = fill,
                .strokeColour = {},
                .id = fmt::format("{}d{}-{}", m_place.prefix, m_row.device.value, op.position),
                .cls = classOf(op, m_options.colourBy),
                .op = engine::toString(op.op)};
        // The edge of an optimizer op has the colour of its fill, and the op has no mark of
        // direction, so that the few ops of a step look like one block.
        const bool step = op.op.kind == engine::OpKind::OptimizerStep;
        if (step || (area.width >= kThinnestEdged && !op.isCut))
            addEdge(box);
        if (step)
            box.strokeColour = box.fill;
        const bool up = op.op.replica > 0 && m_options.directionMark && !step && !op.isCut;
        if (up)
            box.cut = std::min(0.22 * area.height, 0.35 * area.width);
        m_group.shapes.emplace_back(box);
        if (hatch.density > 0)
            m_group.shapes.emplace_back(m_style.hatchOver(box, hatch));
        addMicroBatch({op, area, box.fill, up, hatch.density > 0});
    }

    // Adds a message, an all-reduce or a copy in its lane below the row.
    void addTransfer(const FigureOp& transfer)
    {
        const auto kind = engine::laneOf(transfer.op.kind);
        const auto lane = std::ranges::find(m_style.lanes, kind) - m_style.lanes.begin();
        Rect area = rect(transfer.window);
        area.y += m_style.rowHeight() + 1 + static_cast<double>(lane) * (m_style.laneHeight() + 1);
        area.height = m_style.laneHeight();
        Box box{.rect = area,
                .fill = m_style.palette.laneFill(kind),
                .strokeColour = {},
                .id = {},
                .cls = fmt::format("transfer {}", engine::kindName(transfer.op.kind)),
                .op = engine::toString(transfer.op)};
        if (area.width >= kThinnestEdged && !transfer.isCut)
            addEdge(box);
        m_group.shapes.emplace_back(box);
    }

    void addEdge(Box& box) const
    {
        box.stroke = m_style.edgeWidth();
        box.strokeColour = m_style.edge(box.fill);
    }

    struct NumberPlace
    {
        const FigureOp& op;
        Rect area;
        Colour fill;
        bool up = false, hatched = false;
    };
    void addMicroBatch(const NumberPlace& place)
    {
        const auto& [op, area, fill, up, hatched] = place;
        const std::string number = numberOf(op.op);
        const double size = m_style.digitSize, width = m_style.width(number, size);
        const Colour ink = m_style.palette.inkOf(op.op, fill);
        if (!m_options.microBatches || number.empty() || width + 2 * kDigitMargin > area.width
            || contrast(ink, fill) < kSmallestInk)
            return;
        const double middleX = area.x + area.width / 2;
        if (hatched)
            addPlate(area, width, size, fill);
        addNumber(number, area, size, ink, "micro-batch");
        if (!up)
            return;
        const double under = m_style.baseline(area.y + area.height / 2, size) + 0.16 * size;
        m_group.shapes.emplace_back(Line{.x1 = middleX - width / 2,
                                         .y1 = under,
                                         .x2 = middleX + width / 2,
                                         .y2 = under,
                                         .width = 0.07 * size,
                                         .colour = ink,
                                         .cls = "up-mark"});
    }

    void addNumber(const std::string& text, const Rect& area, double size, Colour ink,
                   const char* cls)
    {
        m_group.shapes.emplace_back(
            Text{.x = area.x + area.width / 2,
                 .baseline = m_style.baseline(area.y + area.height / 2, size),
                 .size = size,
                 .text = text,
                 .colour = ink,
                 .anchor = Text::Anchor::Middle,
                 .cls = cls});
    }

    const FigureRow& m_row;
    const FigureStyle& m_style;
    const FigureOptions& m_options;
    const RowPlace& m_place;
    Group m_group;
};

} // namespace

FigureScale scaleOf(const FigureRun& run, const FigureStyle& style)
{
    const auto ticks = run.run->info.ticksPerUnit * style.unit.units;
    return {style.plotLeft, style.pointsPerUnit / ticks, run.window.begin};
}

double digitSize(const std::vector<FigureRun>& runs, const FigureStyle& style)
{
    double size = style.size;
    for (const FigureRun& run : runs) {
        const double perTick = scaleOf(run, style).pointsPerTick;
        for (const FigureRow& row : run.rows)
            for (const FigureOp& op : row.ops) {
                const double em = op.isCut ? 0 : style.width(numberOf(op.op), 1);
                const double room = op.window.duration() * perTick - 2 * kDigitMargin;
                if (em > 0)
                    size = std::min(size, room / em);
            }
    }
    // The size is rounded down to tenths of a point, so that rounding errors do not decide what
    // fits.
    return std::clamp(std::floor(10 * size) / 10, smallestNumber(style.size), style.size);
}

Group layoutRow(const FigureRow& row, const FigureStyle& style, const FigureOptions& options,
                const RowPlace& place)
{
    return RowLayout(row, style, options, place).layout();
}

} // namespace profiler
