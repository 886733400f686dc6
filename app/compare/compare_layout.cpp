#include "app/compare/compare_layout.h"

#include "app/timeline/view/translate.h"
#include "app/ui/table_model.h"
#include "app/ui/text.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace app {
namespace {

constexpr double kLargest = 56, kUsual = 23;
constexpr double kSmaller[] = {17, 11, 7};
constexpr double kLegible = 11;      // least lane height of tall rows, so ops stay visible
constexpr std::size_t kTallRuns = 4; // more runs are compact
constexpr double kPadding = 8;       // below the devices of an expanded compact row

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
    double pitch = kLargest;
    while (pitch > kUsual && heightWith(layout, pitch) > available)
        --pitch;
    for (const double smaller : kSmaller)
        pitch = heightWith(layout, pitch) > available ? smaller : pitch;
    return pitch;
}

void place(CompareLayout& layout, double available)
{
    const double tallPitch = layout.isCompact ? 0 : choosePitch(layout, available);
    const double room = (available - headsHeight(layout)) / static_cast<double>(layout.rows.size());
    layout.lane = std::clamp(std::floor(room) - CompareLayout::kBelowLane,
                             CompareLayout::kLeastLane, CompareLayout::kMostLane);
    double top = 0;
    int group = 0;
    for (CompareRow& row : layout.rows) {
        if (std::exchange(group, row.group) != row.group) {
            CompareGroup& head = layout.groups[static_cast<std::size_t>(group)];
            head.headTop = top;
            top += head.headHeight();
        }
        const int devices = row.view->devices();
        row.top = top;
        row.isExpanded = row.isExpanded || !layout.isCompact;
        row.pitch = !layout.isCompact ? tallPitch
            : devices <= 8            ? kUsual
            : devices <= 16           ? kSmaller[0]
                                      : kLegible;
        row.lanesTop = top + (layout.isCompact ? layout.rowHeight() : CompareLayout::kTitle);
        row.height = !layout.isCompact
            ? tallHeight(row, row.pitch)
            : layout.rowHeight() + (row.isExpanded ? devices * row.pitch + kPadding : 0);
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
    double least = 0,
           most = 0; // bounds of the result: the baseline, the largest end of an interval
    for (const CompareRow& row : rows) {
        if (row.view->run().info.inUnits() != isInUnits || row.iteration < 0)
            continue;
        durations.push_back(row.duration());
        most = std::max({most, row.duration(), row.most / row.ticksPerUnit()});
        if (row.run == baseline)
            least = kAfterBaseline * row.duration();
    }
    if (most <= 0)
        return 1;
    if (!layout.isCompact)
        return most;
    std::ranges::sort(durations);
    return std::min(most, std::max(least, kMuchLonger * durations[durations.size() / 2]));
}

// Sorts the rows into groups, that of the baseline first.
void addGroups(CompareLayout& layout, std::vector<CompareRow> rows, const engine::RunInfo& base,
               std::size_t baseline)
{
    const auto key = [&](const CompareRow& row) {
        const engine::Run& run = row.view->run();
        const bool isOtherUnit = run.info.inUnits() != base.inUnits();
        if (!layout.isCompact)
            return std::tuple(isOtherUnit, false, base.mode, false);
        return std::tuple(isOtherUnit, run.info.mode != base.mode, run.info.mode,
                          run.schedule.shape.windows > 1);
    };
    std::ranges::stable_sort(rows, {}, key);
    for (CompareRow& row : rows) {
        if (layout.rows.empty() || key(row) != key(layout.rows.back())) {
            const bool isInUnits = row.view->run().info.inUnits();
            const auto& [unit, mode, itsMode, haveOlderWeights] = key(row);
            const bool hasRuler
                = layout.groups.empty() || layout.groups.back().isInUnits != isInUnits;
            layout.groups.push_back({isInUnits, itsMode, haveOlderWeights,
                                     rulerLength(layout, rows, isInUnits, baseline), 0, hasRuler});
        }
        row.group = static_cast<int>(layout.groups.size()) - 1;
        layout.rows.push_back(row);
    }
}

// Sets the origin of every row: its tick at 0 of the ruler.
void alignRows(CompareLayout& layout)
{
    for (CompareRow& row : layout.rows) {
        if (row.iteration < 0)
            continue;
        const engine::Window window = row.window();
        row.origin = layout.align == CompareAlign::Start ? static_cast<double>(window.begin)
            : layout.align == CompareAlign::End
            ? static_cast<double>(window.end) - layout.longest(row) * row.ticksPerUnit()
            : firstForward(*row.view, row.iteration, window);
    }
}

// Adds what is known once the numbers are: the intervals, and the tokens by which times are
// divided.
void addNumbers(CompareRow& row, const CompareNumbers& numbers)
{
    const profiler::Comparison& all = numbers.comparison;
    const profiler::ComparedRun& run = all.runs[row.run];
    if (all.isPerToken)
        row.tokens = static_cast<double>(run.tokensPerIteration) / 1000;
    const profiler::Amount* time = run.amount("iteration");
    if (time == nullptr || time->spread != profiler::Spread::Interval
        || !numbers.isInUnitOfBaseline(row.run))
        return;
    const double ticks = row.ticksPerUnit() / static_cast<double>(all.base().ticksPerUnit);
    row.least = time->least * ticks;
    row.most = time->most * ticks;
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

QRectF CompareRow::memoryArea(const QRectF& column) const
{
    constexpr double kSide = 16, kAbove = 10, kBelow = 8, kLowest = 14, kHighest = 77;
    const int lines = 2 + (showsDifference() ? 1 + (most > 0 ? 1 : 0) : 0);
    const double above = kFirstLine + kLine * lines + kAbove;
    const double room = std::min(kHighest, height - above - kBelow);
    if (room < kLowest)
        return {};
    return {column.left() + kSide, column.top() + above, column.width() - 2 * kSide, room};
}

QRectF CompareRow::memorySlot(const QRectF& area, int device) const
{
    constexpr double kMost = 24;
    const double slot = std::min(kMost, area.width() / std::max(1, view->devices()));
    const double left = std::round(area.left() + slot * device);
    const double right = std::round(area.left() + slot * (device + 1));
    return {left, area.top(), right - left, area.height()};
}

namespace {

Scale perTokens(const CompareRow& row, double longest)
{
    const Scale scale
        = timeScale(row.view->run().info, static_cast<std::int64_t>(longest / row.tokens));
    return row.tokens == 1 ? scale
                           : Scale(scale.perUnit() * row.tokens, scale.decimals(), scale.unit());
}

} // namespace

Scale CompareLayout::time(const CompareRow& row) const
{
    return perTokens(row, longest(row) * row.ticksPerUnit());
}

RulerScale CompareLayout::ruler(const CompareRow& row, const TimeAxis& axis) const
{
    const double origin
        = align == CompareAlign::End ? static_cast<double>(row.window().end) : row.origin;
    RulerScale scale
        = rulerFrom(origin, axis, [&row](double reach) { return perTokens(row, reach); });
    scale.title = (row.tokens == 1 ? tr("%1, same scale") : tr("%1 per 1000 tokens"))
                      .arg(scale.unit.unit());
    return scale;
}

bool CompareLayout::hasRoomForDevices() const
{
    return std::ranges::all_of(
        rows, [this](const CompareRow& row) { return row.view->devices() * kLeastDevice <= lane; });
}

const CompareRow* CompareLayout::rowOf(std::size_t run) const
{
    const auto found = std::ranges::find(rows, run, &CompareRow::run);
    return found == rows.end() ? nullptr : &*found;
}

double greatestHeight(const CompareLayout& layout)
{
    if (!layout.isCompact)
        return heightWith(layout, kLargest);
    const double grown = CompareLayout::kMostLane - layout.lane; // of each row
    return layout.height + grown * static_cast<double>(layout.rows.size());
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
    const std::vector<std::string> labels = profiler::distinctLabels(compared);
    std::vector<CompareRow> rows;
    for (const std::size_t run : arrangement.order) {
        const auto index = static_cast<qsizetype>(run);
        const RunView* view = runs[run].get();
        const bool isDoubled = labels[run] != view->run().info.label;
        CompareRow& row = rows.emplace_back();
        row.run = run;
        row.view = view;
        row.name = fromUtf8(labels[run]);
        if (isDoubled)
            row.name = arrangement.names.titles.value(index, row.name);
        row.file = arrangement.names.files.value(index);
        row.iteration = engine::reportedIteration(view->timeline());
        row.isExpanded = arrangement.expanded.contains(run);
        if (const auto peak = arrangement.predictedPeaks.find(run);
            peak != arrangement.predictedPeaks.end())
            row.predictedPeak = peak->second;
        if (arrangement.numbers)
            addNumbers(row, *arrangement.numbers);
    }
    const engine::RunInfo& baseline
        = runs[std::min(arrangement.baseline, runs.size() - 1)]->run().info;
    addGroups(layout, rows, baseline, arrangement.baseline);
    if (runs.size() > kTallRuns || (runs.size() > 2 && heightWith(layout, kLegible) > available)) {
        layout.isCompact = true;
        layout.rows.clear();
        layout.groups.clear();
        addGroups(layout, rows, baseline, arrangement.baseline);
    }
    alignRows(layout);
    place(layout, available);
    return layout;
}

TimeAxis compareAxis(const CompareLayout& layout, const CompareRow& row, ViewWindow window,
                     const QRectF& area, double dpr)
{
    const double ticks = layout.longest(row) * row.ticksPerUnit() / kCompareWhole;
    return {row.origin + window.begin * ticks, row.origin + window.end * ticks, area.left(),
            area.width(), dpr};
}

double compareEnd(const CompareLayout& layout)
{
    double end = 1;
    for (const CompareRow& row : layout.rows)
        end = std::max(end, row.duration() / layout.longest(row));
    return end * kCompareWhole;
}

namespace {

using profiler::ComparedRun;
using Shows = CompareColumn::Shows;

constexpr double kLeastTime = 320, kRightEdge = 14;

const std::vector<CompareColumn>& offeredColumns()
{
    using profiler::RankBy;
    static const std::vector<CompareColumn> kColumns{
        {"iteration", Shows::Value, RankBy::Iteration, 104, 5},
        {"iteration", Shows::Difference, RankBy::Iteration, 92, 4},
        {"iteration", Shows::Percent, RankBy::Iteration, 104, 1},
        {"bubble_ratio", Shows::Value, RankBy::Bubble, 78, 2},
        {"peak_bytes", Shows::Value, RankBy::Peak, 138, 3},
        {"p2p_messages", Shows::Value, RankBy::Messages, 82, 0}};
    return kColumns;
}

CompareCell unknownCell()
{
    return {kNoValue, {}, Verdict::Neutral, true};
}

QString columnTitle(const CompareNumbers& numbers, const CompareColumn& of)
{
    const bool isPeak = of.ranksBy == profiler::RankBy::Peak,
               isStash = isPeak && !numbers.hasBytes();
    const profiler::MeasureInfo& measure = comparedMeasure(isStash ? "peak_stash" : of.key);
    if (of.shows == Shows::Percent)
        return tr("Diff., %");
    const QString name = of.shows == Shows::Difference ? tr("Diff.")
        : isPeak                                       ? (isStash ? tr("Stash") : tr("Peak"))
                                                       : fromUtf8(measure.title);
    return withUnit(name, numbers.scale(measure).unit());
}

CompareCell differenceCell(const CompareNumbers& numbers, const CompareRow& row,
                           const CompareColumn& column)
{
    constexpr double kHuge = 100; // times the baseline
    if (row.run == numbers.comparison.baseline)
        return {column.shows == Shows::Difference ? tr("baseline") : QString(),
                {},
                Verdict::Neutral,
                true};
    const profiler::MeasureInfo& measure = comparedMeasure(column.key);
    const auto change = numbers.comparison.change(column.key, row.run);
    if (!change || change->from == 0)
        return unknownCell();
    CompareCell cell;
    cell.verdict = numbers.colour(measure, row.run);
    cell.isHint = cell.verdict == Verdict::Neutral;
    const bool hasInterval = change->by.spread == profiler::Spread::Interval;
    if (column.shows == Shows::Difference) {
        if (change->share() <= kHuge)
            cell.text = numbers.scale(measure).difference(change->by.value);
        cell.below = hasInterval ? numbers.spreadText(measure, *change) : QString();
        return cell;
    }
    const auto part = [&](double by) { return signedNumber(100 * by / change->from, 1); };
    cell.text = change->share() > kHuge ? tr("> 10 000") : part(change->by.value);
    if (hasInterval)
        cell.below = tr("%1 to %2").arg(part(change->by.least), part(change->by.most));
    return cell;
}

CompareCell peakCell(const CompareNumbers& numbers, const std::optional<std::int64_t>& bytes,
                     const std::optional<double>& stash)
{
    if (!bytes && !stash)
        return unknownCell();
    CompareCell cell;
    cell.text = bytes ? numbers.bytes().text(static_cast<double>(*bytes)) : number(*stash, 1);
    cell.share = bytes ? static_cast<double>(*bytes) / numbers.largestBytes()
                       : *stash / numbers.largestStash();
    if (!bytes && numbers.hasBytes()) // the column is in bytes
        cell.text += QString::fromUtf8(" Mₐ");
    return cell;
}

// A value in its own unit if the run has another unit than the baseline.
CompareCell valueCell(const CompareNumbers& numbers, const CompareRow& row, const char* key)
{
    const profiler::Amount* amount = numbers.comparison.runs[row.run].amount(key);
    if (amount == nullptr)
        return unknownCell();
    const profiler::MeasureInfo& measure = comparedMeasure(key);
    if (measure.unit == profiler::Unit::Time && !numbers.isInUnitOfBaseline(row.run))
        return {numbers.inOwnUnit(row.run, *amount), {}};
    const Scale scale = numbers.scale(measure);
    CompareCell cell{scale.text(amount->value), {}};
    if (measure.unit == profiler::Unit::Time && amount->spread == profiler::Spread::Interval)
        cell.below = tr("%1 to %2").arg(scale.text(amount->least), scale.text(amount->most));
    return cell;
}

} // namespace

std::vector<CompareColumn> layoutColumns(const CompareNumbers& numbers, double headers,
                                         double width)
{
    double needed = kRightEdge;
    for (const CompareColumn& one : offeredColumns())
        needed += one.width;
    int least = 0; // least importance of the columns that fit
    for (; headers + kLeastTime + needed > width && least < 5; ++least)
        for (const CompareColumn& one : offeredColumns())
            needed -= one.importance == least ? one.width : 0;
    std::vector<CompareColumn> columns;
    double left = width - needed;
    for (const CompareColumn& one : offeredColumns()) {
        if (one.importance < least)
            continue;
        columns.push_back(one);
        columns.back().title = columnTitle(numbers, one);
        columns.back().left = left;
        left += one.width;
    }
    return columns;
}

CompareCell compareCell(const CompareNumbers& numbers, const CompareRow& row,
                        const CompareColumn& column)
{
    const ComparedRun& run = numbers.comparison.runs[row.run];
    if (column.shows != Shows::Value)
        return differenceCell(numbers, row, column);
    if (column.ranksBy == profiler::RankBy::Peak)
        return peakCell(numbers, run.peakBytes, run.peakStash);
    return valueCell(numbers, row, column.key);
}

CompareCell compareCell(const CompareNumbers& numbers, const CompareRow& row,
                        engine::DeviceId device, const CompareColumn& column)
{
    const ComparedRun& run = numbers.comparison.runs[row.run];
    const bool isBubble = column.ranksBy == profiler::RankBy::Bubble;
    if (!run.metrics.devices.has(device) || (!isBubble && column.ranksBy != profiler::RankBy::Peak))
        return {};
    const profiler::DeviceMetrics& own = run.metrics.devices[device];
    if (!isBubble)
        return peakCell(numbers, own.peakBytes,
                        run.peakStash ? std::optional(own.peakStash) : std::nullopt);
    const auto share = deviceBubble(*numbers.runs[row.run], run.metrics, own);
    return share ? CompareCell{number(100 * *share, 1), {}} : unknownCell();
}

} // namespace app
