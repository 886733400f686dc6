#include "app/compare/compare_widget.h"

#include "app/timeline/details/details.h"
#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/paint/legend.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/theme.h"
#include "engine/base/median.h"
#include "engine/base/try.h"
#include "engine/schedule/notation.h"

#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace app {
namespace {

using profiler::ChartCanvas;
using profiler::ChartScale;
using profiler::Colour;
using profiler::ComparedRun;
using profiler::MarkedScene;
using profiler::ParetoPoint;
using profiler::Rect;

template<class Value>
double largest(const profiler::Comparison& all, std::optional<Value> ComparedRun::*peak)
{
    double largest = 1;
    for (const ComparedRun& run : all.runs)
        largest = std::max(largest, static_cast<double>((run.*peak).value_or(0)));
    return largest;
}

// The durations in one iteration; empty for -1.
OpTimes opTimes(const engine::Run& run, int iteration)
{
    OpTimes times;
    const engine::OpIndex index(run.schedule);
    for (const engine::Track& track : run.timeline.tracks)
        for (const engine::Span& span : track.spans)
            if (static_cast<int>(span.iteration) == iteration)
                times[engine::opAt(run.schedule, index, span.op).kind].push_back(
                    span.window().duration());
    for (auto& durations : times)
        std::ranges::sort(durations);
    return times;
}

constexpr double kText = profiler::kChartText;
constexpr std::size_t kBest = 8; // runs of the chart of causes

std::string titleOf(const QStringList& titles, std::size_t run)
{
    return titles.value(static_cast<qsizetype>(run)).toStdString();
}

std::vector<std::size_t> causeRuns(const CompareNumbers& numbers, int current)
{
    const profiler::Comparison& all = numbers.comparison;
    const profiler::Ranking best = rankRuns(all, profiler::RankBy::Iteration);
    const std::size_t ranked = best.lists.size() > 1 ? best.lists[1] : best.order.size();
    std::vector<std::size_t> runs;
    const auto add = [&runs](std::size_t run) {
        if (std::ranges::count(runs, run) == 0)
            runs.push_back(run);
    };
    for (std::size_t k = 0; k < ranked && runs.size() < kBest; ++k)
        if (best.order[k] != all.baseline)
            add(best.order[k]);
    if (current >= 0 && numbers.isInUnitOfBaseline(static_cast<std::size_t>(current)))
        add(static_cast<std::size_t>(current));
    add(all.baseline);
    for (std::size_t run = 0; run < all.runs.size(); ++run)
        if (all.runs[run].hasOlderWeights && all.runs[run].mode == all.base().mode
            && numbers.isInUnitOfBaseline(run))
            add(run);
    std::ranges::stable_sort(runs, {}, [&](std::size_t run) {
        return std::pair(all.runs[run].hasOlderWeights, all.runs[run].time());
    });
    return runs;
}

std::vector<ParetoPoint> paretoPoints(const CompareNumbers& numbers)
{
    const profiler::Comparison& all = numbers.comparison;
    const std::vector<bool> front = profiler::paretoFront(all);
    const bool hasBytes = all.base().peakBytes.has_value();
    const double perUnit = numbers.time().perUnit();
    std::vector<ParetoPoint> points;
    for (std::size_t run = 0; run < all.runs.size(); ++run) {
        const auto peak = profiler::peakOf(all.runs[run]);
        const profiler::Amount* time = all.runs[run].amount("iteration");
        if (!peak || time == nullptr || all.runs[run].peakBytes.has_value() != hasBytes
            || !numbers.isInUnitOfBaseline(run))
            continue;
        const bool hasInterval = time->spread == profiler::Spread::Interval;
        points.push_back({.point = run,
                          .x = hasBytes ? *peak / numbers.bytes().perUnit() : *peak,
                          .y = time->value / perUnit,
                          .least = hasInterval ? time->least / perUnit : 0,
                          .most = hasInterval ? time->most / perUnit : 0,
                          .isOnFront = front[run],
                          .isSquare = all.runs[run].hasOlderWeights});
    }
    std::ranges::stable_sort(points, {}, &ParetoPoint::x);
    return points;
}

// A scale that ends on ticks and does not begin at 0, so that points keep their distances.
ChartScale tightScale(const std::vector<double>& values, double from, double to)
{
    const auto [least, most] = std::ranges::minmax(values);
    ChartScale scale = profiler::scaleOf({0, most - least}, from, to);
    if (most <= least)
        return profiler::scaleOf(values, from, to);
    constexpr double kMargin = 0.3; // steps between the first point and the axis
    scale.least = std::floor(least / scale.step - kMargin) * scale.step;
    scale.most = std::ceil(most / scale.step) * scale.step;
    return scale;
}

QString memoryTitle(const CompareNumbers& numbers)
{
    return numbers.hasBytes() ? QStringLiteral("peak memory, %1").arg(numbers.bytes().unit())
                              : QStringLiteral("peak stash, M\u2090");
}

// The scale of the times. Much slower runs would leave no room between the others, so they are
// drawn at its upper end.
ChartScale timeAxis(const std::vector<ParetoPoint>& points, const ChartCanvas& canvas)
{
    constexpr double kMuchSlower = 3;
    std::vector<double> times;
    for (const ParetoPoint& point : points)
        times.push_back(point.y);
    std::ranges::sort(times);
    const double most = kMuchSlower * times[times.size() / 2];
    for (double& time : times)
        time = std::min(time, most);
    for (const ParetoPoint& point : points)
        if (point.y < most && point.most > point.least)
            times.insert(times.end(), {point.least, point.most});
    return tightScale(times, canvas.bottom(), profiler::kPlotTop + 10);
}

constexpr std::size_t kClasses = 40;

QString medianText(const Histogram& histogram, const QStringList& titles, std::size_t run)
{
    std::vector<std::int64_t> durations = histogram.numbers.ops[run][histogram.kind];
    const QString title = titles.value(static_cast<qsizetype>(run));
    if (durations.empty())
        return QStringLiteral("%1 has none").arg(title);
    const Scale time = histogram.numbers.time().finer(1);
    const auto median = static_cast<double>(engine::medianOf(durations));
    return QStringLiteral("%1, median %2 %3")
        .arg(title, number(histogram.numbers.inTime(run, median), time.decimals()), time.unit());
}

} // namespace

double CompareNumbers::largestBytes() const
{
    return largest(comparison, &ComparedRun::peakBytes);
}

double CompareNumbers::largestStash() const
{
    return largest(comparison, &ComparedRun::peakStash);
}

bool CompareNumbers::hasBytes() const
{
    const ComparedRun& base = comparison.base();
    return base.peakBytes
        || (!base.peakStash && std::ranges::any_of(comparison.runs, [](const ComparedRun& run) {
               return run.peakBytes.has_value();
           }));
}

Scale CompareNumbers::time() const
{
    const ComparedRun& base = comparison.base();
    engine::RunInfo info;
    info.ticksPerUnit = base.ticksPerUnit;
    return timeScale(info, std::llround(std::max(1.0, base.time())));
}

double CompareNumbers::inTime(std::size_t run, double ticks) const
{
    const ComparedRun& of = comparison.runs[run];
    const double tokens
        = comparison.isPerToken ? static_cast<double>(of.tokensPerIteration) / 1000 : 1;
    return ticks / static_cast<double>(of.ticksPerUnit) / tokens
        * static_cast<double>(comparison.base().ticksPerUnit) / time().perUnit();
}

Scale CompareNumbers::scale(const profiler::MeasureInfo& measure) const
{
    switch (measure.unit) {
    case profiler::Unit::Time:
        return time();
    case profiler::Unit::Bytes:
        return bytes();
    case profiler::Unit::Share:
        return {0.01, 1, QStringLiteral("%")};
    case profiler::Unit::Activations:
        return {1, 1, QStringLiteral("M\u2090")};
    default:
        return {1, std::max(0, measure.decimals), {}};
    }
}

QString withUnit(const QString& title, const QString& unit)
{
    return unit.isEmpty() ? title : QStringLiteral("%1, %2").arg(title, unit);
}

QString CompareNumbers::text(const profiler::MeasureInfo& measure, std::size_t run) const
{
    const ComparedRun& of = comparison.runs[run];
    const profiler::Amount* amount = of.amount(measure.key);
    if (amount == nullptr)
        return kNoValue;
    if (measure.unit != profiler::Unit::Time || isInUnitOfBaseline(run))
        return scale(measure).text(amount->value);
    engine::RunInfo info;
    info.ticksPerUnit = of.ticksPerUnit;
    return timeScale(info, of.metrics.duration)
        .withUnit(amount->value * engine::ratio(of.ticksPerUnit, comparison.base().ticksPerUnit));
}

Verdict CompareNumbers::colour(const profiler::MeasureInfo& measure, std::size_t run) const
{
    using profiler::Better;
    const auto change = comparison.change(measure.key, run);
    if (comparison.isPerToken && measure.key == "p2p_messages") // more work has more messages
        return Verdict::Neutral;
    if (!change || !change->isMarked() || measure.better == Better::Neither
        || comparison.runs[run].hasOlderWeights != comparison.base().hasOlderWeights)
        return Verdict::Neutral;
    const bool isLess = change->by.value < 0;
    return isLess == (measure.better == Better::Less) ? Verdict::Better : Verdict::Worse;
}

QString CompareNumbers::spreadText(const profiler::MeasureInfo& measure,
                                   const profiler::Change& of) const
{
    if (of.by.spread == profiler::Spread::Exact)
        return QStringLiteral("exact");
    if (of.by.spread == profiler::Spread::Unknown)
        return QStringLiteral("spread unknown");
    return differencesText(scale(measure), of.by);
}

QString differencesText(const Scale& scale, const profiler::Amount& by)
{
    return QStringLiteral("%1 to %2").arg(scale.difference(by.least), scale.difference(by.most));
}

const profiler::Measure<profiler::ReportedRun>& comparedMeasure(std::string_view key)
{
    return *std::ranges::find(profiler::runMeasures(), key, &profiler::MeasureInfo::key);
}

std::optional<double> deviceBubble(const engine::Run& run, const profiler::RunMetrics& metrics,
                                   const profiler::DeviceMetrics& device)
{
    const auto share = std::ranges::find(profiler::deviceMeasures(), profiler::Unit::Share,
                                         &profiler::MeasureInfo::unit);
    return (*share)({run, metrics, device}).number();
}

engine::Result<CompareNumbers> compareNumbers(const std::vector<RunPointer>& runs,
                                              std::size_t baseline, const QStringList& titles)
{
    std::vector<const engine::Run*> compared;
    for (const RunPointer& run : runs)
        compared.push_back(run.get());
    CompareNumbers numbers;
    numbers.runs = runs;
    numbers.comparison = TRY(profiler::compare(compared, baseline));
    for (std::size_t k = 0; k < runs.size(); ++k) {
        std::string& label = numbers.comparison.runs[k].label;
        if (label != runs[k]->info.label && k < static_cast<std::size_t>(titles.size()))
            label = titles[static_cast<qsizetype>(k)].toStdString();
        numbers.ops.push_back(opTimes(*runs[k], engine::reportedIteration(runs[k]->timeline)));
    }
    numbers.ranking = rankRuns(numbers.comparison, numbers.by);
    numbers.verdict = profiler::verdict(numbers.comparison);
    return numbers;
}

CompareNumbersPointer rankedBy(const CompareNumbers& numbers, profiler::RankBy by,
                               profiler::RankOrder direction)
{
    auto ranked = std::make_shared<CompareNumbers>(numbers);
    ranked->by = by;
    ranked->direction = direction;
    ranked->ranking = rankRuns(ranked->comparison, by, direction);
    return ranked;
}

MarkedScene barChart(const QString& title, const std::vector<BarRow>& rows, const Scale& unit,
                     const ChartLook& look)
{
    const auto text
        = [](double value, int decimals) { return number(value, decimals).toStdString(); };
    return profiler::drawBars(
        {title.toStdString(), unit.unit().toStdString(), unit.decimals(), text}, rows, look.style,
        look.palette);
}

std::vector<BarRow> causeRows(const CompareNumbers& numbers, const QStringList& titles, int current,
                              const profiler::Palette& palette)
{
    std::vector<BarRow> rows;
    for (const std::size_t run : causeRuns(numbers, current)) {
        const profiler::ComparedRun& of = numbers.comparison.runs[run];
        const profiler::TimeParts parts = timeParts(of);
        const auto value = [&](double ticks) { return numbers.inTime(run, ticks); };
        rows.push_back({run,
                        titleOf(titles, run),
                        {{"fill", palette.*profiler::kFillCause, value(parts.fill)},
                         {"wait", palette.*profiler::kWaitCause, value(parts.wait)},
                         {"exposed communication", palette.exposed(), value(parts.communication)},
                         {"drain", palette.*profiler::kDrainCause, value(parts.drain)}},
                        of.hasOlderWeights && !rows.empty()
                            && !numbers.comparison.runs[rows.back().run].hasOlderWeights});
    }
    return rows;
}

BarRow timeRow(std::size_t run, const QString& title, const profiler::ComparedRun& of,
               const Scale& time, const profiler::Palette& palette)
{
    using engine::OpKind;
    BarRow row{run, title.toStdString(), {}, false};
    const auto add
        = [&](const std::string& name, Colour fill, double ticks, bool isBubble = false) {
              if (ticks > 0)
                  row.parts.push_back({name, fill, ticks / time.perUnit(), isBubble});
          };
    const auto addOp = [&](OpKind kind) {
        add(fromUtf8(engine::kindTitle(kind)).toLower().toStdString(), palette.fill(kind),
            of.metrics.mean(
                [kind](const profiler::DeviceMetrics& device) { return device.byKind[kind]; }));
    };
    for (const OpKind kind : {OpKind::Forward, OpKind::Recompute, OpKind::Backward,
                              OpKind::BackwardInput, OpKind::BackwardWeight})
        addOp(kind);
    if (of.amount("communication_exposed") != nullptr)
        add("exposed communication", palette.exposed(), timeParts(of).communication);
    addOp(OpKind::OptimizerStep);
    if (of.amount("bubble") != nullptr) // unknown of some imported runs
        add("bubble", palette.bubbleSolid, of.metrics.mean(&profiler::DeviceMetrics::bubble), true);
    return row;
}

BarRow timeRow(const CompareNumbers& numbers, std::size_t run, const QStringList& titles,
               const profiler::Palette& palette)
{
    const Scale time(1 / numbers.inTime(run, 1), numbers.time().decimals(), {});
    return timeRow(run, titles.value(static_cast<qsizetype>(run)), numbers.comparison.runs[run],
                   time, palette);
}

QString barText(const BarRow& row, const Scale& unit)
{
    QString text = fromUtf8(row.title);
    for (const auto& part : row.parts)
        text += QStringLiteral("\n%1 %2 %3")
                    .arg(fromUtf8(part.name), number(part.value, unit.decimals()), unit.unit());
    return text;
}

QString pointText(const CompareNumbers& numbers, const QStringList& titles, std::size_t run)
{
    for (const ParetoPoint& point : paretoPoints(numbers))
        if (point.point == run)
            return QStringLiteral("%1\niteration %2 %3\n%4: %5%6")
                .arg(titles.value(static_cast<qsizetype>(run)),
                     number(point.y, numbers.time().decimals()), numbers.timeUnit(),
                     memoryTitle(numbers), number(point.x, 2),
                     point.isOnFront ? QStringLiteral("\nno run is both faster and smaller")
                                     : QString());
    return {};
}

MarkedScene paretoChart(const CompareNumbers& numbers, const QStringList& titles, int current,
                        const ChartLook& look)
{
    constexpr double kMostName = 150;
    constexpr std::size_t kAllNamed = 10; // of more points, only some have names
    std::vector<ParetoPoint> points = paretoPoints(numbers);
    if (points.empty())
        return profiler::emptyChart(look.style, "No run has a known peak memory");
    ChartCanvas canvas(look.style);
    canvas.setRightMargin(28);
    const double pad = 0.04 * (canvas.right() - profiler::kPlotLeft);
    std::vector<double> memories;
    for (const ParetoPoint& point : points)
        memories.push_back(point.x);
    const ChartScale x = tightScale(memories, profiler::kPlotLeft + pad, canvas.right() - pad),
                     y = timeAxis(points, canvas);
    canvas.drawValueAxis(y, numbers.timeUnit().toStdString());
    canvas.drawNumberAxis(x, memoryTitle(numbers).toStdString());
    canvas.keepFree(Rect{0, canvas.bottom() - 2, look.style.width, profiler::kPlotBottom});
    for (ParetoPoint& point : points) {
        point.isBold = static_cast<int>(point.point) == current;
        if (point.isOnFront || point.isBold || point.point == numbers.comparison.baseline
            || points.size() <= kAllNamed) {
            point.label = profiler::shortenedTitle(titleOf(titles, point.point), kMostName);
            point.label += point.isSquare ? ", older weights" : "";
        }
        if (point.y > y.most)
            point.label += (point.label.empty() ? "" : ", ")
                + number(point.y, numbers.time().decimals()).toStdString();
    }
    return canvas.finish(drawPareto(canvas, points, x, y, profiler::FrontEnds::AtEdges));
}

std::pair<double, double> Histogram::range() const
{
    std::vector<double> ends;
    for (const int one : {static_cast<int>(numbers.comparison.baseline), run}) {
        const auto index = static_cast<std::size_t>(std::max(0, one));
        if (one < 0 || numbers.ops[index][kind].empty())
            continue;
        const auto& durations = numbers.ops[index][kind];
        for (const std::int64_t ticks : {durations.front(), durations.back()})
            ends.push_back(numbers.inTime(index, static_cast<double>(ticks)));
    }
    if (ends.empty())
        return {0, 1};
    const auto [least, most] = std::ranges::minmax(ends);
    const double margin = std::max(0.05 * (most - least), 0.01 * most);
    return {std::max(0.0, least - margin), most + std::max(margin, 1e-9)};
}

std::vector<double> Histogram::shares(std::size_t of) const
{
    const auto& durations = numbers.ops[of][kind];
    if (durations.empty())
        return {};
    const auto [least, most] = range();
    std::vector<double> shares(kClasses, 0.0);
    for (const std::int64_t ticks : durations) {
        const double place = (numbers.inTime(of, static_cast<double>(ticks)) - least)
            / (most - least) * static_cast<double>(kClasses);
        shares[static_cast<std::size_t>(std::clamp(place, 0.0, kClasses - 1.0))]
            += 1.0 / static_cast<double>(durations.size());
    }
    return shares;
}

std::vector<engine::OpKind> histogramKinds(const CompareNumbers& numbers)
{
    using engine::OpKind;
    std::vector<OpKind> kinds{OpKind::Forward,        OpKind::Backward,  OpKind::BackwardInput,
                              OpKind::BackwardWeight, OpKind::Recompute, OpKind::OptimizerStep};
    std::erase_if(kinds, [&](OpKind kind) {
        return std::ranges::all_of(numbers.ops,
                                   [&](const OpTimes& times) { return times[kind].empty(); });
    });
    return kinds;
}

MarkedScene durationsChart(const Histogram& histogram, const QStringList& titles,
                           const ChartLook& look)
{
    const std::size_t baseline = histogram.numbers.comparison.baseline;
    const auto run = static_cast<std::size_t>(std::max(0, histogram.run));
    const bool hasRun = histogram.run >= 0 && run != baseline;
    const auto base = histogram.shares(baseline);
    const auto own = hasRun ? histogram.shares(run) : std::vector<double>();
    if (base.empty() && own.empty())
        return profiler::emptyChart(look.style, "No op of this kind ran");
    ChartCanvas canvas(look.style);
    canvas.setRightMargin(28);
    double highest = 1e-9;
    for (const auto* shares : {&own, &base})
        for (const double share : *shares)
            highest = std::max(highest, share);
    const auto [least, most] = histogram.range();
    const ChartScale height{0, highest, canvas.bottom(), profiler::kPlotTop + 28, highest / 2};
    ChartScale x = profiler::scaleOf({least, most}, profiler::kPlotLeft, canvas.right());
    canvas.drawNumberAxis(x, histogram.numbers.time().unit().toStdString());
    const double step = (x(most) - x(least)) / static_cast<double>(kClasses);
    const auto left = [&](std::size_t k) { return x(least) + step * static_cast<double>(k); };
    const Colour fill = profiler::mix(look.style.text, look.style.ground, 0.35);
    for (std::size_t k = 0; k < own.size(); ++k)
        canvas.box({left(k), height(own[k]), step - 1, height(0) - height(own[k])}, fill);
    for (std::size_t k = 0; k < base.size(); ++k) { // the outline
        const double before = height(k == 0 ? 0 : base[k - 1]), top = height(base[k]);
        canvas.line({left(k), before}, {left(k), top}, 1.5, look.style.ink);
        canvas.line({left(k), top}, {left(k + 1), top}, 1.5, look.style.ink);
    }
    const std::string outlined = medianText(histogram, titles, baseline).toStdString();
    canvas.line({12, 16}, {24, 16}, 1.5, look.style.ink);
    canvas.text(30, 16 + kText / 3, outlined);
    if (hasRun) {
        const double at = 30 + profiler::textWidth(outlined) + 24;
        canvas.box({at, 11, 12, 10}, fill);
        canvas.text(at + 18, 16 + kText / 3, medianText(histogram, titles, run).toStdString());
    }
    return canvas.finish();
}

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
    const double room
        = (available - layout.headsHeight()) / static_cast<double>(layout.rows.size());
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

struct CompareCell
{
    QString text, below;                // below: the interval, on a second line
    Verdict verdict = Verdict::Neutral; // colour of a difference
    bool isHint = false;                // "baseline"
    double share = -1;                  // length of the bar before the text, 0 to 1; < 0: no bar
};

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

QString fromTo(const Scale& scale, double least, double most)
{
    return tr("%1 to %2").arg(scale.text(least), scale.text(most));
}

CompareCell differenceCell(const CompareNumbers& numbers, const CompareRow& row,
                           const CompareColumn& column)
{
    constexpr double kHuge = 100; // times the baseline
    const bool isShare = column.shows == Shows::Percent;
    if (row.run == numbers.comparison.baseline)
        return {isShare ? QString() : tr("baseline"), {}, Verdict::Neutral, true};
    const profiler::MeasureInfo& measure = comparedMeasure(column.key);
    const auto change = numbers.comparison.change(column.key, row.run);
    if (!change || change->from == 0)
        return unknownCell();
    const Scale scale = isShare ? Scale(change->from / 100, 1, {}) : numbers.scale(measure);
    CompareCell cell{{}, {}, numbers.colour(measure, row.run)};
    cell.isHint = cell.verdict == Verdict::Neutral;
    if (change->share() <= kHuge)
        cell.text = scale.difference(change->by.value);
    else if (isShare)
        cell.text = tr("> 10 000");
    if (change->by.spread == profiler::Spread::Interval)
        cell.below = differencesText(scale, change->by);
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
    if (bytes && !numbers.hasBytes()) // the column has another unit
        cell.text = numbers.bytes().withUnit(static_cast<double>(*bytes));
    else if (!bytes && numbers.hasBytes())
        cell.text += QString::fromUtf8(" Mₐ");
    return cell;
}

CompareCell valueCell(const CompareNumbers& numbers, const CompareRow& row, const char* key)
{
    const profiler::Amount* amount = numbers.comparison.runs[row.run].amount(key);
    const profiler::MeasureInfo& measure = comparedMeasure(key);
    if (amount == nullptr)
        return unknownCell();
    const bool hasInterval = measure.unit == profiler::Unit::Time
        && numbers.isInUnitOfBaseline(row.run) && amount->spread == profiler::Spread::Interval;
    return {numbers.text(measure, row.run),
            hasInterval ? fromTo(numbers.time(), amount->least, amount->most) : QString()};
}

// The cell of a run, or of one of its devices.
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

// "D 4, N 8, v 2, emulated"
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

// The value of a measure of the reported iteration; nullopt: unknown.
std::optional<double> measured(const CompareRow& row, const char* key)
{
    const profiler::RunMetrics* metrics = row.view->metrics(row.iteration);
    return metrics == nullptr ? std::nullopt
                              : comparedMeasure(key)({row.view->run(), *metrics}).number();
}

// "bubble 29.0 %", "peak 13.6 MiB"
QStringList compareKeyTexts(const CompareRow& row)
{
    QStringList texts;
    if (const auto share = measured(row, "bubble_ratio"))
        texts << tr("bubble %1").arg(percent(*share));
    if (row.view->knowsMemory() && (row.view->hasMemory() || measured(row, "peak_stash")))
        texts << tr("peak %1").arg(comparePeak(row));
    return texts;
}

} // namespace

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

double CompareLayout::headsHeight() const
{
    double sum = 0;
    for (std::size_t k = 1; k < groups.size(); ++k)
        sum += groups[k].headHeight();
    return sum;
}

double CompareLayout::heightWith(double pitch) const
{
    double sum = headsHeight();
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

std::optional<QString> compareIteration(const CompareLayout& rows, const CompareRow& row)
{
    const auto iteration = measured(row, "iteration");
    return iteration ? std::optional(rows.time(row).text(*iteration)) : std::nullopt;
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
    const double height = std::max(0.0, size.height() - kRuler - TimeCanvas::kLegend);
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

std::vector<CompareScene::TitlePart> CompareScene::title(const CompareRow& row) const
{
    std::vector<TitlePart> parts;
    if (!rows.hasColumn && row.view->metrics(row.iteration) != nullptr) {
        const Scale scale = rows.time(row);
        const auto iteration = compareIteration(rows, row);
        QString amount = iteration ? *iteration + QLatin1Char(' ') + scale.unit() : kNoValue;
        if (iteration && row.most > 0)
            amount += QStringLiteral(" (%1)").arg(fromTo(scale, row.least, row.most));
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
    if (mark.row < 0 || mark.row >= static_cast<int>(rows.rows.size()))
        return {};
    const CompareRow& row = this->row(mark.row);
    return rectOf(*row.view, axisOf(row), row.isExpanded ? row.lanes : row.folded, mark.selection)
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
    return toolTipPage(row.name.toHtmlEscaped(), scale.withUnit(row.window().duration()), lines);
}

double memoryScale(const CompareLayout& layout, const RunView& view)
{
    double scale = 1e-9;
    for (const CompareRow& row : layout.rows)
        if (const auto* metrics = row.view->metrics(row.iteration);
            metrics != nullptr && row.view->hasMemory() == view.hasMemory())
            for (const auto& device : metrics->devices)
                scale = std::max(scale, memoryPeak(*row.view, device));
    return scale;
}

namespace {

constexpr double kNamesWidth = 140;
constexpr double kRankRight = 30, kChevron = 38, kName = 58; // of the columns of a compact row

double textWidth(const QString& text, const QFont& font)
{
    return QFontMetricsF(font).horizontalAdvance(text);
}

// Draws the outline of a box. Leaves a gap in the middle of the left and right side, where adjacent
// boxes have their numbers.
void paintGhost(QPainter& painter, const QRectF& box)
{
    constexpr double kNumber = 13, kLeast = 3;
    const double corner = std::max(kLeast, std::floor((box.height() - kNumber) / 2));
    for (const double x : {box.left(), box.right()}) {
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.top() + corner));
        painter.drawLine(QPointF(x, box.bottom() - corner), QPointF(x, box.bottom()));
    }
    for (const double y : {box.top(), box.bottom()})
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
}

// The device with the most bubble.
engine::DeviceId worstDevice(const profiler::RunMetrics& metrics)
{
    return metrics.devices.empty()
        ? engine::DeviceId{0}
        : std::ranges::max_element(metrics.devices, {}, &profiler::DeviceMetrics::bubble)->device;
}

// What the painters of a comparison share.
struct Drawing
{
    const Theme& theme() const { return m_colours.theme(); }
    const Chrome& chrome() const { return theme().chrome; }
    void fill(const QRectF& area, const QColor& colour) const { m_painter.fillRect(area, colour); }
    void write(const QRectF& area, const QString& text, const QFont& font, const QColor& ink,
               int flags = Qt::AlignLeft | Qt::AlignVCenter) const
    {
        paintText(m_painter, area, text, font, ink, flags);
    }

    QPainter& m_painter;
    const CompareScene& m_scene;
    const BoxColours& m_colours;
};

class RowPainter : Drawing
{
public:
    RowPainter(const Drawing& of, const CompareRow& row)
        : Drawing(of)
        , m_row(row)
        , m_axis(m_scene.axisOf(row))
        , m_baseline(m_scene.baselineOf(row))
        , m_isCurrent(static_cast<int>(row.run) == m_scene.current)
    { }

    void paintTall() const
    {
        const QRectF &area = m_scene.area, column = m_scene.columnOf(m_row);
        const QRectF lanes(area.left(), m_row.top, area.width(), m_row.height);
        fill(column, chrome().surfaceAlt);
        fill({column.left(), m_row.top, 1, m_row.height}, chrome().line);
        m_painter.save();
        m_painter.setClipRect(lanes, Qt::IntersectClip);
        paintGrid(m_painter, m_scene.rows.ruler(m_row, m_axis), m_axis, theme(), lanes);
        paintTitle();
        if (m_row.iteration < 0)
            paintText(m_painter, QPointF(m_axis.left + 16, m_row.top + CompareLayout::kTitle + 16),
                      tr("no iteration yet"), uiFont(11), chrome().text2);
        else
            paintDevices(m_row.lanes);
        paintBaselineBoxes();
        fill({x(m_row.window().begin) - 1, m_row.top, 1, m_row.height}, chrome().text2);
        paintEnd();
        m_painter.restore();
        paintRunName({24, m_row.top + 8, kNamesWidth - 32, m_row.pitch >= 17 ? 34.0 : 18.0});
        paintDeviceNames(kNamesWidth - 12);
        if (!m_row.view->metrics(m_row.iteration) || !m_scene.rows.hasColumn)
            return;
        paintKeyNumbers(column);
        paintMemory(column);
    }
    void paintCompact() const
    {
        const QRectF& area = m_scene.area;
        const QRectF time(area.left(), m_row.top, area.width(), m_row.height);
        if (m_isCurrent) {
            fill({0, m_row.top, area.left(), m_row.height}, chrome().selected);
            fill({area.right(), m_row.top, m_scene.columnsWidth(), m_row.height},
                 chrome().selected);
        }
        paintCompactName();
        if (m_scene.numbers())
            paintCells();
        if (m_row.iteration < 0)
            return;
        m_painter.save();
        m_painter.setClipRect(time, Qt::IntersectClip);
        paintGrid(m_painter, m_scene.rows.ruler(m_row, m_axis), m_axis, theme(), time);
        paintLane();
        if (m_row.isExpanded) {
            paintDevices(m_row.lanes);
            paintBaselineBoxes();
            paintEnd();
        }
        if (m_axis.x(m_row.window().end) > m_axis.right())
            paintBeyond();
        else
            paintEndMark(lane().top() - 1, lane().bottom() + 1, std::round(lane().center().y()));
        m_painter.restore();
    }

private:
    double x(auto ticks) const { return m_axis.snappedX(ticks); }
    QRectF lane() const // of a compact row
    {
        const QRectF& area = m_scene.area;
        return {area.left(), m_row.top + CompareLayout::kLaneTop, area.width(), m_scene.rows.lane};
    }

    // Draws the parts one after another, and shortens the last one that has room.
    void paintTitle() const
    {
        constexpr double kMargin = 16;
        const QFont font = uiFont(11);
        const auto parts = m_scene.title(m_row);
        double x = m_axis.left + kMargin;
        for (const CompareScene::TitlePart& part : parts) {
            const QString text = &part == &parts.back() ? part.text : part.text + tr(", ");
            const QString shown = QFontMetricsF(font).elidedText(
                text, Qt::ElideRight, m_scene.area.right() - kMargin - x);
            x += paintText(m_painter, QPointF(x, m_row.top + 21), shown, font,
                           verdictInk(chrome(), part.verdict, chrome().text2));
            if (shown != text)
                break;
        }
    }
    // The name of the run, and that of its file if the area has two lines.
    void paintRunName(const QRectF& area, const QString& suffix = {}) const
    {
        constexpr double kTwoLines = 30, kLine = 17, kDeviceName = 46, kHighLane = 34;
        const bool isHigh = area.height() >= kTwoLines, hasFile = isHigh && !m_row.file.isEmpty();
        const QFont bold = uiFont(isHigh ? 13 : 12, QFont::Medium), small = uiFont(11);
        QRectF line(area.left(), area.top(), area.width(), hasFile ? kLine : area.height());
        const double suffixWidth = suffix.isEmpty() ? 0 : textWidth(suffix, small) + 6;
        const QString name = QFontMetricsF(bold).elidedText(m_row.name, Qt::ElideMiddle,
                                                            line.width() - suffixWidth);
        write(line, name, bold, chrome().text);
        write(line.adjusted(textWidth(name, bold) + 6, 0, 0, 0), suffix, small, chrome().text2);
        if (!hasFile)
            return;
        // Beside the file is the name of the first device if the lanes are low.
        if (m_row.lanesTop - m_row.top <= CompareLayout::kTitle && m_row.pitch < kHighLane)
            line.setWidth(line.width() - kDeviceName);
        const QString file = m_row.file.section(QLatin1Char('/'), -1);
        write(line.translated(0, kLine),
              QFontMetricsF(small).elidedText(file, Qt::ElideMiddle, line.width()), small,
              chrome().text2);
    }
    void paintDeviceNames(double right) const
    {
        const std::size_t every
            = m_row.pitch >= 11 ? 1 : 4; // 4: labels of all devices would overlap
        for (std::size_t d = 0; d < m_row.lanes.size(); d += every)
            write({24, m_row.lanes[d].computeTop(), right - 24, m_row.lanes[d].compute},
                  tr("device %1").arg(d), uiFont(m_row.pitch >= 17 ? 11 : 10), chrome().text2,
                  kAtRight | Qt::TextDontClip);
    }
    // Draws only the compared iteration, because adjacent iterations would look like parts of it.
    void paintDevices(const std::vector<Lane>& lanes) const
    {
        m_painter.save();
        m_painter.setClipRect(stretch(m_axis, m_row.window(), lanes.front().top,
                                      lanes.back().bottom() - lanes.front().top),
                              Qt::IntersectClip);
        paintBoxes({m_painter, *m_row.view, m_axis, m_colours, lanes},
                   Labels::Numbers); // the same labels in rows of all heights
        m_painter.restore();
    }
    // Outlines the boxes of the baseline over those of the run, if the user asked for it.
    void paintBaselineBoxes() const
    {
        if (!m_scene.hasGhost || !m_baseline
            || m_baseline->view->devices() != m_row.view->devices())
            return;
        TimeAxis axis = m_axis; // converted below to the clock of the baseline
        const double ticks = m_baseline->ticksPerUnit() / m_row.ticksPerUnit();
        axis.begin = m_baseline->origin + (m_axis.begin - m_row.origin) * ticks;
        axis.end = m_baseline->origin + (m_axis.end - m_row.origin) * ticks;
        QColor ink = chrome().text;
        ink.setAlphaF(0.6F);
        m_painter.save();
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(ink, 1));
        for (std::size_t d = 0; d < m_row.lanes.size(); ++d)
            walkLane(*m_baseline->view, engine::DeviceId{static_cast<int>(d)}, axis,
                     [&, lane = m_row.lanes[d]](const Piece& piece) {
                         if (piece.kind == Piece::Kind::Op
                             && piece.iteration == m_baseline->iteration)
                             paintGhost(m_painter,
                                        boxRect(axis, piece.window, lane.computeTop(), lane.compute)
                                            .adjusted(0.5, 0.5, -0.5, -0.5));
                     });
        m_painter.restore();
    }
    // The end of the iteration, and the gap to the end of the baseline if it has room for its text.
    void paintEnd() const
    {
        constexpr double kGapFrom = 110;
        if (m_row.iteration < 0)
            return;
        const double end = x(m_row.window().end), below = m_row.lanes.back().bottom() + 1;
        if (m_scene.rows.isCompact)
            fill({end, m_row.lanesTop - 2, 2, below - m_row.lanesTop + 2}, chrome().text);
        else
            paintEndMark(m_row.top + 8, below, m_row.top + 14);
        if (!m_baseline)
            return;
        const double past = (static_cast<double>(m_baseline->window().end) - m_baseline->origin)
            / m_baseline->ticksPerUnit();
        const double other = x(m_row.origin + past * m_row.ticksPerUnit());
        if (other - end >= kGapFrom)
            paintGap(end + 2, other);
    }
    // The end of the iteration with its 95 % interval.
    void paintEndMark(double top, double bottom, double whisker) const
    {
        const auto begin = static_cast<double>(m_row.window().begin);
        fill({x(m_row.window().end), top, 2, bottom - top}, chrome().text);
        if (m_row.most <= 0)
            return;
        const double from = x(begin + m_row.least), to = x(begin + m_row.most);
        fill({from, whisker, std::max(1.0, to - from), 1}, chrome().text);
        for (const double end : {from, to})
            fill({end, whisker - 4, 1, 9}, chrome().text);
    }
    void paintGap(double from, double to) const
    {
        const double height = m_row.pitch * m_row.view->devices();
        const double middle = std::round(m_row.lanesTop + height / 2);
        fill({from + 5, middle, to - from - 8, 1}, chrome().text2);
        for (const auto& [tip, side] : {std::pair(from + 5, 6.0), std::pair(to - 3, -6.0)})
            fillPolygon(m_painter,
                        QPolygonF{{tip, middle + 0.5},
                                  {tip + side, middle - 2.5},
                                  {tip + side, middle + 3.5}},
                        chrome().text2);
        const auto change = m_scene.change(m_row);
        if (!change)
            return;
        const Scale scale
            = m_scene.numbers() ? m_scene.numbers()->time() : m_scene.rows.time(*m_baseline);
        const auto line
            = [&](double top, const QString& text, const QFont& font, const QColor& ink) {
                  write({from, middle + top, to - from, 16}, text, font, ink, Qt::AlignCenter);
              };
        const QColor ink = verdictInk(chrome(), m_scene.verdict(m_row), chrome().text);
        line(-21, signedPercent(change->share()), uiFont(13, QFont::Medium), ink);
        line(5, scale.difference(change->by.value) + QLatin1Char(' ') + scale.unit(),
             uiFont(12, QFont::Medium), ink);
        if (change->by.spread == profiler::Spread::Interval && height > 80)
            line(21, differencesText(scale, change->by), uiFont(11), chrome().text2);
    }
    // The iteration, its interval, the difference from the baseline, the bubble and the peak. The
    // difference is directly below the iteration time, to which it refers.
    void paintKeyNumbers(const QRectF& column) const
    {
        const Scale scale = m_scene.rows.time(m_row);
        const double left = column.left() + 16;
        double y = m_row.top + CompareRow::kFirstLine;
        const auto iteration = compareIteration(m_scene.rows, m_row);
        const double width = paintText(m_painter, QPointF(left, y), iteration.value_or(kNoValue),
                                       uiFont(15, QFont::Medium), chrome().text);
        if (iteration)
            paintText(m_painter, QPointF(left + width + 4, y), scale.unit(), uiFont(11),
                      chrome().text2);
        const auto line = [&](const QString& text, Verdict verdict = Verdict::Neutral) {
            paintText(m_painter, QPointF(left, y += CompareRow::kLine), text, uiFont(11),
                      verdictInk(chrome(), verdict, chrome().text2));
        };
        if (m_row.showsDifference() && m_row.most > 0)
            line(fromTo(scale, m_row.least, m_row.most));
        const auto change = m_scene.change(m_row);
        if (m_row.showsDifference() && change)
            line(signedPercent(change->share()), m_scene.verdict(m_row));
        else if (m_row.showsDifference() && m_row.group == 0 && !m_baseline)
            line(tr("baseline"));
        for (const QString& text :
             compareKeyTexts(m_row)) // the peak is the last, with its bars below
            line(text);
    }
    // A bar per device, with the numbers of as many devices as fit.
    void paintMemory(const QRectF& column) const
    {
        constexpr double kDigits = 13, kNumber = 16; // height and least width of a number
        const RunView& view = *m_row.view;
        const QRectF area = m_row.memoryArea(column);
        if (area.isEmpty() || !view.knowsMemory())
            return;
        const double scale = memoryScale(m_scene.rows, view);
        const double height = area.height() - (area.height() >= 2 * kDigits ? kDigits : 0);
        int step = 1;
        while (m_row.memorySlot(area, 0).width() * step < kNumber)
            step *= 2;
        const auto& devices = view.metrics(m_row.iteration)->devices;
        for (const engine::DeviceId d : devices.ids()) {
            const QRectF slot = m_row.memorySlot(area, d.value);
            const double gap = std::clamp(std::floor(slot.width() / 3), 1.0, 8.0);
            const QRectF bar(slot.left(), slot.top(), std::max(1.0, slot.width() - gap), height);
            fill(bar, chrome().hover);
            paintMemoryParts(m_painter, memoryParts(view, devices[d], theme()), scale, bar);
            if (height < area.height() && d.value % step == 0)
                write(bar.adjusted(-8, height, 8, kDigits), QString::number(d.value), uiFont(10),
                      chrome().text2, Qt::AlignHCenter | Qt::AlignBottom);
        }
    }
    void paintCompactName() const
    {
        constexpr double kFact = 15;
        const QRectF line(0, m_row.top, m_scene.area.left(), m_scene.rows.rowHeight());
        const double middle = line.center().y(),
                     height = m_scene.rows.hasTwoLines() ? 34 : line.height();
        if (const CompareNumbers* numbers = m_scene.numbers())
            write({0, line.top(), kRankRight, line.height()},
                  fromUtf8(numbers->ranking.rankText(m_row.run)), uiFont(12), chrome().text2,
                  kAtRight);
        paintIcon(m_painter, m_row.isExpanded ? Icon::ChevronDown : Icon::ChevronRight,
                  QRectF(kChevron, std::round(middle - 7), 14, 14), chrome().text2);
        paintRunName({kName, std::round(middle - height / 2), line.width() - kName - 8, height},
                     m_row.run == m_scene.arrangement.baseline ? tr("baseline") : QString());
        if (!m_row.isExpanded)
            return;
        paintDeviceNames(m_scene.area.left() - 10);
        QRectF place(kName, m_row.lanesTop, line.width() - kName - 64, kFact);
        for (const QString& fact : compareSubtitle(m_row).split(QStringLiteral(", "))) {
            if (place.bottom() > m_row.top + m_row.height)
                break;
            write(place, fact, uiFont(11), chrome().text2);
            place.translate(0, kFact);
        }
    }
    // A trace that has only totals has no spans, so its lane shows a text instead.
    void paintLane() const
    {
        std::vector<int> devices(static_cast<std::size_t>(m_row.view->devices()));
        std::iota(devices.begin(), devices.end(), 0);
        const bool hasSpans = std::ranges::any_of(devices, [this](int device) {
            return !m_row.view->spans(engine::DeviceId{device}, engine::Track::Kind::Compute)
                        .empty();
        });
        if (m_scene.arrangement.lane == LaneOf::WorstDevice)
            devices = {worstDevice(*m_row.view->metrics(m_row.iteration)).value};
        if (!hasSpans)
            write(lane().adjusted(8, 0, 0, 0), tr("no timeline in this file"), uiFont(11),
                  chrome().text3);
        else if (m_scene.showsDevices())
            paintDevices(m_row.folded);
        else
            paintMean({m_painter, *m_row.view, m_axis, m_colours, m_row.folded}, devices,
                      m_row.window(), lane().top(), lane().height());
    }
    // An arrow with the duration, because the end is beyond the ruler.
    void paintBeyond() const
    {
        const QFont font = uiFont(11, QFont::Medium);
        const QString text = m_scene.rows.time(m_row).withUnit(m_row.window().duration());
        const double width = textWidth(text, font) + 24;
        const QRectF plate(m_axis.right() - width - 4, std::round(lane().center().y() - 8), width,
                           16);
        fill(plate, chrome().surface);
        write(plate.adjusted(4, 0, 0, 0), text, font, chrome().text);
        paintIcon(m_painter, Icon::ChevronRight,
                  QRectF(plate.right() - 16, plate.top() + 1, 14, 14), chrome().text);
    }
    void paintCells() const
    {
        for (const CompareColumn& column : m_scene.columns) {
            const QRectF box(column.left, m_row.top, column.width - 6, m_scene.rows.rowHeight());
            paintCell(column, compareCell(*m_scene.numbers(), m_row, column), box, false);
            for (std::size_t d = 0; d < m_row.lanes.size(); ++d)
                paintCell(
                    column,
                    compareCell(*m_scene.numbers(), m_row, engine::DeviceId{static_cast<int>(d)},
                                column),
                    {box.left(), m_row.lanes[d].computeTop(), box.width(), m_row.lanes[d].compute},
                    true);
        }
    }
    void paintCell(const CompareColumn& column, const CompareCell& cell, const QRectF& box,
                   bool isOfDevice) const
    {
        constexpr double kBar = 54, kBarHeight = 10, kLine = 17;
        const bool isKey = column.title == m_scene.columns.front().title;
        const bool hasBelow = !cell.below.isEmpty() && m_scene.rows.hasTwoLines();
        const QFont font = uiFont(12, isKey ? QFont::Medium : QFont::Normal);
        if (hasBelow)
            write(box.adjusted(0, kLine, 0, 0), cell.below, uiFont(11), chrome().text2, kAtRight);
        write(box.adjusted(0, 0, 0, hasBelow ? -kLine : 0), cell.text, font,
              verdictInk(chrome(), cell.verdict,
                         cell.isHint || isOfDevice ? chrome().text2 : chrome().text),
              kAtRight);
        if (cell.share < 0 || box.width() - textWidth(cell.text, font) - 8 < kBar)
            return;
        const QRectF bar(box.left() + 6, std::round(box.center().y() - kBarHeight / 2), kBar,
                         kBarHeight);
        fill(bar, m_isCurrent ? chrome().pressed : chrome().hover);
        fill({bar.left(), bar.top(), std::round(kBar * cell.share), bar.height()}, chrome().text3);
    }

    const CompareRow& m_row;
    const TimeAxis m_axis;
    const CompareRow* m_baseline; // nullptr: the baseline has another unit, or is this row
    const bool m_isCurrent;
};

// Draws a CompareScene that is not empty.
class ComparePainter : Drawing
{
public:
    ComparePainter(QPainter& painter, const CompareScene& scene, const BoxColours& colours)
        : Drawing{painter, scene, colours}
    { }

    // everything except the rows
    void paintFrame() const
    {
        const double width = m_scene.size.width();
        const QRectF& area = m_scene.area;
        fill({0, 0, width, CompareScene::kRuler}, chrome().surfaceAlt);
        fill({0, area.bottom(), width, TimeCanvas::kLegend}, chrome().surfaceAlt);
        for (const double y :
             {CompareScene::kRuler - 1, area.bottom(), m_scene.size.height() - 1.0})
            fill({0, y, width, 1}, chrome().line);
        const QRectF ruler(area.left(), 0, area.width(), CompareScene::kRuler - 1);
        paintRulerOf(m_scene.rows.rows.front(), ruler);
        const CompareRow* base = m_scene.baseline();
        if (base && base->iteration >= 0) {
            m_painter.save();
            m_painter.setClipRect(ruler);
            paintTriangle(m_painter,
                          {m_scene.axisOf(*base).snappedX(base->window().end) + 1, ruler.bottom()},
                          chrome().text);
            m_painter.restore();
        }
        paintTitles();
    }
    // The rows in sight and, on top of them, what covers several rows or is between them.
    void paintRows() const
    {
        const QRectF& area = m_scene.area;
        const CompareLayout& rows = m_scene.rows;
        const double width = m_scene.size.width(), top = m_scene.scroll,
                     bottom = top + area.height();
        m_painter.translate(0, -top);
        if (!rows.isCompact && rows.hasColumn) {
            fill({area.right(), top, m_scene.columnsWidth(), area.height()}, chrome().surfaceAlt);
            fill({area.right(), top, 1, area.height()}, chrome().line);
        }
        for (const CompareRow& row : rows.rows)
            if (row.top < bottom && row.top + row.height > top)
                paintRow(row);
        int group = 0;
        for (const CompareRow& row : rows.rows)
            if (std::exchange(group, row.group) != row.group)
                paintHead(rows.groups[static_cast<std::size_t>(row.group)], row);
        paintBaselineEnd();
        const CompareNumbers* numbers = m_scene.numbers();
        if (rows.isCompact && numbers && numbers->by == profiler::RankBy::Iteration)
            for (const auto& tie : numbers->ranking.ties)
                paintTie(tie);
        if (!m_scene.isBaselinePinned())
            return;
        const CompareRow& base = *m_scene.baseline();
        const QRectF strip(0, bottom - rows.rowHeight(), width, rows.rowHeight());
        m_painter.setClipRect(strip);
        fill(strip, chrome().surface);
        m_painter.translate(0, strip.top() - base.top);
        paintRow(base);
        fill({0, base.top, width, 1}, chrome().lineStrong);
    }
    void paintMarks() const
    {
        const QRectF& area = m_scene.area;
        const CompareScene::Mark& selected = m_scene.selected;
        m_painter.save();
        m_painter.setClipRect(area);
        if (const QRectF box = m_scene.boxOf(m_scene.hover);
            !box.isEmpty() && m_scene.hover != selected)
            fillFrame(m_painter, box, 1, chrome().text);
        if (const QRectF box = m_scene.boxOf(selected); !box.isEmpty())
            fillFrame(m_painter, box.adjusted(-2, -2, 2, 2), 2, chrome().text);
        const bool isRange = selected.selection.kind == Selection::Kind::Range && selected.row >= 0;
        if (isRange)
            paintRange(m_painter, m_scene.axisOf(m_scene.row(selected.row)), theme(),
                       selected.selection.window, area);
        m_painter.restore();
        if (!isRange)
            return;
        const CompareRow& row = m_scene.row(selected.row);
        const TimeAxis axis = m_scene.axisOf(row);
        paintRangeBand(m_painter, m_scene.rows.ruler(row, axis), axis, theme(),
                       {selected.selection.window,
                        QRectF(area.left(), 0, area.width(), CompareScene::kRuler)});
    }
    QStringList paintLegend() const
    {
        std::vector<LegendRun> shown;
        for (const CompareRow& row : m_scene.rows.rows)
            shown.push_back({row.view, m_scene.axisOf(row).ticksPerPixel()});
        const bool hasBoxes = m_scene.showsDevices()
            || std::ranges::any_of(m_scene.rows.rows, &CompareRow::isExpanded);
        Legend legend = legendOf(shown, m_colours,
                                 m_scene.rows.hasColumn && !m_scene.rows.isCompact
                                     ? LegendDetail::ComputeAndMemory
                                     : hasBoxes ? LegendDetail::TimeOnly
                                                : LegendDetail::Coverage);
        const bool hasIntervals = std::ranges::any_of(
            m_scene.rows.rows, [](const CompareRow& row) { return row.most > 0; });
        if (hasIntervals)
            legend.left.push_back({profiler::LegendEntry::Look::Interval,
                                   {fromQt(chrome().text)},
                                   tr("end, 95 % interval").toStdString(),
                                   {}});
        if (m_scene.rows.isCompact)
            legend.note = hiddenRuns();
        if (legend.note.isEmpty() && m_scene.rows.isCompact && m_scene.showsDevices())
            legend.note = tr("rows: device 0 at the top");
        return app::paintLegend(
            m_painter, legend, m_colours,
            {0, m_scene.area.bottom(), m_scene.size.width(), TimeCanvas::kLegend});
    }

private:
    // in coordinates of the rows before scrolling
    void paintRow(const CompareRow& row) const
    {
        if (m_scene.rows.isCompact)
            RowPainter(*this, row).paintCompact();
        else
            RowPainter(*this, row).paintTall();
        fill({0, row.top + row.height - 1, m_scene.size.width(), 1},
             m_scene.rows.isCompact ? chrome().grid : chrome().line);
    }
    void paintRulerOf(const CompareRow& row, const QRectF& strip) const
    {
        const TimeAxis axis = m_scene.axisOf(row);
        m_painter.save();
        m_painter.setClipRect(strip);
        paintRuler(m_painter, m_scene.rows.ruler(row, axis), axis, theme(), strip);
        m_painter.restore();
    }
    // The titles of the columns beside the ruler. The column that ranks the runs has an arrow.
    void paintTitles() const
    {
        const double height = CompareScene::kRuler - 1, left = m_scene.area.left();
        if (!m_scene.rows.isCompact) {
            const CompareRow& first = m_scene.rows.rows.front();
            write({24, 0, left - 24, height},
                  m_scene.rows.ruler(first, m_scene.axisOf(first)).title, uiFont(11),
                  chrome().text2);
            write({m_scene.area.right() + 16, 0, m_scene.columnsWidth() - 16, height},
                  tr("Iteration"), uiFont(11), chrome().text2);
            return;
        }
        const QFont font = uiFont(12, QFont::Medium);
        write({0, 0, kRankRight + 8, height}, tr("Rank"), font, chrome().text2, kAtRight);
        write({kName, 0, left - kName, height}, tr("Run"), font, chrome().text2);
        write({kName, 0, left - kName - 8, height},
              m_scene.rows.time(m_scene.rows.rows.front()).unit(), uiFont(11), chrome().text2,
              kAtRight); // of the ruler
        for (const CompareColumn& column : m_scene.columns) {
            const CompareNumbers& numbers = *m_scene.numbers();
            const bool isRanked
                = numbers.by == column.ranksBy && column.shows == CompareColumn::Shows::Value;
            const QRectF box(column.left, 0, column.width - 6, height);
            write(box, column.title, font, isRanked ? chrome().text : chrome().text2, kAtRight);
            if (isRanked)
                paintIcon(m_painter,
                          numbers.direction == profiler::RankOrder::BestFirst ? Icon::ChevronUp
                                                                              : Icon::ChevronDown,
                          QRectF(box.right() - textWidth(column.title, font) - 12, 8, 10, 10),
                          chrome().text2);
        }
    }
    // A strip above a group whose runs are not ranked with those above. If they have another unit,
    // it has their ruler.
    void paintHead(const CompareGroup& group, const CompareRow& first) const
    {
        const QRectF strip(0, group.headTop, m_scene.size.width(), group.headHeight());
        fill(strip, group.hasRuler ? chrome().warningTint : chrome().surfaceAlt);
        if (group.hasRuler)
            paintRulerOf(
                first,
                {m_scene.area.left(), strip.top() + 14, m_scene.area.width(), strip.height() - 14});
        fill({0, strip.bottom() - 1, strip.width(), 1}, chrome().line);
        const QFont font = uiFont(11);
        if (!group.hasRuler) {
            write(strip.adjusted(24, 0, -24, 0),
                  group.haveOlderWeights
                      ? tr("Older weights: asynchronous schemes are not ranked and "
                           "not on the Pareto front.")
                      : tr("%1: ranked separately")
                            .arg(capitalized(fromUtf8(engine::modeAdjective(group.mode)))),
                  font, chrome().text2);
            return;
        }
        paintText(m_painter, QPointF(24, strip.top() + 14),
                  group.isInUnits
                      ? tr("In abstract units, on a separate scale: not comparable with the times "
                           "above.")
                      : tr("In measured time, on a separate scale: not comparable with the units "
                           "above."),
                  font, chrome().warning);
        paintText(m_painter, QPointF(24, strip.bottom() - 8),
                  m_scene.rows.ruler(first, m_scene.axisOf(first)).title, font, chrome().text2);
    }
    // A dashed line from the first to the last row that is compared with the baseline.
    void paintBaselineEnd() const
    {
        double top = -1, bottom = 0;
        const CompareRow* base = m_scene.baseline();
        if (!base || base->iteration < 0)
            return;
        for (const CompareRow& row : m_scene.rows.rows) {
            if (&row != base && !m_scene.baselineOf(row))
                continue;
            top = top < 0 ? row.top : top;
            bottom = row.top + row.height;
        }
        const QRectF& area = m_scene.area;
        if (m_scene.isBaselinePinned())
            bottom = std::max(bottom, m_scene.scroll + area.height());
        const double x = m_scene.axisOf(*base).snappedX(base->window().end);
        if (x < area.left() || x > area.right())
            return;
        QPen pen(chrome().text, 1);
        pen.setDashPattern({4, 3});
        m_painter.setPen(pen);
        m_painter.drawLine(QPointF(x + 0.5, top), QPointF(x + 0.5, bottom));
    }
    // A bracket at the right of consecutive runs that share a rank by iteration, with the interval
    // of the difference between the first and the last.
    void paintTie(const profiler::Ranking::Tie& tie) const
    {
        constexpr double kAfter = 14, kHook = 5, kInset = 6;
        const CompareNumbers& numbers = *m_scene.numbers();
        const auto& order = numbers.ranking.order;
        const double right = m_scene.area.right();
        double x = 0, top = 0, bottom = 0;
        for (std::size_t k = tie.first; k <= tie.last; ++k) {
            const CompareRow* row = m_scene.rows.rowOf(order[k]);
            if (!row || row->iteration < 0)
                continue;
            const double end = std::max(row->most, static_cast<double>(row->window().duration()));
            x = std::max(
                x,
                m_scene.axisOf(*row).snappedX(static_cast<double>(row->window().begin) + end)
                    + kAfter);
            top = k == tie.first ? row->top + kInset : top;
            bottom = row->top + m_scene.rows.rowHeight() - kInset;
        }
        if (x + kHook > right)
            return;
        fill({x + kHook, top, 1, bottom - top}, chrome().text);
        for (const double y : {top, bottom - 1})
            fill({x, y, kHook, 1}, chrome().text);
        const auto between
            = numbers.comparison.change("iteration", order[tie.last], order[tie.first]);
        const QFont bold = uiFont(11, QFont::Medium);
        const QString text = between && between->by.spread == profiler::Spread::Exact
            ? tr("equal")
            : tr("not distinguishable");
        const QRectF plate(x + kHook + 6, (top + bottom) / 2 - 16, textWidth(text, bold) + 4, 32);
        if (!between || plate.right() > right)
            return;
        fill(plate, chrome().surface);
        write(plate.adjusted(0, 0, 0, -16), text, bold, chrome().text);
        write(plate.adjusted(0, 16, 0, 0),
              numbers.spreadText(comparedMeasure("iteration"), *between), uiFont(11),
              chrome().text2, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip);
    }
    // The number of runs below the visible ones, and the slowest of them.
    QString hiddenRuns() const
    {
        const double bottom = m_scene.scroll + m_scene.area.height();
        int hidden = 0;
        const CompareRow* slowest = nullptr;
        for (const CompareRow& row : m_scene.rows.rows) {
            if (row.top + m_scene.rows.rowHeight() <= bottom)
                continue;
            ++hidden;
            if (!slowest || row.duration() > slowest->duration())
                slowest = &row;
        }
        if (!slowest)
            return {};
        return tr("%1 below; the slowest, %2, takes %3")
            .arg(countOf(hidden, "run"), slowest->name,
                 m_scene.rows.time(*slowest).withUnit(slowest->window().duration()));
    }
};

constexpr double kNear = 4; // a drag starts at most this many pixels from the end of an op

} // namespace

std::optional<OpEndDrag::Found> OpEndDrag::find(const CompareScene& scene, QPointF at) const
{
    const CompareRow* to = m_run < 0 ? nullptr : scene.rows.rowOf(static_cast<std::size_t>(m_run));
    if (to == nullptr || scene.rows.isCompact)
        return std::nullopt;
    for (const double left : {kNear, 0.0}) {
        const CompareScene::Mark mark = scene.hit(at - QPointF(left, 0));
        if (mark.selection.kind != Selection::Kind::Op || mark.selection.window.duration() <= 0
            || std::abs(scene.boxOf(mark).right() - at.x()) > kNear
            || scene.row(mark.row).view->run().schedule != to->view->run().schedule)
            continue;
        if (const auto changed = scene.opIn(*to, mark.selection.op))
            return Found{mark, *changed};
    }
    return std::nullopt;
}

// Stores the time scale for the whole drag, because the view may be fitted again meanwhile.
std::optional<CompareScene::Mark> OpEndDrag::begin(const CompareScene& scene, QPointF at)
{
    const auto found = find(scene, at);
    if (!found)
        return std::nullopt;
    m_isActive = true;
    m_ticksPerPixel = scene.axisOf(scene.row(found->at.row)).ticksPerPixel();
    m_before = found->at.selection.window.duration();
    m_now = found->changed.selection.window.duration();
    return found->changed;
}

double OpEndDrag::moved(double pixels)
{
    const std::int64_t least = std::max<std::int64_t>(1, m_before / 100);
    const std::int64_t now = std::max<std::int64_t>(
        least, std::llround(static_cast<double>(m_before) + pixels * m_ticksPerPixel));
    return static_cast<double>(now) / static_cast<double>(std::exchange(m_now, now));
}

CompareWidget::CompareWidget(const ThemeController& theme, QWidget* parent)
    : TimeCanvas(QStringLiteral("compare"), theme, parent)
{
    setAccessibleName(tr("Comparison of runs"));
    setViews({}, 0);
}

void CompareWidget::setViews(std::vector<RunViewPointer> views, std::size_t baseline,
                             const RunNames& names)
{
    const bool isOther = views.size() != m_scene.runs.size();
    m_scene.setRuns(std::move(views), baseline, names);
    QStringList labels;
    for (const RunViewPointer& view : m_scene.runs)
        labels << fromUtf8(view->run().info.label);
    endHover();
    setSelected({});
    setAccessibleDescription(labels.join(QStringLiteral(", ")));
    if (m_scene.runs.empty())
        setEmptyState(EmptyState::Texts{
            Icon::Compare, tr("Nothing to compare yet"), tr("Tick two or more runs."), {}});
    else
        setEmptyState(std::nullopt);
    relayout();
    if (isOther) {
        forgetHistory();
        moveTo(m_scene.fit(), Remember::No);
    }
}

void CompareWidget::replaceView(std::size_t run, RunViewPointer view)
{
    const CompareScene::Mark mark = m_scene.selected;
    const bool isSelected = mark.row >= 0 && m_scene.row(mark.row).run == run;
    m_scene.runs[run] = std::move(view);
    endHover();
    keepFit([this] { relayout(); });
    if (!isSelected)
        return;
    const auto now = mark.selection.kind == Selection::Kind::Op
        ? m_scene.opIn(m_scene.row(mark.row), mark.selection.op)
        : std::nullopt;
    setSelected(now.value_or(CompareScene::Mark()));
}

void CompareWidget::setNumbers(CompareNumbersPointer numbers)
{
    keepFit([&] { // the columns change the width of the time area
        m_scene.arrangement.numbers = std::move(numbers);
        setSelected({}); // the order of the rows may change
        orderRows();
    });
}

void CompareWidget::setPredictedPeak(std::size_t run, std::int64_t bytes)
{
    if (std::exchange(m_scene.arrangement.predictedPeaks[run], bytes) != bytes)
        keepFit([this] { relayout(); });
}

void CompareWidget::setBaseline(std::size_t run)
{
    m_scene.arrangement.baseline = run;
    setSelected({}); // the order of the rows may change
    relayout();
}

void CompareWidget::setCurrent(int run)
{
    if (run == std::exchange(m_scene.current, run) || run < 0)
        return;
    if (const CompareRow* row = m_scene.chosen(); row && isCompact()) {
        const double height = timeArea().height() - 2 * m_scene.rows.rowHeight();
        if (row->top < scrollY() || row->top > scrollY() + height)
            scrollTo(static_cast<int>(row->top - height / 2));
    }
    contentChanged();
}

void CompareWidget::setExpanded(std::size_t run, bool isExpanded)
{
    if (isExpanded)
        m_scene.arrangement.expanded.insert(run);
    else
        m_scene.arrangement.expanded.erase(run);
    setSelected({});
    relayout();
}

void CompareWidget::setLane(LaneOf lane)
{
    m_scene.arrangement.lane = lane;
    relayout();
}

void CompareWidget::setAlign(CompareAlign align)
{
    m_scene.arrangement.align = align;
    relayout();
    moveTo(m_scene.fit(), Remember::No);
}

void CompareWidget::setGhost(bool hasGhost)
{
    m_scene.hasGhost = hasGhost;
    contentChanged();
}

void CompareWidget::setEditable(int run)
{
    m_opEnd.setRun(run);
    unsetCursor();
}

void CompareWidget::orderRows()
{
    m_scene.arrangement.order.clear();
    relayout();
}

void CompareWidget::relayout()
{
    const bool wasCompact = isCompact();
    m_scene.layout(size());
    layoutScrollBar(m_scene.contentHeight());
    if (wasCompact != isCompact())
        Q_EMIT styleChanged();
}

void CompareWidget::updateAxis()
{
    m_scene.window = inSight();
    m_scene.dpr = devicePixelRatioF();
    m_scene.scroll = scrollY();
}

void CompareWidget::paintCanvas(QPainter& painter)
{
    const ComparePainter comparison(painter, m_scene, colours());
    comparison.paintFrame();
    const QSizeF size(m_scene.size.width(), m_scene.area.height());
    painter.drawPixmap(QPointF(0, m_scene.area.top()),
                       m_rows.get(pictureKey(size), look().chrome.surface, [this](QPainter& on) {
                           ComparePainter(on, m_scene, colours()).paintRows();
                       }));
    comparison.paintMarks();
    setHiddenLegend(comparison.paintLegend());
}

std::optional<ViewWindow> CompareWidget::selectedBox() const
{
    const CompareScene::Mark& selected = m_scene.selected;
    return selected.row < 0
        ? std::nullopt
        : std::optional(m_scene.shareOf(m_scene.row(selected.row), selected.selection.window));
}

void CompareWidget::setSelected(const CompareScene::Mark& mark)
{
    if (mark == m_scene.selected)
        return;
    m_scene.selected = mark;
    update();
    const int run = mark.row < 0 ? -1 : static_cast<int>(m_scene.row(mark.row).run);
    Q_EMIT selectionChanged(run, mark.selection);
    if (run >= 0)
        choose(run);
}

void CompareWidget::selectAndReveal(const CompareScene::Mark& mark)
{
    setSelected(mark);
    const CompareRow& row = m_scene.row(mark.row);
    reveal(m_scene.shareOf(row, mark.selection.window));
    const double top = row.lanesTop + mark.selection.device.value * row.pitch;
    const double pinned = isCompact() ? m_scene.rows.rowHeight() : 0;
    revealLane(top - CompareLayout::kTitle, top + row.pitch + pinned);
}

void CompareWidget::choose(int run)
{
    if (run == m_scene.current)
        return;
    setCurrent(run);
    Q_EMIT runChosen(run);
}

void CompareWidget::click(QPointF at)
{
    if (const auto by = m_scene.rankAt(at)) {
        Q_EMIT rankRequested(*by);
        return;
    }
    const CompareScene::Mark mark = m_scene.hit(at);
    if (mark.row < 0 || mark.selection.kind != Selection::Kind::None)
        return setSelected(mark);
    const std::size_t run = m_scene.row(mark.row).run;
    setSelected({});
    choose(static_cast<int>(run));
    if (m_scene.isChevron(mark, at))
        setExpanded(run, !isExpanded(run));
}

void CompareWidget::contextMenuEvent(QContextMenuEvent* event)
{
    const bool isAboutChosen
        = event->reason() == QContextMenuEvent::Keyboard && m_scene.current >= 0;
    const CompareRow* row
        = event->pos().y() < CompareScene::kRuler ? nullptr : m_scene.rowAt(event->pos());
    if (!isAboutChosen && row == nullptr)
        return;
    const int index = isAboutChosen ? m_scene.current : static_cast<int>(row->run);
    const auto run = static_cast<std::size_t>(index);
    QMenu menu(this);
    menu.addAction(tr("Open timeline"), this, [this, index] { Q_EMIT openRequested(index); });
    menu.addAction(tr("Set as baseline"), this, [this, index] { Q_EMIT baselineRequested(index); });
    if (isCompact())
        menu.addAction(isExpanded(run) ? tr("Hide devices") : tr("Show devices"), this,
                       [this, run] { setExpanded(run, !isExpanded(run)); });
    menu.exec(event->globalPos());
}

bool CompareWidget::hover(QPointF at)
{
    if (m_opEnd.isAt(m_scene, at))
        setCursor(Qt::SplitHCursor);
    else
        unsetCursor();
    const CompareScene::Mark under = m_scene.hit(at);
    return under != std::exchange(m_scene.hover, under);
}

std::optional<ViewWindow> CompareWidget::openAt(QPointF at)
{
    if (at.y() < CompareScene::kRuler && at.x() >= timeArea().left()) {
        zoomToFit();
        return std::nullopt;
    }
    const CompareScene::Mark mark = m_scene.hit(at);
    const CompareRow* row = at.y() < CompareScene::kRuler ? nullptr : m_scene.rowAt(at);
    if (row && at.x() < timeArea().left() && mark.selection.kind == Selection::Kind::None
        && !m_scene.isChevron(mark, at))
        Q_EMIT openRequested(static_cast<int>(row->run)); // the name of the run
    if (mark.row < 0 || mark.selection.kind == Selection::Kind::None)
        return std::nullopt;
    setSelected(mark);
    return selectedBox();
}

bool CompareWidget::ownPress(QMouseEvent& event)
{
    const auto changed = event.button() == Qt::LeftButton && event.modifiers() == Qt::NoModifier
        ? m_opEnd.begin(m_scene, event.position())
        : std::nullopt;
    if (changed)
        setSelected(*changed);
    return changed.has_value();
}

void CompareWidget::ownDrag(QPointF from, QPointF to)
{
    if (const double ratio = m_opEnd.moved(to.x() - from.x()); ratio != 1)
        Q_EMIT opScaled(ratio, false);
}

void CompareWidget::mouseReleaseEvent(QMouseEvent* event)
{
    TimeCanvas::mouseReleaseEvent(event);
    if (m_opEnd.end())
        Q_EMIT opScaled(1, true);
}

bool CompareWidget::ownKey(int key, Qt::KeyboardModifiers)
{
    if (isCompact() && key >= Qt::Key_1 && key <= Qt::Key_4) {
        Q_EMIT rankRequested(kSorts[key - Qt::Key_1]);
        return true;
    }
    const bool isOnRow = isCompact() && m_scene.selected.row < 0;
    if (isOnRow && (key == Qt::Key_Up || key == Qt::Key_Down)) {
        choose(static_cast<int>(m_scene.steppedRun(key == Qt::Key_Up ? -1 : 1)));
        return true;
    }
    const auto run = static_cast<std::size_t>(std::max(0, m_scene.current));
    if (isOnRow && (key == Qt::Key_Return || key == Qt::Key_Enter) && m_scene.current >= 0) {
        setExpanded(run, !isExpanded(run));
        return true;
    }
    const bool isFolded = m_scene.current < 0 || !isExpanded(run);
    if (!isWalkKey(key) || (isOnRow && isFolded))
        return false;
    if (const auto to = m_scene.walkedTo(key))
        selectAndReveal(*to);
    return true;
}

void CompareWidget::resizeEvent(QResizeEvent*)
{
    keepFit([this] { orderRows(); });
}

} // namespace app
