#include "app/compare/comparison_panels.h"

#include "app/compare/compare_charts.h"
#include "app/compare/compare_numbers.h"
#include "app/documents/runs_model.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"
#include "app/ui/verdict.h"
#include "engine/schedule/notation.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>
#include <utility>

namespace app {

using profiler::ComparedRun;

namespace {

// A number of each run, in the unit of the column; nullopt: unknown, which comes last.
struct RunValue
{
    std::function<std::optional<double>(std::size_t run)> value;
    std::function<QString(std::size_t run)> text; // of a known value
    std::size_t baseline = 0;
    int decimals = 0;
    bool isComparable = true;
    Verdict ofMore = Verdict::Worse;
};

// Makes a column of values, each with its difference from the baseline.
TableColumn<std::size_t> valueColumn(const ColumnTitle& title, const RunValue& of)
{
    const auto change = [of](std::size_t run) -> std::optional<double> {
        const auto own = of.value(run), base = of.value(of.baseline);
        if (run == of.baseline || !of.isComparable || !own || !base)
            return std::nullopt;
        return *own - *base;
    };
    return TableColumn<std::size_t>(
               title,
               [of](std::size_t run) { return of.value(run) ? of.text(run) : QStringLiteral("–"); })
        .sortedBy([of](std::size_t run) {
            return SortValue(of.value(run).value_or(std::numeric_limits<double>::infinity()));
        })
        .with(kDifferenceRole,
              [=](std::size_t run) {
                  const auto by = change(run);
                  return by ? signedNumber(*by, of.decimals) : QVariant();
              })
        .with(kVerdictRole, [=](std::size_t run) {
            const auto by = change(run);
            return static_cast<int>(
                by ? differenceVerdict(*by, *of.value(of.baseline), of.decimals, of.ofMore)
                   : Verdict::Neutral);
        });
}

} // namespace

int RunTable::rowOf(int run) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (static_cast<int>(at(row)) == run)
            return row;
    return -1;
}

void CompareModel::show(profiler::Comparison comparison, QStringList titles)
{
    m_comparison = std::move(comparison);
    m_titles = std::move(titles);
    std::vector<std::size_t> runs(m_comparison.runs.size());
    std::iota(runs.begin(), runs.end(), std::size_t{0});
    reset(columns(), std::move(runs));
}

// Omits columns without a number. Shows the mode only if the modes differ or a run was
// oversubscribed.
CompareModel::Columns CompareModel::columns()
{
    m_dispensable.clear();
    const auto& runs = m_comparison.runs;
    Columns columns = {
        {tr("Run"), [this](std::size_t run) { return m_titles.value(static_cast<qsizetype>(run)); },
         Qt::AlignLeft}};
    const auto mode = [this](std::size_t run) {
        const ComparedRun& compared = m_comparison.runs[run];
        const QString name = fromUtf8(engine::modeAdjective(compared.mode));
        return compared.isOversubscribed ? tr("%1, oversubscribed").arg(name) : name;
    };
    if (std::ranges::any_of(runs, [&](const ComparedRun& run) {
            return run.mode != runs[0].mode || run.isOversubscribed;
        }))
        columns.emplace_back(tr("Mode"), mode, Qt::AlignLeft).with(kHintRole, kAlways);
    const auto addIfAny = [&](const ColumnTitle& title, const Quantity& quantity) {
        if (std::ranges::any_of(
                runs, [&](const ComparedRun& run) { return quantity.value(run).has_value(); }))
            columns.push_back(column(title, quantity));
    };
    const auto addDispensable = [&](const ColumnTitle& title, const Quantity& quantity) {
        const auto before = columns.size();
        addIfAny(title, quantity);
        if (columns.size() > before)
            m_dispensable.insert(m_dispensable.begin(), static_cast<int>(before));
    };
    std::int64_t peak = 0;
    for (const ComparedRun& run : runs)
        peak = std::max(peak, run.peakBytes.value_or(0));
    const Scale bytes = byteScale(peak);
    const Quantity iteration{[](const ComparedRun& run) { return run.metrics.duration; }};
    const auto addTime = [&](const QString& name, const Quantity& quantity) {
        addIfAny(m_comparison.comparable && !runs.empty()
                     ? ColumnTitle(tr("%1, %2").arg(name, QStringLiteral("%1")),
                                   scaleOf(m_comparison.baseline, iteration))
                     : ColumnTitle(name),
                 quantity);
    };
    addTime(tr("Iteration"), iteration);
    addTime(tr("Compute"), {&ComparedRun::meanCompute});
    addTime(tr("Exposed comm."), {&ComparedRun::meanExposed});
    addTime(tr("Bubble"), {&ComparedRun::meanBubble});
    // If no run recorded bytes, the stash column replaces the peak column.
    if (std::ranges::any_of(runs, [](const ComparedRun& run) { return run.peakBytes.has_value(); }))
        addIfAny({tr("Peak, %1"), bytes}, {&ComparedRun::peakBytes, bytes});
    else
        addIfAny(tr("Stash, Mₐ"), {&ComparedRun::peakStash, Scale{1, 1, {}}});
    addDispensable(tr("Messages"),
                   {[](const ComparedRun& run) { return run.metrics.messages; }, Scale{1, 0, {}}});
    addIfAny(tr("k tokens/s"),
             {[](const ComparedRun& run) { return run.metrics.tokensPerSecond; },
              Scale{1000, 1, {}}, true});
    addDispensable(
        tr("MFU, %"),
        {[](const ComparedRun& run) { return run.metrics.mfu; }, Scale{0.01, 1, {}}, true});
    addSettings(columns);
    return columns;
}

void CompareModel::addSettings(Columns& columns)
{
    for (const profiler::Difference& difference : m_comparison.differences) {
        if (difference.title == "mode")
            continue;
        m_dispensable.insert(m_dispensable.begin(), static_cast<int>(columns.size()));
        const auto value = [difference](std::size_t run) {
            const std::string& known = difference.values[run];
            const bool isOption = difference.title.starts_with('-');
            return !known.empty() ? fromUtf8(known)
                : isOption        ? tr("default")
                                  : QStringLiteral("–");
        };
        columns.push_back(
            TableColumn<std::size_t>(fromUtf8(difference.title), value, Qt::AlignLeft)
                .sortedBy([value](std::size_t run) { return settingSort(value(run)); }));
    }
}

TableColumn<std::size_t> CompareModel::column(const ColumnTitle& title,
                                              const Quantity& quantity) const
{
    const auto value = [=, this](std::size_t run) {
        auto known = quantity.value(m_comparison.runs[run]);
        return known ? std::optional(*known / scaleOf(run, quantity).perUnit()) : std::nullopt;
    };
    const auto text = [=, this](std::size_t run) {
        const Scale scale = scaleOf(run, quantity);
        const double ticks = *quantity.value(m_comparison.runs[run]);
        const bool hasOwnUnit = !quantity.scale && !m_comparison.comparable;
        return hasOwnUnit ? scale.withUnit(ticks) : scale.text(ticks);
    };
    const std::size_t baseline = m_comparison.baseline;
    return valueColumn(title,
                       {value, text, baseline, scaleOf(baseline, quantity).decimals(),
                        quantity.scale || m_comparison.comparable,
                        quantity.isMoreBetter ? Verdict::Better : Verdict::Worse});
}

// Times are shown in the unit of the baseline if the runs are comparable.
Scale CompareModel::scaleOf(std::size_t run, const Quantity& quantity) const
{
    if (quantity.scale)
        return *quantity.scale;
    const std::size_t from = m_comparison.comparable ? m_comparison.baseline : run;
    engine::RunInfo info;
    info.ticksPerUnit = m_comparison.runs[from].ticksPerUnit;
    Scale scale = timeScale(info, m_comparison.runs[from].metrics.duration);
    if (info.inUnits())
        scale = {static_cast<double>(m_comparison.runs[run].ticksPerUnit), scale.decimals(),
                 scale.unit()};
    return scale;
}

namespace {

using engine::OpKind;
using profiler::ComparedRun;

constexpr int kMostDeviceColumns = 16;

std::vector<std::size_t> allRuns(const CompareNumbersPointer& numbers)
{
    std::vector<std::size_t> runs(numbers ? numbers->comparison.runs.size() : 0);
    std::iota(runs.begin(), runs.end(), std::size_t{0});
    return runs;
}

TableColumn<std::size_t> runColumn(const QStringList& titles)
{
    return {OperationModel::tr("Run"),
            [titles](std::size_t run) { return titles.value(static_cast<qsizetype>(run)); },
            Qt::AlignLeft};
}

double meanOf(const ComparedRun& run, const std::vector<OpKind>& kinds)
{
    double sum = 0;
    for (const OpKind kind : kinds)
        sum += run.metrics.mean(
            [kind](const profiler::DeviceMetrics& device) { return device.byKind[kind]; });
    return sum;
}

// Returns -1 for a device that the run does not have or that has no trace.
double bubbleShare(const ComparedRun& run, int device)
{
    const engine::DeviceId id{device};
    return run.metrics.devices.has(id) && run.metrics.devices[id].isRecorded()
        ? static_cast<double>(run.metrics.devices[id].bubble)
            / static_cast<double>(run.metrics.duration)
        : -1;
}

// Makes a column of shares in per cent, which is sorted by value. A value below 0 means unknown.
template<class ValueOf>
TableColumn<std::size_t> shareColumn(const QString& title, ValueOf value)
{
    return TableColumn<std::size_t>(title,
                                    [value](std::size_t run) {
                                        return value(run) < 0 ? QStringLiteral("–")
                                                              : number(100 * value(run), 1);
                                    })
        .sortedBy([value](std::size_t run) { return SortValue(value(run)); });
}

} // namespace

void OperationModel::show(CompareNumbersPointer numbers, const QStringList& titles)
{
    m_numbers = std::move(numbers);
    Columns columns{runColumn(titles)};
    const std::vector<std::pair<QString, Kinds>> shown{
        {tr("Forward"), {OpKind::Forward}},
        {tr("Backward"), {OpKind::Backward, OpKind::BackwardInput, OpKind::BackwardWeight}},
        {tr("of which W"), {OpKind::BackwardWeight}},
        {tr("Recompute"), {OpKind::Recompute}},
        {tr("Optimizer"), {OpKind::OptimizerStep}}};
    for (const auto& [title, kinds] : shown) {
        const bool occurs = m_numbers
            && std::ranges::any_of(m_numbers->comparison.runs,
                                   [&](const ComparedRun& run) { return meanOf(run, kinds) > 0; });
        if (occurs)
            columns.push_back(column(title, kinds));
    }
    reset(std::move(columns), allRuns(m_numbers));
}

double OperationModel::timeOf(std::size_t run, const Kinds& kinds) const
{
    return m_numbers->inTime(run, meanOf(m_numbers->comparison.runs[run], kinds));
}

QString OperationModel::toolTip(std::size_t run, const Kinds& kinds) const
{
    QStringList lines;
    for (const OpKind kind : kinds) {
        const auto median = m_numbers->ops[run].median(kind);
        if (!median)
            continue;
        const int decimals = m_numbers->time().decimals() + 1;
        lines << tr("%1: %2 ops, median %3 %4")
                     .arg(fromUtf8(engine::kindTitle(kind)))
                     .arg(m_numbers->ops[run].of[kind].size())
                     .arg(number(m_numbers->inTime(run, *median), decimals),
                          m_numbers->time().unit());
    }
    return lines.join(QLatin1Char('\n'));
}

TableColumn<std::size_t> OperationModel::column(const QString& title, const Kinds& kinds) const
{
    const int decimals = m_numbers->time().decimals();
    const auto value = [=, this](std::size_t run) {
        const double time = timeOf(run, kinds);
        return time > 0 ? std::optional(time) : std::nullopt;
    };
    const auto text = [=](std::size_t run) { return number(value(run).value_or(0), decimals); };
    return valueColumn({tr("%1, %2").arg(title, QStringLiteral("%1")), m_numbers->time()},
                       {value, text, m_numbers->comparison.baseline, decimals,
                        m_numbers->comparison.comparable})
        .with(Qt::ToolTipRole, [=, this](std::size_t run) { return toolTip(run, kinds); });
}

void DeviceModel::show(CompareNumbersPointer numbers, const QStringList& titles)
{
    m_numbers = std::move(numbers);
    Columns columns{runColumn(titles)};
    int devices = 0;
    for (const std::size_t run : allRuns(m_numbers))
        devices = std::max(
            devices, static_cast<int>(m_numbers->comparison.runs[run].metrics.devices.size()));
    if (m_numbers)
        std::ranges::move(devices > kMostDeviceColumns ? summaryColumns() : deviceColumns(devices),
                          std::back_inserter(columns));
    reset(std::move(columns), allRuns(m_numbers));
}

DeviceModel::Columns DeviceModel::deviceColumns(int devices) const
{
    Columns columns;
    for (int device = 0; device < devices; ++device)
        columns.push_back(
            shareColumn(tr("Device %1, bubble %").arg(device), [this, device](std::size_t run) {
                return bubbleShare(m_numbers->comparison.runs[run], device);
            }));
    return columns;
}

DeviceModel::Columns DeviceModel::summaryColumns() const
{
    const auto extreme = [this](std::size_t run, bool isLargest) {
        const ComparedRun& compared = m_numbers->comparison.runs[run];
        double found = -1;
        for (int d = 0; d < static_cast<int>(compared.metrics.devices.size()); ++d) {
            const double share = bubbleShare(compared, d);
            if (share >= 0 && (found < 0 || isLargest == (share > found)))
                found = share;
        }
        return found;
    };
    return {shareColumn(tr("Least bubble, %"),
                        [extreme](std::size_t run) { return extreme(run, false); }),
            shareColumn(tr("Mean, %"),
                        [this](std::size_t run) {
                            return m_numbers->comparison.runs[run].metrics.bubbleRatio;
                        }),
            shareColumn(tr("Largest bubble, %"),
                        [extreme](std::size_t run) { return extreme(run, true); })};
}

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
