#pragma once

#include "app/compare/compare_model.h"
#include "app/ui/theme.h"

#include <QWidget>

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
