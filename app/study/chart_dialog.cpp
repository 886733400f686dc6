#include "app/study/chart_dialog.h"

#include "app/study/study_charts.h"
#include "profiler/study/edit_study.h"

#include <QComboBox>
#include <QLineEdit>

#include <algorithm>

namespace app {
namespace {

using Kind = profiler::StudyChart::Kind;

std::string nameOf(Kind kind)
{
    return std::string(profiler::StudyChart::kKinds[static_cast<std::size_t>(kind)]);
}

// A new chart: the iteration by a suitable axis, at the first value of each other axis.
profiler::StudyChart newChart(const profiler::Study& study)
{
    const std::vector<std::string> axes = chartAxes(study, StudyPanel::Lines);
    const profiler::StudyPoint first = pointsOf(study).front();
    return chartOver(study, Kind::Lines, metricName(profiler::StudyMetric::Iteration),
                     axes.empty() ? std::string() : axes.front(), first);
}

} // namespace

ChartDialog::ChartDialog(const profiler::Study& study, std::size_t chart, QWidget* parent)
    : PartDialog(study, chart < study.charts.size() ? tr("Chart") : tr("New chart"), parent)
    , m_chart(chart)
{
    setObjectName(QStringLiteral("chartDialog"));
    const bool isNew = chart >= study.charts.size();
    const profiler::StudyChart shown = isNew ? newChart(study) : study.charts[chart];
    m_title
        = addLine(tr("Title"), "chartTitle", isNew ? tr("Iteration").toStdString() : shown.title);
    m_kind = addChoice(tr("Kind"), "chartKind",
                       {{tr("Lines"), nameOf(Kind::Lines)},
                        {tr("Bars"), nameOf(Kind::Bars)},
                        {tr("Heat map"), nameOf(Kind::HeatMap)},
                        {tr("Pareto front"), nameOf(Kind::Pareto)},
                        {tr("Map of the best"), nameOf(Kind::PhaseMap)}},
                       nameOf(shown.kind));
    m_y = addChoice(tr("Value"), "chartY", columnChoices(study), shown.y);
    m_x = addChoice(tr("Along x"), "chartX", axisChoices(study), shown.x);
    m_xColumn = addChoice(tr("Along x"), "chartXColumn", columnChoices(study),
                          shown.kind == Kind::Pareto ? shown.x : "peak_stash");
    m_series = addChoice(tr("Series"), "chartSeries", axisChoices(study), shown.series);
    m_rows = addChoice(tr("Rows"), "chartRows", axisChoices(study), shown.rows);
    addAxes(tr("All values"), shown.where);
    addButtons();
}

void ChartDialog::apply(profiler::Study& study)
{
    profiler::StudyChart chart;
    const auto& kinds = profiler::StudyChart::kKinds;
    chart.kind = static_cast<Kind>(std::ranges::find(kinds, valueOf(m_kind)) - kinds.begin());
    const bool isFront = chart.kind == Kind::Pareto, isMap = chart.kind == Kind::PhaseMap;
    chart.title = m_title->text().toStdString();
    chart.x = valueOf(isFront ? m_xColumn : m_x);
    chart.y = valueOf(m_y);
    chart.series = valueOf(m_series);
    chart.rows = isMap ? valueOf(m_rows) : std::string();
    showRow(m_x, !isFront);
    showRow(m_xColumn, isFront);
    showRow(m_rows, isMap);
    const std::vector<std::string> used = profiler::axesOf(chart);
    for (const profiler::StudyAxis& axis : study.grid)
        showAxis(axis.key, std::ranges::find(used, axis.key) == used.end());
    chart.where = axisValues();
    if (m_chart < study.charts.size())
        study.charts[m_chart] = std::move(chart);
    else
        study.charts.push_back(std::move(chart));
}

} // namespace app
