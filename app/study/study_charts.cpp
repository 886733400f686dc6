#include "app/study/study_charts.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/base/field.h"
#include "profiler/study/metric_text.h"
#include "profiler/study/point_summary.h"
#include "profiler/study/study_file.h"

#include <algorithm>
#include <array>

namespace app {
namespace {

using profiler::Study;
using profiler::StudyAxis;
using profiler::StudyChart;
using profiler::StudyMetric;
using ChartKind = StudyChart::Kind;

StudyPanel panelOf(ChartKind kind)
{
    switch (kind) {
    case ChartKind::HeatMap:
    case ChartKind::PhaseMap:
        return StudyPanel::Map;
    case ChartKind::Pareto:
        return StudyPanel::Front;
    case ChartKind::Lines:
    case ChartKind::Bars:
        break;
    }
    return StudyPanel::Lines;
}

bool isKnown(const StudyData& data, StudyMetric metric)
{
    return std::ranges::any_of(data.results, [metric](const profiler::StudyResult& result) {
        return result.values.of[metric].has_value();
    });
}

// Returns the names of the quantities that a chart can show: bubble and iteration, the other
// metrics that some result has, and the ratios of the study.
std::vector<std::string> quantities(const StudyData& data, StudyPanel panel)
{
    constexpr std::array kMetrics{StudyMetric::Bubble,          StudyMetric::Iteration,
                                  StudyMetric::TokensPerSecond, StudyMetric::Mfu,
                                  StudyMetric::PeakBytes,       StudyMetric::PeakStash,
                                  StudyMetric::Weights,         StudyMetric::Messages};
    std::vector<std::string> names;
    for (const StudyMetric metric : kMetrics)
        if (isKnown(data, metric) || metric == StudyMetric::Bubble
            || metric == StudyMetric::Iteration)
            names.emplace_back(metricName(metric));
    for (const profiler::StudyRatio& ratio : data.study.ratios)
        names.push_back(ratio.name);
    if (panel == StudyPanel::Lines) // the map starts with the bubble, the lines with the iteration
        std::swap(names[0], names[1]);
    return names;
}

bool isNumeric(const StudyAxis& axis)
{
    return std::ranges::all_of(axis.values, [](const std::string& value) {
        return engine::parseNumber(value).has_value();
    });
}

// Uses the compared axis as the series of a chart, and fixes all axes that the chart does not use
// at the values of `point`.
StudyChart through(const Study& study, ChartKind kind, std::string_view x, std::string_view y,
                   const profiler::StudyPoint& point)
{
    StudyChart chart;
    chart.kind = kind;
    chart.x = x;
    chart.y = y;
    chart.series = study.comparedAxis()->key;
    for (std::size_t i = 0; i < study.grid.size(); ++i)
        if (const std::string& key = study.grid[i].key;
            key != chart.series && (chart.kind == ChartKind::Pareto || key != chart.x))
            chart.where[key] = point.values[i];
    return chart;
}

void addFronts(const StudyData& data, const profiler::StudyPoint& point,
               std::vector<ChartChoice>& choices)
{
    const std::string memory(metricName(
        isKnown(data, StudyMetric::PeakBytes) ? StudyMetric::PeakBytes : StudyMetric::PeakStash));
    for (const StudyMetric metric :
         {StudyMetric::Iteration, StudyMetric::TokensPerSecond, StudyMetric::Bubble})
        if (isKnown(data, metric) || metric == StudyMetric::Iteration)
            choices.push_back(
                {QStringLiteral("%1 against memory")
                     .arg(fromUtf8(metricTitle(metric)).section(QLatin1Char(','), 0, 0)),
                 through(data.study, ChartKind::Pareto, memory, metricName(metric), point), false});
}

} // namespace

std::vector<std::string> chartAxes(const Study& study, StudyPanel panel)
{
    const StudyAxis* const compared = study.comparedAxis();
    std::vector<const StudyAxis*> axes;
    for (const StudyAxis& axis : study.grid)
        if (&axis != compared)
            axes.push_back(&axis);
    const auto rank = [panel](const StudyAxis* axis) {
        const bool isCount = axis->key == "micro-batches" || axis->key == "devices";
        const bool isPreferred = panel == StudyPanel::Map ? axis->key == "micro-batches" : !isCount;
        return std::tuple(axis->values.size() < 2, !(isPreferred && isNumeric(*axis)),
                          !isNumeric(*axis));
    };
    std::ranges::stable_sort(axes, {}, rank);
    std::vector<std::string> keys;
    for (const StudyAxis* axis : axes)
        keys.push_back(axis->key);
    if (keys.empty() && compared != nullptr)
        keys.push_back(compared->key);
    return keys;
}

std::vector<ChartChoice> chartChoices(const StudyData& data, StudyPanel panel,
                                      const std::string& axis, std::size_t at)
{
    const profiler::StudyPoint& point = data.points[at];
    std::vector<ChartChoice> choices;
    for (const StudyChart& chart : data.study.charts)
        if (panelOf(chart.kind) == panel)
            choices.push_back({QString::fromStdString(chart.title), chart, true});
    if (panel == StudyPanel::Front) {
        addFronts(data, point, choices);
        return choices;
    }
    const std::string x = axis.empty() ? chartAxes(data.study, panel).front() : axis;
    const bool hasOneAxis = x == data.study.comparedAxis()->key;
    const ChartKind kind = hasOneAxis ? ChartKind::Bars
        : panel == StudyPanel::Map    ? ChartKind::HeatMap
                                      : ChartKind::Lines;
    for (const std::string& name : quantities(data, panel))
        choices.push_back(
            {fromUtf8(columnTitle(data, name)), through(data.study, kind, x, name, point), false});
    return choices;
}

std::size_t firstPoint(const StudyData& data)
{
    std::vector<std::string> values = data.points.front().values;
    if (!data.study.charts.empty())
        for (std::size_t i = 0; i < values.size(); ++i)
            if (const auto at = data.study.charts.front().where.find(data.study.grid[i].key);
                at != data.study.charts.front().where.end())
                values[i] = at->second;
    const std::size_t start = pointAt(data.study, values).value_or(0);
    return summarizePoint(data, start).best.value_or(start);
}

QString whereText(const StudyChart& chart)
{
    return fromUtf8(profiler::whereText(chart.where));
}

double gridSize(const Study& study)
{
    double points = 1;
    for (const profiler::StudyAxis& axis : study.grid)
        points *= static_cast<double>(axis.values.size());
    return points;
}

QString summaryText(const Study& study, const StudyPointer& results, double seconds)
{
    const QString count = countOf(static_cast<std::int64_t>(gridSize(study)),
                                  study.isMeasured() ? "run" : "simulation");
    if (results == nullptr || results->study != study || results->done() == 0)
        return QStringLiteral("%1, not computed yet").arg(count);
    if (results->done() < results->points.size())
        return QStringLiteral("%1 of %2 done").arg(results->done()).arg(count);
    return seconds > 0 ? QStringLiteral("%1, %2 s").arg(count, number(seconds, 1)) : count;
}

QString gridText(const Study& study)
{
    QStringList axes;
    for (const StudyAxis& axis : study.grid)
        axes.append(
            (axes.isEmpty() ? QStringLiteral("%1 values of %2") : QStringLiteral("%1 of %2"))
                .arg(axis.values.size())
                .arg(fromUtf8(profiler::optionWord(axis.key))));
    return axes.join(QStringLiteral(" × "));
}

QString modeText(const Study& study)
{
    constexpr std::array<const char*, 3> kModes{"simulated", "emulated", "live"};
    return QString::fromLatin1(kModes[static_cast<std::size_t>(study.mode)]);
}

} // namespace app
