#include "app/compare/compare_actions.h"

#include "app/ui/themed_icon.h"

#include <QAction>

namespace app {

CompareActions::CompareActions(const ThemeController& theme, Page& page)
{
    const auto make = [&page](const char* name, const QString& text, const QKeySequence& key) {
        return page.makeAction(name, text, key);
    };
    back = make("zoomBack", tr("Zoom back"), Qt::ALT | Qt::Key_Left);
    forward = make("zoomForward", tr("Zoom forward"), Qt::ALT | Qt::Key_Right);
    fit = make("fitRuns", tr("Fit all runs"), Qt::Key_0);
    blink = make("blinkRuns", tr("Blink two runs"), Qt::Key_B);
    blink->setToolTip(tr("Swaps the first two runs in place"));
    addRun = make("addRun", tr("Add run"), {});
    predict = make("comparePrediction", tr("Compare with prediction"), {});
    predict->setToolTip(tr(
        "Adds the schedule of the first run, simulated with the median time of each kind of op"));
    exportFigure = make("exportFigure", tr("Export figure…"), Qt::CTRL | Qt::Key_E);
    report = make("exportReport", tr("Export report…"), Qt::CTRL | Qt::SHIFT | Qt::Key_E);
    parameters = make("showParameters", tr("Show all parameters"), {});
    showRuns = make("showRuns", tr("Runs"), {});
    showRuns->setCheckable(true);
    showRuns->setChecked(true);
    showDetails = make("showDetails", tr("Details"), {});
    showDetails->setCheckable(true);
    ghost = page.makeAction("showGhost", tr("Outline of the baseline"), Qt::Key_G, {},
                            tr("draw the boxes of the baseline over the devices of other runs"));
    ghost->setCheckable(true);
    using profiler::RankBy;
    ranks = {{make("rankByIteration", tr("Sort by iteration time"), {}), RankBy::Iteration},
             {make("rankByBubble", tr("Sort by bubble"), {}), RankBy::Bubble},
             {make("rankByPeak", tr("Sort by peak memory"), {}), RankBy::Peak},
             {make("rankByMessages", tr("Sort by messages"), {}), RankBy::Messages},
             {make("rankByName", tr("Sort by name"), {}), RankBy::Name}};
    followTheme(back, Icon::ChevronLeft, theme);
    followTheme(forward, Icon::ChevronRight, theme);
    followTheme(fit, Icon::Fit, theme);
    followTheme(blink, Icon::Compare, theme);
    followTheme(showRuns, Icon::Compare, theme);
    followTheme(showDetails, Icon::Info, theme);
    followTheme(addRun, Icon::Plus, theme);
    followTheme(exportFigure, Icon::Export, theme);
}

QList<QAction*> CompareActions::of(Menu menu) const
{
    if (menu == Menu::View)
        return {back, forward, fit, ghost, showRuns, showDetails};
    if (menu == Menu::Export)
        return {exportFigure, report};
    if (menu != Menu::Compare)
        return {};
    QList<QAction*> actions{blink, addRun, predict, parameters};
    for (const Rank& rank : ranks)
        actions << rank.action;
    return actions;
}

} // namespace app
