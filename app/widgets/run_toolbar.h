#pragma once

#include "app/models/run_document.h"
#include "app/models/theme.h"

#include <QWidget>

class QAction;
class QLabel;

namespace app {

class IterationSegments;
class IterationStepper;

// The 40 px over a run's timeline: walk the zoom, choose the iteration; while it runs stop,
// progress and follow. The actions belong to the page that shows them in menus.
class RunToolbar : public QWidget
{
    Q_OBJECT

public:
    struct Actions
    {
        QAction *back, *forward, *fit, *stop, *follow, *flow, *exportFigure, *showRuns,
            *showDetails;
    };

    RunToolbar(const ThemeController& theme, const Actions& actions, QWidget* parent = nullptr);

    void showRun(const RunDocument& document, int iteration); // what the document knows now

Q_SIGNALS:
    void iterationChosen(int iteration);

private:
    void showProgress(const RunDocument& document);

    Actions m_actions;
    IterationStepper* m_stepper;
    IterationSegments* m_segments;
    QLabel* m_left;
    QWidget* m_flow;
    QWidget *m_walk, *m_running;
};

} // namespace app
