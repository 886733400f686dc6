#include "app/compare/compare_scene.h"

#include "app/documents/run_document.h"
#include "app/timeline/details/details.h"
#include "app/timeline/view/hit_test.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/navigation.h"
#include "app/ui/table_model.h"
#include "app/ui/text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace app {
namespace {

using profiler::ComparedRun;
using Shows = CompareColumn::Shows;

constexpr double kLargest = 56, kUsual = 23, kLegible = 13, kLeastPitch = 7; // of lanes
constexpr std::size_t kTallRuns = 4; // more runs are compact
constexpr double kPadding = 8;       // below the devices of an expanded compact row
constexpr double kTallHeader = 140, kTallColumn = 128;
constexpr double kCompactHeader = 214, kNarrowHeader = 176, kNarrow = 1000, kLow = 320;
constexpr double kChevronFrom = 36, kChevronTo = 56;

double tallHeight(const CompareLayout& layout, const CompareRow& row, double pitch)
{
    const double lanes = CompareLayout::kTitle + row.view->devices() * pitch + CompareLayout::kPad;
    return layout.hasColumn ? std::max(CompareLayout::kLeast, lanes) : lanes;
}

double headsHeight(const CompareLayout& layout)
{
    double height = 0;
    for (std::size_t k = 1; k < layout.groups.size(); ++k)
        height += layout.groups[k].headHeight();
    return height;
}

// The lanes of the devices of a run, `gap` pixels apart.
std::vector<Lane> deviceLanes(int devices, double top, double pitch, double gap)
{
    std::vector<Lane> lanes;
    for (int d = 0; d < devices; ++d)
        lanes.push_back({.kind = LaneKind::Dense,
                         .top = top + d * pitch - 1, // a dense lane begins above its boxes
                         .height = pitch,
                         .compute = pitch - gap});
    return lanes;
}

void place(CompareLayout& layout, double available, LaneOf shows)
{
    double tallPitch = kLargest;
    while (tallPitch > kLeastPitch && layout.heightWith(tallPitch) > available)
        --tallPitch;
    const double room = (available - headsHeight(layout)) / static_cast<double>(layout.rows.size());
    layout.lane = std::clamp(std::floor(room) - CompareLayout::kBelowLane,
                             CompareLayout::kLeastLane, CompareLayout::kMostLane);
    const bool isFolded = shows == LaneOf::Devices && layout.hasRoomForDevices();
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
        row.pitch = !layout.isCompact ? tallPitch : devices <= 8 ? kUsual : devices <= 16 ? 17 : 11;
        row.lanesTop = top + (layout.isCompact ? layout.rowHeight() : CompareLayout::kTitle);
        row.height = !layout.isCompact
            ? tallHeight(layout, row, row.pitch)
            : layout.rowHeight() + (row.isExpanded ? devices * row.pitch + kPadding : 0);
        if (row.isExpanded)
            row.lanes = deviceLanes(devices, row.lanesTop, row.pitch, 2);
        if (layout.isCompact && isFolded)
            row.folded = deviceLanes(devices, top + CompareLayout::kLaneTop,
                                     std::floor(layout.lane / devices), 1);
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

Scale perTokens(const CompareRow& row, double longest)
{
    const Scale scale
        = timeScale(row.view->run().info, static_cast<std::int64_t>(longest / row.tokens));
    return row.tokens == 1 ? scale
                           : Scale(scale.perUnit() * row.tokens, scale.decimals(), scale.unit());
}

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

double CompareLayout::heightWith(double pitch) const
{
    double sum = headsHeight(*this);
    for (const CompareRow& row : rows)
        sum += isCompact ? kMostLane + kBelowLane : tallHeight(*this, row, pitch);
    return sum;
}

double CompareLayout::greatestHeight() const
{
    if (!isCompact)
        return heightWith(kLargest);
    const double grown = kMostLane - lane; // of each row
    return height + grown * static_cast<double>(rows.size());
}

double CompareLayout::legibleHeight() const
{
    return heightWith(kLegible);
}

CompareLayout layoutComparison(const std::vector<RunViewPointer>& runs,
                               const CompareArrangement& arrangement, double available)
{
    CompareLayout layout;
    if (runs.empty())
        return layout;
    layout.align = arrangement.align;
    layout.hasColumn = arrangement.hasColumn;
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
    if (runs.size() > kTallRuns || (runs.size() > 2 && layout.heightWith(kLegible) > available)) {
        layout.isCompact = true;
        layout.rows.clear();
        layout.groups.clear();
        addGroups(layout, rows, baseline, arrangement.baseline);
    }
    alignRows(layout);
    place(layout, available, arrangement.lane);
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

QString compareSubtitle(const CompareRow& row)
{
    const engine::Run& run = row.view->run();
    QString text = shapeText(run);
    if (run.schedule.shape.chunks() > 1)
        text += QStringLiteral(", v %1").arg(run.schedule.shape.chunks());
    text += QLatin1String(", ") + modeText(run.info);
    const bool isMedian = row.iteration >= 0
        && run.timeline.iterations[static_cast<std::size_t>(row.iteration)].kind
            == engine::Iteration::Kind::Replay;
    return isMedian ? text + tr(", median") : text;
}

// Recorded or predicted bytes, or the peak stash.
QString comparePeak(const CompareRow& row)
{
    double bytes = static_cast<double>(row.predictedPeak), stash = 0;
    for (const auto& device : row.view->metrics(row.iteration)->devices) {
        bytes = std::max(bytes, static_cast<double>(device.peakBytes.value_or(0)));
        stash = std::max(stash, device.peakStash);
    }
    return bytes > 0 ? byteScale(static_cast<std::int64_t>(bytes)).withUnit(bytes)
                     : number(stash, 1) + QString::fromUtf8(" Mₐ");
}

namespace {

// The value of a measure of the reported iteration; nullopt: unknown.
std::optional<double> measured(const CompareRow& row, const char* key)
{
    const profiler::RunMetrics* metrics = row.view->metrics(row.iteration);
    return metrics == nullptr ? std::nullopt
                              : comparedMeasure(key)({row.view->run(), *metrics}).number();
}

} // namespace

std::optional<QString> compareIteration(const CompareLayout& rows, const CompareRow& row)
{
    const auto iteration = measured(row, "iteration");
    return iteration ? std::optional(rows.time(row).text(*iteration)) : std::nullopt;
}

QStringList compareKeyTexts(const CompareRow& row)
{
    QStringList texts;
    if (const auto share = measured(row, "bubble_ratio"))
        texts << tr("bubble %1").arg(percent(*share));
    if (row.view->knowsMemory() && (row.view->hasMemory() || measured(row, "peak_stash")))
        texts << tr("peak %1").arg(comparePeak(row));
    return texts;
}

void CompareScene::setRuns(std::vector<RunViewPointer> views, std::size_t baseline,
                           const RunNames& names)
{
    CompareArrangement now;
    int stays = -1;
    for (std::size_t run = 0; run < views.size(); ++run) {
        const auto before = std::ranges::find(runs, views[run]) - runs.begin();
        if (arrangement.expanded.contains(static_cast<std::size_t>(before)))
            now.expanded.insert(run);
        if (before < std::ssize(runs) && before == current)
            stays = static_cast<int>(run);
    }
    now.baseline = baseline;
    now.align = arrangement.align;
    now.lane = arrangement.lane;
    now.names = names;
    arrangement = std::move(now);
    runs = std::move(views);
    current = stays;
}

void CompareScene::layout(QSizeF of)
{
    size = of;
    const double height = std::max(0.0, size.height() - kRuler - kLegend);
    const bool isNarrow = size.width() < kNarrow;
    arrangement.hasColumn = !isNarrow || size.height() >= kLow;
    const bool hasOrder = !arrangement.order.empty();
    if (!hasOrder) {
        arrangement.order.resize(runs.size());
        std::iota(arrangement.order.begin(), arrangement.order.end(), std::size_t{0});
    }
    rows = layoutComparison(runs, arrangement, height);
    if (!hasOrder && rows.isCompact && numbers()) {
        arrangement.order = numbers()->ranking.order;
        rows = layoutComparison(runs, arrangement, height);
    }
    const double header = !rows.isCompact ? kTallHeader : isNarrow ? kNarrowHeader : kCompactHeader;
    columns.clear();
    if (rows.isCompact && numbers())
        columns = layoutColumns(*numbers(), header, size.width());
    const double right = !columns.empty()   ? columns.front().left
        : rows.isCompact || !rows.hasColumn ? size.width()
                                            : size.width() - kTallColumn;
    area = {header, kRuler, std::max(1.0, right - header), height};
}

const CompareRow* CompareScene::baselineOf(const CompareRow& row) const
{
    const CompareRow* base = baseline();
    if (!base || base == &row || base->iteration < 0 || row.iteration < 0)
        return nullptr;
    const auto isInUnits = [](const CompareRow& one) { return one.view->run().info.inUnits(); };
    return isInUnits(*base) == isInUnits(row) ? base : nullptr;
}

std::optional<profiler::Change> CompareScene::change(const CompareRow& row) const
{
    const CompareRow* base = baselineOf(row);
    if (base == nullptr || !compareIteration(rows, row) || !compareIteration(rows, *base))
        return std::nullopt;
    const auto known
        = numbers() ? numbers()->comparison.change("iteration", row.run) : std::nullopt;
    const double ticks = base->ticksPerUnit();
    return known
        ? known
        : profiler::Change{base->duration() * ticks, {(row.duration() - base->duration()) * ticks}};
}

Verdict CompareScene::verdict(const CompareRow& row) const
{
    return numbers() ? numbers()->colour(comparedMeasure("iteration"), row.run) : Verdict::Neutral;
}

std::vector<CompareScene::TitlePart> CompareScene::title(const CompareRow& row) const
{
    std::vector<TitlePart> parts;
    if (!rows.hasColumn && row.view->metrics(row.iteration) != nullptr) {
        const Scale scale = rows.time(row);
        const auto iteration = compareIteration(rows, row);
        QString amount = iteration ? *iteration + QLatin1Char(' ') + scale.unit() : kNoValue;
        if (iteration && row.most > 0)
            amount += tr(" (%1 to %2)").arg(scale.text(row.least), scale.text(row.most));
        parts.push_back({amount});
        if (const auto by = change(row))
            parts.push_back({signedPercent(by->share()), verdict(row)});
        for (const QString& text : compareKeyTexts(row))
            parts.push_back({text});
    }
    parts.push_back({compareSubtitle(row)});
    return parts;
}

double CompareScene::contentHeight() const
{
    const bool scrolls = rows.height > area.height();
    return rows.height + (rows.isCompact && scrolls ? rows.rowHeight() : 0);
}

ViewWindow CompareScene::fit() const
{
    constexpr double kTieText = 134;
    const double width = area.width();
    const bool hasTies = rows.isCompact && numbers() && !numbers()->ranking.ties.empty();
    const double more = hasTies && width > 3 * kTieText ? width / (width - kTieText) : 1;
    return fitted({0, static_cast<std::int64_t>(kCompareWhole * more)}, fitWidth());
}

bool CompareScene::isBaselinePinned() const
{
    const CompareRow* base = baseline();
    if (!rows.isCompact || !base || rows.height <= area.height())
        return false;
    const double bottom = scroll + area.height();
    return base->top < scroll || base->top + rows.rowHeight() > bottom;
}

ViewWindow CompareScene::shareOf(const CompareRow& row, engine::Window time) const
{
    const TimeAxis axis = axisOf(row);
    const double share = window.duration() / (axis.end - axis.begin);
    const auto at = [&](std::int64_t tick) {
        return window.begin + (static_cast<double>(tick) - axis.begin) * share;
    };
    return {at(time.begin), at(time.end)};
}

const CompareRow* CompareScene::rowAt(QPointF at) const
{
    const double y = at.y() - kRuler + scroll;
    for (const CompareRow& row : rows.rows)
        if (y >= row.top && y < row.top + row.height)
            return &row;
    return nullptr;
}

// The device whose lane, name or memory bar is at a point; y is relative to the rows before
// scrolling.
int CompareScene::deviceAt(const CompareRow& row, QPointF at) const
{
    if (at.y() < row.lanesTop && rows.isCompact)
        return isOnTime(at) ? laneAt(row.folded, at.y()) : -1;
    if (rows.isCompact || at.x() < area.right())
        return laneAt(row.lanes, at.y());
    const QRectF bars = row.memoryArea(columnOf(row));
    for (int d = 0; d < row.view->devices() && !bars.isEmpty(); ++d)
        if (row.memorySlot(bars, d).contains(at))
            return d;
    return -1;
}

// `at` is relative to the rows before scrolling.
Selection CompareScene::hitIn(const CompareRow& row, QPointF at) const
{
    const engine::DeviceId device{deviceAt(row, at)};
    if (device.value < 0 || row.iteration < 0)
        return {};
    if (!isOnTime(at))
        return {.kind = Selection::Kind::Device,
                .iteration = row.iteration,
                .device = device,
                .window = row.window()};
    const auto time = static_cast<std::int64_t>(std::floor(axisOf(row).time(at.x())));
    return row.window().contains(time)
        ? pieceSelection(*row.view, device, pieceAt(*row.view, device, time))
        : Selection{};
}

CompareScene::Mark CompareScene::hit(QPointF at) const
{
    if (at.y() < area.top() || at.y() >= area.bottom())
        return {};
    const bool isPinned = isBaselinePinned() && at.y() >= area.bottom() - rows.rowHeight();
    const CompareRow* row = isPinned ? baseline() : rowAt(at);
    if (!row)
        return {};
    const Selection found
        = isPinned ? Selection() : hitIn(*row, {at.x(), at.y() - kRuler + scroll});
    if (found.kind == Selection::Kind::None && !rows.isCompact)
        return {};
    return {indexOf(*row), found};
}

bool CompareScene::isChevron(const Mark& mark, QPointF at) const
{
    return rows.isCompact && mark.row >= 0 && at.x() >= kChevronFrom && at.x() < kChevronTo
        && mark.selection.kind == Selection::Kind::None;
}

std::optional<profiler::RankBy> CompareScene::rankAt(QPointF at) const
{
    if (!rows.isCompact || at.y() >= kRuler)
        return std::nullopt;
    if (at.x() < area.left())
        return profiler::RankBy::Name;
    for (const CompareColumn& column : columns)
        if (at.x() >= column.left && at.x() < column.left + column.width)
            return column.ranksBy;
    return std::nullopt;
}

std::optional<CompareScene::Mark> CompareScene::rangeAt(QPointF from, double toX) const
{
    const CompareRow* row = rowAt(from);
    row = row || rows.rows.empty() ? row : &rows.rows.back();
    if (!row || row->iteration < 0)
        return std::nullopt;
    const TimeAxis axis = axisOf(*row);
    const double a = axis.time(from.x()), b = axis.time(toX);
    Mark range{indexOf(*row), {}};
    range.selection.kind = Selection::Kind::Range;
    range.selection.iteration = row->iteration;
    range.selection.window = {std::llround(std::min(a, b)), std::llround(std::max(a, b))};
    return range;
}

std::optional<CompareScene::Mark> CompareScene::neighbour(int step) const
{
    const int to = selected.row + step;
    if (to < 0 || to >= static_cast<int>(rows.rows.size()))
        return std::nullopt;
    const CompareRow &from = this->row(selected.row), &row = this->row(to);
    if (row.iteration < 0 || !row.isExpanded)
        return std::nullopt;
    const engine::Window here = selected.selection.window, whole = row.window();
    const std::int64_t middle = here.begin + here.duration() / 2;
    const double past = static_cast<double>(middle - from.window().begin) / from.ticksPerUnit();
    const auto time
        = static_cast<std::int64_t>(static_cast<double>(whole.begin) + past * row.ticksPerUnit());
    const engine::DeviceId device{step > 0 ? 0 : row.view->devices() - 1};
    const Piece piece = pieceAt(*row.view, device, std::clamp(time, whole.begin, whole.end - 1));
    const Selection found = pieceSelection(*row.view, device, piece);
    return found.kind == Selection::Kind::None ? std::nullopt : std::optional(Mark{to, found});
}

std::optional<CompareScene::Mark> CompareScene::walkedTo(int key) const
{
    const int at = selected.row >= 0 ? selected.row
        : rows.isCompact && chosen() ? indexOf(*chosen())
                                     : 0;
    const CompareRow& row = this->row(at);
    auto to = walked(*row.view, selected.selection, row.iteration, key);
    while (to && to->lane != engine::Track::Kind::Compute) // skips lanes that are not drawn
        to = walked(*row.view, *to, row.iteration, key);
    if (to && to->iteration == row.iteration) // only this iteration is drawn
        return Mark{at, *to};
    if (!to && selected.row >= 0 && (key == Qt::Key_Up || key == Qt::Key_Down))
        return neighbour(key == Qt::Key_Up ? -1 : 1);
    return std::nullopt;
}

std::size_t CompareScene::steppedRun(int by) const
{
    const int last = static_cast<int>(rows.rows.size()) - 1;
    const int to = chosen() ? indexOf(*chosen()) + by : by > 0 ? 0 : last;
    return row(std::clamp(to, 0, last)).run;
}

std::optional<CompareScene::Mark> CompareScene::opIn(const CompareRow& of, std::uint32_t op) const
{
    const auto found = selectOp(*of.view, op, of.iteration);
    return found ? std::optional(Mark{indexOf(of), *found}) : std::nullopt;
}

QRectF CompareScene::boxOf(const Mark& mark) const
{
    if (mark.row < 0 || mark.row >= static_cast<int>(rows.rows.size())
        || !mark.selection.device.isValid())
        return {};
    const CompareRow& row = this->row(mark.row);
    const auto& lanes = row.isExpanded ? row.lanes : row.folded;
    const auto device = static_cast<std::size_t>(mark.selection.device.value);
    return device >= lanes.size() ? QRectF()
                                  : boxRect(axisOf(row), mark.selection.window,
                                            lanes[device].computeTop(), lanes[device].compute)
                                        .translated(0, kRuler - scroll);
}

QString CompareScene::toolTip() const
{
    const CompareRow& row = this->row(hover.row);
    if (hover.selection.kind != Selection::Kind::None)
        return toolTipText(*row.view, hover.selection);
    QStringList lines{compareSubtitle(row)};
    const Scale scale = rows.time(row);
    if (row.most > 0)
        lines << tr("95 % interval: %1 to %2").arg(scale.text(row.least), scale.withUnit(row.most));
    if (!row.file.isEmpty())
        lines << row.file.toHtmlEscaped();
    lines << (row.isExpanded ? tr("Enter hides the devices") : tr("Enter shows the devices"));
    return toolTipPage(row.name.toHtmlEscaped(),
                       scale.withUnit(static_cast<double>(row.window().duration())), lines);
}

} // namespace app
