#include "app/compare/compare_layout.h"

#include "app/compare/compare_painter.h"
#include "app/timeline/view/translate.h"
#include "profiler/analysis/compare.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr double kLargest = 56, kUsual = 23;
constexpr double kSmaller[] = {17, 11, 7};
constexpr double kLegible = 11;      // least lane height of tall rows, so ops stay visible
constexpr std::size_t kTallRuns = 4; // more runs are compact
constexpr double kBelowLane = 4, kPadding = 8; // spacing in an expanded compact row

double tallHeight(const CompareRow& row, double pitch)
{
    return std::max(CompareLayout::kLeast,
                    CompareLayout::kTitle + row.view->devices() * pitch + CompareLayout::kPad);
}

double headsHeight(const CompareLayout& layout)
{
    double height = 0;
    for (std::size_t k = 1; k < layout.groups.size(); ++k)
        height += layout.groups[k].headHeight();
    return height;
}

double heightWith(const CompareLayout& layout, double pitch)
{
    double height = headsHeight(layout);
    for (const auto& row : layout.rows)
        height += tallHeight(row, pitch);
    return height;
}

double choosePitch(const CompareLayout& layout, double available)
{
    for (double pitch = kLargest; pitch >= kUsual; --pitch) {
        if (heightWith(layout, pitch) <= available)
            return pitch;
    }
    for (const double pitch : kSmaller) {
        if (heightWith(layout, pitch) <= available)
            return pitch;
    }
    return kSmaller[std::size(kSmaller) - 1];
}

double compactPitch(const CompareRow& row)
{
    return row.view->devices() <= 8 ? kUsual : row.view->devices() <= 16 ? kSmaller[0] : kLegible;
}

void placeCompact(CompareRow& row)
{
    row.pitch = compactPitch(row);
    row.lanesTop = row.top + CompareLayout::kLane + kBelowLane;
    row.height = CompareLayout::kLane
        + (row.isExpanded ? kBelowLane + row.view->devices() * row.pitch + kPadding : 0);
}

void placeTall(CompareRow& row, double pitch)
{
    row.pitch = pitch;
    row.isExpanded = true;
    row.lanesTop = row.top + CompareLayout::kTitle;
    row.height = tallHeight(row, pitch);
}

void place(CompareLayout& layout, double available)
{
    const double pitch = layout.isCompact() ? 0 : choosePitch(layout, available);
    double top = 0;
    int group = 0;
    for (auto& row : layout.rows) {
        if (row.group != group) {
            group = row.group;
            auto& head = layout.groups[static_cast<std::size_t>(group)];
            head.headTop = top;
            top += head.headHeight();
        }
        row.top = top;
        if (layout.isCompact())
            placeCompact(row);
        else
            placeTall(row, pitch);
        top += row.height;
    }
    layout.height = top;
}

// The start of the first forward of an iteration, or of the iteration if it has none.
double firstForward(const RunView& view, int iteration, engine::Window window)
{
    std::int64_t first = window.end;
    for (engine::DeviceId d{0}; d.value < view.devices(); ++d.value) {
        for (const auto& span : view.spansAround(d, engine::Track::Kind::Compute, window)) {
            if (static_cast<int>(span.iteration) != iteration
                || view.op(span.op).kind != engine::OpKind::Forward)
                continue;
            first = std::min(first, span.begin);
            break;
        }
    }
    return static_cast<double>(first == window.end ? window.begin : first);
}

// The duration that a ruler shows. There is one ruler for runs in cost units (isInUnits) and one
// for runs in ns.
double rulerLength(const CompareLayout& layout, const std::vector<CompareRow>& rows, bool isInUnits,
                   std::size_t baseline)
{
    constexpr double kMuchLonger = 1.35, kAfterBaseline = 1.06;
    std::vector<double> durations;
    double least = 0; // lower bound of the result
    for (const CompareRow& row : rows) {
        if (row.view->run().info.inUnits() != isInUnits || row.iteration < 0)
            continue;
        durations.push_back(row.duration());
        if (row.run == baseline)
            least = kAfterBaseline * row.duration();
    }
    if (durations.empty())
        return 1;
    std::ranges::sort(durations);
    const double longest = durations.back() > 0 ? durations.back() : 1;
    if (!layout.isCompact())
        return longest;
    return std::min(longest, std::max(least, kMuchLonger * durations[durations.size() / 2]));
}

// Adds the rows for which `belongs` is true, in order. If there are any, also adds `group`.
template<class Belongs>
void addGroup(CompareLayout& layout, const std::vector<CompareRow>& rows, CompareGroup group,
              Belongs belongs)
{
    const int index = static_cast<int>(layout.groups.size());
    for (const CompareRow& row : rows) {
        if (!belongs(row))
            continue;
        layout.rows.push_back(row);
        layout.rows.back().group = index;
    }
    if (layout.rows.empty() || layout.rows.back().group != index)
        return;
    group.hasRuler = std::ranges::none_of(layout.groups, [&](const CompareGroup& earlier) {
        return earlier.isInUnits == group.isInUnits;
    });
    layout.groups.push_back(group);
}

void addGroups(CompareLayout& layout, const std::vector<CompareRow>& rows,
               const engine::RunInfo& base, std::size_t baseline)
{
    using engine::Mode;
    for (const bool isInUnits : {base.inUnits(), !base.inUnits()}) {
        const double length = rulerLength(layout, rows, isInUnits, baseline);
        if (!layout.isCompact()) {
            addGroup(layout, rows, {isInUnits, base.mode, length}, [&](const CompareRow& row) {
                return row.view->run().info.inUnits() == isInUnits;
            });
            continue;
        }
        std::vector<Mode> modes{Mode::Simulate, Mode::Emulate, Mode::Live, Mode::Imported};
        std::ranges::stable_partition(modes, [&](Mode mode) { return mode == base.mode; });
        for (const Mode mode : modes)
            addGroup(layout, rows, {isInUnits, mode, length}, [&](const CompareRow& row) {
                const engine::RunInfo& info = row.view->run().info;
                return info.inUnits() == isInUnits && info.mode == mode;
            });
    }
}

// Sets the origin of every row: its tick at 0 of the ruler.
void alignRows(CompareLayout& layout)
{
    for (CompareRow& row : layout.rows) {
        if (row.iteration < 0)
            continue;
        const engine::Window window = row.window();
        const double longest = layout.groups[static_cast<std::size_t>(row.group)].longest;
        row.origin = layout.align == CompareAlign::Start ? static_cast<double>(window.begin)
            : layout.align == CompareAlign::End
            ? static_cast<double>(window.end) - longest * row.ticksPerUnit()
            : firstForward(*row.view, row.iteration, window);
    }
}

} // namespace

double CompareGroup::headHeight() const
{
    return hasRuler ? CompareLayout::kRuler : CompareLayout::kHead;
}

engine::Window CompareRow::window() const
{
    if (iteration < 0)
        return {};
    return view->timeline().iterations[static_cast<std::size_t>(iteration)].window;
}

const CompareRow* CompareLayout::rowOf(std::size_t run) const
{
    const auto found = std::ranges::find(rows, run, &CompareRow::run);
    return found == rows.end() ? nullptr : &*found;
}

double greatestHeight(const CompareLayout& layout)
{
    return layout.isCompact() ? layout.height : heightWith(layout, kLargest);
}

CompareLayout layoutComparison(const std::vector<RunViewPointer>& runs,
                               const CompareArrangement& arrangement, double available)
{
    CompareLayout layout;
    if (runs.empty())
        return layout;
    layout.align = arrangement.align;
    std::vector<const engine::Run*> compared;
    for (const RunViewPointer& view : runs)
        compared.push_back(&view->run());
    const std::vector<std::string> names = profiler::distinctLabels(compared);
    std::vector<CompareRow> rows;
    for (const std::size_t run : arrangement.order) {
        const RunView* view = runs[run].get();
        const bool isDoubled = names[run] != view->run().info.label;
        const bool hasTitle = isDoubled && run < arrangement.titles.size();
        rows.push_back({run, view, hasTitle ? arrangement.titles[run] : names[run], 0,
                        engine::reportedIteration(view->timeline())});
        if (run < arrangement.predictedPeaks.size())
            rows.back().predictedPeak = arrangement.predictedPeaks[run];
    }
    const engine::RunInfo& baseline
        = runs[std::min(arrangement.baseline, runs.size() - 1)]->run().info;
    const auto build = [&](CompareStyle style) {
        layout.style = style;
        layout.rows.clear();
        layout.groups.clear();
        addGroups(layout, rows, baseline, arrangement.baseline);
    };
    build(CompareStyle::Tall);
    if (runs.size() > kTallRuns || (runs.size() > 2 && heightWith(layout, kLegible) > available))
        build(CompareStyle::Compact);
    for (CompareRow& row : layout.rows)
        row.isExpanded = row.run < arrangement.expanded.size() && arrangement.expanded[row.run];
    alignRows(layout);
    place(layout, available);
    return layout;
}

TimeAxis compareAxis(const CompareLayout& layout, const CompareRow& row, ViewWindow window,
                     const QRectF& area, double dpr)
{
    const double ticks = layout.groups[static_cast<std::size_t>(row.group)].longest
        * row.ticksPerUnit() / kCompareWhole;
    return {row.origin + window.begin * ticks, row.origin + window.end * ticks, area.left(),
            area.width(), dpr};
}

double compareEnd(const CompareLayout& layout)
{
    double end = 1;
    for (const CompareRow& row : layout.rows)
        end = std::max(end,
                       row.duration() / layout.groups[static_cast<std::size_t>(row.group)].longest);
    return end * kCompareWhole;
}

namespace {

using Kind = CompareColumn::Kind;
using profiler::ComparedRun;

constexpr double kLeastTime = 320, kRightEdge = 14;
constexpr double kColoured = 0.01; // smaller differences from the baseline have no colour

struct Measure
{
    Kind kind;
    double width;
    int importance; // columns of less importance are left out first
};
constexpr Measure kMeasures[]
    = {{Kind::Iteration, 92, 5}, {Kind::Difference, 70, 1}, {Kind::Percent, 66, 4},
       {Kind::Bubble, 74, 2},    {Kind::Peak, 138, 3},      {Kind::Messages, 78, 0}};

Scale timeOf(const CompareLayout& layout)
{
    return compareTime(layout, layout.rows.front());
}

QString titleOf(const CompareNumbers& numbers, const CompareLayout& layout, Kind kind)
{
    switch (kind) {
    case Kind::Iteration:
        return tr("Iteration, %1").arg(timeOf(layout).unit());
    case Kind::Difference:
        return tr("Diff., %1").arg(timeOf(layout).unit());
    case Kind::Percent:
        return tr("Diff., %");
    case Kind::Bubble:
        return tr("Bubble, %");
    case Kind::Peak:
        return numbers.hasBytes() ? tr("Peak, %1").arg(numbers.bytes().unit()) : tr("Stash, Mₐ");
    case Kind::Messages:
        break;
    }
    return tr("Messages");
}

// Returns the difference of the iteration time as a share of the baseline's; nullopt if the run is
// the baseline or has another unit.
std::optional<double> differenceOf(const CompareNumbers& numbers, const CompareRow& row)
{
    const auto& comparison = numbers.comparison;
    const ComparedRun& base = comparison.runs[comparison.baseline];
    const ComparedRun& own = comparison.runs[row.run];
    if (row.run == comparison.baseline || (own.ticksPerUnit == 1) != (base.ticksPerUnit == 1)
        || base.metrics.duration <= 0)
        return {};
    return static_cast<double>(own.metrics.duration) / static_cast<double>(own.ticksPerUnit)
        * static_cast<double>(base.ticksPerUnit) / static_cast<double>(base.metrics.duration)
        - 1;
}

CompareCell differenceCell(const CompareNumbers& numbers, const CompareLayout& layout,
                           const CompareRow& row, Kind kind)
{
    if (row.run == numbers.comparison.baseline)
        return {kind == Kind::Percent ? tr("baseline") : QString(), Verdict::Neutral, true};
    const auto difference = differenceOf(numbers, row);
    if (!difference)
        return {QStringLiteral("–"), Verdict::Neutral, true};
    CompareCell cell;
    cell.verdict = std::abs(*difference) <= kColoured ? Verdict::Neutral
        : *difference < 0                             ? Verdict::Better
                                                      : Verdict::Worse;
    cell.isHint = cell.verdict == Verdict::Neutral;
    constexpr double kHuge = 100; // times the baseline
    if (kind == Kind::Percent) {
        cell.text = *difference > kHuge ? tr("> 10 000") : signedNumber(100 * *difference, 1);
        return cell;
    }
    if (*difference > kHuge)
        return cell; // stays empty; the percentage shows "> 10 000"
    const auto& own = numbers.comparison.runs[row.run];
    const auto ticks = static_cast<double>(own.metrics.duration);
    cell.text = compareTime(layout, row).difference(ticks - ticks / (1 + *difference));
    return cell;
}

QString bubbleText(double share)
{
    return number(100 * share, 1);
}

CompareCell peakCell(const CompareNumbers& numbers, const std::optional<std::int64_t>& bytes,
                     const std::optional<double>& stash)
{
    if (bytes)
        return {numbers.bytes().text(static_cast<double>(*bytes)), Verdict::Neutral, false,
                static_cast<double>(*bytes) / numbers.largestBytes()};
    if (!stash)
        return {QStringLiteral("–"), Verdict::Neutral, true};
    const QString text = number(*stash, 1);
    return {numbers.hasBytes() ? tr("%1 Mₐ").arg(text) : text, Verdict::Neutral, false,
            *stash / numbers.largestStash()};
}

} // namespace

profiler::RankBy CompareColumn::ranksBy() const
{
    switch (kind) {
    case Kind::Bubble:
        return profiler::RankBy::Bubble;
    case Kind::Peak:
        return profiler::RankBy::Peak;
    case Kind::Messages:
        return profiler::RankBy::Messages;
    default:
        return profiler::RankBy::Iteration;
    }
}

std::vector<CompareColumn> layoutColumns(const CompareNumbers& numbers, const CompareLayout& layout,
                                         double headers, double width)
{
    double needed = kRightEdge;
    for (const Measure& one : kMeasures)
        needed += one.width;
    int least = 0; // least importance of the columns that fit
    for (; headers + kLeastTime + needed > width && least < 5; ++least)
        for (const Measure& one : kMeasures)
            needed -= one.importance == least ? one.width : 0;
    std::vector<CompareColumn> columns;
    double left = width - needed;
    for (const Measure& one : kMeasures) {
        if (one.importance < least)
            continue;
        columns.push_back({one.kind, titleOf(numbers, layout, one.kind), left, one.width});
        left += one.width;
    }
    return columns;
}

CompareCell compareCell(const CompareNumbers& numbers, const CompareLayout& layout,
                        const CompareRow& row, CompareColumn::Kind kind)
{
    const ComparedRun& run = numbers.comparison.runs[row.run];
    switch (kind) {
    case Kind::Iteration: {
        const Scale scale = compareTime(layout, row);
        const auto ticks = static_cast<double>(run.metrics.duration);
        return {row.group == 0 || scale.unit() == timeOf(layout).unit() ? scale.text(ticks)
                                                                        : scale.withUnit(ticks)};
    }
    case Kind::Difference:
    case Kind::Percent:
        return differenceCell(numbers, layout, row, kind);
    case Kind::Bubble:
        return {bubbleText(run.metrics.bubbleRatio)};
    case Kind::Peak:
        return peakCell(numbers, run.peakBytes, run.peakStash);
    case Kind::Messages:
        break;
    }
    return {number(run.metrics.messages, 0)};
}

CompareCell compareCell(const CompareNumbers& numbers, const CompareRow& row,
                        engine::DeviceId device, CompareColumn::Kind kind)
{
    const ComparedRun& run = numbers.comparison.runs[row.run];
    if (!run.metrics.devices.has(device) || run.metrics.duration <= 0)
        return {};
    const profiler::DeviceMetrics& own = run.metrics.devices[device];
    CompareCell cell;
    if (kind == Kind::Bubble && !own.isRecorded())
        cell = {QStringLiteral("–"), Verdict::Neutral, true};
    else if (kind == Kind::Bubble)
        cell.text = bubbleText(static_cast<double>(own.bubble)
                               / static_cast<double>(run.metrics.duration));
    if (kind == Kind::Peak)
        cell = peakCell(numbers, own.peakBytes,
                        run.peakStash ? std::optional(own.peakStash) : std::nullopt);
    return cell;
}

} // namespace app
