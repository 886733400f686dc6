#pragma once

#include "app/compare/compare_numbers.h"
#include "app/shell/run_saver.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"

#include <QWidget>

class QComboBox;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTabBar;

namespace app {

class DataTable;
class ElidedLabel;
class SceneView;

// A table with one row per compared run, which stores the index of its run. Its columns are
// measures: titles, units, definitions and numbers come from them, and each number has its
// difference from the baseline and the interval of the difference.
class CompareModel : public TableModel<std::size_t>
{
    Q_OBJECT

public:
    using TableModel::TableModel;

    // nullptr clears the table.
    void showDifferences(const CompareNumbersPointer& numbers, const RunNames& names);
    void showOperations(const CompareNumbersPointer& numbers, const RunNames& names);
    // The bubble of every device; of a run with more than 16 devices the least and the largest.
    void showDevices(const CompareNumbersPointer& numbers, const RunNames& names);
    int rowOf(int run) const; // row in the current sort order; -1: not shown
    // The columns that the view hides if not all columns fit. It hides the settings first, from the
    // last to the first.
    const std::vector<int>& dispensable() const { return m_dispensable; }

protected:
    QVariant headerToolTip(int section, const QString& title) const override;

private:
    using Column = TableColumn<std::size_t>;

    void start(const CompareNumbersPointer& numbers, const RunNames& names);
    void finish();
    void addMode();
    void addMeasures(profiler::Shown flag);
    Column measureColumn(const profiler::MeasureInfo& measure) const;
    void addSettings();
    QString value(const profiler::MeasureInfo& measure, std::size_t run) const;
    const profiler::ComparedRun& run(std::size_t index) const
    {
        return m_numbers->comparison.runs[index];
    }

    CompareNumbersPointer m_numbers;
    Columns m_made; // the columns while they are collected
    std::vector<int> m_dispensable;
};

// A comparison in numbers, in tabs: differences, ops, devices, causes of bubbles, distribution of
// durations, time by category. Ranked runs have the chart of iteration time against memory beside
// them.
class ComparisonPanels : public QWidget
{
    Q_OBJECT

public:
    enum class Panel : int { Differences, Operations, Devices, Causes, Distribution, Time };

    explicit ComparisonPanels(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const CompareNumbersPointer& numbers, const RunNames& names); // nullptr: nothing
    using QWidget::show;
    void setPanel(Panel panel);
    void setCurrent(int run); // chooses a run without a signal; -1: none
    int current() const { return m_current; }
    void setRanked(bool isRanked);
    int fittingHeight() const; // the height at which the whole table is visible
    void shareWidth();         // hides the side panel if its room is too narrow

Q_SIGNALS:
    void runChosen(int run);                                  // the user chose a run
    void onlyRequested(const std::vector<std::size_t>& runs); // compare only these
    void exportRequested(const RunSaver::MakeScene& make, const QString& name);

private:
    DataTable* makeTable(const char* name, const QString& title, CompareModel* model);
    SceneView* makeChart(const char* name, const QString& title);
    QWidget* makeTabs();
    QWidget* makeDistribution();
    QWidget* makeSide();
    void choose(int run);
    void drawCharts();
    void exportChart(const SceneView& view);
    QString describe(Panel panel, std::size_t run) const;

    const ThemeController& m_theme;
    CompareNumbersPointer m_numbers;
    RunNames m_names;
    CompareModel *m_differences, *m_operations, *m_devices;
    DataTable *m_table, *m_operationTable, *m_deviceTable;
    SceneView *m_causes, *m_durations, *m_times, *m_pareto;
    QComboBox* m_kind;
    QPushButton* m_only;
    ElidedLabel* m_note; // below the differences
    QTabBar* m_tabs;
    QStackedWidget* m_stack;
    QSplitter* m_columns;
    QWidget* m_side = nullptr;
    int m_current = -1;
    bool m_isRanked = false, m_isWidthChosen = false; // m_isWidthChosen: by the user
};

} // namespace app
