#include "app/run/run_actions.h"

#include "app/ui/themed_icon.h"

#include <QAction>

namespace app {

// NOLINTNEXTLINE(readability-function-size): a list of actions
RunActions::RunActions(const ThemeController& theme, Page& page)
{
    const auto make = [&page](const char* name, const QString& text, const QKeySequence& key) {
        return page.makeAction(name, text, key);
    };
    back = make("zoomBack", tr("Zoom back"), Qt::ALT | Qt::Key_Left);
    forward = make("zoomForward", tr("Zoom forward"), Qt::ALT | Qt::Key_Right);
    fit = make("fitIteration", tr("Fit the iteration"), {});
    fitAll = make("fitAll", tr("Fit the whole run"), Qt::Key_0);
    fitSelection = make("fitSelection", tr("Zoom to the selection"), Qt::Key_F);
    flow = make("flow", tr("Flow arrows: off, selected, all"), Qt::Key_L);
    colourBy = make("colourByNext", tr("Next colouring"), Qt::Key_C);
    kernels = make("showKernels", tr("Kernels under their ops"), Qt::Key_G);
    kernels->setStatusTip(tr("show or hide the kernels under their ops"));
    kernels->setCheckable(true);
    plan = make("showPlan", tr("Planned ops"), {});
    plan->setCheckable(true);
    plan->setChecked(true);
    find = make("find", tr("Find"), QKeySequence::Find);
    find->setToolTip(tr("Finds ops by kind, micro-batch, stage or duration (Ctrl+F)"));
    find->setStatusTip(tr("find ops by kind, micro-batch, stage or duration"));
    findNext = make("findNextHit", tr("Next hit"), Qt::Key_F3);
    findPrevious = make("findPreviousHit", tr("Previous hit"), Qt::SHIFT | Qt::Key_F3);
    notes.note = make("noteSelection", tr("Note on the selection"), Qt::Key_N);
    notes.note->setStatusTip(tr("add a note on the selection"));
    notes.bookmark = make("bookmarkSelection", tr("Bookmark the selection"), Qt::Key_M);
    notes.bookmark->setStatusTip(tr("bookmark the selection"));
    notes.undo = make("undoNote", tr("Undo"), QKeySequence::Undo);
    notes.redo = make("redoNote", tr("Redo"), QKeySequence::Redo);
    notes.saveCopy
        = make("saveCopy", tr("Save a copy of the run…"), Qt::CTRL | Qt::SHIFT | Qt::Key_S);
    pause = make("pauseRun", tr("Pause"), {});
    pause->setCheckable(true);
    stop = make("stopRun", tr("Stop"), {});
    stop->setToolTip(tr("Stops the worker and keeps complete iterations"));
    follow = make("followRun", tr("Follow"), {});
    follow->setToolTip(tr("Keeps the newest iteration in view"));
    follow->setCheckable(true);
    exportFigure = make("exportFigure", tr("Export figure…"), Qt::CTRL | Qt::Key_E);
    exportReport = make("exportReport", tr("Export report…"), Qt::CTRL | Qt::SHIFT | Qt::Key_E);
    exportReport->setStatusTip(tr("write the results as one HTML page"));
    markRange = make("markRange", tr("Mark a range…"), Qt::Key_R);
    markRange->setStatusTip(tr("type a range of time: 102-172.4 ms"));
    exportTrace = make("exportTrace", tr("Export trace…"), {});
    exportTrace->setStatusTip(tr("write the ops as a Chrome trace for Perfetto, or as CSV"));
    exportTrace->setEnabled(!page.file().isEmpty());
    savePart = make("savePart", tr("Save the selection as a new run…"), {});
    savePart->setStatusTip(tr("write the ops of the selected time range to a new file"));
    savePart->setEnabled(false);
    showRuns = make("showRuns", tr("Runs"), {});
    showDetails = make("showDetails", tr("Details"), {});
    foldPanels = make("foldTables", tr("Collapse or expand the tables"), Qt::Key_T);
    compare = make("compareWithPrediction", tr("Compare this run"), {});
    copyCommand = make("copyCommand", tr("Copy as command"), {});
    copyLink = make("copyLink", tr("Copy a link to this view"), Qt::CTRL | Qt::SHIFT | Qt::Key_C);
    copyLink->setStatusTip(tr("copy a link to this view and an image of it"));
    copyLink->setEnabled(!page.file().isEmpty());  // a prediction has no file
    const auto about = [&page](const char* kind) { // another page about the run
        return [&page, kind] { Q_EMIT page.pageRequested({kind, {page.file()}}); };
    };
    importReport = make("importReport", tr("Import report"), Qt::Key_I);
    importReport->setToolTip(tr("Shows what the import recognised and what it left out (I)"));
    importReport->setVisible(false); // until the run is known to be imported
    whatIf = make("whatIf", tr("What if…"), Qt::Key_P);
    whatIf->setStatusTip(tr("predict other schemes with the measured times"));
    why = make("whyNotFaster", tr("Why not faster?"), Qt::Key_W);
    why->setStatusTip(tr("show the critical path, its parts and what would shorten it"));
    why->setToolTip(tr("Shows the critical path and what would shorten it (W)"));
    why->setCheckable(true);
    memory = make("memoryPage", tr("Memory page"), Qt::SHIFT | Qt::Key_M);
    memory->setStatusTip(tr("show what occupies device memory at any time"));
    memory->setEnabled(!page.file().isEmpty());
    QObject::connect(memory, &QAction::triggered, &page, about("memory"));
    query = make("querySql", tr("SQL console"), Qt::Key_Q);
    query->setStatusTip(tr("query the file of the run with SQL"));
    query->setEnabled(!page.file().isEmpty()); // a prediction has no file
    QObject::connect(query, &QAction::triggered, &page, about("query"));
    QObject::connect(importReport, &QAction::triggered, &page, about("import"));
    QObject::connect(whatIf, &QAction::triggered, &page, about("whatif"));
    for (QAction* action : {showRuns, showDetails}) {
        action->setCheckable(true);
        action->setChecked(true);
    }
    makeLanes(page);
    followTheme(back, Icon::ChevronLeft, theme);
    followTheme(forward, Icon::ChevronRight, theme);
    followTheme(fit, Icon::Fit, theme);
    followTheme(pause, Icon::Pause, theme);
    followTheme(stop, Icon::Stop, theme);
    followTheme(find, Icon::Search, theme);
    followTheme(importReport, Icon::Chart, theme);
    followTheme(whatIf, Icon::Flow, theme);
    followTheme(why, Icon::Path, theme);
    followTheme(exportFigure, Icon::Export, theme);
    followTheme(showRuns, Icon::Compare, theme);
    followTheme(showDetails, Icon::Info, theme);
}

void RunActions::makeLanes(Page& page)
{
    const auto make = [&page](const char* name, const QString& text, const QKeySequence& key) {
        return page.makeAction(name, text, key);
    };
    lanes.hide = make("hideLane", tr("Hide the lane"), Qt::Key_H);
    lanes.hide->setStatusTip(tr("hide the lane of the selected device"));
    lanes.hideOthers = make("hideOtherLanes", tr("Hide all other lanes"), {});
    lanes.pin = make("pinLane", tr("Pin the lane to the top"), Qt::SHIFT | Qt::Key_P);
    lanes.up = make("moveLaneUp", tr("Move the lane up"), Qt::ALT | Qt::Key_Up);
    lanes.down = make("moveLaneDown", tr("Move the lane down"), Qt::ALT | Qt::Key_Down);
    lanes.expand = make("expandLane", tr("Expand or collapse the lane"), {});
    lanes.group = make("groupLanes", tr("Collapse the group of lanes"), Qt::SHIFT | Qt::Key_G);
    lanes.group->setStatusTip(tr("show the devices of a host or a node as one lane"));
    lanes.groupAll = make("groupAllLanes", tr("Collapse all groups of lanes"), {});
    lanes.showAll = make("showAllLanes", tr("Show all lanes"), Qt::SHIFT | Qt::Key_H);
    lanes.showAll->setStatusTip(tr("show all lanes in their usual order"));
}

QList<QAction*> RunActions::of(Menu menu) const
{
    switch (menu) {
    case Menu::Run:
        return {pause, stop, follow, copyCommand};
    case Menu::View:
        return {
            back,         forward,        fit,          fitAll,     fitSelection, flow,
            colourBy,     kernels,        plan,         showRuns,   showDetails,  foldPanels,
            lanes.expand, lanes.pin,      lanes.up,     lanes.down, lanes.hide,   lanes.hideOthers,
            lanes.group,  lanes.groupAll, lanes.showAll};
    case Menu::Compare:
        return {compare};
    case Menu::Export:
        return {exportFigure, exportReport, exportTrace, copyLink};
    case Menu::Analyze:
        return {importReport,   why,        whatIf,       memory,    query,
                find,           findNext,   findPrevious, markRange, notes.note,
                notes.bookmark, notes.undo, notes.redo};
    case Menu::File:
        return {notes.saveCopy, savePart};
    }
    return {};
}

} // namespace app
