#pragma once

#include "app/study/chart_view.h"
#include "app/study/study_charts.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace app {

class ElidedLabel;
class Tag;

// A chart of a study page. A bar above it has the choice of chart and axis, the fixed values, and
// an export button.
class ChartPanel : public QWidget
{
    Q_OBJECT

public:
    // `name` is the prefix of object names: "studyMap".
    ChartPanel(const ThemeController& theme, const char* name, const ChartView::Describe& describe,
               QWidget* parent = nullptr);

    // Offers charts and axes; keeps the chosen ones if they are offered again.
    void offer(std::vector<ChartChoice> choices, const std::vector<std::string>& axes);
    void setMode(const QString& mode);
    const ChartChoice* choice() const; // nullptr: nothing is offered
    std::string axis() const;          // "": nothing is offered
    ChartView& view() { return *m_view; }

Q_SIGNALS:
    void chartChosen(); // the user chose a chart or an axis
    void exportRequested();

private:
    void showChoice();

    std::vector<ChartChoice> m_choices;
    std::vector<std::string> m_axes;
    QComboBox *m_chart, *m_axis;
    QLabel* m_over;
    ElidedLabel* m_where;
    Tag* m_mode;
    ChartView* m_view;
};

} // namespace app
