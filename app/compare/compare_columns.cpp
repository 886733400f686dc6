#include "app/compare/compare_columns.h"

#include "app/compare/compare_painter.h"
#include "app/timeline/view/translate.h"

#include <algorithm>
#include <cmath>

namespace app {
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
