#pragma once

#include "app/study/chart_view.h"
#include "app/study/study_charts.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <array>

class QAction;
class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace app {

class Band;
class ChartPanel;
class DataTable;
class StudyForm;
class Tag;

// The actions of a study page; the page owns them.
struct StudyActions
{
    QAction *run, *cancel, *otherMode; // otherMode: emulate a simulated grid, or vice versa
    QAction *openPoint, *emulate, *compareBest; // about the selected point
    QAction *open, *save, *saveAs, *saveReport, *saveCsv, *exportMap;
    QAction* showForm;
};

// The widgets of a study page and their layout.
class StudyFrame : public QWidget
{
    Q_OBJECT

public:
    StudyFrame(const ThemeController& theme, const StudyActions& actions,
               const ChartView::Describe& describe, QWidget* parent = nullptr);

    ChartPanel& panel(StudyPanel which) { return *panels[static_cast<std::size_t>(which)]; }
    void showRunning(bool isRunning);
    void showStart(const profiler::Study& study,
                   const QString& count); // shows a study without results
    void fold(int width);                 // folds the definition in a narrow window

    StudyForm* form;
    QComboBox* presets;
    std::array<ChartPanel*, kStudyPanels> panels;
    Band* notice; // problems of the grid and of the worker
    QLabel *summary, *progressText, *pointTitle, *pointWhere, *sentence;
    QProgressBar* progress;
    Tag* mode;
    DataTable* point;
    QStackedWidget* stack; // 0: the study and presets, 1: charts

Q_SIGNALS:
    void presetChosen(const QString& name);

private:
    QWidget* makeDefinition(const ThemeController& theme);
    QWidget* makeSaveButton(const ThemeController& theme);
    QWidget* makeRail();
    QWidget* makeCharts();
    QWidget* makePoint();
    QWidget* makeStart(const ThemeController& theme);

    StudyActions m_actions;
    QPushButton *m_run, *m_cancel;
    QLabel *m_startTitle, *m_startQuestion, *m_startCount;
    QWidget* m_definition;
    bool m_hasRoom = true;
};

} // namespace app
