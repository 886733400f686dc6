#pragma once

#include "app/shell/run_saver.h"
#include "app/study/study_charts.h"
#include "app/ui/latest.h"
#include "app/ui/theme.h"
#include "profiler/study/chart.h"

#include <QAbstractScrollArea>
#include <QPixmap>

#include <functional>
#include <memory>

class QComboBox;
class QLabel;

namespace app {

class ElidedLabel;
class Tag;

// Paints a chart of a study. A click or the arrow keys select a point, a double click or Enter
// opens it, and the tooltip has its numbers. A chart that is too high scrolls.
class ChartView : public QAbstractScrollArea
{
    Q_OBJECT

public:
    using Describe = std::function<QString(std::size_t point)>;

    ChartView(const ThemeController& theme, Describe describe, QWidget* parent = nullptr);

    void show(std::shared_ptr<const profiler::DrawnChart> chart); // nullptr: nothing
    void select(std::size_t point);
    const profiler::DrawnChart* chart() const { return m_chart.get(); }
    QSize sizeHint() const override { return {300, 200}; }
    // The rectangle of a point, in the viewport; empty if the chart does not have it.
    QRect rectOf(std::size_t point) const;

Q_SIGNALS:
    void pointChosen(std::size_t point);
    void pointOpened(std::size_t point);
    void resized();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    const profiler::ChartMark* markAt(const QPoint& position) const; // nullptr: none
    const profiler::ChartMark* selected() const;
    const profiler::ChartMark* next(int key) const;
    void choose(const profiler::ChartMark& mark);
    void hover(const profiler::ChartMark* mark);
    void paintRing(QPainter& painter, const profiler::ChartMark& mark, double width) const;
    void describeSelection();
    void fitScrollBar();

    const ThemeController& m_theme;
    Describe m_describe;
    std::shared_ptr<const profiler::DrawnChart> m_chart;
    QPixmap m_picture; // picture of the whole chart
    std::size_t m_point = 0;
    const profiler::ChartMark* m_hovered = nullptr;
};

// A chart of a study page, drawn in the background. A bar above it has the choice of chart and
// axis, the fixed values, and an export button. A chart of a metric varies one axis and takes the
// values of the other axes from the selected point, so the three charts of a page show one point.
class ChartPanel : public QWidget
{
    Q_OBJECT

public:
    // `name` is the prefix of object names: "studyMap".
    ChartPanel(const ThemeController& theme, StudyPanel which, const char* name,
               const ChartView::Describe& describe, QWidget* parent = nullptr);

    void show(const StudyPointer& results, std::size_t point); // nullptr: shows nothing
    // Offers charts and axes; keeps the chosen ones if they are offered again.
    void offer(std::vector<ChartChoice> choices, const std::vector<std::string>& axes);
    const ChartChoice* choice() const; // nullptr: nothing is offered
    std::string axis() const;          // "": nothing is offered
    RunSaver::MakeScene figure() const;
    ChartView& view() { return *m_view; }

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
    ChartView* m_view;
    Latest<Drawing, Drawn> m_drawings{
        this, [](const Drawing& drawing, const auto&) { return drawn(drawing); },
        [this](Drawn chart) {
            if (chart)
                m_view->show(std::make_shared<const profiler::DrawnChart>(*std::move(chart)));
        }};
};

} // namespace app
