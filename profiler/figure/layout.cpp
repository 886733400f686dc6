#include "profiler/figure/layout.h"

#include "engine/base/try.h"
#include "profiler/figure/figure_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace profiler {
namespace {

constexpr FigurePreset kPresets[] = {
    {"acm-column", "ACM, USENIX column", 3.33, 5.5, "\\columnwidth"},
    {"acm-text", "ACM, USENIX text", 7.0, 7, "\\textwidth"},
    {"icml", "ICML column", 3.25, 5.5, "\\columnwidth"},
    {"ieee-column", "IEEE column", 3.5, 5.5, "\\columnwidth"},
    {"ieee-text", "IEEE text", 7.16, 7, "\\textwidth"},
    {"neurips", "NeurIPS, ICLR text", 5.5, 6.5, "\\textwidth"},
    {"slide", "Slide, 16 : 9", 13.33, 15, "\\textwidth", 13.33 * 9 / 16},
};

using engine::Error;
using engine::fail;
using engine::Result;

// Margin of the figure in points; half of a line's width falls into it.
constexpr double kEdge = 0.3;

Result<void> checkOptions(std::span<const engine::Run* const> runs, const FigureOptions& options)
{
    const auto invalid
        = [](std::string what) { return fail(Error::Code::InvalidArgument, std::move(what)); };
    if (runs.empty())
        return invalid("a figure needs at least one run");
    if (!(options.fontSize >= kSmallestType && options.fontSize <= 72))
        return invalid(fmt::format("a font size of {} pt cannot be printed; use {} to 72 pt",
                                   unitNumber(options.fontSize), kSmallestType));
    if (!(options.width >= kPointsPerInch && options.width <= 100 * kPointsPerInch))
        return invalid(
            fmt::format("a width of {} inches cannot be printed; use a width from 1 to 100 inches",
                        unitNumber(options.width / kPointsPerInch, 2)));
    if (!(options.height >= 0 && options.height <= 100 * kPointsPerInch))
        return invalid(fmt::format(
            "a height of {} inches cannot be printed; use a height of at most 100 inches",
            unitNumber(options.height / kPointsPerInch, 2)));
    for (const auto* run : runs)
        if (options.memory && run->timeline.memory.empty())
            return invalid(
                fmt::format("{} has no recorded memory; remove the memory strip", runTitle(*run)));
    for (const auto* run : runs)
        if (run->info.inUnits() != runs[0]->info.inUnits())
            return invalid(fmt::format("{} is in abstract units but {} is not, so they cannot "
                                       "share an axis; draw both with --times schematic",
                                       runTitle(run->info.inUnits() ? *run : *runs[0]),
                                       runTitle(run->info.inUnits() ? *runs[0] : *run)));
    return {};
}

Result<FigureStyle> styleOf(const FigureOptions& options, bool schematic)
{
    auto palette = TRY(loadPalette(options.palette, ThemeMode::Light));
    std::string family = options.font;
    if (family.empty()) {
        const auto installed = installedFonts();
        family = installed.empty() ? "Roboto" : installed.front();
    }
    auto font = TRY(loadFont(family));
    return FigureStyle{.palette = std::move(palette),
                       .font = std::move(font),
                       .size = options.fontSize,
                       .digitSize = options.fontSize,
                       .schematic = schematic,
                       .unit = {}};
}

// Removes everything except digits: "2026-11-21T03:46:33Z" -> "20261121034633". Returns "" if `iso`
// is not in this format.
std::string dateDigits(const std::string& iso)
{
    std::string digits;
    std::ranges::copy_if(iso.substr(0, 19), std::back_inserter(digits),
                         [](char c) { return c >= '0' && c <= '9'; });
    return digits.size() == 14 ? digits : std::string();
}

class FigureLayout
{
public:
    FigureLayout(std::vector<FigureRun> runs, FigureStyle style, const FigureOptions& options)
        : m_runs(std::move(runs))
        , m_style(std::move(style))
        , m_options(options)
        , m_marks(m_runs, m_style)
        , m_blocks(m_runs.size())
        , m_highestPeak(options.memory ? highestPeak(m_runs) : 1)
    {
        for (std::size_t r = 0; m_runs.size() > 1 && r < m_runs.size(); ++r)
            m_blocks[r].prefix = fmt::format("run{}-", r);
    }

    void setNotes(std::span<const std::vector<engine::Note>> notes)
    {
        for (std::size_t r = 0; r < m_runs.size() && r < notes.size(); ++r)
            m_notes.push_back(notesOf(m_runs[r], notes[r]));
    }

    // `top` is the margin above the figure in points.
    Result<Scene> layout(double top)
    {
        TRY(placeColumns());
        m_style.digitSize = digitSize(m_runs, m_style);
        describe();
        m_y = kEdge + top;
        for (std::size_t r = 0; r < m_runs.size(); ++r)
            addRun(r);
        m_scene.height = m_y + kEdge;
        if (m_runs.size() > 1 && m_runs[0].isEndDrawn())
            m_scene.groups.push_back(m_marks.baselineEnd(m_blocks));
        addFoot();
        m_scene.width = m_options.width;
        return std::move(m_scene);
    }

private:
    bool hasHeadings() const { return m_runs.size() > 1 || m_options.title; }
    double longest() const { return std::ranges::max(m_runs, {}, &FigureRun::duration).duration(); }
    Result<void> placeColumns()
    {
        double labels = 0, shares = 0;
        m_style.sharesAreEqual
            = m_options.bubbleShare && std::ranges::all_of(m_runs, [](const FigureRun& run) {
                  return run.rows.size() > 1 && !run.rows[0].bubbleShare.empty()
                      && std::ranges::all_of(run.rows, [&](const FigureRow& row) {
                             return row.bubbleShare == run.rows[0].bubbleShare;
                         });
              });
        for (const FigureRun& run : m_runs)
            for (const FigureRow& row : run.rows) {
                const auto label = fmt::format("Device {}", row.device.value);
                labels = std::max(labels, m_style.width(label, m_style.size));
                shares = std::max(shares, rightWidth(run, row));
            }
        if (!m_style.schematic)
            m_style.unit = timeUnit(longest());
        const double right = std::max(shares > 0 ? shares + 0.7 * m_style.size : 0, m_style.size);
        m_style.plotLeft = labels + 0.7 * m_style.size;
        m_style.plotRight = m_options.width - right;
        m_style.pageWidth = m_options.width;
        for (const auto kind : {engine::Track::Kind::Send, engine::Track::Kind::Receive,
                                engine::Track::Kind::AllReduce, engine::Track::Kind::Copy})
            if (std::ranges::any_of(m_runs, [kind](const FigureRun& run) { return run.has(kind); }))
                m_style.lanes.push_back(kind);
        const double room = m_style.plotRight - m_style.plotLeft;
        if (room < 8 * m_style.size)
            return fail(Error::Code::InvalidArgument,
                        fmt::format("a font of {} pt leaves no space for the time axis in {} "
                                    "inches; use a smaller font or a wider figure",
                                    unitNumber(m_style.size),
                                    unitNumber(m_options.width / kPointsPerInch, 2)));
        m_style.axisBegin = m_runs[0].begin() / m_style.unit.units;
        m_length = longest() / m_style.unit.units;
        if (m_length <= 0)
            return fail(Error::Code::InvalidArgument,
                        fmt::format("{} takes no time, so it cannot be drawn; choose another run",
                                    runTitle(*m_runs[0].run)));
        m_style.pointsPerUnit = room / m_length;
        return {};
    }

    double rightWidth(const FigureRun& run, const FigureRow& row) const
    {
        double width = 0;
        if (m_options.bubbleShare && !m_style.sharesAreEqual)
            width = m_style.width(row.bubbleShare, m_style.size);
        if (m_options.memory)
            width = std::max(width, m_style.width(peakText(run, row.device), m_style.size));
        return width;
    }

    void describe()
    {
        m_scene.font = m_style.font.family;
        m_scene.date = dateDigits(m_runs[0].run->info.started);
        for (const FigureRun& run : m_runs) {
            const auto& info = run.run->info;
            m_scene.title += (m_scene.title.empty() ? "" : "; ") + run.title;
            m_scene.description
                += fmt::format("{}{}, {}, {}", m_scene.description.empty() ? "" : "; ", run.title,
                               engine::modeDescription(info), m_marks.facts(run));
            if (!info.command.empty())
                m_scene.description += fmt::format(", {}", info.command);
            if (!info.program.empty())
                m_scene.description += fmt::format(", by Bubblescope {}", info.program);
        }
    }

    void addRun(std::size_t index)
    {
        const FigureRun& run = m_runs[index];
        if (index > 0)
            m_y += 0.9 * m_style.size;
        RunBlock& block = m_blocks[index];
        if (hasHeadings()) {
            m_scene.groups.push_back(m_marks.heading(index, m_y, block));
            m_y += m_marks.headingHeight(index);
        }
        const FigureScale scale = scaleOf(run, m_style);
        const bool hasNotes = index < m_notes.size() && !m_notes[index].empty();
        const double strip = m_y;
        if (hasNotes)
            m_y += noteStripHeight(m_style);
        block.rows = m_y;
        for (std::size_t r = 0; r < run.rows.size(); ++r) {
            if (r > 0)
                m_y += m_style.rowGap();
            Group row = layoutRow(run.rows[r], m_style, m_options, {m_y, scale, block.prefix});
            m_y += m_style.rowHeight() + m_style.lanesHeight();
            if (m_options.memory) {
                addMemoryStrip(row, run, run.rows[r].device,
                               {m_style, scale, m_y + 1, m_options.width, m_highestPeak});
                m_y += 1 + memoryStripHeight(m_style) + 0.3 * m_style.size;
            }
            m_scene.groups.push_back(std::move(row));
        }
        block.bottom = m_y;
        if (hasNotes)
            m_scene.groups.push_back(layoutNotes(
                m_notes[index], m_style,
                {scale, strip, block.rows, block.bottom, m_options.width, block.prefix}));
        if (m_runs.size() > 1 && run.isEndDrawn())
            m_scene.groups.push_back(m_marks.end(index, block));
    }

    std::string axisText() const
    {
        std::string text = fmt::format("time in {}", m_style.unit.name);
        if (!m_style.schematic && !m_marks.modesDiffer())
            text += fmt::format(", {}", engine::modeAdjective(m_runs[0].run->info.mode));
        if (m_style.sharesAreEqual && !hasHeadings()) // headings already state the share
            text += fmt::format(", bubble {}", m_runs[0].rows[0].bubbleShare);
        return text;
    }

    // Adds axis, legend and the unit of time. The unit is at the first of these places that has
    // space for it: beside the numbers of the axis, at the end of the legend's last line, or on a
    // separate line.
    void addFoot()
    {
        const std::string unit = axisText();
        double unitLeft = m_options.width - m_style.width(unit, m_style.size) - m_style.size;
        double unitBaseline = 0, bottom = m_y;
        if (m_options.timeAxis) {
            const double axis = m_y + 0.55 * m_style.size;
            m_scene.groups.push_back(layoutAxis(m_style, axis, m_length));
            bottom = axis + axisHeight(m_style);
            if (axisRight(m_style, m_length) <= unitLeft)
                unitBaseline = bottom;
        }
        if (m_options.legend) {
            const double free = m_options.width;
            const bool shares = m_options.timeAxis && unitBaseline == 0;
            Legend legend
                = layoutLegend(m_runs, m_style, m_options,
                               {bottom + 0.75 * m_style.size, free, shares ? unitLeft : free});
            m_scene.groups.push_back(std::move(legend.group));
            bottom = legend.bottom;
            if (shares && legend.besides)
                unitBaseline = bottom;
        }
        if (m_options.timeAxis && unitBaseline == 0)
            unitBaseline = bottom = bottom + 1.6 * m_style.size;
        if (m_options.timeAxis)
            addUnit(unit, unitBaseline);
        m_scene.height = bottom + m_style.font.regular.descent(m_style.size) + kEdge;
    }

    void addUnit(const std::string& unit, double baseline)
    {
        Group group{.id = "time-unit", .shapes = {}};
        group.shapes.emplace_back(Text{.x = m_options.width,
                                       .baseline = baseline,
                                       .size = m_style.size,
                                       .text = unit,
                                       .colour = m_style.palette.ink,
                                       .anchor = Text::Anchor::End,
                                       .cls = "time-unit"});
        m_scene.groups.push_back(std::move(group));
    }

    std::vector<FigureRun> m_runs;
    FigureStyle m_style;
    const FigureOptions& m_options;
    Scene m_scene;
    double m_y = 0, m_length = 0;
    FigureMarks m_marks;
    std::vector<RunBlock> m_blocks;
    std::int64_t m_highestPeak;                     // in bytes
    std::vector<std::vector<engine::Note>> m_notes; // the notes to draw, indexed by run
};

using Notes = std::span<const std::vector<engine::Note>>;

Result<Scene> layoutAt(double top, const std::vector<FigureRun>& contents,
                       const FigureOptions& options, Notes notes)
{
    auto style = TRY(styleOf(options, contents[0].run->info.inUnits()));
    FigureLayout figure(contents, std::move(style), options);
    if (options.notes)
        figure.setNotes(notes);
    return figure.layout(top);
}

// Reduces the font size until the figure fits in options.height, and centres the figure vertically.
Result<Scene> fitted(const std::vector<FigureRun>& contents, FigureOptions options, Notes notes)
{
    constexpr int kMostRounds = 10;
    auto scene = layoutAt(0, contents, options, notes);
    for (int round = 0; scene && scene->height > options.height && round < kMostRounds; ++round) {
        if (options.fontSize <= kSmallestType)
            return fail(Error::Code::InvalidArgument,
                        fmt::format("{} rows do not fit in a height of {} inches; draw fewer rows "
                                    "or choose a larger height",
                                    contents[0].rows.size() * contents.size(),
                                    unitNumber(options.height / kPointsPerInch, 2)));
        options.fontSize
            = std::max(kSmallestType, 0.99 * options.fontSize * options.height / scene->height);
        scene = layoutAt(0, contents, options, notes);
    }
    if (scene)
        scene = layoutAt((options.height - scene->height) / 2, contents, options, notes);
    if (scene)
        scene->height = options.height;
    return scene;
}

// All runs of a figure use one scale of durations, up to the longest op of any of them.
void shareLongestOp(std::vector<FigureRun>& contents)
{
    double longest = 0;
    for (const FigureRun& run : contents)
        longest = std::max(longest, run.units(run.longestOp));
    for (FigureRun& run : contents) {
        const double share = run.units(run.longestOp) / longest;
        for (FigureRow& row : run.rows)
            for (FigureOp& op : row.ops)
                op.length *= share;
    }
}

} // namespace

std::span<const FigurePreset> figurePresets()
{
    return kPresets;
}

engine::Result<FigurePreset> findFigurePreset(std::string_view name)
{
    const auto* found = std::ranges::find(kPresets, name, &FigurePreset::name);
    if (found != std::end(kPresets))
        return *found;
    std::vector<std::string_view> names;
    for (const auto& preset : kPresets)
        names.push_back(preset.name);
    return fail(Error::Code::NotFound,
                fmt::format("unknown preset '{}'; use one of {}", name, fmt::join(names, ", ")));
}

Result<Scene> layoutFigure(std::span<const engine::Run* const> runs, const FigureOptions& options,
                           Notes notes)
{
    TRY(checkOptions(runs, options));
    const auto titles = runTitles(runs);
    std::vector<FigureRun> contents;
    for (const auto* run : runs) {
        auto content = TRY(figureContent(*run, options));
        content.title = titles[contents.size()];
        contents.push_back(std::move(content));
    }
    shareLongestOp(contents);
    return options.height > 0 ? fitted(contents, options, notes)
                              : layoutAt(0, contents, options, notes);
}

} // namespace profiler
