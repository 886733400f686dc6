#include "app/compare/compare_numbers.h"

#include "app/ui/table_model.h"
#include "app/ui/text.h"
#include "engine/base/median.h"
#include "engine/base/try.h"
#include "engine/schedule/notation.h"

#include <algorithm>
#include <cmath>
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

} // namespace app
