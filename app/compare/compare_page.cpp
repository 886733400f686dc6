#include "app/compare/compare_page.h"

#include "app/compare/compare_widget.h"
#include "app/documents/run_document.h"
#include "app/shell/runs_dock.h"
#include "app/timeline/details/details.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/compare.h"
#include "profiler/whatif/predict.h"

#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QResizeEvent>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

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
        .flag(kStrongRole)
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
        table.columns.emplace_back(QStringLiteral("Mode"), mode, Qt::AlignLeft).flag(kHintRole);
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
void addMeasures(RunTable& table, const CompareNumbersPointer& numbers, int flag)
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
        auto* save = makeIconButton("exportChart", Icon::Export, tr("Export the chart"), m_theme,
                                    this, [this] { exportChart(*shownChart()); });
        connect(m_tabs, &QTabBar::currentChanged, save,
                [this, save] { save->setVisible(shownChart() != nullptr); });
        save->hide();
        return makeLined({makeBar(kTabs, 8, {{m_tabs, 1}, save}), {m_stack, 1}});
    }
    QWidget* makeSide()
    {
        auto* save = makeIconButton("exportPareto", Icon::Export, tr("Export the chart"), m_theme,
                                    this, [this] { exportChart(*m_pareto); });
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
    QPushButton* m_only = makeButton(QString(), "compareOnly");
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
    QPushButton* close = makeButton(QDialog::tr("Close"), "closeParameters", "primary");
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

namespace {

using profiler::RankBy;

constexpr int kRunsWidth = 216, kDetailsWidth = 292;
constexpr int kLeastTables = 120, kMostTables = 340;
constexpr int kFoldRuns = 1180, kFoldDetails = 1360; // width of the page

int measuredIterations(const engine::Run& run)
{
    return static_cast<int>(std::ranges::count(
        run.timeline.iterations, engine::Iteration::Kind::Measured, &engine::Iteration::kind));
}

Band* makeBand(const ThemeController& theme, Band::Shape shape, const char* name)
{
    auto* band = named(new Band(theme, shape), name);
    band->hide();
    return band;
}

// Returns the index of the first 1F1B run, because 1F1B is the usual reference; 0 if there is none.
std::size_t firstBaseline(const std::vector<RunPointer>& runs)
{
    const auto found = std::ranges::find_if(
        runs, [](const RunPointer& run) { return run->info.scheme == "1f1b"; });
    return found == runs.end() ? 0 : static_cast<std::size_t>(found - runs.begin());
}

} // namespace

TickedRuns::TickedRuns(const std::vector<std::shared_ptr<RunDocument>>& ticked)
{
    for (const auto& document : ticked) {
        const bool isShown = hasIterations(document->run().get());
        if (document->state() == RunDocument::State::Failed && !isShown)
            refused.append(document->notice().text);
        const bool isGrowing = document->isRunning() || document->isPartlyRead();
        unfinished += isGrowing || document->isQueued() ? 1 : 0;
        if (!isGrowing && isShown)
            complete.push_back(document);
    }
}

bool ComparedRuns::take(std::vector<std::shared_ptr<RunDocument>> documents)
{
    std::vector<RunPointer> runs;
    for (const auto& document : documents)
        runs.push_back(document->run());
    if (std::exchange(m_isTaken, true) && runs == m_runs && documents == m_documents)
        return false;
    m_documents = std::move(documents);
    m_runs = std::move(runs);
    const auto chosen = std::ranges::find(m_documents, m_chosen);
    m_baseline = chosen == m_documents.end()
        ? firstBaseline(m_runs)
        : static_cast<std::size_t>(chosen - m_documents.begin());
    return true;
}

void ComparedRuns::chooseBaseline(std::size_t run)
{
    m_chosen = m_documents[run];
    m_baseline = run;
}

std::vector<RunPointer> ComparedRuns::baselineFirst() const
{
    std::vector<RunPointer> runs = m_runs;
    if (!runs.empty())
        std::ranges::rotate(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(m_baseline),
                            runs.begin() + static_cast<std::ptrdiff_t>(m_baseline) + 1);
    return runs;
}

int ComparedRuns::current() const
{
    const auto current = std::ranges::find(m_documents, m_current);
    return current == m_documents.end() ? -1 : static_cast<int>(current - m_documents.begin());
}

RunNames ComparedRuns::names() const
{
    RunNames names;
    for (const auto& document : m_documents) {
        names.titles.append(document->title());
        names.files.append(document->file());
    }
    return names;
}

QString ComparedRuns::commonMode() const
{
    const bool isCommon = std::ranges::all_of(
        m_runs, [&](const RunPointer& run) { return run->info.mode == m_runs[0]->info.mode; });
    return m_runs.empty() || !isCommon ? QString() : modeText(m_runs[0]->info);
}

namespace {

// The interval of a difference beside the verdict, with a line at 0. We paint it ourselves, because
// it is one mark of a few pixels that follows the text.
class IntervalMark : public ThemedWidget
{
public:
    using ThemedWidget::ThemedWidget;

    // Hidden if there is no interval.
    void show(const std::optional<profiler::Change>& change, const Scale& time)
    {
        m_by = change ? change->by : profiler::Amount();
        m_time = time;
        setVisible(m_by.spread == profiler::Spread::Interval);
        update();
    }
    QSize sizeHint() const override { return {184, 18}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        constexpr double kUnit = 8, kLabel = 40, kMargin = 6; // kUnit: pixels per unit of time
        const double least = std::min(0.0, m_by.least), most = std::max(0.0, m_by.most);
        const double room = width() - kLabel - 2 * kMargin;
        const double scale = std::min(kUnit / m_time.perUnit(), room / (most - least));
        const double right = width() - kLabel - kMargin;
        const auto x = [&](double ticks) { return std::round(right - (most - ticks) * scale); };
        QPainter painter(this);
        const Chrome& chrome = theme().chrome;
        const double middle = std::floor(height() / 2.0);
        painter.fillRect(QRectF(x(0), middle - 8, 1, 17), chrome.text2);
        painter.fillRect(QRectF(x(m_by.least), middle, x(m_by.most) - x(m_by.least), 1),
                         chrome.text);
        for (const double end : {m_by.least, m_by.most})
            painter.fillRect(QRectF(x(end), middle - 4, 1, 9), chrome.text);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(chrome.text);
        painter.drawEllipse(QPointF(x(m_by.value) + 0.5, middle + 0.5), 3, 3);
        painter.setPen(chrome.text2);
        painter.setFont(uiFont(11));
        const double text = std::max(x(0), x(m_by.most)) + 5;
        painter.drawText(QRectF(text, 0, width() - text, height()),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         QStringLiteral("0 %1").arg(m_time.unit()));
    }

private:
    profiler::Amount m_by;
    Scale m_time;
};

// Shows runs with a common ruler, their differences from a baseline, and how each run spends its
// time: the verdict, the toolbar, the lanes above the tables, and the details. Five or more runs
// are ranked. Several comparisons can be open: each has its own runs, and the ticks of the dock are
// those of the page that is visible. The page hides parts if the window is small, because the lanes
// need the width.
class ComparePage : public Page
{
public:
    ComparePage(const ThemeController& theme, RunLibrary& library,
                const std::vector<std::shared_ptr<RunDocument>>& documents)
        : m_theme(theme)
        , m_library(library)
    {
        setObjectName(QStringLiteral("comparePage"));
        tick(documents);
        makeActions();
        layOut();
        setInitialFocus(m_lanes);
        connectAll();
        connectLanes();
        refresh();
    }

    // unticks all others
    void tick(const std::vector<std::shared_ptr<RunDocument>>& documents)
    {
        m_ticked = documents;
        for (const auto& run : m_library.runs())
            m_library.tick(*run, std::ranges::count(documents, run) > 0);
        m_refresh.start(0);
    }
    void showRequest(const PageRequest& request) override { tick(request.runs); }
    QString title() const override
    {
        return m_compared.size() == 1 ? tr("Compare 1 run")
                                      : tr("Compare %1 runs").arg(m_compared.size());
    }
    QStringList files() const override // also of runs that are still being read
    {
        QStringList files;
        for (const auto& document : m_ticked)
            files.append(document->file());
        return files;
    }
    bool shows(const std::vector<std::shared_ptr<RunDocument>>& runs) const override
    {
        return std::ranges::is_permutation(runs, m_ticked);
    }
    QStringList statusTexts() const override
    {
        if (m_compared.runs().empty())
            return {};
        const engine::RunInfo& info = m_compared.baselineInfo();
        QStringList texts{QStringLiteral("<b>%1</b> %2")
                              .arg(tr("Baseline"),
                                   m_compared.names()
                                       .titles.value(static_cast<int>(m_compared.baseline()))
                                       .toHtmlEscaped())};
        const QString runs = countOf(static_cast<std::int64_t>(m_compared.size()), "run");
        const QString mode = m_compared.commonMode();
        texts.append(mode.isEmpty() ? runs : tr("%1, %2").arg(runs, mode));
        if (!info.deviceName.empty())
            texts.append(fromUtf8(info.deviceName).toHtmlEscaped());
        if (!info.link.empty())
            texts.append(linkStatus(info));
        if (m_numbers && m_lanes->isCompact())
            texts.append(
                tr("%1 of %2 on the Pareto front")
                    .arg(std::ranges::count(profiler::paretoFront(m_numbers->comparison), true))
                    .arg(m_compared.size()));
        return texts;
    }
    QString statusNote() const override
    {
        if (m_compared.runs().empty())
            return {};
        if (!m_numbers || !m_lanes->isCompact())
            return tr("the reported iteration of every run");
        const int iterations = measuredIterations(*m_compared.runs()[m_compared.baseline()]);
        if (m_numbers->comparison.isPerToken)
            return tr("ranked by the time per 1000 tokens");
        if (m_compared.baselineInfo().mode == engine::Mode::Simulate)
            return tr("ranked by iteration time, exact");
        if (iterations > 2)
            return tr("ranked by the median of %1 iterations").arg(iterations);
        return tr("%1, so no interval is known").arg(countOf(iterations, "iteration"));
    }
    QList<QAction*> menuActions(Menu menu) const override
    {
        if (menu == Menu::View)
            return {m_back, m_forward, m_fit, m_ghost, m_showRuns, m_showDetails};
        if (menu == Menu::Export)
            return {m_export, m_report};
        return menu == Menu::Compare
            ? QList{m_addRun, m_predict, m_sameTimes, m_showParameters, m_copy} + m_ranks
            : QList<QAction*>();
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        Page::showEvent(event);
        tick(std::vector(m_ticked)); // another comparison may have been visible
        m_lanes->setFocus();
        distributeHeight();
    }
    // The details do not fit beside the lanes, either, if the runs are hidden.
    void resizeEvent(QResizeEvent* event) override
    {
        Page::resizeEvent(event);
        if (event->oldSize().width() >= kFoldRuns && width() < kFoldRuns)
            m_showDetails->setChecked(false);
        distributeHeight();
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (watched == m_rows && event->type() == QEvent::Resize) {
            updateToolbar();
            distributeHeight();
            showVerdict();
        }
        if (watched != m_rows && event->type() == QEvent::MouseButtonRelease && m_numbers) {
            choose(static_cast<int>(m_numbers->verdict.run));
            m_tables->setPanel(ComparisonPanels::Panel::Differences);
        }
        return Page::eventFilter(watched, event);
    }

private:
    SegmentControl* makeSegments(const char* name, const QString& title, const QStringList& choices)
    {
        auto* segments = named(new SegmentControl(m_theme, choices), name);
        segments->setName(title);
        segments->setCompact();
        return segments;
    }
    void makeActions()
    {
        m_back = makeAction("zoomBack", tr("Zoom back"), Qt::ALT | Qt::Key_Left,
                            [this] { m_lanes->zoomBack(); });
        m_forward = makeAction("zoomForward", tr("Zoom forward"), Qt::ALT | Qt::Key_Right,
                               [this] { m_lanes->zoomForward(); });
        m_fit = makeAction("fitRuns", tr("Fit all runs"), Qt::Key_0,
                           [this] { m_lanes->zoomToFit(); });
        m_addRun = makeAction("addRun", tr("Add run"), {}, [this] { addRunMenu(); });
        m_predict = makeAction("comparePrediction", tr("Compare with prediction"), {},
                               [this] { addPrediction(); });
        m_predict->setToolTip(tr("Adds the schedule of the first run, simulated with the median "
                                 "time of each kind of op"));
        m_export = makeAction("exportFigure", tr("Export figure…"), Qt::CTRL | Qt::Key_E,
                              [this] { Q_EMIT exportRequested(m_compared.baselineFirst()); });
        m_report
            = makeAction("exportReport", tr("Export report…"), Qt::CTRL | Qt::SHIFT | Qt::Key_E,
                         [this] { m_saver->saveReport(m_compared.baselineFirst(), title()); });
        m_showParameters = makeAction("showParameters", tr("Show all parameters"), {},
                                      [this] { showParameters(); });
        m_showRuns = makeAction("showRuns", tr("Runs"), {});
        m_showDetails = makeAction("showDetails", tr("Details"), {});
        m_ghost = makeAction("showGhost", tr("Outline of the baseline"), Qt::Key_G, {},
                             tr("draw the boxes of the baseline over the devices of other runs"));
        m_sameTimes = makeAction("sameOpTimes", tr("Same op times"), Qt::Key_T, {},
                                 tr("replay all runs with the op times of the baseline"));
        m_copy = makeAction("copyVerdict", tr("Copy the verdict"), QKeySequence::Copy,
                            [this] { copyText(m_band->text()); });
        for (QAction* action : {m_showDetails, m_ghost, m_sameTimes})
            action->setCheckable(true);
        foldBelow(kFoldRuns, *m_showRuns);
        connect(m_sameTimes, &QAction::toggled, this, [this](bool isOn) {
            m_times->setCurrent(isOn ? 1 : 0);
            askForNumbers();
        });
        connect(m_ghost, &QAction::toggled, m_lanes, &CompareWidget::setGhost);
        const std::tuple<const char*, QString, RankBy> ranks[]
            = {{"rankByIteration", tr("Sort by iteration time"), RankBy::Iteration},
               {"rankByBubble", tr("Sort by bubble"), RankBy::Bubble},
               {"rankByPeak", tr("Sort by peak memory"), RankBy::Peak},
               {"rankByMessages", tr("Sort by messages"), RankBy::Messages},
               {"rankByName", tr("Sort by name"), RankBy::Name}};
        for (const auto& [name, text, by] : ranks)
            m_ranks << makeAction(name, text, {}, [this, by = by] { rankBy(by); });
        for (const auto& [action, icon] :
             {std::pair(m_back, Icon::ChevronLeft), std::pair(m_forward, Icon::ChevronRight),
              std::pair(m_fit, Icon::Fit), std::pair(m_showRuns, Icon::Compare),
              std::pair(m_showDetails, Icon::Info), std::pair(m_addRun, Icon::Plus),
              std::pair(m_export, Icon::Export)})
            followTheme(action, icon, m_theme);
    }
    void layOut()
    {
        QWidget *centre = makeCentre(), *details = makeDetails();
        auto* columns = makeSplitter(Qt::Horizontal);
        for (QWidget* column : std::initializer_list<QWidget*>{m_dock, centre, details})
            columns->addWidget(column);
        columns->setStretchFactor(1, 1);
        columns->setSizes({kRunsWidth, 1384, kDetailsWidth});
        spaced(new QVBoxLayout(this), {}, 0)->addWidget(columns);
        connect(m_showRuns, &QAction::toggled, m_dock, &QWidget::setVisible);
        connect(m_showDetails, &QAction::toggled, details, &QWidget::setVisible);
        connect(m_rows, &QSplitter::splitterMoved, this, [this] { m_areRowsChosen = true; });
        m_rows->installEventFilter(this); // eventFilter() reacts to changes of its width
        applyStyle();
    }
    QWidget* makeVerdict()
    {
        m_verdict = new QWidget;
        m_band->layout()->addWidget(m_interval);
        m_band->setToolTip(tr("Shows the run in the table of differences"));
        spaced(new QHBoxLayout(m_verdict), {12, 8, 12, 8}, 0, {m_band});
        for (QWidget* part : m_band->findChildren<QWidget*>() + QList<QWidget*>{m_band})
            part->installEventFilter(this);
        m_verdict->hide();
        return m_verdict;
    }
    QWidget* makeSummary()
    {
        m_summary = new QWidget;
        m_summary->setFixedHeight(32);
        m_same->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        m_same->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_same->setTextFormat(Qt::RichText);
        auto* icon = new IconLabel(m_theme, Icon::Info, &Chrome::text2);
        spaced(new QHBoxLayout(m_summary), {12, 0, 12, 0}, 10,
               {icon, {m_same, 1}, m_note, m_mode, m_allParameters});
        return m_summary;
    }
    QWidget* makeToolbar()
    {
        m_baseline->setMinimumWidth(112);
        m_baseline->setMaximumWidth(200);
        m_bar = makeSurface("plain");
        m_bar->setFixedHeight(40);
        QWidget *back = makeToolButton(m_back), *forward = makeToolButton(m_forward),
                *line = makeLine(Qt::Vertical);
        auto* row
            = spaced(new QHBoxLayout(m_bar), {8, 0, 8, 0}, 8,
                     {makeToolButton(m_showRuns), back, forward, makeToolButton(m_fit), line});
        const auto add = [row](const QString& title, QWidget* control) {
            QWidget* label = makeLabel(title, "small");
            fill(*row, {label, control});
            return label;
        };
        QWidget *align = add(tr("Align"), m_align), *sort = add(tr("Sort"), m_sort),
                *lane = add(tr("Lane"), m_lane), *times = add(tr("Times"), m_times),
                *baseline = add(tr("Baseline"), m_baseline);
        row->addStretch(1);
        for (QAction* action : {m_addRun, m_export}) {
            m_buttons << makeActionButton(action);
            m_icons.prepend(makeToolButton(action)); // updateToolbar() hides the first icons first
            m_icons.front()->setObjectName(action->objectName() + QStringLiteral("Icon"));
            fill(*row, {m_buttons.back(), m_icons.front()});
        }
        row->addWidget(makeToolButton(m_showDetails));
        m_tallOnly = {back, forward, line};
        m_compactOnly = {sort, m_sort, lane, m_lane};
        m_labels = {lane, align, sort, times, baseline, m_align};
        return m_bar;
    }
    QWidget* makeCentre()
    {
        auto* hint = makeLabel(tr("Tick another run in the list on the left, or compare this run "
                                  "with its prediction."),
                               "secondary");
        m_single = makeSurface("alt");
        spaced(new QHBoxLayout(m_single), {16, 8, 12, 8}, 10,
               {{hint, 1}, makeActionButton(m_predict)});
        m_rows->addWidget(m_lanes);
        m_rows->addWidget(m_tables);
        m_rows->setStretchFactor(0, 1);
        auto* nothing = makeColumn({14, 14, 14, 14}, 0, {m_empty}, "");
        m_stack->addWidget(nothing);
        m_stack->addWidget(m_rows);
        auto *above = new QWidget, *below = new QWidget;
        spaced(new QVBoxLayout(above), {}, 0, {makeVerdict(), makeSummary()});
        spaced(new QVBoxLayout(below), {}, 0, {m_refused, m_single, {m_stack, 1}});
        return makeLined({above, makeToolbar(), {below, 1}});
    }
    QWidget* makeDetails()
    {
        auto* close = makeIconButton("closeDetails", Icon::Close, tr("Close the details"), m_theme);
        connect(close, &QToolButton::clicked, m_showDetails, &QAction::toggle);
        auto* title = makeBar(40, 4, {{makeLabel(tr("Details"), "dock"), 1}, close});
        auto* dock = named(makeLined({title, {m_details, 1}}), "detailsDock");
        dock->setMinimumWidth(220);
        dock->hide();
        return dock;
    }
    // Divides the height between lanes and tables unless the user moved the splitter. The tables
    // get their content's height, more if the lanes leave it unused, and at most half.
    void distributeHeight()
    {
        if (!m_areRowsChosen) {
            const int height = m_rows->height() - m_rows->handleWidth();
            const int unused = height - m_lanes->greatestHeight();
            const int left
                = height - m_lanes->legibleHeight(); // where the boxes keep their numbers
            const int most = left >= kLeastTables ? std::min(left, height / 2) : 2 * height / 5;
            const int wanted = std::max(m_tables->fittingHeight(), std::min(unused, kMostTables));
            const int below = std::clamp(wanted, kLeastTables, std::max(kLeastTables, most));
            m_rows->setSizes({height - below, below});
        }
        m_tables->shareWidth();
    }
    // call it after the style of the rows changed
    void applyStyle()
    {
        m_tables->setRanked(m_lanes->isCompact());
        updateToolbar();
        distributeHeight();
    }
    // Fits the toolbar into the window. If the width is not sufficient, replaces the buttons by
    // their icons, then hides labels, then icons. The actions of hidden icons are also in the
    // menus.
    void updateToolbar()
    {
        const auto show = [](const QList<QWidget*>& parts, bool areShown) {
            for (QWidget* part : parts)
                part->setVisible(areShown);
        };
        const auto needed = [this] { // with the minimum width of the list of baselines
            m_bar->layout()->invalidate();
            return m_bar->layout()->minimumSize().width();
        };
        const bool isCompact = m_lanes->isCompact();
        show(m_tallOnly, !isCompact);
        show(m_compactOnly, isCompact);
        // The minimum width excludes the parts that can be hidden, because they would narrow the
        // dock of runs.
        show(m_labels + m_buttons + m_icons, false);
        m_bar->setMinimumWidth(needed());
        for (QWidget* label : m_labels)
            label->setVisible(isCompact || !m_compactOnly.contains(label));
        show(m_buttons, true);
        const bool hasTexts = needed() <= m_rows->width();
        show(m_buttons, hasTexts);
        show(m_icons, !hasTexts);
        for (QWidget* part : m_labels + m_icons)
            if (needed() > m_rows->width())
                part->hide();
    }
    void showSummary()
    {
        const QString none = tr("no setting"), same = sameText(m_parameters),
                      differs = differsText(m_parameters);
        const auto titled = [](const QString& title, const QString& settings) {
            return QStringLiteral("<b>%1</b> %2").arg(title, settings.toHtmlEscaped());
        };
        QStringList parts;
        if (!same.isEmpty())
            parts << titled(tr("Same:"), same);
        const QString title = same.isEmpty() ? tr("Different:") : tr("different:");
        const QString nothing
            = same.isEmpty() ? tr("No setting differs") : tr("no setting differs");
        parts << (differs.isEmpty() ? nothing : titled(title, differs));
        if (m_numbers && m_numbers->comparison.isPerToken)
            parts << QStringLiteral("<font color=\"%1\">%2</font>")
                         .arg(m_theme.theme().chrome.warning.name(),
                              tr("N differs: times per 1000 tokens"));
        m_same->setText(parts.join(QStringLiteral("; ")));
        m_same->setToolTip(
            tr("Same: %1\nDifferent: %2")
                .arg(same.isEmpty() ? none : same, differs.isEmpty() ? none : differs));
        const QString mode = m_compared.commonMode();
        m_mode->setText(mode);
        m_mode->setVisible(!mode.isEmpty());
        m_allParameters->setText(tr("Show all %1 parameters").arg(m_parameters.size()));
    }
    // numbers of ticked runs
    void showUnfinished(int complete, int unfinished)
    {
        m_note->setText(tr("%1 of %2 runs are complete").arg(complete).arg(complete + unfinished));
        m_note->setVisible(unfinished > 0);
        m_empty->setTexts(unfinished == 0 ? tr("Tick two runs to compare them")
                                          : tr("%1 in the queue").arg(countOf(unfinished, "run")),
                          unfinished == 0 ? tr("Tick runs in the list on the left, or add one.")
                                          : tr("Each run is added here when it is complete."));
    }
    // The text begins with what makes the runs unlike. The punctuation of the reasons follows the
    // claim without a space.
    void showVerdict()
    {
        constexpr int kInterval = 1000; // least width of the page for the drawn interval
        m_verdict->setVisible(m_numbers && m_compared.size() > 1);
        if (!m_numbers)
            return;
        const profiler::Verdict& of = m_numbers->verdict;
        QString bold = fromUtf8(of.conditions.empty() ? of.claim : of.conditions + "."),
                rest = fromUtf8(of.conditions.empty() ? of.reasons : of.claim + of.reasons)
            + QLatin1Char('.');
        if (rest.startsWith(u':') || rest.startsWith(u'.')) {
            bold += rest.front();
            rest.remove(0, 1);
        }
        if (m_sameTimes->isChecked())
            rest += tr(" With the op times of %1.")
                        .arg(m_compared.names().titles.value(
                            static_cast<int>(m_compared.baseline())));
        constexpr Band::Kind kKinds[]
            = {Band::Kind::Ok, Band::Kind::Neutral, Band::Kind::Warning, Band::Kind::Warning};
        m_band->show(of.conditions.empty() ? kKinds[static_cast<std::size_t>(of.kind)]
                                           : Band::Kind::Warning,
                     bold, rest.trimmed());
        m_interval->show(m_rows->width() < kInterval ? std::nullopt : of.iteration,
                         m_numbers->time());
    }
    // whether all runs can have the op times of the baseline
    void showTimes()
    {
        const profiler::Comparison& all = m_numbers->comparison;
        const QString reason
            = !all.comparable ? tr("the runs have different units") : fromUtf8(all.obstacle);
        const bool isPossible = reason.isEmpty() && m_compared.size() > 1;
        m_times->setEnabled(isPossible);
        m_sameTimes->setEnabled(isPossible);
        m_times->setToolTip(isPossible ? m_sameTimes->toolTip() : capitalized(reason));
    }
    void connectAll()
    {
        const auto later = [this] { m_refresh.start(0); };
        connect(&m_library, &RunLibrary::listChanged, this, later);
        connect(&m_library, &RunLibrary::runChanged, this, later);
        connect(&m_views, &ViewPreparation::ready, this, [this](const auto& views) {
            m_lanes->setViews(views, m_compared.baseline(), m_compared.names());
            m_hasViews = true;
            applyStyle();
            showNumbers();
        });
        connect(m_dock, &RunsDock::pageRequested, this, &Page::pageRequested);
        connect(m_baseline, &QComboBox::activated, this, &ComparePage::setBaseline);
        connect(m_empty, &EmptyState::activated, this, &ComparePage::addRunMenu);
        connect(m_tables, &ComparisonPanels::runChosen, this, &ComparePage::choose);
        connect(m_tables, &ComparisonPanels::exportRequested, m_saver, &RunSaver::saveFigure);
        connect(m_tables, &ComparisonPanels::onlyRequested, this,
                [this](const std::vector<std::size_t>& only) {
                    if (!m_numbers)
                        return; // the chart still shows the previous runs
                    std::vector<std::shared_ptr<RunDocument>> documents;
                    for (const std::size_t run : only)
                        documents.push_back(m_compared.documents()[run]);
                    tick(documents);
                });
        connect(m_sort, &SegmentControl::currentChanged, this,
                [this](int choice) { rankBy(kSorts[choice]); });
        connect(m_lane, &SegmentControl::currentChanged, this,
                [this](int choice) { m_lanes->setLane(static_cast<LaneOf>(choice)); });
        m_lane->setCurrent(static_cast<int>(LaneOf::Devices));
        connect(m_times, &SegmentControl::currentChanged, this,
                [this](int choice) { m_sameTimes->setChecked(choice == 1); });
        connect(m_align, &SegmentControl::currentChanged, this,
                [this](int choice) { m_lanes->setAlign(static_cast<CompareAlign>(choice)); });
    }
    void connectLanes()
    {
        connect(m_lanes, &CompareWidget::runChosen, this, &ComparePage::choose);
        connect(m_lanes, &CompareWidget::rankRequested, this, &ComparePage::rankBy);
        connect(m_lanes, &CompareWidget::baselineRequested, this, &ComparePage::setBaseline);
        connect(m_lanes, &CompareWidget::openRequested, this, [this](int run) {
            if (m_compared.has(run))
                Q_EMIT pageRequested(
                    {"run", {}, {m_compared.documents()[static_cast<std::size_t>(run)]}});
        });
        connect(m_lanes, &CompareWidget::styleChanged, this, &ComparePage::applyStyle);
        connect(m_lanes, &CompareWidget::selectionChanged, this, &ComparePage::explain);
        connect(m_details, &DetailsPanel::jumpTo, this, [this](const Selection& selection) {
            if (m_explained >= 0)
                m_lanes->select(static_cast<std::size_t>(m_explained), selection);
        });
    }

    // call it after the ticked runs or their data changed
    void refresh()
    {
        if (isVisible())
            m_ticked = m_library.ticked();
        std::erase_if(m_ticked, [this](const std::shared_ptr<RunDocument>& document) {
            return !m_library.contains(*document); // it was closed
        });
        TickedRuns ticked(m_ticked);
        m_refused->hide();
        if (!ticked.refused.isEmpty())
            m_refused->show(Band::Kind::Error, tr("Not opened."),
                            ticked.refused.join(QStringLiteral("; ")));
        if (m_compared.take(std::move(ticked.complete)))
            showRuns();
        showUnfinished(static_cast<int>(m_compared.size()), ticked.unfinished);
    }
    void showRuns()
    {
        const std::vector<RunPointer>& runs = m_compared.runs();
        m_tables->setCurrent(m_compared.current());
        m_stack->setCurrentIndex(runs.empty() ? 0 : 1);
        m_summary->setVisible(!runs.empty());
        m_verdict->hide();
        m_single->setVisible(runs.size() == 1);
        m_export->setEnabled(!runs.empty());
        m_report->setEnabled(runs.size() > 1);
        m_showParameters->setEnabled(!runs.empty());
        m_parameters = parametersOf(runs);
        showSummary();
        fillBaselines();
        m_numbers = nullptr;
        m_hasViews = false;
        m_explained = -1; // was an index of the previous runs
        m_details->show(nullptr, {});
        m_shown = runs;
        m_views.ask(runs);
        askForNumbers();
        Q_EMIT titleChanged();
        Q_EMIT statusChanged();
    }
    void askForNumbers()
    {
        if (!m_compared.runs().empty())
            return m_asked.ask({m_compared.runs(), m_compared.baseline(), m_compared.names().titles,
                                m_sameTimes->isChecked()});
        m_asked.drop();
        m_tables->show(nullptr, {});
    }
    struct Compared
    {
        std::vector<RunPointer> runs;
        std::size_t baseline = 0;
        QStringList titles;
        bool haveOneTime = false; // all runs have the op times of the baseline
    };
    static engine::Result<CompareNumbers> computeNumbers(const Compared& request)
    {
        if (!request.haveOneTime)
            return compareNumbers(request.runs, request.baseline, request.titles);
        return profiler::withOpTimesOf(request.runs, request.baseline)
            .and_then([&](const std::vector<RunPointer>& runs) {
                return compareNumbers(runs, request.baseline, request.titles);
            });
    }
    void takeNumbers(engine::Result<CompareNumbers> numbers)
    {
        if (!numbers) {
            m_refused->show(Band::Kind::Error, tr("The runs were not compared."),
                            fromUtf8(numbers.error().message));
            return m_sameTimes->setChecked(false);
        }
        m_numbers = rankedBy(*numbers, m_rankBy, m_direction);
        if (m_numbers->runs != m_shown) {
            m_shown = m_numbers->runs;
            m_hasViews = false;
            m_views.ask(m_shown);
        }
        showVerdict();
        showSummary();
        showTimes();
        m_tables->show(m_numbers, m_compared.names());
        showNumbers();
        Q_EMIT statusChanged();
    }
    // does nothing until both the numbers and the views are known
    void showNumbers()
    {
        if (m_hasViews && m_numbers) {
            m_lanes->setNumbers(m_numbers);
            m_lanes->setCurrent(m_tables->current());
        }
        distributeHeight();
        m_lane->setToolTip(m_lanes->rows().hasRoomForDevices()
                               ? QString()
                               : tr("Devices need 12 pixels each; their mean is shown"));
    }
    // Ranking by the same value again reverses the order.
    void rankBy(profiler::RankBy by)
    {
        using profiler::RankOrder;
        const bool isAgain = by == m_rankBy && m_direction == RankOrder::BestFirst;
        m_direction = isAgain ? RankOrder::WorstFirst : RankOrder::BestFirst;
        m_rankBy = by;
        const auto choice = std::ranges::find(kSorts, by);
        if (choice != std::end(kSorts)) {
            const QSignalBlocker blocker(m_sort);
            m_sort->setCurrent(static_cast<int>(choice - std::begin(kSorts)));
        }
        if (!m_numbers)
            return;
        m_numbers = rankedBy(*m_numbers, m_rankBy, m_direction);
        showNumbers();
        Q_EMIT statusChanged();
    }
    void fillBaselines()
    {
        const QSignalBlocker blocker(m_baseline);
        m_baseline->clear();
        m_baseline->addItems(m_compared.names().titles);
        m_baseline->setCurrentIndex(
            m_compared.runs().empty() ? -1 : static_cast<int>(m_compared.baseline()));
        m_baseline->setEnabled(m_compared.size() > 1);
    }
    void setBaseline(int run)
    {
        if (!m_compared.has(run))
            return;
        m_baseline->setCurrentIndex(run);
        const std::size_t before = m_compared.baseline();
        m_compared.chooseBaseline(static_cast<std::size_t>(run));
        if (m_compared.baseline() == before)
            return;
        m_lanes->setBaseline(m_compared.baseline());
        askForNumbers();
    }
    // The lanes, the tables and the charts show the same run.
    void choose(int run)
    {
        if (!m_compared.has(run))
            return;
        m_compared.choose(static_cast<std::size_t>(run));
        m_lanes->setCurrent(run);
        m_tables->setCurrent(run);
        if (m_hasViews && m_showDetails->isChecked() && run != m_explained)
            explain(run, {});
        Q_EMIT statusChanged();
    }
    // shows the selected item in the details
    void explain(int run, const Selection& selection)
    {
        if (run < 0 || !m_hasViews)
            return;
        m_explained = run;
        m_details->show(m_lanes->view(static_cast<std::size_t>(run)), selection);
        if (selection.kind != Selection::Kind::None && width() >= kFoldDetails)
            m_showDetails->setChecked(true);
    }
    void showParameters()
    {
        makeParametersDialog(m_theme, m_parameters, m_compared.names().titles, this)->open();
    }
    void addPrediction()
    {
        if (m_compared.runs().empty())
            return;
        m_background.run(
            [run = m_compared.runs().front()] { return profiler::withEvenCosts(*run); },
            [this](engine::Result<engine::Run> predicted) {
                if (predicted)
                    m_library.tick(*m_library.add(std::move(*predicted)));
                else
                    m_refused->show(Band::Kind::Error, tr("The run was not predicted."),
                                    fromUtf8(predicted.error().message));
            });
    }
    // Shows a menu of the open runs that are not compared yet. Its last entry opens a file dialog.
    void addRunMenu()
    {
        QMenu menu(this);
        menu.setObjectName(QStringLiteral("addRunMenu"));
        for (const auto& document : m_library.runs()) {
            if (std::ranges::count(m_compared.documents(), document) > 0 || document->isRunning())
                continue;
            menu.addAction(menuText(document->title()), this,
                           [this, document] { m_library.tick(*document); });
        }
        if (!menu.isEmpty())
            menu.addSeparator();
        menu.addAction(tr("Open a run file…"), this, [this] {
            const QStringList files = QFileDialog::getOpenFileNames(
                this, tr("Add runs"), {}, tr("Runs (*.sqlite);;All files (*)"));
            for (const QString& file : files)
                m_library.tick(*m_library.open(file));
        });
        menu.exec(QCursor::pos());
    }

    const ThemeController& m_theme;
    RunLibrary& m_library;
    Background m_background{this};
    Latest<Compared, engine::Result<CompareNumbers>> m_asked{
        this, [](const Compared& request) { return computeNumbers(request); },
        [this](engine::Result<CompareNumbers> numbers) { takeNumbers(std::move(numbers)); }};
    ViewPreparation m_views;
    ComparedRuns m_compared;
    std::vector<RunParameter> m_parameters;
    CompareNumbersPointer m_numbers; // nullptr: being computed
    profiler::RankBy m_rankBy = profiler::RankBy::Iteration;
    profiler::RankOrder m_direction = profiler::RankOrder::BestFirst;
    std::vector<std::shared_ptr<RunDocument>> m_ticked; // by the user, on this page
    std::vector<RunPointer> m_shown; // of the lanes: m_compared, or replayed with other op times
    Later m_refresh{
        0, [this] { refresh(); }}; // delays refresh(), so that ticking many runs causes one update
    bool m_hasViews = false;       // whether the lanes show m_shown
    int m_explained = -1;          // run that the details describe; -1: none

    QAction *m_back, *m_forward, *m_fit, *m_addRun, *m_export, *m_report, *m_predict,
        *m_showParameters, *m_showRuns, *m_showDetails, *m_ghost, *m_sameTimes, *m_copy;
    QList<QAction*> m_ranks; // that sort the runs
    RunSaver* m_saver = new RunSaver(this);
    RunsDock* m_dock = new RunsDock(m_theme, m_library);
    QLabel* m_same = named(makeLabel({}, "small"), "compareSummary"); // and different settings
    QLabel* m_note = named(makeLabel({}, "hint"), "compareNote");     // unfinished runs
    Tag* m_mode = new Tag(m_theme);
    QPushButton* m_allParameters
        = makeButton({}, "allParameters", "link", this, [this] { showParameters(); });
    QWidget* m_summary = nullptr;
    Band* m_band = makeBand(m_theme, Band::Shape::Verdict, "compareBand");
    Band* m_refused = makeBand(m_theme, Band::Shape::State, "refusedBand"); // files, not runs
    IntervalMark* m_interval = new IntervalMark(m_theme);                   // of the verdict
    QWidget* m_verdict = nullptr;                                           // m_band and m_interval
    QComboBox* m_baseline = named(new QComboBox, "baseline", tr("Baseline"));
    SegmentControl* m_sort = makeSegments("sortRuns", tr("Sort"),
                                          {tr("Iteration"), tr("Bubble"), tr("Peak"), tr("Name")});
    SegmentControl* m_lane
        = makeSegments("laneOf", tr("Lane"), {tr("Mean"), tr("Worst"), tr("Devices")});
    SegmentControl* m_align
        = makeSegments("alignRuns", tr("Align"), {tr("Iteration start"), tr("First F"), tr("End")});
    SegmentControl* m_times
        = makeSegments("opTimes", tr("Times"), {tr("Own"), tr("Same op times")});
    CompareWidget* m_lanes = new CompareWidget(m_theme);
    ComparisonPanels* m_tables = ComparisonPanels::make(m_theme);
    DetailsPanel* m_details = new DetailsPanel(m_theme);
    EmptyState* m_empty
        = new EmptyState(m_theme,
                         {Icon::Compare, tr("Tick two runs to compare them"),
                          tr("Tick runs in the list on the left, or add one."), tr("Add run")});
    QWidget* m_single = nullptr;                  // shown if one run is compared
    QStackedWidget* m_stack = new QStackedWidget; // m_empty, m_rows
    QSplitter* m_rows = makeSplitter(Qt::Vertical);
    QWidget* m_bar = nullptr; // the toolbar
    // The parts of the toolbar that updateToolbar() shows or hides. m_icons replace m_buttons. The
    // first elements of m_labels and m_icons are hidden first.
    QList<QWidget*> m_tallOnly, m_compactOnly, m_labels, m_buttons, m_icons;
    bool m_areRowsChosen = false; // by the user, who moved m_rows
};

} // namespace

Page* makeComparison(const ThemeController& theme, RunLibrary& library,
                     const std::vector<std::shared_ptr<RunDocument>>& documents)
{
    return new ComparePage(theme, library, documents);
}

} // namespace app
