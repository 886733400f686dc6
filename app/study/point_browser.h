#pragma once

#include "app/shell/run_saver.h"
#include "app/study/study_charts.h"
#include "app/ui/background.h"
#include "profiler/study/point_summary.h"

#include <QObject>

#include <array>

namespace app {

class PointModel;
class StudyFrame;

// Shows the results on a study page. Draws the charts in the background and keeps the selected
// point, which all charts mark. A chart of a metric varies one axis and takes the values of the
// other axes from this point.
class PointBrowser : public QObject
{
    Q_OBJECT

public:
    PointBrowser(const ThemeController& theme, StudyFrame& frame, QObject* parent);

    void clear(); // nothing is shown until show()
    // Shows the results. Keeps the selected point if the user chose it and the study still has it.
    void show(const StudyPointer& data);
    const StudyPointer& data() const { return m_data; } // nullptr: nothing to show
    std::size_t point() const { return m_point; }
    const profiler::PointSummary& summary() const { return m_summary; }
    QString describe(std::size_t point) const;            // name, set-up and numbers
    RunSaver::MakeScene figureOf(StudyPanel panel) const; // the figure to export

Q_SIGNALS:
    void pointChanged(); // the selected point or its numbers changed
    void pointOpened();

private:
    void connectPanel(StudyPanel panel);
    void choose(std::size_t point);
    void offer(StudyPanel panel);
    void draw(StudyPanel panel);
    void showPoint();

    const ThemeController& m_theme;
    StudyFrame& m_frame;
    PointModel* m_model;
    StudyPointer m_data;
    std::size_t m_point = 0;
    bool m_isChosen = false; // whether the user chose the point
    profiler::PointSummary m_summary;
    // For each StudyPanel, the number of its last request. Results of older requests are dropped.
    std::array<int, kStudyPanels> m_drawings{};
    Background m_background{this};
};

} // namespace app
