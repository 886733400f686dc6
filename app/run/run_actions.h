#pragma once

#include "app/run/note_controller.h"
#include "app/run/run_toolbar.h"
#include "app/shell/page.h"

#include <QCoreApplication>

namespace app {

// The actions of a run's page, by menu.
class RunActions : public RunToolbar::Actions
{
    Q_DECLARE_TR_FUNCTIONS(RunActions)

public:
    RunActions(const ThemeController& theme, Page& page); // `page` owns the actions

    QList<QAction*> of(Menu menu) const;

    QAction *markRange, *exportTrace, *savePart, *query, *memory;
    QAction *compare, *copyCommand, *copyLink, *fitAll, *fitSelection;
    QAction *foldPanels, *flow, *colourBy, *kernels, *plan;
    QAction *findNext, *findPrevious;
    NoteController::Actions notes;
    struct Lanes
    {
        QAction *hide, *hideOthers, *pin, *up, *down, *expand, *group, *groupAll, *showAll;
    };
    Lanes lanes;

private:
    void makeLanes(Page& page);
};

} // namespace app
