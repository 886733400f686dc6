#include "app/whatif/what_if_actions.h"

#include "app/ui/themed_icon.h"

#include <QAction>

namespace app {

WhatIfActions::WhatIfActions(const ThemeController& theme, Page& page)
{
    const auto make = [&page](const char* name, const QString& text, const QKeySequence& key) {
        return page.makeAction(name, text, key);
    };
    open = make("openPrediction", tr("Save as prediction"), Qt::CTRL | Qt::Key_Return);
    open->setToolTip(tr("Writes the prediction as a simulated run and opens it (Ctrl+Return)"));
    copy = make("copyWhatIf", tr("Copy as command"), {});
    copy->setToolTip(tr("Copies the bscope whatif command with these changes"));
    exportFigure = make("exportFigure", tr("Export figure…"), Qt::CTRL | Qt::Key_E);
    schedule = make("openSchedule", tr("Open the schedule"), {});
    blink = make("blinkRuns", tr("Blink two runs"), Qt::Key_B);
    blink->setToolTip(tr("Swaps the measured and the predicted run in place (B)"));
    fit = make("fitRuns", tr("Fit both runs"), Qt::Key_0);
    undo = make("undoEdit", tr("Undo the edit"), QKeySequence::Undo);
    redo = make("redoEdit", tr("Redo the edit"), QKeySequence::Redo);
    reset = make("resetWhatIf", tr("Reset all changes"), {});
    shorten = make("shortenOp", tr("Shorten the op by 5 %"), Qt::Key_Less);
    lengthen = make("lengthenOp", tr("Lengthen the op by 5 %"), Qt::Key_Greater);
    showRuns = make("showRuns", tr("Runs"), {});
    showDetails = make("showDetails", tr("Details"), {});
    for (QAction* action : {showRuns, showDetails}) {
        action->setCheckable(true);
        action->setChecked(true);
    }
    followTheme(exportFigure, Icon::Export, theme);
    followTheme(blink, Icon::Compare, theme);
    followTheme(showRuns, Icon::Compare, theme);
    followTheme(showDetails, Icon::Info, theme);
    enablePrediction(false);
    enableOp(false);
    enableEdits(false, false, false);
}

void WhatIfActions::enablePrediction(bool isKnown)
{
    for (QAction* action : {open, copy, exportFigure, schedule})
        action->setEnabled(isKnown);
}

void WhatIfActions::enableOp(bool isSelected)
{
    shorten->setEnabled(isSelected);
    lengthen->setEnabled(isSelected);
}

void WhatIfActions::enableEdits(bool canUndo, bool canRedo, bool canReset)
{
    undo->setEnabled(canUndo);
    redo->setEnabled(canRedo);
    reset->setEnabled(canReset);
}

QList<QAction*> WhatIfActions::of(Menu menu) const
{
    switch (menu) {
    case Menu::Run:
        return {open, schedule, copy};
    case Menu::View:
        return {fit, showRuns, showDetails};
    case Menu::Compare:
        return {blink};
    case Menu::Analyze:
        return {undo, redo, reset, shorten, lengthen};
    case Menu::Export:
        return {exportFigure};
    default:
        return {};
    }
}

} // namespace app
