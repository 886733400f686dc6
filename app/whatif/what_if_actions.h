#pragma once

#include "app/shell/page.h"
#include "app/ui/theme.h"

#include <QCoreApplication>

namespace app {

// The actions of the what-if page, by menu.
class WhatIfActions
{
    Q_DECLARE_TR_FUNCTIONS(WhatIfActions)

public:
    WhatIfActions(const ThemeController& theme, Page& page); // `page` owns the actions

    QList<QAction*> of(Menu menu) const;
    void enablePrediction(bool isKnown); // actions that need the current prediction
    void enableOp(bool isSelected);
    void enableEdits(bool canUndo, bool canRedo, bool canReset);

    QAction *open, *copy, *exportFigure, *schedule, *blink, *fit, *undo, *redo, *reset, *shorten,
        *lengthen, *showRuns, *showDetails;
};

} // namespace app
