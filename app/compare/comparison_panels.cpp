#include "app/compare/comparison_panels.h"

#include "app/compare/compare_charts.h"
#include "app/documents/run_document.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/definition_text.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "engine/schedule/notation.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>
#include <numeric>

namespace app {

using profiler::ComparedRun;
using profiler::MeasureInfo;

int CompareModel::rowOf(int run) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (static_cast<int>(at(row)) == run)
            return row;
    return -1;
}

void CompareModel::start(const CompareNumbersPointer& numbers, const RunNames& names)
{
    m_numbers = numbers;
    m_made.clear();
    m_dispensable.clear();
    const auto title = [names, numbers](std::size_t run) {
        const QString name = names.titles.value(static_cast<qsizetype>(run));
        return numbers && run == numbers->comparison.baseline ? tr("%1, baseline").arg(name) : name;
    };
    const auto file
        = [names](std::size_t run) { return names.files.value(static_cast<qsizetype>(run)); };
    m_made.emplace_back(tr("Run"), title, Qt::AlignLeft)
        .with(kStrongRole, kAlways)
        .with(kBelowRole, [file](std::size_t run) { return QFileInfo(file(run)).fileName(); })
        .with(Qt::ToolTipRole, [file](std::size_t run) { return toolTipText(file(run)); });
}

// One peak for all runs, so that the MFU of two runs of a machine can be compared.
QVariant CompareModel::headerToolTip(int, const QString& title) const
{
    QString text = definitionText(title);
    if (title.startsWith(QStringLiteral("MFU")) && m_numbers) {
        const engine::RunInfo& base = m_numbers->runs[m_numbers->comparison.baseline]->info;
        text += tr("\n\nOne peak for all runs of a machine, that of the baseline: %1 GFLOP/s per "
                   "device. %2")
                    .arg(number(base.peakFlops / 1e9, 1), fromUtf8(base.peakSource));
    }
    return text.isEmpty() ? QVariant() : QVariant(toolTipText(text));
}

void CompareModel::finish()
{
    std::vector<std::size_t> runs(m_numbers ? m_numbers->comparison.runs.size() : 0);
    std::iota(runs.begin(), runs.end(), std::size_t{0});
    reset(std::move(m_made), std::move(runs));
}

// Shows the mode only if the modes differ or a run was oversubscribed.
void CompareModel::addMode()
{
    const auto& runs = m_numbers->comparison.runs;
    const auto mode = [this](std::size_t index) {
        const QString name = fromUtf8(engine::modeAdjective(run(index).mode));
        return run(index).isOversubscribed ? tr("%1, oversubscribed").arg(name) : name;
    };
    if (std::ranges::any_of(runs, [&](const ComparedRun& one) {
            return one.mode != runs[0].mode || one.isOversubscribed;
        }))
        m_made.emplace_back(tr("Mode"), mode, Qt::AlignLeft).with(kHintRole, kAlways);
}

// Leaves out measures that no run knows. Runs without bytes have their stash in place of memory.
void CompareModel::addMeasures(profiler::Shown flag)
{
    for (const MeasureInfo& measure : profiler::runMeasures()) {
        const bool isKnown
            = std::ranges::any_of(m_numbers->comparison.runs, [&](const ComparedRun& one) {
                  return one.amount(measure.key) != nullptr;
              });
        if ((measure.shown & flag) == 0 || !isKnown
            || (measure.key == "peak_stash" && m_numbers->hasBytes()))
            continue;
        if (measure.key == "mfu" || measure.key == "p2p_messages")
            m_dispensable.insert(m_dispensable.begin(), static_cast<int>(m_made.size()));
        m_made.push_back(measureColumn(measure));
    }
}

// The times of runs without a common unit have their own.
QString CompareModel::value(const MeasureInfo& measure, std::size_t index) const
{
    const profiler::Amount* amount = run(index).amount(measure.key);
    if (amount == nullptr)
        return QStringLiteral("–");
    const profiler::Comparison& all = m_numbers->comparison;
    if (measure.unit != profiler::Unit::Time || all.comparable)
        return m_numbers->scale(measure).text(amount->value);
    const double ticks
        = amount->value * engine::ratio(run(index).ticksPerUnit, all.base().ticksPerUnit);
    engine::RunInfo info;
    info.ticksPerUnit = run(index).ticksPerUnit;
    return timeScale(info, run(index).metrics.duration).withUnit(ticks);
}

CompareModel::Column CompareModel::measureColumn(const MeasureInfo& of) const
{
    const MeasureInfo* measure = &of;
    const auto change = [this, measure](std::size_t index) {
        return index == m_numbers->comparison.baseline
            ? std::nullopt
            : m_numbers->comparison.change(measure->key, index);
    };
    const auto title = [this, measure] {
        const bool isOwn = measure->unit == profiler::Unit::Time && m_numbers
            && !m_numbers->comparison.comparable;
        const QString unit = !m_numbers || isOwn ? QString() : m_numbers->scale(*measure).unit();
        const QString name = fromUtf8(measure->title);
        return unit.isEmpty() ? name : QStringLiteral("%1, %2").arg(name, unit);
    };
    Column column{ColumnTitle(title),
                  [this, measure](std::size_t index) { return value(*measure, index); }};
    column
        .sortedBy([this, measure](std::size_t index) {
            const profiler::Amount* amount = run(index).amount(measure->key);
            return SortValue(amount == nullptr ? std::numeric_limits<double>::infinity()
                                               : amount->value);
        })
        .with(kStrongRole, [measure](std::size_t) { return measure->key == "iteration"; })
        .with(kDifferenceRole,
              [this, measure, change](std::size_t index) {
                  const auto by = change(index);
                  return by ? QVariant(m_numbers->scale(*measure).difference(by->by.value))
                            : QVariant();
              })
        .with(kBelowRole,
              [this, measure, change](std::size_t index) {
                  const auto by = change(index);
                  return by ? QVariant(m_numbers->spreadText(*measure, *by)) : QVariant();
              })
        .with(kVerdictRole, [this, measure](std::size_t index) {
            return static_cast<int>(m_numbers->colour(*measure, index));
        });
    return column;
}

void CompareModel::addSettings()
{
    for (const profiler::Difference& difference : m_numbers->comparison.differences) {
        if (difference.title == "mode")
            continue;
        m_dispensable.insert(m_dispensable.begin(), static_cast<int>(m_made.size()));
        const auto setting = [difference](std::size_t index) {
            const std::string& known = difference.values[index];
            const bool isOption = difference.title.starts_with('-');
            return !known.empty() ? fromUtf8(known)
                : isOption        ? tr("default")
                                  : QStringLiteral("–");
        };
        m_made.push_back(
            Column(fromUtf8(difference.title), setting, Qt::AlignLeft)
                .sortedBy([setting](std::size_t index) { return settingSort(setting(index)); }));
    }
}

void CompareModel::showDifferences(const CompareNumbersPointer& numbers, const RunNames& names)
{
    start(numbers, names);
    if (numbers) {
        addMode();
        addMeasures(profiler::kDifference);
        addSettings();
        for (std::size_t column = 0; column < m_made.size(); ++column) // the times say as much
            if (m_made[column].title.shown() == QStringLiteral("Bubble, %"))
                m_dispensable.insert(m_dispensable.begin(), static_cast<int>(column));
    }
    finish();
}

void CompareModel::showOperations(const CompareNumbersPointer& numbers, const RunNames& names)
{
    start(numbers, names);
    if (numbers)
        addMeasures(profiler::kOperation);
    finish();
}

namespace {

// The bubble shares of the devices of a run that have a trace; nullopt for the others.
std::vector<std::optional<double>> deviceBubbles(const CompareNumbers& numbers, std::size_t run)
{
    std::vector<std::optional<double>> all;
    const profiler::RunMetrics& metrics = numbers.comparison.runs[run].metrics;
    for (const profiler::DeviceMetrics& device : metrics.devices)
        all.push_back(deviceBubble(*numbers.runs[run], metrics, device));
    return all;
}

} // namespace

void CompareModel::showDevices(const CompareNumbersPointer& numbers, const RunNames& names)
{
    constexpr std::size_t kMostColumns = 16;
    using Shares = std::vector<std::optional<double>>;
    start(numbers, names);
    std::vector<Shares> shares; // by run
    std::size_t devices = 0;
    for (std::size_t run = 0; numbers && run < numbers->runs.size(); ++run) {
        shares.push_back(deviceBubbles(*numbers, run));
        devices = std::max(devices, shares.back().size());
    }
    const auto add = [&](const QString& title, const auto& of) {
        const auto value = [shares, of](std::size_t run) { return of(shares[run]); };
        m_made.push_back(
            Column(QStringLiteral("%1, %").arg(title), [value](std::size_t run) {
                const std::optional<double> share = value(run);
                return share ? number(100 * *share, 1) : QStringLiteral("–");
            }).sortedBy([value](std::size_t run) { return SortValue(value(run).value_or(-1)); }));
    };
    const QString bubble = fromUtf8(comparedMeasure("bubble_ratio").title).toLower();
    for (std::size_t device = 0; device < devices && devices <= kMostColumns; ++device)
        add(tr("Device %1, %2").arg(device).arg(bubble),
            [device](const Shares& of) { return device < of.size() ? of[device] : std::nullopt; });
    if (devices > kMostColumns) {
        const auto extreme = [](bool isLargest) {
            return [isLargest](Shares of) -> std::optional<double> {
                std::erase(of, std::nullopt);
                if (of.empty())
                    return std::nullopt;
                return isLargest ? std::ranges::max(of) : std::ranges::min(of);
            };
        };
        add(tr("Least %1").arg(bubble), extreme(false));
        add(tr("Largest %1").arg(bubble), extreme(true));
    }
    finish();
}

namespace {

constexpr int kTabs = 36, kHead = 32, kNote = 38;
constexpr int kTablesWidth = 560, kParetoWidth = 530, kLeastPareto = 300; // pixels

} // namespace

ComparisonPanels::ComparisonPanels(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_differences(new CompareModel(this))
    , m_operations(new CompareModel(this))
    , m_devices(new CompareModel(this))
    , m_table(makeTable("compareTable", tr("Differences"), m_differences))
    , m_operationTable(makeTable("operationTable", tr("Per operation"), m_operations))
    , m_deviceTable(makeTable("deviceTable", tr("Bubble per device"), m_devices))
    , m_causes(makeChart("causeBars", tr("Causes of bubbles")))
    , m_durations(makeChart("durationHistogram", tr("Distribution of op durations")))
    , m_times(makeChart("timeBars", tr("Time by category")))
    , m_pareto(makeChart("paretoChart", tr("Iteration against peak memory")))
    , m_kind(named(new QComboBox, "histogramKind", tr("Kind of op")))
    , m_only(makeButton({}, QStringLiteral("compareOnly")))
    , m_note(new ElidedLabel("small"))
    , m_tabs(named(new QTabBar, "compareTabs", tr("Tables and charts")))
    , m_stack(new QStackedWidget)
    , m_columns(makeSplitter(Qt::Horizontal))
{
    m_columns->addWidget(makeTabs());
    m_side = makeSide();
    m_side->hide();
    m_columns->addWidget(m_side);
    m_columns->setStretchFactor(0, 1);
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_columns);
    connect(&theme, &ThemeController::unitsChanged, this, &ComparisonPanels::drawCharts);
    connect(m_kind, &QComboBox::activated, this, &ComparisonPanels::drawCharts);
    connect(m_columns, &QSplitter::splitterMoved, this, [this] { m_isWidthChosen = true; });
    m_pareto->setMarking(true);
    const auto only = [this] {
        Q_EMIT onlyRequested({m_pareto->marked().begin(), m_pareto->marked().end()});
    };
    connect(m_only, &QPushButton::clicked, this, only);
    connect(m_pareto, &SceneView::markedOpened, this, only);
    connect(m_pareto, &SceneView::markedChanged, this, [this] {
        m_only->setVisible(m_pareto->marked().size() > 1);
        m_only->setText(tr("Compare only these %1").arg(m_pareto->marked().size()));
    });
}

DataTable* ComparisonPanels::makeTable(const char* name, const QString& title, CompareModel* model)
{
    auto* table = named(new DataTable(m_theme, kTwoLines), name, title);
    table->setModel(model);
    table->horizontalHeader()->setSectionsClickable(true);
    table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table->setSortingEnabled(true);
    connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, model](const QModelIndex& index) {
                if (index.row() >= 0 && index.row() < model->rowCount())
                    choose(static_cast<int>(model->at(index.row())));
            });
    return table;
}

SceneView* ComparisonPanels::makeChart(const char* name, const QString& title)
{
    const auto panel = qstrcmp(name, "causeBars") == 0 ? Panel::Causes
        : qstrcmp(name, "timeBars") == 0               ? Panel::Time
                                                       : Panel::Differences;
    auto* chart = named(
        new SceneView(m_theme, [this, panel](std::size_t run) { return describe(panel, run); }),
        name, title);
    connect(chart, &SceneView::pointChosen, this,
            [this](std::size_t run) { choose(static_cast<int>(run)); });
    return chart;
}

// Differences stands for the Pareto chart, whose points have no panel of their own.
QString ComparisonPanels::describe(Panel panel, std::size_t run) const
{
    if (!m_numbers || run >= m_numbers->comparison.runs.size())
        return {};
    const profiler::Palette& palette = m_theme.theme().palette;
    if (panel == Panel::Differences)
        return pointText(*m_numbers, m_names.titles, run);
    if (panel == Panel::Time)
        return barText(timeRow(run, m_names.titles.value(static_cast<qsizetype>(run)),
                               m_numbers->comparison.runs[run], m_numbers->time(), palette),
                       m_numbers->time());
    for (const BarRow& row : causeRows(*m_numbers, m_names.titles, m_current, palette))
        if (row.run == run)
            return barText(row, m_numbers->time());
    return {};
}

QWidget* ComparisonPanels::makeTabs()
{
    setLook(m_tabs, "kind", QStringLiteral("dock"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setElideMode(Qt::ElideNone);
    for (const QString& name :
         {tr("Differences"), tr("Per operation"), tr("Per device"), tr("Causes of bubbles"),
          tr("Distribution"), tr("Time by category")})
        m_tabs->addTab(name);
    connect(m_tabs, &QTabBar::currentChanged, m_stack, &QStackedWidget::setCurrentIndex);
    auto* differences = makeSurface("plain");
    m_note->setFixedHeight(kNote);
    spaced(new QVBoxLayout(differences), {}, 0,
           {{m_table, 1}, spaced(new QHBoxLayout, {12, 0, 12, 0}, 0, {{m_note, 1}})})
        ->addStretch(0);
    for (QWidget* page : std::initializer_list<QWidget*>{
             differences, m_operationTable, m_deviceTable, m_causes, makeDistribution(), m_times})
        m_stack->addWidget(page);
    auto* save = makeIconButton("exportChart", Icon::Export, tr("Export the chart"), m_theme);
    const auto shown = [this]() -> SceneView* {
        const auto panel = static_cast<Panel>(m_tabs->currentIndex());
        return panel == Panel::Causes      ? m_causes
            : panel == Panel::Distribution ? m_durations
            : panel == Panel::Time         ? m_times
                                           : nullptr;
    };
    connect(save, &QToolButton::clicked, this, [this, shown] { exportChart(*shown()); });
    connect(m_tabs, &QTabBar::currentChanged, save,
            [save, shown] { save->setVisible(shown() != nullptr); });
    save->hide();
    auto* tabs = makeSurface("plain");
    spaced(new QVBoxLayout(tabs), {}, 0,
           {makeBar(kTabs, 8, {{m_tabs, 1}, save}), makeLine(Qt::Horizontal), {m_stack, 1}});
    return tabs;
}

QWidget* ComparisonPanels::makeDistribution()
{
    auto* page = makeSurface("plain");
    spaced(new QVBoxLayout(page), {}, 0,
           {spaced(new QHBoxLayout, {12, 6, 12, 0}, 8, {m_kind, kStretch}), {m_durations, 1}});
    return page;
}

QWidget* ComparisonPanels::makeSide()
{
    auto* save = makeIconButton("exportPareto", Icon::Export, tr("Export the chart"), m_theme);
    connect(save, &QToolButton::clicked, this, [this] { exportChart(*m_pareto); });
    m_only->hide();
    auto* side = makeSurface("plain");
    spaced(new QVBoxLayout(side), {}, 0,
           {makeBar(kTabs, 8,
                    {{makeLabel(tr("Iteration against peak memory"), "dock"), 1}, m_only, save}),
            makeLine(Qt::Horizontal),
            {m_pareto, 1}});
    return side;
}

void ComparisonPanels::exportChart(const SceneView& view)
{
    const DrawChart draw = view.drawing();
    if (draw)
        Q_EMIT exportRequested(
            [draw]() -> engine::Result<profiler::Scene> { return draw(ChartLook()).scene; },
            view.accessibleName());
}

void ComparisonPanels::choose(int run)
{
    if (run == m_current)
        return;
    setCurrent(run);
    Q_EMIT runChosen(run);
}

void ComparisonPanels::show(const CompareNumbersPointer& numbers, const RunNames& names)
{
    const bool isOther
        = numbers == nullptr || m_numbers == nullptr || numbers->runs != m_numbers->runs;
    m_numbers = numbers;
    m_names = names;
    m_note->setText((numbers && numbers->comparison.isMeasuredApart
                         ? tr("Measured one after another: drift of the machine is not in the "
                              "intervals. ")
                         : QString())
                    + tr("Small numbers: 95 % interval of the difference; exact: the same in every "
                         "iteration. Green, red: the interval excludes 0 and the difference is "
                         "over 1 % of the baseline."));
    m_differences->showDifferences(numbers, names);
    m_operations->showOperations(numbers, names);
    m_devices->showDevices(numbers, names);
    if (isOther)
        m_pareto->mark({});
    const QSignalBlocker blocker(m_kind);
    const QVariant kind = m_kind->currentData();
    m_kind->clear();
    if (numbers)
        for (const engine::OpKind one : histogramKinds(*numbers))
            m_kind->addItem(fromUtf8(engine::kindTitle(one)), static_cast<int>(one));
    m_kind->setCurrentIndex(std::max(0, m_kind->findData(kind)));
    m_table->setDispensable(m_differences->dispensable());
    m_table->fitRows();
    if (!numbers || m_current >= static_cast<int>(numbers->runs.size()))
        m_current = -1;
    setCurrent(m_current >= 0 || !numbers ? m_current : static_cast<int>(numbers->verdict.run));
}

void ComparisonPanels::setPanel(Panel panel)
{
    m_tabs->setCurrentIndex(static_cast<int>(panel));
}

void ComparisonPanels::setCurrent(int run)
{
    m_current = run;
    if (!m_numbers || run >= static_cast<int>(m_numbers->runs.size()))
        run = -1; // the numbers of this run arrive with the next show()
    for (DataTable* table : {m_table, m_operationTable, m_deviceTable}) {
        const int row = static_cast<CompareModel*>(table->model())->rowOf(run);
        const QSignalBlocker blocker(table->selectionModel());
        table->selectRow(row);
        table->scrollTo(table->model()->index(row, 0));
        table->viewport()->update();
    }
    for (SceneView* chart : {m_causes, m_times, m_pareto})
        chart->select(static_cast<std::size_t>(run));
    drawCharts();
}

void ComparisonPanels::drawCharts()
{
    if (!m_numbers) {
        for (SceneView* chart : {m_causes, m_durations, m_times, m_pareto})
            chart->draw(nullptr);
        return;
    }
    const CompareNumbersPointer numbers = m_numbers;
    const QStringList titles = m_names.titles;
    const bool isKnown = m_current >= 0 && m_current < static_cast<int>(numbers->runs.size());
    const int current = isKnown ? m_current : -1;
    m_causes->draw([=](const ChartLook& look) {
        return barChart(tr("Idle time by cause"),
                        causeRows(*numbers, titles, current, look.palette), numbers->time(), look);
    });
    m_times->draw([=](const ChartLook& look) {
        std::vector<BarRow> rows;
        for (const std::size_t run : numbers->ranking.order)
            if (numbers->isInUnitOfBaseline(run))
                rows.push_back(timeRow(
                    run, titles.value(static_cast<qsizetype>(run)), numbers->comparison.runs[run],
                    {1 / numbers->inTime(run, 1), numbers->time().decimals(), {}}, look.palette));
        return barChart(tr("Time by category"), rows, numbers->time(), look);
    });
    m_pareto->draw(
        [=](const ChartLook& look) { return paretoChart(*numbers, titles, current, look); });
    const bool isComparable
        = current >= 0 && numbers->isInUnitOfBaseline(static_cast<std::size_t>(current));
    const auto kind = static_cast<engine::OpKind>(m_kind->currentData().toInt());
    m_durations->draw([=](const ChartLook& look) {
        return durationsChart({*numbers, isComparable ? current : -1, kind}, titles, look);
    });
}

void ComparisonPanels::setRanked(bool isRanked)
{
    if (isRanked == std::exchange(m_isRanked, isRanked))
        return;
    setPanel(isRanked ? Panel::Causes : Panel::Differences);
    m_table->sortByColumn(isRanked ? 1 : -1, Qt::AscendingOrder);
    shareWidth();
}

int ComparisonPanels::fittingHeight() const
{
    constexpr int kRanked = 290; // fits the causes of nine runs
    return m_isRanked ? kRanked : kTabs + 1 + m_table->fittingHeight() + kNote;
}

void ComparisonPanels::shareWidth()
{
    constexpr int kExport = 88; // width of the button and the margins
    const int room
        = m_columns->width() - std::max(kTablesWidth, m_tabs->sizeHint().width() + kExport);
    const bool isShown = m_isRanked && room >= kLeastPareto;
    const int side = std::min(kParetoWidth, room);
    if (isShown && !m_isWidthChosen)
        m_columns->setSizes({m_columns->width() - side, side});
    m_side->setVisible(isShown);
}

} // namespace app
