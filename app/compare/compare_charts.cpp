#include "app/compare/compare_charts.h"

#include "app/ui/text.h"
#include "engine/base/median.h"
#include "engine/schedule/notation.h"
#include "profiler/study/chart_pareto.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using profiler::ChartCanvas;
using profiler::ChartScale;
using profiler::Colour;
using profiler::MarkedScene;
using profiler::ParetoPoint;
using profiler::Rect;
using profiler::Text;

constexpr double kText = profiler::kChartText;
constexpr std::size_t kBest = 8; // runs of the chart of causes

// Shortens the title of a run to a width, but not the "#3" at its end, which distinguishes runs.
std::string shortened(const QString& title, double width)
{
    const qsizetype number = title.lastIndexOf(QStringLiteral(" #"));
    const QString end = number < 0 ? QString() : title.mid(number);
    QString start = title.chopped(end.size()), whole = title;
    while (profiler::textWidth(whole.toStdString()) > width && start.size() > 2) {
        start.chop(1);
        whole = start + QStringLiteral("\u2026") + end;
    }
    return whole.toStdString();
}

// Draws one sample and name per part, as far as they fit.
void drawLegend(ChartCanvas& canvas, const std::vector<BarPart>& parts, double x,
                const ChartLook& look)
{
    for (const BarPart& part : parts) {
        const std::string name = part.name.toStdString();
        const double width = 16 + profiler::textWidth(name);
        if (x + width > look.style.width)
            return;
        canvas.box({x, 10, kText, kText - 1}, part.fill);
        canvas.text(x + 16, 10 + kText - 2, name);
        x += width + 16;
    }
}

} // namespace

double BarRow::total() const
{
    double sum = 0;
    for (const BarPart& part : parts)
        sum += part.value;
    return sum;
}

MarkedScene barChart(const QString& title, const std::vector<BarRow>& rows, const Scale& unit,
                     const ChartLook& look)
{
    constexpr double kTop = 30, kAxis = 22, kLeast = 14, kMost = 30, kMostName = 170, kTotal = 64;
    if (rows.empty())
        return profiler::emptyChart(look.style, "No run to show");
    ChartCanvas canvas(look.style);
    std::vector<profiler::SceneMark> marks;
    const double room = (look.style.height - kTop - kAxis) / static_cast<double>(rows.size());
    const double step = std::clamp(std::floor(room), kLeast, kMost);
    double name = 0, longest = 1e-9;
    std::vector<BarPart> legend;
    for (const BarRow& row : rows) {
        name = std::max(name, profiler::textWidth(row.title.toStdString()));
        longest = std::max(longest, row.total());
        for (const BarPart& part : row.parts)
            if (std::ranges::count(legend, part.name, &BarPart::name) == 0)
                legend.push_back(part);
    }
    const double left = std::min(kMostName, name) + 24;
    ChartScale scale = profiler::scaleOf({0, longest}, left, look.style.width - kTotal);
    scale.most = longest;
    const std::string heading = title.toStdString();
    const std::string what = unit.unit().toStdString() + ", mean of devices";
    const double legendAt = 24 + profiler::textWidth(heading) * 1.1;
    canvas.text(12, 10 + kText - 2, heading, Text::Anchor::Start, {look.style.ink, true});
    canvas.text(legendAt, 10 + kText - 2, what);
    drawLegend(canvas, legend, legendAt + profiler::textWidth(what) + 20, look);
    const double bottom = kTop + step * static_cast<double>(rows.size());
    for (double at = 0; at <= scale.most * (1 + 1e-9); at += scale.step) {
        canvas.line({scale(at), kTop}, {scale(at), bottom}, 0.5, look.style.grid);
        canvas.text(scale(at), bottom + 15,
                    number(at, scale.step < 1 ? unit.decimals() : 0).toStdString(),
                    Text::Anchor::Middle);
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const BarRow& row = rows[r];
        const double top = kTop + step * static_cast<double>(r), base = top + step / 2 + kText / 3;
        if (row.isApart)
            canvas.line({0, top}, {look.style.width, top}, 0.75, look.style.text);
        canvas.text(left - 12, base, shortened(row.title, kMostName), Text::Anchor::End,
                    {look.style.ink});
        double before = 0;
        for (const BarPart& part : row.parts) {
            const Rect box{scale(before), top + 2, scale(before + part.value) - scale(before) - 1,
                           step - 4};
            before += part.value;
            if (box.width < 0.5)
                continue;
            canvas.box(box, part.fill,
                       part.isBubble ? profiler::HatchLines::Rising : profiler::HatchLines::None);
            const std::string text = number(part.value, unit.decimals()).toStdString();
            const Colour ink = look.palette.inkOn(part.fill);
            if (profiler::textWidth(text) + 6 < box.width
                && profiler::contrast(ink, part.fill) >= profiler::kSmallestInk)
                canvas.text(box.x + box.width / 2, base, text, Text::Anchor::Middle, {ink});
        }
        canvas.text(scale(before) + 6, base, number(before, unit.decimals()).toStdString(),
                    Text::Anchor::Start, {look.style.ink});
        marks.push_back({row.run, {0, top, look.style.width, step}, r});
    }
    return canvas.finish(std::move(marks));
}

namespace {

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

} // namespace

std::vector<BarRow> causeRows(const CompareNumbers& numbers, const QStringList& titles, int current,
                              const profiler::Palette& palette)
{
    std::vector<BarRow> rows;
    for (const std::size_t run : causeRuns(numbers, current)) {
        const profiler::ComparedRun& of = numbers.comparison.runs[run];
        const profiler::TimeParts parts = timeParts(of);
        const auto value = [&](double ticks) { return numbers.inTime(run, ticks); };
        // fill, wait and drain use three greys of the palette, which also colour memory.
        rows.push_back({run,
                        titles.value(static_cast<qsizetype>(run)),
                        {{QStringLiteral("fill"), palette.optimizerState, value(parts.fill)},
                         {QStringLiteral("wait"), palette.gradients, value(parts.wait)},
                         {QStringLiteral("exposed communication"), palette.exposed(),
                          value(parts.communication)},
                         {QStringLiteral("drain"), palette.weights, value(parts.drain)}},
                        of.hasOlderWeights && !rows.empty()
                            && !numbers.comparison.runs[rows.back().run].hasOlderWeights});
    }
    return rows;
}

BarRow timeRow(std::size_t run, const QString& title, const profiler::ComparedRun& of,
               const Scale& time, const profiler::Palette& palette)
{
    using engine::OpKind;
    BarRow row{run, title, {}, false};
    const auto add = [&](const QString& name, Colour fill, double ticks, bool isBubble = false) {
        if (ticks > 0)
            row.parts.push_back({name, fill, ticks / time.perUnit(), isBubble});
    };
    const auto addOp = [&](OpKind kind) {
        engine::Op op;
        op.kind = kind;
        add(fromUtf8(engine::kindTitle(kind)).toLower(), palette.fill(op, 0),
            of.metrics.mean(
                [kind](const profiler::DeviceMetrics& device) { return device.byKind[kind]; }));
    };
    for (const OpKind kind : {OpKind::Forward, OpKind::Recompute, OpKind::Backward,
                              OpKind::BackwardInput, OpKind::BackwardWeight})
        addOp(kind);
    add(QStringLiteral("exposed communication"), palette.exposed(), of.meanExposed);
    addOp(OpKind::OptimizerStep);
    add(QStringLiteral("bubble"), palette.bubbleSolid, of.meanBubble, true);
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
    QString text = row.title;
    for (const BarPart& part : row.parts)
        text += QStringLiteral("\n%1 %2 %3")
                    .arg(part.name, number(part.value, unit.decimals()), unit.unit());
    return text;
}

namespace {

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
    constexpr double kMuchSlower = 1.6;
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

} // namespace

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
            point.label = shortened(titles.value(static_cast<qsizetype>(point.point)), kMostName);
            point.label += point.isSquare ? ", older weights" : "";
        }
        if (point.y > y.most)
            point.label += (point.label.empty() ? "" : ", ")
                + number(point.y, numbers.time().decimals()).toStdString();
    }
    return canvas.finish(drawPareto(canvas, points, x, y, profiler::FrontEnds::AtEdges));
}

namespace {

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
