#pragma once

#include "app/shell/page.h"

#include <QCoreApplication>

namespace app {

class ThemeController;

// The actions of a run's page. They are one table, because name, text, key and menu of an action
// are read together: by the menus, the list of keys and the palette.
class RunActions
{
    Q_DECLARE_TR_FUNCTIONS(RunActions)

public:
    RunActions(const ThemeController& theme, Page& page); // `page` owns the actions

    QList<QAction*> of(Menu menu) const;

    QAction *pause, *stop, *follow, *copyCommand;
    QAction *back, *forward, *fit, *fitAll, *fitSelection, *flow, *colourBy, *kernels, *plan;
    QAction *showRuns, *showDetails, *foldPanels;
    QAction *expandLane, *groupLanes, *groupAllLanes;
    QAction *compare, *exportFigure, *exportReport, *exportTrace;
    QAction *importReport, *why, *whatIf, *memory, *query, *find, *findNext, *findPrevious;
    QAction *markRange, *note, *bookmark, *undo, *redo, *saveCopy, *savePart;
};

} // namespace app
