#pragma once

#include "app/shell/page.h"
#include "app/ui/theme.h"
#include "profiler/analysis/ranking.h"

#include <QCoreApplication>

#include <vector>

namespace app {

// The actions of a comparison, by menu.
class CompareActions
{
    Q_DECLARE_TR_FUNCTIONS(CompareActions)

public:
    CompareActions(const ThemeController& theme, Page& page); // `page` owns the actions

    QList<QAction*> of(Menu menu) const;

    QAction *back, *forward, *fit, *blink, *addRun, *exportFigure, *report, *predict, *parameters;
    QAction *showRuns, *showDetails, *ghost;
    struct Rank
    {
        QAction* action;
        profiler::RankBy by;
    };
    std::vector<Rank> ranks;
};

} // namespace app
