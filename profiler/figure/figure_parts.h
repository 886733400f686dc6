#pragma once

#include "engine/base/result.h"
#include "engine/timeline/note.h"
#include "profiler/analysis/explain.h"
#include "profiler/figure/figure_style.h"
#include "profiler/figure/layout.h"

#include <span>
#include <string>
#include <vector>

namespace profiler {

// The parts that layoutFigure() puts together. We decide the content (FigureRun) before any
// position, and give each part its place, so that a part can be measured and drawn without the
// others.

// An op in the content of a figure. The content has no page layout yet; times are ticks of the run.
struct FigureOp
{
    engine::Window window;
    engine::Op op;
    std::uint32_t position = 0; // position in the device's program; identifies the box
    int chunk = 0;
    double length = 0;  // duration / duration of the run's longest op
    bool isCut = false; // whether an end of the drawn range cuts the op
    // Which half of a cell the op takes. Joint F and B share a cell: F takes the upper half, and B
    // takes the lower half.
    enum class Half : std::uint8_t { Both, Upper, Lower } half = Half::Both;
};

struct FigureRow
{
    engine::DeviceId device;
    std::vector<FigureOp> ops; // ops on the compute lane that take time, sorted by start
    // Messages, all-reduces and copies that take time; empty unless their lanes are drawn.
    std::vector<FigureOp> transfers;
    std::vector<engine::Window> exposed;
    std::vector<Bubble> bubbles;
    std::string bubbleShare; // "14.3 %"; "" if the device has no trace
};

struct FigureRun
{
    const engine::Run* run = nullptr;
    std::string title; // its runTitles()
    int iteration = 0;
    engine::Window whole, window; // the whole iteration, and the part that is drawn
    double bubbleRatio = 0;       // bubble ratio of the drawn part
    std::int64_t longestOp = 0;   // longest op on a compute lane of the run, in ticks
    std::vector<FigureRow> rows;

    bool isWhole() const { return window == whole; }
    bool isEndDrawn() const { return window.end == whole.end; }
    bool has(engine::Track::Kind lane) const; // whether a row has a span on this lane

    // The following functions return cost units if the run is in abstract units, otherwise ns.
    double duration() const { return units(window.duration()); }
    double wholeDuration() const { return units(whole.duration()); }
    double begin() const { return units(window.begin - whole.begin); }
    double units(std::int64_t ticks) const { return engine::ratio(ticks, run->info.ticksPerUnit); }
};

engine::Result<FigureRun> figureContent(const engine::Run& run, const FigureOptions& options);

std::string runTitle(const engine::Run& run); // "BitPipe, D 4, N 8, v 2"
// Equal titles are extended by the options that differ: "BitPipe, concat=early, D 4, N 8, v 2".
std::vector<std::string> runTitles(std::span<const engine::Run* const> runs);

FigureScale scaleOf(const FigureRun& run, const FigureStyle& style);

// The largest size at which all micro-batch numbers fit, but at most the size of labels and at
// least the minimum size. At the minimum size, numbers in narrow boxes may be omitted.
double digitSize(const std::vector<FigureRun>& runs, const FigureStyle& style);

struct RowPlace
{
    double top = 0;
    FigureScale scale;
    std::string prefix; // prefix of ids, which distinguishes the runs of a figure: "", "run1-"
};

// Draws the row of one device: label, bubbles, exposed communication, ops with their numbers, and
// the share of bubbles.
Group layoutRow(const FigureRow& row, const FigureStyle& style, const FigureOptions& options,
                const RowPlace& place);

// Lays out the axis line at `y`, its ticks and their numbers. `length` is in the unit of the axis,
// FigureStyle::unit.
Group layoutAxis(const FigureStyle& style, double y, double length);
// axisRight() returns the right end of the last number, and axisHeight() returns the height below
// the axis line. Both are in points.
double axisRight(const FigureStyle& style, double length);
double axisHeight(const FigureStyle& style);

// The space for a legend, in points.
struct LegendPlace
{
    double top = 0;
    double right = 0; // right end of all lines
    // Largest right end of the last line that leaves space for other text after it.
    double lastRight = 0;
};

struct Legend
{
    Group group;
    double bottom = 0;   // baseline of the last line
    bool besides = true; // whether the last line ends before LegendPlace::lastRight
};

// Lays out a legend with one entry for each look that boxes of the figure have, on one line if the
// entries fit.
Legend layoutLegend(const std::vector<FigureRun>& runs, const FigureStyle& style,
                    const FigureOptions& options, const LegendPlace& place);

// The position of a run on the page.
struct RunBlock
{
    std::string prefix; // prefix of the ids of groups
    double headingRight = 0, rows = 0, bottom = 0;
};

// Draws the marks that belong to a run as a whole: the heading with name and facts, the line at its
// end, and the difference between its end and that of the first run (the baseline). `runs` and
// `style` must outlive the object.
class FigureMarks
{
public:
    FigureMarks(const std::vector<FigureRun>& runs, const FigureStyle& style)
        : m_runs(runs)
        , m_style(style)
    { }

    bool modesDiffer() const;
    std::string facts(const FigureRun& run) const; // "26.5 F, bubble 9.4 %"

    double headingHeight(std::size_t run) const;
    // Lays out the heading and sets RunBlock::headingRight. Facts that do not fit beside the title
    // are below it.
    Group heading(std::size_t run, double top, RunBlock& block) const;
    // Lays out the line at the end of a run. Adds the difference from the end of the baseline if
    // its text fits.
    Group end(std::size_t run, const RunBlock& block) const;
    // Lays out the vertical line at the end of the baseline. It crosses the rows of all runs, and
    // every heading whose text ends to the left of the line.
    Group baselineEnd(const std::vector<RunBlock>& blocks) const;

private:
    double printed(const FigureRun& run) const { return run.duration() / m_style.unit.units; }
    double endOf(const FigureRun& run) const
    {
        return m_style.plotLeft + printed(run) * m_style.pointsPerUnit;
    }
    double longer(const FigureRun& run) const
    {
        return run.wholeDuration() / m_runs[0].wholeDuration() - 1;
    }
    bool gapHoldsText(const FigureRun& run) const;
    std::string headingFacts(std::size_t run) const;
    double headingLine() const; // height of a line
    void addGap(Group& group, const FigureRun& run, double y) const;

    const std::vector<FigureRun>& m_runs;
    const FigureStyle& m_style;
};

// Those that begin within the drawn part of the iteration, in the order of `notes`.
std::vector<engine::Note> notesOf(const FigureRun& run, std::span<const engine::Note> notes);

// The strip above the rows of a run in which its notes are drawn. Positions are in points.
struct NotePlace
{
    FigureScale scale;
    double top = 0, rows = 0, bottom = 0; // top of the strip; top and bottom of the rows
    double right = 0;                     // right end of the texts
    std::string prefix;                   // prefix of the group's id
};
double noteStripHeight(const FigureStyle& style);

// Draws for each note a flag with its number, as much of its text as fits before the next flag, and
// a dashed line through the rows. A note without text gets only the flag.
Group layoutNotes(std::span<const engine::Note> notes, const FigureStyle& style,
                  const NotePlace& place);

struct MemoryStripPlace
{
    const FigureStyle& style;
    const FigureScale& scale;
    double top = 0, right = 0;
    std::int64_t highest = 1; // highestPeak(), because all strips of a figure share a scale
};

// Draws the memory of one device during the iteration, below its row: resident memory in grey, the
// stash above it in the colour of stashes, and the peak as a number at the right.
void addMemoryStrip(Group& group, const FigureRun& run, engine::DeviceId device,
                    const MemoryStripPlace& place);
double memoryStripHeight(const FigureStyle& style);
// The largest peak of a row of the figure in bytes, at least 1.
std::int64_t highestPeak(const std::vector<FigureRun>& runs);
std::string peakText(const FigureRun& run, engine::DeviceId device); // "9.7 MiB"

} // namespace profiler
