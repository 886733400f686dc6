#pragma once

#include "app/widgets/controls/page.h"
#include "app/widgets/run/note_controller.h"
#include "app/widgets/run/run_toolbar.h"

#include <QCoreApplication>

namespace app {

// The actions of a run's page, by menu.
class RunActions : public RunToolbar::Actions
{
    Q_DECLARE_TR_FUNCTIONS(RunActions)

public:
    RunActions(const ThemeController& theme, Page& page); // `page` owns the actions

    QList<QAction*> of(Menu menu) const;

    QAction *exportTrace, *savePart, *query, *memory;
    QAction *compare, *copyCommand, *fitAll, *fitSelection;
    QAction *foldPanels, *flow, *colourBy, *kernels;
    QAction *findNext, *findPrevious;
    NoteController::Actions notes;
};

} // namespace app
