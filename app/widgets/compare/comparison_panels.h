#pragma once

#include "app/models/tables/compare_model.h"
#include "app/models/theme.h"

#include <QWidget>

class QLabel;
class QSplitter;

namespace app {

class DataTable;
class Tag;
class WhereTimeGoes;

// A comparison in numbers: the table of differences, a sentence about the selected run, and the
// chart of time shares.
class ComparisonPanels : public QWidget
{
    Q_OBJECT

public:
    explicit ComparisonPanels(const ThemeController& theme, QWidget* parent = nullptr);

    // `baseline` names the baseline of the comparison; every run has a title.
    void show(const profiler::Comparison& comparison, const QStringList& titles,
              const engine::RunInfo& baseline);
    using QWidget::show;
    void clear() { m_model->clear(); }
    int fittingHeight() const; // the height at which the whole table is visible
    // Gives the table the width that it needs, and hides the chart if the rest is too narrow for
    // it.
    void shareWidth();

private:
    QWidget* makeTables();
    QWidget* makeChart();
    void showBars(const QStringList& titles, const engine::RunInfo& baseline);
    void showSentence();

    const ThemeController& m_theme;
    CompareModel* m_model;
    DataTable* m_table;
    QLabel *m_sentence, *m_chartUnit;
    Tag* m_mode;
    WhereTimeGoes* m_chart;
    QSplitter* m_columns;
    QWidget* m_chartPanel = nullptr;
    bool m_isWidthChosen = false; // set by the user
};

} // namespace app
