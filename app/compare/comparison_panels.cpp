#include "app/compare/comparison_panels.h"

#include "app/compare/compare_charts.h"
#include "app/compare/compare_numbers.h"
#include "app/documents/runs_model.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {
namespace {

constexpr int kChartWidth = 424, kLeastChart = 208;
// Widths of the panel beside the tables of ranked runs: kReasonText without a chart, otherwise from
// kLeastReason to kReasonWidth.
constexpr int kReasonText = 232, kReasonWidth = 606, kLeastReason = 480;
constexpr int kLeastTablesWidth = 560; // least width of the tables beside this panel
constexpr int kPaddingToGive = 40;     // the table may lose this much padding for a chart beside it
constexpr int kHead = 32, kNoteHeight = 56;

// Returns the run that the panels show first: the one with the shortest iteration, except the
// baseline. Prefers runs with the unit of the baseline.
int shortestRun(const CompareNumbers& numbers)
{
    const std::size_t baseline = numbers.comparison.baseline;
    const auto duration = [&numbers](std::size_t run) {
        const auto ticks = static_cast<double>(numbers.comparison.runs[run].metrics.duration);
        return std::pair(!numbers.isInUnitOfBaseline(run), numbers.inTime(run, ticks));
    };
    std::size_t shortest = baseline;
    for (std::size_t run = 0; run < numbers.comparison.runs.size(); ++run)
        if (run != baseline && (shortest == baseline || duration(run) < duration(shortest)))
            shortest = run;
    return static_cast<int>(shortest);
}

} // namespace

ComparisonPanels::ComparisonPanels(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_model(new CompareModel(this))
    , m_operations(new OperationModel(this))
    , m_devices(new DeviceModel(this))
    , m_table(makeTable("compareTable", tr("Differences"), m_model))
    , m_operationTable(makeTable("operationTable", tr("Per operation"), m_operations))
    , m_deviceTable(makeTable("deviceTable", tr("Bubble per device"), m_devices))
    , m_causes(new CauseBars(theme))
    , m_distribution(new DurationHistogram(theme))
    , m_tabs(named(new QTabBar, "compareTabs", tr("Tables and charts")))
    , m_stack(new QStackedWidget)
    , m_sideStack(new QStackedWidget)
    , m_sentence(named(makeLabel({}, "small"), "sentence"))
    , m_chartUnit(makeLabel({}, "hint"))
    , m_reason(named(makeLabel({}), "winReason"))
    , m_reasonNumbers(named(makeLabel({}, "hint"), "winNumbers"))
    , m_mode(new Tag(theme))
    , m_chart(new WhereTimeGoes(theme))
    , m_pareto(new ParetoChart(theme))
    , m_columns(makeSplitter(Qt::Horizontal))
{
    for (QLabel* label : {m_sentence, m_reason, m_reasonNumbers}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_columns->addWidget(makeTables());
    m_side = makeSide();
    m_columns->addWidget(m_side);
    m_columns->setStretchFactor(0, 1);
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_columns);
    connect(&theme, &ThemeController::unitsChanged, this, &ComparisonPanels::showBars);
    // Once the user has moved the splitter, shareWidth() no longer moves it.
    connect(m_columns, &QSplitter::splitterMoved, this, [this] {
        m_isWidthChosen = true;
        showMode(m_columns->sizes().front());
    });
    for (CompareChart* chart :
         {static_cast<CompareChart*>(m_causes), static_cast<CompareChart*>(m_pareto)})
        connect(chart, &CompareChart::runChosen, this, [this](int run) {
            setCurrent(run);
            Q_EMIT runChosen(run);
        });
    connect(m_pareto, &ParetoChart::onlyRequested, this, &ComparisonPanels::onlyRequested);
}

DataTable* ComparisonPanels::makeTable(const char* name, const QString& title,
                                       QAbstractItemModel* model)
{
    auto* table = named(new DataTable(m_theme, 31), name, title);
    table->setModel(model);
    table->horizontalHeader()->setSectionsClickable(true);
    table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table->setSortingEnabled(true);
    connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, model](const QModelIndex& index) { chooseRow(model, index.row()); });
    return table;
}

void ComparisonPanels::chooseRow(const QAbstractItemModel* model, int row)
{
    if (row >= 0 && row < model->rowCount()) {
        const auto* runs = static_cast<const TableModel<std::size_t>*>(model);
        const int run = static_cast<int>(runs->at(row));
        if (run != m_current) {
            setCurrent(run);
            Q_EMIT runChosen(run);
        }
    }
    showSentence();
}

QWidget* ComparisonPanels::makeTables()
{
    setLook(m_tabs, "kind", QStringLiteral("dock"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setElideMode(Qt::ElideNone);
    for (const QString& name : {tr("Differences"), tr("Per operation"), tr("Per device"),
                                tr("Causes of bubbles"), tr("Distribution")})
        m_tabs->addTab(name);
    connect(m_tabs, &QTabBar::currentChanged, m_stack, &QStackedWidget::setCurrentIndex);
    m_stack->addWidget(makeDifferences());
    for (QWidget* page :
         std::initializer_list<QWidget*>{m_operationTable, m_deviceTable, m_causes, m_distribution})
        m_stack->addWidget(page);
    auto* head = makeBar(kHead, 8, {{m_tabs, 1}, m_mode});
    auto* tables = makeSurface("plain");
    spaced(new QVBoxLayout(tables), {}, 0, {head, makeLine(Qt::Horizontal), {m_stack, 1}});
    return tables;
}

QWidget* ComparisonPanels::makeDifferences()
{
    auto* note = spaced(
        new QHBoxLayout, {12, 10, 12, 10}, 10,
        {{new IconLabel(m_theme, Icon::Info, &Chrome::text2), 0, Qt::AlignTop}, {m_sentence, 1}});
    auto* page = makeSurface("plain");
    spaced(new QVBoxLayout(page), {}, 0, {{m_table, 1}, note})
        ->addStretch(0); // limits the table to the height of its rows
    return page;
}

QWidget* ComparisonPanels::makeSide()
{
    m_sideStack->addWidget(makeTimeChart());
    m_sideStack->addWidget(makeReason());
    showSide(0);
    return m_sideStack;
}

// Ignores the sizes of the hidden pages. Otherwise the stack would be as wide as its widest page.
void ComparisonPanels::showSide(int page)
{
    m_sideStack->setCurrentIndex(page);
    for (int k = 0; k < m_sideStack->count(); ++k)
        m_sideStack->widget(k)->setSizePolicy(
            k == page ? QSizePolicy::Preferred : QSizePolicy::Ignored, QSizePolicy::Preferred);
}

QWidget* ComparisonPanels::makeTimeChart()
{
    auto* head
        = makeBar(kHead, 8, {makeLabel(tr("Time by category"), "dock"), m_chartUnit, kStretch});
    auto* chart = makeSurface("plain");
    spaced(new QVBoxLayout(chart), {}, 0, {head, makeLine(Qt::Horizontal), {m_chart, 1}});
    return chart;
}

QWidget* ComparisonPanels::makeReason()
{
    auto* text = makeSurface("plain");
    text->setFixedWidth(kReasonText);
    auto* lines = makeSurface("plain");
    spaced(new QVBoxLayout(lines), {14, 12, 12, 12}, 10, {m_reason, m_reasonNumbers})
        ->addStretch(1);
    spaced(new QVBoxLayout(text), {}, 0,
           {makeBar(kHead, 8, {makeLabel(tr("Why rank 1 wins"), "dock"), kStretch}),
            makeLine(Qt::Horizontal),
            {makeScroll(lines), 1}});
    auto* chart = makeSurface("plain");
    m_paretoPanel = chart;
    spaced(new QVBoxLayout(chart), {}, 0,
           {makeBar(kHead, 8, {makeLabel(tr("Iteration against peak memory"), "dock"), kStretch}),
            makeLine(Qt::Horizontal),
            {m_pareto, 1}});
    auto* both = makeSurface("plain");
    spaced(new QHBoxLayout(both), {}, 0, {text, makeLine(Qt::Vertical), {chart, 1}});
    return both;
}

void ComparisonPanels::show(const CompareNumbersPointer& numbers, const QStringList& titles,
                            const engine::RunInfo& baseline)
{
    m_numbers = numbers;
    const profiler::Comparison& comparison = numbers->comparison;
    if (m_current >= static_cast<int>(comparison.runs.size()))
        m_current = -1;
    m_model->show(comparison, titles);
    m_operations->show(numbers, titles);
    m_devices->show(numbers, titles);
    m_causes->show(numbers, titles);
    m_pareto->show(numbers, titles);
    m_distribution->show(numbers, titles);
    m_table->setDispensable(m_model->dispensable());
    m_table->fitRows();
    m_titles = titles;
    m_baseline = baseline;
    showBars();
    m_mode->setText(modeText(baseline));
    const int best = m_isRanked ? static_cast<int>(numbers->bestAndBaseline(1, -1).front())
                                : shortestRun(*numbers);
    setCurrent(m_current >= 0 ? m_current : best);
    showReason();
}

void ComparisonPanels::clear()
{
    m_numbers = nullptr;
    m_current = -1;
    m_model->clear();
    m_operations->show(nullptr, {});
    m_devices->show(nullptr, {});
    m_causes->show(nullptr, {});
    m_pareto->show(nullptr, {});
    m_distribution->show(nullptr, {});
}

void ComparisonPanels::setPanel(Panel panel)
{
    m_tabs->setCurrentIndex(static_cast<int>(panel));
}

void ComparisonPanels::setCurrent(int run)
{
    m_current = run;
    if (!m_numbers || run >= static_cast<int>(m_numbers->comparison.runs.size()))
        run = -1; // the numbers of this run arrive with the next show()
    const auto select = [](DataTable* table, int row) {
        const QSignalBlocker blocker(table->selectionModel());
        table->selectRow(row);
        table->scrollTo(table->model()->index(row, 0));
        table->viewport()->update();
    };
    select(m_table, m_model->rowOf(run));
    select(m_operationTable, m_operations->rowOf(run));
    select(m_deviceTable, m_devices->rowOf(run));
    m_causes->setCurrent(run);
    m_pareto->setCurrent(run);
    m_distribution->setCurrent(run);
    showSentence();
}

void ComparisonPanels::setRanked(bool isRanked)
{
    if (isRanked == std::exchange(m_isRanked, isRanked))
        return;
    showSide(isRanked ? 1 : 0);
    showBars();
    setPanel(isRanked ? Panel::Causes : Panel::Differences);
    m_table->sortByColumn(isRanked ? 1 : -1, Qt::AscendingOrder);
    shareWidth();
}

void ComparisonPanels::showBars()
{
    const profiler::Comparison& comparison = m_model->comparison();
    m_chart->show({});
    if (m_isRanked || !m_numbers)
        return;
    Scale scale = timeScale(m_baseline, comparison.runs[comparison.baseline].metrics.duration);
    if (!comparison.comparable) {
        m_chartUnit->setText(tr("available only if all runs have the same unit"));
        return;
    }
    std::vector<WhereTimeGoes::Bar> bars;
    for (const profiler::ComparedRun& compared : comparison.runs) {
        if (m_baseline.inUnits())
            scale = {static_cast<double>(compared.ticksPerUnit), scale.decimals(), scale.unit()};
        bars.push_back(
            {m_titles.value(static_cast<qsizetype>(bars.size())), timeShares(compared), scale});
    }
    m_chartUnit->setText(tr("%1, mean of devices").arg(scale.unit()));
    m_chart->show(std::move(bars));
}

void ComparisonPanels::showSentence()
{
    const profiler::Comparison& comparison = m_model->comparison();
    if (m_current < 0 || m_current >= static_cast<int>(comparison.runs.size())) {
        m_sentence->clear();
        return;
    }
    m_sentence->setText(
        QString::fromStdString(profiler::summarize(comparison, static_cast<std::size_t>(m_current)))
        + QLatin1Char('.'));
}

void ComparisonPanels::showReason()
{
    const profiler::WinReason reason = m_numbers->reason();
    m_reason->setText(reason.sentence.empty() ? tr("The only run of its mode is not ranked.")
                                              : QString::fromStdString(reason.sentence));
    m_reasonNumbers->setText(QString::fromStdString(reason.numbers));
}

int ComparisonPanels::fittingHeight() const
{
    constexpr int kRanked = 268; // pixels; fits the cause bars of eight runs and the baseline
    return m_isRanked ? kRanked : kHead + 1 + m_table->fittingHeight() + kNoteHeight;
}

void ComparisonPanels::shareWidth()
{
    const int width = m_columns->width();
    const int room
        = width - (m_isRanked ? kLeastTablesWidth : m_table->neededWidth() - kPaddingToGive);
    if (m_isRanked)
        m_paretoPanel->setVisible(room >= kLeastReason);
    const int most = !m_isRanked ? kChartWidth : room >= kLeastReason ? kReasonWidth : kReasonText;
    const int least = !m_isRanked ? kLeastChart : kReasonText;
    const int side = std::min(most, room);
    m_side->setVisible(side >= least);
    if (!m_isWidthChosen && side >= least)
        m_columns->setSizes({width - side, side});
    showMode(side < least ? width : m_isWidthChosen ? m_columns->sizes().front() : width - side);
}

// Hides the mode, which the summary also shows, if the tabs need the width.
void ComparisonPanels::showMode(int width)
{
    constexpr int kMargins = 32;
    m_mode->setVisible(m_tabs->sizeHint().width() + m_mode->sizeHint().width() + kMargins <= width);
}

} // namespace app
