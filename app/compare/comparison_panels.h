#pragma once

#include "app/compare/compare_numbers.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "profiler/analysis/compare.h"

#include <QWidget>

#include <optional>

class QLabel;
class QSplitter;
class QStackedWidget;
class QTabBar;

namespace app {

class CauseBars;
class DataTable;
class DurationHistogram;
class ParetoChart;
class Tag;
class WhereTimeGoes;

// A table with one row per compared run, which stores the index of its run.
class RunTable : public TableModel<std::size_t>
{
    Q_OBJECT

public:
    using TableModel::TableModel;

    int rowOf(int run) const; // row in the current sort order; -1: not shown
};

// Table of the compared runs. Each value is shown with its difference from the baseline.
// Differences above 1 % of the baseline's value are coloured.
class CompareModel : public RunTable
{
    Q_OBJECT

public:
    using RunTable::RunTable;

    // `titles` has one title per run.
    void show(profiler::Comparison comparison, QStringList titles);
    void clear() { show({}, {}); }
    const profiler::Comparison& comparison() const { return m_comparison; }
    // The columns that the view hides if not all columns fit. It hides the settings first, from the
    // last to the first, then MFU, then messages.
    const std::vector<int>& dispensable() const { return m_dispensable; }

private:
    struct Quantity
    {
        std::function<std::optional<double>(const profiler::ComparedRun&)> value;
        std::optional<Scale> scale = {}; // nullopt: times, whose unit depends on the runs
        bool isMoreBetter = false;
    };

    Columns columns(); // also sets m_dispensable
    void addSettings(Columns& columns);
    TableColumn<std::size_t> column(const ColumnTitle& title, const Quantity& quantity) const;
    Scale scaleOf(std::size_t run, const Quantity& quantity) const;

    profiler::Comparison m_comparison;
    QStringList m_titles;
    std::vector<int> m_dispensable;
};

// Table with the time of each kind of op in each compared run. The time is the mean over the
// devices and is shown with its difference from the baseline. Backward includes I and W, so that
// schemes with and without split backward are comparable. The tooltip shows the number of ops and
// their median duration.
class OperationModel : public RunTable
{
    Q_OBJECT

public:
    using RunTable::RunTable;

    // `titles` has one title per run; nullptr clears the table.
    void show(CompareNumbersPointer numbers, const QStringList& titles);

private:
    using Kinds = std::vector<engine::OpKind>;
    TableColumn<std::size_t> column(const QString& title, const Kinds& kinds) const;
    double timeOf(std::size_t run, const Kinds& kinds) const; // in units of the table
    QString toolTip(std::size_t run, const Kinds& kinds) const;

    CompareNumbersPointer m_numbers;
};

// Table of the bubble of every device in the compared runs, in per cent of the iteration. For a run
// with more than 16 devices it shows the least, the mean and the largest bubble.
class DeviceModel : public RunTable
{
    Q_OBJECT

public:
    using RunTable::RunTable;

    void show(CompareNumbersPointer numbers, const QStringList& titles);

private:
    Columns deviceColumns(int devices) const;
    Columns summaryColumns() const;

    CompareNumbersPointer m_numbers;
};

// A comparison in numbers, in tabs: differences, ops, devices, causes of bubbles, distribution of
// durations. Beside the tabs is the chart of time shares or, for many runs, the reason why the
// first run is the fastest, and a chart of iteration time against memory.
class ComparisonPanels : public QWidget
{
    Q_OBJECT

public:
    enum class Panel : int { Differences, Operations, Devices, Causes, Distribution };

    explicit ComparisonPanels(const ThemeController& theme, QWidget* parent = nullptr);

    // `baseline` describes the baseline run; every run has a title.
    void show(const CompareNumbersPointer& numbers, const QStringList& titles,
              const engine::RunInfo& baseline);
    using QWidget::show;
    void clear();
    void setPanel(Panel panel);
    void setCurrent(int run); // chooses a run without a signal; -1: none
    int current() const { return m_current; }
    // true: shows the panels for a ranking of many runs; false: those for a few runs.
    void setRanked(bool isRanked);
    int fittingHeight() const; // the height at which the whole table is visible
    // Gives the table the width that it needs and leaves the rest to the side panel. Hides the side
    // panel if the rest is too narrow.
    void shareWidth();

Q_SIGNALS:
    void runChosen(int run);                                  // the user chose a run
    void onlyRequested(const std::vector<std::size_t>& runs); // compare only these

private:
    QWidget* makeTables();
    QWidget* makeDifferences();
    QWidget* makeSide();
    void showSide(int page);
    QWidget* makeTimeChart();
    QWidget* makeReason();
    DataTable* makeTable(const char* name, const QString& title, QAbstractItemModel* model);
    void showMode(int width); // shows the mode if it fits beside the tabs
    void showBars();          // clears the bars if the runs are ranked
    void showSentence();
    void showReason();
    void chooseRow(const QAbstractItemModel* model, int row);

    const ThemeController& m_theme;
    CompareNumbersPointer m_numbers;
    QStringList m_titles;
    engine::RunInfo m_baseline;
    CompareModel* m_model;
    OperationModel* m_operations;
    DeviceModel* m_devices;
    DataTable *m_table, *m_operationTable, *m_deviceTable;
    CauseBars* m_causes;
    DurationHistogram* m_distribution;
    QTabBar* m_tabs;
    QStackedWidget *m_stack, *m_sideStack;
    QLabel *m_sentence, *m_chartUnit, *m_reason, *m_reasonNumbers;
    Tag* m_mode;
    WhereTimeGoes* m_chart;
    ParetoChart* m_pareto;
    QSplitter* m_columns;
    QWidget *m_side = nullptr, *m_paretoPanel = nullptr;
    int m_current = -1;
    bool m_isRanked = false;
    bool m_isWidthChosen = false; // set by the user
};

} // namespace app
