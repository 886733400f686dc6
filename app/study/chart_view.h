#pragma once

#include "app/figures/scene_view.h"
#include "app/shell/run_saver.h"
#include "app/study/study_charts.h"
#include "app/ui/latest.h"

class QComboBox;
class QLabel;

namespace app {

class ElidedLabel;
class Tag;

// A chart of a study page, drawn in the background. A bar above it has the choice of chart and
// axis, the fixed values, and an export button. A chart of a metric varies one axis and takes the
// values of the other axes from the selected point, so the three charts of a page show one point.
class ChartPanel : public QWidget
{
    Q_OBJECT

public:
    // `name` is the prefix of object names: "studyMap".
    ChartPanel(const ThemeController& theme, StudyPanel which, const char* name,
               const SceneView::Describe& describe, QWidget* parent = nullptr);

    void show(const StudyPointer& results, std::size_t point); // nullptr: shows nothing
    // Offers charts and axes; keeps the chosen ones if they are offered again.
    void offer(std::vector<ChartChoice> choices, const std::vector<std::string>& axes);
    const ChartChoice* choice() const; // nullptr: nothing is offered
    std::string axis() const;          // "": nothing is offered
    RunSaver::MakeScene figure() const;
    SceneView& view() { return *m_view; }

Q_SIGNALS:
    void chartChosen(); // the user chose a chart or an axis
    void exportRequested();

private:
    struct Drawing
    {
        StudyPointer data;
        profiler::StudyChart chart;
        profiler::ChartStyle style;
    };
    using Drawn = engine::Result<profiler::DrawnChart>;
    static Drawn drawn(const Drawing& drawing);
    void showChoice();
    void draw();

    const ThemeController& m_theme;
    StudyPanel m_which;
    StudyPointer m_data;
    std::size_t m_point = 0;
    std::vector<ChartChoice> m_choices;
    std::vector<std::string> m_axes;
    QComboBox *m_chart, *m_axis;
    QLabel* m_over;
    ElidedLabel* m_where;
    Tag* m_mode;
    SceneView* m_view;
    Latest<Drawing, Drawn> m_drawings{
        this, [](const Drawing& drawing, const auto&) { return drawn(drawing); },
        [this](Drawn chart) {
            if (chart)
                m_view->show(std::make_shared<const profiler::DrawnChart>(*std::move(chart)));
        }};
};

} // namespace app
