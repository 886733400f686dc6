#include "profiler/figure/layout.h"

#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/explain.h"
#include "profiler/analysis/lanes.h"
#include "profiler/analysis/measure.h"
#include "profiler/analysis/metrics.h"
#include "profiler/analysis/ticks.h"
#include "profiler/figure/font_metrics.h"
#include "profiler/figure/legend_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>

// We decide the content (FigureRun) before any position, because the height and the scale of a
// figure depend on all of its rows. FigureLayout then appends one group of shapes after another.

namespace profiler {
namespace {

using namespace engine;

constexpr FigurePreset kPresets[] = {
    {"acm-column", "ACM, USENIX column", 3.33, 5.5, "\\columnwidth"},
    {"acm-text", "ACM, USENIX text", 7.0, 7, "\\textwidth"},
    {"icml", "ICML column", 3.25, 5.5, "\\columnwidth"},
    {"ieee-column", "IEEE column", 3.5, 5.5, "\\columnwidth"},
    {"ieee-text", "IEEE text", 7.16, 7, "\\textwidth"},
    {"neurips", "NeurIPS, ICLR text", 5.5, 6.5, "\\textwidth"},
    {"slide", "Slide, 16 : 9", 13.33, 15, "\\textwidth", 13.33 * 9 / 16, 0.5},
};

// An op in the content of a figure; times are ticks of the run.
struct FigureOp
{
    Window window;
    Op op;
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
    DeviceId device;
    std::vector<FigureOp> ops; // ops on the compute lane that take time, sorted by start
    // Messages, all-reduces and copies that take time; empty unless their lanes are drawn.
    std::vector<FigureOp> transfers;
    std::vector<Window> exposed;
    std::vector<Bubble> bubbles;
    std::string bubbleShare; // "14.3 %"; "" if the device has no trace
};

struct FigureRun
{
    const Run* run = nullptr;
    std::string title; // its runTitles()
    int iteration = 0;
    Window whole, window;   // the whole iteration, and the part that is drawn
    double bubbleRatio = 0; // bubble ratio of the drawn part
    // The change of the iteration from that of the first run; nullopt: not known to a comparison.
    std::optional<Change> change;
    std::int64_t longestOp = 0; // longest op on a compute lane of the run, in ticks
    std::vector<FigureRow> rows;

    bool isWhole() const { return window == whole; }
    bool isEndDrawn() const { return window.end == whole.end; }
    bool has(Track::Kind lane) const // whether a row has a span on this lane
    {
        return std::ranges::any_of(rows, [lane](const FigureRow& row) {
            return std::ranges::any_of(row.transfers, [lane](const FigureOp& transfer) {
                return laneOf(transfer.op.kind) == lane;
            });
        });
    }

    // The following functions return cost units if the run is in abstract units, otherwise ns.
    double duration() const { return units(window.duration()); }
    double wholeDuration() const { return units(whole.duration()); }
    double begin() const { return units(window.begin - whole.begin); }
    double units(std::int64_t ticks) const { return ratio(ticks, run->info.ticksPerUnit); }
};

// The unit in which a figure prints times.
struct TimeUnit
{
    std::string name = "F"; // "F", "ms"
    double units = 1;       // cost units or ns in one unit of the axis
};

TimeUnit timeUnit(double longestNanoseconds)
{
    if (longestNanoseconds >= 10e9)
        return {"s", 1e9};
    if (longestNanoseconds >= 1e6)
        return {"ms", 1e6};
    if (longestNanoseconds >= 1e3)
        return {"\u00B5s", 1e3};
    return {"ns", 1};
}

// U+2009 is a thin space, U+2212 a minus sign.
std::string percentText(double share)
{
    return std::isfinite(share) ? fmt::format("{:.1f}\u2009%", 100 * share) : "unknown";
}

std::string signedPercentText(double share)
{
    return fmt::format("{}{:.1f}\u2009%", share < 0 ? "\u2212" : "+", 100 * std::abs(share));
}

std::string titleWith(const std::string& label, const Run& run)
{
    const auto& shape = run.schedule.shape;
    std::string title = fmt::format("{}, D = {}", label, shape.devices);
    if (knowsMicroBatches(run.info))
        title += fmt::format(", N = {}", shape.microBatches);
    if (knowsStages(run.info) && shape.chunks() > 1)
        title += fmt::format(", v = {}", shape.chunks());
    return title;
}

std::string runTitle(const Run& run) // "BitPipe, D = 4, N = 8, v = 2"
{
    return titleWith(run.info.label.empty() ? run.info.scheme : run.info.label, run);
}

// Equal titles are extended by the options that differ: "BitPipe, concat=early, D = 4, N = 8".
std::vector<std::string> runTitles(std::span<const Run* const> runs)
{
    std::map<std::string, std::vector<const Run*>> equal; // runs by title
    std::vector<std::string> titles;
    for (const Run* run : runs)
        equal[runTitle(*run)].push_back(run);
    for (const Run* run : runs) {
        const auto& group = equal[runTitle(*run)];
        const auto place = std::ranges::find(group, run) - group.begin();
        titles.push_back(titleWith(distinctLabels(group)[place], *run));
    }
    return titles;
}

// With more boxes a page is a grey area, and the file is too large to open.
constexpr std::size_t kMaxBoxes = 200'000;

Result<std::vector<int>> chosenDevices(const Run& run, const FigureOptions& options)
{
    const int count = run.schedule.shape.devices;
    std::vector<int> devices = options.devices;
    if (devices.empty()) {
        devices.resize(count);
        std::iota(devices.begin(), devices.end(), 0);
    }
    for (const int device : devices)
        if (device < 0 || device >= count)
            return invalid("{} has no device {}; rows are 0 to {}", runTitle(run), device,
                           count - 1);
    return devices;
}

std::int64_t longestOp(const Run& run)
{
    std::int64_t longest = 1;
    for (const Track& track : run.timeline.tracks)
        if (track.kind == Track::Kind::Compute)
            for (const Span& span : track.spans)
                longest = std::max(longest, span.window().duration());
    return longest;
}

// Sets the iteration, the part of it that is drawn, and the bubble ratio of this part.
Result<void> setWindow(FigureRun& content, const FigureRange& range)
{
    const Run& run = *content.run;
    content.whole = content.window = run.timeline.iterations[content.iteration].window;
    if (range.isWhole())
        return {};
    const double ticks = run.info.inUnits() ? static_cast<double>(run.info.ticksPerUnit) : 1e6;
    const auto at = [&](double time) {
        return content.whole.begin + static_cast<std::int64_t>(std::llround(time * ticks));
    };
    content.window = overlap(content.whole, {at(range.begin), at(range.end)});
    if (content.window.duration() > 0)
        return {};
    return invalid("{} has nothing to draw from {} to {} {}: its iteration lasts {}; use "
                   "a range within it",
                   runTitle(run), trimmedNumber(range.begin, 3), trimmedNumber(range.end, 3),
                   run.info.inUnits() ? "F" : "ms",
                   trimmedNumber(static_cast<double>(content.whole.duration()) / ticks, 3));
}

// The bubble ratio of the drawn part over all devices, and the share of each device.
struct BubbleShares
{
    double ratio = 0;
    IdVector<DeviceId, double> of;
};

Result<BubbleShares> sharesOf(const FigureRun& content, const RunMetrics& whole,
                              const FigureOptions& options)
{
    BubbleShares shares{whole.bubbleRatio, {}};
    if (options.range.isWhole()) {
        for (const DeviceMetrics& device : whole.devices)
            shares.of.push_back(whole.duration > 0 ? ratio(device.bubble, whole.duration) : 0);
        return shares;
    }
    const auto part = TRY(rangeMetrics(*content.run, content.window));
    shares.ratio = part.bubbleRatio;
    for (const RangeDevice& device : part.devices)
        shares.of.push_back(ratio(device.times.bubble, content.window.duration()));
    return shares;
}

void split(FigureOp& one, FigureOp& other)
{
    const bool isFirstAbove = one.op.kind == OpKind::Forward;
    one.half = isFirstAbove ? FigureOp::Half::Upper : FigureOp::Half::Lower;
    other.half = isFirstAbove ? FigureOp::Half::Lower : FigureOp::Half::Upper;
}

// Gaps that are shorter than this cannot be seen.
std::int64_t shortestGap(const FigureRun& content)
{
    constexpr std::int64_t kParts = 1000;
    return content.window.duration() / kParts;
}

// The parts of an op that are drawn. Without a pipeline, an op is only the time between the first
// and the last of many kernels, so its kernels are drawn.
Windows drawnParts(const FigureRun& content, const Lanes& lanes, DeviceId device, Window op)
{
    if (!lanes.haveKernels() || knowsStages(content.run->info))
        return {op};
    Windows parts;
    for (const Window kernel : clip(lanes.compute(device), op))
        if (!parts.empty() && kernel.begin - parts.back().end <= shortestGap(content))
            parts.back().end = kernel.end;
        else
            parts.push_back(kernel);
    return parts;
}

// Adds the messages, all-reduces and copies of a row.
void addTransfers(const FigureRun& content, FigureRow& row)
{
    const Run& run = *content.run;
    const OpIndex index(run.schedule);
    for (const Track& track : run.timeline.tracks) {
        if (track.device != row.device || track.kind == Track::Kind::Compute)
            continue;
        for (const Span& span : track.spans)
            if (const auto part = overlap(span.window(), content.window); part.duration() > 0
                && span.iteration == static_cast<std::uint32_t>(content.iteration))
                row.transfers.push_back({.window = part,
                                         .op = opAt(run.schedule, index, span.op),
                                         .position = index.positionOf(span.op),
                                         .isCut = !(part == span.window())});
    }
}

FigureRow rowOf(const FigureRun& content, DeviceId device)
{
    const Run& run = *content.run;
    FigureRow row;
    row.device = device;
    for (const Window window : Lanes(run, content.iteration).exposed(device))
        if (const auto part = overlap(window, content.window); part.duration() > 0)
            row.exposed.push_back(part);
    const auto* track = run.timeline.track(device, Track::Kind::Compute);
    if (!track)
        return row;
    const OpIndex index(run.schedule);
    const int devices = std::max(1, run.schedule.shape.devices);
    const Lanes lanes(run, content.iteration);
    const auto add = [&](const Span& span, Window whole) {
        const Window part = overlap(whole, content.window);
        if (part.duration() <= 0)
            return;
        const Op& op = opAt(run.schedule, index, span.op);
        row.ops.push_back({.window = part,
                           .op = op,
                           .position = index.positionOf(span.op),
                           .chunk = op.stage.value / devices,
                           .length = ratio(span.window().duration(), content.longestOp),
                           .isCut = !(part == whole)});
        if (const auto next = row.ops.rbegin() + 1;
            next != row.ops.rend() && next->window == row.ops.back().window)
            split(*next, row.ops.back());
    };
    for (const Span& span : track->spans)
        if (span.iteration == static_cast<std::uint32_t>(content.iteration))
            for (const Window part : drawnParts(content, lanes, device, span.window()))
                add(span, part);
    return row;
}

Result<FigureRun> figureContent(const Run& run, const FigureOptions& options)
{
    const auto devices = TRY(chosenDevices(run, options));
    const int iterations = run.timeline.iterations.size();
    if (options.iteration >= iterations)
        return invalid("{} has no iteration {}; it has 0 to {}", runTitle(run), options.iteration,
                       iterations - 1);
    const auto numbers = TRY(metrics(run, options.iteration));

    FigureRun content;
    content.run = &run;
    content.iteration = numbers.iteration;
    content.longestOp = longestOp(run);
    TRY(setWindow(content, options.range));
    const auto shares = TRY(sharesOf(content, numbers, options));
    content.bubbleRatio = shares.ratio;
    const auto all = Explainer(run, content.iteration).bubbles();
    std::size_t boxes = 0;
    for (const int d : devices) {
        FigureRow row = rowOf(content, DeviceId{d});
        if (options.communication)
            addTransfers(content, row);
        for (const Bubble& bubble : all) {
            const Window part = overlap(bubble.window, content.window);
            const bool isHidden = bubble.within
                && (knowsStages(run.info) || part.duration() <= shortestGap(content));
            if (bubble.device == row.device && part.duration() > 0 && !isHidden)
                row.bubbles.emplace_back(bubble).window = part;
        }
        if (hasTrace(run, row.device))
            row.bubbleShare
                = percentText(std::isfinite(shares.ratio) ? shares.of[row.device] : shares.ratio);
        boxes += row.ops.size() + row.transfers.size();
        content.rows.push_back(std::move(row));
    }
    if (boxes > kMaxBoxes)
        return fail(Error::Code::Unsupported,
                    "{} has {} ops in one iteration, too many for a page; {} of {} rows fit: "
                    "choose them (bubblescope figure --rows)",
                    runTitle(run), boxes, content.rows.size() * kMaxBoxes / boxes,
                    content.rows.size());
    return content;
}

// Margin of the figure in points; half of a line's width falls into it.
constexpr double kEdge = 0.3;
// Smallest distance in points between a number and the edge of its box.
constexpr double kDigitMargin = 0.3;
constexpr double kThinnestEdged = 1.2; // in points; narrower boxes have no edge
constexpr double kOverhang = 0.3;      // by which the end line of a run extends beyond its rows
// A kind of span gets a legend entry only if one span of this kind is at least this wide on paper.
constexpr double kThinnestSeen = 0.35;
// Sizes of a note's flag and of its strip, in multiples of the font size.
constexpr double kFlagWidth = 1.1, kFlagBody = 1.05, kFlagTip = 0.45, kNoteStrip = 1.9;

// In points: 5 in a paper, more if the figure has a larger font (on a slide).
double smallestNumber(double labelSize)
{
    return std::max(kSmallestType, 0.6 * labelSize);
}

std::string numberOf(const Op& op)
{
    return op.microBatch.isValid() ? std::to_string(op.microBatch.value) : std::string();
}

// An op with the class "cut" has neither an edge nor the mark of the up direction.
std::string classOf(const FigureOp& op, ColourBy by)
{
    std::string cls = fmt::format("op {}", kindName(op.op.kind));
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

struct MemoryLevel
{
    // The memory in bytes from `time` until the next level. `resident` is everything except the
    // stash.
    std::int64_t time = 0, resident = 0, stash = 0;

    std::int64_t total() const { return resident + stash; }
};

// The first one is the level at the start of the drawn window.
std::vector<MemoryLevel> memoryLevels(const FigureRun& run, DeviceId device)
{
    std::vector<MemoryLevel> result{{run.window.begin, 0, 0}};
    for (const auto& event : run.run->timeline.memory) {
        if (event.device != device.value)
            continue;
        if (event.time >= run.window.end)
            break;
        MemoryLevel next = result.back();
        (event.category == MemoryCategory::Stash ? next.stash : next.resident) += event.bytes;
        if (event.time > next.time) {
            next.time = event.time;
            result.push_back(next);
        } else {
            result.back() = next;
        }
    }
    return result;
}

std::int64_t peak(const FigureRun& run, DeviceId device)
{
    return std::ranges::max(memoryLevels(run, device), {}, &MemoryLevel::total).total();
}

std::string peakText(const FigureRun& run, DeviceId device) // "9.7 MiB"
{
    return hasTrace(*run.run, device) ? bytesText(peak(run, device)) : std::string();
}

// The notes that begin within the drawn part of the iteration, in their order.
std::vector<Note> notesOf(const FigureRun& run, std::span<const Note> notes)
{
    std::vector<Note> within;
    std::ranges::copy_if(notes, std::back_inserter(within), [&run](const Note& note) {
        const bool isOfAnother = note.iteration >= 0 && note.iteration != run.iteration;
        return !isOfAnother && note.window.begin >= run.window.begin
            && note.window.begin < run.window.end;
    });
    return within;
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

// Converts times of one run to positions on the page.
struct FigureScale
{
    double left = 0, pointsPerTick = 1;
    std::int64_t begin = 0;

    double x(std::int64_t tick) const { return left + (tick - begin) * pointsPerTick; }
};

class FigureLayout
{
public:
    using Notes = std::span<const std::vector<Note>>;

    FigureLayout(const std::vector<FigureRun>& runs, const FigureOptions& options, Palette palette,
                 FontFace font)
        : m_runs(runs)
        , m_options(options)
        , m_palette(std::move(palette))
        , m_font(std::move(font))
        , m_size(options.fontSize)
        , m_isSchematic(runs[0].run->info.inUnits())
        , m_blocks(runs.size())
    {
        for (const FigureRun& run : m_runs)
            for (const FigureRow& row : run.rows)
                if (m_options.memory)
                    m_highestPeak = std::max(m_highestPeak, peak(run, row.device));
        for (std::size_t r = 0; m_runs.size() > 1 && r < m_runs.size(); ++r)
            m_blocks[r].prefix = fmt::format("run{}-", r);
    }

    Result<Scene> layout(Notes notes)
    {
        TRY(placeColumns());
        m_digitSize = digitSize();
        describe();
        m_y = kEdge;
        for (std::size_t r = 0; r < m_runs.size(); ++r)
            addRun(r,
                   m_options.notes && r < notes.size() ? notesOf(m_runs[r], notes[r])
                                                       : std::vector<Note>());
        if (m_runs.size() > 1 && m_runs[0].isEndDrawn())
            addBaselineEnd();
        addFoot();
        m_scene.width = m_options.width;
        const bool isLast = m_options.height <= 0 || m_size <= kSmallestType; // no smaller font
        const double most = m_options.height > 0 ? m_options.height : m_options.pageHeight;
        if (isLast && most > 0 && m_scene.height > most)
            return tooHigh(most);
        return std::move(m_scene);
    }

private:
    // The position of a run on the page.
    struct RunBlock
    {
        std::string prefix; // of the ids of groups, which distinguishes the runs: "", "run1-"
        double headingRight = 0, rows = 0, bottom = 0;
    };

    // The error for a figure that is higher than `most` points. It states how much of it fits.
    tl::unexpected<Error> tooHigh(double most) const
    {
        const double foot = m_scene.height - m_blocks.back().bottom;
        const auto runs = std::ranges::count_if(
            m_blocks, [&](const RunBlock& block) { return block.bottom + foot <= most; });
        const std::size_t all = m_runs[0].rows.size();
        const double first = m_blocks[0].bottom - m_blocks[0].rows;
        const double rows = (most - foot - m_blocks[0].rows) * static_cast<double>(all) / first;
        const auto inches = [](double points) { return trimmedNumber(points / kPointsPerInch, 2); };
        return fail(Error::Code::Unsupported,
                    "the figure needs a height of {} inches and has {}; {} fit: draw fewer runs, "
                    "choose rows with --rows, or set --height",
                    inches(m_scene.height), inches(most),
                    runs > 0
                        ? fmt::format("{} of {} runs", runs, m_runs.size())
                        : fmt::format("{:.0f} of {} rows", std::max(0.0, std::floor(rows)), all));
    }
    double rowHeight() const { return 1.9 * m_size; }
    double laneHeight() const { return 0.55 * rowHeight(); }
    // Height of the lanes of a row and of the space around them.
    double lanesHeight() const
    {
        return m_lanes.empty()
            ? 0
            : static_cast<double>(m_lanes.size()) * (laneHeight() + 1) + 0.6 * m_size;
    }
    double rowGap() const { return m_isSchematic ? 0 : 0.27 * m_size; }
    double edgeWidth() const { return m_isSchematic ? 0.4 : 0.25; }
    double memoryHeight() const { return 0.8 * rowHeight(); }
    double headingLine() const { return capHeight() + 0.8 * m_size; }
    double capHeight() const { return m_font.regular.capHeight(m_size); }
    double width(const std::string& text, double size) const
    {
        return m_font.regular.width(text, size);
    }
    double width(const std::string& text) const { return width(text, m_size); }
    // Centres the capitals and digits of a text of `size` points vertically at `y`.
    double baseline(double y, double size) const { return y + m_font.regular.capHeight(size) / 2; }
    Colour edge(Colour fill) const
    {
        return m_isSchematic ? m_palette.darkInk : mix(fill, m_palette.darkInk, 0.35);
    }
    Colour secondary() const { return mix(m_palette.ink, m_palette.surface, 0.30); }
    FigureScale scaleOf(const FigureRun& run) const
    {
        const auto ticks = run.run->info.ticksPerUnit * m_unit.units;
        return {m_plotLeft, m_pointsPerUnit / ticks, run.window.begin};
    }
    bool hasHeadings() const { return m_runs.size() > 1 || m_options.title; }
    bool modesDiffer() const
    {
        return std::ranges::any_of(m_runs, [this](const FigureRun& run) {
            return run.run->info.mode != m_runs[0].run->info.mode;
        });
    }

    // The shapes are appended to the last group.
    void begin(std::string id) { m_scene.groups.push_back({std::move(id), {}}); }
    template<class Shape>
    Shape& add(Shape shape)
    {
        auto& shapes = m_scene.groups.back().shapes;
        shapes.emplace_back(std::move(shape));
        return std::get<Shape>(shapes.back());
    }
    Text& write(double x, double baseline, std::string text, const char* cls,
                Text::Anchor anchor = Text::Anchor::Start)
    {
        return add(Text{.x = x,
                        .baseline = baseline,
                        .size = m_size,
                        .text = std::move(text),
                        .colour = m_palette.ink,
                        .anchor = anchor,
                        .cls = cls});
    }
    Line& rule(Segment at, double thickness, const char* cls)
    {
        return add(Line{.x1 = at.x1,
                        .y1 = at.y1,
                        .x2 = at.x2,
                        .y2 = at.y2,
                        .width = thickness,
                        .colour = m_palette.ink,
                        .cls = cls});
    }
    Box& fill(const Rect& rect, Colour colour, const char* cls)
    {
        return add(
            Box{.rect = rect, .fill = colour, .strokeColour = {}, .id = {}, .cls = cls, .op = {}});
    }
    void hatchBubble(const Rect& rect)
    {
        add(Hatch{.rect = rect,
                  .fill = m_palette.bubble,
                  .line = m_palette.bubbleLine,
                  .spacing = 0.55 * m_size,
                  .cls = "bubble"});
    }
    // The hatch over an op's box, for palettes that must work without colour.
    void hatchOver(const Box& box, OpHatch hatch)
    {
        const double in = box.stroke / 2; // inside the edge of the box
        add(Hatch{.rect = {box.rect.x + in, box.rect.y + in, box.rect.width - 2 * in,
                           box.rect.height - 2 * in},
                  .fill = box.fill,
                  .line = m_palette.hatchLine(box.fill),
                  .spacing = 0.5 * m_size / std::max(1, hatch.density),
                  .width = 0.05 * m_size,
                  .cls = "hatch",
                  .lines = hatch.lines,
                  .cut = box.cut,
                  .hasGround = false});
    }

    Result<void> placeColumns()
    {
        double labels = 0, shares = 0, longest = 0;
        m_sharesAreEqual
            = m_options.bubbleShare && std::ranges::all_of(m_runs, [](const FigureRun& run) {
                  return run.rows.size() > 1 && !run.rows[0].bubbleShare.empty()
                      && std::ranges::all_of(run.rows, [&](const FigureRow& row) {
                             return row.bubbleShare == run.rows[0].bubbleShare;
                         });
              });
        for (const FigureRun& run : m_runs) {
            longest = std::max(longest, run.duration());
            for (const FigureRow& row : run.rows) {
                labels = std::max(labels, width(fmt::format("Device {}", row.device.value)));
                shares = std::max(shares, rightWidth(run, row));
            }
        }
        if (!m_isSchematic)
            m_unit = timeUnit(longest);
        if (shares > 0)
            m_columnTitle = !m_options.memory                ? "bubble"
                : m_options.bubbleShare && !m_sharesAreEqual ? "bubble, peak"
                                                             : "peak";
        shares = std::max(shares, width(m_columnTitle));
        const double right = std::max(shares > 0 ? shares + 0.7 * m_size : 0, m_size);
        m_plotLeft = labels + 0.7 * m_size;
        for (const auto kind :
             {Track::Kind::Send, Track::Kind::Receive, Track::Kind::AllReduce, Track::Kind::Copy})
            if (std::ranges::any_of(m_runs, [kind](const FigureRun& run) { return run.has(kind); }))
                m_lanes.push_back(kind);
        const double room = m_options.width - right - m_plotLeft;
        if (room < 8 * m_size)
            return invalid("a font of {} pt leaves no space for the time axis in {} inches; "
                           "use a smaller font or a wider figure",
                           trimmedNumber(m_size, 1),
                           trimmedNumber(m_options.width / kPointsPerInch, 2));
        m_axisBegin = m_runs[0].begin() / m_unit.units;
        m_length = longest / m_unit.units;
        if (m_length <= 0)
            return invalid("{} takes no time, so it cannot be drawn; choose another run",
                           runTitle(*m_runs[0].run));
        m_pointsPerUnit = room / m_length;
        return {};
    }
    double rightWidth(const FigureRun& run, const FigureRow& row) const
    {
        double all = m_options.bubbleShare && !m_sharesAreEqual ? width(row.bubbleShare) : 0;
        if (m_options.memory)
            all = std::max(all, width(peakText(run, row.device)));
        return all;
    }
    // The largest size of at most m_size at which every number of the row fits in its box; 0: the
    // ink of a number has too little contrast. The ends of a range do not count.
    double numberSize(const FigureRow& row, const FigureScale& scale) const
    {
        double size = m_size;
        for (const FigureOp& op : row.ops) {
            const double em = op.isCut ? 0 : width(numberOf(op.op), 1);
            if (em <= 0)
                continue;
            const double room = op.window.duration() * scale.pointsPerTick - 2 * kDigitMargin;
            const Colour fill
                = opLook(m_palette, op.op, op.chunk, op.length, m_options.colourBy).fill;
            const bool isLegible = contrast(m_palette.inkOf(op.op, fill), fill) >= kSmallestInk;
            size = isLegible ? std::min(size, room / em) : 0;
        }
        return size;
    }
    // The size of the numbers in all rows that can have them: all boxes of a row have numbers, or
    // none.
    double digitSize() const
    {
        double size = m_size;
        for (const FigureRun& run : m_runs)
            for (const FigureRow& row : run.rows)
                if (const double own = numberSize(row, scaleOf(run)); own >= smallestNumber(m_size))
                    size = std::min(size, own);
        // The size is rounded down to tenths of a point, so that rounding errors do not decide what
        // fits.
        return std::clamp(std::floor(10 * size) / 10, smallestNumber(m_size), m_size);
    }
    void describe()
    {
        m_scene.font = m_font.family;
        m_scene.date = dateDigits(m_runs[0].run->info.started);
        for (const FigureRun& run : m_runs) {
            const auto& info = run.run->info;
            m_scene.title += (m_scene.title.empty() ? "" : "; ") + run.title;
            m_scene.description
                += fmt::format("{}{}, {}, {}", m_scene.description.empty() ? "" : "; ", run.title,
                               modeDescription(info), facts(run));
            if (!info.command.empty())
                m_scene.description += fmt::format(", {}", info.command);
            if (!info.program.empty())
                m_scene.description += fmt::format(", by Bubblescope {}", info.program);
        }
    }

    void addRun(std::size_t index, const std::vector<Note>& notes)
    {
        const FigureRun& run = m_runs[index];
        RunBlock& block = m_blocks[index];
        if (index > 0)
            m_y += 0.9 * m_size;
        if (hasHeadings())
            addHeading(index);
        if (index == 0 && !m_columnTitle.empty())
            addColumnTitle(block.headingRight);
        const FigureScale scale = scaleOf(run);
        const double strip = m_y;
        if (!notes.empty())
            m_y += kNoteStrip * m_size;
        block.rows = m_y;
        for (const FigureRow& row : run.rows) {
            if (&row != run.rows.data())
                m_y += rowGap();
            m_isNumbered = m_options.microBatches && numberSize(row, scale) >= m_digitSize;
            addRow(row, scale, block.prefix);
            m_y += rowHeight() + lanesHeight();
            if (m_options.memory)
                addMemoryStrip(run, row.device, scale);
        }
        block.bottom = m_y;
        if (!notes.empty())
            addNotes(notes, scale, strip, block);
        if (m_runs.size() > 1 && run.isEndDrawn())
            addEnd(index);
    }
    // "26.5 F, bubble 9.4 %"
    std::string facts(const FigureRun& run) const
    {
        const auto text = [this](double value) {
            return m_isSchematic ? trimmedNumber(value, 2) : fmt::format("{:.1f}", value);
        };
        const double begin = run.begin() / m_unit.units;
        const std::string part = run.isWhole()
            ? ""
            : fmt::format("{} to {} of ", text(begin), text(begin + printed(run)));
        return fmt::format("{}{} {}, bubble {}", part, text(run.wholeDuration() / m_unit.units),
                           m_unit.name, percentText(run.bubbleRatio));
    }
    double printed(const FigureRun& run) const { return run.duration() / m_unit.units; }
    double endOf(const FigureRun& run) const { return m_plotLeft + printed(run) * m_pointsPerUnit; }
    double longer(const FigureRun& run) const
    {
        return run.wholeDuration() / m_runs[0].wholeDuration() - 1;
    }
    // Whether the difference is drawn between the ends of the runs.
    bool hasGap(const FigureRun& run) const
    {
        const double gap = endOf(m_runs[0]) - endOf(run);
        return m_runs[0].isEndDrawn() && run.isEndDrawn()
            && (!run.change || run.change->isDistinguishable())
            && gap > width(signedPercentText(longer(run))) + 1.2 * m_size;
    }
    // ", 12.3 % shorter (95 %: 9.1 to 15.2)", as in a comparison; "" if the gap between the ends
    // says it all.
    std::string difference(const FigureRun& run) const
    {
        const double by = longer(run);
        const std::string plain
            = fmt::format(", {} {}", percentText(std::abs(by)), by < 0 ? "shorter" : "longer");
        if (!run.change || run.change->by.spread == Spread::Exact)
            return hasGap(run) ? "" : plain;
        const auto& [from, amount] = *run.change;
        if (amount.spread == Spread::Unknown)
            return plain + ", spread unknown";
        if (!run.change->isDistinguishable())
            return fmt::format(", no clear difference (95 %: {} to {})",
                               signedPercentText(amount.least / from),
                               signedPercentText(amount.most / from));
        const double least = std::abs(amount.least / from), most = std::abs(amount.most / from);
        return fmt::format("{} (95 %: {:.1f} to {:.1f})", plain, 100 * std::min(least, most),
                           100 * std::max(least, most));
    }
    std::string headingFacts(std::size_t index) const
    {
        const FigureRun& run = m_runs[index];
        return facts(run)
            + (modesDiffer() ? fmt::format(", {}", modeAdjective(run.run->info.mode)) : "")
            + (index > 0 ? difference(run) : "");
    }
    // Facts that do not fit beside the title are below it.
    void addHeading(std::size_t index)
    {
        RunBlock& block = m_blocks[index];
        const std::string &title = m_runs[index].title, facts = headingFacts(index);
        const double titleWidth = m_font.bold.width(title, m_size);
        const bool isBelow = titleWidth + m_size + width(facts) > m_options.width;
        const double x = isBelow ? 0 : titleWidth + m_size, below = isBelow ? headingLine() : 0;
        const double baseline = m_y + capHeight() + 0.15 * m_size;
        begin(block.prefix + "heading");
        write(0, baseline, title, "run-title").bold = true;
        block.headingRight = std::max(x + width(facts), titleWidth);
        write(x, baseline + below, facts, "run-facts").colour = secondary();
        m_y += headingLine() + below;
    }
    // Names the column of numbers at the right: in the line of the heading, if there is space.
    void addColumnTitle(double headingRight)
    {
        const bool isBeside
            = headingRight > 0 && headingRight + m_size + width(m_columnTitle) <= m_options.width;
        m_y += isBeside ? 0 : headingLine();
        begin("column-title");
        write(m_options.width, m_y - 0.65 * m_size, m_columnTitle, "column-title",
              Text::Anchor::End)
            .colour
            = secondary();
    }
    // Adds the line at the end of a run, and the difference from the end of the baseline if its
    // text fits.
    void addEnd(std::size_t index)
    {
        const FigureRun& run = m_runs[index];
        const RunBlock& block = m_blocks[index];
        const double x = endOf(run);
        begin(block.prefix + "end");
        rule({x, block.rows - kOverhang, x, block.bottom + kOverhang}, 0.14 * m_size, "run-end");
        if (index > 0 && hasGap(run))
            addGap(run, (block.rows + block.bottom) / 2);
    }
    void addGap(const FigureRun& run, double y)
    {
        const double x = endOf(run), end = endOf(m_runs[0]);
        const double head = 0.5 * m_size, half = 0.25 * m_size;
        rule({x + head, y, end - head, y}, 0.4, "gap").colour = secondary();
        for (const auto& [tip, back] : {std::pair(x + 0.5, head), std::pair(end - 0.5, -head)})
            add(Polygon{
                {{tip, y}, {tip + back, y - half}, {tip + back, y + half}}, secondary(), "gap"});
        write((x + end) / 2, y - 0.5 * m_size, signedPercentText(longer(run)), "gap-text",
              Text::Anchor::Middle)
            .bold
            = true;
    }
    // The vertical line at the end of the baseline crosses the rows of all runs, and every heading
    // whose text ends to the left of the line.
    void addBaselineEnd()
    {
        const double x = endOf(m_runs[0]);
        begin("baseline-end");
        double from = m_blocks[0].rows;
        for (std::size_t r = 0; r < m_blocks.size(); ++r) {
            if (r > 0)
                from = m_blocks[r].headingRight < x ? m_blocks[r - 1].bottom : m_blocks[r].rows;
            rule({x, from, x, m_blocks[r].bottom}, 0.5, "baseline").dashed = true;
        }
    }
    // Draws for each note a flag with its number, as much of its text as fits before the next flag,
    // and a dashed line through the rows. A note without text gets only the flag.
    void addNotes(std::span<const Note> notes, const FigureScale& scale, double top,
                  const RunBlock& block)
    {
        begin(block.prefix + "notes");
        const double half = kFlagWidth * m_size / 2, gap = 0.3 * m_size;
        const double body = top + kFlagBody * m_size, middle = top + kFlagBody * m_size / 2;
        for (std::size_t i = 0; i < notes.size(); ++i) {
            const double x = scale.x(notes[i].window.begin);
            const double next = i + 1 < notes.size()
                ? scale.x(notes[i + 1].window.begin) - half - gap
                : m_options.width;
            rule({x, block.rows, x, block.bottom}, 0.4, "note-line").dashed = true;
            add(Polygon{.points = {{x - half, top},
                                   {x + half, top},
                                   {x + half, body},
                                   {x, body + kFlagTip * m_size},
                                   {x - half, body}},
                        .fill = m_palette.ink,
                        .cls = "note-flag"});
            if (notes[i].text.empty())
                continue;
            Text& number = write(x, baseline(middle, m_digitSize), std::to_string(i + 1),
                                 "note-number", Text::Anchor::Middle);
            number.size = m_digitSize;
            number.colour = m_palette.surface;
            if (std::string words = fitting(notes[i].text, next - x - half - gap); !words.empty())
                write(x + half + gap, baseline(middle, m_size), std::move(words), "note-words");
        }
    }
    // Removes whole UTF-8 characters from the end of the text until it fits. Returns "" if not even
    // three characters fit.
    std::string fitting(const std::string& words, double room) const
    {
        constexpr std::size_t kLeast = 3, kMost = 1024; // bytes; no page has room for more
        if (width(words) <= room)
            return words;
        std::string cut = words.substr(0, kMost);
        while (cut.size() > kLeast) {
            while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0U) == 0x80U)
                cut.pop_back();
            if (cut.empty()) // damaged text
                break;
            cut.pop_back();
            std::string shown = cut + "\xE2\x80\xA6";
            if (width(shown) <= room)
                return shown;
        }
        return {};
    }

    // Draws the row of one device: label, bubbles, exposed communication, ops with their numbers,
    // and the share of bubbles.
    void addRow(const FigureRow& row, const FigureScale& scale, const std::string& prefix)
    {
        begin(fmt::format("{}device-{}", prefix, row.device.value));
        const auto rect = [&](Window window) {
            const double left = scale.x(window.begin);
            return Rect{left, m_y, scale.x(window.end) - left, rowHeight()};
        };
        const double line = baseline(m_y + rowHeight() / 2, m_size);
        write(0, line, fmt::format("Device {}", row.device.value), "row-label");
        for (const Bubble& bubble : row.bubbles)
            addBubble(bubble, rect(bubble.window));
        for (const auto& window : row.exposed)
            fill(rect(window), m_palette.exposed(), "exposed");
        for (const FigureOp& op : row.ops)
            addOp(op, rect(op.window),
                  fmt::format("{}d{}-{}", prefix, row.device.value, op.position));
        for (const FigureOp& transfer : row.transfers)
            addTransfer(transfer, rect(transfer.window));
        if (m_options.bubbleShare && !m_sharesAreEqual && !row.bubbleShare.empty())
            write(m_options.width, line, row.bubbleShare, "bubble-share", Text::Anchor::End);
    }
    void addBubble(const Bubble& bubble, Rect area)
    {
        if (m_options.bubbles == BubbleStyle::Blank)
            return;
        // Shrinks the area if rows touch each other. Otherwise the hatch would cover the lower
        // edges of the row above.
        if (rowGap() == 0) {
            area.y += edgeWidth() / 2;
            area.height -= edgeWidth();
        }
        hatchBubble(area);
        if (m_options.bubbles != BubbleStyle::WithCause)
            return;
        constexpr EnumArray<Bubble::Kind, const char*, 3> kNames{"fill", "wait", "drain"};
        const double size = std::max(kSmallestType, 0.7 * m_size);
        const double needed = width(kNames[bubble.kind], size);
        if (needed + 0.6 * size > area.width)
            return;
        addPlate(area, needed + 0.2 * size, size, m_palette.bubble);
        writeIn(area, kNames[bubble.kind], size, "cause");
    }
    void addOp(const FigureOp& op, Rect area, std::string id)
    {
        if (op.half != FigureOp::Half::Both)
            area.height /= 2;
        if (op.half == FigureOp::Half::Lower)
            area.y += area.height;
        const auto [colour, hatch]
            = opLook(m_palette, op.op, op.chunk, op.length, m_options.colourBy);
        Box box{.rect = area,
                .fill = colour,
                .strokeColour = {},
                .id = std::move(id),
                .cls = classOf(op, m_options.colourBy),
                .op = toString(op.op)};
        // The edge of an optimizer op has the colour of its fill, and the op has no mark of
        // direction, so that the few ops of a step look like one block.
        const bool isStep = op.op.kind == OpKind::OptimizerStep;
        if (isStep || (area.width >= kThinnestEdged && !op.isCut)) {
            box.stroke = edgeWidth();
            box.strokeColour = isStep ? colour : edge(colour);
        }
        if (op.op.replica > 0 && m_options.directionMark && !isStep && !op.isCut)
            box.cut = std::min(0.22 * area.height, 0.35 * area.width);
        add(box);
        if (hatch.density > 0)
            hatchOver(box, hatch);
        addMicroBatch(op, area, box, hatch.density > 0);
    }
    // Adds a message, an all-reduce or a copy in its lane below the row.
    void addTransfer(const FigureOp& transfer, Rect area)
    {
        const auto kind = laneOf(transfer.op.kind);
        const auto lane = std::ranges::find(m_lanes, kind) - m_lanes.begin();
        area.y += rowHeight() + 1 + static_cast<double>(lane) * (laneHeight() + 1);
        area.height = laneHeight();
        Box& box = fill(area, m_palette.laneFill(kind), "");
        box.cls = fmt::format("transfer {}", kindName(transfer.op.kind));
        box.op = toString(transfer.op);
        if (area.width >= kThinnestEdged && !transfer.isCut) {
            box.stroke = edgeWidth();
            box.strokeColour = edge(box.fill);
        }
    }
    void addMicroBatch(const FigureOp& op, const Rect& area, const Box& box, bool isHatched)
    {
        const std::string number = numberOf(op.op);
        const double size = m_digitSize, needed = width(number, size);
        const Colour ink = m_palette.inkOf(op.op, box.fill);
        if (!m_isNumbered || number.empty() || needed + 2 * kDigitMargin > area.width)
            return;
        if (isHatched)
            addPlate(area, needed, size, box.fill);
        const double under = writeIn(area, number, size, "micro-batch").baseline + 0.16 * size;
        std::get<Text>(m_scene.groups.back().shapes.back()).colour = ink;
        const double middle = area.x + area.width / 2;
        if (box.cut > 0)
            rule({middle - needed / 2, under, middle + needed / 2, under}, 0.07 * size, "up-mark")
                .colour
                = ink;
    }
    // Adds a plain background in the middle of `area`, so that a text of the given width is legible
    // over a hatch.
    void addPlate(const Rect& area, double width, double size, Colour colour)
    {
        fill({area.x + area.width / 2 - width / 2 - 0.1 * size,
              area.y + area.height / 2 - 0.6 * size, width + 0.2 * size, 1.2 * size},
             colour, "plate");
    }
    Text& writeIn(const Rect& area, std::string text, double size, const char* cls)
    {
        Text& written = write(area.x + area.width / 2, baseline(area.y + area.height / 2, size),
                              std::move(text), cls, Text::Anchor::Middle);
        written.size = size;
        return written;
    }
    // Draws the memory of one device during the iteration below its row: resident memory in grey,
    // the stash above it in the colour of stashes, and the peak as a number at the right.
    void addMemoryStrip(const FigureRun& run, DeviceId device, const FigureScale& scale)
    {
        const double height = memoryHeight(), bottom = m_y + 1 + height;
        const double bytes = height / static_cast<double>(m_highestPeak);
        const auto steps = memoryLevels(run, device);
        // The area between two step functions over time, which return bytes.
        const auto area = [&](auto lower, auto upper, Colour colour, const char* cls) {
            Polygon polygon{{}, colour, cls};
            const auto addSteps = [&](auto level) {
                for (std::size_t s = 0; s < steps.size(); ++s) {
                    const std::int64_t until
                        = s + 1 < steps.size() ? steps[s + 1].time : run.window.end;
                    const double y = bottom - std::invoke(level, steps[s]) * bytes;
                    polygon.points.emplace_back(scale.x(steps[s].time), y);
                    polygon.points.emplace_back(scale.x(until), y);
                }
            };
            addSteps(upper);
            const auto half = static_cast<std::ptrdiff_t>(polygon.points.size());
            addSteps(lower);
            std::reverse(polygon.points.begin() + half, polygon.points.end());
            add(std::move(polygon));
        };
        area([](const MemoryLevel&) { return std::int64_t{0}; }, &MemoryLevel::resident,
             m_palette.optimizerState, "memory resident");
        area(&MemoryLevel::resident, &MemoryLevel::total, m_palette.stash, "memory stash");
        write(m_options.width, baseline(m_y + 1 + height / 2, m_size), peakText(run, device),
              "memory-peak", Text::Anchor::End);
        m_y += 1 + height + 0.3 * m_size;
    }

    std::string axisText() const
    {
        std::string text = fmt::format("time in {}", m_unit.name);
        if (!m_isSchematic && !modesDiffer())
            text += fmt::format(", {}", modeAdjective(m_runs[0].run->info.mode));
        if (m_sharesAreEqual && !hasHeadings()) // headings already state the share
            text += fmt::format(", bubble {}", m_runs[0].rows[0].bubbleShare);
        return text;
    }
    // Adds axis and legend. The title of the axis is beside its numbers or, if it is too long,
    // below them.
    void addFoot()
    {
        double bottom = m_y;
        if (m_options.timeAxis) {
            const std::string title = axisText();
            const double needed = width(title), axis = m_y + 0.55 * m_size;
            addAxis(axis);
            bottom = axis + axisHeight();
            const bool isBeside = axisRight() + m_size <= m_options.width - needed;
            const double middle = m_plotLeft + m_length * m_pointsPerUnit / 2;
            bottom += isBeside ? 0 : 1.5 * m_size;
            begin("time-unit");
            write(isBeside ? m_options.width : std::min(middle + needed / 2, m_options.width),
                  bottom, title, "time-unit", Text::Anchor::End);
        }
        if (m_options.legend)
            bottom = addLegend(bottom + 0.75 * m_size);
        m_scene.height = bottom + m_font.regular.descent(m_size) + kEdge;
    }
    Ticks axisTicks() const
    {
        const double end = m_axisBegin + m_length;
        return ticks(m_axisBegin, end,
                     (width(fmt::format("{:.0f}", end)) + 2 * m_size) / m_pointsPerUnit);
    }
    double xOf(double value) const { return m_plotLeft + (value - m_axisBegin) * m_pointsPerUnit; }
    double tickLength() const { return 0.3 * m_size; }
    double axisHeight() const { return tickLength() + 0.4 * m_size + capHeight(); }
    // right end of the last number
    double axisRight() const
    {
        const Ticks places = axisTicks();
        return places.major.empty() ? m_plotLeft
                                    : xOf(places.major.back())
                + width(fmt::format("{:.{}f}", places.major.back(), places.decimals)) / 2;
    }
    void addAxis(double y)
    {
        begin("time-axis");
        rule({m_plotLeft, y, m_plotLeft + m_length * m_pointsPerUnit, y}, 0.5, "axis");
        const Ticks places = axisTicks();
        for (const double value : places.major) {
            const double x = xOf(value);
            rule({x, y, x, y + tickLength()}, 0.5, "tick");
            write(x, y + axisHeight(), fmt::format("{:.{}f}", value, places.decimals), "tick-label",
                  Text::Anchor::Middle);
        }
    }

    // Legend entries with their texts and positions.
    struct Arranged
    {
        std::vector<std::string> texts;
        std::vector<LegendPosition> places;
        int lines = 0;
    };
    // One entry for each look that boxes of the figure have.
    std::vector<LegendEntry> legend() const
    {
        LegendContent found;
        found.by = m_options.colourBy;
        double longest = 0;
        for (const FigureRun& run : m_runs) {
            longest = std::max(longest, run.units(run.longestOp));
            const double pointsPerTick = scaleOf(run).pointsPerTick;
            const auto isSeen = [pointsPerTick](Window window) {
                return window.duration() * pointsPerTick >= kThinnestSeen;
            };
            for (const FigureRow& row : run.rows) {
                found.hasBubble
                    = found.hasBubble || std::ranges::any_of(row.bubbles, isSeen, &Bubble::window);
                found.hasExposed = found.hasExposed || std::ranges::any_of(row.exposed, isSeen);
                for (const FigureOp& op : row.ops) {
                    found.chunks[op.op.kind].insert(op.chunk);
                    found.isUp = found.isUp || op.op.replica > 0;
                    found.groups
                        = std::max(found.groups, 1 + colourGroup(op.op, op.chunk, found.by));
                }
            }
        }
        const TimeUnit unit = m_isSchematic ? m_unit : timeUnit(longest);
        found.longest = fmt::format("{} {}", trimmedNumber(longest / unit.units, 2), unit.name);
        found.isUp = found.isUp && m_options.directionMark;
        found.hasBubble = found.hasBubble && m_options.bubbles != BubbleStyle::Blank;
        std::vector<LegendEntry> entries = legendEntries(found, m_palette);
        using enum Track::Kind;
        for (const auto& [lane, text, shortText] :
             {std::tuple(Send, "messages sent", "sent"),
              std::tuple(Receive, "messages received", "received"),
              std::tuple(AllReduce, "all-reduces", "all-reduces"),
              std::tuple(Copy, "copies", "copies")})
            if (std::ranges::find(m_lanes, lane) != m_lanes.end())
                entries.push_back(
                    {LegendEntry::Look::Fills, {m_palette.laneFill(lane)}, text, shortText});
        if (m_options.memory) {
            entries.push_back({LegendEntry::Look::Fills, {m_palette.stash}, "stash", "stash"});
            entries.push_back({LegendEntry::Look::Fills,
                               {m_palette.optimizerState},
                               "other memory",
                               "other memory"});
        }
        return entries;
    }
    Arranged arranged(const std::vector<LegendEntry>& entries, std::string LegendEntry::*text) const
    {
        Arranged all;
        std::vector<double> widths;
        for (const LegendEntry& entry : entries) {
            all.texts.push_back(entry.*text);
            widths.push_back(static_cast<double>(entry.fills.size()) * swatch().width + 0.4 * m_size
                             + width(entry.*text));
        }
        all.places = legendPositions(widths, 1.3 * m_size, m_options.width - m_plotLeft);
        all.lines = entries.empty() ? 0 : all.places.back().line;
        return all;
    }
    // Adds the legend, with the short texts if they need fewer lines. Returns the baseline of its
    // last line.
    double addLegend(double top)
    {
        const std::vector<LegendEntry> entries = legend();
        Arranged all = arranged(entries, &LegendEntry::text);
        if (Arranged shorter = arranged(entries, &LegendEntry::shortText);
            shorter.lines < all.lines)
            all = std::move(shorter);
        const auto topOf = [&](int line) { return top + 1.7 * m_size * line; };
        const auto baselineOf
            = [&](int line) { return baseline(topOf(line) + swatch().height / 2, m_size); };
        begin("legend");
        for (std::size_t e = 0; e < entries.size(); ++e) {
            const auto [line, left] = all.places[e];
            Rect place = swatch();
            place.x = m_plotLeft + left;
            place.y = topOf(line);
            for (std::size_t f = 0; f < entries[e].fills.size(); ++f) {
                addSwatch(entries[e], f, place);
                place.x += place.width;
            }
            write(place.x + 0.4 * m_size, baselineOf(line), all.texts[e], "legend-text");
        }
        return baselineOf(all.lines);
    }
    void addSwatch(const LegendEntry& entry, std::size_t of, const Rect& rect)
    {
        if (entry.look == LegendEntry::Look::Bubble)
            return hatchBubble(rect);
        const bool isUp = entry.look == LegendEntry::Look::Up;
        Box& box = fill(rect, isUp ? m_palette.gradients : entry.fills[of], "swatch");
        box.stroke = edgeWidth();
        box.strokeColour = edge(box.fill);
        box.cut = isUp ? 0.4 * rect.height : 0;
        if (of < entry.hatches.size() && entry.hatches[of].density > 0)
            hatchOver(Box(box), entry.hatches[of]);
    }
    Rect swatch() const { return {0, 0, 1.25 * m_size, 0.95 * m_size}; }

    const std::vector<FigureRun>& m_runs;
    const FigureOptions& m_options;
    Palette m_palette;
    FontFace m_font;
    double m_size, m_digitSize = 0; // of labels, and of micro-batch numbers
    bool m_isNumbered = false;      // whether the boxes of the row have their numbers
    // Whether the figure is a schematic, for runs in abstract units: edges in ink, no gaps between
    // rows.
    bool m_isSchematic;
    // Whether all rows of a run have the same share of bubbles, which is then printed once.
    bool m_sharesAreEqual = false;
    std::string m_columnTitle; // of the numbers at the right; "": none
    double m_plotLeft = 0;     // of the longest iteration
    // The lanes below each row. All rows have the same lanes, also without a span.
    std::vector<Track::Kind> m_lanes;
    TimeUnit m_unit;
    double m_pointsPerUnit = 1, m_length = 0;
    double m_axisBegin = 0; // time at m_plotLeft, in m_unit
    Scene m_scene;
    double m_y = 0;
    std::vector<RunBlock> m_blocks;
    std::int64_t m_highestPeak = 1; // in bytes; the scale of all memory strips
};

Result<void> checkOptions(std::span<const Run* const> runs, const FigureOptions& options)
{
    if (runs.empty())
        return invalid("a figure needs at least one run");
    if (!(options.fontSize >= kSmallestType && options.fontSize <= 72))
        return invalid("a font size of {} pt cannot be printed; use {} to 72 pt",
                       trimmedNumber(options.fontSize, 1), kSmallestType);
    if (!(options.width >= kPointsPerInch && options.width <= 100 * kPointsPerInch))
        return invalid("a width of {} inches cannot be printed; use a width from 1 to 100 inches",
                       trimmedNumber(options.width / kPointsPerInch, 2));
    if (!(options.height >= 0 && options.height <= 100 * kPointsPerInch))
        return invalid(
            "a height of {} inches cannot be printed; use a height of at most 100 inches",
            trimmedNumber(options.height / kPointsPerInch, 2));
    for (const auto* run : runs)
        if (options.memory && run->timeline.memory.empty())
            return invalid("{} has no recorded memory; remove the memory strip", runTitle(*run));
    for (const auto* run : runs)
        if (run->info.inUnits() != runs[0]->info.inUnits())
            return invalid("{} is in abstract units but {} is not, so they cannot "
                           "share an axis; draw both with --times schematic",
                           runTitle(run->info.inUnits() ? *run : *runs[0]),
                           runTitle(run->info.inUnits() ? *runs[0] : *run));
    return {};
}

Result<Scene> layoutOnce(const std::vector<FigureRun>& contents, const FigureOptions& options,
                         FigureLayout::Notes notes)
{
    auto palette = TRY(loadPalette(options.palette, ThemeMode::Light));
    std::string family = options.font;
    if (family.empty()) {
        const auto installed = installedFonts();
        family = installed.empty() ? "Roboto" : installed.front();
    }
    auto font = TRY(loadFont(family));
    return FigureLayout(contents, options, std::move(palette), std::move(font)).layout(notes);
}

// Reduces the font size until the figure fits in options.height.
Result<Scene> fitted(const std::vector<FigureRun>& contents, FigureOptions options,
                     FigureLayout::Notes notes)
{
    constexpr int kMostRounds = 10;
    auto scene = layoutOnce(contents, options, notes);
    for (int round = 0; scene && scene->height > options.height && round < kMostRounds; ++round) {
        options.fontSize
            = std::max(kSmallestType, 0.99 * options.fontSize * options.height / scene->height);
        scene = layoutOnce(contents, options, notes);
    }
    return scene;
}

// The changes of the iterations from that of the first run, as a comparison states them. It has
// none if the runs process different numbers of tokens.
void addChanges(std::span<const Run* const> runs, const FigureOptions& options,
                std::vector<FigureRun>& contents)
{
    if (runs.size() < 2 || options.iteration >= 0)
        return;
    const auto comparison = compare({runs.begin(), runs.end()});
    for (std::size_t r = 1; comparison && !comparison->isPerToken && r < runs.size(); ++r)
        contents[r].change = comparison->change("iteration", r);
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

Result<FigurePreset> findFigurePreset(std::string_view name)
{
    const auto* found = std::ranges::find(kPresets, name, &FigurePreset::name);
    if (found != std::end(kPresets))
        return *found;
    std::vector<std::string_view> names;
    for (const auto& preset : kPresets)
        names.push_back(preset.name);
    return fail(Error::Code::NotFound, "unknown preset '{}'; {}", name, didYouMean(name, names));
}

Result<Scene> layoutFigure(std::span<const Run* const> runs, const FigureOptions& options,
                           std::span<const std::vector<Note>> notes)
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
    addChanges(runs, options, contents);
    FigureOptions inner = options;
    inner.width -= 2 * options.margin;
    inner.height = options.height > 0 ? options.height - 2 * options.margin : 0;
    auto scene = TRY(inner.height > 0 ? fitted(contents, inner, notes)
                                      : layoutOnce(contents, inner, notes));
    return onPage(std::move(scene), options.margin, options.height);
}

} // namespace profiler
