#include "profiler/analysis/ticks.h"
#include "profiler/figure/figure_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace profiler {

namespace {

constexpr double kOverhang = 0.3; // points by which the end line of a run extends beyond its rows

double tickLength(const FigureStyle& style)
{
    return 0.3 * style.size;
}

Ticks axisTicks(const FigureStyle& style, double length)
{
    const double end = style.axisBegin + length;
    const double label = style.width(fmt::format("{:.0f}", end), style.size);
    return ticks(style.axisBegin, end, (label + 2 * style.size) / style.pointsPerUnit);
}

double xOf(const FigureStyle& style, double value)
{
    return style.plotLeft + (value - style.axisBegin) * style.pointsPerUnit;
}

} // namespace

bool FigureMarks::modesDiffer() const
{
    return std::ranges::any_of(m_runs, [this](const FigureRun& run) {
        return run.run->info.mode != m_runs[0].run->info.mode;
    });
}

std::string FigureMarks::facts(const FigureRun& run) const
{
    const auto text = [this](double value) {
        return m_style.schematic ? unitNumber(value, 2) : fmt::format("{:.1f}", value);
    };
    const std::string time = text(run.wholeDuration() / m_style.unit.units);
    const double begin = run.begin() / m_style.unit.units;
    const std::string part
        = run.isWhole() ? "" : fmt::format("{} to {} of ", text(begin), text(begin + printed(run)));
    return fmt::format("{}{} {}, bubble {}", part, time, m_style.unit.name,
                       percentText(run.bubbleRatio));
}

bool FigureMarks::gapHoldsText(const FigureRun& run) const
{
    const double gap = endOf(m_runs[0]) - endOf(run);
    return m_runs[0].isEndDrawn() && run.isEndDrawn()
        && gap > m_style.width(signedPercentText(longer(run)), m_style.size) + 1.2 * m_style.size;
}

double FigureMarks::headingLine() const
{
    return m_style.font.regular.capHeight(m_style.size) + 0.8 * m_style.size;
}

std::string FigureMarks::headingFacts(std::size_t index) const
{
    const FigureRun& run = m_runs[index];
    std::string text = facts(run);
    if (modesDiffer())
        text += fmt::format(", {}", engine::modeAdjective(run.run->info.mode));
    if (index > 0 && !gapHoldsText(run))
        text += fmt::format(", {} {}", percentText(std::abs(longer(run))),
                            longer(run) < 0 ? "shorter" : "longer");
    return text;
}

double FigureMarks::headingHeight(std::size_t index) const
{
    const double width = m_style.boldWidth(m_runs[index].title) + m_style.size
        + m_style.width(headingFacts(index), m_style.size);
    return width > m_style.pageWidth ? 2 * headingLine() : headingLine();
}

Group FigureMarks::heading(std::size_t index, double top, RunBlock& block) const
{
    const std::string& title = m_runs[index].title;
    const std::string facts = headingFacts(index);
    const double baseline
        = top + m_style.font.regular.capHeight(m_style.size) + 0.15 * m_style.size;
    const double below = headingHeight(index) - headingLine();
    Group group{.id = block.prefix + "heading", .shapes = {}};
    group.shapes.emplace_back(Text{.x = 0,
                                   .baseline = baseline,
                                   .size = m_style.size,
                                   .text = title,
                                   .colour = m_style.palette.ink,
                                   .bold = true,
                                   .cls = "run-title"});
    const double x = below > 0 ? 0 : m_style.boldWidth(title) + m_style.size;
    block.headingRight = std::max(x + m_style.width(facts, m_style.size), m_style.boldWidth(title));
    group.shapes.emplace_back(Text{.x = x,
                                   .baseline = baseline + below,
                                   .size = m_style.size,
                                   .text = facts,
                                   .colour = m_style.secondary(),
                                   .cls = "run-facts"});
    return group;
}

void FigureMarks::addGap(Group& group, const FigureRun& run, double y) const
{
    const double x = endOf(run), end = endOf(m_runs[0]);
    const double head = 0.5 * m_style.size, half = 0.25 * m_style.size;
    const Colour colour = m_style.secondary();
    group.shapes.emplace_back(Line{.x1 = x + head,
                                   .y1 = y,
                                   .x2 = end - head,
                                   .y2 = y,
                                   .width = 0.4,
                                   .colour = colour,
                                   .cls = "gap"});
    group.shapes.emplace_back(Polygon{
        {{x + 0.5, y}, {x + 0.5 + head, y - half}, {x + 0.5 + head, y + half}}, colour, "gap"});
    group.shapes.emplace_back(
        Polygon{{{end - 0.5, y}, {end - 0.5 - head, y - half}, {end - 0.5 - head, y + half}},
                colour,
                "gap"});
    group.shapes.emplace_back(Text{.x = (x + end) / 2,
                                   .baseline = y - 0.5 * m_style.size,
                                   .size = m_style.size,
                                   .text = signedPercentText(longer(run)),
                                   .colour = m_style.palette.ink,
                                   .anchor = Text::Anchor::Middle,
                                   .bold = true,
                                   .cls = "gap-text"});
}

Group FigureMarks::end(std::size_t index, const RunBlock& block) const
{
    const FigureRun& run = m_runs[index];
    const double x = endOf(run);
    Group group{.id = block.prefix + "end", .shapes = {}};
    group.shapes.emplace_back(Line{.x1 = x,
                                   .y1 = block.rows - kOverhang,
                                   .x2 = x,
                                   .y2 = block.bottom + kOverhang,
                                   .width = 0.14 * m_style.size,
                                   .colour = m_style.palette.ink,
                                   .cls = "run-end"});
    if (index > 0 && gapHoldsText(run))
        addGap(group, run, (block.rows + block.bottom) / 2);
    return group;
}

Group FigureMarks::baselineEnd(const std::vector<RunBlock>& blocks) const
{
    const double x = endOf(m_runs[0]);
    Group group{.id = "baseline-end", .shapes = {}};
    double from = blocks[0].rows;
    for (std::size_t r = 0; r < blocks.size(); ++r) {
        if (r > 0)
            from = blocks[r].headingRight < x ? blocks[r - 1].bottom : blocks[r].rows;
        group.shapes.emplace_back(Line{.x1 = x,
                                       .y1 = from,
                                       .x2 = x,
                                       .y2 = blocks[r].bottom,
                                       .width = 0.5,
                                       .colour = m_style.palette.ink,
                                       .dashed = true,
                                       .cls = "baseline"});
    }
    return group;
}

Group layoutAxis(const FigureStyle& style, double y, double length)
{
    Group group{.id = "time-axis", .shapes = {}};
    const Colour ink = style.palette.ink;
    const double end = style.plotLeft + length * style.pointsPerUnit;
    group.shapes.emplace_back(
        Line{.x1 = style.plotLeft, .y1 = y, .x2 = end, .y2 = y, .colour = ink, .cls = "axis"});
    const Ticks places = axisTicks(style, length);
    for (const double value : places.major) {
        const double x = xOf(style, value);
        group.shapes.emplace_back(Line{
            .x1 = x, .y1 = y, .x2 = x, .y2 = y + tickLength(style), .colour = ink, .cls = "tick"});
        group.shapes.emplace_back(Text{.x = x,
                                       .baseline = y + axisHeight(style),
                                       .size = style.size,
                                       .text = fmt::format("{:.{}f}", value, places.decimals),
                                       .colour = ink,
                                       .anchor = Text::Anchor::Middle,
                                       .cls = "tick-label"});
    }
    return group;
}

double axisRight(const FigureStyle& style, double length)
{
    const Ticks places = axisTicks(style, length);
    if (places.major.empty())
        return style.plotLeft;
    const std::string label = fmt::format("{:.{}f}", places.major.back(), places.decimals);
    return xOf(style, places.major.back()) + style.width(label, style.size) / 2;
}

double axisHeight(const FigureStyle& style)
{
    return tickLength(style) + 0.4 * style.size + style.font.regular.capHeight(style.size);
}

} // namespace profiler
