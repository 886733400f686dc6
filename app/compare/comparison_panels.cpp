#include "app/compare/comparison_panels.h"

#include "app/documents/run_document.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/compare.h"

#include <QComboBox>
#include <QDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace app {
namespace {

using engine::Experiment;
using profiler::ComparedRun;
using profiler::MeasureInfo;
using Column = TableColumn<std::size_t>;

const QString kNotStated = QStringLiteral("–");

// Experiment fields that are not listed, because the settings of a run already state them or
// because they do not change what runs.
const std::set<std::string, std::less<>> kCovered{
    "--scheme", "--schedule", "--devices",   "--micro-batches", "--chunks", "--data-parallel",
    "--mode",   "--model",    "--precision", "--transport",     "--trace",  "--nvtx"};

// "1 (14 runs), 2 (13 runs)"
QString countedValues(const RunParameter& parameter)
{
    std::map<QString, int> counts;
    for (const QString& value : parameter.values)
        ++counts[value];
    QStringList parts;
    for (const auto& [value, count] : counts)
        parts << QStringLiteral("%1 (%2)").arg(value, countOf(count, "run"));
    return parts.join(QStringLiteral(", "));
}

constexpr int kRow = 26, kValuePadding = 9;
constexpr int kValue = 2; // column

// Wraps long values instead of eliding them, because they often differ only at their ends.
class ValueDelegate : public CellDelegate
{
public:
    using CellDelegate::CellDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const Chrome& chrome = theme().chrome;
        painter->save();
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, chrome.selected);
        painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                          chrome.grid);
        painter->setFont(uiFont(12));
        painter->setPen(chrome.text);
        painter->drawText(option.rect.adjusted(kValuePadding, 0, -kValuePadding, 0),
                          Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap,
                          index.data().toString());
        painter->restore();
    }
};

// Makes every row high enough for its wrapped value.
void fitHeights(DataTable& table)
{
    const QFontMetrics metrics(uiFont(12));
    const QRect room(0, 0, table.columnWidth(kValue) - 2 * kValuePadding, 10000);
    for (int row = 0; row < table.model()->rowCount(); ++row) {
        const QString value = table.model()->index(row, kValue).data().toString();
        const int height = metrics.boundingRect(room, Qt::TextWordWrap, value).height();
        table.setRowHeight(row, std::max(kRow, height + kRow - metrics.height()));
    }
}

RunTable startedTable(const CompareNumbersPointer& numbers, const RunNames& names)
{
    const auto title = [names, numbers](std::size_t run) {
        const QString name = names.titles.value(static_cast<qsizetype>(run));
        return run == numbers->comparison.baseline ? QStringLiteral("%1, baseline").arg(name)
                                                   : name;
    };
    const auto file
        = [names](std::size_t run) { return names.files.value(static_cast<qsizetype>(run)); };
    RunTable table;
    table.rows.resize(numbers ? numbers->runs.size() : 0);
    std::iota(table.rows.begin(), table.rows.end(), std::size_t{0});
    table.columns.emplace_back(QStringLiteral("Run"), title, Qt::AlignLeft)
        .with(kStrongRole, kAlways)
        .with(kBelowRole, [file](std::size_t run) { return QFileInfo(file(run)).fileName(); })
        .with(Qt::ToolTipRole, [file](std::size_t run) { return toolTipText(file(run)); });
    return table;
}

// Shows the mode only if the modes differ or a run was oversubscribed.
void addMode(RunTable& table, const CompareNumbersPointer& numbers)
{
    const auto& runs = numbers->comparison.runs;
    const auto mode = [numbers](std::size_t index) {
        const ComparedRun& run = numbers->comparison.runs[index];
        const QString name = fromUtf8(engine::modeAdjective(run.mode));
        return run.isOversubscribed ? QStringLiteral("%1, oversubscribed").arg(name) : name;
    };
    if (std::ranges::any_of(runs, [&](const ComparedRun& one) {
            return one.mode != runs[0].mode || one.isOversubscribed;
        }))
        table.columns.emplace_back(QStringLiteral("Mode"), mode, Qt::AlignLeft)
            .with(kHintRole, kAlways);
}

// The times of runs without a common unit have their own.
Column measureColumn(const CompareNumbersPointer& numbers, const MeasureInfo* measure)
{
    const bool isOwn = measure->unit == profiler::Unit::Time && !numbers->comparison.comparable;
    const auto title = [=] {
        return withUnit(fromUtf8(measure->title),
                        isOwn ? QString() : numbers->scale(*measure).unit());
    };
    const auto value = [=](std::size_t run) {
        const QString text = numbers->text(*measure, run);
        return isOwn && numbers->isInUnitOfBaseline(run) && text != kNoValue
            ? text + QLatin1Char(' ') + numbers->time().unit()
            : text;
    };
    const auto ofChange = [=](auto text) { // as a role of the runs that have a difference
        return [=](std::size_t run) {
            const auto change = run == numbers->comparison.baseline
                ? std::nullopt
                : numbers->comparison.change(measure->key, run);
            return change ? QVariant(text(*change)) : QVariant();
        };
    };
    return Column(ColumnTitle(title), value)
        .sortedBy([=](std::size_t run) {
            const profiler::Amount* of = numbers->comparison.runs[run].amount(measure->key);
            return SortValue(of == nullptr ? std::numeric_limits<double>::infinity() : of->value);
        })
        .with(kStrongRole, [=](std::size_t) { return measure->key == "iteration"; })
        .with(kDifferenceRole, ofChange([=](const profiler::Change& change) {
                  return numbers->scale(*measure).difference(change.by.value);
              }))
        .with(kBelowRole, ofChange([=](const profiler::Change& change) {
                  return numbers->spreadText(*measure, change);
              }))
        .with(kVerdictRole,
              [=](std::size_t run) { return static_cast<int>(numbers->colour(*measure, run)); });
}

// Leaves out measures that no run knows. Runs without bytes have their stash in place of memory.
void addMeasures(RunTable& table, const CompareNumbersPointer& numbers, profiler::Shown flag)
{
    for (const MeasureInfo& measure : profiler::runMeasures()) {
        const bool isKnown
            = std::ranges::any_of(numbers->comparison.runs, [&](const ComparedRun& one) {
                  return one.amount(measure.key) != nullptr;
              });
        if ((measure.shown & flag) == 0 || !isKnown
            || (measure.key == "peak_stash" && numbers->hasBytes()))
            continue;
        table.columns.push_back(measureColumn(numbers, &measure));
        // One peak for all runs, so that the MFU of two runs of a machine can be compared.
        if (measure.key != "mfu")
            continue;
        const engine::RunInfo& base = numbers->runs[numbers->comparison.baseline]->info;
        table.columns.back().remark
            = QStringLiteral("\n\nOne peak for all runs of a machine, that of the baseline: %1 "
                             "GFLOP/s per device. %2")
                  .arg(number(base.peakFlops / 1e9, 1), fromUtf8(base.peakSource));
    }
}

void addSettings(RunTable& table, const CompareNumbersPointer& numbers)
{
    for (const profiler::Difference& difference : numbers->comparison.differences) {
        if (difference.title == "mode")
            continue;
        const auto setting = [difference](std::size_t index) {
            const std::string& known = difference.values[index];
            const bool isOption = difference.title.starts_with('-');
            return !known.empty() ? fromUtf8(known)
                : isOption        ? QStringLiteral("default")
                                  : kNoValue;
        };
        table.columns.push_back(
            Column(fromUtf8(difference.title), setting, Qt::AlignLeft)
                .sortedBy([setting](std::size_t index) { return settingSort(setting(index)); }));
    }
}

using Shares = std::vector<std::optional<double>>; // by device; nullopt without a trace

Column shareColumn(const QString& title, const std::vector<Shares>& shares,
                   const std::function<std::optional<double>(const Shares&)>& of)
{
    const auto share = [shares, of](std::size_t run) { return of(shares[run]); };
    const auto text = [share](std::size_t run) {
        const auto value = share(run);
        return value ? number(100 * *value, 1) : kNoValue;
    };
    return Column(QStringLiteral("%1, %").arg(title), text).sortedBy([share](std::size_t run) {
        return SortValue(share(run).value_or(-1));
    });
}

constexpr int kTabs = 36, kNote = 38;
constexpr int kTablesWidth = 560, kParetoWidth = 530, kLeastPareto = 300; // pixels

class Panels : public ComparisonPanels
{
public:
    explicit Panels(const ThemeController& theme)
        : m_theme(theme)
    {
        m_columns->addWidget(makeTabs());
        m_side = makeSide();
        m_side->hide();
        m_columns->addWidget(m_side);
        m_columns->setStretchFactor(0, 1);
        spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_columns);
        connect(&theme, &ThemeController::unitsChanged, this, &Panels::drawCharts);
        connect(m_kind, &QComboBox::activated, this, &Panels::drawCharts);
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

    // nullptr: nothing
    void show(const CompareNumbersPointer& numbers, const RunNames& names) override
    {
        const bool isOther
            = numbers == nullptr || m_numbers == nullptr || numbers->runs != m_numbers->runs;
        m_numbers = numbers;
        m_names = names;
        m_note->setText(
            (numbers && numbers->comparison.isMeasuredApart
                 ? tr("Measured one after another: drift of the machine is not in the "
                      "intervals. ")
                 : QString())
            + tr("Small numbers: 95 % interval of the difference; exact: the same in every "
                 "iteration. Green, red: the interval excludes 0 and the difference is "
                 "over 1 % of the baseline."));
        RunTable tables[] = {differenceTable(numbers, names), operationTable(numbers, names),
                             deviceTable(numbers, names)};
        for (std::size_t k = 0; k < m_tables.size(); ++k)
            m_tables[k]->show(std::move(tables[k].columns), std::move(tables[k].rows));
        m_tables[0]->fitRows();
        if (isOther)
            m_pareto->mark({});
        const QSignalBlocker blocker(m_kind);
        const QVariant kind = m_kind->currentData();
        m_kind->clear();
        if (numbers)
            for (const engine::OpKind one : histogramKinds(*numbers))
                m_kind->addItem(fromUtf8(engine::kindTitle(one)), static_cast<int>(one));
        m_kind->setCurrentIndex(std::max(0, m_kind->findData(kind)));
        if (!numbers || m_current >= static_cast<int>(numbers->runs.size()))
            m_current = -1;
        setCurrent(m_current >= 0 || !numbers ? m_current : static_cast<int>(numbers->verdict.run));
    }
    void setPanel(Panel panel) override { m_tabs->setCurrentIndex(static_cast<int>(panel)); }
    // chooses a run without a signal; -1: none
    void setCurrent(int run) override
    {
        m_current = run;
        if (!m_numbers || run >= static_cast<int>(m_numbers->runs.size()))
            run = -1; // the numbers of this run arrive with the next show()
        for (RowTable<std::size_t>* table : m_tables) {
            const int row = table->rows().rowWith(std::identity(), static_cast<std::size_t>(run));
            const QSignalBlocker blocker(table->selectionModel());
            table->selectRow(row);
            table->scrollTo(table->model()->index(row, 0));
            table->viewport()->update();
        }
        for (SceneView* chart : {m_causes, m_times, m_pareto})
            chart->select(static_cast<std::size_t>(run));
        drawCharts();
    }
    int current() const override { return m_current; }
    void setRanked(bool isRanked) override
    {
        if (isRanked == std::exchange(m_isRanked, isRanked))
            return;
        setPanel(isRanked ? Panel::Causes : Panel::Differences);
        m_tables[0]->sortByColumn(isRanked ? 1 : -1, Qt::AscendingOrder);
        shareWidth();
    }
    // the height at which the whole table is visible
    int fittingHeight() const override
    {
        constexpr int kRanked = 290; // fits the causes of nine runs
        return m_isRanked ? kRanked : kTabs + 1 + m_tables[0]->fittingHeight() + kNote;
    }
    // hides the side panel if its room is too narrow
    void shareWidth() override
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

protected:
    // The note gives way to the rows of the table.
    void resizeEvent(QResizeEvent* event) override
    {
        QWidget::resizeEvent(event);
        m_note->setVisible(height() >= kTabs + 1 + m_tables[0]->fittingHeight() + kNote);
    }

private:
    RowTable<std::size_t>* makeTable(const char* name, const QString& title)
    {
        auto* table = new RowTable<std::size_t>(m_theme, kTwoLines, name, title);
        table->horizontalHeader()->setSectionsClickable(true);
        table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
        table->setSortingEnabled(true);
        connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
                [this, table] {
                    if (const std::size_t* run = table->current())
                        choose(static_cast<int>(*run));
                });
        return table;
    }
    // `describe` returns the tooltip of a run.
    SceneView* makeChart(const char* name, const QString& title,
                         const std::function<QString(std::size_t run)>& describe)
    {
        const auto text = [this, describe](std::size_t run) {
            return m_numbers && run < m_numbers->runs.size() ? describe(run) : QString();
        };
        auto* chart = named(new SceneView(m_theme, text), name, title);
        connect(chart, &SceneView::pointChosen, this,
                [this](std::size_t run) { choose(static_cast<int>(run)); });
        return chart;
    }
    QWidget* makeTabs()
    {
        setLook(m_tabs, "kind", QStringLiteral("dock"));
        m_tabs->setDrawBase(false);
        m_tabs->setExpanding(false);
        m_tabs->setElideMode(Qt::ElideNone);
        connect(m_tabs, &QTabBar::currentChanged, m_stack, &QStackedWidget::setCurrentIndex);
        m_note->setFixedHeight(kNote);
        auto *differences = makeSurface("plain"), *distribution = makeSurface("plain");
        spaced(new QVBoxLayout(differences), {}, 0,
               {{m_tables[0], 1}, spaced(new QHBoxLayout, {12, 0, 12, 0}, 0, {{m_note, 1}})})
            ->addStretch(0);
        spaced(new QVBoxLayout(distribution), {}, 0,
               {spaced(new QHBoxLayout, {12, 6, 12, 0}, 8, {m_kind, kStretch}), {m_durations, 1}});
        const std::pair<QString, QWidget*> pages[]
            = {{tr("Differences"), differences},   {tr("Per operation"), m_tables[1]},
               {tr("Per device"), m_tables[2]},    {tr("Causes of bubbles"), m_causes},
               {tr("Distribution"), distribution}, {tr("Time by category"), m_times}};
        for (const auto& [name, page] : pages) {
            m_stack->addWidget(page);
            m_tabs->addTab(name);
        }
        auto* save = makeIconButton("exportChart", Icon::Export, tr("Export the chart"), m_theme);
        connect(save, &QToolButton::clicked, this, [this] { exportChart(*shownChart()); });
        connect(m_tabs, &QTabBar::currentChanged, save,
                [this, save] { save->setVisible(shownChart() != nullptr); });
        save->hide();
        return makeLined({makeBar(kTabs, 8, {{m_tabs, 1}, save}), {m_stack, 1}});
    }
    QWidget* makeSide()
    {
        auto* save = makeIconButton("exportPareto", Icon::Export, tr("Export the chart"), m_theme);
        connect(save, &QToolButton::clicked, this, [this] { exportChart(*m_pareto); });
        m_only->hide();
        return makeLined(
            {makeBar(kTabs, 8,
                     {{makeLabel(tr("Iteration against peak memory"), "dock"), 1}, m_only, save}),
             {m_pareto, 1}});
    }
    // nullptr: the tab shows a table
    SceneView* shownChart() const
    {
        const auto panel = static_cast<Panel>(m_tabs->currentIndex());
        return panel == Panel::Causes      ? m_causes
            : panel == Panel::Distribution ? m_durations
            : panel == Panel::Time         ? m_times
                                           : nullptr;
    }
    void choose(int run)
    {
        if (run == m_current)
            return;
        setCurrent(run);
        Q_EMIT runChosen(run);
    }
    void drawCharts()
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
                            causeRows(*numbers, titles, current, look.palette), numbers->time(),
                            look);
        });
        m_times->draw([=](const ChartLook& look) {
            std::vector<BarRow> rows;
            for (const std::size_t run : numbers->ranking.order)
                if (numbers->isInUnitOfBaseline(run))
                    rows.push_back(timeRow(*numbers, run, titles, look.palette));
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
    void exportChart(const SceneView& view)
    {
        if (const DrawChart draw = view.drawing())
            Q_EMIT exportRequested(
                [draw]() -> engine::Result<profiler::Scene> { return draw(ChartLook()).scene; },
                view.accessibleName());
    }
    QString causesText(std::size_t run) const
    {
        const auto rows = causeRows(*m_numbers, m_names.titles, m_current, m_theme.theme().palette);
        const auto row = std::ranges::find(rows, run, &BarRow::run);
        return row == rows.end() ? QString() : barText(*row, m_numbers->time());
    }

    const ThemeController& m_theme;
    CompareNumbersPointer m_numbers;
    RunNames m_names;
    std::array<RowTable<std::size_t>*, 3> m_tables // in the order of their panels
        {makeTable("compareTable", tr("Differences")),
         makeTable("operationTable", tr("Per operation")),
         makeTable("deviceTable", tr("Bubble per device"))};
    SceneView* m_causes = makeChart("causeBars", tr("Causes of bubbles"),
                                    [this](std::size_t run) { return causesText(run); });
    SceneView* m_durations = makeChart("durationHistogram", tr("Distribution of op durations"),
                                       [](std::size_t) { return QString(); });
    SceneView* m_times = makeChart("timeBars", tr("Time by category"), [this](std::size_t run) {
        return barText(timeRow(*m_numbers, run, m_names.titles, m_theme.theme().palette),
                       m_numbers->time());
    });
    SceneView* m_pareto
        = makeChart("paretoChart", tr("Iteration against peak memory"),
                    [this](std::size_t run) { return pointText(*m_numbers, m_names.titles, run); });
    QComboBox* m_kind = named(new QComboBox, "histogramKind", tr("Kind of op"));
    QPushButton* m_only = makeButton({}, QStringLiteral("compareOnly"));
    ElidedLabel* m_note = new ElidedLabel("small"); // below the differences
    QTabBar* m_tabs = named(new QTabBar, "compareTabs", tr("Tables and charts"));
    QStackedWidget* m_stack = new QStackedWidget;
    QSplitter* m_columns = makeSplitter(Qt::Horizontal);
    QWidget* m_side = nullptr;
    int m_current = -1;
    bool m_isRanked = false, m_isWidthChosen = false; // m_isWidthChosen: by the user
};

} // namespace

bool RunParameter::contradicts() const
{
    QStringList stated = values;
    stated.removeAll(kNotStated);
    stated.removeDuplicates();
    return stated.size() > 1;
}

std::vector<RunParameter> parametersOf(const std::vector<std::shared_ptr<const engine::Run>>& runs)
{
    std::vector<RunParameter> parameters;
    const auto state = [&](const QString& name, std::size_t run, const std::string& value) {
        auto known = std::ranges::find(parameters, name, &RunParameter::name);
        if (known == parameters.end())
            known = parameters.insert(known, {name, QStringList(std::ssize(runs), kNotStated)});
        if (!value.empty())
            known->values[static_cast<qsizetype>(run)] = fromUtf8(value);
    };
    std::vector<std::optional<Experiment>> experiments; // nullopt: not recorded by this program
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const engine::RunInfo& info = runs[run]->info;
        state(QStringLiteral("scheme"), run, schemeTitle(fromUtf8(info.scheme)).toStdString());
        for (const auto& [title, value] : profiler::settingsOf(*runs[run]))
            if (!title.starts_with('-')) // no option of the command: the experiment has these
                state(fromUtf8(title), run, value);
        auto experiment = engine::experimentFromToml(info.experiment);
        experiments.push_back(!info.experiment.empty() && experiment
                                  ? std::optional(std::move(*experiment))
                                  : std::nullopt);
    }
    for (const auto& field : engine::experimentFields())
        for (std::size_t run = 0; run < runs.size(); ++run) {
            if (field.flag.empty() || kCovered.contains(field.longFlag()) || !experiments[run])
                continue;
            if (const std::string value = field.get(*experiments[run]); !value.empty())
                state(uncapitalized(fromUtf8(field.label)), run, value);
        }
    std::ranges::stable_partition(parameters,
                                  [](const RunParameter& one) { return !one.isSame(); });
    return parameters;
}

QString sameText(const std::vector<RunParameter>& parameters)
{
    // The settings that the text can name. The flag states whether the value follows the name.
    static const std::vector<std::pair<QString, bool>> kNamed{
        {QStringLiteral("scheme"), true}, {QStringLiteral("model"), true},
        {QStringLiteral("D"), true},      {QStringLiteral("N"), true},
        {QStringLiteral("v"), true},      {QStringLiteral("hardware"), false},
        {QStringLiteral("link"), false},  {QStringLiteral("seed"), false}};
    QStringList parts;
    for (const auto& [name, hasValue] : kNamed) {
        const auto found = std::ranges::find(parameters, name, &RunParameter::name);
        if (found == parameters.end() || !found->isSame() || found->values.value(0) == kNotStated)
            continue;
        parts << (hasValue ? QStringLiteral("%1 %2").arg(name, found->values.value(0)) : name);
    }
    return parts.join(QStringLiteral(", "));
}

QString differsText(const std::vector<RunParameter>& parameters)
{
    QStringList parts;
    for (const RunParameter& parameter : parameters)
        if (parameter.contradicts())
            parts << withoutUnit(parameter.name);
    return parts.join(QStringLiteral(", "));
}

std::vector<TableColumn<RunParameter>> parameterColumns(const QStringList& titles)
{
    using Column = TableColumn<RunParameter>;
    const auto eachRun = [titles](const RunParameter& parameter) {
        QStringList lines;
        for (qsizetype run = 0; run < titles.size() && !parameter.isSame(); ++run)
            lines << QStringLiteral("%1: %2").arg(titles[run], parameter.values.value(run));
        return lines.isEmpty() ? QVariant() : lines.join(QLatin1Char('\n'));
    };
    const auto equality = [](const RunParameter& one) {
        return one.isSame() ? QStringLiteral("same") : QStringLiteral("differs");
    };
    const auto value = [](const RunParameter& one) {
        return one.isSame() ? one.values.value(0) : countedValues(one);
    };
    return {Column(QStringLiteral("Parameter"), &RunParameter::name, Qt::AlignLeft)
                .with(kStrongRole, [](const RunParameter& one) { return !one.isSame(); }),
            Column(QStringLiteral("Across runs"), equality, Qt::AlignLeft),
            Column(QStringLiteral("Value"), value, Qt::AlignLeft).with(Qt::ToolTipRole, eachRun)};
}

QDialog* makeParametersDialog(const ThemeController& theme, std::vector<RunParameter> parameters,
                              const QStringList& titles, QWidget* parent)
{
    auto* dialog = named(new QDialog(parent), "parametersDialog");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(QDialog::tr("Parameters of the compared runs"));
    auto* model = new TableModel<RunParameter>(dialog);
    model->reset(parameterColumns(titles), std::move(parameters));
    auto* table = named(new DataTable(theme, kRow), "parametersTable", dialog->windowTitle());
    table->setModel(model);
    table->setRestColumn(kValue);
    table->setItemDelegateForColumn(kValue, new ValueDelegate(theme, table));
    QObject::connect(table->horizontalHeader(), &QHeaderView::sectionResized, table,
                     [table] { fitHeights(*table); });
    QPushButton* close
        = makeButton(QDialog::tr("Close"), QStringLiteral("closeParameters"), "primary");
    QObject::connect(close, &QPushButton::clicked, dialog, &QDialog::accept);
    spaced(new QVBoxLayout(dialog), {}, 0)
        ->addWidget(makeLined({{table, 1}, makeFoot({kStretch, close})}));
    dialog->resize(760, 620);
    fitToScreen(*dialog);
    return dialog;
}

RunTable differenceTable(const CompareNumbersPointer& numbers, const RunNames& names)
{
    RunTable table = startedTable(numbers, names);
    if (!numbers)
        return table;
    addMode(table, numbers);
    addMeasures(table, numbers, profiler::kDifference);
    addSettings(table, numbers);
    return table;
}

RunTable operationTable(const CompareNumbersPointer& numbers, const RunNames& names)
{
    RunTable table = startedTable(numbers, names);
    if (numbers)
        addMeasures(table, numbers, profiler::kOperation);
    return table;
}

RunTable deviceTable(const CompareNumbersPointer& numbers, const RunNames& names)
{
    constexpr std::size_t kMostColumns = 16;
    RunTable table = startedTable(numbers, names);
    std::vector<Shares> shares(table.rows.size());
    std::size_t devices = 0;
    for (const std::size_t run : table.rows) {
        const profiler::RunMetrics& metrics = numbers->comparison.runs[run].metrics;
        for (const profiler::DeviceMetrics& device : metrics.devices)
            shares[run].push_back(deviceBubble(*numbers->runs[run], metrics, device));
        devices = std::max(devices, shares[run].size());
    }
    const QString bubble = fromUtf8(comparedMeasure("bubble_ratio").title).toLower();
    if (devices <= kMostColumns) {
        for (std::size_t device = 0; device < devices; ++device)
            table.columns.push_back(
                shareColumn(QStringLiteral("Device %1, %2").arg(device).arg(bubble), shares,
                            [device](const Shares& of) {
                                return device < of.size() ? of[device] : std::nullopt;
                            }));
        return table;
    }
    for (Shares& of : shares)
        std::erase(of, std::nullopt);
    table.columns.push_back(
        shareColumn(QStringLiteral("Least %1").arg(bubble), shares, [](const Shares& of) {
            return of.empty() ? std::nullopt : std::ranges::min(of);
        }));
    table.columns.push_back(
        shareColumn(QStringLiteral("Largest %1").arg(bubble), shares, [](const Shares& of) {
            return of.empty() ? std::nullopt : std::ranges::max(of);
        }));
    return table;
}

ComparisonPanels* ComparisonPanels::make(const ThemeController& theme)
{
    return new Panels(theme);
}

} // namespace app
