#include "app/widgets/compare/comparison_panels.h"

#include "app/models/tables/runs_model.h"
#include "app/models/time_shares.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/data_table.h"
#include "app/widgets/controls/where_time_goes.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace app {
namespace {

constexpr int kChartWidth = 424, kLeastChart = 232;
constexpr int kHead = 32, kNoteHeight = 56;

// The run that is described first: the shortest one except the baseline.
int shortestRun(const profiler::Comparison& comparison)
{
    std::size_t shortest = comparison.baseline;
    for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
        const bool isFirst = shortest == comparison.baseline;
        const auto duration = comparison.runs[run].metrics.duration;
        if (run != comparison.baseline
            && (isFirst || duration < comparison.runs[shortest].metrics.duration))
            shortest = run;
    }
    return static_cast<int>(shortest);
}

} // namespace

ComparisonPanels::ComparisonPanels(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_model(new CompareModel(this))
    , m_table(named(new DataTable(theme, 31), "compareTable", tr("Differences")))
    , m_sentence(named(makeLabel({}, "small"), "sentence"))
    , m_chartUnit(makeLabel({}, "hint"))
    , m_mode(new Tag(theme))
    , m_chart(new WhereTimeGoes(theme))
    , m_columns(makeSplitter(Qt::Horizontal))
{
    m_table->setModel(m_model);
    m_sentence->setWordWrap(true);
    m_columns->addWidget(makeTables());
    m_chartPanel = makeChart();
    m_columns->addWidget(m_chartPanel);
    m_columns->setStretchFactor(0, 1);
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_columns);
    // A splitter that the user has moved stays where it is.
    connect(m_columns, &QSplitter::splitterMoved, this, [this] { m_isWidthChosen = true; });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ComparisonPanels::showSentence);
}

QWidget* ComparisonPanels::makeTables()
{
    auto* head
        = makeBar(kHead, 8, {makeLabel(tr("Difference from baseline"), "dock"), kStretch, m_mode});
    auto* note = spaced(
        new QHBoxLayout, {12, 10, 12, 10}, 10,
        {{new IconLabel(m_theme, Icon::Info, &Chrome::text2), 0, Qt::AlignTop}, {m_sentence, 1}});

    auto* tables = makeSurface("plain");
    spaced(new QVBoxLayout(tables), {}, 0, {head, makeLine(Qt::Horizontal), {m_table, 1}, note})
        ->addStretch(0); // limits the table to the height of its rows
    return tables;
}

QWidget* ComparisonPanels::makeChart()
{
    auto* head
        = makeBar(kHead, 8, {makeLabel(tr("Time by category"), "dock"), m_chartUnit, kStretch});
    auto* chart = makeSurface("plain");
    chart->setMinimumWidth(kLeastChart);
    spaced(new QVBoxLayout(chart), {}, 0, {head, makeLine(Qt::Horizontal), {m_chart, 1}});
    return chart;
}

void ComparisonPanels::show(const profiler::Comparison& comparison, const QStringList& titles,
                            const engine::RunInfo& baseline)
{
    m_model->show(comparison, titles);
    m_table->fitRows();
    m_table->selectRow(shortestRun(comparison));
    showBars(titles, baseline);
    m_mode->setText(modeText(baseline));
    showSentence();
}

void ComparisonPanels::showBars(const QStringList& titles, const engine::RunInfo& baseline)
{
    const profiler::Comparison& comparison = m_model->comparison();
    Scale scale = timeScale(baseline, comparison.runs[comparison.baseline].metrics.duration);
    if (!comparison.comparable) {
        m_chartUnit->setText(tr("available only for runs in one unit"));
        m_chart->show({});
        return;
    }
    std::vector<WhereTimeGoes::Bar> bars;
    for (const profiler::ComparedRun& compared : comparison.runs) {
        if (baseline.inUnits())
            scale.perUnit = static_cast<double>(compared.ticksPerUnit);
        bars.push_back(
            {titles.value(static_cast<qsizetype>(bars.size())), timeShares(compared), scale});
    }
    m_chartUnit->setText(tr("%1, mean of devices").arg(scale.unit));
    m_chart->show(std::move(bars));
}

void ComparisonPanels::showSentence()
{
    const profiler::Comparison& comparison = m_model->comparison();
    const int row = m_table->currentIndex().row();
    if (row < 0 || row >= static_cast<int>(comparison.runs.size())) {
        m_sentence->clear();
        return;
    }
    m_sentence->setText(
        QString::fromStdString(profiler::summarize(comparison, static_cast<std::size_t>(row)))
        + QLatin1Char('.'));
}

int ComparisonPanels::fittingHeight() const
{
    return kHead + 1 + m_table->fittingHeight() + kNoteHeight;
}

void ComparisonPanels::shareWidth()
{
    const int width = m_columns->width();
    const int chart = std::min(kChartWidth, width - m_table->neededWidth());
    m_chartPanel->setVisible(chart >= kLeastChart);
    if (!m_isWidthChosen && chart >= kLeastChart)
        m_columns->setSizes({width - chart, chart});
}

} // namespace app
